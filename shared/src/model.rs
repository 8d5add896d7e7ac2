//! The keys and entities of each table.
//!
//! - [`photos`]: the table `quick-photos` with users, photos, reactions and friendships.
//! - [`favorites`]: the table `<stage>.Favorite` with favorites, tags and search terms.
//! - [`catalogue`]: the tables `<stage>.Music` and `<stage>.People` with schemaless items.
//! - [`entity`]: the conversion between entities and items.
//! - [`keys`]: the names of the primary key attributes of all tables.

pub mod catalogue;
pub mod entity;
pub mod favorites;
pub mod keys;
pub mod photos;
pub mod tags;
