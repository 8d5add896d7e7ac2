//! Deletes a photo, from the `PhotoDeletion` that replaces it to its trace.
//!
//! In between, finish-deletion deletes the reactions to the photo and the comments on it. Every
//! write to the photo's items has the condition that the `PhotoDeletion` is still the same. So an
//! invocation that has stalled changes nothing of a later photo of this key.
//!
//! The requests for a photo that its owner deletes:
//!
//! - A consistent `BatchGetItem` reads the `PhotoDeletion`, the owner and the link of the photo.
//! - If the owner has pinned the photo, a `TransactWriteItems` removes `pinnedImage`.
//! - `ListObjectVersions`, a consistent `GetItem` and `DeleteObjects` of S3 delete the files.
//! - A `TransactWriteItems` gives the `PhotoDeletion` a `ttl`, deletes the vector and decrements
//!   the owner's counts of uploads and, unless the photo was never ready, of photos. The `PhotoDeletion` remains as the trace of the photo, so that no
//!   import puts another photo at its key while anything of this photo is late.
//!
//! If the photo was made with several pictures, a consistent `GetItem` reads them before the last transaction, which
//! also deletes this item and the vector of each picture.
//!
//! For a photo of a deleted user, an `UpdateItem` puts the `PhotoDeletion` in place of the photo,
//! the files are deleted in the same way, and a `DeleteItem` deletes the `PhotoDeletion`.

use std::collections::HashMap;

use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, ReturnValue, ReturnValuesOnConditionCheckFailure, Update};
use shared::dynamodb::counter::{Decrement, Guard};
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::dynamodb::{Item, batch, entity, unless_condition_failed};
use shared::entities::object::{imported_key, incoming_key, numbered_prefix};
use shared::entities::{
    Key, PhotoDeletion, PictureDeletion, REJECTED, delete_unused, get_pictures, photo_sk, replace_with_photo_deletion,
};
use shared::erasure::began_at;
use shared::runtime::bucket::delete_versions;
use shared::values::{PhotoId, ReactionType, Username};
use shared::{Bucket, Error, Table};

mod expiry;

pub use expiry::finish_expiry;

/// The items that the beginning of the deletion of a photo has found.
#[derive(Debug)]
pub struct Begun {
    /// The [`Link`](shared::entities::Link) of the photo.
    pub link: Option<Item>,
}

/// Begins the deletion of a photo that its owner has deleted: removes the photo from the owner's
/// `pinnedImage`. Returns `None` if nothing is left to delete.
///
/// One consistent `BatchGetItem` reads the `PhotoDeletion`, the owner and the link of the photo. If
/// the `PhotoDeletion` is not there, or a trace, an earlier attempt has completed. Otherwise the link
/// is of the deleted photo: put-link requires that the photo exists.
pub async fn begin(table: &Table, deletion: &PhotoDeletion) -> Result<Option<Begun>, Error> {
    let PhotoDeletion { erasing, id, .. } = deletion;
    let (owner, link) = (Key::user(erasing), Key::link(erasing, Some(id)));
    let keys = [Key::photo(erasing, id), owner.clone(), link.clone()].into();
    let mut found = batch::get(table, keys, true).await?;
    let (owner, link) = (batch::take(&mut found, owner), batch::take(&mut found, link));
    if !found.iter().any(|item| began_at(item, &deletion.since) && !PhotoDeletion::is_trace(item)) {
        return Ok(None);
    }
    let pinned = S(photo_sk(&deletion.erasing, &deletion.id));
    if owner.is_some_and(|owner| owner.get("pinnedImage") == Some(&pinned)) {
        unpin(table, deletion, pinned).await?;
    }
    Ok(Some(Begun { link }))
}

/// Removes the photo from its owner's `pinnedImage`, if it is still there.
async fn unpin(table: &Table, deletion: &PhotoDeletion, pinned: AttributeValue) -> Result<(), Error> {
    let is_deleted = ConditionCheck::builder()
        .table_name(&table.name)
        .set_key(Some(Key::photo(&deletion.erasing, &deletion.id).into()))
        .condition_expression("since = :since")
        .expression_attribute_values(":since", S(deletion.since.to_string()))
        .build()?;
    let unpin = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(&deletion.erasing).into()))
        .condition_expression("pinnedImage = :photo")
        .update_expression("REMOVE pinnedImage, pinnedPicture")
        .expression_attribute_values(":photo", pinned)
        .build()?;
    let mut transaction = Transaction::new();
    transaction.condition_check(is_deleted);
    transaction.update(unpin);
    transaction.write(&table.client).await?;
    Ok(())
}

/// Returns the `PhotoDeletion` that an item holds. Replaces a photo with a `PhotoDeletion` first,
/// as delete-photo does, and returns `None` if the item has changed since it was read.
pub async fn replace(
    table: &Table,
    item: Item,
    owner: &Username,
    photo: &PhotoId,
) -> Result<Option<PhotoDeletion>, Error> {
    if item.contains_key("erasing") {
        return entity::from_item(item).map(Some);
    }
    let replace = replace_with_photo_deletion(&table.name, owner, photo).build()?;
    let replaced = table
        .client
        .update_item()
        .table_name(replace.table_name)
        .set_key(Some(replace.key))
        .set_condition_expression(replace.condition_expression)
        .update_expression(replace.update_expression)
        .set_expression_attribute_names(replace.expression_attribute_names)
        .set_expression_attribute_values(replace.expression_attribute_values)
        .return_values(ReturnValue::AllNew)
        .send()
        .await;
    let replaced = unless_condition_failed(replaced)?;
    replaced.and_then(|output| output.attributes).map(entity::from_item).transpose()
}

/// Deletes the files of a deleted photo.
pub async fn delete_files(table: &Table, bucket: &Bucket, deletion: &PhotoDeletion) -> Result<(), Error> {
    let file = incoming_key(&deletion.erasing, &deletion.id, None);
    delete_unused(table, bucket, &deletion.erasing, &deletion.id, None, &file).await
}

/// Returns the condition of each transaction that it deletes what belongs to this deletion, and not
/// to a later photo of the same key.
#[must_use]
pub fn guard<'a>(table: &'a Table, deletion: &'a PhotoDeletion) -> Guard<'a> {
    let refusal = |item: Option<&Item>| {
        let is_over = !item.is_some_and(|item| began_at(item, &deletion.since));
        is_over.then(|| Error::Busy("another attempt has finished this deletion".into()))
    };
    Guard {
        table_name: &table.name,
        key: Key::photo(&deletion.erasing, &deletion.id).into(),
        condition: "since = :since",
        value: Some((":since", S(deletion.since.to_string()))),
        refusal: Box::new(refusal),
    }
}

/// Makes the `PhotoDeletion` the trace of the photo, deletes the vectors and the several pictures, and decrements the owner's
/// counts of uploads and of photos, in one transaction. Returns the `PhotoDeletion` if it still counts something.
///
/// No later write puts the vector again, because the photo is not pending.
pub async fn leave_trace(table: &Table, feed: &Table, deletion: &PhotoDeletion) -> Result<Option<Item>, Error> {
    let NothingLeft { condition, mut names, mut values } = NothingLeft::new(deletion);
    names.insert("#ttl".to_owned(), "ttl".to_owned());
    values.insert(":ttl".to_owned(), N(PhotoDeletion::expiry().to_string()));
    let trace = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::photo(&deletion.erasing, &deletion.id).into()))
        .condition_expression(format!("{condition} AND attribute_not_exists(#ttl)"))
        .update_expression("SET #ttl = :ttl REMOVE pictures")
        .set_expression_attribute_names(Some(names))
        .set_expression_attribute_values(Some(values))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let deletes = match deletion.pictures {
        None => vec![delete(feed, Key::vector(&deletion.erasing, &deletion.id, None))?],
        Some(_) => delete_pictures(table, feed, &deletion.erasing, &deletion.id).await?,
    };
    let uploads = Decrement::new(&table.name, Key::user(&deletion.erasing), "uploads");
    let counts = match (deletion.rejected, deletion.unready) {
        (true, _) => uploads.and(REJECTED),
        (false, true) => uploads,
        (false, false) => uploads.and("photos"),
    };
    for is_counted in [true, false] {
        let mut transaction = Transaction::new();
        let trace = transaction.update(trace.clone());
        if is_counted {
            transaction.update(counts.update(1)?);
        } else {
            transaction.add(counts.check_nothing_to_decrement()?);
        }
        for delete in &deletes {
            transaction.delete(delete.clone());
        }
        match transaction.write(&table.client).await? {
            Outcome::Committed => return Ok(None),
            Outcome::ConditionFailed(failed) if failed.contains(trace) => {
                return Ok(failed.item(trace).filter(|item| !PhotoDeletion::is_trace(item)).cloned());
            }
            Outcome::ConditionFailed(_) => {}
        }
    }
    Err(Error::Busy("the count of photos changed during both attempts; the next attempt continues".into()))
}

/// Returns the deletes of the several pictures of a photo and of their vectors. No write adds a picture after this read,
/// because the photo is not there.
async fn delete_pictures(table: &Table, feed: &Table, owner: &Username, id: &PhotoId) -> Result<Vec<Delete>, Error> {
    let pictures = get_pictures(table, owner, id).await?;
    let entries = pictures.iter().flat_map(|pictures| &pictures.entries);
    let vectors = entries.filter(|entry| entry.picture.sizes().is_some());
    let vectors = vectors.map(|entry| delete(feed, Key::vector(owner, id, Some(entry.number))));
    vectors.chain([delete(table, Key::pictures(owner, id))]).collect()
}

fn delete(table: &Table, key: Key) -> Result<Delete, Error> {
    Ok(Delete::builder().table_name(&table.name).set_key(Some(key.into())).build()?)
}

/// Deletes the files of a picture that its owner has removed from a photo, and then the [`PictureDeletion`] that
/// `item` is. No other picture of the photo gets the number. If a picture has it, an import has made the photo again
/// in the meantime, and the files are those of that one.
pub async fn finish_picture(table: &Table, bucket: &Bucket, item: Item) -> Result<(), Error> {
    let PictureDeletion { erasing: owner, id, number, .. } = entity::from_item(item)?;
    if get_pictures(table, &owner, &id).await?.is_none_or(|pictures| pictures.get(number).is_none()) {
        delete_versions(bucket, &numbered_prefix(&owner, &id, number), |_| false).await?;
        for key in [incoming_key, imported_key].map(|key| key(&owner, &id, Some(number))) {
            delete_versions(bucket, &key, |other| other != key).await?;
        }
    }
    let deletion = Key::picture_deletion(&owner, &id, number);
    table.client.delete_item().table_name(&table.name).set_key(Some(deletion.into())).send().await?;
    Ok(())
}

/// Deletes the `PhotoDeletion` of a photo of a deleted user, whose `Deletion` counts no photos.
/// Returns the `PhotoDeletion` if it still counts something.
pub async fn leave_nothing(table: &Table, deletion: &PhotoDeletion) -> Result<Option<Item>, Error> {
    let NothingLeft { condition, names, values } = NothingLeft::new(deletion);
    let deleted = table
        .client
        .delete_item()
        .table_name(&table.name)
        .set_key(Some(Key::photo(&deletion.erasing, &deletion.id).into()))
        .condition_expression(condition)
        .set_expression_attribute_names(Some(names))
        .set_expression_attribute_values(Some(values))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await;
    let Err(error) = deleted else { return Ok(None) };
    match error.as_service_error() {
        Some(DeleteItemError::ConditionalCheckFailedException(failed)) => Ok(failed.item().cloned()),
        _ => Err(error.into()),
    }
}

/// The condition that a `PhotoDeletion` is still the same and counts no reaction and no comment.
struct NothingLeft {
    condition: String,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

impl NothingLeft {
    fn new(deletion: &PhotoDeletion) -> Self {
        let types = || ReactionType::ALL.iter().enumerate();
        let counts: Vec<String> = types().map(|(index, _)| format!("reactions.#type{index} > :zero")).collect();
        Self {
            condition: format!("since = :since AND NOT (comments > :zero OR {})", counts.join(" OR ")),
            names: types().map(|(index, reaction_type)| (format!("#type{index}"), reaction_type.to_string())).collect(),
            values: [(":since", S(deletion.since.to_string())), (":zero", N("0".to_owned()))]
                .map(|(name, value)| (name.to_owned(), value))
                .into(),
        }
    }
}
