//! The names of the attributes that form the primary keys of the tables.
//!
//! They are a module of their own, so that [`super::entity`] can log the key of any item without
//! depending on the modules of the tables, which depend on it.

/// The partition key and the sort key of `quick-photos`.
pub const QUICK_PHOTOS: [&str; 2] = ["PK", "SK"];
/// The partition key and the sort key of `<stage>.Favorite`.
pub const FAVORITE: [&str; 2] = ["pk", "sk"];
/// The partition key and the sort key of `<stage>.Feed`.
pub const FEED: [&str; 2] = ["pk", "sk"];
/// The partition key and the sort key of `<stage>.Music`.
pub const MUSIC: [&str; 2] = ["Artist", "SongTitle"];
/// The partition key of `<stage>.People`.
pub const PEOPLE: [&str; 1] = ["PersonID"];

/// Returns the names of the key attributes of all tables.
///
/// [`super::entity`] uses them for the log only: a schemaless item may have an attribute of one of
/// these names that is not its key.
pub fn all() -> impl Iterator<Item = &'static str> {
    [&QUICK_PHOTOS[..], &FAVORITE, &MUSIC, &PEOPLE].into_iter().flatten().copied()
}
