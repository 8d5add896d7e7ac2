//! Reactions, comments and friendships that the count of their photo or their followed user does
//! not include yet.
//!
//! add-reaction, add-comment and follow-user write such an item, with a mark, when too many
//! requests write the item with the count. process-changes adds it up: one transaction removes the
//! mark and adds to the count. So an item has the mark exactly as long as the count does not
//! include it.

use aws_sdk_dynamodb::types::{AttributeValue, Delete, ReturnValuesOnConditionCheckFailure};

use crate::Error;
use crate::dynamodb::counter::{self, Decrement, Guard};
use crate::dynamodb::{Item, Table};

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
/// The retry budget of [`delete_counted`]: the maximum number of times that it finds an item
/// without the mark and then with it. A mark is removed once, so more are needed only if other
/// requests delete the item and put it again.
const MAX_REVISIONS: u32 = 5;

/// Returns an item with the mark.
#[must_use]
pub fn mark_uncounted(mut item: Item) -> Item {
    item.insert(UNCOUNTED.to_owned(), AttributeValue::Bool(true));
    item
}

/// A reaction, a comment or a friendship to delete.
#[derive(Debug, Clone)]
pub struct CountedItem {
    /// The primary key.
    pub key: Item,
    /// The decrement of the count that includes the item if it has no mark, or `None` if no count
    /// does.
    pub if_counted: Option<Decrement>,
    /// The decrement of the count that includes the item with the mark too: that of the users whom
    /// a follower follows, of the comments that an author has written, or the caller's engagement.
    pub always: Option<Decrement>,
}

impl CountedItem {
    fn delete(&self, table: &Table, is_counted: bool) -> Result<(Delete, Vec<Decrement>), Error> {
        let condition =
            if is_counted { "attribute_exists(PK) AND attribute_not_exists(uncounted)" } else { IS_UNCOUNTED };
        let delete = Delete::builder()
            .table_name(&table.name)
            .set_key(Some(self.key.clone()))
            .condition_expression(condition)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()?;
        let decrements = self.if_counted.iter().filter(|_| is_counted).chain(&self.always);
        Ok((delete, decrements.cloned().collect()))
    }
}

/// Deletes reactions, comments or friendships and decrements the counts that include them, in one
/// transaction. Items that turn out to have the mark are deleted in a second one, without the
/// decrement of the count that does not include them. Returns the number of items that it has
/// deleted.
///
/// The items and the different decrements together must be at most 100, as for
/// [`counter::delete_and_decrement`], and so is the `guard`. The call may be repeated.
pub async fn delete_counted(
    table: &Table,
    mut items: Vec<CountedItem>,
    guard: Option<&Guard<'_>>,
) -> Result<usize, Error> {
    let mut number = 0;
    for _ in 0..MAX_REVISIONS {
        for is_counted in [true, false] {
            let deletes = items.iter().map(|item| item.delete(table, is_counted)).collect::<Result<_, _>>()?;
            let done = counter::delete_and_decrement(&table.client, deletes, guard).await?;
            number += done.number;
            items.retain(|item| done.left.iter().any(|other| has_key(other, &item.key)));
            if items.is_empty() {
                return Ok(number);
            }
        }
    }
    Err(Error::Busy("the items were deleted and put again before each attempt to delete them".into()))
}

fn has_key(item: &Item, key: &Item) -> bool {
    key.iter().all(|(name, value)| item.get(name) == Some(value))
}
