//! One `UpdateItem` replaces the user with a `Deletion`, on the condition that the user is of the
//! caller's account. From then on no answer shows the user. A user can have more photos,
//! friendships, reactions and comments than one request can delete, so `finish-deletion` deletes
//! them, from the table's stream. The `Deletion` stays, so nobody can take the username, until
//! nothing of the account can act any more. A repeated request changes nothing.
//!
//! A caller without a profile may have favorites and tags. So the `UpdateItem` also puts a
//! `Deletion` where there is no item.

use std::time::{Duration, SystemTime};

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use shared::entities::account::{FREE_FOR_ACCOUNT, refusal, subject_value};
use shared::entities::{Key, LINKS};
use shared::http::answer;
use shared::http::extract::Owner;
use shared::http::precondition::VERSION;
use shared::values::Timestamp;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct DeleteUser {
    table: Table,
    rest: Duration,
}

impl Route for DeleteUser {
    const NAME: &'static str = "delete-user";
    const ROUTE: &'static str = "DELETE /users/{username}";
    const SUMMARY: &'static str = "Deletes the caller's profile, and all other items of the user.";
    const SUCCESSES: &'static [Success] =
        &[Success::no_content("The caller has no profile. What belonged to it is deleted within minutes.")];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::OtherAccount];

    type Input = (Owner,);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            rest: Duration::from_hours(24 * process.parsed::<u64>("NAME_REST_DAYS")?),
        })
    }

    async fn answer(&self, (Owner(caller),): Self::Input) -> Result<Response<()>, Error> {
        let Self { table, rest } = self;
        let username = &caller.username;

        let now = SystemTime::now();
        let updated = table
            .client
            .update_item()
            .table_name(&table.name)
            .set_key(Some(Key::user(username).into()))
            .condition_expression(FREE_FOR_ACCOUNT)
            // Only `following`, `commentsWritten`, `requestsSent` and `blockedBy` are left, which tell
            // finish-deletion how many friendships, comments, requests and blocks it has to find.
            .update_expression(
                "SET erasing = :username, since = :now, #until = :until \
                 REMOVE username, #name, email, birthdate, address, #status, interests, approvesFollowers, \
                 defaultAudience, pushOff, quietHours, lockScreen, sensitivePhotos, pinnedImage, pinnedPicture, followers, \
                 photos, uploads, rejectedPhotos, requestsReceived, blocks, mutes, complaintsMade, #links, #attributes, #version, welcome, created, creationId, \
                 subject",
            )
            .expression_attribute_names("#until", "until")
            .expression_attribute_names("#links", LINKS)
            .expression_attribute_names("#name", "name")
            .expression_attribute_names("#status", "status")
            .expression_attribute_names("#attributes", "attributes")
            .expression_attribute_names("#version", VERSION)
            .expression_attribute_values(":username", S(username.to_string()))
            .expression_attribute_values(":now", S(Timestamp::from(now).to_string()))
            .expression_attribute_values(":until", S(Timestamp::from(now + *rest).to_string()))
            .expression_attribute_values(":subject", subject_value(&caller.subject))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
            .await;
        match updated {
            Ok(_) => Ok(answer::no_content()),
            Err(error) => match error.as_service_error() {
                Some(UpdateItemError::ConditionalCheckFailedException(failed)) => {
                    let is_deleted = failed.item().is_some_and(|item| item.contains_key("erasing"));
                    match refusal(failed.item(), username, &caller.subject) {
                        Some(refusal) if !is_deleted => Err(refusal),
                        _ => Ok(answer::no_content()),
                    }
                }
                _ => Err(error.into()),
            },
        }
    }
}
