//! The keys and entities of each table, and the requests about tags and counts that several functions share.
//!
//! - [`photos`]: the table `quick-photos` with users, photos, reactions and friendships.
//! - [`favorites`]: the table `<stage>.Favorite` with favorites, tags and search terms.
//! - [`catalogue`]: the tables `<stage>.Music` and `<stage>.People` with schemaless items.
//! - [`entity`]: the conversion between entities and items.
//! - [`expiry`]: whether an item has expired that DynamoDB has not deleted yet.
//! - [`feed`]: the table `<stage>.Feed` with the home feeds.
//! - [`favorite_count`]: the updates of a user's count of favorites.
//! - [`keys`]: the names of the primary key attributes of all tables.
//! - [`objects`]: the keys of the objects in the bucket of the photos.
//! - [`tags`]: lookups and updates of tags, which accompany the requests of the functions.

pub mod catalogue;
pub mod entity;
pub mod expiry;
pub mod favorite_count;
pub mod favorites;
pub mod feed;
pub mod keys;
pub mod objects;
pub mod photos;
pub mod tags;
