//! Followers, and requests to follow.

pub mod accept_follow_request;
pub mod decline_follow_request;
pub mod fetch_user_and_followers;
pub mod find_and_enrich_following;
pub mod find_following;
pub mod follow_user;
pub mod list_follow_requests;
pub mod unfollow_user;
