//! The kinds of items in the tables, one file each: the key, the attributes, the limits, and what
//! counts the items. [`Kind`] tells what an item is.
//!
//! The page of each noun, `functions/NOUN/README.md`, has its items in a table, with the reasons for
//! their keys.
//!
//! No two kinds can have the same key: a username contains no `#`, and the variable part after it
//! is the last one, or is followed by a type, which contains no `#` either.
//!
//! Favorites, tags and catalogues may have been written by other programs, which know neither counts
//! nor reservations of names. Code that reads such an item works without them.

pub mod account;
mod alert;
pub mod attributes;
mod bell;
mod block;
mod comment;
mod complaint;
mod decision;
mod device;
mod directory;
mod engagement;
mod exception;
mod export;
mod favorite;
pub mod favorite_count;
mod favorite_tag;
mod feed_entry;
mod follow_request;
mod followed_hashtags;
mod friendship;
mod hashtag;
mod hidden_hashtag;
mod history;
mod idempotency;
mod import;
mod inverted_index;
mod key;
mod kind;
mod latest;
mod like;
mod link;
mod mark;
mod notices;
mod notification;
pub mod object;
mod person;
mod photo;
mod picture;
mod pictures;
mod position;
mod pull;
mod ranking;
mod reaction;
mod report;
mod rest;
mod screen;
mod song;
pub mod tag;
mod tag_count;
pub mod tag_name;
mod term;
mod tombstone;
mod uncounted;
#[cfg(feature = "s3")]
mod unused;
mod user;
mod vector;
mod visitor;
mod welcome;

pub use alert::{ALERT_PREFIX, Alert, MAX_ALERT_AGE_SECONDS, alert_sk, alert_topic, alerted_user};
pub use bell::{Bell, InInbox, MAX_UNSEEN};
pub use block::{
    BLOCK_PREFIX, BLOCKED_BY, BLOCKS, Block, MAX_BLOCKS, MUTES, block_sk, count_of_level, has_any, has_blocks,
};
pub use comment::{
    COMMENT_PREFIX, COMMENTS_BY_AUTHOR, COMMENTS_WRITTEN, Comment, MAX_COMMENTS, MAX_REPLIES, PINNED, REPLIES_COUNT,
    comment_from_item, comment_of_key, counted_comment, mentions, replies_prefix,
};
pub use complaint::{COMPLAINT_PREFIX, COMPLAINTS_MADE, Complaint, MAX_COMPLAINTS, complaint_sk};
pub use decision::{DECISION_LIFETIME_SECONDS, Decision, MAX_DECISIONS, decision_sk_prefix};
pub use device::{
    Address, DEVICE_IDS, DEVICE_LIFETIME_DAYS, DEVICES, Device, MAX_DEVICES, ShownDevice, all_devices,
    device_attribute, devices,
};
pub use directory::{DIRECTORY_PREFIX, DirectoryEntry, EVERYBODY, Listing, PeopleQuery, directory_pk};
pub use engagement::{
    ENGAGEMENTS_PREFIX, Engagement, disengage_by_reaction, disengage_from_deleted, engage_by_reaction, engage_by_save,
    engagements_pk, query_engagements,
};
pub use exception::{EXCEPTIONS_PREFIX, exceptions_pk, reader_of};
pub use export::{EXPORT_LIFETIME_SECONDS, EXPORT_PREFIX, Export, ExportMessage, ExportWork, MAX_EXPORT_BYTES};
pub use favorite::{
    ClipPosition, FAVORITES_PREFIX, Favorite, favorites_of_type_pk, favorites_pk, owner_of_favorite, unchanged,
};
pub use favorite_count::{FAVORITE_COUNT_PREFIX, MAX_FAVORITES, favorite_count_pk};
pub use favorite_tag::{
    FAVORITE_TAGS_PREFIX, FavoriteTag, MAX_TAGS_PER_FAVORITE, favorites_of_tag_and_type_pk, favorites_of_tag_pk,
    list_tagged_favorites, tags_of_favorite_pk,
};
pub use feed_entry::{BACKFILL, BEFORE_ENTRIES, ENTRY_LIFETIME_SECONDS, FEED_PREFIX, entry_item, feed_pk};
pub use follow_request::{
    ASK_PREFIX, FollowRequest, MAX_REQUESTS_SENT, REQUESTS_RECEIVED, REQUESTS_SENT, ask_sk, asked_user,
};
pub use followed_hashtags::{
    FOLLOWED_HASHTAGS, FOLLOWED_HASHTAGS_PREFIX, FollowedHashtags, MAX_FOLLOWED_HASHTAGS, user_of_followed_hashtags,
};
pub use friendship::{
    ACCEPTED, AFTER_FRIENDS, ALERTS_BY_AUTHOR, ALERTS_OF, FRIEND_PREFIX, Friendship, MAX_FOLLOWING, MUTED, friend_sk,
    mark_alerts, mark_muted, query_alerted, query_followers,
};
pub use hashtag::{
    HASHTAG, HASHTAG_LIFETIME_SECONDS, HASHTAG_LISTINGS_PREFIX, HashtagCondition, HashtagEntry, HashtagListing,
    HashtagSummary, Listed, MAX_HASHTAG_MONTHS, MAX_HASHTAG_RANK, MAX_HASHTAG_SAMPLE, MAX_HASHTAGS, WrittenHashtag,
    hashtag_entries_pk, hashtag_listings_pk, hashtags, month_of, photo_of_hashtag_entry,
};
pub use hidden_hashtag::{HashtagDecision, HiddenHashtag, moderated_hashtag_pk};
pub use history::{HISTORIES_PREFIX, histories_pk, history_item, restored_item};
pub use idempotency::{
    IDEMPOTENCY_KEY_LIFETIME_SECONDS, IDEMPOTENCY_KEYS_PREFIX, IdempotencyRecord, IdempotencyScope, IdempotentRequest,
    idempotency_keys_pk,
};
pub use import::{IMPORT_LIFETIME_SECONDS, IMPORT_PREFIX, Import, ImportWork, LeftOut, MAX_LEFT_OUT};
pub use inverted_index::{INVERTED_INDEX, from_inverted_index};
pub use key::{
    FAVORITE_PK, FAVORITE_SK, FEED_PK, FEED_SK, GSI_ONE, GSI_ONE_PK, GSI_ONE_SK, GSI_TWO, GSI_TWO_PK, GSI_TWO_SK, Key,
    LSI_ONE, LSI_ONE_SK, LSI_THREE, LSI_THREE_SK, LSI_TWO, LSI_TWO_SK, PK, SK, USER_PREFIX, user_pk,
};
pub use kind::Kind;
pub use latest::{Delivery, LATEST_PREFIX, Latest, MAX_LATEST, latest_pk};
pub use like::{
    COMMENTS_BY_LIKES, LIKE_PREFIX, LIKES_COUNT, Like, LikeOfComment, comment_of_like, counted_like, likes_pk,
    likes_sk, query_likes,
};
pub use link::{LINKS, Link, LinkTarget, MAX_LINKS, SHARE_PREFIX};
pub use mark::{Mark, MarkAttributes, NO_MODERATOR_MARK, shows_sensitive};
pub use notices::{MAX_MENTIONS, Notice, notices};
pub use notification::{
    Event, INBOX_BY_TIME, INBOX_LIFETIME_DAYS, INBOX_PREFIX, MAX_CHECKED, MAX_EVENTS, MAX_NAMED, Notification, Number,
    Pushed, SEEN, Topic, inbox_pk,
};
pub use person::{PERSON_ID, person_key};
pub use photo::{
    AFTER_PHOTOS, IMPORTED, MAX_PHOTOS, PENDING_LIFETIME_SECONDS, PINNED_COMMENT, Photo, count_new_photo, get_photo,
    photo_from_item, photo_sk, photo_sk_prefix, photos_of_page, replies_sk,
};
pub use picture::{
    Picture, Publication, REJECTED, Sizes, claim_picture, count_ready_photo, count_rejected, publish_picture,
    reject_picture, settle_picture, unless_claimed,
};
pub use pictures::{
    AFTER_PICTURES, Claim, MAX_PICTURES, MAX_PICTURES_ATTEMPTS, PICTURE_DELETION_PREFIX, PICTURES_PREFIX, PictureEntry,
    Pictures, get_pictures, owner_of_pictures,
};
pub use position::Position;
pub use pull::{InFeed, MAX_PULLS, PULL_PREFIX, PULLED_HASHTAGS};
pub use ranking::{
    MAX_RANKED, MAX_RANKED_OF_OWNER, MIN_POPULAR_LEVEL, POPULAR_LIFETIME_SECONDS, PopularPhoto, RANKED_DAYS,
    RANKING_LIFETIME_SECONDS, RANKING_PK, Ranking, popular_pk, ranked_days,
};
pub use reaction::{
    REACTION_PREFIX, REACTION_SHARDS, REACTIONS_BY_TIME, Reaction, ReactionToPhoto, is_in_shard, photo_of_item,
    photo_of_sk, reaction_pk, reaction_sks,
};
pub use report::{MAX_TEXTS, REPORT_PREFIX, REPORTS_BY_STATE, Report};
pub use rest::Rest;
pub use screen::{
    LIVE_PREFIX, MAX_SCREENS, MAX_TOLD, SCREEN_LIFETIME, Screen, Screens, TICKET_LIFETIME, TOLD, WATCH_PREFIX,
    WATCHER_PREFIX, Watcher, watchers_pk,
};
pub use song::{ALBUM_TITLE, ARTIST, GENRE, GENRE_ALBUM_TITLE, SONG_TITLE, check_index_key, song_key, song_path};
pub use tag::{MAX_TAGS_PER_USER, Tag, Tags, owner_of_tag, tags_pk};
pub use tag_count::{TAG_COUNT_PREFIX, tag_count_pk};
pub use tag_name::{TAG_NAMES_PREFIX, TagNameReservation, tag_name_reservation, tag_names_pk};
pub use term::{TERMS_PREFIX, Term, term_items, term_pk};
pub use tombstone::{Deletion, PhotoDeletion, PictureDeletion, TRACE_LIFETIME_SECONDS, replace_with_photo_deletion};
pub use uncounted::{
    COUNTS_RESPONSES, CountedItem, IS_UNCOUNTED, UNCOUNTED, delete_counted, delete_uncounted, mark_uncounted,
};
#[cfg(feature = "s3")]
pub use unused::{delete_unused, discard_unused, reject_unprocessed};
pub use user::{
    MAX_ATTRIBUTES_BYTES, PinnedPicture, User, approves_followers, check_attributes_size, existing_user, metadata_sk,
    user_from_item, user_item, user_without_attributes, username_from_item,
};
pub use vector::{
    HIDDEN_VECTOR, PHOTOS_BY_LOOK, VECTOR, VECTORS_PREFIX, photo_of_vector, place_vector, vector_item, vector_of,
    vectors_pk,
};
pub use visitor::{MAX_VISITOR_REPORTS, REPORTED_LINKS, VISITOR_PREFIX, Visitor};
pub use welcome::{WELCOME_LIFETIME_DAYS, WELCOME_PREFIX, Welcome};
