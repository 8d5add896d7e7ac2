//! The welcome e-mail and the SES client that sends it.

use std::time::Duration;

use aws_config::SdkConfig;
use aws_config::timeout::TimeoutConfig;
use aws_sdk_sesv2::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_sesv2::operation::RequestId;
use aws_sdk_sesv2::operation::send_email::SendEmailError;
use aws_sdk_sesv2::types::{Body, Content, Destination, EmailContent, Message};
use shared::{Error, Process, StartError};

/// The e-mail: the subject, an empty line and the text.
const WELCOME: &str = include_str!("welcome.txt");

/// The maximum time that one attempt to send an e-mail may take.
///
/// It is longer than the one second of the other clients. SES mostly answers within a fraction of a
/// second, but if an attempt times out, SES may have accepted the e-mail, and the next attempt
/// sends it twice. The five attempts of the SDK still fit into the function's timeout of 60
/// seconds. A message for which no time is left comes again.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(5);

/// The answer of SES to an e-mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sent {
    Accepted,
    /// SES refuses the address or the e-mail, and would refuse it again.
    Refused,
}

/// Sends e-mails from one sender.
pub(crate) struct Mail {
    client: aws_sdk_sesv2::Client,
    sender: String,
}

impl Mail {
    /// Reads the sender from the environment variable `WELCOME_SENDER`.
    pub(crate) fn from_process(process: &Process) -> Result<Self, StartError> {
        Ok(Self::new(&process.configuration("SESV2")?, process.variable("WELCOME_SENDER")?))
    }

    /// Creates a client of SES with the timeout of this module.
    pub(crate) fn new(config: &SdkConfig, sender: String) -> Self {
        let timeouts = TimeoutConfig::builder()
            .connect_timeout(Duration::from_secs(1))
            .operation_attempt_timeout(ATTEMPT_TIMEOUT)
            .build();
        let config = aws_sdk_sesv2::config::Builder::from(config).timeout_config(timeouts).build();
        Self { client: aws_sdk_sesv2::Client::from_conf(config), sender }
    }

    /// Sends the e-mail to an address.
    pub(crate) async fn send(&self, address: &str) -> Result<Sent, Error> {
        let (subject, text) = WELCOME.split_once("\n\n").ok_or_else(|| Error::internal("welcome.txt has no text"))?;
        let content = |text: &str| Content::builder().data(text).charset("UTF-8").build();
        let message =
            Message::builder().subject(content(subject)?).body(Body::builder().text(content(text)?).build()).build();
        let sent = self
            .client
            .send_email()
            .from_email_address(&self.sender)
            .destination(Destination::builder().to_addresses(address).build())
            .content(EmailContent::builder().simple(message).build())
            .send()
            .await;
        match sent {
            Ok(_) => Ok(Sent::Accepted),
            Err(error) if error.as_service_error().is_some_and(is_refusal) => {
                tracing::warn!(reason = describe(&error), "the address is refused for good");
                Ok(Sent::Refused)
            }
            Err(error) => Err(send_error(error)),
        }
    }
}

/// Returns whether the same e-mail would be refused again. Other errors are about the sender or the
/// account, and somebody can correct their cause.
fn is_refusal(error: &SendEmailError) -> bool {
    error.is_bad_request_exception() || error.is_message_rejected()
}

fn send_error(error: SdkError<SendEmailError>) -> Error {
    let Some(failed) = error.as_service_error() else { return error.into() };
    let reason = describe(&error);
    if failed.is_too_many_requests_exception() { Error::Busy(reason.into()) } else { Error::internal(reason) }
}

/// Returns the code of an error of SES and not its message, because some messages contain the
/// address.
fn describe(error: &SdkError<SendEmailError>) -> String {
    format!("SES: {} ({})", error.code().unwrap_or("no code"), error.request_id().unwrap_or("no request id"))
}
