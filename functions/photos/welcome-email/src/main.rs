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
//! `sending` is not a lock and does not need to be one: Lambda processes one batch of a shard at a time.
//!
//! Nobody has verified the address, and its owner may not be the user. So the text shows nothing of the profile except
//! the name.

use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
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

    let Some(User { name, email: Some(address), .. }) = mark_sending(&table, record.keys.clone()).await? else {
        return Ok(());
    };
    mail.send(&name, &address).await?;
    mark_sent(&table, record.keys).await
}

/// Sets `welcome` to `sending` and returns the user, or `None` if there is no e-mail to send: it is sent already, or
/// the user has been deleted or has removed the address since.
async fn mark_sending(table: &Table, key: Item) -> Result<Option<User>, Error> {
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
        .expression_attribute_values(":sending", AttributeValue::S("sending".to_owned()))
        // The e-mail goes to the current address, because the record may be a day old.
        .return_values(ReturnValue::AllNew)
        .send()
        .await;
    match unless_condition_failed(result)? {
        Some(output) => photos::user_from_item(output.attributes.unwrap_or_default()),
        None => Ok(None),
    }
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
