//! Mends what was found in `<stage>.Favorite`.

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::AttributeValue::{self, S};
use aws_sdk_dynamodb::types::{Put, TransactWriteItem};
use shared::Table;
use shared::dynamodb::Item;
use shared::model::favorites;
use shared::model::favorites::{ClipPosition, Key};

use super::entity::tag_name_key;
use super::finding::{AsFound, Finding, Misplaced, WrongEntry};
use crate::audit::Error;
use crate::audit::write::{check, checking, delete, delete_counted, deleting, number, update, updating, write};

/// A transaction takes 100 items, and one of them is the favorite.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html>
const TERMS_AT_ONCE: usize = 99;

/// Mends a finding. False if it is not any more as it was found, and nothing was written, or not all of it.
pub(super) async fn mend(table: &Table, finding: &Finding) -> Result<bool, Error> {
    match finding {
        Finding::Favorite { owner, data_id, misplaced } => place(table, Key::favorite(owner, data_id), misplaced).await,
        Finding::History { owner, data_id, misplaced } => place(table, Key::history(owner, data_id), misplaced).await,
        Finding::Tag { owner, tag_id, misplaced } => place(table, Key::tag(owner, tag_id), misplaced).await,
        Finding::Entry { owner, data_id, tag_id, wrong } => {
            let entry = Key::favorite_tag(owner, data_id, tag_id);
            let (favorite, tag) = (Key::favorite(owner, data_id), Key::tag(owner, tag_id));
            match wrong {
                WrongEntry::NoFavorite => {
                    write(table, vec![absent(table, favorite)?, deleting_there(table, entry)?]).await
                }
                WrongEntry::NoTag => {
                    let one_fewer = update(table, favorite)
                        .condition_expression("tagCount > :zero")
                        .update_expression("SET tagCount = tagCount - :one")
                        .expression_attribute_values(":zero", number(0))
                        .expression_attribute_values(":one", number(1));
                    let parts = vec![absent(table, tag)?, deleting_there(table, entry)?];
                    delete_counted(table, parts, Some(one_fewer)).await
                }
                WrongEntry::Differs { found, favorite: its, right } => {
                    let mut right = right.item(owner);
                    right.retain(|name, _| ![favorites::PK, favorites::SK].contains(&name.as_str()));
                    let parts = vec![
                        still(table, favorite, its)?,
                        checking(check(table, tag).condition_expression("attribute_exists(pk)"))?,
                        set(table, entry, found, right.iter().map(|(name, value)| (name.as_str(), value)))?,
                    ];
                    write(table, parts).await
                }
            }
        }
        Finding::TagName { owner, folded, tag_id, has_name } => {
            let tag = Key::tag(owner, tag_id);
            let tag = match has_name {
                None => absent(table, tag)?,
                Some(name) => called(table, tag, name)?,
            };
            let name = delete(table, tag_name_key(owner, folded))
                .condition_expression("tagId = :tag")
                .expression_attribute_values(":tag", S(tag_id.to_string()));
            write(table, vec![tag, deleting(name)?]).await
        }
        Finding::NoName { owner, tag_id, name } => {
            let put = Put::builder()
                .table_name(&table.name)
                .set_item(Some(favorites::tag_name_reservation(owner, name, tag_id)))
                .condition_expression("attribute_not_exists(pk)")
                .build()?;
            let put = TransactWriteItem::builder().put(put).build();
            write(table, vec![called(table, Key::tag(owner, tag_id), name.as_ref())?, put]).await
        }
        Finding::SameName { .. } => Ok(false),
        Finding::Terms { owner, favorite, found, .. } => {
            let put = |item| Ok(Put::builder().table_name(&table.name).set_item(Some(item)).build()?);
            let puts = favorites::term_items(owner, favorite).into_iter().map(put);
            let puts = puts.map(|put: Result<_, Error>| Ok(TransactWriteItem::builder().put(put?).build()));
            let favorite = still(table, Key::favorite(owner, &favorite.data_id), found)?;
            in_parts(table, &favorite, &puts.collect::<Result<Vec<_>, Error>>()?).await
        }
        Finding::Strays { owner, data_id, clip_time, terms, favorite } => {
            let clipped = ClipPosition { clip_time: *clip_time, data_id: data_id.clone() };
            let deletes = terms.iter().map(|term| deleting(delete(table, Key::term(owner, term, &clipped))));
            let key = Key::favorite(owner, data_id);
            let favorite = match favorite {
                None => absent(table, key)?,
                Some(found) => still(table, key, found)?,
            };
            in_parts(table, &favorite, &deletes.collect::<Result<Vec<_>, _>>()?).await
        }
        Finding::TagCount { owner, data_id, found, there_are, .. } => {
            let right = number(*there_are);
            let right = [("tagCount", &right)].into_iter();
            write(table, vec![set(table, Key::favorite(owner, data_id), found, right)?]).await
        }
        Finding::Tags { owner, says, there_are } => {
            let count = update(table, Key::tag_count(owner))
                .condition_expression("tags = :says")
                .update_expression("SET tags = :right")
                .expression_attribute_values(":says", number(*says))
                .expression_attribute_values(":right", number(*there_are));
            write(table, vec![updating(count)?]).await
        }
    }
}

/// As many transactions as it takes, each with the check.
async fn in_parts(table: &Table, check: &TransactWriteItem, writes: &[TransactWriteItem]) -> Result<bool, Error> {
    for writes in writes.chunks(TERMS_AT_ONCE) {
        if !write(table, [std::slice::from_ref(check), writes].concat()).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn place(table: &Table, key: Key, misplaced: &Misplaced) -> Result<bool, Error> {
    let right = misplaced.right.iter().map(|(name, value)| (*name, value));
    write(table, vec![set(table, key, &misplaced.found, right)?]).await
}

/// Sets attributes of an item that is still as it was found.
fn set<'a>(
    table: &Table,
    key: Key,
    found: &AsFound,
    right: impl Iterator<Item = (&'a str, &'a AttributeValue)>,
) -> Result<TransactWriteItem, BuildError> {
    let (condition, mut values) = found.condition();
    let mut sets = vec![];
    for (name, value) in right {
        sets.push(format!("{name} = :right_{name}"));
        values.insert(format!(":right_{name}"), value.clone());
    }
    updating(
        update(table, key)
            .condition_expression(condition)
            .update_expression(format!("SET {}", sets.join(", ")))
            .set_expression_attribute_values(Some(values)),
    )
}

/// The item is still as it was found.
fn still(table: &Table, key: Key, found: &AsFound) -> Result<TransactWriteItem, BuildError> {
    let (condition, values) = found.condition();
    checking(check(table, key).condition_expression(condition).set_expression_attribute_values(Some(values)))
}

/// The tag is still called this.
fn called(table: &Table, tag: Key, name: &str) -> Result<TransactWriteItem, BuildError> {
    let check = check(table, tag).condition_expression("tagName = :name");
    checking(check.expression_attribute_values(":name", S(name.to_owned())))
}

fn absent(table: &Table, key: impl Into<Item>) -> Result<TransactWriteItem, BuildError> {
    checking(check(table, key).condition_expression("attribute_not_exists(pk)"))
}

fn deleting_there(table: &Table, key: impl Into<Item>) -> Result<TransactWriteItem, BuildError> {
    deleting(delete(table, key).condition_expression("attribute_exists(pk)"))
}

#[cfg(test)]
mod tests;
