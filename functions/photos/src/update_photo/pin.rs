//! The comment that a patch pins.

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::Update;
use shared::access::no_block;
use shared::dynamodb::transaction::{Transaction, Write};
use shared::entities::{Key, PINNED};
use shared::http::fields::Patch;
use shared::values::{AnsweredComment, CommentId, PhotoId, Timestamp, Username};
use shared::{Error, Table};

use super::before::Before;
use super::changes::Changes;

/// Adds the updates of the comment that is pinned from now on, and of the one that was. Returns the writes that fail if
/// there is no such comment for the owner: the update of the first one, and the checks that there is no block
/// between the owner and its author.
pub(super) fn pin(
    table: &Table,
    owner: &Username,
    photo: &PhotoId,
    changes: &Changes,
    before: &Before,
    transaction: &mut Transaction,
) -> Result<Vec<Write>, Error> {
    let new = match &changes.pinned_comment {
        Patch::Keep => return Ok(vec![]),
        Patch::Remove => None,
        Patch::Set(AnsweredComment(comment)) => Some(comment),
    };
    let old = before.pinned_comment();
    if new == old {
        return Ok(vec![]);
    }
    let update = |comment: &CommentId| {
        Update::builder()
            .table_name(&table.name)
            .set_key(Some(Key::comment(comment, owner, photo).into()))
            .expression_attribute_names("#pinned", PINNED)
    };
    if let Some(old) = old {
        let unpin = update(old).condition_expression("attribute_exists(PK)").update_expression("REMOVE #pinned");
        transaction.update(unpin.build()?);
    }
    let Some(new) = new else { return Ok(vec![]) };
    let pin = update(new)
        // A tombstone has no author.
        .condition_expression("attribute_exists(author) AND attribute_not_exists(removed)")
        .update_expression("SET #pinned = :now")
        .expression_attribute_values(":now", S(Timestamp::now().to_string()));
    let mut writes = vec![transaction.update(pin.build()?)];
    if new.author != *owner {
        for (one, other) in [(owner, &new.author), (&new.author, owner)] {
            writes.push(transaction.condition_check(no_block(&table.name, one, other)?));
        }
    }
    Ok(writes)
}
