//! `POST /users/{username}/imports`: begins an import of photos, tags and favorites from the file
//! of an export, and returns the form with which the file is uploaded to S3.
//!
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
use shared::feed::{Import, Key};
use shared::http::answer;
use shared::http::request::{Caller, Fields, path};
use shared::photos::account::Account;
use shared::pictures::{FormSigner, ShownImport};
use shared::values::{EpochMillis, ImportState, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    let forms = FormSigner::from_environment()?;
    let feed = std::env::var("FEED_TABLE_NAME").map_err(|_| "FEED_TABLE_NAME is not set")?;
    shared::run(|table, request| create_import(table, &feed, request, &forms)).await
}

async fn create_import(
    table: Table,
    feed: &str,
    request: Request,
    forms: &FormSigner,
) -> Result<Response<ShownImport>, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::from_request(&request)?;
    caller.must_be(&username)?;
    Fields::from_request(&request)?.finish()?;
    let account = Account { table_name: &table.name, username: &username, subject: &caller.subject };

    let import = Import::new(caller.subject.clone());
    let mut transaction = Transaction::new();
    let put = transaction.put(put(feed, &username, &import)?);
    let check = transaction.check(account.check_profile()?);
    match transaction.write(&table.client).await? {
        Outcome::Committed => {
            let location = format!("/users/{username}/imports/{}", import.id);
            answer::created_at(&location, &forms.show_import(&username, import)?)
        }
        Outcome::ConditionFailed(failed) => {
            account.require(&failed, check)?;
            let existing: Import = entity::from_item(failed.item(put).cloned().unwrap_or_default())?;
            answer::ok(&forms.show_import(&username, existing)?)
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
