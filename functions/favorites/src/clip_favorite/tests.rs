use super::*;
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use shared::entities::{Key, MAX_FAVORITES};
use shared::values::DataType;
use testing::{Answer, Collection, Fault, Fixture, TestRequest, request};

mod idempotency;

/// The key of ada's count of favorites among all items.
const COUNT_OF_ADA: &str = "FavoriteCount#ada FavoriteCount";

fn post(body: &Value) -> TestRequest {
    request("POST", "/users/ada/favorites").by("ada").json(body)
}

/// Returns a request with an idempotency key. Its favorite gets a new id each time.
fn post_once(idempotency_key: &str, title: &str) -> TestRequest {
    post(&json!({"dataType": "note", "title": title})).header("idempotency-key", idempotency_key)
}

fn key(owner: &str, data_id: &str) -> Key {
    Key::favorite(&owner.parse().unwrap(), &data_id.parse().unwrap())
}

fn data_id(answer: &Answer) -> &str {
    answer.body["dataId"].as_str().unwrap()
}

#[tokio::test]
async fn stores_the_fields_of_the_body() {
    let fixture = Fixture::new("clip-favorite").await;
    let mut expected = fixture.all_items().await;
    let begin = u64::from(EpochMillis::now());
    let answer = fixture.call_with_sample_event(ClipFavorite::start).await;
    assert_eq!(answer.status, 201);
    assert_eq!(answer.headers["location"], "/users/ada/favorites/tiles");
    let clip_time = u64::from(serde_json::from_value::<EpochMillis>(answer.body["clipTime"].clone()).unwrap());
    assert!(begin <= clip_time && clip_time <= EpochMillis::now().into());
    assert_eq!(
        answer.body,
        json!({
            "dataId": "tiles", "dataType": "link", "title": "Tiles of Lisbon", "creatorId": "ben",
            "contentUrl": "https://example.com/tiles", "clipTime": answer.body["clipTime"], "tags": [],
        })
    );
    let item = json!({
        "pk": "FavoriteData#ada", "sk": "tiles", "lsiOneSk": format!("{clip_time}#tiles"),
        "gsiOnePk": "FavoriteData#ada#link", "gsiOneSk": format!("{clip_time}#tiles"), "dataType": "LINK",
        "title": "Tiles of Lisbon", "creatorId": "ben", "contentUrl": "https://example.com/tiles",
        "clipTime": clip_time.to_string(), "tagCount": 0,
    });
    expected.insert("FavoriteData#ada tiles".to_owned(), item);
    expected.get_mut(COUNT_OF_ADA).unwrap()["favorites"] = json!(10);
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn needs_only_a_type_and_a_title() {
    let fixture = Fixture::new("clip-favorite").await;
    let body = json!({"dataType": "note", "title": "Call Ben", "dataId": null, "contentUrl": null});
    let first = fixture.call(ClipFavorite::start, post(&body)).await;
    let second = fixture.call(ClipFavorite::start, post(&body)).await;
    assert_eq!((first.status, second.status), (201, 201));
    assert_ne!(data_id(&first), data_id(&second), "each favorite has its own id");
    assert_eq!(first.headers["location"], format!("/users/ada/favorites/{}", data_id(&first)).as_str());
    let id = data_id(&first);
    assert_eq!(
        first.body,
        json!({"dataId": id, "dataType": "note", "title": "Call Ben", "clipTime": first.body["clipTime"], "tags": []})
    );
    let clip_time: EpochMillis = serde_json::from_value(first.body["clipTime"].clone()).unwrap();
    assert_eq!(
        fixture.item(key("ada", id)).await,
        json!({
            "pk": "FavoriteData#ada", "sk": id, "lsiOneSk": format!("{clip_time}#{id}"),
            "gsiOnePk": "FavoriteData#ada#note", "gsiOneSk": format!("{clip_time}#{id}"), "dataType": "NOTE",
            "title": "Call Ben", "clipTime": clip_time.to_string(), "tagCount": 0,
        })
    );
}

#[tokio::test]
async fn stores_every_type_and_every_field() {
    let fixture = Fixture::new("clip-favorite").await;
    for data_type in ClipType::ALL {
        let body = json!({
            "dataType": data_type, "title": "One of each", "dataId": format!("a-{data_type}"), "creatorId": "ben",
            "thumbnailUrl": "https://example.com/small", "contentUrl": "https://example.com/large",
        });
        let answer = fixture.call(ClipFavorite::start, post(&body)).await;
        assert_eq!(answer.status, 201, "{data_type}: {}", answer.body);
        let mut expected = body.clone();
        expected["clipTime"] = answer.body["clipTime"].clone();
        expected["tags"] = json!([]);
        assert_eq!(answer.body, expected);
        let item = fixture.item(key("ada", data_id(&answer))).await;
        assert_eq!(item["gsiOnePk"], format!("FavoriteData#ada#{data_type}"));
        for field in ["title", "creatorId", "thumbnailUrl", "contentUrl"] {
            assert_eq!(item[field], body[field], "{field}");
        }
    }
}

#[tokio::test]
async fn leaves_an_existing_favorite_unchanged() {
    let fixture = Fixture::new("clip-favorite").await;
    let before = fixture.all_items().await;
    let body = json!({"dataType": "note", "title": "Another", "dataId": "sunset"});
    let answer = fixture.call(ClipFavorite::start, post(&body)).await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.body,
        json!({
            "dataId": "sunset", "dataType": "image", "title": "Sunset over Lisbon", "creatorId": "ada",
            "thumbnailUrl": "https://photos.example.com/ada/sunset.thumbnail.webp",
            "contentUrl": "https://photos.example.com/ada/sunset", "clipTime": "2024-06-01T01:40:00.000Z",
            "tags": ["travel"],
        })
    );
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_second_request_returns_the_first_favorite() {
    let fixture = Fixture::new("clip-favorite").await;
    let body = json!({"dataType": "note", "title": "Call Ben", "dataId": "call"});
    let first = fixture.call(ClipFavorite::start, post(&body)).await;
    // Another clip time tells the stored favorite from a new one, even within one millisecond.
    let mut ada = Collection::new("ada");
    ada.clip("call", DataType::Note, "Call Ben", 1_700_000_000_000, &[]);
    fixture.put_all(ada.into_items());
    let before = fixture.all_items().await;
    let second = fixture.call(ClipFavorite::start, post(&body)).await;
    assert_eq!((first.status, second.status), (201, 200));
    assert_eq!(second.body["clipTime"], "2023-11-14T22:13:20.000Z");
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_creates_no_second_favorite() {
    let fixture = Fixture::new("clip-favorite").await;
    let before = fixture.all_items().await.len();
    for body in [
        json!({"dataType": "note", "title": "Call Ben"}),
        json!({"dataType": "note", "title": "Call Ben", "dataId": "call"}),
    ] {
        fixture.inject([Fault::AnswerLost]);
        let answer = fixture.call(ClipFavorite::start, post(&body)).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        assert_eq!(answer.headers["location"], format!("/users/ada/favorites/{}", data_id(&answer)).as_str());
        assert_eq!(fixture.item(key("ada", data_id(&answer))).await["title"], "Call Ben");
        assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
    }
    assert_eq!(fixture.all_items().await.len(), before + 2);
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_returns_201_although_the_favorite_has_a_tag_since() {
    let fixture = Fixture::new("clip-favorite").await;
    fixture.inject([Fault::AnswerLost]);
    fixture.update_concurrently(
        1,
        json!({
            "Key": {"pk": {"S": "FavoriteData#ada"}, "sk": {"S": "call"}},
            "ConditionExpression": "tagCount = :zero",
            "UpdateExpression": "SET tagCount = :one",
            "ExpressionAttributeValues": {":zero": {"N": "0"}, ":one": {"N": "1"}},
        }),
    );
    let body = json!({"dataType": "note", "title": "Call Ben", "dataId": "call"});
    let answer = fixture.call(ClipFavorite::start, post(&body)).await;
    assert_eq!((answer.status, fixture.operations()), (201, vec!["TransactWriteItems".to_owned(); 2]));
    assert_eq!(fixture.item(key("ada", "call")).await["tagCount"], 1);
}

#[tokio::test]
async fn the_same_id_may_exist_for_another_user_and_in_a_history() {
    let fixture = Fixture::new("clip-favorite").await;
    let mut expected = fixture.all_items().await;
    for data_id in ["heron", "old-map"] {
        let body = json!({"dataType": "file", "title": "Ada's", "dataId": data_id});
        assert_eq!(fixture.call(ClipFavorite::start, post(&body)).await.status, 201, "{data_id}");
        let item = fixture.item(key("ada", data_id)).await;
        assert!(expected.insert(format!("FavoriteData#ada {data_id}"), item).is_none());
    }
    expected.get_mut(COUNT_OF_ADA).unwrap()["favorites"] = json!(11);
    assert_eq!(fixture.all_items().await, expected, "ben's heron and the history of the old map are unchanged");
}

#[tokio::test]
async fn returns_a_favorite_that_another_program_wrote() {
    let fixture = Fixture::new("clip-favorite").await;
    let mut ada = Collection::new("ada");
    ada.clip("7", DataType::Position, "Home", 1_600_000_000_000, &["x"]);
    fixture.put_all(ada.into_foreign_items());
    let before = fixture.all_items().await;
    let body = json!({"dataType": "note", "title": "Seven", "dataId": "7"});
    let answer = fixture.call(ClipFavorite::start, post(&body)).await;
    assert_eq!((answer.status, &answer.body["dataType"]), (200, &json!("position")));
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn retries_after_a_transaction_conflict() {
    let fixture = Fixture::new("clip-favorite").await;
    fixture.inject([Fault::TransactionCanceled("TransactionConflict"); 3]);
    assert_eq!(fixture.call(ClipFavorite::start, post(&json!({"dataType": "note", "title": "x"}))).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 4]);
}

#[tokio::test]
async fn accepts_values_of_maximum_length() {
    let fixture = Fixture::new("clip-favorite").await;
    let long = |length| "😀".repeat(length);
    let url = format!("https://example.com/{}", "x".repeat(2048 - 20));
    let body = json!({
        "dataType": "position", "title": long(200), "dataId": "x".repeat(128), "creatorId": long(100),
        "thumbnailUrl": url, "contentUrl": url,
    });
    let answer = fixture.call(ClipFavorite::start, post(&body)).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(fixture.item(key("ada", &"x".repeat(128))).await["contentUrl"], url);
}

/// Puts a count of favorites of ada.
async fn put_count(fixture: &Fixture, favorites: u64) {
    let mut count = shared::dynamodb::Item::from(Key::favorite_count(&"ada".parse().unwrap()));
    count.insert("favorites".to_owned(), AttributeValue::N(favorites.to_string()));
    fixture.put(count).await;
}

#[tokio::test]
async fn refuses_one_favorite_more_than_the_maximum() {
    let fixture = Fixture::new("clip-favorite").await;
    put_count(&fixture, MAX_FAVORITES - 1).await;
    let body = |id: &str| json!({"dataType": "note", "title": "Call Ben", "dataId": id});
    assert_eq!(fixture.call(ClipFavorite::start, post(&body("last"))).await.status, 201);
    assert_eq!(fixture.call(ClipFavorite::start, post_once("k-1", "Call Ben")).await.status, 409);
    let before = fixture.all_items().await;
    let answer = fixture.call(ClipFavorite::start, post(&body("another"))).await;
    let detail = json!("You have reached the maximum of 100000 favorites. Delete a favorite first.");
    assert_eq!((answer.problem(), &answer.body["detail"]), ("too-many-favorites", &detail));
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 3]);
    assert_eq!(fixture.call(ClipFavorite::start, post(&body("last"))).await.status, 200, "a repetition");
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_repeated_idempotency_key_is_answered_at_the_maximum() {
    let fixture = Fixture::new("clip-favorite").await;
    put_count(&fixture, MAX_FAVORITES - 1).await;
    let first = fixture.call(ClipFavorite::start, post_once("k-1", "Call Ben")).await;
    let again = fixture.call(ClipFavorite::start, post_once("k-1", "Call Ben")).await;
    assert_eq!((first.status, again.status, &again.body), (201, 200, &first.body));
}

#[tokio::test]
async fn counts_for_a_user_without_a_count() {
    let fixture = Fixture::new("clip-favorite").await;
    fixture.delete(Key::favorite_count(&"ada".parse().unwrap())).await;
    assert_eq!(fixture.call_with_sample_event(ClipFavorite::start).await.status, 201);
    assert_eq!(fixture.item(Key::favorite_count(&"ada".parse().unwrap())).await["favorites"], 1);
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("clip-favorite").await;
    let own = post(&json!({"dataType": "link", "title": "A title"}));
    fixture.needs_a_caller(ClipFavorite::start, own.clone()).await;
    fixture.refuses_other_users(ClipFavorite::start, own).await;
    fixture.refuses_other_accounts(ClipFavorite::start).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("clip-favorite").await;
    let good = json!({
        "dataType": "link", "title": "A title", "dataId": "id", "creatorId": "ben",
        "thumbnailUrl": "https://example.com/small", "contentUrl": "https://example.com/large",
    });
    fixture
        .refuses_bad_usernames(ClipFavorite::start, "username", |name| {
            request("POST", format!("/users/{name}/favorites"))
        })
        .await;
    fixture.refuses_bad_bodies(ClipFavorite::start, request("POST", "/users/ada/favorites").by("ada")).await;

    let text_too_long = |max: usize| json!("x".repeat(max + 1));
    let url_too_long = json!(format!("https://example.com/{}", "x".repeat(2049 - 20)));
    let urls = vec![json!(" "), json!("javascript:alert(1)"), url_too_long, json!(["https://example.com"])];
    let bad = [
        ("dataType", vec![json!("IMAGE"), json!("photo"), json!(""), json!(1), Value::Null]),
        ("title", vec![json!(" "), json!("a\nb"), text_too_long(200), json!(7), Value::Null]),
        ("dataId", vec![json!(""), json!("a#b"), json!("search"), text_too_long(128), json!(7)]),
        ("creatorId", vec![json!(" "), text_too_long(100), json!(7)]),
        ("thumbnailUrl", urls.clone()),
        ("contentUrl", urls),
    ];
    for (field, values) in bad {
        for value in values {
            let mut body = good.clone();
            body[field] = value;
            fixture.refuses_field(ClipFavorite::start, post(&body), field).await;
        }
    }
    for unknown in ["clipTime", "tagCount", "pk", "username", "ttl", "photo"] {
        let mut body = good.clone();
        body[unknown] = json!(1);
        fixture.refuses_field(ClipFavorite::start, post(&body), unknown).await;
    }
    let answer = fixture.refuses(ClipFavorite::start, post(&json!({"title": "", "color": "red"})), 400).await;
    assert_eq!(answer.fields(), ["dataType", "title", "color"], "one answer reports all violations");
}

#[tokio::test]
async fn the_error_of_a_photo_of_the_app_says_how_to_save_it() {
    let fixture = Fixture::new("clip-favorite").await;
    let before = fixture.all_items().await;
    for (field, value) in [("dataType", "photo"), ("dataId", "photo~ada~2024-05-30T15:42:38")] {
        let mut body = json!({"dataType": "image", "title": "Sunset"});
        body[field] = json!(value);
        let answer = fixture.refuses(ClipFavorite::start, post(&body), 400).await;
        let message = answer.body["errors"][0]["message"].as_str().unwrap();
        assert!(message.contains("PUT /users/{username}/saved/{author}/{photo}"), "{message}");
    }
    assert_eq!(fixture.all_items().await, before);
}
