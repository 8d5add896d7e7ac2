//! The table `quick-photos`: what its keys look like, and what its items are.
//!
//! | entity | `PK` | `SK` |
//! |---|---|---|
//! | [`User`], or [`Deletion`] in its place | `USER#<username>` | `#METADATA#<username>` |
//! | [`Photo`] | `USER#<username>` | `PHOTO#<username>#<timestamp>` |
//! | [`Reaction`] | `REACTION#<reactingUser>#<type>` | `PHOTO#<username>#<timestamp>` |
//! | [`Friendship`] | `USER#<followedUser>` | `#FRIEND#<followingUser>` |
//!
//! `#FRIEND#` < `#METADATA#` < `PHOTO#` in byte order: from the metadata item, one Query reads upward into photos or
//! downward into followers. [`INVERTED_INDEX`] turns the two attributes round: a photo with its reactions, and whom a
//! user follows.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};

use super::entity::{from_item, to_item};
use super::keys;
use crate::dynamodb::Item;
use crate::values::{DocumentFormat, ReactionType, Timestamp, Username};
use crate::{Error, document};

/// The partition key, and the sort key of [`INVERTED_INDEX`].
pub const PK: &str = keys::QUICK_PHOTOS[0];
/// The sort key, and the partition key of [`INVERTED_INDEX`].
pub const SK: &str = keys::QUICK_PHOTOS[1];
/// The global secondary index with the keys turned round.
pub const INVERTED_INDEX: &str = "InvertedIndex";

/// The most bytes that a user's attributes may have, as DynamoDB counts.
pub const MAX_ATTRIBUTES_BYTES: usize = 32 * 1024;

/// Sorts before every friendship of a user.
pub const FRIEND_PREFIX: &str = "#FRIEND#";
/// What the sort keys of photos, and of reactions to them, begin with.
pub const PHOTO_PREFIX: &str = "PHOTO#";
/// Sorts after every photo of a user: `$` follows `#`.
pub const AFTER_PHOTOS: &str = "PHOTO$";

/// What the partition keys of users begin with: in the inverted index, it tells a photo from the reactions to it.
pub const USER_PREFIX: &str = "USER#";
/// What the partition keys of reactions begin with.
pub const REACTION_PREFIX: &str = "REACTION#";

/// The primary key of an item. Made by these constructors alone, for writes, reads, conditions and cursors alike.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    pk: String,
    sk: String,
}

impl Key {
    /// The key of a [`User`].
    #[must_use]
    pub fn user(username: &Username) -> Self {
        Self { pk: user_pk(username), sk: metadata_sk(username) }
    }

    /// The key of a [`Photo`].
    #[must_use]
    pub fn photo(username: &Username, timestamp: &Timestamp) -> Self {
        Self { pk: user_pk(username), sk: photo_sk(username, timestamp) }
    }

    /// The key of a [`Reaction`] of `reacting` to a photo.
    #[must_use]
    pub fn reaction(reacting: &Username, reaction: ReactionType, username: &Username, timestamp: &Timestamp) -> Self {
        Self { pk: reaction_pk(reacting, reaction), sk: photo_sk(username, timestamp) }
    }

    /// The key of a [`Friendship`].
    #[must_use]
    pub fn friendship(followed: &Username, following: &Username) -> Self {
        Self { pk: user_pk(followed), sk: friend_sk(following) }
    }
}

/// The key attributes, for GetItem, UpdateItem, BatchGetItem and as a start key.
impl From<Key> for Item {
    fn from(key: Key) -> Self {
        Self::from([(PK.to_owned(), AttributeValue::S(key.pk)), (SK.to_owned(), AttributeValue::S(key.sk))])
    }
}

/// Partition key of all that is a user's: the profile, photos and followers.
#[must_use]
pub fn user_pk(username: &Username) -> String {
    format!("{USER_PREFIX}{username}")
}

/// Partition key of all reactions of one type that a user gave.
#[must_use]
pub fn reaction_pk(reacting: &Username, reaction: ReactionType) -> String {
    format!("{REACTION_PREFIX}{reacting}#{reaction}")
}

/// Sort key of a user's own item.
#[must_use]
pub fn metadata_sk(username: &Username) -> String {
    format!("#METADATA#{username}")
}

/// Sort key of a photo and of every reaction to it.
#[must_use]
pub fn photo_sk(username: &Username, timestamp: &Timestamp) -> String {
    format!("{}{timestamp}", photo_sk_prefix(username))
}

/// What the sort keys of all photos of a user begin with.
#[must_use]
pub fn photo_sk_prefix(username: &Username) -> String {
    format!("{PHOTO_PREFIX}{username}#")
}

/// Sort key of every friendship in which this user is the one who follows.
#[must_use]
pub fn friend_sk(following: &Username) -> String {
    format!("{FRIEND_PREFIX}{following}")
}

/// The user that is at [`Key::user`]: none if the item is a [`Deletion`], or a photo or friendship beside it.
pub fn user(mut item: Item) -> Result<Option<User>, Error> {
    let is_user = item.contains_key("username")
        && matches!(item.get(SK), Some(AttributeValue::S(sk)) if sk.starts_with("#METADATA#"));
    if !is_user {
        return Ok(None);
    }
    let attributes = match item.remove("attributes") {
        Some(AttributeValue::M(attributes)) => Some(attributes),
        _ => None,
    };
    Ok(Some(User { attributes, ..from_item(item)? }))
}

/// Refuses attributes that are too large.
pub fn check_attributes_size(attributes: &Item) -> Result<(), Error> {
    match document::size(attributes) {
        0..=MAX_ATTRIBUTES_BYTES => Ok(()),
        size => {
            let rule = format!("must be of at most {MAX_ATTRIBUTES_BYTES} bytes (32 KB), and has {size}");
            Err(Error::invalid("attributes", rule))
        }
    }
}

/// The item of a user.
pub fn user_item(user: &User) -> Result<Item, Error> {
    let mut item = to_item(Key::user(&user.username), user)?;
    if let Some(attributes) = &user.attributes {
        item.insert("attributes".to_owned(), AttributeValue::M(attributes.clone()));
    }
    Ok(item)
}

/// Whether this is the key of a photo, and not of a reaction to one.
#[must_use]
pub fn is_photo(keys: &Item) -> bool {
    let begins = |name, prefix| matches!(keys.get(name), Some(AttributeValue::S(key)) if key.starts_with(prefix));
    begins(PK, USER_PREFIX) && begins(SK, PHOTO_PREFIX)
}

/// A person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// Who it is.
    pub username: Username,
    /// What they are called.
    pub name: String,
    /// Private.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Private.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub birthdate: Option<String>,
    /// Private.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// What they say of themselves at the moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// What they are interested in.
    #[serde(default)]
    pub interests: Vec<String>,
    /// The sort key of one of their photos. That the photo exists is not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned_image: Option<String>,
    /// How many follow them: the number of friendships in which they are followed.
    #[serde(default)]
    pub followers: u64,
    /// How many they follow: the number of friendships in which they follow.
    #[serde(default)]
    pub following: u64,
    /// A free document of their own, of at most [`MAX_ATTRIBUTES_BYTES`]. [`user`] reads it, and [`user_item`] puts it
    /// into the item: serde has no type for whatever DynamoDB has.
    #[serde(skip)]
    pub attributes: Option<Item>,
}

impl User {
    /// The user as the caller may see them: e-mail, birthdate and address are for the owner's eyes alone, and the
    /// pinned photo goes by its timestamp.
    #[must_use]
    pub fn seen_by(mut self, caller: &Username) -> Profile {
        if *caller != self.username {
            self.email = None;
            self.birthdate = None;
            self.address = None;
        }
        let prefix = photo_sk_prefix(&self.username);
        self.pinned_image = self.pinned_image.and_then(|sk| sk.strip_prefix(&prefix).map(ToOwned::to_owned));
        Profile { attributes: self.attributes.take(), user: self }
    }
}

/// Stands in a user's place from their deletion until nothing in the table names them any more, and keeps the name
/// from being taken again. It has no attribute `username`: the condition `attribute_exists(username)` holds for users
/// and not for this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deletion {
    /// Who is being deleted.
    pub erasing: Username,
    /// Since when. Tells this deletion from an earlier one of the same name.
    pub since: Timestamp,
}

/// A [`User`] in an answer. Made by [`User::seen_by`] alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Profile {
    #[serde(flatten)]
    user: User,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_json")]
    attributes: Option<Item>,
}

#[expect(clippy::ref_option, reason = "serde calls it with the field")]
fn as_json<S: Serializer>(attributes: &Option<Item>, serializer: S) -> Result<S::Ok, S::Error> {
    let attributes =
        attributes.as_ref().map(|attributes| document::write(DocumentFormat::Json, attributes)).transpose();
    attributes.map_err(|_| S::Error::custom("attributes of no type that DynamoDB has"))?.serialize(serializer)
}

/// A photo. Its bytes are at `location`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Photo {
    /// Whose it is.
    pub username: Username,
    /// When it was uploaded, and its name among the photos of its owner.
    pub timestamp: Timestamp,
    /// `s3://<bucket>/photos/<username>/<timestamp>.<format>`
    pub location: String,
    /// How many reacted in each way: the number of reactions of that type to this photo.
    pub reactions: BTreeMap<ReactionType, u64>,
}

/// A user's reaction of one type to a photo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reaction {
    /// Who reacted.
    pub reacting_user: Username,
    /// How.
    pub reaction_type: ReactionType,
    /// The photo's sort key.
    pub photo: String,
    /// When.
    pub timestamp: Timestamp,
}

/// A [`Reaction`] beside its photo, as answers show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReactionToPhoto {
    /// Who reacted.
    pub reacting_user: Username,
    /// How.
    pub reaction_type: ReactionType,
    /// When.
    pub timestamp: Timestamp,
}

/// One user follows another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Friendship {
    /// Who is followed.
    pub followed_user: Username,
    /// Who follows.
    pub following_user: Username,
    /// Since when.
    pub timestamp: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn username() -> impl Strategy<Value = Username> {
        // Short names over few letters, so that equal ones and prefixes of each other come up often.
        "[a-c0][a-c0._-]{1,3}".prop_map(|text| text.parse().unwrap())
    }

    fn timestamp() -> impl Strategy<Value = Timestamp> {
        "201[89]-0[1-9]-1[0-9]T00:00:00(\\.00[0-9]Z)?".prop_map(|text| text.parse().unwrap())
    }

    #[derive(Debug, Clone, PartialEq)]
    enum Entity {
        User(Username),
        Photo(Username, Timestamp),
        Reaction(Username, ReactionType, Username, Timestamp),
        Friendship(Username, Username),
    }

    impl Entity {
        fn key(&self) -> Key {
            match self {
                Self::User(username) => Key::user(username),
                Self::Photo(username, timestamp) => Key::photo(username, timestamp),
                Self::Reaction(reacting, reaction, username, timestamp) => {
                    Key::reaction(reacting, *reaction, username, timestamp)
                }
                Self::Friendship(followed, following) => Key::friendship(followed, following),
            }
        }
    }

    fn entity() -> impl Strategy<Value = Entity> {
        prop_oneof![
            username().prop_map(Entity::User),
            (username(), timestamp()).prop_map(|(u, t)| Entity::Photo(u, t)),
            (username(), prop::sample::select(ReactionType::ALL), username(), timestamp())
                .prop_map(|(r, reaction, u, t)| Entity::Reaction(r, reaction, u, t)),
            (username(), username()).prop_map(|(a, b)| Entity::Friendship(a, b)),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn two_entities_never_share_a_key(a in entity(), b in entity()) {
            prop_assert_eq!(a == b, a.key() == b.key());
        }

        /// The inverted index tells friendships and photos of different users apart by `SK` alone.
        #[test]
        fn only_a_photo_and_its_reactions_share_a_sort_key(a in entity(), b in entity()) {
            let photo = |entity: &Entity| match entity {
                Entity::Photo(u, t) | Entity::Reaction(_, _, u, t) => Some((u.clone(), t.clone())),
                _ => None,
            };
            if a.key().sk == b.key().sk {
                match (&a, &b) {
                    (Entity::User(a), Entity::User(b)) => prop_assert_eq!(a, b),
                    (Entity::Friendship(_, a), Entity::Friendship(_, b)) => prop_assert_eq!(a, b),
                    _ => {
                        prop_assert!(photo(&a).is_some());
                        prop_assert_eq!(photo(&a), photo(&b));
                    }
                }
            }
        }

        /// What the two range Queries of a user's partition rest on.
        #[test]
        fn friends_sort_before_metadata_before_photos(u in username(), f in username(), t in timestamp()) {
            let (friend, user, photo) = (Key::friendship(&u, &f), Key::user(&u), Key::photo(&u, &t));
            prop_assert_eq!(&friend.pk, &user.pk);
            prop_assert_eq!(&photo.pk, &user.pk);
            prop_assert!(FRIEND_PREFIX < friend.sk.as_str());
            prop_assert!(friend.sk < user.sk);
            prop_assert!(user.sk < photo.sk);
            prop_assert!(photo.sk.as_str() < AFTER_PHOTOS);
        }
    }

    fn ada() -> User {
        User {
            username: "ada".parse().unwrap(),
            name: "Ada".into(),
            email: Some("ada@example.com".into()),
            birthdate: Some("1815-12-10".into()),
            address: Some("London".into()),
            status: None,
            interests: vec![],
            pinned_image: Some("PHOTO#ada#2018-05-30T15:42:38".into()),
            followers: 1,
            following: 2,
            attributes: None,
        }
    }

    #[test]
    fn private_fields_are_for_the_owner_alone() {
        let own = serde_json::to_value(ada().seen_by(&"ada".parse().unwrap())).unwrap();
        let others = serde_json::to_value(ada().seen_by(&"ben".parse().unwrap())).unwrap();
        for private in ["email", "birthdate", "address"] {
            assert!(own.get(private).is_some(), "{private}");
            assert!(others.get(private).is_none(), "{private}");
        }
        assert_eq!(own["pinnedImage"], "2018-05-30T15:42:38");
        assert_eq!(others["pinnedImage"], "2018-05-30T15:42:38");
    }

    #[test]
    fn an_item_reads_as_it_was_written() {
        let user = ada();
        let item = to_item(Key::user(&user.username), &user).unwrap();
        assert_eq!(item[PK], AttributeValue::S("USER#ada".into()));
        assert_eq!(item[SK], AttributeValue::S("#METADATA#ada".into()));
        assert!(!item.contains_key("status"), "what is not there is no attribute, not NULL");
        assert_eq!(serde_dynamo::from_item::<_, User>(item).unwrap(), user);
    }
}
