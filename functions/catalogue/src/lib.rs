//! The catalogues of songs and of people, whose items are schemaless.

pub mod delete_person;
pub mod delete_song;
pub mod get_person;
pub mod get_song;
pub mod list_albums_by_genre;
pub mod list_songs_by_artist;
pub mod put_person;
pub mod put_song;
pub mod update_person;
