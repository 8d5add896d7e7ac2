//! Friendships between users.

use std::collections::{BTreeSet, HashSet};

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};

use super::follow_request::FollowRequest;
use super::keys::{FRIEND_PREFIX, Key, is_friendship, user_pk};
use crate::dynamodb::{Item, batch, entity};
use crate::values::{PageParts, Timestamp, Username};
use crate::{Error, Table};

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

/// Whether a caller and another user follow each other.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Relation {
    /// Whether the caller follows the user.
    pub follows: bool,
    /// Whether the user follows the caller.
    pub follows_you: bool,
    /// Whether the caller has asked the user, who approves followers. It is left out if it is false,
    /// and only an answer about the user and a search show it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requested: bool,
}

impl PageParts {
    /// Returns the maximum number of people on a page, so that one `BatchGetItem` reads all parts.
    #[must_use]
    pub fn max_people(self) -> i32 {
        let keys_per_person = usize::from(self.people) + 2 * usize::from(self.viewer);
        i32::try_from(batch::MAX_GET_KEYS / keys_per_person.max(1)).unwrap_or(i32::MAX)
    }

    /// Returns the keys of the items that the parts need of these people: the user, and the
    /// friendships between the user and the caller in both directions.
    #[must_use]
    pub fn keys<'a>(self, caller: &Username, people: impl IntoIterator<Item = &'a Username>) -> Vec<Item> {
        let people: BTreeSet<&Username> = people.into_iter().collect();
        let keys = people.into_iter().flat_map(|person| {
            let user = self.people.then(|| Key::user(person));
            let friendships = if self.viewer { Relations::keys(caller, person) } else { vec![] };
            user.into_iter().chain(friendships).map(Item::from)
        });
        keys.collect()
    }
}

/// The friendships between a caller and other users, and the caller's requests to follow, as far as
/// they were read.
#[derive(Debug, Clone, Default)]
pub struct Relations {
    /// The pairs of the followed user and the follower.
    friendships: HashSet<(Username, Username)>,
    /// The users whom the caller has asked.
    asked: HashSet<Username>,
}

impl Relations {
    /// Returns the keys of the friendships between a caller and another user, in both directions.
    /// Nobody follows themself, but for some old friendships, so for the caller there are none.
    #[must_use]
    pub fn keys(caller: &Username, user: &Username) -> Vec<Key> {
        if caller == user {
            return vec![];
        }
        vec![Key::friendship(user, caller), Key::friendship(caller, user)]
    }

    /// Returns the friendships among items. Other items are left out.
    pub fn from_items(items: &[Item]) -> Result<Self, Error> {
        let friendships = items.iter().filter(|item| is_friendship(item));
        let pairs = friendships.map(|item| {
            let Friendship { followed_user, following_user, .. } = entity::from_item(item.clone())?;
            Ok((followed_user, following_user))
        });
        Ok(Self { friendships: pairs.collect::<Result<_, Error>>()?, asked: HashSet::new() })
    }

    /// Reads the requests of a caller to users who approve followers. It sends a request only if
    /// there are such users whom the caller does not follow.
    pub async fn read_requests<'a>(
        &mut self,
        table: &Table,
        caller: &Username,
        approving: impl IntoIterator<Item = &'a Username>,
    ) -> Result<(), Error> {
        let others = approving.into_iter().filter(|user| *user != caller && !self.between(caller, user).follows);
        let keys = others.map(|user| Key::follow_request(user, caller).into()).collect();
        for item in batch::get(table, keys, false).await? {
            self.asked.insert(entity::from_item::<FollowRequest>(item)?.asked_user);
        }
        Ok(())
    }

    /// Returns whether the caller and the user follow each other.
    #[must_use]
    pub fn between(&self, caller: &Username, user: &Username) -> Relation {
        let follows = |followed: &Username, following: &Username| {
            self.friendships.contains(&(followed.clone(), following.clone()))
        };
        let (follows, follows_you) = (follows(user, caller), follows(caller, user));
        Relation { follows, follows_you, requested: self.asked.contains(user) }
    }
}
