//! Blocks and mutes: what a user does to keep another one away.

use aws_sdk_dynamodb::types::AttributeValue::{self};
use serde::{Deserialize, Serialize};

use super::key::{Key, user_pk};
use crate::dynamodb::Item;
use crate::values::{Level, Timestamp, Username};

/// The prefix of the sort keys of blocks. It sorts before all of them, and they sort between the
/// requests to follow and the friendships.
pub const BLOCK_PREFIX: &str = "#BLOCK#";
/// The maximum number of users whom one user blocks, and of those whom one user mutes.
pub const MAX_BLOCKS: u64 = 1000;
/// The attribute of a user with the number of users whom they block. Answers do not show it. It
/// keeps the blocks within [`MAX_BLOCKS`]. Without it, a request about the user has no block to
/// look for.
pub const BLOCKS: &str = "blocks";
/// The attribute of a user with the number of users whom they mute. Answers do not show it.
pub const MUTES: &str = "mutes";
/// The attribute of a user with the number of users who block them. No answer shows it. Without it,
/// a write of the user has no block to check. It tells finish-deletion how many blocks it has to
/// find.
pub const BLOCKED_BY: &str = "blockedBy";

/// Returns the count of a user that includes their blocks of a level.
#[must_use]
pub const fn count_of_level(level: Level) -> &'static str {
    match level {
        Level::Block => BLOCKS,
        Level::Mute => MUTES,
    }
}

/// A block or a mute, by which one user keeps another one away. The other one is never told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Block {
    /// The user who blocks or mutes the other one.
    pub blocking_user: Username,
    /// The user who is blocked or muted.
    pub blocked_user: Username,
    /// Whether it is a block or a mute.
    pub level: Level,
    /// The time at which the level was chosen.
    pub timestamp: Timestamp,
}

impl Key {
    /// Returns the key of a [`Block`](super::Block).
    #[must_use]
    pub fn block(blocking: &Username, blocked: &Username) -> Self {
        Self::of_photos(user_pk(blocking), block_sk(blocked))
    }
}

/// Returns the sort key of every block of a user by others.
#[must_use]
pub fn block_sk(blocked: &Username) -> String {
    format!("{BLOCK_PREFIX}{blocked}")
}

/// Returns whether the item of a user says that they block somebody, or that somebody blocks them.
/// Otherwise there is no block of theirs to look for.
#[must_use]
pub fn has_blocks(user: &Item) -> bool {
    has_any(user, BLOCKS) || has_any(user, BLOCKED_BY)
}

/// Returns whether a count of a user is more than zero.
#[must_use]
pub fn has_any(user: &Item, count: &str) -> bool {
    matches!(user.get(count), Some(AttributeValue::N(number)) if !number.starts_with(['0', '-']))
}
