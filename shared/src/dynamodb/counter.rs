//! Decrements of counts, in the transaction that deletes what they count.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue::{self, N, S, Ss};
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update};

use crate::Error;
use crate::dynamodb::Item;
use crate::dynamodb::transaction::{Outcome, Transaction, Write};

/// The retry budget of [`delete_and_decrement`]: the maximum number of transactions of which a
/// condition may fail. Two are usual: one finds out which items are deleted and which counts have
/// nothing to decrement, and one commits. More are needed only if other requests delete the same
/// items, or change a count from or to 0, in between.
const MAX_REVISIONS: u32 = 10;

/// A decrement of a count: an attribute of an item that holds how many other items there are.
///
/// A transaction contains one of two writes of it. Each has a condition, so the transaction proves
/// what it assumes about the count:
///
/// - [`update`](Self::update) subtracts `:n` from the count, on the condition `count >= :n`;
/// - [`check_nothing_to_decrement`](Self::check_nothing_to_decrement) has the opposite condition:
///   the item does not exist, has no such count, or its count is 0.
///
/// The condition asks only for the count. So a decrement also applies to the counts that a
/// tombstone keeps.
///
/// A set of strings that tells which items there are is a count too: the update takes one member
/// out of it. With [`or_item_if`](Self::or_item_if), a third write deletes the item of the set. With
/// [`with_member`](Self::with_member), the update decrements a count and takes a member out of a set
/// of the same item.
#[derive(Debug, Clone, PartialEq)]
pub struct Decrement {
    table_name: String,
    key: Item,
    paths: Vec<&'static str>,
    names: Option<HashMap<String, String>>,
    tally: Option<&'static str>,
    member: Option<String>,
    item_if: Option<&'static str>,
    taken: Option<(&'static str, String)>,
}

impl Decrement {
    /// Returns the decrement of the count that has the path `count` in the item at `key`.
    #[must_use]
    pub fn new(table_name: &str, key: impl Into<Item>, count: &'static str) -> Self {
        let (table_name, key) = (table_name.to_owned(), key.into());
        Self { table_name, key, paths: vec![count], names: None, tally: None, member: None, item_if: None, taken: None }
    }

    /// Returns the removal of a member from the set `set` in the item at `key`.
    #[must_use]
    pub fn of_member(table_name: &str, key: impl Into<Item>, set: &'static str, member: &str) -> Self {
        Self { member: Some(member.to_owned()), ..Self::new(table_name, key, set) }
    }

    /// Deletes the whole item instead, if its set has no other member and it meets this condition.
    #[must_use]
    pub fn or_item_if(self, condition: &'static str) -> Self {
        Self { item_if: Some(condition), ..self }
    }

    /// Replaces a placeholder in the path of the count, such as `#type` in `reactions.#type`.
    #[must_use]
    pub fn with_name(mut self, placeholder: &str, name: &str) -> Self {
        self.names.get_or_insert_default().insert(placeholder.to_owned(), name.to_owned());
        self
    }

    /// Decrements a second count of the same item too, if both can be decremented.
    #[must_use]
    pub fn and(mut self, count: &'static str) -> Self {
        self.paths.push(count);
        self
    }

    /// Adds the number of deleted items to the attribute `tally` of the same item, also if there is
    /// nothing to decrement.
    #[must_use]
    pub fn with_tally(self, tally: &'static str) -> Self {
        Self { tally: Some(tally), ..self }
    }

    /// Takes a member out of the set `set` of the same item too, if the count can be decremented.
    #[must_use]
    pub fn with_member(self, set: &'static str, member: &str) -> Self {
        Self { taken: Some((set, member.to_owned())), ..self }
    }

    /// Returns the update that subtracts `n`, on the condition that the count is at least `n`.
    pub fn update(&self, n: usize) -> Result<Update, Error> {
        if self.member.is_some() {
            return self.update_if(self.condition(), format!("DELETE {} :members", self.paths[0]), n);
        }
        let subtractions: Vec<String> = self.paths.iter().map(|path| format!("{path} = {path} - :n")).collect();
        let tally = self.tally.map(|tally| format!(" ADD {tally} :n")).unwrap_or_default();
        let taken = self.taken.as_ref().map(|(set, _)| format!(" DELETE {set} :taken")).unwrap_or_default();
        let mut update =
            self.update_if(self.condition(), format!("SET {}{tally}{taken}", subtractions.join(", ")), n)?;
        if let Some((_, member)) = &self.taken {
            let values = update.expression_attribute_values.get_or_insert_default();
            values.insert(":taken".to_owned(), Ss(vec![member.clone()]));
        }
        Ok(update)
    }

    /// Returns the delete of the item of a set, on the condition that the set has no other member.
    fn delete_item(&self, condition: &str) -> Result<Delete, Error> {
        let delete = Delete::builder()
            .table_name(&self.table_name)
            .set_key(Some(self.key.clone()))
            .condition_expression(format!("{} = :members AND {condition}", self.paths[0]))
            .expression_attribute_values(":members", Ss(self.member.iter().cloned().collect()))
            .build()?;
        Ok(delete)
    }

    /// Returns the check that there is nothing to decrement. With a tally, it is an update on this
    /// condition.
    pub fn check_nothing_to_decrement(&self) -> Result<TransactWriteItem, Error> {
        let condition = format!("NOT ({})", self.condition());
        if let Some(tally) = self.tally {
            let update = self.update_if(condition, format!("ADD {tally} :n"), 1)?;
            return Ok(TransactWriteItem::builder().update(update).build());
        }
        let check = ConditionCheck::builder()
            .table_name(&self.table_name)
            .set_key(Some(self.key.clone()))
            .condition_expression(condition)
            .set_expression_attribute_names(self.names.clone())
            .set_expression_attribute_values(Some(self.values(1, false)))
            .build()?;
        Ok(TransactWriteItem::builder().condition_check(check).build())
    }

    fn condition(&self) -> String {
        if self.member.is_some() {
            return format!("contains({}, :member)", self.paths[0]);
        }
        let conditions: Vec<String> = self.paths.iter().map(|path| format!("{path} >= :n")).collect();
        conditions.join(" AND ")
    }

    fn update_if(&self, condition: String, update: String, n: usize) -> Result<Update, Error> {
        let update = Update::builder()
            .table_name(&self.table_name)
            .set_key(Some(self.key.clone()))
            .condition_expression(condition)
            .update_expression(update)
            .set_expression_attribute_names(self.names.clone())
            .set_expression_attribute_values(Some(self.values(n, true)))
            .build()?;
        Ok(update)
    }

    /// Returns the values of the placeholders of the condition, and of the update.
    fn values(&self, n: usize, is_update: bool) -> HashMap<String, AttributeValue> {
        let values = match &self.member {
            None => vec![(":n", N(n.to_string()))],
            Some(member) if is_update => vec![(":member", S(member.clone())), (":members", Ss(vec![member.clone()]))],
            Some(member) => vec![(":member", S(member.clone()))],
        };
        values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// Returns the error for an item that does not meet the condition of a [`Guard`], and `None` for
/// one that does.
pub type Refusal<'a> = dyn Fn(Option<&Item>) -> Option<Error> + Send + Sync + 'a;

/// A further condition of the transactions of [`delete_and_decrement`]: on an item that they
/// decrement, or on another one.
pub struct Guard<'a> {
    /// The table of the item.
    pub table_name: &'a str,
    /// The primary key of the item.
    pub key: Item,
    /// The condition.
    pub condition: &'static str,
    /// The value of the condition with its placeholder, if it has one.
    pub value: Option<(&'static str, AttributeValue)>,
    /// Returns the error for an item that does not meet the condition, and `None` for one that
    /// does.
    pub refusal: Box<Refusal<'a>>,
}

impl Guard<'_> {
    /// Returns whether the decrement is of the item of the guard.
    fn guards(&self, decrement: &Decrement) -> bool {
        decrement.key == self.key && decrement.table_name == self.table_name
    }

    /// Adds the condition to a decrement, which is an update or a check.
    fn extend(&self, mut item: TransactWriteItem) -> TransactWriteItem {
        let condition = |other: &str| format!("({other}) AND ({})", self.condition);
        if let Some(update) = &mut item.update {
            update.condition_expression = update.condition_expression.as_deref().map(condition);
            update.expression_attribute_values.get_or_insert_default().extend(self.values());
            update.return_values_on_condition_check_failure = Some(ReturnValuesOnConditionCheckFailure::AllOld);
        }
        if let Some(check) = &mut item.condition_check {
            check.condition_expression = condition(&check.condition_expression);
            check.expression_attribute_values.get_or_insert_default().extend(self.values());
            check.return_values_on_condition_check_failure = Some(ReturnValuesOnConditionCheckFailure::AllOld);
        }
        item
    }

    fn values(&self) -> Option<(String, AttributeValue)> {
        self.value.clone().map(|(placeholder, value)| (placeholder.to_owned(), value))
    }

    /// Returns the check of the condition alone.
    pub fn check(&self) -> Result<ConditionCheck, Error> {
        let check = ConditionCheck::builder()
            .table_name(self.table_name)
            .set_key(Some(self.key.clone()))
            .condition_expression(self.condition)
            .set_expression_attribute_values(self.value.is_some().then(|| self.values().into_iter().collect()))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()?;
        Ok(check)
    }
}

/// The write of [`delete_and_decrement`] that removes an item: a delete, or an update that replaces the
/// item with a tombstone.
#[derive(Debug, Clone)]
pub enum Removal {
    /// The item is deleted.
    Delete(Delete),
    /// The item is replaced.
    Update(Update),
}

impl From<Delete> for Removal {
    fn from(delete: Delete) -> Self {
        Self::Delete(delete)
    }
}

impl From<Update> for Removal {
    fn from(update: Update) -> Self {
        Self::Update(update)
    }
}

impl Removal {
    /// Returns whether a decrement is of the item that is removed.
    fn is_of(&self, decrement: &Decrement) -> bool {
        let (table_name, key) = match self {
            Self::Delete(delete) => (&delete.table_name, &delete.key),
            Self::Update(update) => (&update.table_name, &update.key),
        };
        *table_name == decrement.table_name && *key == decrement.key
    }

    fn add_to(self, transaction: &mut Transaction) -> Write {
        match self {
            Self::Delete(delete) => transaction.delete(delete),
            Self::Update(update) => transaction.update(update),
        }
    }
}

/// The result of [`delete_and_decrement`].
#[derive(Debug, Default)]
pub struct Deleted {
    /// The number of items that it has deleted. The others were deleted already, or are left.
    pub number: usize,
    /// The items that exist and for which the condition of their delete failed, if the delete
    /// requests them by `ReturnValuesOnConditionCheckFailure`.
    pub left: Vec<Item>,
}

impl Deleted {
    fn add(&mut self, other: Self) {
        self.number += other.number;
        self.left.extend(other.left);
    }
}

/// Deletes counted items and decrements their counts in one transaction. Those that others are counted
/// in, such as a comment with its replies, are deleted in a second one, because a transaction cannot
/// contain an item twice.
///
/// Each removal must have the condition that its item exists, and is no tombstone. If the condition fails, the item is
/// already deleted: the delete and its decrements are dropped, and the rest is sent again. So the
/// call may be repeated.
///
/// If the condition of a decrement fails, there was nothing to decrement, and the next attempt
/// sends the decrement as a check that this is still so. If that check fails, there is something to
/// decrement again, and the next attempt sends the update. So the transaction that deletes an item
/// also proves that its count was decremented, or that there was nothing to decrement at that
/// moment. Without the proof, a count that appears between two attempts would be left too high.
///
/// Several deletes may have the same decrement, which is then sent once and subtracts their number.
/// If the count is less than that number, which only a wrong count can be, the deletes are sent one
/// by one.
///
/// Each transaction also has the condition of the `guard`. If it fails, nothing is deleted, and the
/// error is that of the guard.
///
/// A transaction takes at most [100
/// items](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html),
/// deletes, different decrements and the guard together. No two deletes and no two decrements may be
/// of the same item; a decrement may be of the item of the guard. The function needs the permission
/// `dynamodb:ConditionCheckItem` for the checks.
pub async fn delete_and_decrement(
    client: &Client,
    deletes: Vec<(impl Into<Removal>, Vec<Decrement>)>,
    guard: Option<&Guard<'_>>,
) -> Result<Deleted, Error> {
    let deletes: Vec<(Removal, Vec<Decrement>)> =
        deletes.into_iter().map(|(delete, decrements)| (delete.into(), decrements)).collect();
    let decrements: Vec<Decrement> = counts_of(&deletes).into_iter().map(|(decrement, _)| decrement).collect();
    let (counting, others): (Vec<_>, Vec<_>) =
        deletes.into_iter().partition(|(removal, _)| decrements.iter().any(|decrement| removal.is_of(decrement)));
    // Boxed, because futures within futures soon exceed the compiler's limit.
    let mut done = Box::pin(delete_at_once(client, others, guard)).await?;
    done.add(Box::pin(delete_at_once(client, counting, guard)).await?);
    Ok(done)
}

async fn delete_at_once(
    client: &Client,
    mut deletes: Vec<(Removal, Vec<Decrement>)>,
    guard: Option<&Guard<'_>>,
) -> Result<Deleted, Error> {
    let mut done = Deleted::default();
    // The decrements that are sent as checks, because there was nothing to decrement.
    let mut checks: Vec<Decrement> = vec![];
    // Those whose item is left, because it says more than what is deleted.
    let mut kept: Vec<Decrement> = vec![];
    for _ in 0..MAX_REVISIONS {
        if deletes.is_empty() {
            return Ok(done);
        }
        let mut transaction = Transaction::new();
        let writes: Vec<Write> = deletes.iter().map(|(delete, _)| delete.clone().add_to(&mut transaction)).collect();
        let mut counts: Vec<(Write, Decrement, usize)> = vec![];
        // The write that has the condition of the guard.
        let mut guarded: Option<Write> = None;
        for (decrement, n) in counts_of(&deletes) {
            let write = match decrement.item_if {
                _ if checks.contains(&decrement) => decrement.check_nothing_to_decrement()?,
                Some(condition) if !kept.contains(&decrement) => {
                    TransactWriteItem::builder().delete(decrement.delete_item(condition)?).build()
                }
                _ => TransactWriteItem::builder().update(decrement.update(n)?).build(),
            };
            let write = match guard.filter(|guard| guard.guards(&decrement)) {
                Some(guard) => *guarded.insert(transaction.add(guard.extend(write))),
                None => transaction.add(write),
            };
            counts.push((write, decrement, n));
        }
        if let Some(guard) = guard
            && guarded.is_none()
        {
            guarded = Some(transaction.condition_check(guard.check()?));
        }
        let Outcome::ConditionFailed(failed) = transaction.write(client).await? else {
            done.number += deletes.len();
            return Ok(done);
        };
        if let Some(guard) = guard
            && failed.contains(guarded)
            && let Some(refusal) = (guard.refusal)(failed.item(guarded))
        {
            return Err(refusal);
        }

        let sent = deletes.len();
        done.left.extend(writes.iter().filter_map(|delete| failed.item(*delete)).cloned());
        let left = deletes.into_iter().zip(writes).filter(|(_, write)| !failed.contains(*write));
        deletes = left.map(|(delete, _)| delete).collect();
        for (_, decrement, n) in counts.into_iter().filter(|(write, ..)| failed.contains(*write)) {
            match checks.iter().position(|check| *check == decrement) {
                Some(position) => drop(checks.swap_remove(position)),
                None if decrement.item_if.is_some() && !kept.contains(&decrement) => kept.push(decrement),
                None if n == 1 => checks.push(decrement),
                // The count may be right for the deletes that are left.
                None if deletes.len() < sent => {}
                None => {
                    done.add(delete_one_by_one(client, deletes, guard).await?);
                    return Ok(done);
                }
            }
        }
    }
    Err(Error::Busy("the counts changed before each attempt to delete what they count".into()))
}

/// Returns the decrements of all deletes, each with the number of deletes that have it.
fn counts_of(deletes: &[(Removal, Vec<Decrement>)]) -> Vec<(Decrement, usize)> {
    let mut counts: Vec<(Decrement, usize)> = vec![];
    for decrement in deletes.iter().flat_map(|(_, decrements)| decrements) {
        match counts.iter_mut().find(|(counted, _)| counted == decrement) {
            Some((_, n)) => *n += 1,
            None => counts.push((decrement.clone(), 1)),
        }
    }
    counts
}

/// Deletes one item after the other.
async fn delete_one_by_one(
    client: &Client,
    deletes: Vec<(Removal, Vec<Decrement>)>,
    guard: Option<&Guard<'_>>,
) -> Result<Deleted, Error> {
    let mut done = Deleted::default();
    for delete in deletes {
        // Boxed, because an `async fn` cannot contain itself.
        done.add(Box::pin(delete_at_once(client, vec![delete], guard)).await?);
    }
    Ok(done)
}
