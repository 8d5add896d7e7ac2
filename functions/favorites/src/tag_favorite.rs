//! One consistent `GetItem` reads the favorite, which gives its position in lists, and one
//! `TransactWriteItems` puts the entry, counts it on the favorite, adds the id of the tag to the
//! favorite, and checks that the tag exists.
//!
//! The transaction also checks that the name is not that of another account
//! ([`account`](shared::entities::account)).
//!
//! A favorite that another program wrote has neither the count nor the ids. One consistent `Query` of
//! its entries initialises both, and the transaction checks that each counted entry still exists.

use aws_sdk_dynamodb::types::AttributeValue::{self, N, S, Ss};
use aws_sdk_dynamodb::types::{ConditionCheck, Put, ReturnValuesOnConditionCheckFailure, Update};
use shared::dynamodb::transaction::{FailedConditions, Outcome, Transaction, Write};
use shared::dynamodb::{Item, entity};
use shared::entities::account::Account;
use shared::entities::{FAVORITE_SK, Favorite, FavoriteTag, Key, MAX_TAGS_PER_FAVORITE, tags_of_favorite_pk};
use shared::http::answer;
use shared::http::extract::{Owner, Path};
use shared::values::{DataId, TagId, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts, each of which reads the favorite and sends a
/// transaction. Another attempt follows if a concurrent request made a condition fail.
const MAX_ATTEMPTS: usize = 10;

/// The writes of the transaction, by which its failed conditions are known.
struct Writes {
    entry: Write,
    tag: Write,
}

/// The route.
pub struct TagFavorite {
    table: Table,
    photos: String,
}

impl Route for TagFavorite {
    const NAME: &'static str = "tag-favorite";
    const ROUTE: &'static str = "PUT /users/{username}/favorites/{dataId}/tags/{tagId}";
    const SUMMARY: &'static str =
        "Puts a tag on a favorite. A repeated request changes nothing and returns the entry with status 200.";
    const SUCCESSES: &'static [Success] = &[Success::OK, Success::CREATED];
    const ERRORS: &'static [ErrorKind] = &[
        ErrorKind::NoFavorite,
        ErrorKind::NoProfile,
        ErrorKind::NoTag,
        ErrorKind::OtherAccount,
        ErrorKind::TooManyTagsOnFavorite,
    ];

    type Input = (Owner, Path<DataId>, Path<TagId>);
    type Body = FavoriteTag;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, photos: process.variable("PHOTOS_TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Owner(caller), Path(data_id), Path(tag_id)): Self::Input,
    ) -> Result<Response<FavoriteTag>, Error> {
        let Self { table, photos } = self;
        let username = &caller.username;
        let account = Account { table_name: photos, username, subject: &caller.subject };

        for _ in 0..MAX_ATTEMPTS {
            // The read is consistent, so a favorite can be tagged as soon as it is clipped.
            let output = table
                .client
                .get_item()
                .table_name(&table.name)
                .set_key(Some(Key::favorite(username, &data_id).into()))
                .consistent_read(true)
                .send()
                .await?;
            let item = output.item.ok_or_else(|| Error::no_favorite(&data_id))?;
            let favorite: Favorite = entity::from_item(item.clone())?;
            let to_count = match favorite.tag_count {
                Some(_) => None,
                None => Some(entries_to_count(table, username, &data_id).await?),
            };
            let tags = to_count.as_ref().map(|entries| entries.len() as u64).or(favorite.tag_count);
            let is_full = tags.is_some_and(|tags| tags >= MAX_TAGS_PER_FAVORITE as u64);

            let entry = FavoriteTag::new(&favorite, tag_id.clone());
            let to_count = to_count.filter(|_| !is_full);
            let clip_time = item["clipTime"].clone();
            let (mut transaction, writes) = build_transaction(table, username, &entry, clip_time, to_count)?;
            let check = transaction.condition_check(account.check()?);
            match transaction.write(&table.client).await? {
                Outcome::Committed => {
                    return answer::created(&entry);
                }
                Outcome::ConditionFailed(failed) => {
                    account.require(&failed, check)?;
                    if let Some(existing) = interpret(username, &entry, &failed, &writes, is_full)? {
                        return answer::ok(&existing);
                    }
                }
            }
        }
        Err(Error::Busy("the favorite keeps changing".into()))
    }
}

/// Builds the transaction that puts the entry, counts it on the favorite and checks that the tag
/// exists. If the favorite has no count yet and has room for one more tag, `to_count` holds the
/// keys of its entries, which may include the new one.
fn build_transaction(
    table: &Table,
    owner: &Username,
    entry: &FavoriteTag,
    clip_time: AttributeValue,
    to_count: Option<Vec<Item>>,
) -> Result<(Transaction, Writes), Error> {
    let own_key = Item::from(Key::favorite_tag(owner, &entry.data_id, &entry.tag_id));
    let others = to_count.map(|entries| entries.into_iter().filter(|key| *key != own_key).collect::<Vec<_>>());
    let put_entry = Put::builder()
        .table_name(&table.name)
        .set_item(Some(entry.item(owner)))
        .condition_expression("attribute_not_exists(pk)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    // The time of clipping tells this favorite from a later one with the same id. It is compared as
    // it was read, because other programs may have written it in another format.
    let count_tag = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::favorite(owner, &entry.data_id).into()))
        .expression_attribute_values(":clipTime", clip_time);
    let counted = others.iter().flatten().filter_map(|key| key[FAVORITE_SK].as_s().ok()?.parse::<TagId>().ok());
    let ids = counted.chain([entry.tag_id.clone()]).map(String::from).collect();
    let count_tag =
        count_tag.expression_attribute_values(":one", N("1".to_owned())).expression_attribute_values(":ids", Ss(ids));
    let count_tag = match &others {
        Some(others) => count_tag
            .condition_expression("attribute_not_exists(tagCount) AND clipTime = :clipTime")
            .update_expression("SET tagCount = :tags ADD tagVersion :one, tagIds :ids")
            .expression_attribute_values(":tags", N((others.len() + 1).to_string())),
        // This fails for a full favorite too, but the transaction still shows whether the favorite
        // has this tag.
        None => count_tag
            .condition_expression("tagCount < :max AND clipTime = :clipTime")
            .update_expression("SET tagCount = tagCount + :one ADD tagVersion :one, tagIds :ids")
            .expression_attribute_values(":max", N(MAX_TAGS_PER_FAVORITE.to_string())),
    };
    let check_tag = ConditionCheck::builder()
        .table_name(&table.name)
        .set_key(Some(Key::tag(owner, &entry.tag_id).into()))
        .condition_expression("attribute_exists(pk)")
        .build()?;
    let mut transaction = Transaction::new();
    let put = transaction.put(put_entry);
    transaction.update(count_tag.build()?);
    let tag = transaction.condition_check(check_tag);
    // An entry without a count may be deleted without a trace on the favorite, so each one is
    // checked. None can be added without one, because each transaction that adds an entry sets the
    // count.
    for key in others.into_iter().flatten() {
        let check_entry = ConditionCheck::builder()
            .table_name(&table.name)
            .set_key(Some(key))
            .condition_expression("attribute_exists(pk)")
            .build()?;
        transaction.condition_check(check_entry);
    }
    Ok((transaction, Writes { entry: put, tag }))
}

/// Interprets the failed conditions. Returns the entry if the favorite has the tag already, or
/// `None` if the favorite has changed since it was read and has to be read again.
fn interpret(
    owner: &Username,
    entry: &FavoriteTag,
    failed: &FailedConditions,
    writes: &Writes,
    is_full: bool,
) -> Result<Option<FavoriteTag>, Error> {
    if failed.contains(writes.tag) {
        return Err(Error::no_tag(&entry.tag_id));
    }
    if failed.contains(writes.entry) {
        let existing = failed.item(writes.entry).cloned().unwrap_or_default();
        return FavoriteTag::from_item(owner, existing).map(Some);
    }
    if is_full {
        let detail = format!("This favorite has the maximum of {MAX_TAGS_PER_FAVORITE} tags. Remove a tag first.");
        return Err(Error::refused(ErrorKind::TooManyTagsOnFavorite, detail));
    }
    Ok(None)
}

/// Returns the keys of the entries of a favorite without a count, or as many of them as fill a
/// favorite. The read is consistent, because the count continues from their number.
async fn entries_to_count(table: &Table, owner: &Username, data_id: &DataId) -> Result<Vec<Item>, Error> {
    let mut entries = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("pk = :tags")
        .expression_attribute_values(":tags", S(tags_of_favorite_pk(owner, data_id)))
        .projection_expression("pk, sk")
        .consistent_read(true)
        .into_paginator()
        .items()
        .send();
    let mut keys = vec![];
    while keys.len() < MAX_TAGS_PER_FAVORITE
        && let Some(key) = entries.try_next().await?
    {
        keys.push(key);
    }
    Ok(keys)
}
