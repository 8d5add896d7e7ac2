//! Blocks and mutes: what a user does to keep another one away.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};

use super::keys::Key;
use crate::dynamodb::{Item, entity};
use crate::values::{Level, Timestamp, Username};
use crate::{Error, Table};

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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// Returns whether the caller blocks anybody, or anybody blocks the caller, for an answer that
/// shows several people. One eventually consistent `GetItem` reads the caller, for half a read
/// unit.
pub async fn is_in_a_block(table: &Table, caller: &Username) -> Result<bool, Error> {
    let get = table.client.get_item().table_name(&table.name).set_key(Some(Key::user(caller).into()));
    Ok(get.send().await?.item.is_some_and(|caller| has_blocks(&caller)))
}

/// Returns whether `owner` blocks the caller, for an answer about what belongs to `owner` that does
/// not read the owner's item. One eventually consistent `GetItem` reads the block, for half a read
/// unit. It sends none if the caller is the owner.
pub async fn is_blocked(table: &Table, owner: &Username, caller: &Username) -> Result<bool, Error> {
    if owner == caller {
        return Ok(false);
    }
    let get = table.client.get_item().table_name(&table.name).set_key(Some(Key::block(owner, caller).into()));
    let block: Option<Block> = get.send().await?.item.map(entity::from_item).transpose()?;
    Ok(block.is_some_and(|block| block.level == Level::Block))
}
