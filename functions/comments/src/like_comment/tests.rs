use super::*;
use serde_json::{Value, json};
use shared::values::Level;
use testing::{
    Fault, Fixture, TestRequest, block, comment, comment_deletion, deletion, photo, reply, request, user, with,
    with_count,
};

const PHOTO_OF_ADA: &str = "2024-05-30T15:42:38";
/// The comment of ben on the photo in the seed data.
const COMMENT_OF_BEN: &str = "2024-06-02T18:05:41.250Z~ben";

fn put_like(comment: &str) -> TestRequest {
    request("PUT", format!("/users/ada/photos/{PHOTO_OF_ADA}/comments/{comment}/like")).by("cara")
}

fn key_of(comment: &str) -> Key {
    Key::comment(&comment.parse().unwrap(), &"ada".parse().unwrap(), &PHOTO_OF_ADA.parse().unwrap())
}

async fn likes(fixture: &Fixture, comment: &str) -> Value {
    fixture.item(key_of(comment)).await["likes"].take()
}

#[tokio::test]
async fn adds_the_like_and_counts_it() {
    let fixture = Fixture::new("like-comment").await;
    let before = fixture.all_items().await.len();
    let answer = fixture.call_with_sample_event(LikeComment::start).await;
    assert_eq!((answer.status, &answer.body["username"]), (201, &json!("cara")), "{}", answer.body);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    let key = Key::like(
        &"cara".parse().unwrap(),
        &COMMENT_OF_BEN.parse().unwrap(),
        &"ada".parse().unwrap(),
        &PHOTO_OF_ADA.parse().unwrap(),
    );
    assert_eq!(
        fixture.item(key).await,
        json!({
            "PK": "LIKE#cara", "SK": "PHOTO#ada#2024-05-30T15:42:38#LIKES#2024-06-02T18:05:41.250Z#ben",
            "likingUser": "cara", "timestamp": answer.body["timestamp"],
        })
    );
    assert_eq!(likes(&fixture, COMMENT_OF_BEN).await, 1);
    assert_eq!(fixture.call(LikeComment::start, put_like(COMMENT_OF_BEN).by("ada")).await.status, 201);
    assert_eq!(likes(&fixture, COMMENT_OF_BEN).await, 2);
    assert_eq!(fixture.all_items().await.len(), before + 2);
}

#[tokio::test]
async fn a_reply_has_likes_of_its_own() {
    let fixture = Fixture::new("like-comment").await;
    fixture.put(reply("ada", "2024-06-03T10:00:00.000Z", COMMENT_OF_BEN, "ada", PHOTO_OF_ADA)).await;
    let reply = format!("{COMMENT_OF_BEN}~2024-06-03T10:00:00.000Z~ada");
    assert_eq!(fixture.call(LikeComment::start, put_like(&reply)).await.status, 201);
    assert_eq!((likes(&fixture, &reply).await, likes(&fixture, COMMENT_OF_BEN).await), (json!(1), json!(null)));
    // The author of the answered comment keeps a user away from the replies too.
    fixture.put(with_count(user("cara"), "blockedBy", 1)).await;
    fixture.put(block("ben", "cara", Level::Block)).await;
    for before in [json!(1), json!(1)] {
        let answer = fixture.call(LikeComment::start, put_like(&reply)).await;
        assert_eq!((answer.status, answer.problem()), (404, "no-comment"));
        assert_eq!(likes(&fixture, &reply).await, before);
    }
}

#[tokio::test]
async fn a_repeated_request_counts_once() {
    let fixture = Fixture::new("like-comment").await;
    let first = fixture.call(LikeComment::start, put_like(COMMENT_OF_BEN)).await;
    let before = fixture.all_items().await;
    let second = fixture.call(LikeComment::start, put_like(COMMENT_OF_BEN)).await;
    assert_eq!((first.status, second.status), (201, 200));
    assert_eq!(first.body, second.body);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn counts_once_after_a_conflict_and_a_lost_answer() {
    let fixture = Fixture::new("like-comment").await;
    fixture.inject([Fault::TransactionCanceled("TransactionConflict"), Fault::AnswerLost]);
    assert_eq!(fixture.call(LikeComment::start, put_like(COMMENT_OF_BEN)).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 3]);
    assert_eq!(likes(&fixture, COMMENT_OF_BEN).await, 1);
}

#[tokio::test]
async fn nobody_likes_what_is_not_there() {
    let fixture = Fixture::new("like-comment").await;
    assert_eq!(fixture.call(LikeComment::start, put_like(COMMENT_OF_BEN)).await.status, 201);
    let removed = with(comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA), "removed", "spam");
    let tombstone = comment_deletion("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA, 1);
    for item in [Some(removed), Some(tombstone), None] {
        match item {
            Some(item) => fixture.put(item).await,
            None => fixture.delete(key_of(COMMENT_OF_BEN)).await,
        }
        let before = fixture.all_items().await;
        for caller in ["cara", "ada"] {
            let answer = fixture.call(LikeComment::start, put_like(COMMENT_OF_BEN).by(caller)).await;
            assert_eq!((answer.status, answer.problem()), (404, "no-comment"), "{caller}");
        }
        assert_eq!(fixture.all_items().await, before);
    }
}

#[tokio::test]
async fn only_a_user_of_the_account_likes() {
    let fixture = Fixture::new("like-comment").await;
    let answer = fixture.call(LikeComment::start, put_like(COMMENT_OF_BEN).by("nobody")).await;
    assert_eq!((answer.status, answer.problem()), (404, "no-profile"));
    fixture.put(deletion("cara")).await;
    let answer = fixture.call(LikeComment::start, put_like(COMMENT_OF_BEN)).await;
    assert_eq!((answer.status, answer.problem()), (404, "no-profile"));
    fixture.put(with(user("cara"), "subject", "another account")).await;
    let answer = fixture.call(LikeComment::start, put_like(COMMENT_OF_BEN)).await;
    assert_eq!((answer.status, answer.problem()), (403, "other-account"));
    assert_eq!(likes(&fixture, COMMENT_OF_BEN).await, json!(null));
}

#[tokio::test]
async fn only_those_who_may_see_a_photo_can_like_comments() {
    let fixture = Fixture::new("like-comment").await;
    for second in 10..30 {
        fixture.put(comment("ada", &format!("2024-06-03T10:00:{second}.000Z"), "ada", PHOTO_OF_ADA)).await;
    }
    let like = |number| put_like(&format!("2024-06-03T10:00:{}.000Z~ada", 10 + number));
    fixture.depends_on_access(LikeComment::start, like).await;
}

#[tokio::test]
async fn the_author_of_the_comment_can_block_who_likes_it() {
    let fixture = Fixture::new("like-comment").await;
    assert_eq!(fixture.call(LikeComment::start, put_like(COMMENT_OF_BEN)).await.status, 201);
    fixture.put(with_count(user("cara"), "blockedBy", 1)).await;
    fixture.put(block("ben", "cara", Level::Block)).await;
    let answer = fixture.call(LikeComment::start, put_like(COMMENT_OF_BEN)).await;
    assert_eq!((answer.status, answer.problem()), (404, "no-comment"), "also if there is a like already");
    assert_eq!(fixture.call(LikeComment::start, put_like("2024-06-02T18:30:12.500Z~ada")).await.status, 201);
}

#[tokio::test]
async fn a_like_on_a_hidden_photo_is_answered_as_if_there_were_none() {
    let photo = |audience| with(photo("ada", PHOTO_OF_ADA), "audience", audience);
    let blocked = vec![with_count(user("cara"), "blockedBy", 1), block("ada", "cara", Level::Block)];
    let me_and_blocked = vec![photo("me"), with_count(user("cara"), "blockedBy", 1)];
    for hidden in [vec![photo("me")], me_and_blocked, vec![photo("followers")], blocked] {
        let fixture = Fixture::new("like-comment").await;
        for item in hidden {
            fixture.put(item).await;
        }
        let mut answers = vec![];
        for comment in [COMMENT_OF_BEN, "2024-06-02T18:05:41.251Z~ben"] {
            answers.push(fixture.call(LikeComment::start, put_like(comment)).await);
        }
        fixture.delete(Key::photo(&"ada".parse().unwrap(), &PHOTO_OF_ADA.parse().unwrap())).await;
        let missing = fixture.call(LikeComment::start, put_like(COMMENT_OF_BEN)).await;
        assert_eq!((missing.status, missing.problem()), (404, "no-photo"));
        for answer in answers {
            assert_eq!((answer.status, answer.body), (missing.status, missing.body.clone()));
        }
    }
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("like-comment").await;
    fixture.needs_a_caller(LikeComment::start, put_like(COMMENT_OF_BEN)).await;
    fixture
        .refuses_bad_usernames(LikeComment::start, "username", |name| {
            request("PUT", format!("/users/{name}/photos/{PHOTO_OF_ADA}/comments/{COMMENT_OF_BEN}/like"))
        })
        .await;
    fixture
        .refuses_bad_photo_ids(LikeComment::start, |id| {
            request("PUT", format!("/users/ada/photos/{id}/comments/{COMMENT_OF_BEN}/like"))
        })
        .await;
    for comment in ["1", "2024-06-02T18:05:41.250Z", "2024-06-02T18:05:41.250Z~Ben"] {
        fixture.refuses_field(LikeComment::start, put_like(comment), "comment").await;
    }
}
