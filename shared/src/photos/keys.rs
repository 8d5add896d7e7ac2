//! The keys of the table `quick-photos`: attributes, index and constructors.

use aws_sdk_dynamodb::types::AttributeValue::S;

use crate::Error;
use crate::dynamodb::{Item, key_attributes};
use crate::values::{CommentId, ReactionType, ReportId, Subject, Timestamp, Username};

/// The partition key, and the sort key of [`INVERTED_INDEX`].
pub const PK: &str = key_attributes::QUICK_PHOTOS[0];
/// The sort key, and the partition key of [`INVERTED_INDEX`].
pub const SK: &str = key_attributes::QUICK_PHOTOS[1];
/// The global secondary index that has [`SK`] as its partition key and [`PK`] as its sort key.
pub const INVERTED_INDEX: &str = "InvertedIndex";
/// The global secondary index of the reactions: `reactingUser` and `reactionType` are its partition
/// key, and `timestamp` is its sort key. Other items are not in it, because they have no
/// `reactingUser`.
pub const REACTIONS_BY_TIME: &str = "ReactionsByTime";
/// The global secondary index of the comments: `author` is its partition key, and `timestamp` is
/// its sort key. Other items are not in it, because they have no `author`.
pub const COMMENTS_BY_AUTHOR: &str = "CommentsByAuthor";
/// The global secondary index of the reports: `reportState` is its partition key, and `timestamp`
/// is its sort key. Other items are not in it, because they have no `reportState`.
pub const REPORTS_BY_STATE: &str = "ReportsByState";

/// The prefix of the sort keys of users. The username follows.
const METADATA_PREFIX: &str = "#METADATA#";
/// The prefix of the sort keys of requests to follow. It sorts before all of them, and they sort
/// before the friendships, so that no Query of followers reads them.
pub const ASK_PREFIX: &str = "#ASK#";
/// The prefix of the sort keys of blocks. It sorts before all of them, and they sort between the
/// requests to follow and the friendships.
pub const BLOCK_PREFIX: &str = "#BLOCK#";
/// The prefix of the sort keys of reports. They sort between the blocks and the complaints.
pub const REPORT_PREFIX: &str = "#CASE#";
/// The prefix of the sort keys of complaints. They sort between the reports and the friendships.
pub const COMPLAINT_PREFIX: &str = "#COMPLAINT#";
/// The prefix of the sort keys of friendships. It sorts before all of them.
pub const FRIEND_PREFIX: &str = "#FRIEND#";
/// A sort key after those of all friendships: `$` follows `#`.
pub const AFTER_FRIENDS: &str = "#FRIEND$";
/// The prefix of the sort keys of photos, and of the reactions to them and the comments on them.
const PHOTO_PREFIX: &str = "PHOTO#";
/// A sort key after those of all photos of a user: `$` follows `#`.
pub const AFTER_PHOTOS: &str = "PHOTO$";

/// The prefix of the partition keys of users. In the inverted index, it distinguishes a photo from
/// the reactions to it and the comments on it.
pub const USER_PREFIX: &str = "USER#";
/// The prefix of the partition keys of comments. In the inverted index, the comments on a photo are
/// before the reactions to it, and the photo is last.
pub const COMMENT_PREFIX: &str = "COMMENT#";
/// The prefix of the partition keys of reactions.
pub const REACTION_PREFIX: &str = "REACTION#";
/// The number of shards for the reactions to a photo that takes more of them than its partition of
/// [`INVERTED_INDEX`] does, [1,000 a
/// second](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html).
/// So eight of them take 8,000 reactions a second.
const REACTION_SHARDS: u32 = 8;
/// The prefix of the partition keys of resting names.
const REST_PREFIX: &str = "REST#";

/// The primary key of an item. Writes, reads, conditions and cursors all use these constructors.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pk: String,
    sk: String,
}

impl Key {
    /// Returns the key of a [`User`](super::User).
    #[must_use]
    pub fn user(username: &Username) -> Self {
        Self { pk: user_pk(username), sk: metadata_sk(username) }
    }

    /// Returns the key of a [`Photo`](super::Photo).
    #[must_use]
    pub fn photo(username: &Username, timestamp: &Timestamp) -> Self {
        Self { pk: user_pk(username), sk: photo_sk(username, timestamp) }
    }

    /// Returns the key of a [`Reaction`](super::Reaction) of the user `reacting` to a photo of
    /// `username`.
    #[must_use]
    pub fn reaction(reacting: &Username, reaction: ReactionType, username: &Username, timestamp: &Timestamp) -> Self {
        Self { pk: reaction_pk(reacting, reaction), sk: photo_sk(username, timestamp) }
    }

    /// Returns the key that a reaction has in its shard, in place of `self`, its key among the
    /// others to the photo. The shard is
    /// [calculated](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-sharding.html)
    /// from the user and the type, so a reaction has no more than these two keys.
    #[must_use]
    pub fn sharded(self) -> Self {
        let shard = crc32fast::hash(self.pk.as_bytes()) % REACTION_SHARDS;
        Self { sk: shard_sk(&self.sk, shard), ..self }
    }

    /// Returns the key of a [`Comment`](super::Comment) on a photo of `username`.
    #[must_use]
    pub fn comment(id: &CommentId, username: &Username, timestamp: &Timestamp) -> Self {
        let CommentId { timestamp: time, author } = id;
        Self { pk: format!("{COMMENT_PREFIX}{time}#{author}"), sk: photo_sk(username, timestamp) }
    }

    /// Returns the key of a [`Friendship`](super::Friendship).
    #[must_use]
    pub fn friendship(followed: &Username, following: &Username) -> Self {
        Self { pk: user_pk(followed), sk: friend_sk(following) }
    }

    /// Returns the key of a [`FollowRequest`](super::FollowRequest).
    #[must_use]
    pub fn follow_request(asked: &Username, asking: &Username) -> Self {
        Self { pk: user_pk(asked), sk: ask_sk(asking) }
    }

    /// Returns the key of a [`Block`](super::Block).
    #[must_use]
    pub fn block(blocking: &Username, blocked: &Username) -> Self {
        Self { pk: user_pk(blocking), sk: block_sk(blocked) }
    }

    /// Returns the key of a [`Report`](super::Report). It is in the partition of the user whom the
    /// report is about, whose deletion finds it.
    #[must_use]
    pub fn report(id: &ReportId) -> Self {
        Self { pk: user_pk(id.reported_user()), sk: format!("{REPORT_PREFIX}{id}") }
    }

    /// Returns the key of the photo or the comment that a report is about, or `None` if it is about
    /// a user.
    #[must_use]
    pub fn reported(id: &ReportId) -> Option<Self> {
        match id {
            ReportId::User(_) => None,
            ReportId::Photo(owner, timestamp) => Some(Self::photo(owner, timestamp)),
            ReportId::Comment(owner, timestamp, comment) => Some(Self::comment(comment, owner, timestamp)),
        }
    }

    /// Returns the key of a [`Complaint`](super::Complaint).
    #[must_use]
    pub fn complaint(reporter: &Username, about: &ReportId) -> Self {
        Self { pk: user_pk(reporter), sk: complaint_sk(about) }
    }

    /// Returns the key of a [`Welcome`](super::Welcome). It is in no partition of a user, so no
    /// deletion finds it.
    #[must_use]
    pub fn welcome(subject: &Subject) -> Self {
        Self { pk: format!("SUBJECT#{subject}"), sk: format!("#WELCOME#{subject}") }
    }

    /// Returns the key of a [`Rest`](super::Rest). It is in no partition of a user, so no Query of
    /// a user's items reads it.
    #[must_use]
    pub fn rest(username: &Username) -> Self {
        Self { pk: format!("{REST_PREFIX}{username}"), sk: format!("#REST#{username}") }
    }
}

/// Converts the key to its attributes, for `Key`, `Keys` and `ExclusiveStartKey` of requests.
impl From<Key> for Item {
    fn from(key: Key) -> Self {
        Self::from([(PK.to_owned(), S(key.pk)), (SK.to_owned(), S(key.sk))])
    }
}

/// Returns the partition key of a user: of the profile, the photos and the followers.
#[must_use]
pub fn user_pk(username: &Username) -> String {
    format!("{USER_PREFIX}{username}")
}

/// Returns the partition key of all reactions of one type by a user.
#[must_use]
pub fn reaction_pk(reacting: &Username, reaction: ReactionType) -> String {
    format!("{REACTION_PREFIX}{reacting}#{reaction}")
}

/// Returns the sort key of the profile of a user.
#[must_use]
pub fn metadata_sk(username: &Username) -> String {
    format!("{METADATA_PREFIX}{username}")
}

/// Returns the sort key of a photo, of the reactions to it that are in no shard, and of every
/// comment on it.
#[must_use]
pub fn photo_sk(username: &Username, timestamp: &Timestamp) -> String {
    format!("{}{timestamp}", photo_sk_prefix(username))
}

/// Returns the sort key of the reactions in a shard, of the photo with the sort key `photo_sk`.
fn shard_sk(photo_sk: &str, shard: u32) -> String {
    format!("{photo_sk}#{shard}")
}

/// Returns the sort keys of the reactions to a photo: its own one, and then those of its shards.
pub fn reaction_sks(username: &Username, timestamp: &Timestamp) -> impl Iterator<Item = String> {
    let photo_sk = photo_sk(username, timestamp);
    let shards: Vec<String> = (0..REACTION_SHARDS).map(|shard| shard_sk(&photo_sk, shard)).collect();
    std::iter::once(photo_sk).chain(shards)
}

/// Returns the owner and the timestamp of the photo whose sort key is `sk`, or to which the
/// reactions with this sort key are. It is the inverse of [`photo_sk`] and of [`reaction_sks`]:
/// neither a username nor a timestamp has a `#`. The error for any other sort key names it, for the
/// log.
///
/// It is for reactions and comments, whose only reference to their photo is this sort key.
pub fn photo_of_sk(sk: &str) -> Result<(Username, Timestamp), Error> {
    let parts = unsharded_sk(sk).strip_prefix(PHOTO_PREFIX).and_then(|rest| rest.split_once('#'));
    parts
        .and_then(|(username, timestamp)| Some((username.parse().ok()?, timestamp.parse().ok()?)))
        .ok_or_else(|| Error::internal(format!("the sort key {sk:?} is not that of a photo")))
}

/// Returns the sort key of a photo for that of the reactions in one of its shards, and any other
/// sort key as it is.
fn unsharded_sk(sk: &str) -> &str {
    match sk.rsplit_once('#') {
        Some((photo, shard)) if (0..REACTION_SHARDS).any(|number| number.to_string() == shard) => photo,
        _ => sk,
    }
}

/// Returns whether the sort key of a reaction is that of a shard.
#[must_use]
pub fn is_in_shard(sk: &str) -> bool {
    unsharded_sk(sk) != sk
}

/// Returns the prefix of the sort keys of all photos of a user.
#[must_use]
pub fn photo_sk_prefix(username: &Username) -> String {
    format!("{PHOTO_PREFIX}{username}#")
}

/// Returns the sort key of every friendship in which a user is the follower.
#[must_use]
pub fn friend_sk(following: &Username) -> String {
    format!("{FRIEND_PREFIX}{following}")
}

/// Returns the sort key of every request of a user to follow others.
#[must_use]
pub fn ask_sk(asking: &Username) -> String {
    format!("{ASK_PREFIX}{asking}")
}

/// Returns the sort key of every block of a user by others.
#[must_use]
pub fn block_sk(blocked: &Username) -> String {
    format!("{BLOCK_PREFIX}{blocked}")
}

/// Returns the sort key of every complaint about one thing.
#[must_use]
pub fn complaint_sk(about: &ReportId) -> String {
    format!("{COMPLAINT_PREFIX}{about}")
}

/// Returns whether a key belongs to a photo, and not to a reaction to one or a comment on one.
#[must_use]
pub fn is_photo(keys: &Item) -> bool {
    let starts_with = |name, prefix| matches!(keys.get(name), Some(S(key)) if key.starts_with(prefix));
    starts_with(PK, USER_PREFIX) && starts_with(SK, PHOTO_PREFIX)
}

/// Returns whether a key belongs to a user, or to the deletion of one.
#[must_use]
pub fn is_user(keys: &Item) -> bool {
    matches!(keys.get(SK), Some(S(key)) if key.starts_with(METADATA_PREFIX))
}

/// Returns whether a key belongs to a request to follow.
#[must_use]
pub fn is_follow_request(keys: &Item) -> bool {
    matches!(keys.get(SK), Some(S(key)) if key.starts_with(ASK_PREFIX))
}

/// Returns whether a key belongs to a reaction.
#[must_use]
pub fn is_reaction(keys: &Item) -> bool {
    matches!(keys.get(PK), Some(S(key)) if key.starts_with(REACTION_PREFIX))
}

/// Returns whether a key belongs to a comment.
#[must_use]
pub fn is_comment(keys: &Item) -> bool {
    matches!(keys.get(PK), Some(S(key)) if key.starts_with(COMMENT_PREFIX))
}

/// Returns whether a key belongs to a [`Rest`](super::Rest).
#[must_use]
pub fn is_rest(keys: &Item) -> bool {
    matches!(keys.get(PK), Some(S(key)) if key.starts_with(REST_PREFIX))
}

/// Returns whether a key belongs to a block.
#[must_use]
pub fn is_block(keys: &Item) -> bool {
    matches!(keys.get(SK), Some(S(key)) if key.starts_with(BLOCK_PREFIX))
}

/// Returns whether a key belongs to a report.
#[must_use]
pub fn is_report(keys: &Item) -> bool {
    matches!(keys.get(SK), Some(S(key)) if key.starts_with(REPORT_PREFIX))
}

/// Returns whether a key belongs to a complaint.
#[must_use]
pub fn is_complaint(keys: &Item) -> bool {
    matches!(keys.get(SK), Some(S(key)) if key.starts_with(COMPLAINT_PREFIX))
}

/// Returns whether a key belongs to a friendship.
#[must_use]
pub fn is_friendship(keys: &Item) -> bool {
    matches!(keys.get(SK), Some(S(key)) if key.starts_with(FRIEND_PREFIX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn username() -> impl Strategy<Value = Username> {
        // Short names of few letters, so that equal names and prefixes of other names occur often.
        "[a-c0][a-c0._-]{0,2}[a-c0]".prop_map(|text| text.parse().unwrap())
    }

    fn timestamp() -> impl Strategy<Value = Timestamp> {
        "201[89]-0[1-9]-1[0-9]T00:00:00(\\.00[0-9]Z)?".prop_map(|text| text.parse().unwrap())
    }

    fn comment_id() -> impl Strategy<Value = CommentId> {
        (timestamp(), username()).prop_map(|(timestamp, author)| CommentId { timestamp, author })
    }

    fn report_id() -> impl Strategy<Value = ReportId> {
        (username(), prop::option::of((timestamp(), prop::option::of(comment_id())))).prop_map(|(user, photo)| {
            match photo {
                None => ReportId::User(user),
                Some((photo, None)) => ReportId::Photo(user, photo),
                Some((photo, Some(comment))) => ReportId::Comment(user, photo, comment),
            }
        })
    }

    #[derive(Debug, Clone, PartialEq)]
    enum Entity {
        User(Username),
        Photo(Username, Timestamp),
        Reaction(Username, ReactionType, Username, Timestamp),
        ShardedReaction(Username, ReactionType, Username, Timestamp),
        Comment(CommentId, Username, Timestamp),
        Friendship(Username, Username),
        FollowRequest(Username, Username),
        Block(Username, Username),
        Report(ReportId),
        Complaint(Username, ReportId),
        Welcome(Subject),
        Rest(Username),
    }

    impl Entity {
        fn key(&self) -> Key {
            match self {
                Self::User(username) => Key::user(username),
                Self::Photo(username, timestamp) => Key::photo(username, timestamp),
                Self::Reaction(reacting, reaction, username, timestamp) => {
                    Key::reaction(reacting, *reaction, username, timestamp)
                }
                Self::ShardedReaction(reacting, reaction, username, timestamp) => {
                    Key::reaction(reacting, *reaction, username, timestamp).sharded()
                }
                Self::Comment(id, username, timestamp) => Key::comment(id, username, timestamp),
                Self::Friendship(followed, following) => Key::friendship(followed, following),
                Self::FollowRequest(asked, asking) => Key::follow_request(asked, asking),
                Self::Block(blocking, blocked) => Key::block(blocking, blocked),
                Self::Report(id) => Key::report(id),
                Self::Complaint(reporter, about) => Key::complaint(reporter, about),
                Self::Welcome(subject) => Key::welcome(subject),
                Self::Rest(username) => Key::rest(username),
            }
        }
    }

    fn entity() -> impl Strategy<Value = Entity> {
        prop_oneof![
            username().prop_map(Entity::User),
            (username(), timestamp()).prop_map(|(u, t)| Entity::Photo(u, t)),
            (username(), prop::sample::select(ReactionType::ALL), username(), timestamp(), any::<bool>()).prop_map(
                |(r, reaction, u, t, is_sharded)| {
                    let entity = if is_sharded { Entity::ShardedReaction } else { Entity::Reaction };
                    entity(r, reaction, u, t)
                }
            ),
            (comment_id(), username(), timestamp()).prop_map(|(id, u, t)| Entity::Comment(id, u, t)),
            (username(), username()).prop_map(|(a, b)| Entity::Friendship(a, b)),
            (username(), username()).prop_map(|(a, b)| Entity::FollowRequest(a, b)),
            (username(), username()).prop_map(|(a, b)| Entity::Block(a, b)),
            report_id().prop_map(Entity::Report),
            (username(), report_id()).prop_map(|(reporter, about)| Entity::Complaint(reporter, about)),
            // Issuers write any text into `sub`.
            "[#a-c]{1,3}".prop_map(|text| Entity::Welcome(text.parse().unwrap())),
            username().prop_map(Entity::Rest),
        ]
    }

    proptest! {
            #[test]
        fn different_entities_have_different_keys(a in entity(), b in entity()) {
            prop_assert_eq!(a == b, a.key() == b.key());
        }

        /// In the inverted index, only `SK` separates the friendships and photos of different
        /// users.
        #[test]
        fn only_a_photo_its_reactions_and_its_comments_have_the_same_sort_key(a in entity(), b in entity()) {
            let photo = |entity: &Entity| match entity {
                Entity::Photo(u, t) | Entity::Reaction(_, _, u, t) | Entity::Comment(_, u, t) => Some((u.clone(), t.clone())),
                _ => None,
            };
            if a.key().sk == b.key().sk {
                match (&a, &b) {
                    (Entity::User(a), Entity::User(b)) => prop_assert_eq!(a, b),
                    (Entity::Friendship(_, a), Entity::Friendship(_, b))
                    | (Entity::FollowRequest(_, a), Entity::FollowRequest(_, b))
                    | (Entity::Block(_, a), Entity::Block(_, b)) => prop_assert_eq!(a, b),
                    (Entity::Report(a), Entity::Report(b)) | (Entity::Complaint(_, a), Entity::Complaint(_, b)) => {
                        prop_assert_eq!(a, b);
                    }
                    (Entity::Welcome(a), Entity::Welcome(b)) => prop_assert_eq!(a, b),
                    (Entity::Rest(a), Entity::Rest(b)) => prop_assert_eq!(a, b),
                    (Entity::ShardedReaction(.., u, t), Entity::ShardedReaction(.., v, s)) => {
                        prop_assert_eq!((u, t), (v, s));
                    }
                    _ => {
                        prop_assert!(photo(&a).is_some());
                        prop_assert_eq!(photo(&a), photo(&b));
                    }
                }
            }
        }

        #[test]
        fn a_sort_key_of_a_photo_parses_into_its_parts(u in username(), t in timestamp()) {
            prop_assert!(!is_in_shard(&photo_sk(&u, &t)));
            prop_assert_eq!(photo_of_sk(&photo_sk(&u, &t)).unwrap(), (u, t));
        }

        #[test]
        fn a_reaction_has_a_sort_key_of_its_photo_or_of_one_of_its_shards(r in username(), u in username(), t in timestamp()) {
            let key = Key::reaction(&r, ReactionType::Heart, &u, &t);
            prop_assert_eq!(&key.sk, &photo_sk(&u, &t));
            let sharded = key.clone().sharded();
            prop_assert_eq!(&sharded.pk, &key.pk);
            prop_assert_eq!(reaction_sks(&u, &t).filter(|sk| *sk == sharded.sk).count(), 1);
            prop_assert!(is_in_shard(&sharded.sk));
            prop_assert_eq!(photo_of_sk(&sharded.sk).unwrap(), (u, t));
        }

        /// The list of comments, and the page of a photo with its reactions, depend on this order
        /// of the inverted index.
        #[test]
        fn partition_keys_order_comments_by_time_before_reactions_before_photos(
            a in comment_id(), b in comment_id(), reacting in username(), u in username(), t in timestamp()
        ) {
            let [first, second] = [&a, &b].map(|id| Key::comment(id, &u, &t).pk);
            let parts = |id: &CommentId| (id.timestamp.to_string(), id.author.to_string());
            let reaction = Key::reaction(&reacting, ReactionType::PlusOne, &u, &t).pk;
            // A time without milliseconds is a beginning of one with them, so `#` comes before `.`.
            prop_assert_eq!(first.cmp(&second), parts(&a).cmp(&parts(&b)));
            prop_assert!(COMMENT_PREFIX < first.as_str());
            prop_assert!(first.as_str() < REACTION_PREFIX);
            prop_assert!(REACTION_PREFIX < reaction.as_str());
            prop_assert!(reaction.as_str() < USER_PREFIX);
        }

        /// Two functions read a range of the partition of a user and depend on this order.
        #[test]
        fn sort_keys_order_requests_before_blocks_reports_and_friendships_before_the_profile_before_photos(
            u in username(), f in username(), t in timestamp(), id in report_id()
        ) {
            let (friend, user, photo) = (Key::friendship(&u, &f), Key::user(&u), Key::photo(&u, &t));
            let (request, block) = (Key::follow_request(&u, &f), Key::block(&u, &f));
            prop_assert_eq!(&request.pk, &user.pk);
            prop_assert_eq!(&block.pk, &user.pk);
            prop_assert!(request.sk.as_str() < BLOCK_PREFIX);
            for key in [block.sk, Key::report(&id).sk, Key::complaint(&u, &id).sk] {
                prop_assert!(BLOCK_PREFIX < key.as_str() && key.as_str() < FRIEND_PREFIX);
            }
            prop_assert_eq!(&friend.pk, &user.pk);
            prop_assert_eq!(&photo.pk, &user.pk);
            prop_assert!(FRIEND_PREFIX < friend.sk.as_str());
            prop_assert!(friend.sk.as_str() < AFTER_FRIENDS);
            prop_assert!(AFTER_FRIENDS < user.sk.as_str());
            prop_assert!(user.sk < photo.sk);
            prop_assert!(photo.sk.as_str() < AFTER_PHOTOS);
        }
    }

    #[test]
    fn the_error_of_another_sort_key_names_it() {
        for sk in [
            "",
            "PHOTO#",
            "PHOTO#ada",
            "PHOTO#ada#",
            "PHOTO##2024-05-30T15:42:38",
            "PHOTO#ada#2024-05-30",
            "PHOTO#ada#2024-05-30T15:42:38#",
            "PHOTO#ada#2024-05-30T15:42:38#007",
            "PHOTO#ada#2024-05-30T15:42:38#8",
            "PHOTO#ada#b#2024-05-30T15:42:38",
            "PHOTO#Ada#2024-05-30T15:42:38",
            "photo#ada#2024-05-30T15:42:38",
            "#METADATA#ada",
        ] {
            let Err(Error::Internal(error)) = photo_of_sk(sk) else { panic!("{sk:?} is not the sort key of a photo") };
            assert_eq!(error.to_string(), format!("the sort key {sk:?} is not that of a photo"));
        }
    }
}
