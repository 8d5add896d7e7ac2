//! The inverted index of `quick-photos`.

use aws_sdk_dynamodb::types::AttributeValue::S;

use super::block::BLOCK_PREFIX;
use super::comment::comment_of_key;
use super::friendship::FRIEND_PREFIX;
use super::key::{PK, SK, USER_PREFIX};
use super::kind::Kind;
use super::reaction::REACTION_PREFIX;
use crate::dynamodb::Item;

/// The global secondary index whose partition key is [`SK`](super::SK) and whose sort key is [`PK`](super::PK).
///
/// DynamoDB [projects](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Projection.html) at most 20
/// attributes into an index. So this one projects none that the key tells: see [`from_inverted_index`].
pub const INVERTED_INDEX: &str = "InvertedIndex";

/// Returns an entry of [`INVERTED_INDEX`] with the attributes that its key tells, which the item in the table
/// has: both users of a friendship and of a block, the user and the type of a reaction, and the author of a
/// comment and the comment that it answers. A tombstone has none of them.
#[must_use]
pub fn from_inverted_index(mut entry: Item) -> Item {
    let of_key = |name: &str, prefix: &str| Some(entry.get(name)?.as_s().ok()?.strip_prefix(prefix)?.to_owned());
    let (pk, sk) = (|prefix: &str| of_key(PK, prefix), |prefix: &str| of_key(SK, prefix));
    let told = match Kind::of(&entry) {
        Some(Kind::Friendship) => [("followedUser", pk(USER_PREFIX)), ("followingUser", sk(FRIEND_PREFIX))],
        Some(Kind::Block) => [("blockingUser", pk(USER_PREFIX)), ("blockedUser", sk(BLOCK_PREFIX))],
        Some(Kind::Reaction) => {
            let key = pk(REACTION_PREFIX).unwrap_or_default();
            let (user, reaction) = key.rsplit_once('#').unzip();
            [("reactingUser", user.map(str::to_owned)), ("reactionType", reaction.map(str::to_owned))]
        }
        Some(Kind::Comment) if entry.contains_key("text") => {
            let id = comment_of_key(&entry).ok().map(|(id, ..)| id);
            let answered = id.as_ref().and_then(|id| id.reply_to.as_ref()).map(ToString::to_string);
            [("author", id.map(|id| id.author.to_string())), ("replyTo", answered)]
        }
        _ => return entry,
    };
    entry.extend(told.into_iter().filter_map(|(name, value)| Some((name.to_owned(), S(value?)))));
    entry
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::*;
    use crate::dynamodb::entity;
    use crate::entities::{Block, Comment, Friendship, Key, Reaction};
    use crate::values::{CommentId, Level, PhotoId, ReactionType, Timestamp, Username};

    fn item(key: Key, entity: &impl Serialize) -> Item {
        entity::to_item(key, entity).unwrap()
    }

    #[test]
    fn an_entry_has_what_its_key_tells() {
        let (ada, ben): (Username, Username) = ("ada".parse().unwrap(), "b-en".parse().unwrap());
        let (id, timestamp): (PhotoId, _) = ("2024-05-30T15:42:38".parse().unwrap(), Timestamp::now());
        let answered = CommentId::new(timestamp.clone(), "cara".parse().unwrap());
        let comments = [answered.clone(), answered.reply(Timestamp::now(), ben.clone())].map(|comment| {
            let text = Comment::new(comment.clone(), "Where is this?".to_owned());
            item(Key::comment(&comment, &ada, &id), &text)
        });
        let key = Key::reaction(&ben, ReactionType::Heart, &ada, &id);
        let reaction = Reaction {
            reacting_user: ben.clone(),
            reaction_type: ReactionType::Heart,
            photo: crate::entities::photo_sk(&ada, &id),
            timestamp: timestamp.clone(),
        };
        let reactions = [key.clone(), key.sharded()].map(|key| item(key, &reaction));
        let key = Key::friendship(&ada, &ben);
        let friendship =
            Friendship { followed_user: ada.clone(), following_user: ben.clone(), timestamp: timestamp.clone() };
        let friendship = item(key, &friendship);
        let key = Key::block(&ada, &ben);
        let block = item(key, &Block { blocking_user: ada, blocked_user: ben, level: Level::Mute, timestamp });
        for item in comments.into_iter().chain(reactions).chain([friendship, block]) {
            let mut entry = item.clone();
            entry.retain(|name, _| {
                !["followedUser", "followingUser", "blockingUser", "blockedUser"].contains(&name.as_str())
                    && !["reactingUser", "reactionType", "author", "replyTo"].contains(&name.as_str())
            });
            assert!(entry.len() < item.len(), "{item:?}");
            assert_eq!(from_inverted_index(entry), item);
        }
    }
}
