//! The times at which photos expire: only a photo whose picture is pending has one.

use shared::Table;
use shared::dynamodb::expiry;
use shared::entities::Key;
use shared::values::{PhotoId, Username};

use super::entity::{Entity, PictureState};
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
pub(super) fn fault(picture: &PictureState, ttl: Option<u64>) -> Option<TtlFault> {
    match (picture, ttl) {
        (PictureState::Pending, None) => Some(TtlFault::Missing),
        (PictureState::Pending, Some(ttl)) => is_overdue(ttl).then_some(TtlFault::Overdue(ttl)),
        (_, Some(ttl)) => Some(TtlFault::Unwanted(ttl)),
        (_, None) => None,
    }
}

pub(super) async fn inspect(
    table: &Table,
    username: &Username,
    photo: &PhotoId,
) -> Result<Option<PhotosFinding>, Error> {
    let Some(Ok(Entity::Photo { picture, ttl, .. })) = read::entity(table, Key::photo(username, photo)).await? else {
        return Ok(None);
    };
    let (username, photo) = (username.clone(), photo.clone());
    Ok(fault(&picture, ttl).map(|fault| PhotosFinding::Ttl { username, photo, fault }))
}
