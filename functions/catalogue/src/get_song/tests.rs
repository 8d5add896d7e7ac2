use super::*;
use serde_json::{Value, json};
use shared::document;
use shared::dynamodb::Item;
use testing::{Answer, Fixture, request};

const LOW_TIDE: &str = "/music/The~20Harbour~20Lights/Low~20Tide";

fn song(document: &Value) -> Item {
    document::read(DocumentFormat::DynamoDb, &document.to_string()).unwrap()
}

fn tag(answer: &Answer) -> &str {
    answer.headers["etag"].to_str().unwrap()
}

#[tokio::test]
async fn returns_a_song_without_loss() {
    let fixture = Fixture::new("get-song").await;
    let answer = fixture.call_with_sample_event(GetSong::start).await;
    assert_eq!((answer.status, tag(&answer)), (200, "\"0\""));
    assert_eq!(
        answer.body,
        json!({
            "Artist": {"S": "The Harbour Lights"}, "SongTitle": {"S": "Low Tide"}, "Genre": {"S": "Folk"},
            "AlbumTitle": {"S": "Between Two Piers"}, "Year": {"N": "2019"}, "Price": {"N": "1.2"},
            "Players": {"SS": ["Dora", "Ines", "Sami"]},
        })
    );
}

#[tokio::test]
async fn shows_every_type_in_both_formats() {
    let fixture = Fixture::new("get-song").await;
    let typed = json!({
        "Artist": {"S": "AC/DC"}, "SongTitle": {"S": "T.N.T. – live?"}, "S": {"S": "ü\n"},
        "N": {"N": "12345678901234567890123456789012345678"}, "B": {"B": "AAEC"}, "BOOL": {"BOOL": false},
        "NULL": {"NULL": true}, "L": {"L": [{"N": "-0.1"}, {"S": ""}, {"L": []}]},
        "M": {"M": {"_version": {"N": "1"}, "empty": {"M": {}}}}, "SS": {"SS": ["a", "b"]},
        "NS": {"NS": ["1", "2.5"]}, "BS": {"BS": ["AA==", "AQ=="]},
    });
    let plain = json!({
        "Artist": "AC/DC", "SongTitle": "T.N.T. – live?", "S": "ü\n",
        "N": 12_345_678_901_234_567_890_123_456_789_012_345_678_f64, "B": "AAEC", "BOOL": false, "NULL": null,
        "L": [-0.1, "", []], "M": {"_version": 1, "empty": {}}, "SS": ["a", "b"], "NS": [1, 2.5],
        "BS": ["AA==", "AQ=="],
    });
    fixture.put(song(&typed)).await;
    for (query, body) in [("", &plain), ("?format=json", &plain), ("?format=dynamodb", &typed)] {
        let uri = format!("/music/AC~2FDC/T~2EN~2ET~2E~20~E2~80~93~20live~3F{query}");
        let answer = fixture.call(GetSong::start, request("GET", uri).by("ben")).await;
        assert_eq!((answer.status, &answer.body), (200, body), "{query}");
    }
}

#[tokio::test]
async fn returns_the_version_as_the_entity_tag_only() {
    let fixture = Fixture::new("get-song").await;
    for (version, expected) in
        [(json!({"S": "v-1"}), "\"v-1\""), (json!({"N": "3"}), "\"0\""), (json!({"S": "\"\n"}), "\"0\"")]
    {
        let versioned = json!({
            "Artist": {"S": "The Harbour Lights"}, "SongTitle": {"S": "Low Tide"}, "_version": version,
        });
        fixture.put(song(&versioned)).await;
        let answer = fixture.call(GetSong::start, request("GET", LOW_TIDE).by("ben")).await;
        assert_eq!((answer.status, tag(&answer)), (200, expected));
        assert_eq!(answer.body, json!({"Artist": "The Harbour Lights", "SongTitle": "Low Tide"}));
    }
}

#[tokio::test]
async fn returns_404_for_an_unknown_song() {
    let fixture = Fixture::new("get-song").await;
    for (uri, detail) in [
        ("/music/The~20Harbour~20Lights/Low", "There is no song Low by The Harbour Lights."),
        ("/music/the~20harbour~20lights/Low~20Tide", "There is no song Low Tide by the harbour lights."),
    ] {
        let answer = fixture.call(GetSong::start, request("GET", uri).by("ben")).await;
        assert_eq!((answer.status, &answer.body["detail"]), (404, &json!(detail)));
        assert!(!answer.headers.contains_key("etag"));
    }
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("get-song").await;
    fixture.needs_a_caller(GetSong::start, request("GET", LOW_TIDE)).await;
    let get = |uri: &str| request("GET", uri).by("ben");
    for artist in ["~20", "a~0Ab", "a~00", &"a".repeat(2049), &"~C3~BC".repeat(1025), "a.b", "a%20b"] {
        fixture.refuses_field(GetSong::start, get(&format!("/music/{artist}/a")), "artist").await;
    }
    for title in ["~20", "a~0Ab", "a~00", &"a".repeat(1025), &"~C3~BC".repeat(513), "a.b", "a%20b"] {
        fixture.refuses_field(GetSong::start, get(&format!("/music/a/{title}")), "songTitle").await;
    }
    for query in ["format=", "format=JSON", "format=xml", "format=json&format=json"] {
        fixture.refuses_field(GetSong::start, get(&format!("{LOW_TIDE}?{query}")), "format").await;
    }
}
