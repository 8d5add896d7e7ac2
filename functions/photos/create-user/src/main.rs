//! `POST /users`: creates the caller's profile.
//!
//! One `PutItem` puts the user, on the condition that no item has the user's key. If the condition fails, DynamoDB
//! returns the existing item. If the same request created that item, the answer is 200, and otherwise it is 409.

use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use shared::dynamodb::Item;
use shared::http::answer;
use shared::http::request::{Caller, Fields, Patch};
use shared::model::photos;
use shared::model::photos::{User, check_attributes_size, photo_sk, user_item};
use shared::values::{Address, Birthdate, Email, Interests, Name, Status, Timestamp, Username};
use shared::{Error, Request, Response, Table, document};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(create_user).await
}

async fn create_user(table: Table, request: Request) -> Result<Response, Error> {
    let user = parse_user(&request)?;
    let caller = Caller::of(&request)?;
    caller.must_be(&user.username)?;

    let put = table
        .client
        .put_item()
        .table_name(&table.name)
        .set_item(Some(user_item(&user)?))
        .condition_expression("attribute_not_exists(PK)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await;

    let Err(error) = put else {
        return answer::created(&format!("/users/{}", user.username), &user.seen_by(&caller.username));
    };
    match error.as_service_error() {
        Some(PutItemError::ConditionalCheckFailedException(failed)) => {
            let existing = require_same_user(&user, failed.item.clone().unwrap_or_default())?;
            answer::ok(&existing.seen_by(&caller.username))
        }
        _ => Err(error.into()),
    }
}

/// Returns the existing user if they are the one that the request creates, and a conflict otherwise.
///
/// The SDK or the client repeats the request if it loses the first answer. The counts may have changed since then, so
/// they are not compared.
fn require_same_user(user: &User, item: Item) -> Result<User, Error> {
    let username = &user.username;
    let Some(existing) = photos::user_from_item(item)? else {
        return Err(Error::Conflict(format!("The user {username} is still being deleted. Try again later.")));
    };
    let without_counts = User { followers: 0, following: 0, attributes: None, ..existing.clone() };
    let same_fields = without_counts == User { attributes: None, ..user.clone() };
    if same_fields && document::same(&existing.attributes, &user.attributes) {
        Ok(existing)
    } else {
        let message = format!("The user {username} already exists. Change it with PATCH /users/{username}.");
        Err(Error::Conflict(message))
    }
}

/// Parses the new user in the body of the request. The counts begin at zero.
fn parse_user(request: &Request) -> Result<User, Error> {
    let mut fields = Fields::of(request)?;
    let username = fields.required::<Username>("username");
    let name = fields.required::<Name>("name");
    let email = fields.optional::<Email>("email");
    let birthdate = fields.optional::<Birthdate>("birthdate");
    let address = fields.optional::<Address>("address");
    let status = fields.optional::<Status>("status");
    let interests = fields.optional::<Interests>("interests");
    let pinned_image = fields.optional::<Timestamp>("pinnedImage");
    let attributes = fields.document("attributes", document::read);
    fields.finish()?;

    let username = username?;
    let attributes = match attributes? {
        Patch::Set(attributes) => Some(attributes),
        Patch::Keep | Patch::Remove => None,
    };
    attributes.as_ref().map(check_attributes_size).transpose()?;
    Ok(User {
        name: name?.into(),
        email: email?.map(Into::into),
        birthdate: birthdate?.map(Into::into),
        address: address?.map(Into::into),
        status: status?.map(Into::into),
        interests: interests?.map(Into::into).unwrap_or_default(),
        pinned_image: pinned_image?.map(|timestamp| photo_sk(&username, &timestamp)),
        followers: 0,
        following: 0,
        attributes,
        username,
    })
}
