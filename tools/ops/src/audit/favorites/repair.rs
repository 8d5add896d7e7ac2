//! Repairs the findings in `<stage>.Favorite`.

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::AttributeValue::{self, S, Ss};
use aws_sdk_dynamodb::types::TransactWriteItem;
use shared::Table;
use shared::dynamodb::Item;
use shared::dynamodb::counter::Decrement;
use shared::entities::{self, ClipPosition, FAVORITE_PK, FAVORITE_SK, Key};
use shared::values::{DataId, TagId, Username};

use super::entity::reservation_key;
use crate::audit::error::Error;
use crate::audit::finding::{FavoriteTagFault, FavoritesFinding, Snapshot, WrongIndexKeys};
use crate::audit::write::{
    check, check_part, delete, delete_part, number, put, put_part, set_count, update, update_part, write,
};

/// The maximum number of terms in one transaction: a transaction can have 100 items, and one of
/// them is the favorite.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html>
const MAX_TERMS_PER_TRANSACTION: usize = 99;

/// Repairs a finding. Returns false if the table has changed since the inspection and not all of
/// the repair was written.
pub(super) async fn repair(table: &Table, finding: &FavoritesFinding) -> Result<bool, Error> {
    match finding {
        FavoritesFinding::IndexKeys { key, keys: WrongIndexKeys { found, expected }, .. } => {
            let expected = expected.iter().map(|(name, value)| (*name, value));
            write(table, vec![set(table, key.clone(), found, expected)?]).await
        }
        FavoritesFinding::FavoriteTag { owner, data_id, tag_id, fault } => {
            repair_favorite_tag(table, owner, data_id, tag_id, fault).await
        }
        FavoritesFinding::OrphanReservation { owner, folded, tag_id, actual_name } => {
            let tag = Key::tag(owner, tag_id);
            let tag = match actual_name {
                None => absent(table, tag)?,
                Some(name) => has_name(table, tag, name)?,
            };
            let reservation = delete(table, reservation_key(owner, folded))
                .condition_expression("tagId = :tag")
                .expression_attribute_values(":tag", S(tag_id.to_string()));
            write(table, vec![tag, delete_part(reservation)?]).await
        }
        FavoritesFinding::MissingReservation { owner, tag_id, name } => {
            let put = put(table, entities::tag_name_reservation(owner, name, tag_id))
                .condition_expression("attribute_not_exists(pk)");
            write(table, vec![has_name(table, Key::tag(owner, tag_id), name.as_ref())?, put_part(put)?]).await
        }
        FavoritesFinding::DuplicateName { .. } => Ok(false),
        FavoritesFinding::WrongTerms { owner, favorite, found, .. } => {
            let puts = entities::term_items(owner, favorite).into_iter().map(|item| put_part(put(table, item)));
            let favorite = unchanged(table, Key::favorite(owner, &favorite.data_id), found)?;
            write_terms(table, &favorite, &puts.collect::<Result<Vec<_>, _>>()?).await
        }
        FavoritesFinding::OrphanTerms { owner, data_id, clip_time, terms, favorite } => {
            let clipped = ClipPosition { clip_time: *clip_time, data_id: data_id.clone() };
            let deletes = terms.iter().map(|term| delete_part(delete(table, Key::term(owner, term, &clipped))));
            let key = Key::favorite(owner, data_id);
            let favorite = match favorite {
                None => absent(table, key)?,
                Some(found) => unchanged(table, key, found)?,
            };
            write_terms(table, &favorite, &deletes.collect::<Result<Vec<_>, _>>()?).await
        }
        FavoritesFinding::FavoriteTags { owner, data_id, found, actual, tag_ids, .. } => {
            let (condition, values) = found.condition();
            let set = update(table, Key::favorite(owner, data_id))
                .condition_expression(condition)
                .set_expression_attribute_values(Some(values))
                .expression_attribute_values(":actual", number(*actual));
            let set = if tag_ids.is_empty() {
                set.update_expression("SET tagCount = :actual REMOVE tagIds")
            } else {
                set.update_expression("SET tagCount = :actual, tagIds = :ids")
                    .expression_attribute_values(":ids", Ss(tag_ids.iter().map(TagId::to_string).collect()))
            };
            write(table, vec![update_part(set)?]).await
        }
        FavoritesFinding::UserTagCount { owner, found, actual, .. } => {
            let actual = number(*actual);
            let attributes = [("tags", &actual)].into_iter();
            write(table, vec![set(table, Key::tag_count(owner), found, attributes)?]).await
        }
        FavoritesFinding::UserFavoriteCount { owner, stored, actual } => {
            let set = set_count(update(table, Key::favorite_count(owner)), "favorites", *stored, *actual);
            write(table, vec![update_part(set)?]).await
        }
    }
}

/// Deletes a tag on a favorite if the favorite or the tag does not exist, or else overwrites the
/// attributes that it copies from the favorite.
async fn repair_favorite_tag(
    table: &Table,
    owner: &Username,
    data_id: &DataId,
    tag_id: &TagId,
    fault: &FavoriteTagFault,
) -> Result<bool, Error> {
    let favorite_tag = Key::favorite_tag(owner, data_id, tag_id);
    let (favorite, tag) = (Key::favorite(owner, data_id), Key::tag(owner, tag_id));
    match fault {
        FavoriteTagFault::NoFavorite => {
            write(table, vec![absent(table, favorite)?, delete_existing(table, favorite_tag)?]).await
        }
        FavoriteTagFault::NoTag => {
            let count = Decrement::new(&table.name, favorite, "tagCount").with_member("tagIds", tag_id.as_ref());
            let one_fewer = TransactWriteItem::builder().update(count.update(1)?).build();
            let nothing_counted = count.check_nothing_to_decrement()?;
            let parts = [absent(table, tag)?, delete_existing(table, favorite_tag)?];
            Ok(write(table, [&parts[..], &[one_fewer]].concat()).await?
                || write(table, [&parts[..], &[nothing_counted]].concat()).await?)
        }
        FavoriteTagFault::DiffersFromFavorite { found, favorite: snapshot, expected } => {
            let mut attributes = expected.item(owner);
            attributes.retain(|name, _| ![FAVORITE_PK, FAVORITE_SK].contains(&name.as_str()));
            let parts = vec![
                unchanged(table, favorite, snapshot)?,
                check_part(check(table, tag).condition_expression("attribute_exists(pk)"))?,
                set(table, favorite_tag, found, attributes.iter().map(|(name, value)| (name.as_str(), value)))?,
            ];
            write(table, parts).await
        }
    }
}

/// Writes terms in as many transactions as they need, each of which includes the check.
async fn write_terms(table: &Table, check: &TransactWriteItem, writes: &[TransactWriteItem]) -> Result<bool, Error> {
    for writes in writes.chunks(MAX_TERMS_PER_TRANSACTION) {
        if !write(table, [std::slice::from_ref(check), writes].concat()).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Sets attributes of an item, on the condition that it is unchanged since the inspection.
fn set<'a>(
    table: &Table,
    key: Key,
    found: &Snapshot,
    attributes: impl Iterator<Item = (&'a str, &'a AttributeValue)>,
) -> Result<TransactWriteItem, BuildError> {
    let (condition, mut values) = found.condition();
    let mut sets = vec![];
    for (name, value) in attributes {
        sets.push(format!("{name} = :new_{name}"));
        values.insert(format!(":new_{name}"), value.clone());
    }
    update_part(
        update(table, key)
            .condition_expression(condition)
            .update_expression(format!("SET {}", sets.join(", ")))
            .set_expression_attribute_values(Some(values)),
    )
}

/// Checks that an item is unchanged since the inspection.
fn unchanged(table: &Table, key: Key, found: &Snapshot) -> Result<TransactWriteItem, BuildError> {
    let (condition, values) = found.condition();
    check_part(check(table, key).condition_expression(condition).set_expression_attribute_values(Some(values)))
}

/// Checks that a tag still has this name.
fn has_name(table: &Table, tag: Key, name: &str) -> Result<TransactWriteItem, BuildError> {
    let check = check(table, tag).condition_expression("tagName = :name");
    check_part(check.expression_attribute_values(":name", S(name.to_owned())))
}

fn absent(table: &Table, key: impl Into<Item>) -> Result<TransactWriteItem, BuildError> {
    check_part(check(table, key).condition_expression("attribute_not_exists(pk)"))
}

fn delete_existing(table: &Table, key: impl Into<Item>) -> Result<TransactWriteItem, BuildError> {
    delete_part(delete(table, key).condition_expression("attribute_exists(pk)"))
}

#[cfg(test)]
mod tests;
