//! Reactions to photos.

use shared::runtime::visitor::Visitor;

pub mod add_reaction;
pub mod changes;
pub mod erasure;
pub mod fetch_photo_and_reactions;
pub mod list_reactions_of_user;
pub mod remove_reaction;

/// Shows each function of the noun to a visitor.
pub fn visit<V: Visitor>(visitor: &mut V) {
    visitor.route::<add_reaction::AddReaction>();
    visitor.route::<fetch_photo_and_reactions::FetchPhotoAndReactions>();
    visitor.route::<list_reactions_of_user::ListReactionsOfUser>();
    visitor.route::<remove_reaction::RemoveReaction>();
}
