//! The welcome e-mail and the SES client that sends it.

use std::str::FromStr;
use std::time::Duration;

use aws_config::SdkConfig;
use aws_config::timeout::TimeoutConfig;
use aws_sdk_sesv2::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_sesv2::operation::RequestId;
use aws_sdk_sesv2::operation::send_email::SendEmailError;
use aws_sdk_sesv2::types::{Body, Content, Destination, EmailContent, Message};
use shared::values::Username;
use shared::{Error, Process, StartError};

/// The placeholder for the name of the new user in the subject and in the text.
const USERNAME: &str = "{username}";

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

/// A text of the e-mail, as the operators of a deployment have written it.
#[derive(Debug)]
pub(crate) struct Wording(String);

impl FromStr for Wording {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text.is_empty() {
            return Err("it is empty");
        }
        if text.replace(USERNAME, "").contains(['{', '}']) {
            return Err("its only braces may be those of {username}");
        }
        Ok(Self(text.to_owned()))
    }
}

impl Wording {
    /// Returns the text for a user. U+2060, which is invisible, keeps mail programs from making a
    /// link of a name like `example.com`.
    fn for_user(&self, username: &Username) -> String {
        self.0.replace(USERNAME, &username.as_ref().replace('.', ".\u{2060}"))
    }
}

/// Sends e-mails from one sender.
pub(crate) struct Mail {
    client: aws_sdk_sesv2::Client,
    sender: String,
    pub(super) subject: Wording,
    pub(super) text: Wording,
}

impl Mail {
    /// Reads the sender, the subject and the text from the environment variables `WELCOME_…`.
    pub(crate) fn from_process(process: &Process) -> Result<Self, StartError> {
        let subject: Wording = process.parsed("WELCOME_SUBJECT")?;
        if subject.0.contains('\n') {
            return Err("the environment variable WELCOME_SUBJECT has more than one line".into());
        }
        Ok(Self {
            client: client(&process.configuration("SESV2")?),
            sender: process.variable("WELCOME_SENDER")?,
            subject,
            text: process.parsed("WELCOME_TEXT")?,
        })
    }

    /// Sends the e-mail to the address of a user.
    pub(crate) async fn send(&self, address: &str, username: &Username) -> Result<Sent, Error> {
        let content = |wording: &Wording| Content::builder().data(wording.for_user(username)).charset("UTF-8").build();
        let body = Body::builder().text(content(&self.text)?).build();
        let message = Message::builder().subject(content(&self.subject)?).body(body).build();
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

/// Returns a client of SES with the timeout of this module.
fn client(config: &SdkConfig) -> aws_sdk_sesv2::Client {
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(1))
        .operation_attempt_timeout(ATTEMPT_TIMEOUT)
        .build();
    let config = aws_sdk_sesv2::config::Builder::from(config).timeout_config(timeouts).build();
    aws_sdk_sesv2::Client::from_conf(config)
}

/// The begin of the message with which SES rejects an e-mail because the identity of the sender, or
/// of any address while the account is in the sandbox, is [not
/// verified](https://docs.aws.amazon.com/ses/latest/dg/troubleshoot-error-messages.html).
const NOT_VERIFIED: &str = "Email address is not verified";

/// Returns whether the same e-mail would be refused again. Other errors are about the sender or the
/// account, and somebody can correct their cause.
fn is_refusal(error: &SendEmailError) -> bool {
    let is_verified = !error.message().is_some_and(|message| message.starts_with(NOT_VERIFIED));
    error.is_bad_request_exception() || (error.is_message_rejected() && is_verified)
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
