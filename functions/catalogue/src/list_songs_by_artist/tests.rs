use super::*;
use aws_sdk_dynamodb::types::AttributeValue::{self, L};
use serde_json::{Value, json};
use shared::document;
use testing::{Fault, Fixture, request};

const HARBOUR_LIGHTS: &str = "/music/The~20Harbour~20Lights";

/// The number of times that a page is read again that was not read in time.
const MAX_ATTEMPTS: usize = 20;

/// Songs that have only their keys.
fn songs(artist: &str, titles: &[&str]) -> Vec<Item> {
    let song = |title: &&str| {
        Item::from([(ARTIST.to_owned(), S(artist.to_owned())), (SONG_TITLE.to_owned(), S((*title).to_owned()))])
    };
    titles.iter().map(song).collect()
}

/// Returns a page. On a busy machine, the embedded engine takes longer than the function waits for the
/// largest songs.
async fn list(fixture: &Fixture, uri: &str) -> Value {
    let get = || fixture.call(ListSongsByArtist::start, request("GET", uri).by("ben"));
    let mut answer = get().await;
    for _ in 0..MAX_ATTEMPTS {
        if answer.status != 503 {
            break;
        }
        answer = get().await;
    }
    assert_eq!(answer.status, 200, "{uri}: {}", answer.body);
    answer.body
}

/// Returns the titles of songs in either format.
fn titles(songs: &[Value]) -> Vec<&str> {
    songs.iter().map(|song| song["SongTitle"].as_str().or(song["SongTitle"]["S"].as_str()).unwrap()).collect()
}

#[tokio::test]
async fn lists_songs_whose_titles_begin_with_the_prefix() {
    let fixture = Fixture::new("list-songs-by-artist").await;
    let answer = fixture.call_with_sample_event(ListSongsByArtist::start).await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.body,
        json!({
            "songs": [{
                "Artist": "The Harbour Lights", "SongTitle": "Low Tide", "Genre": "Folk",
                "AlbumTitle": "Between Two Piers", "Year": 2019, "Price": 1.2, "Players": ["Dora", "Ines", "Sami"],
            }],
            "nextCursor": null,
        })
    );
}

#[tokio::test]
async fn lists_songs_in_both_formats() {
    let fixture = Fixture::new("list-songs-by-artist").await;
    fixture.put_all(songs("Duo", &["A", "B"]));
    let page = list(&fixture, "/music/Duo").await;
    assert_eq!(page["songs"], json!([{"Artist": "Duo", "SongTitle": "A"}, {"Artist": "Duo", "SongTitle": "B"}]));
    let typed = |title| json!({"Artist": {"S": "Duo"}, "SongTitle": {"S": title}});
    let page = list(&fixture, "/music/Duo?format=dynamodb").await;
    assert_eq!(page, json!({"songs": [typed("A"), typed("B")], "nextCursor": null}));
}

#[tokio::test]
async fn does_not_show_versions() {
    let fixture = Fixture::new("list-songs-by-artist").await;
    let mut song = songs("Duo", &["One"]).remove(0);
    song.insert(VERSION.to_owned(), S("v-1".to_owned()));
    fixture.put(song).await;
    let page = list(&fixture, "/music/Duo").await;
    assert_eq!(page["songs"], json!([{"Artist": "Duo", "SongTitle": "One"}]));
}

#[tokio::test]
async fn returns_an_empty_list_for_an_unknown_artist() {
    let fixture = Fixture::new("list-songs-by-artist").await;
    for uri in ["/music/Unknown", "/music/the~20harbour~20lights", "/music/The~20Harbour"] {
        assert_eq!(list(&fixture, uri).await, json!({"songs": [], "nextCursor": null}));
    }
}

#[tokio::test]
async fn returns_every_song_once_during_concurrent_writes() {
    let fixture = Fixture::new("list-songs-by-artist").await;
    // Titles are in byte order. Another program can write titles that this API would refuse.
    let all = [" ", "#", "A", "B", "a", "a\nb", "z", "é", "\u{1F3B5}"];
    fixture.put_all(songs("AC/DC", &all));
    fixture.put_all(songs("AC", &all));
    let add_before_the_cursor = async |fixture: &Fixture| fixture.put_all(songs("AC/DC", &["!"]));
    let pages = fixture.pages(ListSongsByArtist::start, "/music/AC~2FDC", "songs", add_before_the_cursor).await;
    assert_eq!(titles(&pages), [" ", "#", "A", "B", "a", "a\nb", "z", "é", "\u{1F3B5}"]);

    let delete_the_song_of_the_cursor = async |fixture: &Fixture| fixture.delete(songs("AC", &["#"]).remove(0)).await;
    let pages = fixture.pages(ListSongsByArtist::start, "/music/AC", "songs", delete_the_song_of_the_cursor).await;
    assert_eq!(titles(&pages), all);
}

#[tokio::test]
async fn pages_of_a_prefix_end_after_its_last_title() {
    let fixture = Fixture::new("list-songs-by-artist").await;
    fixture.put_all(songs("Duo", &["Low", "Lowa", "Lowb", "Lowc", "Lox", "L", "low"]));
    let mut all = vec![];
    let mut cursor = String::new();
    loop {
        let page = list(&fixture, &format!("/music/Duo?titlePrefix=Low&limit=1{cursor}")).await;
        all.extend(page["songs"].as_array().unwrap().clone());
        assert!(all.len() < 10, "the list does not end");
        let Some(next) = page["nextCursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
        for other in ["", "titlePrefix=Lo&", "titlePrefix=Lowa&"] {
            let request = request("GET", format!("/music/Duo?{other}limit=1{cursor}")).by("ben");
            fixture.refuses_field(ListSongsByArtist::start, request, "cursor").await;
        }
    }
    assert_eq!(titles(&all), ["Low", "Lowa", "Lowb", "Lowc"]);
}

/// Puts songs of the artist Duo, each with this attribute.
fn put_large(fixture: &Fixture, titles: &[&str], value: &AttributeValue) {
    let mut large = songs("Duo", titles);
    for song in &mut large {
        song.insert("Large".to_owned(), value.clone());
    }
    fixture.put_all(large);
}

/// Returns the titles on each page of the songs of Duo. Calls `between_pages` after each page but
/// the last.
async fn titles_by_page(fixture: &Fixture, query: &str, between_pages: impl Fn()) -> Vec<Vec<String>> {
    let (mut pages, mut cursor) = (vec![], String::new());
    loop {
        assert!(pages.len() < 10, "the list does not end");
        let page = list(fixture, &format!("/music/Duo?limit=100{query}{cursor}")).await;
        let body = page.to_string();
        assert!(json!({"statusCode": 200, "headers": {}, "body": body}).to_string().len() < 6_000_000, "{query}");
        pages.push(titles(page["songs"].as_array().unwrap()).into_iter().map(ToOwned::to_owned).collect());
        let Some(next) = page["nextCursor"].as_str() else { return pages };
        cursor = format!("&cursor={next}");
        between_pages();
    }
}

#[tokio::test]
async fn a_page_ends_before_its_response_is_too_large() {
    let fixture = Fixture::new("list-songs-by-artist").await;
    // The response has seven bytes for each character: the six of `\u0001`, and one more for its
    // escaped backslash.
    let text = S("\u{1}".repeat(330_000));
    put_large(&fixture, &["A", "B", "C"], &text);
    let between_pages = || {
        put_large(&fixture, &["AA"], &text);
        put_large(&fixture, &["BA"], &text);
    };
    let pages = titles_by_page(&fixture, "", between_pages).await;
    assert_eq!(pages, [vec!["A", "B"], vec!["BA", "C"]]);
    assert_eq!(fixture.operations(), ["Query", "Query"]);
}

#[tokio::test]
async fn waits_longer_than_others_for_a_large_answer() {
    let fixture = Fixture::new("list-songs-by-artist").await;
    fixture.inject([Fault::Late(Duration::from_millis(1500))]);
    assert_eq!(titles(list(&fixture, HARBOUR_LIGHTS).await["songs"].as_array().unwrap()).len(), 2);
    assert_eq!(fixture.operations(), ["Query"]);
}

#[tokio::test]
async fn the_largest_song_is_a_page_of_its_own() {
    let fixture = Fixture::new("list-songs-by-artist").await;
    // An empty string in a list is one byte of the item and has 13 in the response:
    // `{\"S\":\"\"},`.
    let rest = document::size(&songs("Duo", &["A"])[0]) + "Large".len() + 3;
    put_large(&fixture, &["A", "B"], &L(vec![S(String::new()); document::MAX_BYTES - rest]));
    assert_eq!(titles_by_page(&fixture, "&format=dynamodb", || ()).await, [["A"], ["B"]]);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("list-songs-by-artist").await;
    fixture.needs_a_caller(ListSongsByArtist::start, request("GET", HARBOUR_LIGHTS)).await;
    let get = |uri: &str| request("GET", uri).by("ben");
    for artist in ["~20", "a~0Ab", "a~00", &"a".repeat(2049), &"~C3~BC".repeat(1025), "a.b", "a%20b"] {
        fixture.refuses_field(ListSongsByArtist::start, get(&format!("/music/{artist}")), "artist").await;
    }
    let long = "a".repeat(1025);
    for (field, values) in [
        ("format", vec!["", "JSON", "xml", "json&format=json"]),
        ("titlePrefix", vec!["", "a%0A", "%00", &long, "a&titlePrefix=a"]),
        ("limit", vec!["", "0", "101", "-1", "%2B5", "x", "1.5", "5&limit=5"]),
        ("cursor", vec!["", "x", "e30", "x&cursor=x"]),
    ] {
        for value in values {
            let request = get(&format!("{HARBOUR_LIGHTS}?{field}={value}"));
            fixture.refuses_field(ListSongsByArtist::start, request, field).await;
        }
    }

    fixture.refuses_bad_pages(ListSongsByArtist::start, HARBOUR_LIGHTS).await;
    let page = list(&fixture, &format!("{HARBOUR_LIGHTS}?limit=1")).await;
    let cursor = page["nextCursor"].as_str().unwrap();
    for other in [format!("{HARBOUR_LIGHTS}?titlePrefix=L"), "/music/Greta~20Holm~20Trio?".to_owned()] {
        let request = get(&format!("{other}&cursor={cursor}"));
        fixture.refuses_field(ListSongsByArtist::start, request, "cursor").await;
    }
}
