//! Comments on photos.

use shared::runtime::visitor::Visitor;

pub mod add_comment;
pub mod changes;
pub mod delete_comment;
pub mod edit_comment;
pub mod erasure;
pub mod like_comment;
pub mod list_comments;
pub mod list_comments_of_user;
pub mod list_top_comments;
pub mod text;
pub mod unlike_comment;
mod view;

/// Shows each function of the noun to a visitor.
pub fn visit<V: Visitor>(visitor: &mut V) {
    visitor.route::<add_comment::AddComment>();
    visitor.route::<delete_comment::DeleteComment>();
    visitor.route::<edit_comment::EditComment>();
    visitor.route::<like_comment::LikeComment>();
    visitor.route::<list_comments::ListComments>();
    visitor.route::<list_comments_of_user::ListCommentsOfUser>();
    visitor.route::<list_top_comments::ListTopComments>();
    visitor.route::<unlike_comment::UnlikeComment>();
}
