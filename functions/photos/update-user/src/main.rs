//! `PATCH /users/{username}`: a [JSON merge patch](https://www.rfc-editor.org/rfc/rfc7396) of a user, by one
//! conditional `UpdateItem`.

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
use shared::photos::{Key, User, photo_sk};
use shared::request::{Caller, Fields, Patch, path};
use shared::values::{Address, Birthdate, Email, Interests, Name, Status, Timestamp, Username};
use shared::{Error, Request, Response, Table, answer};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(update_user).await
}

async fn update_user(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::of(&request)?;
    caller.must_be(&username)?;
    let changes = read(&username, &request)?;

    let mut update = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(Key::user(&username).into()))
        .condition_expression("attribute_exists(PK)")
        .return_values(ReturnValue::AllNew);
    let (mut set, mut remove) = (vec![], vec![]);
    for (attribute, patch) in changes {
        match patch {
            Patch::Keep => continue,
            Patch::Remove => remove.push(format!("#{attribute}")),
            Patch::Set(value) => {
                set.push(format!("#{attribute} = :{attribute}"));
                update = update.expression_attribute_values(format!(":{attribute}"), value);
            }
        }
        // `name`, `status` and others are reserved words of DynamoDB's.
        update = update.expression_attribute_names(format!("#{attribute}"), attribute);
    }
    let clauses: Vec<String> = [("SET", set), ("REMOVE", remove)]
        .into_iter()
        .filter(|(_, actions)| !actions.is_empty())
        .map(|(clause, actions)| format!("{clause} {}", actions.join(", ")))
        .collect();
    // A patch that changes nothing is an update without an expression: it still finds out whether there is such a user.
    let expression = Some(clauses.join(" ")).filter(|expression| !expression.is_empty());

    let updated = match update.set_update_expression(expression).send().await {
        Ok(output) => output.attributes.unwrap_or_default(),
        Err(error) => {
            return Err(match error.as_service_error() {
                Some(UpdateItemError::ConditionalCheckFailedException(_)) => Error::no_user(&username),
                _ => error.into(),
            });
        }
    };
    let user: User = serde_dynamo::from_item(updated)?;
    answer::ok(&user.seen_by(&caller.username))
}

/// The attributes that can be changed, and what becomes of each. The counts and the username are not among them.
fn read(username: &Username, request: &Request) -> Result<[(&'static str, Patch<AttributeValue>); 7], Error> {
    let mut fields = Fields::of(request)?;
    let name = fields.replacement::<Name>("name");
    let email = fields.patch::<Email>("email");
    let birthdate = fields.patch::<Birthdate>("birthdate");
    let address = fields.patch::<Address>("address");
    let status = fields.patch::<Status>("status");
    let interests = fields.patch::<Interests>("interests");
    let pinned_image = fields.patch::<Timestamp>("pinnedImage");
    fields.finish()?;

    let string = |text: String| AttributeValue::S(text);
    Ok([
        ("name", name?.map(|name| string(name.into()))),
        ("email", email?.map(|email| string(email.into()))),
        ("birthdate", birthdate?.map(|birthdate| string(birthdate.into()))),
        ("address", address?.map(|address| string(address.into()))),
        ("status", status?.map(|status| string(status.into()))),
        (
            "interests",
            interests?.map(|interests| AttributeValue::L(Vec::from(interests).into_iter().map(string).collect())),
        ),
        (
            "pinnedImage",
            pinned_image?.map(|timestamp| string(photo_sk(username, &timestamp))),
        ),
    ])
}
