//! The keys of the tables `<stage>.Music` and `<stage>.People`: two catalogues of schemaless items
//! that all users share.
//!
//! | table | partition key | sort key | index |
//! |---|---|---|---|
//! | Music | `Artist` | `SongTitle` | [`GENRE_ALBUM_TITLE`]: `Genre`, `AlbumTitle`, keys only |
//! | People | `PersonID`, a number | | |
//!
//! Besides its key, an item may have any attributes. An item without a `Genre` or an `AlbumTitle`
//! is not in the index.

pub mod document;
mod keys;
mod page;
pub mod versioned;

pub use keys::{
    ALBUM_TITLE, ARTIST, GENRE, GENRE_ALBUM_TITLE, PERSON_ID, SONG_TITLE, check_index_key, person_key, song_key,
    song_path,
};
pub use page::{Albums, Songs};
