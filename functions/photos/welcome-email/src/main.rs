//! Stream of the table `quick-photos`: sends one e-mail to each new user who has an e-mail address.
//!
//! One `UpdateItem` sets the user's attribute `welcome` to `sending`, one `SendEmail` of SES sends the e-mail, and a
//! second `UpdateItem` sets `welcome` to `sent`. Both updates are conditional.
//!
//! The stream delivers a record at least once, and SES cannot tell a repeated request from a new one, because
//! [`SendEmail`](https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html) takes no idempotency token.
//! So `welcome` says how far the e-mail is. If it is `sent`, the function does nothing. If it is `sending`, an earlier
//! attempt may or may not have reached SES, and the function sends the e-mail. This has two consequences:
//!
//! - No e-mail is lost. `sent` is written only after SES has accepted the e-mail. Until then Lambda delivers the record
//!   again, and finally moves it to the on-failure queue; `sending` in the table then shows which users wait.
//! - An e-mail is sent twice if SES accepted it, but its answer or the second update was lost. Repeated records,
//!   repeated batches and crashes at any other point send nothing twice.
//!
//! A record that comes again may find `sending` and no address any more, because the user has removed it between two
//! attempts. The function then removes `welcome` with an `UpdateItem`, or the user would seem to wait for an e-mail for
//! ever.
//!
//! `sending` is not a lock and does not need to be one: Lambda processes one batch of a shard at a time.
//!
//! Nobody has verified the address, and its owner may not be the user. So the text shows nothing of the profile except
//! the name.

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue, ReturnValuesOnConditionCheckFailure};
use shared::dynamodb::{Item, unless_condition_failed};
use shared::model::photos;
use shared::model::photos::User;
use shared::runtime::stream::{Change, Record};
use shared::{Error, Table};

use crate::mail::Mail;

mod mail;
#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    let mail = Mail::from_environment().await?;
    shared::runtime::stream::run(|table, record| welcome_email(&mail, table, record)).await
}

async fn welcome_email(mail: &Mail, table: Table, record: Record) -> Result<(), Error> {
    // The event source mapping passes only these records. The function checks again, because an error in that
    // configuration would send e-mails to strangers.
    let is_new_user = record.change == Change::Insert
        && photos::user_from_item(record.new_image)?.is_some_and(|user| user.email.is_some());
    if !is_new_user {
        return Ok(());
    }

    match mark_sending(&table, record.keys.clone()).await? {
        Marked::Sending { name, address } => {
            mail.send(&name, &address).await?;
            mark_sent(&table, record.keys).await
        }
        Marked::AddressRemoved => unmark(&table, record.keys).await,
        Marked::NothingToSend => Ok(()),
    }
}

/// The result of marking a user.
enum Marked {
    /// `welcome` is `sending` now. This is the name and the address of the user.
    Sending { name: String, address: String },
    /// `welcome` is `sending` since an earlier attempt, and the user has removed the address since.
    AddressRemoved,
    /// There is no e-mail to send. It is sent already, or the user has been deleted, or the user removed the address
    /// before any attempt.
    NothingToSend,
}

/// Sets `welcome` to `sending` if the user has an address and the e-mail is not sent.
async fn mark_sending(table: &Table, key: Item) -> Result<Marked, Error> {
    let result = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(key))
        .condition_expression(
            "attribute_exists(username) AND attribute_exists(email) \
             AND (attribute_not_exists(welcome) OR welcome = :sending)",
        )
        .update_expression("SET welcome = :sending")
        .expression_attribute_values(":sending", sending())
        // The e-mail goes to the current address, because the record may be a day old.
        .return_values(ReturnValue::AllNew)
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await;
    match result {
        Ok(output) => Ok(match photos::user_from_item(output.attributes.unwrap_or_default())? {
            Some(User { name, email: Some(address), .. }) => Marked::Sending { name, address },
            _ => Marked::NothingToSend,
        }),
        Err(error) => match error.as_service_error() {
            Some(UpdateItemError::ConditionalCheckFailedException(failed)) => Ok(not_marked(failed.item.as_ref())),
            _ => Err(error.into()),
        },
    }
}

/// Returns why a user could not be marked, from the item on which the condition failed.
fn not_marked(item: Option<&Item>) -> Marked {
    match item {
        Some(item) if item.get("welcome") == Some(&sending()) && !item.contains_key("email") => Marked::AddressRemoved,
        _ => Marked::NothingToSend,
    }
}

/// Removes `welcome` from a user who has no address any more. It may be removed already, so that a retry after a lost
/// answer succeeds too.
///
/// If the user has an address again, nobody would send the e-mail, so the call fails and Lambda delivers the record
/// again.
async fn unmark(table: &Table, key: Item) -> Result<(), Error> {
    let result = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(key))
        .condition_expression(
            "attribute_exists(username) AND attribute_not_exists(email) \
             AND (attribute_not_exists(welcome) OR welcome = :sending)",
        )
        .update_expression("REMOVE welcome")
        .expression_attribute_values(":sending", sending())
        .send()
        .await;
    unless_condition_failed(result)?
        .map(|_| ())
        .ok_or_else(|| Error::Busy("the user changed while `welcome` was removed".into()))
}

/// Returns the value of `welcome` from before the e-mail is sent until it is sent.
fn sending() -> AttributeValue {
    AttributeValue::S("sending".to_owned())
}

/// Sets `welcome` to `sent`, unless the user has been deleted.
async fn mark_sent(table: &Table, key: Item) -> Result<(), Error> {
    let result = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(key))
        .condition_expression("attribute_exists(username)")
        .update_expression("SET welcome = :sent")
        .expression_attribute_values(":sent", AttributeValue::S("sent".to_owned()))
        .send()
        .await;
    unless_condition_failed(result)?;
    Ok(())
}
