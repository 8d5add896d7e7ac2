use super::*;
use crate::samples::{captioned, hide, publish};
use serde_json::{Value, json};
use testing::{FEED, Fixture, request};

/// Publishes this number of photos with a caption. The ids have the month.
async fn put(fixture: &Fixture, month: u8, caption: &str, photos: usize) {
    for number in 0..photos {
        publish(fixture, captioned("ada", &format!("2024-{month:02}-01T00:00:{number:02}.000Z"), caption)).await;
    }
}

async fn find(fixture: &Fixture, q: &str) -> Value {
    let answer = fixture.call(SearchHashtags::start, request("GET", "/tags").by("ben").query("q", q)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

fn names(body: &Value) -> Vec<&str> {
    body["hashtags"].as_array().unwrap().iter().map(|found| found["hashtag"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn answers_the_sample_event_with_the_hashtags_that_begin_so() {
    let fixture = Fixture::new("search-hashtags").await;
    let answer = fixture.call_with_sample_event(SearchHashtags::start).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body, json!({"hashtags": [{"hashtag": "selfie", "count": 1}], "nextCursor": null}));
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
}

#[tokio::test]
async fn those_with_the_most_photos_come_first_with_counts_in_powers_of_ten() {
    let fixture = Fixture::new("search-hashtags").await;
    put(&fixture, 7, "#novb #Nov\u{e1}", 9).await;
    put(&fixture, 8, "#NOVA #novc #novd", 1).await;
    put(&fixture, 9, "#novc", 9).await;
    let expected = json!([
        {"hashtag": "nova", "count": 10},
        {"hashtag": "novc", "count": 10},
        {"hashtag": "novb", "count": 1},
        {"hashtag": "novd", "count": 1},
    ]);
    for q in ["nov", "N", "%23nov"] {
        assert_eq!(find(&fixture, q).await["hashtags"], expected, "{q}");
    }
    assert_eq!(names(&find(&fixture, "nova").await), ["nova"]);
    assert_eq!(names(&find(&fixture, "novax").await), Vec::<&str>::new());
}

#[tokio::test]
async fn a_hidden_hashtag_is_found_by_nobody() {
    let fixture = Fixture::new("search-hashtags").await;
    put(&fixture, 7, "#nova #novel", 1).await;
    hide(&fixture, "nova").await;
    assert_eq!(names(&find(&fixture, "nov").await), ["novel"]);
}

#[tokio::test]
async fn a_listing_without_photos_shows_nothing() {
    let fixture = Fixture::new("search-hashtags").await;
    put(&fixture, 7, "#nova", 1).await;
    let listing = HashtagListing { rank: 8, hashtag: "november".parse().unwrap() };
    let stale = HashtagListing { rank: 5, hashtag: "nova".parse().unwrap() };
    for item in listing.items("2024-07").unwrap().into_iter().chain(stale.items("2024-07").unwrap()) {
        fixture.put_in(FEED, item).await;
    }
    assert_eq!(names(&find(&fixture, "nov").await), ["nova"], "once");
}

#[tokio::test]
async fn pages_have_each_hashtag_once() {
    let fixture = Fixture::new("search-hashtags").await;
    put(&fixture, 7, "#nova #novb #novc #novd #nove #novf", 1).await;
    let found = fixture.pages(SearchHashtags::start, "/tags?q=nov", "hashtags", async |_: &Fixture| {}).await;
    let found = json!({"hashtags": found});
    assert_eq!(names(&found), ["nova", "novb", "novc", "novd", "nove", "novf"]);
}

/// A page that reads only hashtags that the query does not find goes on.
#[tokio::test]
async fn a_long_query_reads_a_bounded_part_of_its_list() {
    let fixture = Fixture::new("search-hashtags").await;
    for number in 0..1001 {
        let listing = HashtagListing { rank: 8, hashtag: format!("longw{number:04}").parse().unwrap() };
        let items = listing.items("2024-07").unwrap();
        fixture.put_in(FEED, items.into_iter().last().unwrap()).await;
    }
    let body = find(&fixture, "longword").await;
    assert_eq!((names(&body), body["nextCursor"].is_string()), (vec![], true));
    assert_eq!(fixture.operations(), ["Query"; 4]);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("search-hashtags").await;
    put(&fixture, 7, "#nova #novb", 1).await;
    fixture.needs_a_caller(SearchHashtags::start, request("GET", "/tags?q=nov")).await;
    let list = request("GET", "/tags").by("ben");
    fixture.refuses_field(SearchHashtags::start, list.clone(), "q").await;
    for q in ["", "%23", "a%20b", "a-b", &"a".repeat(51)] {
        fixture.refuses_field(SearchHashtags::start, list.clone().query("q", q), "q").await;
    }
    fixture.refuses_bad_pages(SearchHashtags::start, "/tags?q=nov").await;
}
