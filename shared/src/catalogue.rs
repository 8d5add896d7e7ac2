//! The two shared catalogues of schemaless items, Music and People: their keys, and how a document becomes an item.
//!
//! | table | partition key | sort key | index |
//! |---|---|---|---|
//! | Music | `Artist` | `SongTitle` | [`GENRE_ALBUM_TITLE`]: `Genre`, `AlbumTitle`, keys only |
//! | People | `PersonID`, a number | | |
//!
//! Beyond the key, each item has the attributes that it has. An item without a `Genre` or an `AlbumTitle` is simply not in
//! the index.

use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};
use lambda_http::Request;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::Error;
use crate::document::{self, Fault};
use crate::items::Item;
use crate::precondition::VERSION;
use crate::request::json_body;
use crate::values::{Artist, DocumentForm, PersonId, SongTitle};

/// Who belongs to this group writes the catalogues.
pub const EDITORS: &str = "editors";

/// Partition key of Music.
pub const ARTIST: &str = "Artist";
/// Sort key of Music.
pub const SONG_TITLE: &str = "SongTitle";
/// Partition key of [`GENRE_ALBUM_TITLE`].
pub const GENRE: &str = "Genre";
/// Sort key of [`GENRE_ALBUM_TITLE`].
pub const ALBUM_TITLE: &str = "AlbumTitle";
/// The global secondary index of Music.
pub const GENRE_ALBUM_TITLE: &str = "GenreAlbumTitle";
/// Partition key of People.
pub const PERSON_ID: &str = "PersonID";

/// The most that a body may hold, in bytes: an item of [400 KB](document::MOST_BYTES) with room for escapes.
pub const MAX_DOCUMENT_BYTES: usize = 2 * 1024 * 1024;

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

/// The item that a body is: a document of any attributes, with the key that the path says. Where the document has the
/// key's attributes too, they must be the same.
pub fn document(request: &Request, form: DocumentForm, key: &Item) -> Result<Item, Error> {
    let body = json_body(request, MAX_DOCUMENT_BYTES)?;
    let text = str::from_utf8(body).map_err(|_| Error::Malformed("The body must be UTF-8.".to_owned()))?;
    let mut item = document::read(form, text).map_err(invalid)?;
    if item.contains_key(VERSION) {
        return Err(Error::invalid(VERSION, "is the name of an attribute of the server's own"));
    }
    for (name, value) in key {
        let is_the_same = match item.insert(name.clone(), value.clone()) {
            None => true,
            Some(N(number)) => {
                document::Number::parse(&number).ok() == value.as_n().ok().and_then(|n| document::Number::parse(n).ok())
            }
            Some(other) => other == *value,
        };
        if !is_the_same {
            return Err(Error::invalid(name, "must be what the path says, or be left out"));
        }
    }
    document::within_limits(&item).map_err(invalid)?;
    Ok(item)
}

/// What a document breaks, as its reader sees it.
pub fn invalid(fault: Fault) -> Error {
    let path = if fault.path().is_empty() { "body" } else { fault.path() };
    Error::invalid(path, fault.what())
}

/// An attribute that an index has for its key is a text of that key's
/// [length](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-partition-sort-keys),
/// or isn't there.
pub fn indexed(item: &Item, name: &str, most: usize) -> Result<(), Error> {
    match item.get(name) {
        None => Ok(()),
        Some(AttributeValue::S(text)) if (1..=most).contains(&text.len()) => Ok(()),
        Some(_) => Err(Error::invalid(name, format!("must be a text of 1–{most} bytes, or be left out"))),
    }
}
