//! Friendships between users.

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::{Bool, S};
use serde::{Deserialize, Serialize};

use super::keys::{FRIEND_PREFIX, user_pk};
use crate::Table;
use crate::dynamodb::Item;
use crate::values::{Timestamp, Username};

/// The maximum number of users that a user follows. finish-deletion deletes 20 friendships of the
/// follower in one transaction, so the deletion of such a user takes 250 of them.
pub const MAX_FOLLOWING: u64 = 5000;

/// The fact that one user follows another.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Friendship {
    /// The user who is followed.
    pub followed_user: Username,
    /// The follower.
    pub following_user: Username,
    /// The time at which the follower began to follow.
    pub timestamp: Timestamp,
}

/// The attribute of a friendship whose follower has muted the followed user ([`Level::Mute`]). Its
/// value is `true`. The feed of the follower reads the friendship anyway, so the mute costs it
/// nothing.
///
/// [`Level::Mute`]: crate::values::Level::Mute
pub const MUTED: &str = "muted";

/// The attribute of a friendship that began with a request, which the followed user accepted. Its
/// value is `true`. It tells whom the inbox tells of the friendship: the follower.
pub const ACCEPTED: &str = "accepted";

/// Returns the item of a friendship whose follower has muted the followed user.
#[must_use]
pub fn mark_muted(mut friendship: Item) -> Item {
    friendship.insert(MUTED.to_owned(), Bool(true));
    friendship
}

/// Returns the `Query` of the friendships in which others follow a user. It is consistent, so it
/// misses no follower.
#[must_use]
pub fn query_followers(table: &Table, followed: &Username) -> QueryFluentBuilder {
    table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :user AND begins_with(SK, :friends)")
        .expression_attribute_values(":user", S(user_pk(followed)))
        .expression_attribute_values(":friends", S(FRIEND_PREFIX.to_owned()))
        .consistent_read(true)
}

/// The relation of a caller and another user.
#[expect(clippy::struct_excessive_bools, reason = "they are the fields of an answer")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Relation {
    /// Whether the caller follows the user.
    pub follows: bool,
    /// Whether the user follows the caller.
    pub follows_you: bool,
    /// Whether the caller has asked the user, who approves followers. It is left out if it is
    /// false, and only an answer about the user and a search show it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requested: bool,
    /// Whether the caller follows the user and has muted them. It is left out if it is false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub muted: bool,
    /// Whether the caller blocks the user. It is left out if it is false, and only an answer about
    /// the user shows it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blocked: bool,
}
