//! Stream of the table: each new user who has an e-mail address gets one e-mail, by one `SendEmail` of SES between two
//! conditional `UpdateItem`s.
//!
//! The stream delivers a record once or more, and SES can't tell a repeated request from a new one:
//! [`SendEmail`](https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html) takes no idempotency token.
//! So the user's item says in `welcome` how far the e-mail is: `sending` is written before it, `sent` after it. Whoever
//! finds `sent` does nothing. Whoever finds `sending` can't know whether the attempt before reached SES, and sends.
//!
//! Of the two things that can happen, this chooses the second:
//!
//! - An e-mail is never lost: `sent` is written only when SES has accepted it. Until then the record comes again, at
//!   last as an entry of the on-failure queue, and `sending` in the table tells who waits.
//! - An e-mail may come twice, if SES accepted it and its answer, or the write after that, got lost. Repeated records,
//!   repeated batches and crashes at any other point send nothing twice.
//!
//! `sending` is no lock, and need not be: Lambda hands out one batch of a shard at a time.
//!
//! Nobody has verified the address, and the name is whatever its owner chose: the text shows nothing else of the
//! profile.

use std::time::Duration;

use aws_config::SdkConfig;
use aws_config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
use aws_sdk_sesv2::error::ProvideErrorMetadata;
use aws_sdk_sesv2::operation::RequestId;
use aws_sdk_sesv2::operation::send_email::SendEmailError;
use aws_sdk_sesv2::types::{Body, Content, Destination, EmailContent, Message};
use shared::model::photos;
use shared::runtime::stream::{Change, Record};
use shared::{Error, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    let mail = Mail::from_environment().await?;
    shared::runtime::stream::run(|table, record| welcome_email(&mail, table, record)).await
}

async fn welcome_email(mail: &Mail, table: Table, record: Record) -> Result<(), Error> {
    // The event source mapping lets through nothing else. It is configuration, and this is about strangers' mailboxes.
    let new =
        record.change == Change::Insert && photos::user(record.new_image)?.is_some_and(|user| user.email.is_some());
    if !new {
        return Ok(());
    }

    let sending = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(record.keys.clone()))
        // Whoever has been deleted since has no username; whoever has taken the address away gets no e-mail either.
        .condition_expression(
            "attribute_exists(username) AND attribute_exists(email) \
             AND (attribute_not_exists(welcome) OR welcome = :sending)",
        )
        .update_expression("SET welcome = :sending")
        .expression_attribute_values(":sending", AttributeValue::S("sending".to_owned()))
        // The address as it is now: the record may be a day old.
        .return_values(ReturnValue::AllNew)
        .send()
        .await;
    let Some(marked) = unless_refused(sending)? else {
        return Ok(());
    };
    let newcomer = photos::user(marked.attributes.unwrap_or_default())?;
    let Some((name, address)) = newcomer.and_then(|user| Some((user.name, user.email?))) else {
        return Ok(());
    };

    mail.send(&name, &address).await?;

    let sent = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(record.keys))
        .condition_expression("attribute_exists(username)")
        .update_expression("SET welcome = :sent")
        .expression_attribute_values(":sent", AttributeValue::S("sent".to_owned()))
        .send()
        .await;
    unless_refused(sent)?;
    Ok(())
}

/// What an update returned; none if its condition failed.
fn unless_refused<T>(update: Result<T, SdkError<UpdateItemError>>) -> Result<Option<T>, Error> {
    match update {
        Ok(output) => Ok(Some(output)),
        Err(error) if error.as_service_error().is_some_and(UpdateItemError::is_conditional_check_failed_exception) => {
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// Subject, empty line, text. `{name}` stands for the user's name.
const TEMPLATE: &str = include_str!("welcome.txt");

/// Who sends the e-mail, and by what.
struct Mail {
    client: aws_sdk_sesv2::Client,
    sender: String,
}

impl Mail {
    async fn from_environment() -> Result<Self, lambda_runtime::Error> {
        let sender = std::env::var("WELCOME_SENDER").map_err(|_| "WELCOME_SENDER is not set")?;
        Ok(Self::new(&shared::runtime::client::environment("SESV2").await?, sender))
    }

    /// With five seconds for an attempt instead of one. SES mostly answers within a fraction of a second; but where it
    /// takes longer and is given up, it may have accepted the e-mail, and the next attempt sends it twice. Five
    /// attempts of that length still fit into the function's timeout.
    fn new(config: &SdkConfig, sender: String) -> Self {
        let timeouts = TimeoutConfig::builder()
            .connect_timeout(Duration::from_secs(1))
            .operation_attempt_timeout(Duration::from_secs(5))
            .build();
        let config = aws_sdk_sesv2::config::Builder::from(config).timeout_config(timeouts).build();
        Self { client: aws_sdk_sesv2::Client::from_conf(config), sender }
    }

    async fn send(&self, name: &str, address: &str) -> Result<(), Error> {
        let (subject, text) = TEMPLATE.split_once("\n\n").ok_or_else(|| Error::internal("welcome.txt has no text"))?;
        let content =
            |template: &str| Content::builder().data(template.replace("{name}", name)).charset("UTF-8").build();
        let message =
            Message::builder().subject(content(subject)?).body(Body::builder().text(content(text)?).build()).build();
        self.client
            .send_email()
            .from_email_address(&self.sender)
            .destination(Destination::builder().to_addresses(address).build())
            .content(EmailContent::builder().simple(message).build())
            .send()
            .await
            .map_err(not_sent)?;
        Ok(())
    }
}

/// Why SES did not send, for the log: by its code and not by its message, because some messages name the address.
fn not_sent(error: SdkError<SendEmailError>) -> Error {
    let Some(failed) = error.as_service_error() else {
        return error.into();
    };
    let reason =
        format!("SES: {} ({})", error.code().unwrap_or("no code"), error.request_id().unwrap_or("no request id"));
    if failed.is_too_many_requests_exception() { Error::Busy(reason.into()) } else { Error::internal(reason) }
}
