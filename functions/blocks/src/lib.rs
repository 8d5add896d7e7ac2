//! Blocks and mutes of users.

use shared::runtime::visitor::Visitor;

pub mod block_user;
pub mod erasure;
pub mod list_blocks;
pub mod other;
pub mod unblock_user;

/// Shows each function of the noun to a visitor.
pub fn visit<V: Visitor>(visitor: &mut V) {
    visitor.route::<block_user::BlockUser>();
    visitor.route::<list_blocks::ListBlocks>();
    visitor.route::<unblock_user::UnblockUser>();
}
