//! The comment that a patch pins.

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::Update;
use shared::dynamodb::transaction::{Transaction, Write};
use shared::entities::{Key, PINNED};
use shared::http::fields::Patch;
use shared::values::{AnsweredComment, CommentId, PhotoId, Timestamp, Username};
use shared::{Error, Table};

use super::before::Before;
use super::changes::Changes;

/// Adds the updates of the comment that is pinned from now on, and of the one that was. Returns that of
/// the first one.
pub(super) fn pin(
    table: &Table,
    owner: &Username,
    photo: &PhotoId,
    changes: &Changes,
    before: &Before,
    transaction: &mut Transaction,
) -> Result<Option<Write>, Error> {
    let new = match &changes.pinned_comment {
        Patch::Keep => return Ok(None),
        Patch::Remove => None,
        Patch::Set(AnsweredComment(comment)) => Some(comment),
    };
    let old = before.pinned_comment();
    if new == old {
        return Ok(None);
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
    let Some(new) = new else { return Ok(None) };
    let pin = update(new)
        // A tombstone has no author.
        .condition_expression("attribute_exists(author) AND attribute_not_exists(removed)")
        .update_expression("SET #pinned = :now")
        .expression_attribute_values(":now", S(Timestamp::now().to_string()));
    Ok(Some(transaction.update(pin.build()?)))
}
