//! The keys and entities of the table `<stage>.Feed`, from which the home feeds are read.
//!
//! | entity | `pk` | `sk` | attributes |
//! |---|---|---|---|
//! | entry: a photo of an author whom the reader follows | `Feed#<reader>` | `<timestamp>#<author>` | ttl |
//! | pull: an author whose photos the reader reads from [`Latest`] | `Feed#<reader>` | `PULL#<author>` | |
//! | pull count | `Feed#<reader>` | `#PULLS` | pulls |
//! | [`Latest`] | `Latest#<author>` | `Latest` | author, photos (a set of timestamps), delivery, converted |
//! | exception: a reader to whom the photos of a pulled author are pushed | `Push#<author>` | `<reader>` | |
//!
//! An entry is a reference. Its reader reads the photo and the friendship too, and drops an entry whose photo or friendship
//! is gone. An entry is its key and an expiry, so an entry that is written twice is written once.
//!
//! In byte order, `#PULLS` < the timestamps < `PULL#`. So one Query of a reader's partition, backward, reads all pulls and
//! then the newest entries. No two entities have the same key, because neither a username nor a timestamp has a `#`.

mod keys;
mod latest;

pub use keys::*;
pub use latest::*;
