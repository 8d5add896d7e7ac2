//! What an item of the table is.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use serde::de::DeserializeOwned;
use shared::items::Item;
use shared::photos::{Deletion, Friendship, Key, PK, Photo, Reaction, SK, User, reaction_pk};
use shared::values::{ReactionType, Timestamp, Username};

/// The attributes that an audit reads: what it compares, and what no function can do without. What is private of a user
/// is not among them.
const ATTRIBUTES: [&str; 17] = [
    PK,
    SK,
    "username",
    "name",
    "followers",
    "following",
    "pinnedImage",
    "timestamp",
    "location",
    "reactions",
    "reactingUser",
    "reactionType",
    "photo",
    "followedUser",
    "followingUser",
    "erasing",
    "since",
];

/// A sort key has at most so many bytes.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-partition-sort-keys>
const LONGEST_SORT_KEY: usize = 1024;

/// The projection expression for [`ATTRIBUTES`]. Some of them are reserved words, so all have placeholders.
pub(super) fn projection() -> (String, HashMap<String, String>) {
    let names: HashMap<_, _> = ATTRIBUTES.iter().map(|name| (format!("#{name}"), (*name).to_owned())).collect();
    (names.keys().cloned().collect::<Vec<_>>().join(", "), names)
}

/// An item that fits.
#[derive(Debug)]
pub(super) enum Entity {
    /// Counts may be missing, and are 0 then; or below 0, which no function can read, but which can be mended.
    User {
        username: Username,
        followers: Option<i64>,
        following: Option<i64>,
        pinned: Option<String>,
    },
    Deletion(Deletion),
    Photo {
        username: Username,
        timestamp: Timestamp,
        reactions: BTreeMap<ReactionType, i64>,
    },
    Reaction {
        reacting: Username,
        reaction: ReactionType,
        photo: String,
    },
    Friendship {
        followed: Username,
        following: Username,
    },
}

/// Reads an item as the entity whose attributes and key it has, or says why that is none.
pub(super) fn read(mut item: Item) -> Result<Entity, String> {
    let keys: Item = [PK, SK].into_iter().filter_map(|name| Some((name.to_owned(), item.get(name)?.clone()))).collect();
    let is_at = |key: Key, what: &str| {
        if Item::from(key) == keys {
            Ok(())
        } else {
            Err(format!("it is a {what} by its attributes, but not by its key"))
        }
    };

    if item.contains_key("erasing") {
        let deletion: Deletion = parsed(item)?;
        is_at(Key::user(&deletion.erasing), "deletion")?;
        return Ok(Entity::Deletion(deletion));
    }
    if item.contains_key("followedUser") {
        let friendship: Friendship = parsed(item)?;
        let (followed, following) = (friendship.followed_user, friendship.following_user);
        is_at(Key::friendship(&followed, &following), "friendship")?;
        return Ok(Entity::Friendship { followed, following });
    }
    if item.contains_key("reactingUser") {
        let reaction: Reaction = parsed(item)?;
        // The whole key: its owner is not an attribute, so that `Key::reaction` can't make it.
        let own = reaction_key(&reaction.reacting_user, reaction.reaction_type, &reaction.photo);
        if own != keys {
            return Err("it is a reaction by its attributes, but not by its key".to_owned());
        }
        return Ok(Entity::Reaction {
            reacting: reaction.reacting_user,
            reaction: reaction.reaction_type,
            photo: reaction.photo,
        });
    }
    if item.contains_key("reactions") {
        let reactions = item.insert("reactions".to_owned(), AttributeValue::M(HashMap::new()));
        let reactions = serde_dynamo::from_attribute_value(reactions.unwrap_or(AttributeValue::Null(true)))
            .map_err(|error| format!("reactions: {error}"))?;
        let photo: Photo = parsed(item)?;
        is_at(Key::photo(&photo.username, &photo.timestamp), "photo")?;
        return Ok(Entity::Photo { username: photo.username, timestamp: photo.timestamp, reactions });
    }
    if item.contains_key("username") {
        let (followers, following) = (count(&mut item, "followers")?, count(&mut item, "following")?);
        let user: User = parsed(item)?;
        is_at(Key::user(&user.username), "user")?;
        if user.pinned_image.as_ref().is_some_and(|sk| sk.is_empty() || sk.len() > LONGEST_SORT_KEY) {
            return Err("pinnedImage can't be a sort key".to_owned());
        }
        return Ok(Entity::User { username: user.username, followers, following, pinned: user.pinned_image });
    }
    Err("it has the attributes of no entity".to_owned())
}

/// The key of a reaction, by the sort key of its photo.
pub(super) fn reaction_key(reacting: &Username, reaction: ReactionType, photo: &str) -> Item {
    key(reaction_pk(reacting, reaction), photo.to_owned())
}

/// The key attributes.
pub(super) fn key(pk: String, sk: String) -> Item {
    Item::from([(PK.to_owned(), AttributeValue::S(pk)), (SK.to_owned(), AttributeValue::S(sk))])
}

fn parsed<T: DeserializeOwned>(item: Item) -> Result<T, String> {
    serde_dynamo::from_item(item).map_err(|error| error.to_string())
}

fn count(item: &mut Item, name: &str) -> Result<Option<i64>, String> {
    let count = item.remove(name).map(serde_dynamo::from_attribute_value).transpose();
    count.map_err(|error| format!("{name}: {error}"))
}
