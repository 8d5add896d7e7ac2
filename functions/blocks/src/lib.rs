//! Blocks and mutes of users.

pub mod block_user;
pub mod list_blocks;
pub mod unblock_user;
