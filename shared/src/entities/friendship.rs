//! Friendships between users.

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::{Bool, S};
use serde::{Deserialize, Serialize};

use super::key::{Key, user_pk};
use crate::Table;
use crate::dynamodb::Item;
use crate::values::{Timestamp, Username};

/// The prefix of the sort keys of friendships. It sorts before all of them.
pub const FRIEND_PREFIX: &str = "#FRIEND#";
/// A sort key after those of all friendships: `$` follows `#`.
pub const AFTER_FRIENDS: &str = "#FRIEND$";
/// The maximum number of users that a user follows. finish-deletion deletes 20 friendships of the
/// follower in one transaction, so the deletion of such a user takes 250 of them.
pub const MAX_FOLLOWING: u64 = 5000;

/// The fact that one user follows another.
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
/// The attribute of a friendship whose follower is told of new photos. Its value is the name of the
/// followed user, which makes the entry of [`ALERTS_BY_AUTHOR`]. Other friendships have none, so they
/// cost nothing in that index.
pub const ALERTS_OF: &str = "alertsOf";
/// The global secondary index of the friendships with alerts: [`ALERTS_OF`] is its partition key, and
/// `followingUser` its sort key.
pub const ALERTS_BY_AUTHOR: &str = "AlertsByAuthor";

impl Key {
    /// Returns the key of a [`Friendship`](super::Friendship).
    #[must_use]
    pub fn friendship(followed: &Username, following: &Username) -> Self {
        Self::of_photos(user_pk(followed), friend_sk(following))
    }
}

/// Returns the sort key of every friendship in which a user is the follower.
#[must_use]
pub fn friend_sk(following: &Username) -> String {
    format!("{FRIEND_PREFIX}{following}")
}

/// Returns the item of a friendship whose follower has muted the followed user.
#[must_use]
pub fn mark_muted(mut friendship: Item) -> Item {
    friendship.insert(MUTED.to_owned(), Bool(true));
    friendship
}

/// Returns the item of a friendship whose follower is told of new photos.
#[must_use]
pub fn mark_alerts(mut friendship: Item, followed: &Username) -> Item {
    friendship.insert(ALERTS_OF.to_owned(), S(followed.to_string()));
    friendship
}

/// Returns the `Query` of the index of the followers whom an author's new photos alert. Each entry has
/// `followingUser`.
#[must_use]
pub fn query_alerted(table: &Table, author: &Username) -> QueryFluentBuilder {
    table
        .client
        .query()
        .table_name(&table.name)
        .index_name(ALERTS_BY_AUTHOR)
        .key_condition_expression("alertsOf = :author")
        .expression_attribute_values(":author", S(author.to_string()))
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
