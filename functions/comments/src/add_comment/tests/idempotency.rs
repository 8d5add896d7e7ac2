//! Requests with an idempotency key.

use super::*;
use testing::{Answer, FAVORITE};

/// Returns a request of cara with an idempotency key.
fn post_once(idempotency_key: &str, text: &str) -> TestRequest {
    post(text).header("idempotency-key", idempotency_key)
}

async fn add_once(fixture: &Fixture, idempotency_key: &str, text: &str) -> Answer {
    fixture.call(AddComment::start, post_once(idempotency_key, text)).await
}

#[tokio::test]
async fn a_repeated_idempotency_key_returns_the_first_comment() {
    let fixture = Fixture::new("add-comment").await;
    let (comments, records) = (fixture.all_items().await.len(), fixture.all_items_of(FAVORITE).await.len());
    let first = add_once(&fixture, "k-1", "Once").await;
    assert_eq!((first.status, fixture.operations()), (201, vec!["TransactWriteItems".to_owned()]));
    let record = format!("IdempotencyKey#cara comments#ada#{PHOTO_OF_ADA}#k-1");
    let record = fixture.all_items_of(FAVORITE).await[&record].clone();
    let made: Value = serde_json::from_str(record["made"].as_str().unwrap()).unwrap();
    assert_eq!(made, first.body);

    // Also when the photo takes too many writes, and after the comment is gone.
    for faults in [&[][..], &CONTENDED] {
        fixture.inject(faults.iter().copied());
        for idempotency_key in ["k-1", "\"k-1\""] {
            let again = add_once(&fixture, idempotency_key, "Once").await;
            assert_eq!((again.status, &again.body), (200, &first.body));
        }
    }
    assert_eq!(counts(&fixture).await, [json!(3), json!(1), json!(1)]);
    let after = (fixture.all_items().await.len(), fixture.all_items_of(FAVORITE).await.len());
    assert_eq!(after, (comments + 1, records + 1));
}

#[tokio::test]
async fn the_same_idempotency_key_of_another_user_or_photo_is_another_key() {
    let fixture = Fixture::new("add-comment").await;
    let first = add_once(&fixture, "k-1", "Once").await;
    let of_ben = fixture.call(AddComment::start, post_once("k-1", "Once").by("ben")).await;
    let other_photo = request("POST", "/users/ada/photos/2024-06-09T13:49:13/comments").by("cara");
    let other_photo = other_photo.json(&json!({"text": "Once"})).header("idempotency-key", "k-1");
    let on_other_photo = fixture.call(AddComment::start, other_photo).await;
    assert_eq!([first.status, of_ben.status, on_other_photo.status], [201; 3]);
    assert_eq!(counts(&fixture).await, [json!(4), json!(2), json!(2)]);
}

#[tokio::test]
async fn another_body_with_the_same_idempotency_key_is_refused() {
    let fixture = Fixture::new("add-comment").await;
    add_once(&fixture, "k-1", "Once").await;
    fixture.refuses_another_body(AddComment::start, post_once("k-1", "Twice")).await;
    fixture.refuses_field(AddComment::start, post_once("a b", "Once"), "idempotency-key").await;
}

#[tokio::test]
async fn a_lost_answer_with_an_idempotency_key_returns_201_once() {
    let fixture = Fixture::new("add-comment").await;
    for (idempotency_key, faults) in [
        ("k-1", vec![Fault::AnswerLost]),
        ("k-2", [vec![Fault::AnswerLost], CONTENDED.to_vec()].concat()),
        ("k-3", [CONTENDED.to_vec(), vec![Fault::None, Fault::AnswerLost]].concat()),
    ] {
        let before = fixture.all_items().await.len();
        fixture.inject(faults);
        let first = add_once(&fixture, idempotency_key, "Once").await;
        assert_eq!(first.status, 201, "{idempotency_key}: {}", first.body);
        let again = add_once(&fixture, idempotency_key, "Once").await;
        assert_eq!((again.status, &again.body), (200, &first.body), "{idempotency_key}");
        assert_eq!(fixture.all_items().await.len(), before + 1, "{idempotency_key}");
    }
}

#[tokio::test]
async fn a_request_that_adds_nothing_leaves_no_record() {
    let fixture = Fixture::new("add-comment").await;
    let before = fixture.all_items_of(FAVORITE).await;
    fixture.put(photo_deletion("ada", PHOTO_OF_ADA, 1)).await;
    for faults in [&[][..], &CONTENDED] {
        fixture.inject(faults.iter().copied());
        assert_eq!(add_once(&fixture, "k-1", "Once").await.status, 404);
    }
    assert_eq!(fixture.all_items_of(FAVORITE).await, before);
}

#[tokio::test]
async fn a_known_idempotency_key_is_no_answer_to_a_deleted_user_or_another_account() {
    let fixture = Fixture::new("add-comment").await;
    assert_eq!(add_once(&fixture, "k-1", "Once").await.status, 201);
    let (another, deletion) = (testing::with(user("cara"), "subject", "another account"), testing::deletion("cara"));
    for (item, problem) in [(another, "other-account"), (deletion, "no-profile")] {
        fixture.put(item).await;
        assert_eq!(add_once(&fixture, "k-1", "Once").await.problem(), problem);
    }
}
