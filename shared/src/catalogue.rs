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
use lambda_http::Request;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::Error;
use crate::document::{self, Fault};
use crate::items::Item;
use crate::precondition::{VERSION, new_version};
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

/// The most bytes of a partition key.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-partition-sort-keys>
pub const MOST_PARTITION_KEY: usize = 2048;
/// The most bytes of a sort key.
pub const MOST_SORT_KEY: usize = 1024;

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

/// The item that a body is: a document of any attributes, with the key that the path says, and a new version. Where the
/// document has the key's attributes too, they must be the same.
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
    item.insert(VERSION.to_owned(), S(new_version()));
    document::within_limits(&item).map_err(invalid)?;
    Ok(item)
}

/// What a document breaks, as its reader sees it.
#[must_use]
#[expect(clippy::needless_pass_by_value, reason = "`map_err` gives it away")]
pub fn invalid(fault: Fault) -> Error {
    let path = if fault.path().is_empty() { "body" } else { fault.path() };
    Error::invalid(path, fault.what())
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
    use lambda_http::{Body, http};

    fn read(form: DocumentForm, key: &Item, body: &str) -> Result<Item, Error> {
        let request = http::Request::put("/").header("content-type", "application/json");
        document(&request.body(Body::from(body)).unwrap(), form, key)
    }

    fn is_invalid(result: Result<impl std::fmt::Debug, Error>, field: &str) {
        match result {
            Err(Error::Invalid(violations)) => assert_eq!(violations[0].field, field),
            other => panic!("{field}: {other:?}"),
        }
    }

    fn song() -> Item {
        song_key(&"AC/DC".parse().unwrap(), &"T.N.T. – live?".parse().unwrap())
    }

    fn person() -> Item {
        person_key(&"10".parse().unwrap())
    }

    #[test]
    fn a_path_leads_to_any_song() {
        let path = song_path(&"AC/DC".parse().unwrap(), &"T.N.T. – live?".parse().unwrap());
        assert_eq!(path, "/music/AC%2FDC/T%2EN%2ET%2E%20%E2%80%93%20live%3F");
    }

    #[test]
    fn a_document_gets_the_key_of_the_path_and_a_version() {
        let mut item = read(DocumentForm::Json, &song(), r#"{"Price": 1.20, "Deep": {"_version": 1}}"#).unwrap();
        assert!(matches!(item.remove(VERSION), Some(S(version)) if version.len() == 36));
        let text = document::write(DocumentForm::Json, &item).unwrap();
        assert_eq!(text.get(), r#"{"Artist":"AC/DC","Deep":{"_version":1},"Price":1.20,"SongTitle":"T.N.T. – live?"}"#);
    }

    #[test]
    fn a_key_in_the_document_is_that_of_the_path() {
        for body in [r#"{"PersonID": 10}"#, r#"{"PersonID": 10.0}"#, r#"{"PersonID": 1e1}"#] {
            assert_eq!(read(DocumentForm::Json, &person(), body).unwrap()[PERSON_ID], N("10".to_owned()), "{body}");
        }
        assert!(read(DocumentForm::DynamoDb, &person(), r#"{"PersonID": {"N": "10"}}"#).is_ok());
        for other in ["11", "\"10\"", "null", "[10]", "10.00000001"] {
            is_invalid(read(DocumentForm::Json, &person(), &format!(r#"{{"PersonID": {other}}}"#)), PERSON_ID);
        }
        assert!(read(DocumentForm::Json, &song(), r#"{"Artist": "AC/DC", "SongTitle": "T.N.T. – live?"}"#).is_ok());
        for other in ["\"ac/dc\"", "\"\"", "1", "null", "[]"] {
            is_invalid(read(DocumentForm::Json, &song(), &format!(r#"{{"Artist": {other}}}"#)), ARTIST);
            is_invalid(read(DocumentForm::Json, &song(), &format!(r#"{{"SongTitle": {other}}}"#)), SONG_TITLE);
        }
    }

    #[test]
    fn a_document_has_no_version_of_its_own() {
        is_invalid(read(DocumentForm::Json, &song(), r#"{"_version": "a"}"#), VERSION);
        is_invalid(read(DocumentForm::DynamoDb, &song(), r#"{"_version": {"NULL": true}}"#), VERSION);
    }

    #[test]
    fn an_item_has_at_most_400_kb_with_its_key_and_version() {
        let of = |bytes: usize| format!(r#"{{"Text": "{}"}}"#, "x".repeat(bytes));
        let rest = document::size(&read(DocumentForm::Json, &song(), &of(0)).unwrap());
        let full = read(DocumentForm::Json, &song(), &of(document::MOST_BYTES - rest)).unwrap();
        assert_eq!(document::size(&full), document::MOST_BYTES);
        is_invalid(read(DocumentForm::Json, &song(), &of(document::MOST_BYTES - rest + 1)), "body");
    }

    #[test]
    fn a_fault_is_named_by_its_path() {
        is_invalid(read(DocumentForm::Json, &song(), r#"{"a": {"b": [1, {"": 1}]}}"#), "a.b[1]");
        for body in ["", "[]", "null", "{", "{}{}"] {
            is_invalid(read(DocumentForm::Json, &song(), body), "body");
        }
        let request = http::Request::put("/").header("content-type", "application/json");
        let request = request.body(Body::from(b"{\"a\": \"\xff\"}".to_vec())).unwrap();
        assert!(matches!(document(&request, DocumentForm::Json, &song()), Err(Error::Malformed(_))));
    }

    #[test]
    fn a_key_of_an_index_is_a_text_of_its_length_or_left_out() {
        let genre = |value| Item::from([(GENRE.to_owned(), value)]);
        assert!(indexed(&Item::new(), GENRE, 4).is_ok());
        for text in ["a", "abcd", "éé", "\n"] {
            assert!(indexed(&genre(S(text.to_owned())), GENRE, 4).is_ok(), "{text}");
        }
        for value in [S(String::new()), S("abcde".to_owned()), S("ééé".to_owned()), N("1".to_owned())] {
            is_invalid(indexed(&genre(value), GENRE, 4), GENRE);
        }
    }
}
