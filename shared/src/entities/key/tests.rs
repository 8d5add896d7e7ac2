use proptest::prelude::*;

use super::Key;
use crate::Error;
use crate::entities::{
    AFTER_FRIENDS, AFTER_PHOTOS, BLOCK_PREFIX, COMMENT_PREFIX, FRIEND_PREFIX, REACTION_PREFIX, USER_PREFIX,
    decision_sk_prefix, is_in_shard, photo_of_sk, photo_sk, reaction_sks,
};
use crate::values::{CommentId, PhotoId, ReactionType, ReportId, Subject, Username};

fn username() -> impl Strategy<Value = Username> {
    // Short names of few letters, so that equal names and prefixes of other names occur often.
    "[a-c0][a-c0._-]{0,2}[a-c0]".prop_map(|text| text.parse().unwrap())
}

fn photo_id() -> impl Strategy<Value = PhotoId> {
    "201[89]-0[1-9]-1[0-9]T00:00:00(\\.00[0-9]Z)?".prop_map(|text| text.parse().unwrap())
}

fn comment_id() -> impl Strategy<Value = CommentId> {
    (photo_id(), username()).prop_map(|(id, author)| CommentId::new(id.time(), author))
}

fn report_id() -> impl Strategy<Value = ReportId> {
    (username(), prop::option::of((photo_id(), prop::option::of(comment_id())))).prop_map(|(user, photo)| match photo {
        None => ReportId::User(user),
        Some((photo, None)) => ReportId::Photo(user, photo),
        Some((photo, Some(comment))) => ReportId::Comment(user, photo, comment),
    })
}

#[derive(Debug, Clone, PartialEq)]
enum Entity {
    User(Username),
    Photo(Username, PhotoId),
    Reaction(Username, ReactionType, Username, PhotoId),
    ShardedReaction(Username, ReactionType, Username, PhotoId),
    Comment(CommentId, Username, PhotoId),
    Friendship(Username, Username),
    FollowRequest(Username, Username),
    Block(Username, Username),
    Report(ReportId),
    Decision(ReportId, PhotoId),
    Complaint(Username, ReportId),
    Welcome(Subject),
    Rest(Username),
}

impl Entity {
    fn key(&self) -> Key {
        match self {
            Self::User(username) => Key::user(username),
            Self::Photo(username, photo) => Key::photo(username, photo),
            Self::Reaction(reacting, reaction, username, photo) => Key::reaction(reacting, *reaction, username, photo),
            Self::ShardedReaction(reacting, reaction, username, photo) => {
                Key::reaction(reacting, *reaction, username, photo).sharded()
            }
            Self::Comment(id, username, photo) => Key::comment(id, username, photo),
            Self::Friendship(followed, following) => Key::friendship(followed, following),
            Self::FollowRequest(asked, asking) => Key::follow_request(asked, asking),
            Self::Block(blocking, blocked) => Key::block(blocking, blocked),
            Self::Report(id) => Key::report(id),
            Self::Decision(id, time) => Key::decision(id, &time.time()),
            Self::Complaint(reporter, about) => Key::complaint(reporter, about),
            Self::Welcome(subject) => Key::welcome(subject),
            Self::Rest(username) => Key::rest(username),
        }
    }
}

fn entity() -> impl Strategy<Value = Entity> {
    prop_oneof![
        username().prop_map(Entity::User),
        (username(), photo_id()).prop_map(|(u, t)| Entity::Photo(u, t)),
        (username(), prop::sample::select(ReactionType::ALL), username(), photo_id(), any::<bool>()).prop_map(
            |(r, reaction, u, t, is_sharded)| {
                let entity = if is_sharded { Entity::ShardedReaction } else { Entity::Reaction };
                entity(r, reaction, u, t)
            }
        ),
        (comment_id(), username(), photo_id()).prop_map(|(id, u, t)| Entity::Comment(id, u, t)),
        (username(), username()).prop_map(|(a, b)| Entity::Friendship(a, b)),
        (username(), username()).prop_map(|(a, b)| Entity::FollowRequest(a, b)),
        (username(), username()).prop_map(|(a, b)| Entity::Block(a, b)),
        report_id().prop_map(Entity::Report),
        (report_id(), photo_id()).prop_map(|(id, time)| Entity::Decision(id, time)),
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
                (Entity::Decision(a, t), Entity::Decision(b, s)) => prop_assert_eq!((a, t), (b, s)),
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
    fn a_sort_key_of_a_photo_parses_into_its_parts(u in username(), t in photo_id()) {
        prop_assert!(!is_in_shard(&photo_sk(&u, &t)));
        prop_assert_eq!(photo_of_sk(&photo_sk(&u, &t)).unwrap(), (u, t));
    }

    #[test]
    fn a_reaction_has_a_sort_key_of_its_photo_or_of_one_of_its_shards(r in username(), u in username(), t in photo_id()) {
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
        a in comment_id(), b in comment_id(), reacting in username(), u in username(), t in photo_id()
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

    /// get-report reads the decisions about one report by their prefix.
    #[test]
    fn the_prefix_of_decisions_is_that_of_one_report(a in report_id(), b in report_id(), time in photo_id()) {
        let decision = Key::decision(&a, &time.time());
        prop_assert_eq!(&decision.pk, &Key::report(&a).pk);
        prop_assert_eq!(decision.sk.starts_with(&decision_sk_prefix(&b)), a == b);
        prop_assert!(!Key::report(&a).sk.starts_with(&decision_sk_prefix(&b)));
    }

    /// Two functions read a range of the partition of a user and depend on this order.
    #[test]
    fn sort_keys_order_requests_before_blocks_reports_and_friendships_before_the_profile_before_photos(
        u in username(), f in username(), t in photo_id(), id in report_id()
    ) {
        let (friend, user, photo) = (Key::friendship(&u, &f), Key::user(&u), Key::photo(&u, &t));
        let (request, block) = (Key::follow_request(&u, &f), Key::block(&u, &f));
        prop_assert_eq!(&request.pk, &user.pk);
        prop_assert_eq!(&block.pk, &user.pk);
        prop_assert!(request.sk.as_str() < BLOCK_PREFIX);
        let decision = Key::decision(&id, &t.time());
        let hashtags = Key::followed_hashtags(&u);
        prop_assert_eq!(&hashtags.pk, &user.pk);
        for key in [block.sk, Key::report(&id).sk, decision.sk, Key::complaint(&u, &id).sk, hashtags.sk] {
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
