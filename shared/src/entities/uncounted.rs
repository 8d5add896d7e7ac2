//! Reactions, comments and friendships that the count of their photo or their followed user does
//! not include yet.
//!
//! add-reaction, add-comment and follow-user write such an item, with a mark, when too many
//! requests write the item with the count. process-changes adds it up: one transaction removes the
//! mark and adds to the count. So an item has the mark exactly as long as the count does not
//! include it.

use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};
use aws_sdk_dynamodb::types::{Delete, ReturnValuesOnConditionCheckFailure, Update};

use crate::Error;
use crate::dynamodb::counter::{self, Decrement, Guard, Removal};
use crate::dynamodb::{Item, Table};
use crate::values::Timestamp;

/// The attribute that marks an item as uncounted. Its value is `true`.
pub const UNCOUNTED: &str = "uncounted";
/// The condition that an item has the mark.
pub const IS_UNCOUNTED: &str = "attribute_exists(uncounted)";
/// The condition that a photo or a user counts what is given at the time `:given`, its only value.
///
/// A tombstone counts nothing: it has no `username`. An imported photo can have the key of an
/// earlier one, and counts nothing that was given to that one
/// ([`Photo::responses_since`](super::Photo::responses_since)).
pub const COUNTS_RESPONSES: &str = "attribute_exists(username) AND NOT responsesSince > :given";
/// The retry budget of [`delete_counted`]: the maximum number of transactions. A mark is removed
/// once, so more than three are needed only if other requests delete the item and put it again, or
/// reply to a comment and take that back.
const MAX_REVISIONS: u32 = 10;

/// Returns an item with the mark.
#[must_use]
pub fn mark_uncounted(mut item: Item) -> Item {
    item.insert(UNCOUNTED.to_owned(), AttributeValue::Bool(true));
    item
}

/// A reaction, a comment, a like or a friendship to delete.
#[derive(Debug, Clone)]
pub struct CountedItem {
    /// The primary key.
    pub key: Item,
    /// The decrement of the count that includes the item if it has no mark, or `None` if no count
    /// does.
    pub if_counted: Option<Decrement>,
    /// The decrements of what includes the item with the mark too: the count of the users whom a
    /// follower follows, that of the comments that an author has written, that of the replies to a
    /// comment, or the caller's engagement.
    pub always: Vec<Decrement>,
    /// The attributes that say what goes with the item: counts, such as that of the replies to a comment,
    /// and marks. While one of them says that there is something, a tombstone replaces the item.
    pub dependents: &'static [&'static str],
}

/// The state of an item that the write that removes it supposes.
#[derive(Clone, Copy)]
struct State {
    is_counted: bool,
    has_dependents: bool,
}

impl State {
    /// Returns the state of an item, or `None` for a tombstone.
    fn of(item: &Item, dependents: &[&str]) -> Option<Self> {
        let has_dependents = dependents.iter().any(|name| match item.get(*name) {
            None => false,
            Some(N(count)) => count != "0",
            Some(_) => true,
        });
        (!item.contains_key("erasing")).then(|| Self { is_counted: !item.contains_key(UNCOUNTED), has_dependents })
    }
}

impl CountedItem {
    /// Returns the write that removes the item in this state, and with `given` only if it has the mark
    /// and was given at this time.
    fn removal(
        &self,
        table: &Table,
        State { is_counted, has_dependents }: State,
        given: Option<&Timestamp>,
    ) -> Result<(Removal, Vec<Decrement>), Error> {
        let is_counted_so = match given {
            Some(_) => "attribute_exists(uncounted) AND #given = :given",
            None if is_counted => "attribute_exists(PK) AND attribute_not_exists(uncounted)",
            None => IS_UNCOUNTED,
        };
        let names = given.map(|_| [("#given".to_owned(), "timestamp".to_owned())].into());
        let values = given.map(|given| [(":given".to_owned(), S(given.to_string()))].into());
        let removal = if has_dependents {
            let update = Update::builder()
                .table_name(&table.name)
                .set_key(Some(self.key.clone()))
                .condition_expression(format!("attribute_exists(author) AND {is_counted_so}"))
                .update_expression(
                    "SET erasing = author, since = :now REMOVE author, #text, edited, removed, replyTo, uncounted",
                )
                .set_expression_attribute_names(names)
                .expression_attribute_names("#text", "text")
                .set_expression_attribute_values(values)
                .expression_attribute_values(":now", S(Timestamp::now().to_string()))
                .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
            Removal::from(update.build()?)
        } else {
            let delete = Delete::builder()
                .table_name(&table.name)
                .set_key(Some(self.key.clone()))
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
            let delete = if self.dependents.is_empty() {
                delete.condition_expression(is_counted_so)
            } else {
                let is_none = |name: &&str| format!(" AND (attribute_not_exists({name}) OR {name} = :zero)");
                let none: String = self.dependents.iter().map(is_none).collect();
                delete
                    .condition_expression(format!("{is_counted_so} AND attribute_not_exists(erasing){none}"))
                    .expression_attribute_values(":zero", N("0".to_owned()))
            };
            Removal::from(delete.build()?)
        };
        let decrements = self.if_counted.iter().filter(|_| is_counted).chain(&self.always);
        Ok((removal, decrements.cloned().collect()))
    }
}

/// Deletes reactions, comments or friendships and decrements the counts that include them, in one
/// transaction. Items that turn out to have the mark, or dependents, are removed in a second one, without the
/// decrement of the count that does not include them. Returns the number of items that it has
/// removed.
///
/// The items and the different decrements together must be at most 100, as for
/// [`counter::delete_and_decrement`], and so is the `guard`. The call may be repeated.
pub async fn delete_counted(table: &Table, items: Vec<CountedItem>, guard: Option<&Guard<'_>>) -> Result<usize, Error> {
    delete(table, items.into_iter().map(|item| (item, None)).collect(), guard).await
}

/// Deletes items as [`delete_counted`] does, each only if it has the mark and was given at this time.
pub async fn delete_uncounted(table: &Table, items: Vec<(CountedItem, Timestamp)>) -> Result<(), Error> {
    delete(table, items.into_iter().map(|(item, given)| (item, Some(given))).collect(), None).await.map(drop)
}

async fn delete(
    table: &Table,
    items: Vec<(CountedItem, Option<Timestamp>)>,
    guard: Option<&Guard<'_>>,
) -> Result<usize, Error> {
    let mut number = 0;
    let mut left: Vec<(CountedItem, Option<Timestamp>, State)> = items
        .into_iter()
        .map(|(item, given)| {
            let state = State { is_counted: given.is_none(), has_dependents: false };
            (item, given, state)
        })
        .collect();
    for _ in 0..MAX_REVISIONS {
        let removals = left.iter().map(|(item, given, state)| item.removal(table, *state, given.as_ref()));
        let removals = removals.collect::<Result<_, _>>()?;
        let done = counter::delete_and_decrement(&table.client, removals, guard).await?;
        number += done.number;
        let found = left.into_iter().filter_map(|(item, given, _)| {
            let other = done.left.iter().find(|other| has_key(other, &item.key))?;
            let is_another = |given: &Timestamp| other.get("timestamp") != Some(&S(given.to_string()));
            let state = State::of(other, item.dependents)?;
            let is_left = given.as_ref().is_none_or(|given| !state.is_counted && !is_another(given));
            is_left.then_some((item, given, state))
        });
        left = found.collect();
        if left.is_empty() {
            return Ok(number);
        }
    }
    Err(Error::Busy("the items changed before each attempt to delete them".into()))
}

fn has_key(item: &Item, key: &Item) -> bool {
    key.iter().all(|(name, value)| item.get(name) == Some(value))
}
