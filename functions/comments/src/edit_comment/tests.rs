use super::*;
use serde_json::{Value, json};
use testing::{Fault, Fixture, TestRequest, comment, request};

const PHOTO_OF_ADA: &str = "2024-05-30T15:42:38";
/// The id of the comment of ben on it.
const COMMENT_OF_BEN: &str = "2024-06-02T18:05:41.250Z~ben";

fn patch(comment: &str, text: &str) -> TestRequest {
    let uri = format!("/users/ada/photos/{PHOTO_OF_ADA}/comments/{comment}");
    request("PATCH", uri).by("ben").json(&json!({ "text": text }))
}

async fn stored(fixture: &Fixture) -> Value {
    let key = Key::comment(&COMMENT_OF_BEN.parse().unwrap(), &"ada".parse().unwrap(), &PHOTO_OF_ADA.parse().unwrap());
    fixture.item(key).await
}

#[tokio::test]
async fn changes_the_text_and_nothing_else() {
    let fixture = Fixture::new("edit-comment").await;
    let liked = testing::with_count(comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA), "likes", 1);
    fixture.put(liked).await;
    let mut expected = fixture.all_items().await;
    let begin = Timestamp::now();
    let answer = fixture.call_with_sample_event(EditComment::start).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let edited = answer.body["edited"].as_str().unwrap();
    assert!(begin.as_ref() <= edited && edited <= Timestamp::now().as_ref());
    let text = "Where is this, @ada? And when?";
    assert_eq!(
        answer.body,
        json!({
            "id": COMMENT_OF_BEN, "username": "ben", "timestamp": "2024-06-02T18:05:41.250Z", "text": text,
            "mentions": ["ada"], "edited": edited,
        })
    );
    let key = format!("COMMENT#2024-06-02T18:05:41.250Z#ben PHOTO#ada#{PHOTO_OF_ADA}");
    let item = expected.get_mut(&key).unwrap();
    (item["text"], item["edited"]) = (json!(text), json!(edited));
    assert_eq!(fixture.all_items().await, expected);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
}

#[tokio::test]
async fn a_repeated_request_and_a_lost_answer_leave_the_same_text() {
    let fixture = Fixture::new("edit-comment").await;
    let conflict = Fault::TransactionCanceled("TransactionConflict");
    // A line end of Windows and a tab are stored as others are.
    for (faults, text) in [
        (vec![], "And\nagain"),
        (vec![Fault::AnswerLost], "And\r\nagain"),
        (vec![conflict, conflict], "And\ragain"),
        (vec![], "And\nagain"),
    ] {
        fixture.inject(faults);
        let answer = fixture.call(EditComment::start, patch(COMMENT_OF_BEN, text)).await;
        assert_eq!((answer.status, &answer.body["text"]), (200, &json!("And\nagain")));
        assert_eq!(stored(&fixture).await["edited"], answer.body["edited"]);
    }
}

#[tokio::test]
async fn keeps_the_mark_of_an_uncounted_comment() {
    let fixture = Fixture::new("edit-comment").await;
    let uncounted = shared::entities::mark_uncounted(comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA));
    fixture.put(uncounted).await;
    assert_eq!(fixture.call(EditComment::start, patch(COMMENT_OF_BEN, "New")).await.status, 200);
    let item = stored(&fixture).await;
    assert_eq!((&item["text"], &item["uncounted"]), (&json!("New"), &json!(true)));
}

#[tokio::test]
async fn returns_404_for_an_unknown_comment() {
    let fixture = Fixture::new("edit-comment").await;
    let before = fixture.all_items().await;
    let other_photo = format!("/users/ada/photos/2024-06-09T13:49:13/comments/{COMMENT_OF_BEN}");
    let other_photo = request("PATCH", other_photo).by("ben").json(&json!({"text": "x"}));
    for request in [patch("2024-06-02T18:05:41.251Z~ben", "x"), other_photo] {
        let answer = fixture.call(EditComment::start, request).await;
        assert_eq!(answer.status, 404);
        assert!(answer.body["hint"].as_str().unwrap().starts_with("There is no comment 2024-06-02T18:05:41.25"));
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn only_the_author_may_edit() {
    let fixture = Fixture::new("edit-comment").await;
    // Ada owns the photo.
    fixture.refuses_other_users(EditComment::start, patch(COMMENT_OF_BEN, "x")).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("edit-comment").await;
    fixture.needs_a_caller(EditComment::start, patch(COMMENT_OF_BEN, "x")).await;
    let body = json!({"text": "x"});
    fixture
        .refuses_bad_usernames(EditComment::start, "username", |name| {
            let uri = format!("/users/{name}/photos/{PHOTO_OF_ADA}/comments/{COMMENT_OF_BEN}");
            request("PATCH", uri).json(&body)
        })
        .await;
    fixture
        .refuses_bad_photo_ids(EditComment::start, |id| {
            request("PATCH", format!("/users/ada/photos/{id}/comments/{COMMENT_OF_BEN}")).json(&body)
        })
        .await;
    for id in
        ["ben", "2024-06-02T18:05:41.250Z", "2024-06-02T18:05:41.250Z~Ben", "~ben", "2024-06-02T18:05:41.250Z%23ben"]
    {
        fixture.refuses_field(EditComment::start, patch(id, "x"), "comment").await;
    }
    fixture.refuses_bad_bodies(EditComment::start, patch(COMMENT_OF_BEN, "x")).await;
    for text in [json!(""), json!("\n"), json!("x".repeat(1001)), json!(null), json!(["x"])] {
        fixture
            .refuses_field(EditComment::start, patch(COMMENT_OF_BEN, "").json(&json!({ "text": text })), "text")
            .await;
    }
}

#[tokio::test]
async fn refuses_other_accounts() {
    Fixture::new("edit-comment").await.refuses_other_accounts(EditComment::start).await;
}

#[tokio::test]
async fn nobody_edits_a_comment_on_a_photo_of_somebody_who_blocks_them() {
    let fixture = Fixture::new("edit-comment").await;
    let before = stored(&fixture).await;
    let edit = || patch(COMMENT_OF_BEN, "Changed");
    fixture.put(testing::with_count(testing::user("ben"), "blockedBy", 1)).await;
    fixture.put(testing::block("ada", "ben", shared::values::Level::Block)).await;
    assert_eq!(fixture.call(EditComment::start, edit()).await.status, 404);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
    assert_eq!(stored(&fixture).await, before);
    fixture.put(testing::block("ada", "ben", shared::values::Level::Mute)).await;
    assert_eq!(fixture.call(EditComment::start, edit()).await.status, 200);
}

#[tokio::test]
async fn the_text_of_a_removed_comment_does_not_change() {
    let fixture = Fixture::new("edit-comment").await;
    let removed = testing::with(comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA), "removed", "spam");
    fixture.put(removed).await;
    let before = fixture.all_items().await;
    let answer = fixture.call(EditComment::start, patch(COMMENT_OF_BEN, "New")).await;
    let detail = json!("A moderator has removed this comment, so its text cannot change.");
    assert_eq!((answer.problem(), &answer.body["detail"]), ("comment-removed", &detail));
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn the_author_of_the_answered_comment_can_block_who_replied() {
    let fixture = Fixture::new("edit-comment").await;
    let answered = "2024-06-02T18:30:12.500Z~ada";
    fixture.put(testing::reply("ben", "2024-06-03T10:00:00.000Z", answered, "cara", PHOTO_OF_ADA)).await;
    let id = format!("{answered}~2024-06-03T10:00:00.000Z~ben");
    let uri = format!("/users/cara/photos/{PHOTO_OF_ADA}/comments/{id}");
    let edit = || request("PATCH", uri.clone()).by("ben").json(&json!({"text": "No"}));
    assert_eq!(fixture.call(EditComment::start, edit()).await.body["replyTo"], answered);
    fixture.put(testing::with_count(testing::user("ben"), "blockedBy", 1)).await;
    assert_eq!(fixture.call(EditComment::start, edit()).await.status, 200, "cara and ada do not block ben");
    fixture.put(testing::block("ada", "ben", shared::values::Level::Block)).await;
    assert_eq!(fixture.call(EditComment::start, edit()).await.problem(), "no-comment");
}

#[tokio::test]
async fn a_tombstone_does_not_change() {
    let fixture = Fixture::new("edit-comment").await;
    fixture.put(testing::comment_deletion("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA, 1)).await;
    let before = fixture.all_items().await;
    let uri = format!("/users/ada/photos/{PHOTO_OF_ADA}/comments/2024-06-02T18:05:41.250Z~ben");
    let answer = fixture.call(EditComment::start, request("PATCH", uri).by("ben").json(&json!({"text": "No"}))).await;
    assert_eq!((answer.status, fixture.all_items().await), (404, before));
}
