//! The times at which photos expire: only a photo whose picture is pending has one.

use shared::Table;
use shared::dynamodb::expiry;
use shared::entities::{Key, Photo, Picture, Position};

use super::entity::Entity;
use crate::audit::error::Error;
use crate::audit::finding::{PhotosFinding, TtlFault};
use crate::audit::read;

/// The time after which an expired item is a finding, in seconds: a week. DynamoDB deletes it
/// within [a few days](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html).
const MAX_DELAY_SECONDS: u64 = 7 * 24 * 60 * 60;

/// Returns whether DynamoDB should have deleted an item with this `ttl` a week ago.
pub(super) fn is_overdue(ttl: u64) -> bool {
    expiry::is_over(ttl.saturating_add(MAX_DELAY_SECONDS))
}

/// Returns what is wrong with the `ttl` of a photo.
pub(super) fn fault(photo: &Photo) -> Option<TtlFault> {
    match (&photo.picture, photo.ttl) {
        (Some(Picture::Pending), None) => Some(TtlFault::Missing),
        (Some(Picture::Pending), Some(ttl)) => is_overdue(ttl).then_some(TtlFault::Overdue(ttl)),
        (_, Some(ttl)) => Some(TtlFault::Unwanted(ttl)),
        (_, None) => None,
    }
}

pub(super) async fn inspect(table: &Table, position: &Position) -> Result<Option<PhotosFinding>, Error> {
    let Some(Ok(Entity::Photo { photo, .. })) = read::entity(table, Key::photo(&position.author, &position.id)).await?
    else {
        return Ok(None);
    };
    Ok(fault(&photo).map(|fault| PhotosFinding::Ttl { photo: position.clone(), fault }))
}
