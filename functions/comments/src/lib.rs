//! Comments on photos.

pub mod add_comment;
pub mod delete_comment;
pub mod edit_comment;
pub mod list_comments;
