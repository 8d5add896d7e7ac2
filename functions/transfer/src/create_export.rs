//! One `TransactWriteItems` puts the export, on the condition that the user has none, or one that
//! has expired, has failed or is that of another account, and checks the caller's account. An
//! export has the same key as the one before. So there is one at a time, and one a day, whatever
//! requests meet. If there is one, the failed condition returns it, and the answer is 200 with it.
//!
//! Then a message to `ExportsQueue` starts write-export. If the message is lost, the export stays
//! `queued`, and the next request sends the message again. A message that comes twice has no
//! effect, because it names the state of the work that it continues.

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure};
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::dynamodb::{Item, entity};
use shared::entities::account::Account;
use shared::entities::{Export, ExportMessage, Key};
use shared::http::answer;
use shared::http::extract::{Body, NoFields, Owner};
use shared::runtime::queue::Queue;
use shared::show::{ShownExport, Signer};
use shared::values::{EpochMillis, ExportState, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct CreateExport {
    table: Table,
    feed: String,
    queue: Queue,
    signer: Signer,
}

impl Route for CreateExport {
    const NAME: &'static str = "create-export";
    const ROUTE: &'static str = "POST /users/{username}/exports";
    const SUMMARY: &'static str = "Begins an export of everything that is kept about the caller, as one file.";
    const SUCCESSES: &'static [Success] = &[Success::OK, Success::CREATED_AT];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Owner, Body<NoFields>);
    type Body = ShownExport;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.variable("FEED_TABLE_NAME")?,
            queue: Queue::from_process(process, "EXPORTS_QUEUE_URL")?,
            signer: Signer::from_process(process)?,
        })
    }

    async fn answer(&self, (Owner(caller), Body(NoFields)): Self::Input) -> Result<Response<ShownExport>, Error> {
        let Self { table, feed, queue, signer } = self;
        let username = &caller.username;
        let account = Account { table_name: &table.name, username, subject: &caller.subject };

        let export = Export::new(caller.subject.clone());
        let mut transaction = Transaction::new();
        let put = transaction.put(put(feed, username, &export)?);
        let check = transaction.condition_check(account.check()?);
        match transaction.write(&table.client).await? {
            Outcome::Committed => {
                send(queue, username, &export).await?;
                let location = format!("/users/{username}/exports/{}", export.id);
                answer::created_at(&location, &signer.show_export(username, export))
            }
            Outcome::ConditionFailed(failed) => {
                account.require(&failed, check)?;
                let existing: Export = entity::from_item(failed.item(put).cloned().unwrap_or_default())?;
                if existing.needs_message() {
                    send(queue, username, &existing).await?;
                }
                answer::ok(&signer.show_export(username, existing))
            }
        }
    }
}

/// Returns the put of an export in the place of one that is over.
fn put(feed: &str, username: &Username, export: &Export) -> Result<Put, Error> {
    let put = Put::builder()
        .table_name(feed)
        .set_item(Some(entity::to_item(Item::from(Key::export(username)), export)?))
        .condition_expression("attribute_not_exists(pk) OR #ttl <= :now OR #state = :failed OR subject <> :subject")
        .expression_attribute_names("#ttl", "ttl")
        .expression_attribute_names("#state", "state")
        .expression_attribute_values(":now", N(EpochMillis::now().seconds().to_string()))
        .expression_attribute_values(":subject", S(export.subject.to_string()))
        .expression_attribute_values(":failed", S(ExportState::Failed.to_string()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    Ok(put)
}

/// Sends the message that starts the work, or continues work that has stopped.
async fn send(queue: &Queue, username: &Username, export: &Export) -> Result<(), Error> {
    let message = ExportMessage { username: username.clone(), id: export.id.clone(), claimed: export.claimed };
    queue.send(&message).await
}
