//! The two shared catalogues of schemaless items, Music and People: their keys, and how a document becomes an item.
//!
//! | table | partition key | sort key | index |
//! |---|---|---|---|
//! | Music | `Artist` | `SongTitle` | [`GENRE_ALBUM_TITLE`]: `Genre`, `AlbumTitle`, keys only |
//! | People | `PersonID`, a number | | |
//!
//! Beyond the key, each item has the attributes that it has. An item without a `Genre` or an `AlbumTitle` is simply not in
//! the index.

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde_json::value::RawValue;

use super::keys;
use crate::Error;
use crate::dynamodb::Item;
use crate::values::{Artist, PersonId, SongTitle};
use uuid::Uuid;

/// Who belongs to this group writes the catalogues.
pub const EDITORS: &str = "editors";

/// Partition key of Music.
pub const ARTIST: &str = keys::MUSIC[0];
/// Sort key of Music.
pub const SONG_TITLE: &str = keys::MUSIC[1];
/// Partition key of [`GENRE_ALBUM_TITLE`].
pub const GENRE: &str = "Genre";
/// Sort key of [`GENRE_ALBUM_TITLE`].
pub const ALBUM_TITLE: &str = "AlbumTitle";
/// The global secondary index of Music.
pub const GENRE_ALBUM_TITLE: &str = "GenreAlbumTitle";
/// Partition key of People.
pub const PERSON_ID: &str = keys::PEOPLE[0];

/// The most bytes of a partition key.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-partition-sort-keys>
pub const MAX_PARTITION_KEY_BYTES: usize = 2048;
/// The most bytes of a sort key.
pub const MAX_SORT_KEY_BYTES: usize = 1024;

/// The attribute that has an item's version. It is no part of the document, neither on the way in nor on the way out.
pub const VERSION: &str = "_version";
/// A version that no item has had before.
#[must_use]
pub fn new_version() -> String {
    Uuid::now_v7().to_string()
}

/// The primary key of a song.
#[must_use]
pub fn song_key(artist: &Artist, title: &SongTitle) -> Item {
    [(ARTIST.to_owned(), S(artist.to_string())), (SONG_TITLE.to_owned(), S(title.to_string()))].into()
}

/// Where a song is in the API.
#[must_use]
pub fn song_path(artist: &Artist, title: &SongTitle) -> String {
    let segment = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    format!("/music/{}/{}", segment(artist.as_ref()), segment(title.as_ref()))
}

/// The primary key of a person.
#[must_use]
pub fn person_key(person_id: &PersonId) -> Item {
    [(PERSON_ID.to_owned(), N(person_id.to_string()))].into()
}

/// A page of the songs of an artist.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Songs {
    /// A document each.
    pub songs: Vec<Box<RawValue>>,
    /// For the next page; none if this is the last.
    pub next_cursor: Option<String>,
}

/// A page of the albums of a genre.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Albums {
    /// One for each song, a document of what [`GENRE_ALBUM_TITLE`] has of it.
    pub albums: Vec<Box<RawValue>>,
    /// For the next page; none if this is the last.
    pub next_cursor: Option<String>,
}

/// An attribute that an index has for its key is a text that [`can_be_a_key`], or isn't there.
pub fn indexed(item: &Item, name: &str, most: usize) -> Result<(), Error> {
    match item.get(name) {
        None => Ok(()),
        Some(S(text)) if can_be_a_key(text, most) => Ok(()),
        Some(_) => Err(Error::invalid(name, format!("must be a text of 1–{most} bytes, or be left out"))),
    }
}

/// Whether a text can be the value of a key of
/// [this length](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-partition-sort-keys).
/// The rules of the values that people send are stricter; items of other programs may have any such key.
#[must_use]
pub fn can_be_a_key(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_to_any_song() {
        let path = song_path(&"AC/DC".parse().unwrap(), &"T.N.T. – live?".parse().unwrap());
        assert_eq!(path, "/music/AC%2FDC/T%2EN%2ET%2E%20%E2%80%93%20live%3F");
    }

    #[test]
    fn a_key_of_an_index_is_a_text_of_its_length_or_left_out() {
        let genre = |value| Item::from([(GENRE.to_owned(), value)]);
        assert!(indexed(&Item::new(), GENRE, 4).is_ok());
        for text in ["a", "abcd", "éé", "\n"] {
            assert!(indexed(&genre(S(text.to_owned())), GENRE, 4).is_ok(), "{text}");
        }
        for value in [S(String::new()), S("abcde".to_owned()), S("ééé".to_owned()), N("1".to_owned())] {
            let Err(Error::Invalid(violations)) = indexed(&genre(value), GENRE, 4) else { panic!() };
            assert_eq!(violations[0].field, GENRE);
        }
    }
}
