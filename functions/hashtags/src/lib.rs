//! Hashtags: the photos whose captions have the same word behind a `#`, and the search of such words.

use shared::runtime::visitor::Visitor;

pub mod changes;
pub mod decide_hashtag;
pub mod follow_hashtag;
pub mod list_followed_hashtags;
pub mod list_hashtag_decisions;
pub mod list_photos_of_hashtag;
#[cfg(test)]
mod samples;
pub mod search_hashtags;
pub mod unfollow_hashtag;

/// Shows each function of the noun to a visitor.
pub fn visit<V: Visitor>(visitor: &mut V) {
    visitor.route::<decide_hashtag::DecideHashtag>();
    visitor.route::<follow_hashtag::FollowHashtag>();
    visitor.route::<list_followed_hashtags::ListFollowedHashtags>();
    visitor.route::<list_hashtag_decisions::ListHashtagDecisions>();
    visitor.route::<list_photos_of_hashtag::ListPhotosOfHashtag>();
    visitor.route::<search_hashtags::SearchHashtags>();
    visitor.route::<unfollow_hashtag::UnfollowHashtag>();
}
