use super::*;
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use shared::document;
use shared::document::write;
use shared::http::precondition::{VERSION, take_tag};
use shared::http::versioned::MAX_PUT_ATTEMPTS;
use testing::{Answer, Fault, Fixture, MUSIC, TestRequest, request};

const LOW_TIDE: &str = "/music/The~20Harbour~20Lights/Low~20Tide";
const NEW: &str = "/music/AC~2FDC/T~2EN~2ET~2E~20~E2~80~93~20live~3F";

fn put(uri: &str) -> TestRequest {
    request("PUT", uri).by("ben").of_group("editors").json(&json!({"Year": 2024}))
}

fn low_tide() -> Item {
    song_key(&"The Harbour Lights".parse().unwrap(), &"Low Tide".parse().unwrap())
}

fn new_song_key() -> Item {
    song_key(&"AC/DC".parse().unwrap(), &"T.N.T. – live?".parse().unwrap())
}

fn tag(answer: &Answer) -> String {
    answer.headers["etag"].to_str().unwrap().to_owned()
}

/// Returns a song as the table has it, with all digits of its numbers.
async fn stored(fixture: &Fixture, key: Item) -> Item {
    let table = fixture.unrecorded_table(MUSIC);
    let get = table.client.get_item().table_name(table.name).set_key(Some(key));
    get.send().await.unwrap().item.unwrap()
}

#[tokio::test]
async fn replaces_an_existing_song() {
    let fixture = Fixture::new("put-song").await;
    let mut expected = fixture.all_items().await;
    let answer = fixture.call_with_sample_event(PutSong::start).await;
    let mut song = json!({
        "Artist": "Greta Holm Trio", "SongTitle": "Nine Windows", "Genre": "Jazz", "AlbumTitle": "Rooms",
        "Live": true, "Price": 1.2,
    });
    assert_eq!((answer.status, &answer.body), (200, &song));
    song["_version"] = json!(tag(&answer).trim_matches('"'));
    expected.insert("Greta Holm Trio Nine Windows".to_owned(), song);
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn creates_a_song_and_a_repeated_request_replaces_it() {
    let fixture = Fixture::new("put-song").await;
    let first = fixture.call(PutSong::start, put(NEW)).await;
    assert_eq!(first.status, 201);
    assert_eq!(first.body, json!({"Artist": "AC/DC", "SongTitle": "T.N.T. – live?", "Year": 2024}));
    let again = fixture.call(PutSong::start, put(first.headers["location"].to_str().unwrap())).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert!(again.headers.get("location").is_none());
    assert_ne!(tag(&again), tag(&first), "each write makes a new version");
    assert_eq!(fixture.all_items().await.len(), 5);
}

#[tokio::test]
async fn stores_every_type_in_both_formats() {
    let fixture = Fixture::new("put-song").await;
    let typed = json!({
        "S": {"S": "ü\n"}, "N": {"N": "12345678901234567890123456789012345678"}, "B": {"B": "AAEC"},
        "BOOL": {"BOOL": false}, "NULL": {"NULL": true}, "L": {"L": [{"N": "-0.1"}, {"S": ""}, {"L": []}]},
        "M": {"M": {"deep": {"M": {"_version": {"N": "1"}}}, "empty": {"M": {}}}}, "SS": {"SS": ["a", "b"]},
        "NS": {"NS": ["1", "2.5"]}, "BS": {"BS": ["AA==", "AQ=="]}, "#a.b[0]": {"S": "any name"},
    });
    let plain = json!({
        "S": "ü\n", "N": 12.5, "BOOL": true, "NULL": null, "L": [-0.1, "", [], {}],
        "M": {"deep": {"_version": 1}, "empty": {}}, "#a.b[0]": "any name",
    });
    for (format, mut body) in [(DocumentFormat::DynamoDb, typed), (DocumentFormat::Json, plain)] {
        let request = put(&format!("{NEW}?format={}", format.as_ref())).json(&body);
        let answer = fixture.call(PutSong::start, request).await;
        let key = write(format, &new_song_key()).unwrap();
        for (name, value) in serde_json::from_str::<Value>(key.get()).unwrap().as_object().unwrap() {
            body[name] = value.clone();
        }
        assert_eq!(answer.body, body);
        let mut song = stored(&fixture, new_song_key()).await;
        assert_eq!(take_tag(&mut song), tag(&answer));
        let expected = document::read(format, &body.to_string()).unwrap();
        assert_eq!(song, expected);
    }
}

#[tokio::test]
async fn if_none_match_creates_only_new_songs() {
    let fixture = Fixture::new("put-song").await;
    let answer = fixture.call(PutSong::start, put(NEW).header("if-none-match", "*")).await;
    assert_eq!(answer.status, 201);
    let before = fixture.all_items().await;
    for existing in [NEW, LOW_TIDE] {
        assert_eq!(fixture.call(PutSong::start, put(existing).header("if-none-match", "*")).await.status, 412);
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn if_match_replaces_only_a_listed_version() {
    let fixture = Fixture::new("put-song").await;
    let before = fixture.all_items().await;
    for (uri, tags) in [(NEW, "*"), (NEW, "\"0\""), (NEW, "\"a\""), (LOW_TIDE, "\"a\""), (LOW_TIDE, "\"a\", W/\"0\"")] {
        let answer = fixture.call(PutSong::start, put(uri).header("if-match", tags)).await;
        assert_eq!(answer.status, 412, "{uri} {tags}");
    }
    assert_eq!(fixture.all_items().await, before);

    let mut current = "\"0\"".to_owned();
    for _ in 0..2 {
        let answer = fixture.call(PutSong::start, put(LOW_TIDE).header("if-match", &current)).await;
        assert_eq!(answer.status, 200);
        let written = fixture.all_items().await;
        assert_eq!(fixture.call(PutSong::start, put(LOW_TIDE).header("if-match", &current)).await.status, 412);
        assert_eq!(fixture.all_items().await, written);
        current = tag(&answer);
    }
    for tags in [format!("\"0\", \"a\", {current}"), "*".to_owned()] {
        assert_eq!(fixture.call(PutSong::start, put(LOW_TIDE).header("if-match", tags)).await.status, 200);
    }
    assert_eq!(
        fixture.call(PutSong::start, put(LOW_TIDE)).await.status,
        200,
        "every version matches without a precondition"
    );
}

#[tokio::test]
async fn treats_a_version_that_is_not_a_string_as_unversioned() {
    let fixture = Fixture::new("put-song").await;
    let mut song = low_tide();
    song.insert(VERSION.to_owned(), AttributeValue::N("3".to_owned()));
    fixture.put(song).await;
    assert_eq!(fixture.call(PutSong::start, put(LOW_TIDE).header("if-match", "\"3\"")).await.status, 412);
    assert_eq!(fixture.call(PutSong::start, put(LOW_TIDE).header("if-match", "\"0\"")).await.status, 200);
    assert_eq!(fixture.call(PutSong::start, put(LOW_TIDE).header("if-match", "\"0\"")).await.status, 412);
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_changes_nothing() {
    let fixture = Fixture::new("put-song").await;
    let another = "/music/AC~2FDC/Another";
    let another_key = song_key(&"AC/DC".parse().unwrap(), &"Another".parse().unwrap());
    for (request, key, status, requests) in [
        (put(NEW).header("if-none-match", "*"), new_song_key(), 201, 2),
        (put(LOW_TIDE).header("if-match", "\"0\""), low_tide(), 200, 2),
        (put(LOW_TIDE).header("if-match", "*"), low_tide(), 200, 2),
        (put(LOW_TIDE), low_tide(), 200, 3),
        (put(another), another_key, 201, 2),
    ] {
        fixture.inject([Fault::AnswerLost]);
        let answer = fixture.call(PutSong::start, request).await;
        assert_eq!((answer.status, fixture.operations()), (status, vec!["PutItem".to_owned(); requests]));
        assert_eq!(answer.headers.contains_key("location"), status == 201);
        assert_eq!(take_tag(&mut stored(&fixture, key).await), tag(&answer));
    }
}

#[tokio::test]
async fn a_lost_answer_of_the_replacement_returns_200() {
    let fixture = Fixture::new("put-song").await;
    fixture.inject([Fault::None, Fault::AnswerLost]);
    let answer = fixture.call(PutSong::start, put(LOW_TIDE)).await;
    assert_eq!((answer.status, fixture.operations()), (200, vec!["PutItem".to_owned(); 3]));
    assert_eq!(take_tag(&mut stored(&fixture, low_tide()).await), tag(&answer));
}

#[tokio::test]
async fn creates_a_song_that_is_deleted_before_its_replacement() {
    let fixture = Fixture::new("put-song").await;
    fixture.write_concurrently(1, vec![], vec![low_tide()]);
    let answer = fixture.call(PutSong::start, put(LOW_TIDE)).await;
    assert_eq!((answer.status, fixture.operations()), (201, vec!["PutItem".to_owned(); 3]));
    assert_eq!(take_tag(&mut stored(&fixture, low_tide()).await), tag(&answer));
}

#[tokio::test]
async fn replaces_a_song_that_is_put_concurrently() {
    let fixture = Fixture::new("put-song").await;
    let mut concurrent = new_song_key();
    concurrent.insert(VERSION.to_owned(), AttributeValue::S("concurrent".to_owned()));
    fixture.write_concurrently(0, vec![concurrent], vec![]);
    let answer = fixture.call(PutSong::start, put(NEW)).await;
    assert_eq!((answer.status, fixture.operations()), (200, vec!["PutItem".to_owned(); 2]));
    assert_eq!(take_tag(&mut stored(&fixture, new_song_key()).await), tag(&answer));
}

#[tokio::test]
async fn returns_503_when_the_retry_budget_is_used_up() {
    let fixture = Fixture::new("put-song").await;
    fixture.inject([Fault::Error("ConditionalCheckFailedException"); MAX_PUT_ATTEMPTS]);
    assert_eq!(fixture.call(PutSong::start, put(LOW_TIDE)).await.status, 503);
    assert_eq!(fixture.operations(), ["PutItem"; MAX_PUT_ATTEMPTS]);
}

#[tokio::test]
async fn keeps_a_song_that_is_put_concurrently() {
    let fixture = Fixture::new("put-song").await;
    let mut concurrent = new_song_key();
    concurrent.insert(VERSION.to_owned(), AttributeValue::S("concurrent".to_owned()));
    fixture.write_concurrently(0, vec![concurrent.clone()], vec![]);
    assert_eq!(fixture.call(PutSong::start, put(NEW).header("if-none-match", "*")).await.status, 412);

    let mut concurrent = low_tide();
    concurrent.insert(VERSION.to_owned(), AttributeValue::S("concurrent".to_owned()));
    let _ = fixture.operations();
    fixture.inject([Fault::AnswerLost]);
    fixture.write_concurrently(1, vec![concurrent.clone()], vec![]);
    assert_eq!(fixture.call(PutSong::start, put(LOW_TIDE).header("if-match", "\"0\"")).await.status, 412);
    assert_eq!(stored(&fixture, low_tide()).await, concurrent);
}

#[tokio::test]
async fn accepts_400_kb_and_no_byte_more() {
    let fixture = Fixture::new("put-song").await;
    let put_text = |bytes: usize| put(NEW).json(&json!({"Text": "x".repeat(bytes)}));
    assert_eq!(fixture.call(PutSong::start, put_text(0)).await.status, 201);
    let rest = document::size(&stored(&fixture, new_song_key()).await);
    assert_eq!(fixture.call(PutSong::start, put_text(document::MAX_BYTES - rest)).await.status, 200);
    assert_eq!(document::size(&stored(&fixture, new_song_key()).await), document::MAX_BYTES);
    fixture.refuses_field(PutSong::start, put_text(document::MAX_BYTES - rest + 1), "body").await;
}

#[tokio::test]
async fn refuses_callers_who_are_not_editors() {
    let fixture = Fixture::new("put-song").await;
    fixture.refuses(PutSong::start, request("PUT", NEW).by("ben").json(&json!({})), 403).await;
    for group in ["", "admins", "editor", "Editors", "editors2"] {
        fixture.refuses(PutSong::start, put(NEW).of_group(group), 403).await;
    }
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("put-song").await;
    fixture.needs_a_caller(PutSong::start, put(NEW)).await;
    for artist in ["~20", "a~0Ab", "a~00", &"a".repeat(2049), &"~C3~BC".repeat(1025), "a.b", "a%20b"] {
        fixture.refuses_field(PutSong::start, put(&format!("/music/{artist}/a")), "artist").await;
    }
    for title in ["~20", "a~0Ab", "a~00", &"a".repeat(1025), &"~C3~BC".repeat(513), "a.b", "a%20b"] {
        fixture.refuses_field(PutSong::start, put(&format!("/music/a/{title}")), "songTitle").await;
    }
    for query in ["format=", "format=JSON", "format=xml", "format=json&format=json"] {
        fixture.refuses_field(PutSong::start, put(&format!("{NEW}?{query}")), "format").await;
    }
    fixture.refuses_field(PutSong::start, put(NEW).header("if-match", "abc"), "if-match").await;
    fixture.refuses_field(PutSong::start, put(NEW).header("if-none-match", "\"0\""), "if-none-match").await;
    fixture.refuses(PutSong::start, put(NEW).header("if-match", "W/\"0\""), 412).await;

    for content_type in ["text/plain", "application/merge-patch+json", ""] {
        fixture.refuses(PutSong::start, put(NEW).body(content_type, "{}"), 415).await;
    }
    fixture.refuses(PutSong::start, put(NEW).json(&json!({"Text": "x".repeat(2 << 20)})), 413).await;
    fixture.refuses(PutSong::start, put(NEW).body("application/json", *b"{\"a\": \"\xff\"}"), 400).await;

    let (long_genre, long_album) =
        (json!({"Genre": "x".repeat(2049)}).to_string(), json!({"AlbumTitle": "x".repeat(1025)}).to_string());
    for (query, body, field) in [
        ("", "", "body"),
        ("", "[]", "body"),
        ("", r#"{"a": {"b": [{"": 1}]}}"#, "a.b[0]"),
        ("", r#"{"_version": "a"}"#, "_version"),
        ("", r#"{"Artist": "ac/dc"}"#, "Artist"),
        ("", r#"{"SongTitle": 1}"#, "SongTitle"),
        ("", r#"{"Genre": 1}"#, "Genre"),
        ("", r#"{"Genre": ""}"#, "Genre"),
        ("", r#"{"Genre": null}"#, "Genre"),
        ("", &long_genre, "Genre"),
        ("", r#"{"AlbumTitle": ["a"]}"#, "AlbumTitle"),
        ("", &long_album, "AlbumTitle"),
        ("?format=dynamodb", r#"{"a": "untyped"}"#, "a"),
        ("?format=dynamodb", r#"{"a": {"M": {"b": {"SS": []}}}}"#, "a.b"),
    ] {
        let request = put(&format!("{NEW}{query}")).body("application/json", body);
        fixture.refuses_field(PutSong::start, request, field).await;
    }
}
