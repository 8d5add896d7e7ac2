//! One `TransactWriteItems` puts the favorite and the entries of its tags, deletes its history,
//! increments the user's count of favorites, and checks that no tag was deleted concurrently.
//!
//! The transaction also checks that the name is not that of another account
//! ([`account`](shared::entities::account)).
//!
//! Before it, one consistent `BatchGetItem` reads the favorite and its history. If it finds nothing
//! to restore, one `TransactGetItems` of the same keys confirms that. One `TransactGetItems` for
//! every 100 keys reads the tag count and those tags of the history that still exist. If the
//! favorite exists already, the function changes nothing and returns it, so a caller may repeat the
//! request.

use std::collections::BTreeSet;
use std::iter::once;

use aws_sdk_dynamodb::types::AttributeValue::{self, S};
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Put, ReturnValuesOnConditionCheckFailure};
use serde::Deserialize;
use shared::dynamodb::expiry::has_expired;
use shared::dynamodb::transaction::{Outcome, Transaction, Write};
use shared::dynamodb::{Item, batch, entity};
use shared::entities::account::Account;
use shared::entities::{
    FAVORITE_PK, Favorite, FavoriteTag, Key, engage_by_save, favorite_count, favorites_pk, restored_item, tags_pk,
    unchanged,
};
use shared::http::answer;
use shared::http::extract::{Body, NoFields, Owner, Path};
use shared::values::{DataId, PhotoReference, TagId, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;
mod transact_get;

use transact_get::{MAX_KEYS, transact_get};

/// The maximum number of tags that a restored favorite can have. A transaction takes [100
/// items](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html),
/// and six of them are the favorite, its history, the two counts of the user, the caller's
/// engagement with a saved photo, and the check of the account. The API gives a favorite at most 50
/// tags, but another program may have given it more.
const MAX_RESTORED_TAGS: usize = 94;
/// The retry budget: the maximum number of attempts, each of which reads the history and its tags
/// and sends a transaction. Another attempt follows only if a concurrent request has changed the
/// history or deleted a tag, so it needs no pause.
const MAX_ATTEMPTS: usize = 5;

/// The writes of the transaction, by which its failed conditions are known.
struct Writes {
    favorite: Write,
    history: Write,
    count: Write,
}

/// The route.
pub struct RestoreFavorite {
    table: Table,
    photos: String,
    feed: String,
}

impl Route for RestoreFavorite {
    const NAME: &'static str = "restore-favorite";
    const ROUTE: &'static str = "POST /users/{username}/favorites/{dataId}/restore";
    const SUMMARY: &'static str = "Restores a deleted favorite with its tags.";
    const SUCCESSES: &'static [Success] = &[Success::OK, Success::CREATED_AT];
    const ERRORS: &'static [ErrorKind] = &[
        ErrorKind::NoDeletedFavorite,
        ErrorKind::NoProfile,
        ErrorKind::OtherAccount,
        ErrorKind::TooManyFavorites,
        ErrorKind::TooManyTagsToRestore,
    ];

    type Input = (Owner, Path<DataId>, Body<NoFields>);
    type Body = Favorite;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            photos: process.variable("PHOTOS_TABLE_NAME")?,
            feed: process.variable("FEED_TABLE_NAME")?,
        })
    }

    async fn answer(
        &self,
        (Owner(caller), Path(data_id), Body(NoFields)): Self::Input,
    ) -> Result<Response<Favorite>, Error> {
        let Self { table, photos, feed } = self;
        let username = &caller.username;
        let account = Account { table_name: photos, username, subject: &caller.subject };

        for _ in 0..MAX_ATTEMPTS {
            let snapshot = read_snapshot(table, username, &data_id).await?;
            if let Some(existing) = snapshot.favorite {
                return answer::ok(&entity::from_item::<Favorite>(existing)?);
            }
            let history = snapshot.history.ok_or_else(|| no_deleted_favorite(&data_id))?;
            let (tag_ids, tag_deletions) = existing_tags(table, username, &history).await?;
            if tag_ids.len() > MAX_RESTORED_TAGS {
                let detail = format!(
                    "This favorite had {} tags that still exist. It can be restored with at most {MAX_RESTORED_TAGS} \
                     tags: delete some of them first.",
                    tag_ids.len()
                );
                return Err(Error::refused(ErrorKind::TooManyTagsToRestore, detail));
            }

            let (mut transaction, writes) = build_transaction(table, username, &history, tag_deletions, &tag_ids)?;
            if let Some(PhotoReference { username: owner, id }) = data_id.photo() {
                let engagement = Key::engagement(username, &owner, &id);
                transaction.update(engage_by_save(feed, engagement, true)?);
            }
            let check = transaction.condition_check(account.check()?);
            match transaction.write(&table.client).await? {
                Outcome::Committed => {
                    let restored = Favorite { tag_ids, ..history.favorite };
                    return answer::created_at(&format!("/users/{username}/favorites/{data_id}"), &restored);
                }
                Outcome::ConditionFailed(failed) => {
                    account.require(&failed, check)?;
                    if let Some(existing) = failed.item(writes.favorite) {
                        return answer::ok(&entity::from_item::<Favorite>(existing.clone())?);
                    }
                    if failed.contains(writes.count) && !failed.contains(writes.history) {
                        return Err(favorite_count::too_many());
                    }
                }
            }
        }
        Err(Error::Busy(format!("the history or the tags changed during each of {MAX_ATTEMPTS} attempts").into()))
    }
}

fn no_deleted_favorite(data_id: &DataId) -> Error {
    Error::refused(ErrorKind::NoDeletedFavorite, "This favorite cannot be restored any more.")
        .with_hint(format!("There is no favorite {data_id} that could be restored."))
}

/// The items that an attempt begins with.
struct Snapshot {
    favorite: Option<Item>,
    /// The history, unless it has expired.
    history: Option<History>,
}

impl Snapshot {
    fn from_items(username: &Username, items: Vec<Item>) -> Result<Self, Error> {
        let is_favorite = |item: &Item| item[FAVORITE_PK] == S(favorites_pk(username));
        let (favorites, histories): (Vec<Item>, Vec<Item>) = items.into_iter().partition(is_favorite);
        let history = histories.into_iter().find(|history| !has_expired(history));
        Ok(Self { favorite: favorites.into_iter().next(), history: history.map(History::from_item).transpose()? })
    }
}

/// Reads the favorite and its history by one `BatchGetItem`. It includes the favorite because a
/// transaction that fails on an existing favorite costs as much as one that writes it. The read is
/// consistent, so that a favorite can be restored at once after it is unclipped.
///
/// During a concurrent unclip-favorite, a `BatchGetItem` may miss both: the favorite, which is
/// already deleted, and the history, which is not yet written. So the function does not report that
/// there is nothing to restore before a `TransactGetItems` has found the same.
async fn read_snapshot(table: &Table, username: &Username, data_id: &DataId) -> Result<Snapshot, Error> {
    let keys = [Key::favorite(username, data_id), Key::history(username, data_id)];
    let snapshot = Snapshot::from_items(username, batch::get(table, keys.clone().into(), true).await?)?;
    if snapshot.favorite.is_some() || snapshot.history.is_some() {
        return Ok(snapshot);
    }
    Snapshot::from_items(username, transact_get(table, &keys.map(Item::from)).await?)
}

/// The history of a favorite.
struct History {
    /// The whole item, with the attributes that another program gave it.
    item: Item,
    favorite: Favorite,
}

impl History {
    fn from_item(item: Item) -> Result<Self, Error> {
        Ok(Self { favorite: entity::from_item(item.clone())?, item })
    }
}

/// Returns the tags of the history that still exist, and the attribute `deletions` of the user's
/// tag count.
///
/// They are read by `TransactGetItems`, with [`MAX_KEYS`] keys in each and the tag count in the
/// first. A `BatchGetItem` could show the tag count from after a concurrent deletion and the tag
/// from before it; then the check of the transaction would not detect that the tag is deleted, and
/// its entry would be an orphan. Later requests need no tag count, because the transaction checks
/// the first one. Without tags nothing is read.
async fn existing_tags(
    table: &Table,
    username: &Username,
    history: &History,
) -> Result<(BTreeSet<TagId>, Option<AttributeValue>), Error> {
    let tags = history.favorite.tag_ids.iter().map(|tag_id| Key::tag(username, tag_id));
    let keys: Vec<Item> = once(Key::tag_count(username)).chain(tags).map(Item::from).collect();
    let (mut tag_ids, mut deletions) = (BTreeSet::new(), None);
    if history.favorite.tag_ids.is_empty() {
        return Ok((tag_ids, deletions));
    }
    for keys in keys.chunks(MAX_KEYS) {
        for mut item in transact_get(table, keys).await? {
            if item[FAVORITE_PK] == S(tags_pk(username)) {
                tag_ids.insert(entity::from_item::<ExistingTag>(item)?.sk);
            } else {
                deletions = item.remove("deletions");
            }
        }
    }
    Ok((tag_ids, deletions))
}

/// The one attribute of a tag that is used here.
#[derive(Deserialize)]
struct ExistingTag {
    sk: TagId,
}

/// Builds the transaction. It is written only if nothing has changed since the reads: there is no
/// favorite, the history is the same, and no tag is deleted. The user must also have fewer
/// favorites than the maximum.
fn build_transaction(
    table: &Table,
    username: &Username,
    history: &History,
    tag_deletions: Option<AttributeValue>,
    tag_ids: &BTreeSet<TagId>,
) -> Result<(Transaction, Writes), Error> {
    let History { item, favorite } = history;
    let put_favorite = Put::builder()
        .table_name(&table.name)
        .set_item(Some(restored_item(username, favorite, item.clone(), tag_ids)))
        .condition_expression("attribute_not_exists(pk)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    // A favorite that was restored and unclipped again has another version, and one that was
    // clipped again has another clip time.
    let (condition, values) = unchanged(item, &["clipTime", "tagIds", "tagVersion"]);
    let delete_history = Delete::builder()
        .table_name(&table.name)
        .set_key(Some(Key::history(username, &favorite.data_id).into()))
        .condition_expression(condition)
        .set_expression_attribute_values(Some(values))
        .build()?;
    let mut transaction = Transaction::new();
    let writes = Writes {
        favorite: transaction.put(put_favorite),
        history: transaction.delete(delete_history),
        count: transaction.update(favorite_count::increment(&table.name, username)?),
    };
    if tag_ids.is_empty() {
        return Ok((transaction, writes));
    }
    // delete-tag counts its deletions, so one check covers all tags. A check of each tag would
    // double the number of items in the transaction, which would then have room for half as many
    // tags.
    let check_tag_deletions =
        ConditionCheck::builder().table_name(&table.name).set_key(Some(Key::tag_count(username).into()));
    let check_tag_deletions = match tag_deletions {
        Some(deletions) => check_tag_deletions
            .condition_expression("deletions = :deletions")
            .expression_attribute_values(":deletions", deletions),
        None => check_tag_deletions.condition_expression("attribute_not_exists(deletions)"),
    };
    transaction.condition_check(check_tag_deletions.build()?);
    for tag_id in tag_ids {
        let put_entry = Put::builder()
            .table_name(&table.name)
            .set_item(Some(FavoriteTag::new(favorite, tag_id.clone()).item(username)))
            .build()?;
        transaction.put(put_entry);
    }
    Ok((transaction, writes))
}
