//! One `TransactWriteItems` puts the import, on the condition that the user has none, or one that
//! has expired, has failed before its first write or is that of another account, and checks that the caller has a profile
//! of the account. An import has the same key as the one before. So there is one at a time, and one
//! a day, whatever requests meet. If there is one, the failed condition returns it, and the answer
//! is 200 with it, with a new form while its file has not come.
//!
//! The form is signed without any request to S3. The file starts read-import.

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure};
use shared::dynamodb::entity;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::account::Account;
use shared::entities::{Import, Key};
use shared::http::answer;
use shared::http::extract::{Body, NoFields, Owner};
use shared::http::form::FormSigner;
use shared::show::ShownImport;
use shared::values::{EpochMillis, ImportState, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct CreateImport {
    table: Table,
    feed: String,
    forms: FormSigner,
}

impl Route for CreateImport {
    const NAME: &'static str = "create-import";
    const ROUTE: &'static str = "POST /users/{username}/imports";
    const SUMMARY: &'static str = "Begins an import of photos, tags and favorites from the file of an export, and returns the form with \
         which the file is uploaded to S3.";
    const SUCCESSES: &'static [Success] = &[Success::OK, Success::CREATED_AT];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Owner, Body<NoFields>);
    type Body = ShownImport;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.variable("FEED_TABLE_NAME")?,
            forms: FormSigner::from_process(process)?,
        })
    }

    async fn answer(&self, (Owner(caller), Body(NoFields)): Self::Input) -> Result<Response<ShownImport>, Error> {
        let Self { table, feed, forms } = self;
        let username = &caller.username;
        let account = Account { table_name: &table.name, username, subject: &caller.subject };

        let import = Import::new(caller.subject.clone());
        let mut transaction = Transaction::new();
        let put = transaction.put(put(feed, username, &import)?);
        let check = transaction.condition_check(account.check_profile()?);
        match transaction.write(&table.client).await? {
            Outcome::Committed => {
                let location = format!("/users/{username}/imports/{}", import.id);
                answer::created_at(&location, &forms.show_import(username, import)?)
            }
            Outcome::ConditionFailed(failed) => {
                account.require(&failed, check)?;
                let existing: Import = entity::from_item(failed.item(put).cloned().unwrap_or_default())?;
                answer::ok(&forms.show_import(username, existing)?)
            }
        }
    }
}

/// Returns the put of an import in the place of one that is over.
fn put(feed: &str, username: &Username, import: &Import) -> Result<Put, Error> {
    let put = Put::builder()
        .table_name(feed)
        .set_item(Some(entity::to_item(Key::import(username), import)?))
        .condition_expression(
            "attribute_not_exists(pk) OR #ttl <= :now OR (#state = :failed AND #work.writes = :zero) OR subject <> :subject",
        )
        .expression_attribute_names("#ttl", "ttl")
        .expression_attribute_names("#state", "state")
        .expression_attribute_names("#work", "work")
        .expression_attribute_values(":now", N(EpochMillis::now().seconds().to_string()))
        .expression_attribute_values(":subject", S(import.subject.to_string()))
        .expression_attribute_values(":zero", N("0".to_owned()))
        .expression_attribute_values(":failed", S(ImportState::Failed.to_string()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    Ok(put)
}
