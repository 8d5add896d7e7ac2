//! The sample data of all tables. It is the same in every run, but for its dates, and every count
//! in it is correct by construction.
//!
//! A small part of it is the seed data: a few fixed items that README, events and tests refer to by
//! name. Everything else has happened in the weeks before the start of the stack.

use shared::dynamodb::Item;
use time::OffsetDateTime;
use time::macros::datetime;

mod catalogue;
pub mod favorites;
mod feed;
mod generate;
mod ids;
mod items;
mod pictures;
mod random;
mod texts;
mod world;

pub use self::ids::{FAVORITE, FEED, MUSIC, PEOPLE, PHOTOS_BUCKET, QUICK_PHOTOS};
pub use self::items::devices;
pub use self::world::{PhotoKey, World, plain_user, usernames};

/// The start of the stack in tests.
pub const TEST_START: OffsetDateTime = datetime!(2025-01-01 12:00 UTC);

/// Returns the sample data of the table with this logical id, for a stack that starts at this time.
#[must_use]
pub fn items(table: &str, start: OffsetDateTime) -> Vec<Item> {
    World::sample(start).items_of(table)
}

/// Returns the seed data of the table with this logical id. For the catalogues, that is all sample
/// data.
#[must_use]
pub fn seed(table: &str) -> Vec<Item> {
    World::seed().items_of(table)
}

#[cfg(test)]
mod tests;
