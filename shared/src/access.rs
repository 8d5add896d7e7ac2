//! Who sees what, and who may do what: the relations of a caller to other users, the photos that a
//! caller may see, the conditions of a write to a photo of somebody else, and the groups of the user
//! pool.

mod blocks;
mod groups;
mod relation;
mod relations;
mod response;
mod visible;

pub use blocks::{is_blocked, is_in_a_block};
pub use groups::{EDITORS, MODERATORS};
pub use relation::Relation;
pub use relations::Relations;
pub use response::{Access, IS_READY, no_block};
pub use visible::Visible;
