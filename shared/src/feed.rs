//! The keys and entities of the table `<stage>.Feed`: the home feeds, the engagement of callers
//! with photos, the directory of people, the inboxes, the vectors of photos, the exports and the
//! imports.
//!
//! A photo reaches the followers of its author in one of two ways. With *fan-out on write*, an
//! entry is written into the feed of each follower when the photo becomes ready. With *fan-out on
//! read*, nothing is written, and each reader looks into the [`Latest`] of the author. It is for
//! authors with more followers than one photo can be written to.
//!
//! | entity | `pk` | `sk` | attributes |
//! |---|---|---|---|
//! | entry: a photo of an author whom the reader follows | `Feed#<reader>` | `<timestamp>#<author>` | ttl |
//! | pull: an author whose [`Latest`] the reader reads | `Feed#<reader>` | `PULL#<author>` | |
//! | pull count | `Feed#<reader>` | `#PULLS` | pulls |
//! | [`Latest`] | `Latest#<author>` | `Latest` | author, photos (a set of timestamps), delivery, converted |
//! | exception: a follower who gets entries of an author with fan-out on read | `Push#<author>` | `<reader>` | |
//! | [`Engagement`] of a caller with a photo | `Engagement#<caller>` | `<owner>#<timestamp>` | reactions (a set of types), saved |
//! | [`Listing`] of a user in a list of the directory | `People#<beginning of a word>` | `<rank>#<name>#<username>` | rank, name, username |
//! | [`Notification`]: the events of a [`Topic`] in the inbox of a user | `Inbox#<user>` | `<day>#<kind>`, or `<day>#<kind>#<owner>#<timestamp>` about a photo | events (a set), changed, evicted, revision, ttl |
//! | the time up to which the user has seen the inbox | `Inbox#<user>` | `SEEN` | seen |
//! | [vector](vector_item) of a photo | `Vector#<owner>` | `<timestamp>` | vector, or hidden (a list of numbers) |
//! | [`Import`] of the file of an export | `Import#<user>` | `Import` | id, state, created, ttl, subject, attempt, work, etag, photos, favorites, tags, leftOut, reasons, reason, section, page |
//! | [`Export`] of the data of a user | `Export#<user>` | `Export` | id, state, created, updated, ttl, photos, of, bytes, reason, claimed, worker, work |
//!
//! An entry is a reference. Its reader reads the photo and the friendship too, and drops an entry
//! whose photo or friendship is gone. An entry is its key and an expiry, so an entry that is
//! written twice is written once.
//!
//! In byte order, `#PULLS` < the timestamps < `PULL#`. So one Query of a reader's partition,
//! backward, reads all pulls and then the newest entries. No two entities have the same key,
//! because neither a username nor a timestamp has a `#`.

mod directory;
mod engagement;
mod export;
mod import;
mod inbox;
mod keys;
mod latest;
mod notices;
mod position;
mod vector;

pub use directory::{DirectoryEntry, Listing, PeopleQuery};
pub use engagement::{
    Engagement, disengage_by_reaction, disengage_from_deleted, engage_by_reaction, engage_by_save, query_engagements,
};
pub use export::{EXPORT_LIFETIME_SECONDS, Export, ExportMessage, ExportWork, MAX_EXPORT_BYTES};
pub use import::{IMPORT_LIFETIME_SECONDS, Import, ImportWork, LeftOut, MAX_LEFT_OUT};
pub use inbox::{Event, INBOX_LIFETIME_DAYS, MAX_EVENTS, MAX_NAMED, Notification, Number, Topic};
pub use keys::{
    AFTER_PULLS, BACKFILL, BEFORE_ENTRIES, DIRECTORY_PREFIX, ENGAGEMENTS_PREFIX, ENTRY_LIFETIME_SECONDS,
    EXCEPTIONS_PREFIX, EXPORT_PREFIX, FEED_PREFIX, IMPORT_PREFIX, INBOX_BY_TIME, INBOX_PREFIX, InFeed, Key,
    LATEST_PREFIX, MAX_LATEST, MAX_PULLS, PHOTOS_BY_LOOK, PK, PULL_PREFIX, SEEN, SK, VECTORS_PREFIX, directory_pk,
    engagements_pk, entry_item, exceptions_pk, feed_pk, inbox_pk, latest_pk, reader_of, vectors_pk,
};
pub use latest::{Delivery, Latest};
pub use notices::{MAX_MENTIONS, Notice, notices};
pub use position::Position;
pub use vector::{HIDDEN_VECTOR, VECTOR, photo_of_vector, place_vector, vector_item, vector_of};
