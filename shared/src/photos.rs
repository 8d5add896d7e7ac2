//! The keys and entities of the table `quick-photos`.
//!
//! | entity | `PK` | `SK` |
//! |---|---|---|
//! | [`User`], or [`Deletion`] in its place | `USER#<username>` | `#METADATA#<username>` |
//! | [`Photo`], or [`PhotoDeletion`] in its place | `USER#<username>` | `PHOTO#<username>#<timestamp>` |
//! | [`Reaction`] | `REACTION#<reactingUser>#<type>` | `PHOTO#<username>#<timestamp>` |
//! | [`Comment`] | `COMMENT#<timestamp>#<author>` | `PHOTO#<username>#<timestamp>` |
//! | [`Friendship`] | `USER#<followedUser>` | `#FRIEND#<followingUser>` |
//! | [`FollowRequest`] | `USER#<askedUser>` | `#ASK#<askingUser>` |
//! | [`Block`] | `USER#<blockingUser>` | `#BLOCK#<blockedUser>` |
//! | [`Report`] | `USER#<reported user>` | `#CASE#<id>` |
//! | [`Complaint`] | `USER#<reporter>` | `#COMPLAINT#<id of the report>` |
//! | [`Welcome`] | `SUBJECT#<subject>` | `#WELCOME#<subject>` |
//! | [`Rest`] | `REST#<username>` | `#REST#<username>` |
//!
//! In byte order, `#FRIEND#` < `#METADATA#` < `PHOTO#`. So one Query reads a user with photos in
//! ascending order, or a user with followers in descending order. [`INVERTED_INDEX`] exchanges the
//! two attributes: one Query of it reads a photo with its reactions, the comments on a photo by
//! their time, or the users whom a user follows. [`REACTIONS_BY_TIME`] has the reactions alone: one
//! Query of it reads those of a user and a type, by their time. [`COMMENTS_BY_AUTHOR`] has the
//! comments alone: one Query of it finds those of a user. [`REPORTS_BY_STATE`] has the reports
//! alone: one Query of it reads those that wait for a decision.

mod access;
pub mod account;
mod block;
mod comment;
mod follow_request;
mod friendship;
mod keys;
mod photo;
mod picture;
mod reaction;
mod relations;
mod report;
mod tombstone;
mod uncounted;
mod user;
mod visible;
mod welcome;

pub use access::{Access, IS_READY, no_block};
pub use block::{
    BLOCKED_BY, BLOCKS, Block, MAX_BLOCKS, MUTES, count_of_level, has_any, has_blocks, is_blocked, is_in_a_block,
};
pub use comment::{COMMENTS_WRITTEN, Comment, CommentRights, MAX_COMMENTS, ShownComment, counted_comment, mentions};
pub use follow_request::{FollowRequest, MAX_REQUESTS_SENT, REQUESTS_SENT};
pub use friendship::{ACCEPTED, Friendship, MAX_FOLLOWING, MUTED, Relation, mark_muted, query_followers};
pub use keys::{
    AFTER_FRIENDS, AFTER_PHOTOS, ASK_PREFIX, BLOCK_PREFIX, COMMENT_PREFIX, COMMENTS_BY_AUTHOR, COMPLAINT_PREFIX,
    FRIEND_PREFIX, INVERTED_INDEX, Key, PK, REACTION_PREFIX, REACTIONS_BY_TIME, REPORT_PREFIX, REPORTS_BY_STATE, SK,
    USER_PREFIX, ask_sk, block_sk, complaint_sk, friend_sk, is_block, is_comment, is_complaint, is_follow_request,
    is_friendship, is_in_shard, is_photo, is_reaction, is_report, is_rest, is_user, metadata_sk, photo_of_sk, photo_sk,
    photo_sk_prefix, reaction_pk, reaction_sks, user_pk,
};
pub use photo::{MAX_PHOTOS, Photo, count_new_photo, get_photo, photo_from_item, photos_of_page};
pub use picture::{Picture, Sizes, claim_picture, publish_picture, settle_picture, unless_claimed};
pub use reaction::{Reaction, ReactionToPhoto};
pub use relations::Relations;
pub use report::{About, COMPLAINTS_MADE, Complaint, MAX_COMPLAINTS, MAX_TEXTS, Report, ShownReport};
pub use tombstone::{Deletion, PhotoDeletion, Rest, TRACE_LIFETIME_SECONDS, replace_with_photo_deletion};
pub use uncounted::{COUNTS_RESPONSES, CountedItem, IS_UNCOUNTED, UNCOUNTED, delete_counted, mark_uncounted};
pub use user::{
    Card, MAX_ATTRIBUTES_BYTES, People, PinnedPicture, Profile, ProfilePicture, User, approves_followers,
    check_attributes_size, existing_user, user_from_item, user_item, user_without_attributes, username_from_item,
};
pub use visible::Visible;
pub use welcome::{WELCOME_LIFETIME_DAYS, Welcome};
