//! `PATCH /users/{username}/photos/{timestamp}`: applies a [JSON merge
//! patch](https://www.rfc-editor.org/rfc/rfc7396) to the caption and the description of a photo of
//! the caller.
//!
//! One `TransactWriteItems` changes the photo, on the condition that it exists and has not expired,
//! and checks that the caller's name is not that of another account. A transaction returns no item,
//! so a consistent `GetItem` reads the photo for the answer. A patch without a field changes
//! nothing, not even the time of the last change.

use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};
use aws_sdk_dynamodb::types::{TransactWriteItem, Update};
use shared::dynamodb::transaction::{self, Outcome};
use shared::http::answer;
use shared::http::request::{Caller, Fields, Patch, path};
use shared::photos::account::Account;
use shared::photos::{Key, get_photo};
use shared::pictures::{ShownPhoto, Signer};
use shared::values::{AltText, Caption, EpochMillis, Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let signer = Signer::from_environment()?;
    shared::run(|table, request| update_photo(table, request, &signer)).await
}

async fn update_photo(table: Table, request: Request, signer: &Signer) -> Result<Response<ShownPhoto>, Error> {
    let username: Username = path(&request, "username")?;
    let timestamp: Timestamp = path(&request, "timestamp")?;
    let caller = Caller::from_request(&request)?;
    caller.must_be(&username)?;
    let changes = parse_patch(&request)?;

    let account = Account { table_name: &table.name, username: &username, subject: &caller.subject };
    let mut transaction = table.client.transact_write_items();
    if changes.iter().any(|(_, patch)| *patch != Patch::Keep) {
        transaction = transaction.transact_items(change(&table, &username, &timestamp, changes)?);
    }
    if let Outcome::ConditionFailed(mut failed) =
        transaction::write(transaction.transact_items(account.check()?)).await?
    {
        account.require(&mut failed)?;
        return Err(Error::no_photo(&username, &timestamp));
    }
    let photo = get_photo(&table, &username, &timestamp).await?.filter(|photo| !photo.has_expired());
    answer::ok(&signer.show_to_owner(photo.ok_or_else(|| Error::no_photo(&username, &timestamp))?)?)
}

/// The patches of the attributes by their names.
type Changes = [(&'static str, Patch<AttributeValue>); 2];

fn parse_patch(request: &Request) -> Result<Changes, Error> {
    let mut fields = Fields::from_request(request)?;
    let caption = fields.patch::<Caption>("caption");
    let alt_text = fields.patch::<AltText>("altText");
    fields.finish()?;
    Ok([("caption", caption?.map(|text| S(text.into()))), ("altText", alt_text?.map(|text| S(text.into())))])
}

/// Returns the update that applies the patches and sets the time of the change.
fn change(
    table: &Table,
    username: &Username,
    timestamp: &Timestamp,
    changes: Changes,
) -> Result<TransactWriteItem, Error> {
    let (mut set, mut remove) = (vec!["edited = :edited".to_owned()], vec![]);
    let mut update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::photo(username, timestamp).into()))
        // A `PhotoDeletion` has no `username`, and only a pending photo has a `ttl`.
        .condition_expression("attribute_exists(username) AND (attribute_not_exists(#ttl) OR #ttl > :now)")
        .expression_attribute_names("#ttl", "ttl")
        .expression_attribute_values(":now", N(EpochMillis::now().seconds().to_string()))
        .expression_attribute_values(":edited", S(Timestamp::now().to_string()));
    for (attribute, patch) in changes {
        match patch {
            Patch::Keep => {}
            Patch::Remove => remove.push(attribute),
            Patch::Set(text) => {
                set.push(format!("{attribute} = :{attribute}"));
                update = update.expression_attribute_values(format!(":{attribute}"), text);
            }
        }
    }
    let remove = if remove.is_empty() { String::new() } else { format!(" REMOVE {}", remove.join(", ")) };
    let update = update.update_expression(format!("SET {}{remove}", set.join(", "))).build()?;
    Ok(TransactWriteItem::builder().update(update).build())
}
