//! The catalogues of songs and of people, whose items are schemaless.

use shared::runtime::visitor::Visitor;

pub mod delete_person;
pub mod delete_song;
pub mod get_person;
pub mod get_song;
pub mod list_albums_by_genre;
pub mod list_songs_by_artist;
pub mod put_person;
pub mod put_song;
pub mod update_person;

/// Shows each function of the noun to a visitor.
pub fn visit<V: Visitor>(visitor: &mut V) {
    visitor.route::<delete_person::DeletePerson>();
    visitor.route::<delete_song::DeleteSong>();
    visitor.route::<get_person::GetPerson>();
    visitor.route::<get_song::GetSong>();
    visitor.route::<list_albums_by_genre::ListAlbumsByGenre>();
    visitor.route::<list_songs_by_artist::ListSongsByArtist>();
    visitor.route::<put_person::PutPerson>();
    visitor.route::<put_song::PutSong>();
    visitor.route::<update_person::UpdatePerson>();
}
