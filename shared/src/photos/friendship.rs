//! Friendships between users.

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};

use super::keys::{FRIEND_PREFIX, user_pk};
use crate::Table;
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
