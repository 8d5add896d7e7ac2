//! The reads of blocks, for answers that read neither the caller nor the owner of what they show.

use crate::dynamodb::entity;
use crate::entities::{Block, Key, has_blocks};
use crate::values::{Level, Username};
use crate::{Error, Table};

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
