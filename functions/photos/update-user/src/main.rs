//! `PATCH /users/{username}`: applies a [JSON merge patch](https://www.rfc-editor.org/rfc/rfc7396)
//! to the caller's profile.
//!
//! One `UpdateItem` changes the user, on the condition that the user is of the caller's account. A
//! patch of the document `attributes` needs a consistent `GetItem` before it, and the update is
//! then on the condition that `attributes` have not changed since.

use std::collections::HashMap;

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::update_item::{UpdateItemError, UpdateItemOutput};
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue, ReturnValuesOnConditionCheckFailure};
use shared::document::{AttributeChanges, apply};
use shared::dynamodb::Item;
use shared::http::answer;
use shared::http::request::{Caller, Fields, Patch, path};
use shared::photos;
use shared::photos::account::{OF_ACCOUNT, refusal, subject_value};
use shared::photos::{Key, Profile, User, check_attributes_size, existing_user, photo_sk};
use shared::values::{Address, Birthdate, Email, Interests, Name, Status, Subject, Timestamp, Username};
use shared::{Error, Request, Response, Table, document};

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts. Each attempt reads `attributes` and tries to
/// update them.
///
/// An attempt fails only if another request changes the same `attributes` between its read and its
/// write. At 20 ms each, all attempts take a tenth of a second of the function's timeout of 10
/// seconds.
const MAX_ATTEMPTS: usize = 5;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(update_user).await
}

async fn update_user(table: Table, request: Request) -> Result<Response<Profile>, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::from_request(&request)?;
    caller.must_be(&username)?;
    let patch = parse_patch(&username, &request)?;

    for _ in 0..MAX_ATTEMPTS {
        // The maximum size applies to the patched `attributes`, so a patch of them reads them
        // first.
        let attributes = match &patch.attributes {
            Patch::Set(_) => get_attributes(&table, &username).await?,
            Patch::Keep | Patch::Remove => None,
        };
        let expressions = build_expressions(&patch, attributes, &caller.subject)?;
        let result = table
            .client
            .update_item()
            .table_name(&table.name)
            .set_key(Some(Key::user(&username).into()))
            .condition_expression(expressions.conditions.join(" AND "))
            .set_update_expression(expressions.update())
            .set_expression_attribute_names(expressions.names)
            .set_expression_attribute_values(Some(expressions.values))
            .return_values(ReturnValue::AllNew)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
            .await;
        if let Some(user) = interpret(&caller, result)? {
            return answer::ok(&user.seen_by(&caller.username, &caller.subject));
        }
    }
    Err(Error::Busy(format!("other requests changed the attributes during {MAX_ATTEMPTS} attempts").into()))
}

/// A patch of a user.
struct UserPatch {
    /// The patches of the user's own fields, by attribute name.
    fields: [(&'static str, Patch<AttributeValue>); 7],
    /// The patch of the document `attributes`.
    attributes: Patch<AttributeChanges>,
}

/// Parses the patch in the body of the request. The username and the counts cannot be patched.
fn parse_patch(username: &Username, request: &Request) -> Result<UserPatch, Error> {
    let mut fields = Fields::from_request(request)?;
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
    let fields = [
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
    Ok(UserPatch { fields, attributes: attributes? })
}

/// Builds the expressions that apply the patch to a user whose `attributes` are `before`. Only a
/// patch of `attributes` uses `before`.
fn build_expressions(patch: &UserPatch, before: Option<Item>, subject: &Subject) -> Result<Expressions, Error> {
    let mut expressions = Expressions {
        conditions: vec![OF_ACCOUNT],
        values: [(":subject".to_owned(), subject_value(subject))].into(),
        ..Expressions::default()
    };
    for (attribute, patch) in patch.fields.clone() {
        expressions.change(attribute, patch);
    }
    match &patch.attributes {
        Patch::Keep => {}
        Patch::Remove => expressions.change("attributes", Patch::Remove),
        Patch::Set(changes) => {
            let after = apply(changes, before.clone().unwrap_or_default());
            check_attributes_size(&after)?;
            expressions.change("attributes", Patch::Set(AttributeValue::M(after)));
            expressions.require_attributes(before);
        }
    }
    Ok(expressions)
}

/// Returns the `attributes` of the user. The read is consistent, so that the condition of the
/// update can hold.
async fn get_attributes(table: &Table, username: &Username) -> Result<Option<Item>, Error> {
    let output = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(Key::user(username).into()))
        .consistent_read(true)
        .send()
        .await?;
    Ok(existing_user(output.item, username)?.attributes)
}

/// The expressions of an `UpdateItem` request, with their names and values.
#[derive(Default)]
struct Expressions {
    set: Vec<String>,
    remove: Vec<String>,
    conditions: Vec<&'static str>,
    names: Option<HashMap<String, String>>,
    values: HashMap<String, AttributeValue>,
}

impl Expressions {
    /// Adds the change of one attribute.
    fn change(&mut self, attribute: &str, patch: Patch<AttributeValue>) {
        match patch {
            Patch::Keep => return,
            Patch::Remove => self.remove.push(format!("#{attribute}")),
            Patch::Set(value) => {
                self.set.push(format!("#{attribute} = :{attribute}"));
                self.values.insert(format!(":{attribute}"), value);
            }
        }
        // `name`, `status` and other attribute names are reserved words of DynamoDB.
        self.names.get_or_insert_default().insert(format!("#{attribute}"), attribute.to_owned());
    }

    /// Adds the condition that `attributes`, which the update also changes, are still as they were
    /// read.
    fn require_attributes(&mut self, before: Option<Item>) {
        if let Some(before) = before {
            self.conditions.push("#attributes = :before");
            self.values.insert(":before".to_owned(), AttributeValue::M(before));
        } else {
            self.conditions.push("attribute_not_exists(#attributes)");
        }
    }

    /// Returns the update expression, or `None` for a patch that changes nothing. An `UpdateItem`
    /// without one still checks its condition and returns the user.
    fn update(&self) -> Option<String> {
        let clauses: Vec<String> = [("SET", &self.set), ("REMOVE", &self.remove)]
            .into_iter()
            .filter(|(_, actions)| !actions.is_empty())
            .map(|(clause, actions)| format!("{clause} {}", actions.join(", ")))
            .collect();
        (!clauses.is_empty()).then(|| clauses.join(" "))
    }
}

/// Returns the changed user, or `None` if another request has changed `attributes` since they were
/// read.
fn interpret(
    caller: &Caller,
    result: Result<UpdateItemOutput, SdkError<UpdateItemError>>,
) -> Result<Option<User>, Error> {
    let error = match result {
        Ok(output) => return photos::user_from_item(output.attributes.unwrap_or_default()),
        Err(error) => error,
    };
    match error.as_service_error() {
        Some(UpdateItemError::ConditionalCheckFailedException(failed)) => {
            refusal(failed.item(), &caller.username, &caller.subject).map_or(Ok(None), Err)
        }
        _ => Err(error.into()),
    }
}
