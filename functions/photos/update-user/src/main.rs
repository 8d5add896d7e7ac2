//! `PATCH /users/{username}`: a [JSON merge patch](https://www.rfc-editor.org/rfc/rfc7396) of a user, by one
//! conditional `UpdateItem`. A `GetItem` before it where the free document `attributes` is patched.

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue, ReturnValuesOnConditionCheckFailure};
use shared::document::{Changes, apply};
use shared::dynamodb::Item;
use shared::http::answer;
use shared::http::request::{Caller, Fields, Patch, path};
use shared::model::photos;
use shared::model::photos::{Key, User, check_attributes_size, photo_sk};
use shared::values::{Address, Birthdate, Email, Interests, Name, Status, Timestamp, Username};
use shared::{Error, Request, Response, Table, document};

#[cfg(test)]
mod tests;

/// How often the attributes are read again, where others change them, before the caller is told to come back later.
const ROUNDS: usize = 5;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(update_user).await
}

async fn update_user(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::of(&request)?;
    caller.must_be(&username)?;
    let (changes, attributes) = read(&username, &request)?;

    for _ in 0..ROUNDS {
        if let Some(user) = update(&table, &username, &changes, &attributes).await? {
            return answer::ok(&user.seen_by(&caller.username));
        }
    }
    Err(Error::Busy(format!("the attributes changed {ROUNDS} times while they were patched").into()))
}

/// The user as changed; none if the attributes are not any more as they were read.
async fn update(
    table: &Table,
    username: &Username,
    changes: &[(&'static str, Patch<AttributeValue>)],
    attributes: &Patch<Changes>,
) -> Result<Option<User>, Error> {
    let (mut set, mut remove, mut condition) = (vec![], vec![], "attribute_exists(username)".to_owned());
    let mut update = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(Key::user(username).into()))
        .return_values(ReturnValue::AllNew)
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    for (attribute, patch) in changes {
        match patch {
            Patch::Keep => continue,
            Patch::Remove => remove.push(format!("#{attribute}")),
            Patch::Set(value) => {
                set.push(format!("#{attribute} = :{attribute}"));
                update = update.expression_attribute_values(format!(":{attribute}"), value.clone());
            }
        }
        // `name`, `status` and others are reserved words of DynamoDB's.
        update = update.expression_attribute_names(format!("#{attribute}"), *attribute);
    }
    match attributes {
        Patch::Keep => {}
        Patch::Remove => {
            remove.push("#attributes".to_owned());
            update = update.expression_attribute_names("#attributes", "attributes");
        }
        // They are read first, because only who knows all of them knows whether they stay within their limit; and
        // written on the condition that they are still as they were read.
        Patch::Set(changes) => {
            let before = read_attributes(table, username).await?;
            let after = apply(changes, before.clone().unwrap_or_default());
            check_attributes_size(&after)?;
            set.push("#attributes = :after".to_owned());
            update = update
                .expression_attribute_names("#attributes", "attributes")
                .expression_attribute_values(":after", AttributeValue::M(after));
            if let Some(before) = before {
                condition.push_str(" AND #attributes = :before");
                update = update.expression_attribute_values(":before", AttributeValue::M(before));
            } else {
                condition.push_str(" AND attribute_not_exists(#attributes)");
            }
        }
    }
    let clauses: Vec<String> = [("SET", set), ("REMOVE", remove)]
        .into_iter()
        .filter(|(_, actions)| !actions.is_empty())
        .map(|(clause, actions)| format!("{clause} {}", actions.join(", ")))
        .collect();
    // A patch that changes nothing is an update without an expression: it still finds out whether there is such a user.
    let expression = Some(clauses.join(" ")).filter(|expression| !expression.is_empty());

    match update.condition_expression(condition).set_update_expression(expression).send().await {
        Ok(output) => photos::user(output.attributes.unwrap_or_default()),
        Err(error) => match error.as_service_error() {
            Some(UpdateItemError::ConditionalCheckFailedException(failed))
                if failed.item.as_ref().is_some_and(|item| item.contains_key("username")) =>
            {
                Ok(None)
            }
            Some(UpdateItemError::ConditionalCheckFailedException(_)) => Err(Error::no_user(username)),
            _ => Err(error.into()),
        },
    }
}

/// The attributes of a user that are there. Consistently, as the write is on the condition that they are still the same.
async fn read_attributes(table: &Table, username: &Username) -> Result<Option<Item>, Error> {
    let output = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(Key::user(username).into()))
        .consistent_read(true)
        .send()
        .await?;
    let user = output.item.map(photos::user).transpose()?.flatten();
    Ok(user.ok_or_else(|| Error::no_user(username))?.attributes)
}

/// What becomes of the user's own fields, and of their free document.
type Read = ([(&'static str, Patch<AttributeValue>); 7], Patch<Changes>);

/// The attributes that can be changed, and what becomes of each. The counts and the username are not among them.
fn read(username: &Username, request: &Request) -> Result<Read, Error> {
    let mut fields = Fields::of(request)?;
    let name = fields.replacement::<Name>("name");
    let email = fields.patch::<Email>("email");
    let birthdate = fields.patch::<Birthdate>("birthdate");
    let address = fields.patch::<Address>("address");
    let status = fields.patch::<Status>("status");
    let interests = fields.patch::<Interests>("interests");
    let pinned_image = fields.patch::<Timestamp>("pinnedImage");
    let attributes = fields.document("attributes", document::patch);
    fields.finish()?;

    let string = |text: String| AttributeValue::S(text);
    let changes = [
        ("name", name?.map(|name| string(name.into()))),
        ("email", email?.map(|email| string(email.into()))),
        ("birthdate", birthdate?.map(|birthdate| string(birthdate.into()))),
        ("address", address?.map(|address| string(address.into()))),
        ("status", status?.map(|status| string(status.into()))),
        (
            "interests",
            interests?.map(|interests| AttributeValue::L(Vec::from(interests).into_iter().map(string).collect())),
        ),
        ("pinnedImage", pinned_image?.map(|timestamp| string(photo_sk(username, &timestamp)))),
    ];
    Ok((changes, attributes?))
}
