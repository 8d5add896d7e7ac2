//! What an item of the table is.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use shared::dynamodb::Item;
use shared::model::photos::{Deletion, Friendship, Key, Photo, Reaction, User, reaction_pk};
use shared::values::{ReactionType, Timestamp, Username};

use super::Photos;
use crate::audit::read;
use crate::audit::read::{MAX_SORT_KEY_BYTES, attribute, key, keys, parsed};

/// An item that fits.
#[derive(Debug)]
pub(in crate::audit) enum Entity {
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
    let keys = keys::<Photos>(&item);
    let is_at = |key: Key, what: &str| read::is_at::<Photos>(&keys, key, what);

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
        // Its owner is not an attribute, so that `Key::reaction` can't make it.
        let own = reaction_key(&reaction.reacting_user, reaction.reaction_type, &reaction.photo);
        read::is_at::<Photos>(&keys, own, "reaction")?;
        return Ok(Entity::Reaction {
            reacting: reaction.reacting_user,
            reaction: reaction.reaction_type,
            photo: reaction.photo,
        });
    }
    if item.contains_key("reactions") {
        // Apart, because a count below 0 is none of a Photo.
        let reactions = attribute(&mut item, "reactions")?.unwrap_or_default();
        item.insert("reactions".to_owned(), AttributeValue::M(HashMap::new()));
        let photo: Photo = parsed(item)?;
        is_at(Key::photo(&photo.username, &photo.timestamp), "photo")?;
        return Ok(Entity::Photo { username: photo.username, timestamp: photo.timestamp, reactions });
    }
    if item.contains_key("username") {
        let (followers, following) = (attribute(&mut item, "followers")?, attribute(&mut item, "following")?);
        let user: User = parsed(item)?;
        is_at(Key::user(&user.username), "user")?;
        if user.pinned_image.as_ref().is_some_and(|sk| sk.is_empty() || sk.len() > MAX_SORT_KEY_BYTES) {
            return Err("pinnedImage can't be a sort key".to_owned());
        }
        return Ok(Entity::User { username: user.username, followers, following, pinned: user.pinned_image });
    }
    Err("it has the attributes of no entity".to_owned())
}

/// The key of a reaction, by the sort key of its photo.
pub(super) fn reaction_key(reacting: &Username, reaction: ReactionType, photo: &str) -> Item {
    key::<Photos>((reaction_pk(reacting, reaction), photo.to_owned()))
}
