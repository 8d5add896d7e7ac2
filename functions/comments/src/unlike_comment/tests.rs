use super::*;
use serde_json::{Value, json};
use testing::{Fault, Fixture, TestRequest, comment, comment_deletion, like, request, with_count};

const PHOTO_OF_ADA: &str = "2024-05-30T15:42:38";
/// The comment of ben on the photo in the seed data.
const COMMENT_OF_BEN: &str = "2024-06-02T18:05:41.250Z~ben";

fn delete_like(comment: &str) -> TestRequest {
    request("DELETE", format!("/users/ada/photos/{PHOTO_OF_ADA}/comments/{comment}/like")).by("cara")
}

/// Returns a fixture in which cara and dora like the comment of ben.
async fn liked() -> Fixture {
    let fixture = Fixture::new("unlike-comment").await;
    let comment = comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA);
    fixture.put(with_count(comment, "likes", 2)).await;
    for name in ["cara", "dora"] {
        fixture.put(like(name, COMMENT_OF_BEN, "ada", PHOTO_OF_ADA)).await;
    }
    fixture
}

async fn likes(fixture: &Fixture) -> Value {
    let key = Key::comment(&COMMENT_OF_BEN.parse().unwrap(), &"ada".parse().unwrap(), &PHOTO_OF_ADA.parse().unwrap());
    fixture.item(key).await["likes"].take()
}

#[tokio::test]
async fn answers_the_sample_event_without_a_body() {
    let fixture = liked().await;
    let answer = fixture.call_with_sample_event(UnlikeComment::start).await;
    assert_eq!((answer.status, answer.body, likes(&fixture).await), (204, json!(null), json!(2)), "of another comment");
}

#[tokio::test]
async fn removes_the_like_once() {
    let fixture = liked().await;
    let before = fixture.all_items().await.len();
    let _ = fixture.operations();
    assert_eq!(fixture.call(UnlikeComment::start, delete_like(COMMENT_OF_BEN)).await.status, 204);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    assert_eq!((likes(&fixture).await, fixture.all_items().await.len()), (json!(1), before - 1));
    let before = fixture.all_items().await;
    for request in [
        delete_like(COMMENT_OF_BEN),
        delete_like(COMMENT_OF_BEN).by("ben"),
        delete_like("2024-06-02T18:05:41.251Z~ben"),
    ] {
        let answer = fixture.call(UnlikeComment::start, request).await;
        assert_eq!((answer.status, answer.body), (204, json!(null)));
    }
    assert_eq!(fixture.all_items().await, before, "neither ben nor a repetition takes the like of dora");
}

#[tokio::test]
async fn counts_once_after_a_conflict_and_a_lost_answer() {
    let fixture = liked().await;
    fixture.inject([Fault::TransactionCanceled("TransactionConflict"), Fault::AnswerLost]);
    assert_eq!(fixture.call(UnlikeComment::start, delete_like(COMMENT_OF_BEN)).await.status, 204);
    assert_eq!(likes(&fixture).await, 1);
}

#[tokio::test]
async fn the_tombstone_of_a_comment_counts_the_likes_that_are_left() {
    let fixture = liked().await;
    let tombstone = comment_deletion("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA, 0);
    fixture.put(with_count(tombstone, "likes", 2)).await;
    assert_eq!(fixture.call(UnlikeComment::start, delete_like(COMMENT_OF_BEN)).await.status, 204);
    assert_eq!(likes(&fixture).await, 1);
}

#[tokio::test]
async fn the_name_of_another_or_a_deleted_account_takes_no_like_back() {
    let fixture = liked().await;
    fixture.put(testing::with(testing::user("cara"), "subject", "another account")).await;
    let before = fixture.all_items().await;
    let answer = fixture.call(UnlikeComment::start, delete_like(COMMENT_OF_BEN)).await;
    assert_eq!((answer.status, answer.problem()), (403, "other-account"));
    assert_eq!(fixture.all_items().await, before);
    fixture.put(testing::deletion("cara")).await;
    let answer = fixture.call(UnlikeComment::start, delete_like(COMMENT_OF_BEN)).await;
    assert_eq!((answer.status, answer.problem()), (404, "no-profile"));
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("unlike-comment").await;
    fixture.needs_a_caller(UnlikeComment::start, delete_like(COMMENT_OF_BEN)).await;
    fixture
        .refuses_bad_usernames(UnlikeComment::start, "username", |name| {
            request("DELETE", format!("/users/{name}/photos/{PHOTO_OF_ADA}/comments/{COMMENT_OF_BEN}/like"))
        })
        .await;
    fixture
        .refuses_bad_photo_ids(UnlikeComment::start, |id| {
            request("DELETE", format!("/users/ada/photos/{id}/comments/{COMMENT_OF_BEN}/like"))
        })
        .await;
    for comment in ["1", "2024-06-02T18:05:41.250Z", "2024-06-02T18:05:41.250Z~Ben"] {
        fixture.refuses_field(UnlikeComment::start, delete_like(comment), "comment").await;
    }
}
