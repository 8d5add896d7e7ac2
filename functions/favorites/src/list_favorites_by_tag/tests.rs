use super::*;
use serde_json::{Value, json};
use shared::values::{DataType, EpochMillis};
use testing::{Collection, Fault, Fixture, request};

fn ids(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|favorite| favorite["dataId"].as_str().unwrap()).collect()
}

fn tag(tag_id: &str) -> Key {
    Key::tag(&"ben".parse().unwrap(), &tag_id.parse().unwrap())
}

fn favorite(data_id: &str) -> Key {
    Key::favorite(&"ben".parse().unwrap(), &data_id.parse().unwrap())
}

#[tokio::test]
async fn lists_the_newest_first() {
    let fixture = Fixture::new("list-favorites-by-tag").await;
    let answer = fixture.call_with_sample_event(ListFavoritesByTag::start).await;
    assert_eq!(answer.status, 200);
    let favorites = answer.body["favorites"].as_array().unwrap();
    assert_eq!(
        favorites[0],
        json!({
            "dataId": "viewpoint", "dataType": "position", "title": "Miradouro da Graça", "creatorId": "ada",
            "thumbnailUrl": "https://photos.example.com/ada/viewpoint.thumbnail.webp",
            "contentUrl": "https://photos.example.com/ada/viewpoint", "clipTime": "2024-06-01T15:00:00.000Z",
            "tags": ["family", "travel"],
        })
    );
    assert_eq!(ids(favorites), ["viewpoint", "fado", "packing-list"]);
    assert!(answer.body["nextCursor"].is_string());
}

#[tokio::test]
async fn three_requests_take_two_round_trips() {
    let fixture = Fixture::new("list-favorites-by-tag").await;
    let _ = fixture.call_with_sample_event(ListFavoritesByTag::start).await;
    // The Query and the UpdateItem are sent at once. In sequence, the BatchGetItem would be second.
    assert_eq!(fixture.operations(), ["Query", "UpdateItem", "BatchGetItem"]);
}

#[tokio::test]
async fn records_the_use_of_the_tag() {
    let fixture = Fixture::new("list-favorites-by-tag").await;
    let mut expected = fixture.all_items().await;
    let before = u64::from(EpochMillis::now());
    let _ = fixture.call_with_sample_event(ListFavoritesByTag::start).await;
    let used = fixture.item(Key::tag(&"ada".parse().unwrap(), &"travel".parse().unwrap())).await;
    let time = used["lastAccessTime"].as_u64().unwrap();
    assert!(before <= time && time <= u64::from(EpochMillis::now()));
    let travel = expected.get_mut("Tag#ada travel").unwrap();
    travel["lastAccessTime"] = json!(time);
    travel["lsiThreeSk"] = json!(time.to_string());
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn later_pages_do_not_record_another_use() {
    let fixture = Fixture::new("list-favorites-by-tag").await;
    let uri = "/users/ben/tags/birds/favorites?limit=1";
    let first = fixture.call(ListFavoritesByTag::start, request("GET", uri).by("ben")).await;
    let used = fixture.all_items().await;
    let _ = fixture.operations();
    let next = format!("{uri}&cursor={}", first.body["nextCursor"].as_str().unwrap());
    let second = fixture.call(ListFavoritesByTag::start, request("GET", next.clone()).by("ben")).await;
    assert_eq!(ids(second.body["favorites"].as_array().unwrap()), ["kestrel"]);
    assert_eq!(fixture.operations(), ["Query", "GetItem", "BatchGetItem"]);
    assert_eq!(fixture.all_items().await, used);

    fixture.delete(tag("birds")).await;
    assert_eq!(fixture.call(ListFavoritesByTag::start, request("GET", next).by("ben")).await.status, 404);
}

#[tokio::test]
async fn returns_404_for_an_unknown_tag_and_does_not_create_it() {
    let fixture = Fixture::new("list-favorites-by-tag").await;
    let before = fixture.all_items().await;
    // The second one belongs to ada.
    for tag_id in ["nothing", "travel"] {
        let uri = format!("/users/ben/tags/{tag_id}/favorites");
        let answer = fixture.call(ListFavoritesByTag::start, request("GET", uri).by("ben")).await;
        assert_eq!((answer.status, &answer.body["hint"]), (404, &json!(format!("There is no tag {tag_id}."))));
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn returns_404_for_a_deleted_tag_at_once() {
    let fixture = Fixture::new("list-favorites-by-tag").await;
    fixture.delete(tag("birds")).await;
    let before = fixture.all_items().await;
    let birds = request("GET", "/users/ben/tags/birds/favorites").by("ben");
    assert_eq!(fixture.call(ListFavoritesByTag::start, birds).await.status, 404);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn returns_an_empty_list_for_a_tag_on_no_favorite() {
    let fixture = Fixture::new("list-favorites-by-tag").await;
    let mut ben = Collection::new("ben");
    ben.tag("empty", "Empty", 1_700_000_000_000, 1_700_000_000_000);
    fixture.put_all(ben.into_items());
    let answer =
        fixture.call(ListFavoritesByTag::start, request("GET", "/users/ben/tags/empty/favorites").by("ben")).await;
    assert_eq!((answer.status, answer.body), (200, json!({"favorites": [], "people": {}, "nextCursor": null})));
    assert_eq!(fixture.operations(), ["Query", "UpdateItem"]);
}

#[tokio::test]
async fn leaves_out_a_favorite_that_is_deleted_concurrently() {
    let fixture = Fixture::new("list-favorites-by-tag").await;
    fixture.write_concurrently(2, vec![], vec![favorite("kestrel").into()]);
    let answer =
        fixture.call(ListFavoritesByTag::start, request("GET", "/users/ben/tags/birds/favorites").by("ben")).await;
    assert_eq!(ids(answer.body["favorites"].as_array().unwrap()), ["waders", "heron"]);
}

#[tokio::test]
async fn a_page_whose_favorites_are_all_deleted_leads_to_the_next() {
    let fixture = Fixture::new("list-favorites-by-tag").await;
    for deleted in ["waders", "kestrel"] {
        fixture.delete(favorite(deleted)).await;
    }
    let uri = "/users/ben/tags/birds/favorites";
    let pages = fixture.pages(ListFavoritesByTag::start, uri, "favorites", async |_| {}).await;
    assert_eq!(ids(&pages), ["heron"]);
}

#[tokio::test]
async fn returns_every_favorite_once_during_concurrent_writes() {
    let fixture = Fixture::new("list-favorites-by-tag").await;
    let newer = async |fixture: &Fixture| {
        let mut ben = Collection::new("ben");
        ben.clip("newer", DataType::Note, "Newer than all", 1_800_000_000_000, &["birds"]);
        fixture.put_all(ben.into_items());
    };
    let uri = "/users/ben/tags/birds/favorites";
    let pages = fixture.pages(ListFavoritesByTag::start, uri, "favorites", newer).await;
    assert_eq!(ids(&pages), ["waders", "kestrel", "heron"]);
}

#[tokio::test]
async fn lists_favorites_of_the_same_millisecond_once_each() {
    let fixture = Fixture::new("list-favorites-by-tag").await;
    let mut ben = Collection::new("ben");
    for number in 0..5 {
        ben.clip(&format!("same{number}"), DataType::Link, "At once", 1_800_000_000_000, &["work"]);
    }
    fixture.put_all(ben.into_items());
    let uri = "/users/ben/tags/work/favorites";
    let pages = fixture.pages(ListFavoritesByTag::start, uri, "favorites", async |_| {}).await;
    assert_eq!(ids(&pages), ["same4", "same3", "same2", "same1", "same0", "waders"]);
}

#[tokio::test]
async fn keeps_tags_of_two_users_with_the_same_id_apart() {
    let fixture = Fixture::new("list-favorites-by-tag").await;
    let mut cara = Collection::new("cara");
    cara.tag("birds", "Birds", 1_700_000_000_000, 1_700_000_000_000);
    cara.clip("heron", DataType::Image, "Cara's heron", 1_700_000_000_000, &["birds"]);
    fixture.put_all(cara.into_items());
    let answer =
        fixture.call(ListFavoritesByTag::start, request("GET", "/users/cara/tags/birds/favorites").by("cara")).await;
    assert_eq!(ids(answer.body["favorites"].as_array().unwrap()), ["heron"]);
    assert_eq!(answer.body["favorites"][0]["title"], "Cara's heron");
    assert_eq!(fixture.item(tag("birds")).await["lastAccessTime"], 1_717_560_000_000_u64);
}

#[tokio::test]
async fn reads_favorites_that_another_program_wrote() {
    let fixture = Fixture::new("list-favorites-by-tag").await;
    let mut cara = Collection::new("cara");
    cara.tag("x", "X", 1_500_000_000_000, 1_500_000_000_000);
    cara.clip("7", DataType::Position, "Home", 1_600_000_000_000, &["x"]);
    fixture.put_all(cara.into_foreign_items());
    let answer =
        fixture.call(ListFavoritesByTag::start, request("GET", "/users/cara/tags/x/favorites").by("cara")).await;
    assert_eq!(ids(answer.body["favorites"].as_array().unwrap()), ["7"]);
    assert_eq!(answer.body["favorites"][0]["dataType"], "position");
}

#[tokio::test]
async fn a_page_can_have_100_favorites() {
    let fixture = Fixture::new("list-favorites-by-tag").await;
    let mut ben = Collection::new("ben");
    for number in 0..110 {
        ben.clip(&format!("f{number:03}"), DataType::File, "File", 1_800_000_000_000 + number, &["birds"]);
    }
    fixture.put_all(ben.into_items());
    let uri = "/users/ben/tags/birds/favorites?limit=100";
    let answer = fixture.call(ListFavoritesByTag::start, request("GET", uri).by("ben")).await;
    let favorites = answer.body["favorites"].as_array().unwrap();
    assert_eq!((favorites.len(), &favorites[99]["dataId"]), (100, &json!("f010")));
}

#[tokio::test]
async fn retries_a_conflict_and_unprocessed_keys() {
    let fixture = Fixture::new("list-favorites-by-tag").await;
    let conflict = Fault::Error("TransactionConflictException");
    fixture.inject([Fault::None, conflict]);
    let birds = request("GET", "/users/ben/tags/birds/favorites").by("ben");
    let answer = fixture.call(ListFavoritesByTag::start, birds.clone()).await;
    assert_eq!(ids(answer.body["favorites"].as_array().unwrap()), ["waders", "kestrel", "heron"]);
    assert_ne!(fixture.item(tag("birds")).await["lastAccessTime"], 1_717_560_000_000_u64);

    fixture.inject([Fault::None, Fault::None, Fault::Unprocessed]);
    let answer = fixture.call(ListFavoritesByTag::start, birds).await;
    assert_eq!(ids(answer.body["favorites"].as_array().unwrap()), ["waders", "kestrel", "heron"]);
}

#[tokio::test]
async fn returns_500_if_the_use_cannot_be_recorded() {
    let fixture = Fixture::new("list-favorites-by-tag").await;
    fixture.inject([Fault::None, Fault::Error("AccessDeniedException")]);
    assert_eq!(fixture.call_with_sample_event(ListFavoritesByTag::start).await.status, 500);
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("list-favorites-by-tag").await;
    let own = request("GET", "/users/ben/tags/birds/favorites").by("ben");
    fixture.needs_a_caller(ListFavoritesByTag::start, own.clone()).await;
    fixture.refuses_other_users(ListFavoritesByTag::start, own).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("list-favorites-by-tag").await;
    fixture
        .refuses_bad_usernames(ListFavoritesByTag::start, "username", |name| {
            request("GET", format!("/users/{name}/tags/birds/favorites"))
        })
        .await;
    fixture
        .refuses_bad_ids(ListFavoritesByTag::start, "tagId", |id| {
            request("GET", format!("/users/ben/tags/{id}/favorites"))
        })
        .await;
    fixture.refuses_bad_pages(ListFavoritesByTag::start, "/users/ben/tags/birds/favorites").await;
}

#[tokio::test]
async fn refuses_the_cursor_of_another_tag_or_owner() {
    let fixture = Fixture::new("list-favorites-by-tag").await;
    let first = request("GET", "/users/ben/tags/birds/favorites?limit=1").by("ben");
    let first = fixture.call(ListFavoritesByTag::start, first).await;
    let cursor = first.body["nextCursor"].as_str().unwrap();
    for (owner, tag_id) in [("ben", "later"), ("cara", "birds")] {
        let other = request("GET", format!("/users/{owner}/tags/{tag_id}/favorites?cursor={cursor}")).by(owner);
        fixture.refuses_field(ListFavoritesByTag::start, other, "cursor").await;
    }
}
