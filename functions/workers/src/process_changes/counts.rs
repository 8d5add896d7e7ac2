//! Adds up the reactions, comments and friendships that add-reaction, add-comment and follow-user
//! wrote without their count.
//!
//! Such an item has the mark `uncounted`. It has the mark exactly as long as no count includes it,
//! because one transaction removes the mark and adds to the count. So a record may be late or come
//! twice, and the item may be deleted and put again in between: an item with the mark is counted
//! once.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::{Delete, ReturnValuesOnConditionCheckFailure, Update};
use shared::dynamodb::counter::{self, Decrement};
use shared::dynamodb::transaction::{Outcome, Transaction, Write};
use shared::dynamodb::{Item, entity};
use shared::entities::{
    COMMENTS_WRITTEN, COUNTS_RESPONSES, Comment, Friendship, IS_UNCOUNTED, Key, Kind, Reaction, SK, UNCOUNTED,
    disengage_from_deleted, photo_of_sk,
};
use shared::runtime::stream::{Failure, Record};
use shared::values::{CommentId, ReactionType, Timestamp};
use shared::{Error, Table};

use crate::process_changes::work::{Context, Work};

/// The maximum number of marks that one transaction removes. It takes [100
/// items](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html):
/// the marked items, and the one that counts them.
const MAX_MARKS: usize = 99;
/// The maximum number of items that one transaction deletes, each with the follower, the author or
/// the engagement that includes it.
const MAX_DELETES: usize = 50;

/// An item that was uncounted when its record was made.
struct Uncounted {
    /// The primary key.
    key: Item,
    timestamp: Timestamp,
    entity: Entity,
    /// The ids of the records of the item. It has several if it was deleted and put again.
    record_ids: Vec<String>,
}

enum Entity {
    /// The type of a reaction, and the key of the engagement that includes it.
    Reaction(ReactionType, Key),
    Comment(CommentId),
    Friendship(Friendship),
}

/// Returns the work that counts the uncounted items of a batch: a unit for each photo and user that
/// counts some of them, whose transactions would conflict if they were sent at the same time.
pub(crate) fn work<'a>(context: &'a Context, records: &[Record]) -> Vec<Work<'a>> {
    let (groups, failures) = group(records);
    let groups = groups.into_iter().map(|(counting, items)| {
        let ids = items.iter().flat_map(|item| item.record_ids.clone()).collect();
        Work::new(ids, count_all(context, counting, items))
    });
    let failures = failures.into_iter().map(|Failure { ids, error }| Work::failed(ids, error));
    groups.chain(failures).collect()
}

/// Counts items that have one photo or user in common.
async fn count_all(context: &Context, counting: Key, mut items: Vec<Uncounted>) -> Result<(), Error> {
    while !items.is_empty() {
        let rest = items.split_off(MAX_MARKS.min(items.len()));
        count(&context.table, &context.feed, &counting, items).await?;
        items = rest;
    }
    Ok(())
}

/// The uncounted items by the key of the photo or the user that counts them.
type Groups = Vec<(Key, Vec<Uncounted>)>;

/// Groups the uncounted items of a batch. A transaction cannot contain an item twice, so each is in
/// its group once.
fn group(records: &[Record]) -> (Groups, Vec<Failure>) {
    let (mut groups, mut failures): (Groups, _) = (vec![], vec![]);
    for record in records.iter().filter(|record| record.new_image.contains_key(UNCOUNTED)) {
        let id = record.id.clone();
        let (counting, item) = match parse(record) {
            Ok(parsed) => parsed,
            Err(error) => {
                failures.push(Failure { ids: vec![id], error });
                continue;
            }
        };
        let position = groups.iter().position(|(key, _)| *key == counting).unwrap_or_else(|| {
            groups.push((counting, vec![]));
            groups.len() - 1
        });
        let items = &mut groups[position].1;
        let before = items.iter().position(|other| other.key == item.key).map(|position| items.remove(position));
        let mut record_ids = before.map_or(vec![], |before| before.record_ids);
        record_ids.push(id);
        items.push(Uncounted { record_ids, ..item });
    }
    (groups, failures)
}

/// Returns the item of a record, and the key of the photo or the user that counts it.
fn parse(record: &Record) -> Result<(Key, Uncounted), Error> {
    let (image, key) = (record.new_image.clone(), record.keys.clone());
    let kind = Kind::of(&key);
    if kind == Some(Kind::Friendship) {
        let friendship: Friendship = entity::from_item(image)?;
        let (counting, timestamp) = (Key::user(&friendship.followed_user), friendship.timestamp.clone());
        return Ok((
            counting,
            Uncounted { key, timestamp, entity: Entity::Friendship(friendship), record_ids: vec![] },
        ));
    }
    let sk = image.get(SK).and_then(|sk| sk.as_s().ok()).map_or("", String::as_str);
    let (owner, photo) = photo_of_sk(sk)?;
    if kind == Some(Kind::Comment) {
        let Comment { author, timestamp, .. } = entity::from_item(image)?;
        let id = CommentId { author, timestamp: timestamp.clone() };
        let comment = Uncounted { key, timestamp, entity: Entity::Comment(id), record_ids: vec![] };
        return Ok((Key::photo(&owner, &photo), comment));
    }
    let reaction: Reaction = entity::from_item(image)?;
    let engagement = Key::engagement(&reaction.reacting_user, &owner, &photo);
    let (timestamp, entity) = (reaction.timestamp, Entity::Reaction(reaction.reaction_type, engagement));
    Ok((Key::photo(&owner, &photo), Uncounted { key, timestamp, entity, record_ids: vec![] }))
}

/// Counts items with one transaction. Deletes those whose photo or user is gone, also if there is a
/// later photo of the same key.
async fn count(table: &Table, feed: &Table, counting: &Key, mut items: Vec<Uncounted>) -> Result<(), Error> {
    // Each attempt but the last leaves out at least one item, which has lost its mark, or was given
    // to an earlier photo.
    while !items.is_empty() {
        let mut transaction = Transaction::new();
        let mut marks: Vec<Write> = vec![];
        for item in &items {
            marks.push(transaction.update(remove_mark(table, item)?));
        }
        let counted = transaction.update(increment(table, counting, &items)?);
        match transaction.write(&table.client).await? {
            Outcome::Committed => return Ok(()),
            Outcome::ConditionFailed(failed) if failed.contains(counted) => {
                let since = failed.item(counted).and_then(responses_since);
                let (earlier, later): (Vec<_>, Vec<_>) = items.into_iter().partition(|item| match &since {
                    Some(since) => item.timestamp < *since,
                    None => true,
                });
                delete(table, feed, &earlier).await?;
                items = later;
            }
            Outcome::ConditionFailed(failed) => {
                let left = items.into_iter().zip(marks).filter(|(_, mark)| !failed.contains(*mark));
                items = left.map(|(item, _)| item).collect();
            }
        }
    }
    Ok(())
}

/// Returns the time since which an imported photo has had reactions and comments, or `None` if the
/// photo or the user is gone.
fn responses_since(counting: &Item) -> Option<Timestamp> {
    counting.get("username").and_then(|_| counting.get("responsesSince")?.as_s().ok()?.parse().ok())
}

fn remove_mark(table: &Table, item: &Uncounted) -> Result<Update, Error> {
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(item.key.clone()))
        .condition_expression(IS_UNCOUNTED)
        .update_expression("REMOVE uncounted")
        .build()?;
    Ok(update)
}

/// Adds the number of items to the counts of the photo or the user, if it is the one that they were
/// given to.
fn increment(table: &Table, counting: &Key, items: &[Uncounted]) -> Result<Update, Error> {
    let mut update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(counting.clone().into()))
        .condition_expression(COUNTS_RESPONSES)
        .expression_attribute_values(":given", S(first_given(items)))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let number_of = |is_counted: &dyn Fn(&Entity) -> bool| items.iter().filter(|item| is_counted(&item.entity)).count();
    let mut sets = vec![];
    for (position, &reaction_type) in ReactionType::ALL.iter().enumerate() {
        let number = number_of(&|entity| matches!(entity, Entity::Reaction(other, _) if *other == reaction_type));
        if number > 0 {
            let path = format!("reactions.#type{position}");
            sets.push(format!("{path} = if_not_exists({path}, :zero) + :n{position}"));
            update = update
                .expression_attribute_names(format!("#type{position}"), reaction_type.as_ref())
                .expression_attribute_values(":zero", N("0".to_owned()))
                .expression_attribute_values(format!(":n{position}"), N(number.to_string()));
        }
    }
    let mut clauses = if sets.is_empty() { vec![] } else { vec![format!("SET {}", sets.join(", "))] };
    for (count, number) in [
        ("comments", number_of(&|entity| matches!(entity, Entity::Comment(_)))),
        ("followers", number_of(&|entity| matches!(entity, Entity::Friendship(_)))),
    ] {
        // An item is a photo or a user, so it has one of these counts.
        if number > 0 {
            clauses.push(format!("ADD {count} :n"));
            update = update.expression_attribute_values(":n", N(number.to_string()));
        }
    }
    Ok(update.update_expression(clauses.join(" ")).build()?)
}

/// Returns the time at which the first of some items was given.
fn first_given(items: &[Uncounted]) -> String {
    items.iter().map(|item| &item.timestamp).min().map(ToString::to_string).unwrap_or_default()
}

/// Deletes items whose photo or user is gone, as finish-deletion would if it had found them: the
/// reactions with the engagements that have nothing else.
///
/// The condition requires the same item as in the record. A later one of the same key has a record
/// of its own.
async fn delete(table: &Table, feed: &Table, items: &[Uncounted]) -> Result<(), Error> {
    // A transaction can update an engagement once, so it deletes reactions of one type.
    let of_type = |item: &Uncounted| match item.entity {
        Entity::Reaction(reaction_type, _) => Some(reaction_type),
        Entity::Comment(_) | Entity::Friendship(_) => None,
    };
    let mut by_type: BTreeMap<Option<ReactionType>, Vec<&Uncounted>> = BTreeMap::new();
    for item in items {
        by_type.entry(of_type(item)).or_default().push(item);
    }
    for items in by_type.values().flat_map(|items| items.chunks(MAX_DELETES)) {
        let deletes = items.iter().map(|item| {
            let delete = Delete::builder()
                .table_name(&table.name)
                .set_key(Some(item.key.clone()))
                .condition_expression(format!("{IS_UNCOUNTED} AND #timestamp = :timestamp"))
                .expression_attribute_names("#timestamp", "timestamp")
                .expression_attribute_values(":timestamp", S(item.timestamp.to_string()))
                .build()?;
            let of_user = |username, count| vec![Decrement::new(&table.name, Key::user(username), count)];
            let decrements = match &item.entity {
                Entity::Friendship(Friendship { following_user, .. }) => of_user(following_user, "following"),
                Entity::Comment(CommentId { author, .. }) => of_user(author, COMMENTS_WRITTEN),
                Entity::Reaction(reaction_type, engagement) => {
                    vec![disengage_from_deleted(&feed.name, engagement.clone(), *reaction_type)]
                }
            };
            Ok((delete, decrements))
        });
        counter::delete_and_decrement(&table.client, deletes.collect::<Result<_, Error>>()?, None).await?;
    }
    Ok(())
}
