//! Hashtags: the photos whose captions have the same word behind a `#`, and the search of such words.

use shared::runtime::visitor::Visitor;

pub mod changes;
pub mod follow_hashtag;
pub mod hide_hashtag;
pub mod list_followed_hashtags;
pub mod list_photos_of_hashtag;
#[cfg(test)]
mod samples;
pub mod search_hashtags;
pub mod show_hashtag;
pub mod unfollow_hashtag;

/// Shows each function of the noun to a visitor.
pub fn visit<V: Visitor>(visitor: &mut V) {
    visitor.route::<follow_hashtag::FollowHashtag>();
    visitor.route::<hide_hashtag::HideHashtag>();
    visitor.route::<list_followed_hashtags::ListFollowedHashtags>();
    visitor.route::<list_photos_of_hashtag::ListPhotosOfHashtag>();
    visitor.route::<search_hashtags::SearchHashtags>();
    visitor.route::<show_hashtag::ShowHashtag>();
    visitor.route::<unfollow_hashtag::UnfollowHashtag>();
}
