//! Private favorites, their tags, and search.

pub mod clip_favorite;
pub mod create_tag;
pub mod delete_tag;
pub mod get_favorite;
pub mod get_tag;
pub mod index_favorite;
pub mod list_favorites;
pub mod list_favorites_by_tag;
pub mod list_favorites_by_tag_and_type;
pub mod list_favorites_by_type;
pub mod list_tags;
pub mod list_tags_of_favorite;
pub mod purge_deleted_tag;
pub mod rename_tag;
pub mod restore_favorite;
pub mod search_favorites;
pub mod tag_favorite;
pub mod unclip_favorite;
pub mod untag_favorite;
