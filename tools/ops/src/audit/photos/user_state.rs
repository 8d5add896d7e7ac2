//! The item with a user's key.

use shared::Table;
use shared::entities::Key;
use shared::values::Username;

use super::entity::Entity;
use crate::audit::error::Error;
use crate::audit::read;

/// The item with a user's key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum UserState {
    Absent,
    Deletion,
    /// A user, or a malformed item. The items of a malformed user are not orphans: somebody can
    /// repair the user.
    Present,
}

/// Reads the item with a user's key consistently.
pub(super) async fn user_state(table: &Table, username: &Username) -> Result<UserState, Error> {
    Ok(match read::entity(table, Key::user(username)).await? {
        None => UserState::Absent,
        Some(Ok(Entity::Deletion { .. })) => UserState::Deletion,
        Some(_) => UserState::Present,
    })
}
