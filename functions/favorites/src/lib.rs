//! Private favorites, their tags, and search.

use shared::runtime::visitor::Visitor;

pub mod clip_favorite;
pub mod create_tag;
pub mod delete_tag;
pub mod erasure;
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
pub mod save_photo;
pub mod saved_photo;
pub mod search_favorites;
pub mod tag_favorite;
pub mod unclip_favorite;
pub mod unsave_photo;
pub mod untag_favorite;

/// Shows each function of the noun to a visitor.
pub fn visit<V: Visitor>(visitor: &mut V) {
    visitor.route::<clip_favorite::ClipFavorite>();
    visitor.route::<create_tag::CreateTag>();
    visitor.route::<delete_tag::DeleteTag>();
    visitor.route::<get_favorite::GetFavorite>();
    visitor.route::<get_tag::GetTag>();
    visitor.records::<index_favorite::IndexFavorite>();
    visitor.route::<list_favorites::ListFavorites>();
    visitor.route::<list_favorites_by_tag::ListFavoritesByTag>();
    visitor.route::<list_favorites_by_tag_and_type::ListFavoritesByTagAndType>();
    visitor.route::<list_favorites_by_type::ListFavoritesByType>();
    visitor.route::<list_tags::ListTags>();
    visitor.route::<list_tags_of_favorite::ListTagsOfFavorite>();
    visitor.records::<purge_deleted_tag::PurgeDeletedTag>();
    visitor.route::<rename_tag::RenameTag>();
    visitor.route::<restore_favorite::RestoreFavorite>();
    visitor.route::<save_photo::SavePhoto>();
    visitor.route::<search_favorites::SearchFavorites>();
    visitor.route::<tag_favorite::TagFavorite>();
    visitor.route::<unclip_favorite::UnclipFavorite>();
    visitor.route::<unsave_photo::UnsavePhoto>();
    visitor.route::<untag_favorite::UntagFavorite>();
}
