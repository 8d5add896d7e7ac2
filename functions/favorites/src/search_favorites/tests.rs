use super::*;
use serde_json::{Value, json};
use shared::values::DataType;
use testing::{Collection, Fixture, TestRequest, request};

fn search(owner: &str, query: &str) -> TestRequest {
    let encoded = query.bytes().fold(String::new(), |encoded, byte| encoded + &format!("%{byte:02X}"));
    request("GET", format!("/users/{owner}/favorites/search?q={encoded}")).by(owner)
}

async fn found(fixture: &Fixture, owner: &str, query: &str) -> Vec<String> {
    let answer = fixture.call(SearchFavorites::start, search(owner, query)).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.body);
    let favorites = answer.body["favorites"].as_array().unwrap();
    favorites.iter().map(|favorite| favorite["dataId"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn finds_favorites_by_words_and_type() {
    let fixture = Fixture::new("search-favorites").await;
    let answer = fixture.call_with_sample_event(SearchFavorites::start).await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.body,
        json!({
            "favorites": [{
                "dataId": "sunset", "dataType": "image", "title": "Sunset over Lisbon", "creatorId": "ada",
                "thumbnailUrl": "https://photos.example.com/ada/sunset.thumbnail.webp",
                "contentUrl": "https://photos.example.com/ada/sunset", "clipTime": "2024-06-01T01:40:00.000Z",
                "tags": ["travel"],
            }],
            "people": {},
            "nextCursor": null,
        })
    );
}

#[tokio::test]
async fn finds_favorites_by_words_in_any_script_and_by_tag_and_type() {
    let fixture = Fixture::new("search-favorites").await;
    for (query, ids) in [
        ("lisb", &["sunset"][..]),
        ("HAUPTSTRASSE", &["onion-tart"]),
        ("zwiebel aus", &["onion-tart"]),
        ("tres", &["fado"]),
        ("TRE\u{302}S", &["fado"]),
        ("бабушка", &["grandmother"]),
        ("藏夹", &["books"]),
        ("想读 收藏夹", &["books"]),
        ("书", &["books"]),
        ("夹藏", &[]),
        ("d", &["viewpoint", "dinner", "onion-tart"]),
        ("28", &["tram"]),
        ("type:music", &["fado"]),
        ("tag:travel", &["viewpoint", "fado", "packing-list", "tram", "sunset"]),
        ("tag:TRAVEL type:file", &["packing-list"]),
        ("tag:семья tag:travel", &["viewpoint"]),
        ("tag:\"семья\" miradouro", &["viewpoint"]),
        ("tag:Küche", &["onion-tart"]),
        ("tag:\"KU\u{308}CHE\" straße", &[]),
        ("tag:موسيقى", &["fado"]),
        ("tag:travel zwiebelkuchen", &[]),
        ("tag:nothing", &[]),
        ("type:video tag:travel tram", &["tram"]),
        ("type:video type:image", &[]),
        ("heron", &[]),
        ("map", &[]),
    ] {
        assert_eq!(found(&fixture, "ada", query).await, ids, "{query}");
    }
    assert_eq!(found(&fixture, "ben", "heron").await, ["heron"]);
    assert_eq!(found(&fixture, "ben", "tag:travel").await, Vec::<String>::new());
    assert_eq!(found(&fixture, "ben", "東京 野鳥").await, ["tokyo"]);
}

#[tokio::test]
async fn leaves_out_a_deleted_or_renamed_favorite_whose_terms_still_exist() {
    let fixture = Fixture::new("search-favorites").await;
    let mut cara = Collection::new("cara");
    for (number, id) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
        cara.clip(id, DataType::Image, "Owl", 1_700_000_000_000 + number as u64, &[]);
    }
    fixture.put_all(cara.into_items());
    // The newest favorite is deleted, and b is clipped again under another title.
    fixture.delete(Key::favorite(&"cara".parse().unwrap(), &"e".parse().unwrap())).await;
    let mut again = Collection::new("cara");
    again.clip("b", DataType::Image, "Ox", 1_800_000_000_000, &[]);
    fixture.put_all(again.into_items());
    assert_eq!(found(&fixture, "cara", "owl").await, ["d", "c", "a"]);
    let page =
        fixture.call(SearchFavorites::start, request("GET", "/users/cara/favorites/search?q=owl&limit=2").by("cara"));
    let ids = page.await.body["favorites"].as_array().unwrap().iter().map(|f| f["dataId"].clone()).collect::<Vec<_>>();
    assert_eq!(ids, ["d", "c"], "the page is full");
}

/// A hundred favorites of ben. The title, type and tag of each depend on the divisors of its
/// number.
fn numbers() -> Collection {
    let mut ben = Collection::new("ben");
    ben.tag("odd", "Odd", 0, 0);
    for number in 0..100_u64 {
        let title =
            format!("all{}{}", if number % 2 == 0 { " two" } else { "" }, if number % 3 == 0 { " three" } else { "" });
        let data_type = if number % 5 == 0 { DataType::Voice } else { DataType::File };
        let tags: &[&str] = if number % 2 == 1 { &["odd"] } else { &[] };
        ben.clip(&format!("n{number:02}"), data_type, &title, 1_800_000_000_000 + number, tags);
    }
    ben
}

#[tokio::test]
async fn every_page_but_the_last_is_full() {
    let fixture = Fixture::new("search-favorites").await;
    fixture.put_all(numbers().into_items());
    let fits = |query: &str, number: u64| match query {
        "all" => true,
        "two three" => number.is_multiple_of(6),
        "type:voice" => number.is_multiple_of(5),
        "three type:voice" => number.is_multiple_of(15),
        "tag:odd three" => !number.is_multiple_of(2) && number.is_multiple_of(3),
        "tag:odd type:voice a" => !number.is_multiple_of(2) && number.is_multiple_of(5),
        _ => panic!("{query}"),
    };
    for query in ["all", "two three", "type:voice", "three type:voice", "tag:odd three", "tag:odd type:voice a"] {
        let expected: Vec<String> =
            (0..100).rev().filter(|number| fits(query, *number)).map(|number| format!("n{number:02}")).collect();
        for limit in [1, 3, 7, 100] {
            let (mut ids, mut cursor) = (vec![], String::new());
            loop {
                let uri = format!("/users/ben/favorites/search?q={}&limit={limit}{cursor}", query.replace(' ', "%20"));
                let page = fixture.call(SearchFavorites::start, request("GET", uri).by("ben")).await;
                let favorites = page.body["favorites"].as_array().unwrap();
                ids.extend(favorites.iter().map(|favorite| favorite["dataId"].as_str().unwrap().to_owned()));
                let Some(next) = page.body["nextCursor"].as_str() else { break };
                assert_eq!(favorites.len(), limit, "{query}");
                cursor = format!("&cursor={next}");
            }
            assert_eq!(ids, expected, "{query} by {limit}");
        }
    }
}

/// To know whether another page follows, the function would have to read beyond the page that it
/// returns.
#[tokio::test]
async fn the_last_page_may_be_empty() {
    let fixture = Fixture::new("search-favorites").await;
    let uri = "/users/ada/favorites/search?q=lisb&limit=1";
    let first = fixture.call(SearchFavorites::start, request("GET", uri).by("ada")).await;
    assert_eq!(first.body["favorites"][0]["dataId"], "sunset");
    let next = format!("{uri}&cursor={}", first.body["nextCursor"].as_str().unwrap());
    let last = fixture.call(SearchFavorites::start, request("GET", next).by("ada")).await;
    assert_eq!(last.body, json!({"favorites": [], "people": {}, "nextCursor": null}));
}

#[tokio::test]
async fn returns_every_favorite_once_during_concurrent_writes() {
    let fixture = Fixture::new("search-favorites").await;
    fixture.put_all(numbers().into_items());
    let newer = async |fixture: &Fixture| {
        let mut ben = Collection::new("ben");
        ben.clip("newer", DataType::File, "two three", 1_900_000_000_000, &[]);
        fixture.put_all(ben.into_items());
    };
    let uri = "/users/ben/favorites/search?q=two%20three%20all";
    let mut ids = vec![];
    let mut cursor = String::new();
    loop {
        let page =
            fixture.call(SearchFavorites::start, request("GET", format!("{uri}&limit=5{cursor}")).by("ben")).await;
        ids.extend(page.body["favorites"].as_array().unwrap().iter().map(|favorite| favorite["dataId"].clone()));
        let Some(next) = page.body["nextCursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
        newer(&fixture).await;
    }
    let expected: Vec<Value> = (0..17).rev().map(|number| json!(format!("n{:02}", number * 6))).collect();
    assert_eq!(ids, expected);
}

#[tokio::test]
async fn accepts_a_cursor_of_the_same_query_in_another_spelling() {
    let fixture = Fixture::new("search-favorites").await;
    let uri = |query: &str, cursor: &str| format!("/users/ada/favorites/search?q={query}&limit=1{cursor}");
    let first = fixture.call(SearchFavorites::start, request("GET", uri("tag:Travel", "")).by("ada")).await;
    let cursor = format!("&cursor={}", first.body["nextCursor"].as_str().unwrap());
    let second = fixture.call(SearchFavorites::start, request("GET", uri("TAG:%22travel%22", &cursor)).by("ada")).await;
    assert_eq!(second.body["favorites"][0]["dataId"], "fado");
    fixture
        .refuses_field(SearchFavorites::start, request("GET", uri("tag:travel%20f", &cursor)).by("ada"), "cursor")
        .await;
}

/// Searches for a word that 2,000 titles have together with one that ten of them have.
#[tokio::test]
async fn reads_on_in_the_smallest_list_only() {
    let fixture = Fixture::new("search-favorites").await;
    let mut ben = Collection::new("ben");
    for number in 0..2_000_u64 {
        let title = if number % 200 == 0 { "common rare" } else { "common" };
        ben.clip(&format!("n{number}"), DataType::Image, title, 1_800_000_000_000 + number, &[]);
    }
    fixture.put_all(ben.into_items());
    for query in ["common rare", "rare common", "rare type:image", "c rare"] {
        assert_eq!(found(&fixture, "ben", query).await.len(), 10, "{query}");
        assert_eq!(fixture.operations(), ["Query", "Query", "BatchGetItem"], "{query}");
    }
}

#[tokio::test]
async fn a_page_ends_after_fifty_requests_although_few_favorites_match() {
    let fixture = Fixture::new("search-favorites").await;
    let mut ben = Collection::new("ben");
    ben.tag("a", "A", 0, 0);
    ben.tag("b", "B", 0, 0);
    // The newest ones have both, and after them each has one.
    for number in 0..6_000_u64 {
        let tags: &[&str] = if number >= 5_991 { &["a", "b"] } else { &[["a", "b"][usize::from(number % 2 == 0)]] };
        ben.clip(&format!("n{number}"), DataType::Image, "x", 1_800_000_000_000 + number, tags);
    }
    fixture.put_all(ben.into_items());
    for (limit, pages) in [(10, 2), (9, 3), (4, 4)] {
        let (mut found, mut read, mut cursor) = (0, 0, String::new());
        loop {
            let uri = format!("/users/ben/favorites/search?q=tag:a%20tag:b&limit={limit}{cursor}");
            let page = fixture.call(SearchFavorites::start, request("GET", uri).by("ben")).await;
            assert!(fixture.operations().len() < 60);
            found += page.body["favorites"].as_array().unwrap().len();
            read += 1;
            let Some(next) = page.body["nextCursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!((found, read), (9, pages));
    }
}

/// A word of more than four letters is read by the first four.
#[tokio::test]
async fn compares_the_rest_of_a_long_word_with_the_title() {
    let fixture = Fixture::new("search-favorites").await;
    let mut ben = Collection::new("ben");
    for number in 0..300_u64 {
        let title = if number % 100 == 0 { "photographs" } else { "photocopy" };
        ben.clip(&format!("n{number}"), DataType::Image, title, 1_800_000_000_000 + number, &[]);
    }
    fixture.put_all(ben.into_items());
    assert_eq!(found(&fixture, "ben", "photograph").await, ["n200", "n100", "n0"]);
    // The first part has 50 entries and no match. The next ones have up to 100 and 200 entries.
    assert_eq!(fixture.operations(), ["Query", "Query", "BatchGetItem", "Query", "BatchGetItem"]);
    assert_eq!(found(&fixture, "ben", "photographic").await, Vec::<String>::new());
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("search-favorites").await;
    let own = search("ben", "heron");
    fixture.needs_a_caller(SearchFavorites::start, own.clone()).await;
    fixture.refuses_other_users(SearchFavorites::start, own).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("search-favorites").await;
    fixture
        .refuses_bad_usernames(SearchFavorites::start, "username", |name| {
            request("GET", format!("/users/{name}/favorites/search?q=x"))
        })
        .await;
    fixture.refuses_field(SearchFavorites::start, request("GET", "/users/ben/favorites/search").by("ben"), "q").await;
    let long = "a".repeat(201);
    for query in ["", " ", "?!", "tag:", "type:", "type:picture", "tag:\"no end", "tag:\"\"", "tag: x", &long] {
        fixture.refuses_field(SearchFavorites::start, search("ben", query), "q").await;
    }
    for uri in ["q=a&q=b", "q=a&limit=0", "q=a&limit=101", "q=a&cursor=x"] {
        let field = if uri.contains("limit") {
            "limit"
        } else if uri.contains("cursor") {
            "cursor"
        } else {
            "q"
        };
        let request = request("GET", format!("/users/ben/favorites/search?{uri}")).by("ben");
        fixture.refuses_field(SearchFavorites::start, request, field).await;
    }
}

#[tokio::test]
async fn finds_saved_photos_by_their_title_also_when_the_photo_is_gone() {
    let fixture = Fixture::new("search-favorites").await;
    let mut cara = Collection::new("cara");
    for (time, id) in [(1, "2024-05-30T15:42:38"), (2, "2020-01-01T00:00:00")] {
        cara.clip(&format!("photo~ada~{id}"), DataType::Image, "Harbour lights", time, &[]);
    }
    fixture.put_all(cara.into_items());
    let request = search("cara", "harb").query("include", "people,viewer");
    let body = fixture.call(SearchFavorites::start, request).await.body;
    let photos: Vec<_> = body["favorites"].as_array().unwrap().iter().map(|favorite| &favorite["photo"]).collect();
    assert_eq!((photos[0], &photos[1]["username"]), (&Value::Null, &json!("ada")), "{body}");
    assert!(photos[1]["viewer"].is_object() && body["people"]["ada"].is_object(), "{body}");
}
