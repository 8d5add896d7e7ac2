//! One `TransactWriteItems` deletes the favorite and the entries of its tags, puts the history from
//! which restore-favorite can undo it, and decrements the user's count of favorites. If the count
//! has nothing to decrement, another attempt checks that instead.
//!
//! The transaction also checks that the name is not that of another account
//! ([`account`](shared::entities::account)).
//!
//! If the favorite refers to a photo of the app, the transaction also removes the mark `saved` from
//! the caller's engagement with it, in `<stage>.Feed`.
//!
//! One consistent `GetItem` and one consistent, paged `Query`, sent at the same time, first read
//! the favorite and its tags. If the favorite counts another number of tags, the `Query` is sent
//! again. Without a favorite the function writes nothing and answers 204, so a caller may repeat
//! the request.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::{Delete, Put};
use serde::Deserialize;
use shared::dynamodb::counter::Decrement;
use shared::dynamodb::transaction::{Outcome, Transaction, Write};
use shared::dynamodb::{Item, entity};
use shared::entities::account::Account;
use shared::entities::{Favorite, Key, engage_by_save, history_item, tags_of_favorite_pk, unchanged};
use shared::http::answer;
use shared::http::extract::{Owner, Path};
use shared::http::request::Caller;
use shared::values::{DataId, EpochMillis, PhotoReference, TagId, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The maximum number of tags that a deleted favorite can have. A transaction takes [100
/// items](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html),
/// and five of them are the favorite, its history, the user's count of favorites, the caller's
/// engagement with a saved photo, and the check of the account. The API gives a favorite at most 50
/// tags, but another program may have given it more.
const MAX_UNCLIPPED_TAGS: usize = 95;
/// The retry budget: the maximum number of attempts, each of two or three reads and a transaction.
/// Another attempt follows if a concurrent request has changed the favorite or its tags, so no
/// pause is needed before it.
const MAX_ATTEMPTS: usize = 5;
const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

/// The route.
pub struct UnclipFavorite {
    table: Table,
    photos: String,
    feed: String,
    history_days: u32,
}

impl Route for UnclipFavorite {
    const NAME: &'static str = "unclip-favorite";
    const ROUTE: &'static str = "DELETE /users/{username}/favorites/{dataId}";
    const SUMMARY: &'static str = "Deletes a favorite, which can be restored for some time.";
    const SUCCESSES: &'static [Success] = &[Success::no_content("The caller has no such favorite.")];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NoProfile, ErrorKind::OtherAccount, ErrorKind::TooManyTagsToDelete];

    type Input = (Owner, Path<DataId>);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            photos: process.variable("PHOTOS_TABLE_NAME")?,
            feed: process.variable("FEED_TABLE_NAME")?,
            history_days: process.parsed("HISTORY_DAYS")?,
        })
    }

    async fn answer(&self, (Owner(caller), Path(data_id)): Self::Input) -> Result<Response<()>, Error> {
        self.unclip(&caller, &data_id).await
    }
}

impl UnclipFavorite {
    /// Deletes a favorite of the caller.
    pub(crate) async fn unclip(&self, caller: &Caller, data_id: &DataId) -> Result<Response<()>, Error> {
        let Self { table, photos, feed, history_days } = self;
        let username = &caller.username;
        let account = Account { table_name: photos, username, subject: &caller.subject };

        // Whether there is a count to decrement. A failed condition reveals the opposite.
        let mut has_count = true;
        for _ in 0..MAX_ATTEMPTS {
            let Some(snapshot) = read_snapshot(table, username, data_id).await? else {
                return Ok(answer::no_content());
            };
            if snapshot.tag_ids.len() > MAX_UNCLIPPED_TAGS {
                let detail = format!(
                    "This favorite has {} tags. It can be deleted with at most {MAX_UNCLIPPED_TAGS} tags: remove some \
                     of them first.",
                    snapshot.tag_ids.len()
                );
                return Err(Error::refused(ErrorKind::TooManyTagsToDelete, detail));
            }

            let ttl = EpochMillis::now().seconds() + u64::from(*history_days) * SECONDS_PER_DAY;
            let (mut transaction, count) = build_transaction(table, username, snapshot, ttl, has_count)?;
            if let Some(PhotoReference { username: owner, id }) = data_id.photo() {
                let engagement = Key::engagement(username, &owner, &id);
                transaction.update(engage_by_save(feed, engagement, false)?);
            }
            let check = transaction.condition_check(account.check()?);
            match transaction.write(&table.client).await? {
                Outcome::Committed => return Ok(answer::no_content()),
                Outcome::ConditionFailed(failed) => {
                    account.require(&failed, check)?;
                    has_count ^= failed.contains(count);
                }
            }
        }
        Err(Error::Busy(format!("the favorite changed during each of {MAX_ATTEMPTS} attempts").into()))
    }
}

/// A favorite and its tags, as one attempt reads them.
struct Snapshot {
    /// The whole item of the favorite, with the attributes that another program gave it.
    item: Item,
    favorite: Favorite,
    tag_ids: BTreeSet<TagId>,
}

/// Reads the favorite and the entries of its tags, or `None` if there is no favorite. The reads are
/// consistent: a stale read could miss a favorite that was just clipped, or an entry, which would
/// then be left behind.
///
/// The two reads may show two moments. If the favorite counts as many tags as there are entries,
/// that does not matter: the transaction proves that the count and all these entries are still
/// there, so there are no others. If the numbers differ, the tags changed between the reads, or
/// another program did not count them. The entries are then read again, after the favorite, and
/// `tagVersion` proves that no tag has been put on the favorite since.
async fn read_snapshot(table: &Table, username: &Username, data_id: &DataId) -> Result<Option<Snapshot>, Error> {
    let favorite = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(Key::favorite(username, data_id).into()))
        .consistent_read(true);
    let (favorite, tag_ids) = tokio::join!(favorite.send(), read_tag_ids(table, username, data_id));
    let Some(item) = favorite?.item else {
        return Ok(None);
    };
    let favorite: Favorite = entity::from_item(item.clone())?;
    let mut tag_ids = tag_ids?;
    if favorite.tag_count.is_some_and(|count| count != tag_ids.len() as u64) {
        tag_ids = read_tag_ids(table, username, data_id).await?;
    }
    Ok(Some(Snapshot { item, favorite, tag_ids }))
}

/// Returns the tags of the favorite, by one consistent, paged `Query` of its entries.
async fn read_tag_ids(table: &Table, username: &Username, data_id: &DataId) -> Result<BTreeSet<TagId>, Error> {
    /// The one attribute of an entry that the Query returns.
    #[derive(Deserialize)]
    struct Entry {
        sk: TagId,
    }
    let entries = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("pk = :tags")
        .expression_attribute_values(":tags", S(tags_of_favorite_pk(username, data_id)))
        .projection_expression("sk")
        .consistent_read(true)
        .into_paginator()
        .items();
    let entries = entity::from_items(entries.send().try_collect().await?)?;
    Ok(entries.into_iter().map(|Entry { sk }| sk).collect())
}

/// Builds the transaction, and returns the handle of the count of favorites too. It is written only
/// if nothing has changed since the reads: the clip time tells the favorite from one that was
/// clipped again, every entry that was read still exists, and the tag count and `tagVersion` say
/// that there are no others ([`read_snapshot`]).
fn build_transaction(
    table: &Table,
    username: &Username,
    snapshot: Snapshot,
    ttl: u64,
    has_count: bool,
) -> Result<(Transaction, Write), Error> {
    let Snapshot { item, favorite, tag_ids } = snapshot;
    let (condition, values) = unchanged(&item, &["clipTime", "tagCount", "tagVersion"]);
    let delete_favorite = Delete::builder()
        .table_name(&table.name)
        .set_key(Some(Key::favorite(username, &favorite.data_id).into()))
        .condition_expression(condition)
        .set_expression_attribute_values(Some(values))
        .build()?;
    let put_history = Put::builder()
        .table_name(&table.name)
        .set_item(Some(history_item(username, &favorite, item, &tag_ids, ttl)))
        .build()?;
    let count = Decrement::new(&table.name, Key::favorite_count(username), "favorites");
    let mut transaction = Transaction::new();
    transaction.delete(delete_favorite);
    transaction.put(put_history);
    let count = if has_count {
        transaction.update(count.update(1)?)
    } else {
        transaction.add(count.check_nothing_to_decrement()?)
    };
    for tag_id in &tag_ids {
        let delete_entry = Delete::builder()
            .table_name(&table.name)
            .set_key(Some(Key::favorite_tag(username, &favorite.data_id, tag_id).into()))
            .condition_expression("attribute_exists(pk)")
            .build()?;
        transaction.delete(delete_entry);
    }
    Ok((transaction, count))
}
