//! The maximum counts of users, and the decrements of the counts of photos and users. The decrements accompany the deletes of what is counted
//! ([`delete_and_decrement`](crate::dynamodb::transaction::delete_and_decrement)).
//!
//! Their conditions ask only for the count. So they also decrement the counts that a [`Deletion`](super::Deletion) and
//! a [`PhotoDeletion`](super::PhotoDeletion) keep.

use std::collections::HashMap;

use super::keys::Key;
use crate::dynamodb::transaction::Decrement;
use crate::values::{ReactionType, Timestamp, Username};

/// The maximum number of users that a user follows. finish-deletion deletes 20 friendships of the follower in one
/// transaction, so the deletion of such a user takes 250 of them.
pub const MAX_FOLLOWING: u64 = 5000;
/// The maximum number of photos of a user, with those whose deletion is not finished. finish-deletion makes three
/// requests for each, 16 photos at a time, so the deletion of such a user takes a few passes.
pub const MAX_PHOTOS: u64 = 100_000;

/// Returns the decrement of a photo's count of the reactions of one type.
#[must_use]
pub fn decrement_reaction_count(
    table_name: &str,
    username: &Username,
    timestamp: &Timestamp,
    reaction_type: ReactionType,
) -> Decrement {
    Decrement {
        table_name: table_name.to_owned(),
        key: Key::photo(username, timestamp).into(),
        condition: "reactions.#type >= :n",
        update: "SET reactions.#type = reactions.#type - :n",
        otherwise: None,
        names: Some(HashMap::from([("#type".to_owned(), reaction_type.to_string())])),
    }
}

/// Returns the decrement of a user's count of followers.
#[must_use]
pub fn decrement_followers(table_name: &str, username: &Username) -> Decrement {
    Decrement {
        table_name: table_name.to_owned(),
        key: Key::user(username).into(),
        condition: "followers >= :n",
        update: "SET followers = followers - :n",
        otherwise: None,
        names: None,
    }
}

/// Returns the decrement of the count of the users whom a user follows.
#[must_use]
pub fn decrement_following(table_name: &str, username: &Username) -> Decrement {
    Decrement {
        table_name: table_name.to_owned(),
        key: Key::user(username).into(),
        condition: "following >= :n",
        update: "SET following = following - :n",
        otherwise: None,
        names: None,
    }
}

/// Returns the decrement of a user's count of photos.
#[must_use]
pub fn decrement_photos(table_name: &str, username: &Username) -> Decrement {
    Decrement {
        table_name: table_name.to_owned(),
        key: Key::user(username).into(),
        condition: "photos >= :n",
        update: "SET photos = photos - :n",
        otherwise: None,
        names: None,
    }
}
