//! The songs of the catalogue `<stage>.Music`: schemaless items, of which only the key and the keys
//! of the index have names.

use aws_sdk_dynamodb::types::AttributeValue::S;

use crate::Error;
use crate::dynamodb::{Item, key_attributes};
use crate::http::escape::escape;
use crate::values::{Artist, SongTitle, can_be_a_key};

/// The partition key of Music.
pub const ARTIST: &str = key_attributes::MUSIC[0];
/// The sort key of Music.
pub const SONG_TITLE: &str = key_attributes::MUSIC[1];
/// The partition key of [`GENRE_ALBUM_TITLE`].
pub const GENRE: &str = "Genre";
/// The sort key of [`GENRE_ALBUM_TITLE`].
pub const ALBUM_TITLE: &str = "AlbumTitle";
/// The global secondary index of Music.
pub const GENRE_ALBUM_TITLE: &str = "GenreAlbumTitle";

/// Returns the primary key of a song.
#[must_use]
pub fn song_key(artist: &Artist, title: &SongTitle) -> Item {
    [(ARTIST.to_owned(), S(artist.to_string())), (SONG_TITLE.to_owned(), S(title.to_string()))].into()
}

/// Returns the path of a song in the API.
#[must_use]
pub fn song_path(artist: &Artist, title: &SongTitle) -> String {
    format!("/music/{}/{}", escape(artist.as_ref()), escape(title.as_ref()))
}

/// Fails if an attribute that is a key of an index is neither absent nor a string that
/// [`can_be_a_key`]. DynamoDB would refuse such an item.
pub fn check_index_key(item: &Item, name: &str, max_bytes: usize) -> Result<(), Error> {
    match item.get(name) {
        None => Ok(()),
        Some(S(text)) if can_be_a_key(text, max_bytes) => Ok(()),
        Some(_) => Err(Error::invalid(name, format!("must be a string of 1–{max_bytes} bytes, or be left out"))),
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::types::AttributeValue::N;

    use super::*;

    #[test]
    fn a_song_path_escapes_all_special_characters() {
        let path = song_path(&"AC/DC".parse().unwrap(), &"T.N.T. – live?".parse().unwrap());
        assert_eq!(path, "/music/AC~2FDC/T~2EN~2ET~2E~20~E2~80~93~20live~3F");
    }

    #[test]
    fn an_index_key_is_a_string_within_the_limit_or_absent() {
        let genre = |value| Item::from([(GENRE.to_owned(), value)]);
        assert!(check_index_key(&Item::new(), GENRE, 4).is_ok());
        for text in ["a", "abcd", "éé", "\n"] {
            assert!(check_index_key(&genre(S(text.to_owned())), GENRE, 4).is_ok(), "{text}");
        }
        for value in [S(String::new()), S("abcde".to_owned()), S("ééé".to_owned()), N("1".to_owned())] {
            let Err(Error::Invalid(violations)) = check_index_key(&genre(value), GENRE, 4) else { panic!() };
            assert_eq!(violations[0].field, GENRE);
        }
    }
}
