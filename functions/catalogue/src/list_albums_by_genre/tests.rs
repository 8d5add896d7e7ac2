use super::*;
use serde_json::{Value, json};
use testing::{Fixture, request};

/// A song of the genre Ska.
fn song(album: &str, artist: &str, title: &str) -> Item {
    let attributes = [(GENRE, "Ska"), (ALBUM_TITLE, album), (ARTIST, artist), (SONG_TITLE, title)];
    attributes.map(|(name, text)| (name.to_owned(), S(text.to_owned()))).into()
}

async fn list(fixture: &Fixture, uri: &str) -> Value {
    let answer = fixture.call(ListAlbumsByGenre::start, request("GET", uri).by("ben")).await;
    assert_eq!(answer.status, 200, "{uri}: {}", answer.body);
    answer.body
}

fn names(albums: &[Value]) -> Vec<String> {
    let text = |album: &Value, name: &str| album[name].as_str().unwrap().to_owned();
    let name = |album| [ALBUM_TITLE, ARTIST, SONG_TITLE].map(|name| text(album, name)).join("/");
    albums.iter().map(name).collect()
}

#[tokio::test]
async fn lists_albums_whose_titles_begin_with_the_prefix() {
    let fixture = Fixture::new("list-albums-by-genre").await;
    let answer = fixture.call_with_sample_event(ListAlbumsByGenre::start).await;
    assert_eq!(answer.status, 200);
    let album = |title: &str| {
        json!({
            "Genre": "Folk", "AlbumTitle": "Between Two Piers", "Artist": "The Harbour Lights", "SongTitle": title,
        })
    };
    let mut body = answer.body;
    // The index does not order the songs of one album.
    body["albums"].as_array_mut().unwrap().sort_by_key(|album| album["SongTitle"].to_string());
    assert_eq!(body, json!({"albums": [album("Low Tide"), album("Slow Ferry")], "nextCursor": null}));
}

#[tokio::test]
async fn lists_the_albums_of_the_genre_in_both_formats() {
    let fixture = Fixture::new("list-albums-by-genre").await;
    fixture.put_all(vec![song("B", "Duo", "One"), song("A", "Trio", "Two")]);
    let page = list(&fixture, "/genres/Ska/albums").await;
    assert_eq!(names(page["albums"].as_array().unwrap()), ["A/Trio/Two", "B/Duo/One"]);
    let typed = json!({
        "Genre": {"S": "Ska"}, "AlbumTitle": {"S": "B"}, "Artist": {"S": "Duo"}, "SongTitle": {"S": "One"},
    });
    let page = list(&fixture, "/genres/Ska/albums?titlePrefix=B&format=dynamodb").await;
    assert_eq!(page, json!({"albums": [typed], "nextCursor": null}));
    for other in ["/genres/ska/albums", "/genres/Sk/albums"] {
        assert_eq!(list(&fixture, other).await, json!({"albums": [], "nextCursor": null}), "{other}");
    }
}

#[tokio::test]
async fn leaves_out_songs_without_an_album_or_a_genre() {
    let fixture = Fixture::new("list-albums-by-genre").await;
    for missing in [GENRE, ALBUM_TITLE] {
        let mut song = song("Album", "Duo", missing);
        song.remove(missing);
        fixture.put(song).await;
    }
    assert_eq!(list(&fixture, "/genres/Ska/albums").await, json!({"albums": [], "nextCursor": null}));
    // "Unfinished" in the seed data has a genre and no album.
    let folk = list(&fixture, "/genres/Folk/albums").await;
    assert_eq!(folk["albums"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn shows_only_the_attributes_of_the_index() {
    let fixture = Fixture::new("list-albums-by-genre").await;
    let mut song = song("Album", "Duo", "One");
    song.insert("_version".to_owned(), S("v-1".to_owned()));
    song.insert("Price".to_owned(), S("1".to_owned()));
    fixture.put(song).await;
    let page = list(&fixture, "/genres/Ska/albums").await;
    let album = json!({"Genre": "Ska", "AlbumTitle": "Album", "Artist": "Duo", "SongTitle": "One"});
    assert_eq!(page["albums"], json!([album]));
}

#[tokio::test]
async fn returns_every_entry_once_during_concurrent_writes() {
    let fixture = Fixture::new("list-albums-by-genre").await;
    // Several artists and songs share an album title. Another program can write texts that this API
    // would refuse.
    let mut all = vec![];
    for album in ["A", "a", "a\nb"] {
        for (artist, title) in [("Duo", "One"), ("Duo", "Two"), ("Trio", "One"), ("#\n", " ")] {
            all.push(song(album, artist, &format!("{title} of {album}")));
        }
    }
    fixture.put_all(all);
    let before_the_cursor = async |fixture: &Fixture| fixture.put_all(vec![song("!", "Duo", "Three")]);
    let pages = fixture.pages(ListAlbumsByGenre::start, "/genres/Ska/albums", "albums", before_the_cursor).await;
    let albums: Vec<_> = pages.iter().map(|album| album[ALBUM_TITLE].as_str().unwrap()).collect();
    assert_eq!(albums.len(), 12);
    assert!(albums.is_sorted());
    let mut found = names(&pages);
    found.sort();
    found.dedup();
    assert_eq!(found.len(), 12, "each song is listed once");
}

#[tokio::test]
async fn pages_of_a_prefix_end_after_its_last_title() {
    let fixture = Fixture::new("list-albums-by-genre").await;
    let albums = ["Low", "Lowa", "Lowb", "Lox", "L", "low"];
    fixture.put_all(albums.iter().map(|album| song(album, "Duo", album)).collect());
    let mut all = vec![];
    let mut cursor = String::new();
    loop {
        let page = list(&fixture, &format!("/genres/Ska/albums?titlePrefix=Low&limit=1{cursor}")).await;
        all.extend(page["albums"].as_array().unwrap().clone());
        assert!(all.len() < 10, "the list does not end");
        let Some(next) = page["nextCursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
        for other in ["", "titlePrefix=Lo&", "titlePrefix=Lowa&"] {
            let request = request("GET", format!("/genres/Ska/albums?{other}limit=1{cursor}")).by("ben");
            fixture.refuses_field(ListAlbumsByGenre::start, request, "cursor").await;
        }
    }
    assert_eq!(names(&all), ["Low/Duo/Low", "Lowa/Duo/Lowa", "Lowb/Duo/Lowb"]);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("list-albums-by-genre").await;
    let uri = "/genres/Folk/albums";
    fixture.needs_a_caller(ListAlbumsByGenre::start, request("GET", uri)).await;
    fixture.refuses_bad_pages(ListAlbumsByGenre::start, uri).await;
    let get = |uri: &str| request("GET", uri).by("ben");
    for genre in ["~20", "a~0Ab", "a~00", &"a".repeat(2049), &"~C3~BC".repeat(1025), "a.b", "a%20b"] {
        fixture.refuses_field(ListAlbumsByGenre::start, get(&format!("/genres/{genre}/albums")), "genre").await;
    }
    let long = "a".repeat(1025);
    for (field, values) in [
        ("format", vec!["", "JSON", "xml", "json&format=json"]),
        ("titlePrefix", vec!["", "a%0A", "%00", &long, "a&titlePrefix=a"]),
    ] {
        for value in values {
            let request = get(&format!("{uri}?{field}={value}"));
            fixture.refuses_field(ListAlbumsByGenre::start, request, field).await;
        }
    }

    let page = list(&fixture, &format!("{uri}?limit=1")).await;
    let cursor = page["nextCursor"].as_str().unwrap();
    for other in [format!("{uri}?titlePrefix=Be"), "/genres/Jazz/albums?".to_owned()] {
        fixture.refuses_field(ListAlbumsByGenre::start, get(&format!("{other}&cursor={cursor}")), "cursor").await;
    }
}
