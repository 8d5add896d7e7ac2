//! The rules of who sees what: the relations of a caller to other users, the photos that a caller may
//! see, and the conditions of a write to a photo of somebody else.

mod blocks;
mod inbox;
mod likes;
mod news;
mod relation;
mod relations;
mod response;
mod visible;

pub use blocks::{is_blocked, is_in_a_block};
pub use inbox::{in_inbox, people, shows, visible_in_inbox};
pub use likes::own_likes;
pub use news::{Found, MAX_NEWS_ITEMS, News, news};
pub use relation::Relation;
pub use relations::Relations;
pub use response::{Access, IS_READY, no_block};
pub use visible::Visible;
