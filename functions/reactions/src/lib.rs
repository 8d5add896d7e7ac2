//! Reactions to photos.

pub mod add_reaction;
pub mod fetch_photo_and_reactions;
pub mod list_reactions_of_user;
pub mod remove_reaction;
