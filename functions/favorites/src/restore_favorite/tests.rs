mod concurrent;

use super::*;
use aws_sdk_dynamodb::types::AttributeValue::{L, N, Ss};
use serde_json::{Value, json};
use shared::entities::MAX_FAVORITES;
use shared::values::{DataType, EpochMillis};
use testing::{Collection, FEED, Fault, Fixture, TestRequest, request};

fn post(username: &str, data_id: &str) -> TestRequest {
    request("POST", format!("/users/{username}/favorites/{data_id}/restore")).by(username)
}

async fn favorite(fixture: &Fixture, data_id: &str) -> Value {
    fixture.item(Key::favorite(&"ada".parse().unwrap(), &data_id.parse().unwrap())).await
}

async fn history(fixture: &Fixture, data_id: &str) -> Value {
    fixture.item(Key::history(&"ada".parse().unwrap(), &data_id.parse().unwrap())).await
}

/// Returns the tags of one of ada's favorites, from their entries.
async fn tags(fixture: &Fixture, data_id: &str) -> Vec<String> {
    let entries = format!("FavoriteDataTag#ada#{data_id} ");
    fixture.all_items().await.into_keys().filter_map(|key| Some(key.strip_prefix(&entries)?.to_owned())).collect()
}

/// The history of ada's favorite `x` with these tags.
fn history_of_x(tags: &[&str]) -> Item {
    let mut ada = Collection::new("ada");
    ada.unclip("x", DataType::Link, "X", 1_700_000_000_000, tags);
    ada.into_items().pop().unwrap()
}

/// The ids of new tags of ada, and their items with a tag count.
fn tags_of_ada(tags: usize) -> (Vec<String>, Vec<Item>) {
    let ids: Vec<String> = (0..tags).map(|tag| format!("t{tag:03}")).collect();
    let mut ada = Collection::new("ada");
    for id in &ids {
        ada.tag(id, &format!("Tag {id}"), 1_700_000_000_000, 1_700_000_000_000);
    }
    (ids, ada.into_items())
}

/// The items that delete-tag puts and deletes when it deletes ada's tag "travel".
fn deletion_of_travel() -> (Vec<Item>, Vec<Item>) {
    let mut count = Item::from(Key::tag_count(&"ada".parse().unwrap()));
    count.insert("tags".to_owned(), N("4".to_owned()));
    count.insert("deletions".to_owned(), N("1".to_owned()));
    (vec![count], vec![Key::tag(&"ada".parse().unwrap(), &"travel".parse().unwrap()).into()])
}

#[tokio::test]
async fn restores_the_favorite_with_its_tags_and_its_position() {
    let fixture = Fixture::new("restore-favorite").await;
    let mut expected = fixture.all_items().await;
    let answer = fixture.call_with_sample_event(RestoreFavorite::start).await;
    assert_eq!(answer.status, 201);
    assert_eq!(answer.headers["location"], "/users/ada/favorites/old-map");
    assert_eq!(
        answer.body,
        json!({
            "dataId": "old-map", "dataType": "image", "title": "Old map of Lisbon", "creatorId": "ada",
            "thumbnailUrl": "https://photos.example.com/ada/old-map.thumbnail.webp",
            "contentUrl": "https://photos.example.com/ada/old-map", "clipTime": "2024-06-01T00:50:00.000Z",
            "tags": ["travel"],
        })
    );

    let favorite = json!({
        "pk": "FavoriteData#ada", "sk": "old-map", "lsiOneSk": "1717203000000#old-map",
        "gsiOnePk": "FavoriteData#ada#image", "gsiOneSk": "1717203000000#old-map", "dataType": "IMAGE",
        "title": "Old map of Lisbon", "creatorId": "ada",
        "thumbnailUrl": "https://photos.example.com/ada/old-map.thumbnail.webp",
        "contentUrl": "https://photos.example.com/ada/old-map", "clipTime": "1717203000000", "tagCount": 1,
        "tagVersion": 1, "tagIds": ["travel"],
    });
    let entry = json!({
        "pk": "FavoriteDataTag#ada#old-map", "sk": "travel", "gsiOnePk": "FavoriteDataTag#ada#travel",
        "gsiOneSk": "1717203000000#old-map", "gsiTwoPk": "FavoriteDataTag#ada#travel#image",
        "gsiTwoSk": "1717203000000#old-map", "dataType": "IMAGE", "clipTime": "1717203000000",
    });
    expected.remove("FavoriteDataHistory#ada old-map").unwrap();
    expected.insert("FavoriteData#ada old-map".to_owned(), favorite);
    expected.insert("FavoriteDataTag#ada#old-map travel".to_owned(), entry);
    expected.get_mut("FavoriteCount#ada FavoriteCount").unwrap()["favorites"] = json!(10);
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn a_repeated_request_changes_nothing() {
    let fixture = Fixture::new("restore-favorite").await;
    let first = fixture.call(RestoreFavorite::start, post("ada", "old-map")).await;
    let before = fixture.all_items().await;
    let _ = fixture.operations();
    let second = fixture.call(RestoreFavorite::start, post("ada", "old-map").json(&json!({}))).await;
    assert_eq!((first.status, second.status), (201, 200));
    assert_eq!(first.body, second.body);
    assert_eq!(fixture.operations(), ["BatchGetItem"]);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn leaves_a_favorite_unchanged_that_was_clipped_again() {
    let fixture = Fixture::new("restore-favorite").await;
    let mut ada = Collection::new("ada");
    ada.clip("old-map", DataType::Note, "Clipped again", 1_800_000_000_000, &[]);
    fixture.put_all(ada.into_items());
    let before = fixture.all_items().await;
    let answer = fixture.call(RestoreFavorite::start, post("ada", "old-map")).await;
    assert_eq!((answer.status, &answer.body["title"]), (200, &json!("Clipped again")));
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn returns_404_without_a_history_or_with_an_expired_one() {
    let fixture = Fixture::new("restore-favorite").await;
    let now = EpochMillis::now().seconds();
    for (data_id, ttl) in [("past", now - 60), ("long-past", 1)] {
        let mut item = history_of_x(&[]);
        item.insert("sk".to_owned(), S(data_id.to_owned()));
        item.insert("ttl".to_owned(), N(ttl.to_string()));
        fixture.put(item).await;
    }
    let before = fixture.all_items().await;
    for (username, data_id) in
        [("ada", "nothing"), ("ben", "old-map"), ("nobody", "old-map"), ("ada", "past"), ("ada", "long-past")]
    {
        let answer = fixture.call(RestoreFavorite::start, post(username, data_id)).await;
        assert_eq!(answer.status, 404, "{username} {data_id}");
        assert_eq!(answer.body["hint"], format!("There is no favorite {data_id} that could be restored."));
    }
    assert_eq!(fixture.all_items().await, before);

    let mut item = history_of_x(&[]);
    item.insert("ttl".to_owned(), N((now + 60).to_string()));
    fixture.put(item).await;
    assert_eq!(
        fixture.call(RestoreFavorite::start, post("ada", "x")).await.status,
        201,
        "the history expires in a minute"
    );
}

#[tokio::test]
async fn does_not_restore_deleted_tags() {
    let fixture = Fixture::new("restore-favorite").await;
    let mut ben = Collection::new("ben");
    ben.tag("deleted", "Ben's", 1_700_000_000_000, 1_700_000_000_000);
    fixture.put_all(ben.into_items());
    fixture.put(history_of_x(&["deleted", "songs", "never-existed"])).await;
    assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "x")).await.status, 201);
    assert_eq!(tags(&fixture, "x").await, ["songs"]);
    assert_eq!(favorite(&fixture, "x").await["tagCount"], 1);
}

#[tokio::test]
async fn accepts_a_tag_count_without_deletions() {
    let fixture = Fixture::new("restore-favorite").await;
    let mut count = Item::from(Key::tag_count(&"ada".parse().unwrap()));
    count.insert("tags".to_owned(), N("5".to_owned()));
    fixture.put(count).await;
    assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "old-map")).await.status, 201);
    assert_eq!(fixture.operations().len(), 3);
}

#[tokio::test]
async fn increments_the_tag_version() {
    let fixture = Fixture::new("restore-favorite").await;
    let mut item = history_of_x(&["songs"]);
    item.insert("tagVersion".to_owned(), N("7".to_owned()));
    fixture.put(item).await;
    assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "x")).await.status, 201);
    assert_eq!(favorite(&fixture, "x").await["tagVersion"], 8);
}

#[tokio::test]
async fn restores_a_favorite_without_tags_by_two_requests() {
    let fixture = Fixture::new("restore-favorite").await;
    fixture.put(history_of_x(&[])).await;
    assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "x")).await.status, 201);
    assert_eq!(fixture.operations(), ["BatchGetItem", "TransactWriteItems"]);
}

#[tokio::test]
async fn does_not_change_items_of_other_users() {
    let fixture = Fixture::new("restore-favorite").await;
    let mut same = Collection::new("ben");
    same.unclip("old-map", DataType::Note, "Ben's", 1_700_000_000_000, &["birds", "travel"]);
    fixture.put_all(same.into_items());
    let of_ben = |key: &String, _: &mut Value| key.contains("#ben");
    let mut expected = fixture.all_items().await;
    expected.retain(of_ben);
    assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "old-map")).await.status, 201);
    let mut left = fixture.all_items().await;
    left.retain(of_ben);
    assert_eq!(left, expected);
}

#[tokio::test]
async fn restores_exactly_the_items_of_the_favorite() {
    let strings = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<String>>();
    let list = |ids: &[&str]| L(strings(ids).into_iter().map(S).collect());
    for (foreign, tag_ids, tags) in [
        (false, Some(list(&["x", "y"])), &["x", "y"][..]),
        (false, Some(list(&[])), &[]),
        (true, Some(list(&["y", "x", "x"])), &["x", "y"]),
        (true, Some(Ss(strings(&["deleted", "x", "y"]))), &["x", "y"]),
        (true, None, &[]),
    ] {
        let what = format!("{foreign} {tag_ids:?}");
        let fixture = Fixture::new("restore-favorite").await;
        let mut cara = Collection::new("cara");
        cara.tag("x", "X", 1_600_000_000_000, 1_600_000_000_000);
        cara.tag("y", "Y", 1_600_000_000_000, 1_600_000_000_000);
        fixture.put_all(if foreign { cara.into_foreign_items() } else { cara.into_items() });

        let mut cara = Collection::new("cara");
        cara.clip("7", DataType::Position, "Home", 1_600_000_000_000, tags);
        let mut items = if foreign { cara.into_foreign_items() } else { cara.into_items() };
        items.retain(|item| {
            let pk = item[FAVORITE_PK].as_s().unwrap();
            !pk.starts_with("FavoriteDataTerm#") && !pk.starts_with("FavoriteCount#")
        });
        let favorite = items.last_mut().unwrap();
        if foreign {
            favorite.insert("clipTime".to_owned(), N("1600000000000".to_owned()));
            favorite.insert("distance".to_owned(), N("12.5".to_owned()));
            favorite.insert("tags".to_owned(), Ss(strings(&["not", "ours"])));
            favorite.remove("title");
            favorite.remove("creatorId");
        }
        let mut history = favorite.clone();
        fixture.put_all(items);
        let mut expected = fixture.all_items().await;
        let favorite = expected.get_mut("FavoriteData#cara 7").unwrap();
        (favorite["tagCount"], favorite["tagVersion"]) = (json!(tags.len()), json!(1));
        if !tags.is_empty() {
            favorite["tagIds"] = json!(tags);
        }
        let count = json!({"pk": "FavoriteCount#cara", "sk": "FavoriteCount", "favorites": 1});
        expected.insert("FavoriteCount#cara FavoriteCount".to_owned(), count);

        let favorite = Item::from(Key::favorite(&"cara".parse().unwrap(), &"7".parse().unwrap()));
        fixture.delete(favorite).await;
        for tag in tags {
            let entry = Key::favorite_tag(&"cara".parse().unwrap(), &"7".parse().unwrap(), &tag.parse().unwrap());
            fixture.delete(entry).await;
        }
        history.remove("tagCount");
        history.insert(FAVORITE_PK.to_owned(), S("FavoriteDataHistory#cara".to_owned()));
        history.insert("gsiOnePk".to_owned(), S("FavoriteDataHistory#cara#position".to_owned()));
        history.extend(tag_ids.map(|tag_ids| ("tagIds".to_owned(), tag_ids)));
        if !foreign {
            history.insert("ttl".to_owned(), N("4102444800".to_owned()));
        }
        fixture.put(history).await;

        let answer = fixture.call(RestoreFavorite::start, post("cara", "7")).await;
        assert_eq!((answer.status, &answer.body["clipTime"]), (201, &json!("2020-09-13T12:26:40.000Z")), "{what}");
        assert_eq!(fixture.all_items().await, expected, "{what}");
    }
}

#[tokio::test]
async fn restores_as_many_tags_as_fit_into_one_transaction() {
    let fixture = Fixture::new("restore-favorite").await;
    let (ids, items) = tags_of_ada(250);
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    fixture.put_all(items);
    fixture.put(history_of_x(&ids[..98])).await;
    let before = fixture.all_items().await;
    let answer = fixture.call(RestoreFavorite::start, post("ada", "x")).await;
    assert_eq!((answer.status, answer.problem()), (409, "too-many-tags-to-restore"));
    assert_eq!(
        answer.body["detail"],
        "This favorite had 98 tags that still exist. It can be restored with at most 94 tags: delete some of them first."
    );
    assert_eq!(fixture.all_items().await, before);

    fixture.put(history_of_x(&ids[..94])).await;
    assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "x")).await.status, 201);
    assert_eq!(tags(&fixture, "x").await, ids[..94]);
    assert_eq!(favorite(&fixture, "x").await["tagCount"], 94);
}

#[tokio::test]
async fn reads_the_tags_of_a_history_in_batches() {
    let fixture = Fixture::new("restore-favorite").await;
    let (ids, items) = tags_of_ada(94);
    fixture.put_all(items);
    let deleted: Vec<String> = (0..106).map(|tag| format!("s{tag:03}")).collect();
    let all: Vec<&str> = deleted.iter().chain(&ids).map(String::as_str).collect();
    fixture.put(history_of_x(&all)).await;
    assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "x")).await.status, 201);
    assert_eq!(
        fixture.operations(),
        ["BatchGetItem", "TransactGetItems", "TransactGetItems", "TransactGetItems", "TransactWriteItems"]
    );
    assert_eq!(tags(&fixture, "x").await, ids);
}

#[tokio::test]
async fn restores_nothing_above_the_maximum_of_favorites() {
    let fixture = Fixture::new("restore-favorite").await;
    let mut count = Item::from(Key::favorite_count(&"ada".parse().unwrap()));
    count.insert("favorites".to_owned(), N(MAX_FAVORITES.to_string()));
    fixture.put(count).await;
    let before = fixture.all_items().await;
    let answer = fixture.call(RestoreFavorite::start, post("ada", "old-map")).await;
    let detail = json!("You have reached the maximum of 100000 favorites. Delete a favorite first.");
    assert_eq!((answer.problem(), &answer.body["detail"]), ("too-many-favorites", &detail));
    assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "sunset")).await.status, 200, "a favorite that exists");
    assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "unknown")).await.status, 404);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("restore-favorite").await;
    fixture.needs_a_caller(RestoreFavorite::start, post("ada", "old-map")).await;
    fixture.refuses_other_users(RestoreFavorite::start, post("ada", "old-map")).await;
    fixture.refuses_other_accounts(RestoreFavorite::start).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("restore-favorite").await;
    fixture
        .refuses_bad_usernames(RestoreFavorite::start, "username", |name| {
            request("POST", format!("/users/{name}/favorites/x/restore"))
        })
        .await;
    fixture
        .refuses_bad_ids(RestoreFavorite::start, "dataId", |id| {
            request("POST", format!("/users/ben/favorites/{id}/restore"))
        })
        .await;
    fixture.refuses_bad_bodies(RestoreFavorite::start, post("ada", "old-map")).await;
}

#[tokio::test]
async fn a_restored_photo_is_saved_again() {
    let fixture = Fixture::new("restore-favorite").await;
    let data_id: DataId = "photo~ada~2024-05-30T15:42:38".parse().unwrap();
    let mut history = history_of_x(&[]);
    history.extend(Item::from(Key::history(&"ada".parse().unwrap(), &data_id)));
    fixture.put(history).await;
    assert_eq!(fixture.call(RestoreFavorite::start, post("ada", data_id.as_ref())).await.status, 201);
    let feeds = fixture.all_items_of(FEED).await;
    assert_eq!(feeds["Engagement#ada ada#2024-05-30T15:42:38"]["saved"], true);
}
