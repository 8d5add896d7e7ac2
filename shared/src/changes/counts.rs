//! Adds up the items that no count includes yet.
//!
//! add-reaction, add-comment and follow-user write such an item with the mark `uncounted`. It has
//! the mark exactly as long as no count includes it, because one transaction removes the mark and
//! adds to the count. So a record may be late or come twice, and the item may be deleted and put
//! again in between: an item with the mark is counted once.
//!
//! - One `TransactWriteItems` removes the marks of up to 99 items, and adds their number to the
//!   counts of their photo or user.
//! - If the photo or the user is gone, `TransactWriteItems` deletes up to 33 of the items, with
//!   what else includes them.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::{ReturnValuesOnConditionCheckFailure, Update};

use super::{Context, Work};
use crate::dynamodb::Item;
use crate::dynamodb::counter::Decrement;
use crate::dynamodb::transaction::{Outcome, Transaction, Write};
use crate::entities::{COUNTS_RESPONSES, CountedItem, IS_UNCOUNTED, Key, UNCOUNTED, delete_uncounted};
use crate::runtime::stream::Record;
use crate::values::{ReactionType, Timestamp};
use crate::{Error, Table};

/// The maximum number of marks that one transaction removes. It takes [100
/// items](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html):
/// the marked items, and the photo or the user that counts them.
pub const MAX_MARKS: usize = 99;
/// The maximum number of items that one transaction deletes, each with the follower, the engagement,
/// or the author and the answered comment that include it.
const MAX_DELETES: usize = 33;

/// An item that was uncounted when its record was made.
#[derive(Debug)]
pub struct Uncounted {
    /// The primary key of the photo or the user that counts the item.
    pub counting: Key,
    /// The count that includes the item from then on.
    pub count: Count,
    /// The time at which the item was given.
    pub timestamp: Timestamp,
    /// The decrements of what includes the item although it has the mark: the count of the follower
    /// or of the author, that of the replies to a comment, or the engagement of the caller.
    pub always: Vec<Decrement>,
    /// The attributes that say what goes with the item ([`CountedItem::dependents`]).
    pub dependents: &'static [&'static str],
}

/// A count of a photo or a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// The attribute with this name.
    Attribute(&'static str),
    /// The count of the reactions of this type.
    Reactions(ReactionType),
}

/// An uncounted item with its records.
struct Recorded {
    /// The primary key.
    key: Item,
    item: Uncounted,
    /// The ids of the records of the item. It has several if it was deleted and put again.
    record_ids: Vec<String>,
}

/// Uncounted items by the key of the photo or the user that counts them.
type Groups = Vec<(Key, Vec<Recorded>)>;

/// Returns the work that counts the uncounted items of a batch: a unit for each photo and user that
/// counts some of them, whose transactions would conflict if they were sent at the same time.
///
/// `read` returns the item of a record with the mark.
pub fn work<'a>(
    context: &'a Context,
    records: &[Record],
    read: impl Fn(&Record) -> Result<Uncounted, Error>,
) -> Vec<Work<'a>> {
    let (mut groups, mut failures) = (vec![], vec![]);
    for record in records.iter().filter(|record| record.new_image.contains_key(UNCOUNTED)) {
        match read(record) {
            Ok(item) => add_to_group(&mut groups, record, item),
            Err(error) => failures.push(Work::failed(vec![record.id.clone()], error)),
        }
    }
    let groups = groups.into_iter().map(|(counting, items)| {
        let ids = items.iter().flat_map(|item| item.record_ids.clone()).collect();
        Work::new(ids, count_all(&context.table, counting, items))
    });
    groups.chain(failures).collect()
}

/// Adds an item to its group. A transaction cannot contain an item twice, so each is in its group
/// once, as its last record has it.
fn add_to_group(groups: &mut Groups, record: &Record, item: Uncounted) {
    let position = groups.iter().position(|(key, _)| *key == item.counting).unwrap_or_else(|| {
        groups.push((item.counting.clone(), vec![]));
        groups.len() - 1
    });
    let items = &mut groups[position].1;
    let before = items.iter().position(|other| other.key == record.keys).map(|position| items.remove(position));
    let mut record_ids = before.map_or(vec![], |before| before.record_ids);
    record_ids.push(record.id.clone());
    items.push(Recorded { key: record.keys.clone(), item, record_ids });
}

/// Counts items that have one photo or user in common.
async fn count_all(table: &Table, counting: Key, mut items: Vec<Recorded>) -> Result<(), Error> {
    while !items.is_empty() {
        let rest = items.split_off(MAX_MARKS.min(items.len()));
        count(table, &counting, items).await?;
        items = rest;
    }
    Ok(())
}

/// Counts items with one transaction. Deletes those whose photo or user is gone, also if there is a
/// later photo of the same key.
async fn count(table: &Table, counting: &Key, mut items: Vec<Recorded>) -> Result<(), Error> {
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
                    Some(since) => item.item.timestamp < *since,
                    None => true,
                });
                delete(table, &earlier).await?;
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

fn remove_mark(table: &Table, item: &Recorded) -> Result<Update, Error> {
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
fn increment(table: &Table, counting: &Key, items: &[Recorded]) -> Result<Update, Error> {
    let mut numbers: BTreeMap<Count, usize> = BTreeMap::new();
    for item in items {
        *numbers.entry(item.item.count).or_default() += 1;
    }
    let mut update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(counting.clone().into()))
        .condition_expression(COUNTS_RESPONSES)
        .expression_attribute_values(":given", S(first_given(items)))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let (mut sets, mut adds) = (vec![], vec![]);
    for (position, (count, number)) in numbers.into_iter().enumerate() {
        update = update.expression_attribute_values(format!(":n{position}"), N(number.to_string()));
        match count {
            Count::Attribute(name) => adds.push(format!("{name} :n{position}")),
            Count::Reactions(reaction_type) => {
                let path = format!("reactions.#type{position}");
                sets.push(format!("{path} = if_not_exists({path}, :zero) + :n{position}"));
                update = update
                    .expression_attribute_names(format!("#type{position}"), reaction_type.as_ref())
                    .expression_attribute_values(":zero", N("0".to_owned()));
            }
        }
    }
    let clauses = [("SET", sets), ("ADD", adds)].into_iter().filter(|(_, terms)| !terms.is_empty());
    let clauses: Vec<String> = clauses.map(|(verb, terms)| format!("{verb} {}", terms.join(", "))).collect();
    Ok(update.update_expression(clauses.join(" ")).build()?)
}

/// Returns the time at which the first of some items was given.
fn first_given(items: &[Recorded]) -> String {
    items.iter().map(|item| &item.item.timestamp).min().map(ToString::to_string).unwrap_or_default()
}

/// Deletes items whose photo or user is gone, as finish-deletion would if it had found them: the
/// reactions with the engagements that have nothing else. A later item of the same key has a record of
/// its own.
async fn delete(table: &Table, items: &[Recorded]) -> Result<(), Error> {
    // A transaction can update an engagement once, so it deletes reactions of one type.
    let mut by_count: BTreeMap<Count, Vec<&Recorded>> = BTreeMap::new();
    for item in items {
        by_count.entry(item.item.count).or_default().push(item);
    }
    for items in by_count.values().flat_map(|items| items.chunks(MAX_DELETES)) {
        let items = items.iter().map(|Recorded { key, item, .. }| {
            let Uncounted { always, dependents, timestamp, .. } = item;
            let counted = CountedItem { key: key.clone(), if_counted: None, always: always.clone(), dependents };
            (counted, timestamp.clone())
        });
        delete_uncounted(table, items.collect()).await?;
    }
    Ok(())
}
