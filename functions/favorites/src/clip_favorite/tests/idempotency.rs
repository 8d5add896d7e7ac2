//! Requests with an idempotency key.

use super::*;
use testing::FAVORITE;

fn record_key(username: &str, idempotency_key: &str) -> Key {
    let (username, idempotency_key) = (username.parse().unwrap(), idempotency_key.parse().unwrap());
    Key::idempotency_record(&username, &IdempotencyScope::Favorites, &idempotency_key)
}

#[tokio::test]
async fn a_repeated_idempotency_key_returns_the_first_favorite() {
    let fixture = Fixture::new("clip-favorite").await;
    let mut expected = fixture.all_items().await;
    let begin = EpochMillis::now().seconds();
    let first = fixture.call(ClipFavorite::start, post_once("k-1", "Call Ben")).await;
    assert_eq!(first.status, 201, "{}", first.body);
    assert_eq!(first.headers["location"], format!("/users/ada/favorites/{}", data_id(&first)).as_str());
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);

    let record = fixture.item(record_key("ada", "k-1")).await;
    let ttl = record["ttl"].as_u64().unwrap();
    assert!((begin + 86_400..=EpochMillis::now().seconds() + 86_400).contains(&ttl), "24 hours from now: {ttl}");
    assert_eq!(serde_json::from_str::<Value>(record["made"].as_str().unwrap()).unwrap(), first.body);
    assert_eq!(record.as_object().unwrap().len(), 5, "the record is in no index: {record}");
    expected.insert("IdempotencyKey#ada favorites#k-1".to_owned(), record);
    let favorite = fixture.item(key("ada", data_id(&first))).await;
    expected.insert(format!("FavoriteData#ada {}", data_id(&first)), favorite);
    expected.get_mut(COUNT_OF_ADA).unwrap()["favorites"] = json!(10);
    assert_eq!(fixture.all_items().await, expected);

    for key in ["k-1", "\"k-1\""] {
        let again = fixture.call(ClipFavorite::start, post_once(key, "Call Ben")).await;
        assert_eq!((again.status, &again.body), (200, &first.body));
        assert!(!again.headers.contains_key("location"));
        assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    }
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn a_repeated_idempotency_key_returns_the_first_favorite_although_it_is_gone() {
    let fixture = Fixture::new("clip-favorite").await;
    let first = fixture.call(ClipFavorite::start, post_once("k-1", "Call Ben")).await;
    fixture.delete(key("ada", data_id(&first))).await;
    let before = fixture.all_items().await;
    let again = fixture.call(ClipFavorite::start, post_once("k-1", "Call Ben")).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn returns_422_for_an_idempotency_key_of_another_body() {
    let fixture = Fixture::new("clip-favorite").await;
    assert_eq!(fixture.call(ClipFavorite::start, post_once("k-1", "Call Ben")).await.status, 201);
    let before = fixture.all_items().await;
    let same_json = r#"{"title": "Call Ben", "dataType": "note"}"#;
    for request in [
        post_once("k-1", "Call Cara"),
        post_once("k-1", "Call Ben").body("application/json", same_json),
        post(&json!({"dataType": "note", "title": "x", "dataId": "sunset"})).header("idempotency-key", "k-1"),
    ] {
        fixture.refuses_another_body(ClipFavorite::start, request).await;
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn an_expired_idempotency_key_is_new() {
    let fixture = Fixture::new("clip-favorite").await;
    let first = fixture.call(ClipFavorite::start, post_once("k-1", "Call Ben")).await;
    fixture.set_ttl(FAVORITE, record_key("ada", "k-1"), EpochMillis::now().seconds() + 60).await;
    assert_eq!(fixture.call(ClipFavorite::start, post_once("k-1", "Call Ben")).await.status, 200);
    fixture.set_ttl(FAVORITE, record_key("ada", "k-1"), EpochMillis::now().seconds()).await;
    let second = fixture.call(ClipFavorite::start, post_once("k-1", "Call Cara")).await;
    assert_eq!((second.status, &second.body["title"]), (201, &json!("Call Cara")));
    assert_ne!(data_id(&second), data_id(&first));
    let again = fixture.call(ClipFavorite::start, post_once("k-1", "Call Cara")).await;
    assert_eq!((again.status, &again.body), (200, &second.body));
}

#[tokio::test]
async fn the_same_idempotency_key_of_another_user_is_another_key() {
    let fixture = Fixture::new("clip-favorite").await;
    let of_ada = fixture.call(ClipFavorite::start, post_once("k-1", "Call Ben")).await;
    let body = json!({"dataType": "note", "title": "Call Ben"});
    let of_ben = request("POST", "/users/ben/favorites").by("ben").json(&body).header("idempotency-key", "k-1");
    let of_ben = fixture.call(ClipFavorite::start, of_ben).await;
    assert_eq!((of_ada.status, of_ben.status), (201, 201));
    assert_ne!(data_id(&of_ada), data_id(&of_ben));
}

#[tokio::test]
async fn an_existing_favorite_leaves_its_idempotency_key_unused() {
    let fixture = Fixture::new("clip-favorite").await;
    let before = fixture.all_items().await;
    let body = json!({"dataType": "note", "title": "Another", "dataId": "sunset"});
    let answer = fixture.call(ClipFavorite::start, post(&body).header("idempotency-key", "k-1")).await;
    assert_eq!((answer.status, &answer.body["title"]), (200, &json!("Sunset over Lisbon")));
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_lost_answer_with_an_idempotency_key_returns_201_once() {
    let fixture = Fixture::new("clip-favorite").await;
    let before = fixture.all_items().await.len();
    fixture.inject([Fault::AnswerLost]);
    let answer = fixture.call(ClipFavorite::start, post_once("k-1", "Call Ben")).await;
    assert_eq!((answer.status, fixture.operations()), (201, vec!["TransactWriteItems".to_owned(); 2]));
    assert_eq!(fixture.all_items().await.len(), before + 2);

    // No attempt of the SDK gets an answer, so the client repeats its request.
    fixture.inject([Fault::AnswerLost; 5]);
    let lost = fixture.call(ClipFavorite::start, post_once("k-2", "Call Cara")).await;
    fixture.clear_faults();
    assert_eq!(lost.status, 503);
    let repeated = fixture.call(ClipFavorite::start, post_once("k-2", "Call Cara")).await;
    assert_eq!((repeated.status, &repeated.body["title"]), (200, &json!("Call Cara")));
    assert_eq!(fixture.all_items().await.len(), before + 4);
}

#[tokio::test]
async fn a_transaction_with_an_idempotency_key_is_retried_after_a_conflict() {
    let fixture = Fixture::new("clip-favorite").await;
    fixture.inject([Fault::TransactionCanceled("TransactionConflict"); 3]);
    assert_eq!(fixture.call(ClipFavorite::start, post_once("k-1", "Call Ben")).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 4]);
}

#[tokio::test]
async fn concurrent_requests_with_one_idempotency_key_create_one_favorite() {
    let fixture = std::sync::Arc::new(Fixture::new("clip-favorite").await);
    let before = fixture.all_items().await.len();
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..10 {
        let fixture = fixture.clone();
        calls.spawn(async move { fixture.call(ClipFavorite::start, post_once("k-1", "Call Ben")).await });
    }
    let mut answers = calls.join_all().await;
    answers.sort_unstable_by_key(|answer| answer.status);
    assert_eq!(answers.iter().map(|answer| answer.status).collect::<Vec<_>>(), [[200; 9].as_slice(), &[201]].concat());
    assert!(answers.iter().all(|answer| answer.body == answers[0].body));
    assert_eq!(fixture.all_items().await.len(), before + 2);
}

#[tokio::test]
async fn refuses_bad_idempotency_keys() {
    let fixture = Fixture::new("clip-favorite").await;
    for bad in ["", "\"\"", "a b", "a#b", "a,b", "\"a", &"a".repeat(65)] {
        fixture.refuses_field(ClipFavorite::start, post_once(bad, "Call Ben"), "idempotency-key").await;
    }
    let longest = "a".repeat(64);
    for good in ["8e03978e-40d5-43dd-bc93-6894a57f9324", "A_z~0.9", &longest] {
        assert_eq!(fixture.call(ClipFavorite::start, post_once(good, "Call Ben")).await.status, 201, "{good}");
    }
}
