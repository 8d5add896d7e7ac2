//! Followers, and requests to follow.

use shared::runtime::visitor::Visitor;

pub mod accept_follow_request;
pub mod changes;
pub mod decline_follow_request;
pub mod delete_alerts;
pub mod erasure;
pub mod fetch_user_and_followers;
pub mod find_and_enrich_following;
pub mod find_following;
pub mod follow_user;
pub mod follower;
pub mod list_follow_requests;
pub mod put_alerts;
pub mod unfollow_user;

/// Shows each function of the noun to a visitor.
pub fn visit<V: Visitor>(visitor: &mut V) {
    visitor.route::<accept_follow_request::AcceptFollowRequest>();
    visitor.route::<decline_follow_request::DeclineFollowRequest>();
    visitor.route::<delete_alerts::DeleteAlerts>();
    visitor.route::<fetch_user_and_followers::FetchUserAndFollowers>();
    visitor.route::<find_and_enrich_following::FindAndEnrichFollowing>();
    visitor.route::<find_following::FindFollowing>();
    visitor.route::<follow_user::FollowUser>();
    visitor.route::<list_follow_requests::ListFollowRequests>();
    visitor.route::<put_alerts::PutAlerts>();
    visitor.route::<unfollow_user::UnfollowUser>();
}
