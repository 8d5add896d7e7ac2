use super::*;
use aws_sdk_dynamodb::types::AttributeValue::N;
use serde_json::{Value, json};
use shared::entities::{Key, mark_uncounted};
use testing::{
    Fault, Fixture, TestRequest, comment, deletion, photo, photo_deletion, reply, request, user, with_count,
};

const PHOTO_OF_ADA: &str = "2024-05-30T15:42:38";
/// The id of the comment of ben on it.
const COMMENT_OF_BEN: &str = "2024-06-02T18:05:41.250Z~ben";

fn delete(comment: &str) -> TestRequest {
    request("DELETE", format!("/users/ada/photos/{PHOTO_OF_ADA}/comments/{comment}")).by("ben")
}

/// Returns the count of comments of the photo, and the number of those that ben has written.
async fn counts(fixture: &Fixture) -> [Value; 2] {
    let photo = fixture.item(Key::photo(&"ada".parse().unwrap(), &PHOTO_OF_ADA.parse().unwrap())).await;
    let ben = fixture.item(Key::user(&"ben".parse().unwrap())).await;
    [photo["comments"].clone(), ben["commentsWritten"].clone()]
}

#[tokio::test]
async fn deletes_the_comment_and_decrements_both_counts() {
    let fixture = Fixture::new("delete-comment").await;
    let before = fixture.all_items().await;
    let answer = fixture.call_with_sample_event(DeleteComment::start).await;
    assert_eq!((answer.status, answer.body), (204, json!(null)));
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    assert_eq!(counts(&fixture).await, [json!(1), json!(0)]);
    let after = fixture.all_items().await;
    assert_eq!(after.len(), before.len() - 1);
    assert_eq!(after["USER#ada #METADATA#ada"], before["USER#ada #METADATA#ada"]);
}

#[tokio::test]
async fn the_owner_of_the_photo_may_delete_a_comment() {
    let fixture = Fixture::new("delete-comment").await;
    for _ in 0..2 {
        assert_eq!(fixture.call(DeleteComment::start, delete(COMMENT_OF_BEN).by("ada")).await.status, 204);
        assert_eq!(counts(&fixture).await, [json!(1), json!(0)]);
    }
}

#[tokio::test]
async fn nobody_else_may_delete_a_comment() {
    let fixture = Fixture::new("delete-comment").await;
    for caller in ["cara", "nobody", "be", "benn"] {
        let answer = fixture.refuses(DeleteComment::start, delete(COMMENT_OF_BEN).by(caller), 403).await;
        assert_eq!(answer.body["detail"], "Only ben and ada may do this.");
    }
}

#[tokio::test]
async fn changes_nothing_without_a_comment() {
    let fixture = Fixture::new("delete-comment").await;
    fixture.call(DeleteComment::start, delete(COMMENT_OF_BEN)).await;
    let before = fixture.all_items().await;
    for request in [
        delete(COMMENT_OF_BEN),
        delete("2024-06-02T18:05:41.251Z~ben"),
        request("DELETE", format!("/users/ada/photos/2020-01-01T00:00:00/comments/{COMMENT_OF_BEN}")).by("ben"),
        request("DELETE", format!("/users/nobody/photos/{PHOTO_OF_ADA}/comments/{COMMENT_OF_BEN}")).by("ben"),
    ] {
        assert_eq!(fixture.call(DeleteComment::start, request).await.status, 204);
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn decrements_once_after_a_conflict_and_a_lost_answer() {
    let fixture = Fixture::new("delete-comment").await;
    fixture.inject([Fault::TransactionCanceled("TransactionConflict"), Fault::AnswerLost]);
    assert_eq!(fixture.call(DeleteComment::start, delete(COMMENT_OF_BEN)).await.status, 204);
    assert_eq!(counts(&fixture).await, [json!(1), json!(0)]);
}

#[tokio::test]
async fn deletes_a_comment_that_the_counts_lack() {
    let fixture = Fixture::new("delete-comment").await;
    for by in ["ben", "ada"] {
        fixture.put(comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA)).await;
        fixture.put(photo("ada", PHOTO_OF_ADA)).await;
        fixture.put(user("ben")).await;
        let before = fixture.all_items().await.len();
        assert_eq!(fixture.call(DeleteComment::start, delete(COMMENT_OF_BEN).by(by)).await.status, 204);
        assert_eq!(fixture.all_items().await.len(), before - 1);
        assert_eq!(counts(&fixture).await, [json!(0), json!(null)]);
    }
}

#[tokio::test]
async fn decrements_the_counts_of_a_photo_and_an_author_in_deletion() {
    let fixture = Fixture::new("delete-comment").await;
    let (mut of_photo, mut of_ben) = (photo_deletion("ada", PHOTO_OF_ADA, 1), deletion("ben"));
    of_photo.insert("comments".to_owned(), N("2".to_owned()));
    of_ben.insert("commentsWritten".to_owned(), N("1".to_owned()));
    fixture.put(of_photo).await;
    fixture.put(of_ben).await;
    assert_eq!(fixture.call(DeleteComment::start, delete(COMMENT_OF_BEN)).await.status, 404, "ben is being deleted");
    assert_eq!(counts(&fixture).await, [json!(2), json!(1)]);
    assert_eq!(fixture.call(DeleteComment::start, delete(COMMENT_OF_BEN).by("ada")).await.status, 204);
    assert_eq!(counts(&fixture).await, [json!(1), json!(0)]);
}

#[tokio::test]
async fn an_uncounted_comment_leaves_the_count_of_the_photo() {
    for by in ["ben", "ada"] {
        let fixture = Fixture::new("delete-comment").await;
        fixture.put(mark_uncounted(comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA))).await;
        assert_eq!(fixture.call(DeleteComment::start, delete(COMMENT_OF_BEN).by(by)).await.status, 204);
        assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
        assert_eq!(counts(&fixture).await, [json!(2), json!(0)]);
    }
}

/// process-changes counts the comment between the two transactions.
#[tokio::test]
async fn decrements_the_count_of_a_comment_that_was_counted_meanwhile() {
    let fixture = Fixture::new("delete-comment").await;
    let counted = comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA);
    fixture.put(mark_uncounted(counted.clone())).await;
    let mut three = photo("ada", PHOTO_OF_ADA);
    three.insert("comments".to_owned(), N("3".to_owned()));
    fixture.write_concurrently(1, vec![counted, three], vec![]);
    assert_eq!(fixture.call(DeleteComment::start, delete(COMMENT_OF_BEN)).await.status, 204);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 3]);
    assert_eq!(counts(&fixture).await, [json!(2), json!(0)]);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("delete-comment").await;
    fixture.needs_a_caller(DeleteComment::start, delete(COMMENT_OF_BEN)).await;
    fixture
        .refuses_bad_usernames(DeleteComment::start, "username", |name| {
            request("DELETE", format!("/users/{name}/photos/{PHOTO_OF_ADA}/comments/{COMMENT_OF_BEN}"))
        })
        .await;
    fixture
        .refuses_bad_photo_ids(DeleteComment::start, |id| {
            request("DELETE", format!("/users/ada/photos/{id}/comments/{COMMENT_OF_BEN}"))
        })
        .await;
    for id in ["ben", "2024-06-02T18:05:41.250Z", "2024-06-02T18:05:41.250Z~Ben", "~ben", "x~ben"] {
        fixture.refuses_field(DeleteComment::start, delete(id), "comment").await;
    }
}

#[tokio::test]
async fn refuses_other_accounts() {
    let fixture = Fixture::new("delete-comment").await;
    fixture.refuses_other_accounts(DeleteComment::start).await;
}

#[tokio::test]
async fn a_comment_with_replies_becomes_a_tombstone() {
    let fixture = Fixture::new("delete-comment").await;
    let answered = comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA);
    fixture.put(with_count(answered, "replies", 1)).await;
    fixture.put(reply("ada", "2024-06-02T19:00:00.000Z", COMMENT_OF_BEN, "ada", PHOTO_OF_ADA)).await;
    for transactions in [2, 1] {
        assert_eq!(fixture.call(DeleteComment::start, delete(COMMENT_OF_BEN)).await.status, 204);
        assert_eq!(fixture.operations().len(), transactions);
        assert_eq!(counts(&fixture).await, [json!(1), json!(0)], "the reply is counted until it is deleted");
    }
    let key = Key::comment(&COMMENT_OF_BEN.parse().unwrap(), &"ada".parse().unwrap(), &PHOTO_OF_ADA.parse().unwrap());
    let mut tombstone = fixture.item(key).await;
    assert!(tombstone["since"].take().is_string());
    let pk = "COMMENT#2024-06-02T18:05:41.250Z#ben";
    let expected = json!({"PK": pk, "SK": "PHOTO#ada#2024-05-30T15:42:38", "erasing": "ben",
        "timestamp": "2024-06-02T18:05:41.250Z", "since": null, "replies": 1});
    assert_eq!(tombstone, expected);
}

#[tokio::test]
async fn a_reply_that_is_added_meanwhile_makes_a_tombstone() {
    let fixture = Fixture::new("delete-comment").await;
    let answered = comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA);
    fixture.write_concurrently(0, vec![with_count(mark_uncounted(answered), "replies", 1)], vec![]);
    assert_eq!(fixture.call(DeleteComment::start, delete(COMMENT_OF_BEN)).await.status, 204);
    assert_eq!(counts(&fixture).await, [json!(2), json!(0)], "it was not counted");
    let left = fixture.all_items().await;
    assert!(left["COMMENT#2024-06-02T18:05:41.250Z#ben PHOTO#ada#2024-05-30T15:42:38"]["erasing"].is_string());
}

#[tokio::test]
async fn a_reply_goes_out_of_the_count_of_its_comment() {
    let fixture = Fixture::new("delete-comment").await;
    let answered = comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA);
    fixture.put(with_count(answered, "replies", 2)).await;
    fixture.put(reply("ada", "2024-06-02T19:00:00.000Z", COMMENT_OF_BEN, "ada", PHOTO_OF_ADA)).await;
    let id = format!("{COMMENT_OF_BEN}~2024-06-02T19:00:00.000Z~ada");
    fixture.refuses(DeleteComment::start, delete(&id), 403).await;
    for _ in 0..2 {
        assert_eq!(fixture.call(DeleteComment::start, delete(&id).by("ada")).await.status, 204);
        let key = COMMENT_OF_BEN.parse().unwrap();
        let answered = fixture.item(Key::comment(&key, &"ada".parse().unwrap(), &PHOTO_OF_ADA.parse().unwrap())).await;
        assert_eq!((&answered["replies"], counts(&fixture).await), (&json!(1), [json!(1), json!(1)]));
    }
}

#[tokio::test]
async fn a_comment_with_a_like_and_a_pinned_one_become_tombstones() {
    for (name, item) in [
        ("likes", with_count(comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA), "likes", 1)),
        ("pinned", testing::with(comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA), "pinned", LATER)),
    ] {
        let fixture = Fixture::new("delete-comment").await;
        fixture.put(item).await;
        assert_eq!(fixture.call(DeleteComment::start, delete(COMMENT_OF_BEN)).await.status, 204);
        let left = fixture.all_items().await;
        let tombstone = &left["COMMENT#2024-06-02T18:05:41.250Z#ben PHOTO#ada#2024-05-30T15:42:38"];
        assert_eq!((&tombstone["erasing"], tombstone[name].is_null()), (&json!("ben"), false), "{name}");
        assert_eq!(counts(&fixture).await, [json!(1), json!(0)]);
    }
}

#[tokio::test]
async fn a_comment_whose_likes_were_taken_back_leaves_nothing() {
    let fixture = Fixture::new("delete-comment").await;
    let comment = comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA);
    fixture.put(with_count(with_count(comment, "likes", 0), "replies", 0)).await;
    let before = fixture.all_items().await.len();
    assert_eq!(fixture.call(DeleteComment::start, delete(COMMENT_OF_BEN)).await.status, 204);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    assert_eq!(fixture.all_items().await.len(), before - 1);
}

const LATER: &str = "2024-06-03T10:00:00.000Z";
