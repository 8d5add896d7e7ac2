//! Deletes the items that refer to a deleted photo.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};
use aws_sdk_dynamodb::types::{Delete, ReturnValuesOnConditionCheckFailure};
use shared::dynamodb::counter::{self, Decrement};
use shared::dynamodb::{Item, unless_condition_failed};
use shared::photos::{
    CountedItem, INVERTED_INDEX, Key, PhotoDeletion, USER_PREFIX, delete_counted, photo_sk, reaction_sks,
};
use shared::pictures::store::delete_objects;
use shared::values::{ReactionType, Timestamp, Username};
use shared::{Bucket, Error, Table};
use tokio::time::Instant;

use crate::comments;
use crate::feeds::{delete_engagements, delete_vector};
use crate::items::{current, delete_in_transactions, for_each_page, key_of, require_nothing_left};

/// The maximum number of reactions of one transaction, which takes [100
/// items](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html):
/// the reactions, and the `PhotoDeletion` that counts them.
const MAX_TRANSACTION_REACTIONS: usize = 99;

/// Removes a deleted photo from its owner's `pinnedImage`, and deletes its vector, the reactions
/// to it, the comments on it and its files. Then deletes the `PhotoDeletion` and decrements the
/// owner's count of photos, in one transaction.
pub(crate) async fn finish(
    table: &Table,
    feed: &Table,
    bucket: &Bucket,
    deletion: &PhotoDeletion,
    deadline: Instant,
) -> Result<(), Error> {
    let key = Key::photo(&deletion.erasing, &deletion.timestamp);
    if current(table, &key, &deletion.since).await?.is_none() {
        return Ok(());
    }
    unpin(table, &deletion.erasing, &deletion.timestamp).await?;
    delete_vector(feed, deletion).await?;
    let is_complete = delete_responses(table, feed, bucket, deletion, deadline, async || {
        delete_and_count_down(table, deletion).await
    });
    if !is_complete.await? {
        return Err(Error::Busy("no time is left for more of them; the next attempt continues".into()));
    }
    Ok(())
}

/// Deletes the `PhotoDeletion` and decrements the owner's count of photos, in one transaction.
/// Returns the `PhotoDeletion` if it still counts something.
async fn delete_and_count_down(table: &Table, deletion: &PhotoDeletion) -> Result<Option<Item>, Error> {
    let key = Key::photo(&deletion.erasing, &deletion.timestamp);
    let NothingLeft { condition, names, values } = NothingLeft::new(deletion);
    let delete = Delete::builder()
        .table_name(&table.name)
        .set_key(Some(key.into()))
        .condition_expression(condition)
        .set_expression_attribute_names(Some(names))
        .set_expression_attribute_values(Some(values))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let decrement = Decrement::new(&table.name, Key::user(&deletion.erasing), "photos");
    let mut done = counter::delete_and_decrement(&table.client, vec![(delete, vec![decrement])], None).await?;
    Ok(done.left.pop())
}

/// Deletes the reactions to a photo of a deleted user, the comments on it, its files, and the
/// `PhotoDeletion`. Returns whether it got to the end before the deadline. The `Deletion` of the
/// user counts no photos.
///
/// The work comes to an end, because nobody can react to the photo or comment on it any more:
/// add-reaction and add-comment require the attribute `username`, which a `PhotoDeletion` does not
/// have. If one of them has read the photo just before and writes its item uncounted,
/// `process-changes` deletes the item.
pub(crate) async fn delete_with_responses(
    table: &Table,
    feed: &Table,
    bucket: &Bucket,
    deletion: &PhotoDeletion,
    deadline: Instant,
) -> Result<bool, Error> {
    delete_responses(table, feed, bucket, deletion, deadline, async || delete_deletion(table, deletion).await).await
}

/// Deletes the reactions to the photo, the comments on it and its files, and then the
/// `PhotoDeletion` by `delete`, which returns the `PhotoDeletion` if it still counts something:
/// then the reactions in [shards](Key::sharded) are deleted too. Returns whether it got to the end
/// before the deadline.
async fn delete_responses(
    table: &Table,
    feed: &Table,
    bucket: &Bucket,
    deletion: &PhotoDeletion,
    deadline: Instant,
    delete: impl AsyncFn() -> Result<Option<Item>, Error>,
) -> Result<bool, Error> {
    let mut sks = reaction_sks(&deletion.erasing, &deletion.timestamp);
    let own: Vec<String> = sks.by_ref().take(1).collect();
    let mut left = None;
    for sks in [own, sks.collect()] {
        for sk in sks {
            if !delete_responses_at(table, feed, deletion, sk, deadline).await? {
                return Ok(false);
            }
        }
        delete_objects(bucket, &deletion.erasing, &deletion.timestamp).await?;
        left = delete().await?;
        if left.is_none() {
            break;
        }
    }
    require_nothing_left(left.as_ref(), &deletion.since)?;
    Ok(true)
}

/// Deletes the reactions and comments with a sort key that the index shows, and decrements the
/// counts of the `PhotoDeletion`. Returns whether it got to the end before the deadline.
async fn delete_responses_at(
    table: &Table,
    feed: &Table,
    deletion: &PhotoDeletion,
    sk: String,
    deadline: Instant,
) -> Result<bool, Error> {
    // Everything in this part of the index but the photo.
    let responses = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :photo AND PK < :users")
        .expression_attribute_values(":photo", S(sk))
        .expression_attribute_values(":users", S(USER_PREFIX.to_owned()));
    for_each_page(responses, deadline, async |page| {
        let (comments, reactions): (Vec<Item>, Vec<Item>) =
            page.into_iter().partition(|item| item.contains_key("author"));
        comments::delete(table, comments).await?;
        delete_engagements(feed, deletion, &reactions).await?;
        delete_reactions(table, deletion, reactions).await
    })
    .await
}

async fn delete_reactions(table: &Table, deletion: &PhotoDeletion, reactions: Vec<Item>) -> Result<(), Error> {
    // A transaction can update the PhotoDeletion once, so the reactions of one transaction have the
    // same type.
    let mut by_type: BTreeMap<Option<ReactionType>, Vec<Item>> = BTreeMap::new();
    for reaction in reactions {
        let reaction_type = reaction.get("reactionType").and_then(|name| name.as_s().ok()?.parse().ok());
        by_type.entry(reaction_type).or_default().push(reaction);
    }
    for (reaction_type, reactions) in by_type {
        let count = Decrement::new(&table.name, Key::photo(&deletion.erasing, &deletion.timestamp), "reactions.#type");
        let decrement = reaction_type.map(|reaction_type| count.with_name("#type", reaction_type.as_ref()));
        let items = reactions
            .into_iter()
            .map(|reaction| CountedItem { key: key_of(reaction), if_counted: decrement.clone(), always: None })
            .collect();
        delete_in_transactions(items, MAX_TRANSACTION_REACTIONS, async |items| {
            delete_counted(table, items, None).await.map(drop)
        })
        .await?;
    }
    Ok(())
}

/// Removes a photo from its owner's `pinnedImage`, if it is still there.
pub(crate) async fn unpin(table: &Table, owner: &Username, timestamp: &Timestamp) -> Result<(), Error> {
    let result = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(Key::user(owner).into()))
        .condition_expression("pinnedImage = :photo")
        .update_expression("REMOVE pinnedImage, pinnedPicture")
        .expression_attribute_values(":photo", S(photo_sk(owner, timestamp)))
        .send()
        .await;
    unless_condition_failed(result)?;
    Ok(())
}

/// Deletes the `PhotoDeletion`. Returns it if it still counts something.
async fn delete_deletion(table: &Table, deletion: &PhotoDeletion) -> Result<Option<Item>, Error> {
    let NothingLeft { condition, names, values } = NothingLeft::new(deletion);
    let deleted = table
        .client
        .delete_item()
        .table_name(&table.name)
        .set_key(Some(Key::photo(&deletion.erasing, &deletion.timestamp).into()))
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
