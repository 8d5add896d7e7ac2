//! Queue `WelcomeQueue`: sends one e-mail to each new account whose user has an e-mail address.
//!
//! One consistent `BatchGetItem` reads the user and the `Welcome` of the account, one `SendEmail`
//! of SES sends the e-mail, and one `PutItem` puts the `Welcome`. process-changes sends a message
//! with the stream record of each new user to the queue, so a mail service that hangs delays
//! nothing else.
//!
//! The `Welcome` says that an account got its e-mail. It survives the deletion of the user.
//! Otherwise one token that creates and deletes its user in a loop could have an e-mail sent to one
//! address after the other. It expires after 90 days, so that nothing of a deleted account stays
//! for ever.
//!
//! A message comes at least once, and SES cannot tell a repeated request from a new one, because
//! [`SendEmail`](https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html) takes
//! no idempotency token. So the order of the requests has two consequences:
//!
//! - No e-mail is lost. The `Welcome` is put only after SES has accepted the e-mail. Until then the
//!   message comes again, and finally goes to the dead-letter queue. An address that SES refuses
//!   for good is one line in the log, and the message does not come again.
//! - An e-mail is sent twice if SES accepted it, but its answer or the `PutItem` was lost, if two
//!   copies of a message come at the same moment, and if one account creates two users at the same
//!   moment, which is impossible in Cognito, where it has one username. Repeated messages, repeated
//!   batches and crashes at any other point send nothing twice.
//!
//! The template has the subject and the text. Nobody has verified the address, and its owner may
//! not be the user. So the e-mail can show the username and nothing else of the profile: text that
//! a user typed could be an advertisement.

use shared::dynamodb::{Item, batch, entity};
use shared::entities::{self, Key, User, Welcome};
use shared::runtime::stream::{Change, Record};
use shared::values::Subject;
use shared::{Error, Handler, Process, StartError, Table};

use crate::send_welcome::mail::{Mail, Sent};

mod mail;
#[cfg(test)]
mod tests;

/// The function.
pub struct SendWelcome {
    table: Table,
    mail: Mail,
}

impl Handler for SendWelcome {
    const NAME: &'static str = "send-welcome";

    type Event = Record;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, mail: Mail::from_process(process)? })
    }

    async fn handle(&self, record: Record) -> Result<(), Error> {
        let Self { table, mail } = self;
        let new_user = entities::user_from_item(record.new_image)?.filter(|user| user.email.is_some());
        let Some(new_user) = new_user.filter(|_| record.change == Change::Insert) else {
            return Ok(());
        };

        let subject = account(&new_user)?;
        let keys = [Key::user(&new_user.username), Key::welcome(&subject)].into();
        // A stale read could miss the user, and the e-mail would be lost, or the `Welcome`, and it
        // would be sent twice.
        let found = batch::get(table, keys, true).await?;
        let Some(address) = address(&subject, found)? else {
            return Ok(());
        };
        if mail.send(&address, &new_user.username).await? == Sent::Refused {
            return Ok(());
        }
        let welcome = Welcome::now(subject);
        let item = entity::to_item(Key::welcome(&welcome.subject), &welcome)?;
        table.client.put_item().table_name(&table.name).set_item(Some(item)).send().await?;
        Ok(())
    }
}

/// Returns the account of a user. A user that another program wrote has only a username.
fn account(user: &User) -> Result<Subject, Error> {
    match &user.subject {
        Some(subject) => Ok(subject.clone()),
        None => user.username.as_ref().parse().map_err(|_| Error::internal("a username is no subject")),
    }
}

/// Returns the address to which the e-mail goes, from the items that the table has now. The record
/// may be a day old.
///
/// It returns `None` if the account has got its e-mail, if the user has been deleted or has removed
/// the address, or if another account has the username now. The user of that account has a record
/// of their own.
fn address(subject: &Subject, found: Vec<Item>) -> Result<Option<String>, Error> {
    let mut address = None;
    for item in found {
        if item.contains_key("welcomed") {
            return Ok(None);
        }
        if let Some(user) = entities::user_from_item(item)?
            && account(&user)? == *subject
        {
            address = user.email;
        }
    }
    Ok(address)
}
