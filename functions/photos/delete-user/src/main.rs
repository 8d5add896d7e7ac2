//! `DELETE /users/{username}`: deletes the caller's profile.
//!
//! One `UpdateItem` replaces the user with a `Deletion`, on the condition that the user exists and is not younger than
//! the request. From then on no answer shows the user. A user can have more photos, friendships and reactions than one
//! request can delete, so `finish-deletion` deletes them, from the table's stream, and the `Deletion` last. Until then
//! nobody can take the username. A repeated request changes nothing.

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use shared::http::answer;
use shared::http::request::{Caller, path, received_at};
use shared::model::photos::Key;
use shared::values::{Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(delete_user).await
}

async fn delete_user(table: Table, request: Request) -> Result<Response<()>, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::of(&request)?;
    caller.must_be(&username)?;

    let updated = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(Key::user(&username).into()))
        // A delayed duplicate of this request must not delete the next account with the username. Both times come from
        // API Gateway, so the clocks of the functions do not matter. Older users have no `created`.
        .condition_expression("attribute_exists(username) AND (attribute_not_exists(created) OR created <= :received)")
        // Only `following` is left, which tells finish-deletion how many friendships it has to find.
        .update_expression(
            "SET erasing = :username, since = :now \
             REMOVE username, #name, email, birthdate, address, #status, interests, pinnedImage, followers, photos, \
             #attributes, welcome, created, creationId, subject",
        )
        .expression_attribute_names("#name", "name")
        .expression_attribute_names("#status", "status")
        .expression_attribute_names("#attributes", "attributes")
        .expression_attribute_values(":username", S(username.to_string()))
        .expression_attribute_values(":now", S(Timestamp::now().to_string()))
        .expression_attribute_values(":received", S(received_at(&request).to_string()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await;
    match updated {
        Ok(_) => Ok(answer::no_content()),
        Err(error) => match error.as_service_error() {
            Some(UpdateItemError::ConditionalCheckFailedException(failed)) => {
                let is_user = failed.item().is_some_and(|item| item.contains_key("username"));
                // Otherwise the user does not exist, or a `Deletion` has replaced it already.
                if is_user { Err(younger_account(&username)) } else { Ok(answer::no_content()) }
            }
            _ => Err(error.into()),
        },
    }
}

/// Returns the error for an account that was created after the request was received.
fn younger_account(username: &Username) -> Error {
    Error::Conflict(format!(
        "The account {username} was created after this request. Send it again to delete the account."
    ))
}
