use aws_sdk_dynamodb::types::VectorAttributeDefinition;
use serde_json::Value;
use shared::entities::{Picture, VECTOR};
use shared::values::Level;
use testing::{
    FEED, Fixture, QUICK_PHOTOS, block, engagement, friendship, hidden_vector, photo, photo_deletion, photo_with,
    ready, request, user, vector, with, with_count,
};

use super::*;

const ADAS: &str = "2024-05-30T15:42:38";
const URI: &str = "/users/ada/photos/2024-05-30T15:42:38/similar";
/// The times of the other photos.
const TIMES: [&str; 4] = ["2024-01-01T00:00:00", "2024-01-02T00:00:00", "2024-01-03T00:00:00", "2024-01-04T00:00:00"];

/// Returns a fixture in which the only vectors are those of a photo of ada, and of photos of zoe,
/// yan, zoe and yan that look less and less like it.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("list-similar-photos").await;
    for key in fixture.all_items_of(FEED).await.into_keys().filter(|key| key.starts_with("Vector#")) {
        let (pk, sk) = key.split_once(' ').unwrap();
        let owner = pk.trim_start_matches("Vector#").parse().unwrap();
        let vector = Key::vector(&owner, &sk.parse().unwrap(), None);
        let table = fixture.unrecorded_table(FEED);
        table.client.delete_item().table_name(&table.name).set_key(Some(vector.into())).send().await.unwrap();
    }
    fixture.put_in(FEED, vector("ada", ADAS, 0)).await;
    for (number, owner) in ["zoe", "yan", "zoe", "yan"].into_iter().enumerate() {
        put(&fixture, photo_with(owner, TIMES[number], ready(b"file"))).await;
        let distance = 10 + i8::try_from(number).unwrap();
        fixture.put_in(FEED, vector(owner, TIMES[number], distance)).await;
    }
    fixture
}

async fn put(fixture: &Fixture, item: Item) {
    fixture.put_in(QUICK_PHOTOS, item).await;
}

/// Returns the photos that a caller sees, as the number of each in [`TIMES`].
async fn seen_by(fixture: &Fixture, caller: &'static str) -> Vec<usize> {
    let answer = fixture.call(ListSimilarPhotos::start, request("GET", URI).by(caller)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    numbers(&answer.body)
}

fn numbers(body: &Value) -> Vec<usize> {
    let times = body["photos"].as_array().unwrap().iter().map(|photo| photo["id"].as_str().unwrap());
    times.map(|time| TIMES.iter().position(|other| *other == time).unwrap()).collect()
}

#[tokio::test]
async fn answers_the_sample_event_with_the_photos_that_look_alike() {
    let fixture = Fixture::new("list-similar-photos").await;
    let answer = fixture.call_with_sample_event(ListSimilarPhotos::start).await;
    assert_eq!(answer.status, 200);
    let photos = answer.body["photos"].as_array().unwrap();
    assert!(!photos.is_empty());
    assert!(photos.iter().all(|photo| photo["status"] == "ready" && photo["urls"][0]["url"].is_string()));
    assert!(photos.iter().all(|photo| (&photo["username"], &photo["id"]) != (&"ada".into(), &ADAS.into())));
}

#[tokio::test]
async fn returns_the_most_similar_photo_first_and_not_the_photo_itself() {
    let fixture = fixture().await;
    assert_eq!(seen_by(&fixture, "ben").await, [0, 1, 2, 3]);
    assert_eq!(fixture.operations(), ["BatchGetItem", "SearchVectors", "BatchGetItem"]);
    let of_zoe = format!("/users/zoe/photos/{}/similar", TIMES[2]);
    let answer = fixture.call(ListSimilarPhotos::start, request("GET", &of_zoe).by("ben")).await;
    let order = answer.body["photos"].as_array().unwrap().iter().map(|photo| photo["id"].as_str().unwrap());
    let order: Vec<&str> = order.collect();
    assert_eq!((order.len(), order.last()), (4, Some(&ADAS)), "{order:?}");
    assert!(!order.contains(&TIMES[2]));
}

#[tokio::test]
async fn a_photo_is_found_by_each_of_its_pictures_and_is_there_once() {
    let fixture = fixture().await;
    let numbered = |owner: &str, id: &str, number: u32, first: i8| {
        let sk = format!("{id}#{number}");
        with(vector(owner, id, first), "sk", sk)
    };
    // The second picture of a photo of zoe is the nearest one, and the first one the farthest.
    for item in testing::several("zoe", TIMES[3], [ready(b"one"), ready(b"two")]) {
        put(&fixture, item).await;
    }
    fixture.put_in(FEED, numbered("zoe", TIMES[3], 1, 50)).await;
    fixture.put_in(FEED, numbered("zoe", TIMES[3], 2, 1)).await;
    let _ = fixture.operations();
    assert_eq!(seen_by(&fixture, "ben").await[..2], [3, 0]);
    assert_eq!(fixture.operations(), ["BatchGetItem", "SearchVectors", "BatchGetItem"]);
    // What is similar to the photo is so to its first picture. Its other pictures are not in the list.
    for item in testing::several("ada", ADAS, [ready(b"one"), ready(b"two")]) {
        put(&fixture, item).await;
    }
    fixture.put_in(FEED, numbered("ada", ADAS, 1, 49)).await;
    fixture.put_in(FEED, numbered("ada", ADAS, 2, 48)).await;
    let answer = fixture.call(ListSimilarPhotos::start, request("GET", URI).by("ben")).await;
    assert_eq!(fixture.operations(), ["BatchGetItem", "BatchGetItem", "SearchVectors", "BatchGetItem"]);
    let owners = answer.body["photos"].as_array().unwrap().iter().map(|photo| photo["username"].as_str().unwrap());
    let owners: Vec<&str> = owners.collect();
    assert_eq!((owners[0], owners.contains(&"ada")), ("zoe", false), "{owners:?}");
}

#[tokio::test]
async fn returns_at_most_as_many_photos_as_the_limit_says() {
    let fixture = fixture().await;
    let answer = fixture.call(ListSimilarPhotos::start, request("GET", format!("{URI}?limit=2")).by("ben")).await;
    assert_eq!(numbers(&answer.body), [0, 1]);
    let answer = fixture
        .call(ListSimilarPhotos::start, request("GET", format!("{URI}?limit=50&include=people,viewer")).by("ben"))
        .await;
    assert_eq!(numbers(&answer.body), [0, 1, 2, 3]);
}

#[tokio::test]
async fn a_photo_without_a_vector_has_an_empty_list() {
    let fixture = fixture().await;
    put(&fixture, photo("ada", "2020-01-01T00:00:00")).await;
    let answer = fixture
        .call(ListSimilarPhotos::start, request("GET", "/users/ada/photos/2020-01-01T00:00:00/similar").by("ben"))
        .await;
    assert_eq!((answer.status, &answer.body), (200, &serde_json::json!({"photos": [], "people": {}})));
    assert_eq!(fixture.operations(), ["BatchGetItem"]);
}

#[tokio::test]
async fn leaves_out_photos_that_nobody_else_can_see() {
    let removed =
        Picture::Removed { reason: shared::values::ReportReason::Spam, sizes: ready(b"file").sizes().cloned() };
    for item in [
        photo_deletion("zoe", TIMES[2], 0),
        photo_with("zoe", TIMES[2], Picture::Pending),
        photo_with("zoe", TIMES[2], testing::rejected()),
        photo_with("zoe", TIMES[2], removed),
        with(photo_with("zoe", TIMES[2], ready(b"file")), "audience", "me"),
    ] {
        let fixture = fixture().await;
        put(&fixture, item).await;
        assert_eq!(seen_by(&fixture, "ben").await, [0, 1, 3]);
    }
    let fixture = fixture().await;
    fixture.delete(Key::photo(&"zoe".parse().unwrap(), &TIMES[2].parse().unwrap())).await;
    assert_eq!(seen_by(&fixture, "ben").await, [0, 1, 3], "its vector is deleted a little later");
}

#[tokio::test]
async fn the_owner_sees_removed_photos_elsewhere() {
    let fixture = fixture().await;
    let removed =
        Picture::Removed { reason: shared::values::ReportReason::Spam, sizes: ready(b"file").sizes().cloned() };
    put(&fixture, photo_with("zoe", TIMES[2], removed)).await;
    assert_eq!(seen_by(&fixture, "zoe").await, [0, 1, 3]);
}

/// The index may be some seconds behind an audience.
#[tokio::test]
async fn shows_only_photos_that_everyone_may_see() {
    for audience in ["followers", "me"] {
        let fixture = fixture().await;
        put(&fixture, with(photo_with("zoe", TIMES[2], ready(b"file")), "audience", audience)).await;
        put(&fixture, friendship("zoe", "cara")).await;
        for caller in ["ben", "cara", "zoe"] {
            assert_eq!(seen_by(&fixture, caller).await, [0, 1, 3], "{audience} {caller}");
        }
    }
}

/// Puts photos of an owner that look more like that of ada than all others, and their vectors.
async fn put_copies(fixture: &Fixture, owner: &str, number: usize, change: impl Fn(Item) -> Item) -> Vec<String> {
    let times: Vec<String> =
        (0..number).map(|copy| format!("2025-01-01T00:{:02}:{:02}", copy / 60, copy % 60)).collect();
    for time in &times {
        put(fixture, change(photo_with(owner, time, ready(b"file")))).await;
        fixture.put_in(FEED, vector(owner, time, 1)).await;
    }
    times
}

#[tokio::test]
async fn private_copies_do_not_show_as_a_gap() {
    let fixture = fixture().await;
    for (number, time) in put_copies(&fixture, "mal", 3, |photo| with(photo, "audience", "me")).await.iter().enumerate()
    {
        // Only the first vectors are out of the index already.
        if number < 2 {
            fixture.put_in(FEED, hidden_vector("mal", time, 1)).await;
        }
        for caller in ["ben", "mal"] {
            let answer =
                fixture.call(ListSimilarPhotos::start, request("GET", format!("{URI}?limit=1")).by(caller)).await;
            assert_eq!(numbers(&answer.body), [0], "{caller}");
        }
    }
}

#[tokio::test]
async fn reads_on_until_the_list_is_full() {
    let fixture = fixture().await;
    // Photos of blocked people, and photos that are gone.
    put(&fixture, with_count(user("cara"), "blocks", 1)).await;
    put(&fixture, block("cara", "mal", Level::Block)).await;
    put_copies(&fixture, "mal", 40, |photo| photo).await;
    for owner in ["pia", "quinn", "rita"] {
        put_copies(&fixture, owner, 8, |photo| with(photo, "audience", "me")).await;
    }
    for query in ["limit=2", "limit=2&include=people,viewer"] {
        let answer = fixture.call(ListSimilarPhotos::start, request("GET", format!("{URI}?{query}")).by("cara")).await;
        assert_eq!(numbers(&answer.body), [0, 1], "{query}");
        let operations = fixture.operations();
        let most = 2 * MAX_ROUNDS + 3;
        assert!(operations.len() <= most, "{operations:?}");
    }
}

#[tokio::test]
async fn copies_of_one_owner_leave_room_for_others() {
    let fixture = fixture().await;
    put_copies(&fixture, "mal", 90, |photo| photo).await;
    let answer = fixture.call(ListSimilarPhotos::start, request("GET", format!("{URI}?limit=8")).by("ben")).await;
    let owners = answer.body["photos"].as_array().unwrap().iter().map(|photo| photo["username"].as_str().unwrap());
    let owners: Vec<&str> = owners.collect();
    assert_eq!(owners, ["mal", "mal", "mal", "mal", "mal", "zoe", "yan", "zoe"]);
    assert_eq!(fixture.operations(), ["BatchGetItem", "SearchVectors", "BatchGetItem"]);
}

#[tokio::test]
async fn finds_what_looks_like_a_photo_that_only_some_may_see() {
    let fixture = fixture().await;
    put(&fixture, with(photo_with("ada", ADAS, ready(b"file")), "audience", "followers")).await;
    fixture.put_in(FEED, hidden_vector("ada", ADAS, 0)).await;
    put(&fixture, friendship("ada", "cara")).await;
    for caller in ["ada", "cara"] {
        assert_eq!(seen_by(&fixture, caller).await, [0, 1, 2, 3], "{caller}");
    }
    assert_eq!(fixture.call(ListSimilarPhotos::start, request("GET", URI).by("dora")).await.status, 404);
}

#[tokio::test]
async fn a_block_hides_the_photos_of_either_user() {
    let fixture = fixture().await;
    put(&fixture, with_count(user("cara"), "blockedBy", 1)).await;
    put(&fixture, with_count(user("dan"), "blocks", 1)).await;
    put(&fixture, block("yan", "cara", Level::Block)).await;
    put(&fixture, block("dan", "zoe", Level::Block)).await;
    assert_eq!(seen_by(&fixture, "cara").await, [0, 2]);
    assert_eq!(seen_by(&fixture, "dan").await, [1, 3]);
    assert_eq!(seen_by(&fixture, "ben").await, [0, 1, 2, 3]);
}

#[tokio::test]
async fn depends_on_the_access_to_the_photo() {
    let fixture = fixture().await;
    put(&fixture, user("cara")).await;
    fixture.depends_on_access(ListSimilarPhotos::start, |_| request("GET", URI).by("cara")).await;
}

#[tokio::test]
async fn leaves_out_a_photo_that_is_deleted_between_the_search_and_the_read() {
    let fixture = fixture().await;
    fixture.write_concurrently(2, vec![photo_deletion("yan", TIMES[1], 0)], vec![]);
    assert_eq!(seen_by(&fixture, "ben").await, [0, 2, 3]);
}

#[tokio::test]
async fn includes_the_owners_and_what_the_caller_did() {
    let fixture = fixture().await;
    put(&fixture, user("zoe")).await;
    fixture.put_in(FEED, engagement("ben", "zoe", TIMES[0], &["heart"])).await;
    let answer =
        fixture.call(ListSimilarPhotos::start, request("GET", format!("{URI}?include=people,viewer")).by("ben")).await;
    assert_eq!(answer.body["people"], serde_json::json!({"zoe": {"name": "zoe"}}));
    assert_eq!(answer.body["photos"][0]["viewer"], serde_json::json!({"reactions": ["heart"], "saved": false}));
    assert_eq!(answer.body["photos"][1]["viewer"], serde_json::json!({"reactions": [], "saved": false}));
    assert_eq!(fixture.operations(), ["BatchGetItem", "SearchVectors", "BatchGetItem"]);
}

#[tokio::test]
async fn returns_404_for_an_unknown_photo_without_a_search() {
    let fixture = fixture().await;
    for photo in ["ada/photos/2020-01-01T00:00:00", "nobody/photos/2024-05-30T15:42:38"] {
        let answer =
            fixture.call(ListSimilarPhotos::start, request("GET", format!("/users/{photo}/similar")).by("ben")).await;
        assert_eq!((answer.status, fixture.operations()), (404, vec!["BatchGetItem".to_owned()]));
    }
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = fixture().await;
    let similar = |id: &str| request("GET", format!("/users/ada/photos/{id}/similar")).by("ben");
    fixture.refuses_bad_photo_ids(ListSimilarPhotos::start, similar).await;
    for limit in ["0", "51", "-1", "+5", "1.5", "many", ""] {
        fixture
            .refuses_field(ListSimilarPhotos::start, request("GET", format!("{URI}?limit={limit}")).by("ben"), "limit")
            .await;
    }
    fixture
        .refuses_field(ListSimilarPhotos::start, request("GET", format!("{URI}?include=comments")).by("ben"), "include")
        .await;
    fixture.needs_a_caller(ListSimilarPhotos::start, request("GET", URI)).await;
}

/// The vectors of process-photo are those that the index in template.yaml takes.
#[tokio::test]
async fn the_index_has_the_dimensions_of_the_vectors() {
    let fixture = Fixture::new("list-similar-photos").await;
    let table = fixture.unrecorded_table(FEED);
    let described = table.client.describe_table().table_name(&table.name).send().await.unwrap();
    let index = &described.table().unwrap().vector_indexes()[0];
    assert_eq!(index.index_name(), Some(PHOTOS_BY_LOOK));
    assert_eq!(index.dimensions(), i64::try_from(pictures::DIMENSIONS).ok());
    assert_eq!(index.vector_attribute().map(VectorAttributeDefinition::attribute_name), Some(VECTOR));
}

#[tokio::test]
async fn the_caller_decides_whether_sensitive_photos_have_their_pictures() {
    let fixture = fixture().await;
    for query in ["", "?include=people,viewer"] {
        let get = |caller: &str| request("GET", format!("{URI}{query}")).by(caller);
        fixture.hides_sensitive_pictures(ListSimilarPhotos::start, ("zoe", TIMES[0]), get).await;
        assert_eq!(fixture.operations().len() % 3, 0, "no further request");
    }
}
