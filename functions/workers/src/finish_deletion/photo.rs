//! Deletes the items that refer to a deleted photo.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, ReturnValuesOnConditionCheckFailure, Update};
use shared::dynamodb::counter::{Decrement, Guard};
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::dynamodb::{Item, batch};
use shared::entities::object::incoming_key;
use shared::entities::{
    CountedItem, INVERTED_INDEX, Key, Kind, PhotoDeletion, USER_PREFIX, delete_counted, delete_unused,
    disengage_from_deleted, photo_sk, reaction_sks,
};
use shared::values::ReactionType;
use shared::{Bucket, Error, Table};
use tokio::time::Instant;

use crate::finish_deletion::comments;
use crate::finish_deletion::items::{began_at, delete_in_transactions, for_each_page, key_of, require_nothing_left};

/// The maximum number of reactions of one transaction, which takes [100
/// items](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html):
/// the reactions, the engagements that have them, and the `PhotoDeletion` that counts them.
const MAX_TRANSACTION_REACTIONS: usize = 49;

/// Removes a deleted photo from its owner's `pinnedImage`, and deletes the reactions to it, the
/// comments on it and its files. Then makes the `PhotoDeletion` the trace of the photo, deletes its
/// vector and decrements the owner's count of photos, in one transaction.
///
/// One consistent `BatchGetItem` reads the `PhotoDeletion` and the owner. Every write has the
/// condition that the `PhotoDeletion` is still the same. So an invocation that has stalled changes
/// nothing of a later photo of this key.
pub(crate) async fn finish(
    table: &Table,
    feed: &Table,
    bucket: &Bucket,
    deletion: &PhotoDeletion,
    deadline: Instant,
) -> Result<(), Error> {
    let (key, owner) = (Key::photo(&deletion.erasing, &deletion.timestamp), Key::user(&deletion.erasing));
    let mut found = batch::get(table, vec![key.into(), owner.clone().into()], true).await?;
    let owner = batch::take(&mut found, owner);
    // If it is not there, or a trace, an earlier attempt has completed.
    if !found.iter().any(|item| began_at(item, &deletion.since) && !PhotoDeletion::is_trace(item)) {
        return Ok(());
    }
    let pinned = S(photo_sk(&deletion.erasing, &deletion.timestamp));
    if owner.is_some_and(|owner| owner.get("pinnedImage") == Some(&pinned)) {
        unpin(table, deletion, pinned).await?;
    }
    let is_complete =
        delete_responses(table, feed, bucket, deletion, deadline, async || leave_trace(table, feed, deletion).await);
    if !is_complete.await? {
        return Err(Error::Busy("no time is left for more of them; the next attempt continues".into()));
    }
    Ok(())
}

/// Makes the `PhotoDeletion` the trace of the photo, deletes the vector, and decrements the owner's
/// count of photos, in one transaction. Returns the `PhotoDeletion` if it still counts something.
///
/// No later write puts the vector again, because the photo is not pending.
async fn leave_trace(table: &Table, feed: &Table, deletion: &PhotoDeletion) -> Result<Option<Item>, Error> {
    let NothingLeft { condition, mut names, mut values } = NothingLeft::new(deletion);
    names.insert("#ttl".to_owned(), "ttl".to_owned());
    values.insert(":ttl".to_owned(), N(PhotoDeletion::expiry().to_string()));
    let trace = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::photo(&deletion.erasing, &deletion.timestamp).into()))
        .condition_expression(format!("{condition} AND attribute_not_exists(#ttl)"))
        .update_expression("SET #ttl = :ttl")
        .set_expression_attribute_names(Some(names))
        .set_expression_attribute_values(Some(values))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let vector = Delete::builder()
        .table_name(&feed.name)
        .set_key(Some(Key::vector(&deletion.erasing, &deletion.timestamp).into()))
        .build()?;
    let photos = Decrement::new(&table.name, Key::user(&deletion.erasing), "photos");
    for is_counted in [true, false] {
        let mut transaction = Transaction::new();
        let trace = transaction.update(trace.clone());
        if is_counted {
            transaction.update(photos.update(1)?);
        } else {
            transaction.add(photos.check_nothing_to_decrement()?);
        }
        transaction.delete(vector.clone());
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

/// Returns the condition of each transaction that it deletes what belongs to this deletion, and not
/// to a later photo of the same key.
fn guard<'a>(table: &'a Table, deletion: &'a PhotoDeletion) -> Guard<'a> {
    let refusal = |item: Option<&Item>| {
        let is_over = !item.is_some_and(|item| began_at(item, &deletion.since));
        is_over.then(|| Error::Busy("another attempt has finished this deletion".into()))
    };
    Guard {
        table_name: &table.name,
        key: Key::photo(&deletion.erasing, &deletion.timestamp).into(),
        condition: "since = :since",
        value: (":since", S(deletion.since.to_string())),
        refusal: Box::new(refusal),
    }
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

/// Deletes the reactions to the photo, the comments on it and its files, and then ends the deletion
/// by `end`, which returns the `PhotoDeletion` if it still counts something: then the reactions in
/// [shards](Key::sharded) are deleted too. Returns whether it got to the end
/// before the deadline.
async fn delete_responses(
    table: &Table,
    feed: &Table,
    bucket: &Bucket,
    deletion: &PhotoDeletion,
    deadline: Instant,
    end: impl AsyncFn() -> Result<Option<Item>, Error>,
) -> Result<bool, Error> {
    let file = incoming_key(&deletion.erasing, &deletion.timestamp);
    let mut sks = reaction_sks(&deletion.erasing, &deletion.timestamp);
    let own: Vec<String> = sks.by_ref().take(1).collect();
    let mut left = None;
    for sks in [own, sks.collect()] {
        for sk in sks {
            if !delete_responses_at(table, feed, deletion, sk, deadline).await? {
                return Ok(false);
            }
        }
        delete_unused(table, bucket, &deletion.erasing, &deletion.timestamp, &file).await?;
        left = end().await?;
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
            page.into_iter().partition(|item| Kind::Comment.is_of(item));
        comments::delete(table, comments, Some(&guard(table, deletion))).await?;
        delete_reactions(table, feed, deletion, reactions).await
    })
    .await
}

/// Deletes reactions, with the engagements that have nothing else.
async fn delete_reactions(
    table: &Table,
    feed: &Table,
    deletion: &PhotoDeletion,
    reactions: Vec<Item>,
) -> Result<(), Error> {
    // A transaction can update the PhotoDeletion and an engagement once, so the reactions of one
    // transaction have the same type.
    let mut by_type: BTreeMap<Option<ReactionType>, Vec<Item>> = BTreeMap::new();
    for reaction in reactions {
        let reaction_type = reaction.get("reactionType").and_then(|name| name.as_s().ok()?.parse().ok());
        by_type.entry(reaction_type).or_default().push(reaction);
    }
    let guard = guard(table, deletion);
    for (reaction_type, reactions) in by_type {
        let count = Decrement::new(&table.name, Key::photo(&deletion.erasing, &deletion.timestamp), "reactions.#type");
        let decrement = reaction_type.map(|reaction_type| count.with_name("#type", reaction_type.as_ref()));
        let disengage = |reaction: &Item| {
            let caller = reaction.get("reactingUser")?.as_s().ok()?.parse().ok()?;
            let engagement = Key::engagement(&caller, &deletion.erasing, &deletion.timestamp);
            Some(disengage_from_deleted(&feed.name, engagement, reaction_type?))
        };
        let items = reactions
            .into_iter()
            .map(|reaction| CountedItem {
                if_counted: decrement.clone(),
                always: disengage(&reaction),
                key: key_of(reaction),
            })
            .collect();
        delete_in_transactions(items, MAX_TRANSACTION_REACTIONS, async |items| {
            delete_counted(table, items, Some(&guard)).await.map(drop)
        })
        .await?;
    }
    Ok(())
}

/// Removes the photo from its owner's `pinnedImage`, if it is still there.
async fn unpin(table: &Table, deletion: &PhotoDeletion, pinned: AttributeValue) -> Result<(), Error> {
    let is_deleted = ConditionCheck::builder()
        .table_name(&table.name)
        .set_key(Some(Key::photo(&deletion.erasing, &deletion.timestamp).into()))
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
