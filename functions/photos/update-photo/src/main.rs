//! `PATCH /users/{username}/photos/{timestamp}`: applies a [JSON merge
//! patch](https://www.rfc-editor.org/rfc/rfc7396) to the caption, the description and the audience
//! of a photo of the caller.
//!
//! One `TransactWriteItems` changes the photo, on the condition that it exists and has not expired,
//! and checks that the caller's name is not that of another account. A transaction returns no item,
//! so a consistent `GetItem` reads the photo for the answer. A patch without a field changes
//! nothing, not even the time of the last change.
//!
//! The picture of a profile is for everyone who sees the profile. So the transaction that restricts
//! the audience also checks that the photo is not pinned.

use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};
use aws_sdk_dynamodb::types::{ConditionCheck, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update};
use shared::dynamodb::transaction::{self, Outcome};
use shared::http::answer;
use shared::http::request::{Caller, Fields, Patch, path};
use shared::photos::account::{FREE_FOR_ACCOUNT, refusal, subject_value};
use shared::photos::{Key, get_photo, photo_sk};
use shared::pictures::{ShownPhoto, Signer};
use shared::values::{AltText, Audience, Caption, EpochMillis, Timestamp, Username};
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

    let is_restricted = matches!(changes.audience, Patch::Set(Audience::Followers | Audience::Me));
    let mut transaction = table.client.transact_write_items();
    if !changes.are_none() {
        transaction = transaction.transact_items(change(&table, &username, &timestamp, changes)?);
    }
    let transaction = transaction.transact_items(check_owner(&table, &caller, &timestamp, is_restricted)?);
    if let Outcome::ConditionFailed(mut failed) = transaction::write(transaction).await? {
        return Err(match failed.take_last() {
            Some(owner) => refusal(owner.as_ref(), &username, &caller.subject).unwrap_or_else(is_pinned),
            None => Error::no_photo(&username, &timestamp),
        });
    }
    let photo = get_photo(&table, &username, &timestamp).await?.filter(|photo| !photo.has_expired());
    answer::ok(&signer.show_to_owner(photo.ok_or_else(|| Error::no_photo(&username, &timestamp))?))
}

/// The patches of a photo.
struct Changes {
    /// The patches of the texts, by the names of their attributes.
    texts: [(&'static str, Patch<AttributeValue>); 2],
    audience: Patch<Audience>,
}

impl Changes {
    fn are_none(&self) -> bool {
        !self.have_texts() && self.audience == Patch::Keep
    }

    fn have_texts(&self) -> bool {
        self.texts.iter().any(|(_, patch)| *patch != Patch::Keep)
    }
}

fn parse_patch(request: &Request) -> Result<Changes, Error> {
    let mut fields = Fields::from_request(request)?;
    let caption = fields.patch::<Caption>("caption");
    let alt_text = fields.patch::<AltText>("altText");
    let audience = fields.patch::<Audience>("audience");
    fields.finish()?;
    let texts = [("caption", caption?.map(|text| S(text.into()))), ("altText", alt_text?.map(|text| S(text.into())))];
    Ok(Changes { texts, audience: audience? })
}

/// Returns the check that the caller's name is not that of another account, and that the photo is
/// not pinned if not everyone may see it any more.
fn check_owner(
    table: &Table,
    owner: &Caller,
    timestamp: &Timestamp,
    is_restricted: bool,
) -> Result<TransactWriteItem, Error> {
    let check = ConditionCheck::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(&owner.username).into()))
        .expression_attribute_values(":subject", subject_value(&owner.subject))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let check = if is_restricted {
        check
            .condition_expression(format!("{FREE_FOR_ACCOUNT} AND NOT pinnedImage = :photo"))
            .expression_attribute_values(":photo", S(photo_sk(&owner.username, timestamp)))
    } else {
        check.condition_expression(FREE_FOR_ACCOUNT)
    };
    Ok(TransactWriteItem::builder().condition_check(check.build()?).build())
}

fn is_pinned() -> Error {
    Error::Conflict(
        "This photo is the picture of your profile, which everyone sees. Pin another one, or none, before you restrict \
         the audience."
            .to_owned(),
    )
}

/// Returns the update that applies the patches, and sets the time of the change if a text changes.
fn change(
    table: &Table,
    username: &Username,
    timestamp: &Timestamp,
    changes: Changes,
) -> Result<TransactWriteItem, Error> {
    let mut update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::photo(username, timestamp).into()))
        // A `PhotoDeletion` has no `username`, and only a pending photo has a `ttl`.
        .condition_expression("attribute_exists(username) AND (attribute_not_exists(#ttl) OR #ttl > :now)")
        .expression_attribute_names("#ttl", "ttl")
        .expression_attribute_values(":now", N(EpochMillis::now().seconds().to_string()));
    let edited = if changes.have_texts() { Patch::Set(S(Timestamp::now().to_string())) } else { Patch::Keep };
    let audience = match changes.audience {
        // The audience `everyone` has no attribute.
        Patch::Set(Audience::Everyone) => Patch::Remove,
        patch => patch.map(|audience| S(audience.to_string())),
    };
    let (mut set, mut remove) = (vec![], vec![]);
    for (attribute, patch) in changes.texts.into_iter().chain([("edited", edited), ("audience", audience)]) {
        match patch {
            Patch::Keep => {}
            Patch::Remove => remove.push(attribute.to_owned()),
            Patch::Set(value) => {
                set.push(format!("{attribute} = :{attribute}"));
                update = update.expression_attribute_values(format!(":{attribute}"), value);
            }
        }
    }
    let clauses = [("SET", set), ("REMOVE", remove)].into_iter().filter(|(_, actions)| !actions.is_empty());
    let clauses: Vec<String> = clauses.map(|(name, actions)| format!("{name} {}", actions.join(", "))).collect();
    let update = update.update_expression(clauses.join(" ")).build()?;
    Ok(TransactWriteItem::builder().update(update).build())
}
