use super::*;
use serde_json::{Value, json};
use shared::values::EpochMillis;
use testing::{Collection, Fixture, TestRequest, request};

const IMAGES_OF_BIRDS: &str = "/users/ben/tags/birds/favorites/types/image";

fn images_of_birds() -> TestRequest {
    request("GET", IMAGES_OF_BIRDS).by("ben")
}

fn ids(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|favorite| favorite["dataId"].as_str().unwrap()).collect()
}

fn tag(tag_id: &str) -> Key {
    Key::tag(&"ben".parse().unwrap(), &tag_id.parse().unwrap())
}

#[tokio::test]
async fn lists_the_newest_first() {
    let fixture = Fixture::new("list-favorites-by-tag-and-type").await;
    let answer = fixture.call_with_sample_event(ListFavoritesByTagAndType::start).await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.body,
        json!({
            "favorites": [
                {
                    "dataId": "kestrel", "dataType": "image", "title": "Kestrel over Station Road",
                    "creatorId": "ben",
                    "thumbnailUrl": "https://photos.example.com/ben/kestrel.thumbnail.webp",
                    "contentUrl": "https://photos.example.com/ben/kestrel", "clipTime": "2024-06-01T03:30:00.000Z",
                    "tags": ["birds", "later"],
                },
                {
                    "dataId": "heron", "dataType": "image", "title": "Grey heron at dawn", "creatorId": "ben",
                    "thumbnailUrl": "https://photos.example.com/ben/heron.thumbnail.webp",
                    "contentUrl": "https://photos.example.com/ben/heron", "clipTime": "2024-06-01T01:50:00.000Z",
                    "tags": ["birds"],
                },
            ],
            "people": {},
            "nextCursor": null,
        })
    );
}

#[tokio::test]
async fn three_requests_take_two_round_trips() {
    let fixture = Fixture::new("list-favorites-by-tag-and-type").await;
    let _ = fixture.call_with_sample_event(ListFavoritesByTagAndType::start).await;
    // The Query and the UpdateItem are sent at once. In sequence, the BatchGetItem would be second.
    assert_eq!(fixture.operations(), ["Query", "UpdateItem", "BatchGetItem"]);
}

#[tokio::test]
async fn records_the_use_of_the_tag() {
    let fixture = Fixture::new("list-favorites-by-tag-and-type").await;
    let mut expected = fixture.all_items().await;
    let before = u64::from(EpochMillis::now());
    let _ = fixture.call_with_sample_event(ListFavoritesByTagAndType::start).await;
    let time = fixture.item(tag("birds")).await["lastAccessTime"].as_u64().unwrap();
    assert!(before <= time && time <= u64::from(EpochMillis::now()));
    let birds = expected.get_mut("Tag#ben birds").unwrap();
    birds["lastAccessTime"] = json!(time);
    birds["lsiThreeSk"] = json!(time.to_string());
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn lists_the_favorites_of_one_type_only() {
    let fixture = Fixture::new("list-favorites-by-tag-and-type").await;
    let mut ben = Collection::new("ben");
    for data_type in DataType::ALL {
        ben.clip(data_type.as_ref(), *data_type, "One of each", 1_700_000_000_000, &["later"]);
    }
    fixture.put_all(ben.into_items());
    for data_type in DataType::ALL {
        let uri = format!("/users/ben/tags/later/favorites/types/{data_type}");
        let answer = fixture.call(ListFavoritesByTagAndType::start, request("GET", uri).by("ben")).await;
        let favorites = answer.body["favorites"].as_array().unwrap();
        assert!(ids(favorites).contains(&data_type.as_ref()), "{data_type}: {}", answer.body);
        assert!(favorites.iter().all(|favorite| favorite["dataType"] == data_type.as_ref()), "{}", answer.body);
    }
}

#[tokio::test]
async fn later_pages_do_not_record_another_use() {
    let fixture = Fixture::new("list-favorites-by-tag-and-type").await;
    let uri = "/users/ben/tags/birds/favorites/types/image?limit=1";
    let first = fixture.call(ListFavoritesByTagAndType::start, request("GET", uri).by("ben")).await;
    let used = fixture.all_items().await;
    let _ = fixture.operations();
    let next = format!("{uri}&cursor={}", first.body["nextCursor"].as_str().unwrap());
    let second = fixture.call(ListFavoritesByTagAndType::start, request("GET", next.clone()).by("ben")).await;
    assert_eq!(ids(second.body["favorites"].as_array().unwrap()), ["heron"]);
    assert_eq!(fixture.operations(), ["Query", "GetItem", "BatchGetItem"]);
    assert_eq!(fixture.all_items().await, used);

    fixture.delete(tag("birds")).await;
    assert_eq!(fixture.call(ListFavoritesByTagAndType::start, request("GET", next).by("ben")).await.status, 404);
}

#[tokio::test]
async fn returns_404_for_an_unknown_tag_and_does_not_create_it() {
    let fixture = Fixture::new("list-favorites-by-tag-and-type").await;
    let before = fixture.all_items().await;
    // The second one belongs to ada.
    for tag_id in ["nothing", "travel"] {
        let uri = format!("/users/ben/tags/{tag_id}/favorites/types/image");
        let answer = fixture.call(ListFavoritesByTagAndType::start, request("GET", uri).by("ben")).await;
        assert_eq!((answer.status, &answer.body["hint"]), (404, &json!(format!("There is no tag {tag_id}."))));
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn returns_an_empty_list_for_a_tag_on_no_favorite_of_the_type() {
    let fixture = Fixture::new("list-favorites-by-tag-and-type").await;
    let music = request("GET", "/users/ben/tags/birds/favorites/types/music").by("ben");
    let answer = fixture.call(ListFavoritesByTagAndType::start, music).await;
    assert_eq!((answer.status, answer.body), (200, json!({"favorites": [], "people": {}, "nextCursor": null})));
    assert_eq!(fixture.operations(), ["Query", "UpdateItem"]);
}

#[tokio::test]
async fn returns_every_favorite_once_during_concurrent_writes() {
    let fixture = Fixture::new("list-favorites-by-tag-and-type").await;
    let clip = |fixture: &Fixture, data_id: &str, data_type, clip_time| {
        let mut ben = Collection::new("ben");
        ben.clip(data_id, data_type, "Clipped", clip_time, &["birds"]);
        fixture.put_all(ben.into_items());
    };
    clip(&fixture, "old", DataType::Image, 1_500_000_000_000);
    let concurrent_writes = async |fixture: &Fixture| {
        clip(fixture, "newer", DataType::Image, 1_800_000_000_000);
        clip(fixture, "video", DataType::Video, 1_600_000_000_000);
    };
    let pages = fixture.pages(ListFavoritesByTagAndType::start, IMAGES_OF_BIRDS, "favorites", concurrent_writes).await;
    assert_eq!(ids(&pages), ["kestrel", "heron", "old"]);
}

#[tokio::test]
async fn lists_favorites_of_the_same_millisecond_once_each() {
    let fixture = Fixture::new("list-favorites-by-tag-and-type").await;
    let mut ben = Collection::new("ben");
    for number in 0..5 {
        ben.clip(&format!("same{number}"), DataType::Image, "At once", 1_800_000_000_000, &["birds"]);
    }
    fixture.put_all(ben.into_items());
    let pages = fixture.pages(ListFavoritesByTagAndType::start, IMAGES_OF_BIRDS, "favorites", async |_| {}).await;
    assert_eq!(ids(&pages), ["same4", "same3", "same2", "same1", "same0", "kestrel", "heron"]);
}

#[tokio::test]
async fn keeps_tags_of_two_users_with_the_same_id_apart() {
    let fixture = Fixture::new("list-favorites-by-tag-and-type").await;
    let mut cara = Collection::new("cara");
    cara.tag("birds", "Birds", 1_700_000_000_000, 1_700_000_000_000);
    cara.clip("heron", DataType::Image, "Cara's heron", 1_700_000_000_000, &["birds"]);
    fixture.put_all(cara.into_items());
    let request_of_cara = request("GET", "/users/cara/tags/birds/favorites/types/image").by("cara");
    let answer = fixture.call(ListFavoritesByTagAndType::start, request_of_cara).await;
    assert_eq!(ids(answer.body["favorites"].as_array().unwrap()), ["heron"]);
    assert_eq!(answer.body["favorites"][0]["title"], "Cara's heron");
    assert_eq!(fixture.item(tag("birds")).await["lastAccessTime"], 1_717_560_000_000_u64);
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("list-favorites-by-tag-and-type").await;
    fixture.needs_a_caller(ListFavoritesByTagAndType::start, images_of_birds()).await;
    fixture.refuses_other_users(ListFavoritesByTagAndType::start, images_of_birds()).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("list-favorites-by-tag-and-type").await;
    fixture
        .refuses_bad_usernames(ListFavoritesByTagAndType::start, "username", |name| {
            request("GET", format!("/users/{name}/tags/birds/favorites/types/image"))
        })
        .await;
    fixture
        .refuses_bad_ids(ListFavoritesByTagAndType::start, "tagId", |id| {
            request("GET", format!("/users/ben/tags/{id}/favorites/types/image"))
        })
        .await;
    for data_type in ["IMAGE", "images", "%20", "image%23", "tag"] {
        let uri = format!("/users/ben/tags/birds/favorites/types/{data_type}");
        fixture.refuses_field(ListFavoritesByTagAndType::start, request("GET", uri).by("ben"), "type").await;
    }
    fixture.refuses_bad_pages(ListFavoritesByTagAndType::start, IMAGES_OF_BIRDS).await;
}

#[tokio::test]
async fn refuses_the_cursor_of_another_tag_or_type_or_owner() {
    let fixture = Fixture::new("list-favorites-by-tag-and-type").await;
    let first = request("GET", format!("{IMAGES_OF_BIRDS}?limit=1")).by("ben");
    let first = fixture.call(ListFavoritesByTagAndType::start, first).await;
    let cursor = first.body["nextCursor"].as_str().unwrap();
    for (owner, tag_id, data_type) in [("ben", "birds", "link"), ("ben", "later", "image"), ("cara", "birds", "image")]
    {
        let uri = format!("/users/{owner}/tags/{tag_id}/favorites/types/{data_type}?cursor={cursor}");
        fixture.refuses_field(ListFavoritesByTagAndType::start, request("GET", uri).by(owner), "cursor").await;
    }
}
