use super::*;
use serde_json::{Value, json};
use shared::entities::Picture;
use shared::values::{CommentId, Level, Timestamp};
use testing::{
    Fault, Fixture, TestRequest, block, comment, comment_deletion, deletion, photo, photo_deletion, photo_with, ready,
    request, user, with, with_count,
};

mod idempotency;

const PHOTO_OF_ADA: &str = "2024-05-30T15:42:38";

fn post(text: &str) -> TestRequest {
    request("POST", format!("/users/ada/photos/{PHOTO_OF_ADA}/comments")).by("cara").json(&json!({ "text": text }))
}

/// Returns the count of comments of the photo of ada, and the numbers of those that ben and cara
/// have written. The seed data has one of ada and one of ben on the photo.
async fn counts(fixture: &Fixture) -> [Value; 3] {
    let of_user = async |name: &str| fixture.item(Key::user(&name.parse().unwrap())).await["commentsWritten"].clone();
    let photo = fixture.item(Key::photo(&"ada".parse().unwrap(), &PHOTO_OF_ADA.parse().unwrap())).await;
    [photo["comments"].clone(), of_user("ben").await, of_user("cara").await]
}

/// Returns the comment with this id on a photo of ada.
async fn stored(fixture: &Fixture, id: &Value, photo: &str) -> Value {
    let id: CommentId = id.as_str().unwrap().parse().unwrap();
    fixture.item(Key::comment(&id, &"ada".parse().unwrap(), &photo.parse().unwrap())).await
}

#[tokio::test]
async fn adds_the_comment_and_increments_both_counts() {
    let fixture = Fixture::new("add-comment").await;
    let before = fixture.all_items().await;
    let begin = Timestamp::now();
    let answer = fixture.call_with_sample_event(AddComment::start).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert!(!answer.headers.contains_key("location"), "no GET returns it");
    let timestamp = answer.body["timestamp"].as_str().unwrap();
    assert!(begin.as_ref() <= timestamp && timestamp <= Timestamp::now().as_ref());
    let text = "So it was you, @ada, in the yellow coat";
    assert_eq!(
        answer.body,
        json!({
            "id": format!("{timestamp}~cara"), "username": "cara", "timestamp": timestamp, "text": text,
            "mentions": ["ada"],
        })
    );
    assert_eq!(
        stored(&fixture, &answer.body["id"], PHOTO_OF_ADA).await,
        json!({
            "PK": format!("COMMENT#{timestamp}#cara"), "SK": format!("PHOTO#ada#{PHOTO_OF_ADA}"), "author": "cara",
            "timestamp": timestamp, "text": text,
        })
    );
    assert_eq!(counts(&fixture).await, [json!(3), json!(1), json!(1)]);
    assert_eq!(fixture.all_items().await.len(), before.len() + 1);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
}

#[tokio::test]
async fn two_requests_add_two_comments() {
    let fixture = Fixture::new("add-comment").await;
    let mut ids = vec![];
    for by in ["cara", "cara", "ben"] {
        ids.push(fixture.call(AddComment::start, post("Again\nand again").by(by)).await.body["id"].clone());
    }
    ids.dedup();
    assert_eq!(ids.len(), 3, "{ids:?}");
    assert_eq!(counts(&fixture).await, [json!(5), json!(2), json!(2)]);
}

#[tokio::test]
async fn starts_counts_that_the_photo_and_the_author_do_not_have() {
    let fixture = Fixture::new("add-comment").await;
    let mut old = photo("ada", PHOTO_OF_ADA);
    old.remove("comments");
    fixture.put(old).await;
    assert_eq!(fixture.call(AddComment::start, post("First")).await.status, 201);
    assert_eq!(counts(&fixture).await, [json!(1), json!(1), json!(1)]);
}

#[tokio::test]
async fn takes_a_later_time_if_the_author_has_a_comment_of_the_same_millisecond() {
    let fixture = Fixture::new("add-comment").await;
    fixture.inject([Fault::ConditionFailed("Put COMMENT#"); 3]);
    let answer = fixture.call(AddComment::start, post("Now")).await;
    assert_eq!((answer.status, &answer.body["text"]), (201, &json!("Now")), "{}", answer.body);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 4]);
    assert_eq!(counts(&fixture).await, [json!(3), json!(1), json!(1)]);

    fixture.inject([Fault::ConditionFailed("Put COMMENT#"); MAX_ATTEMPTS]);
    assert_eq!(fixture.call(AddComment::start, post("Now")).await.status, 503);
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_counts_once() {
    let fixture = Fixture::new("add-comment").await;
    fixture.inject([Fault::AnswerLost]);
    assert_eq!(fixture.call(AddComment::start, post("Once")).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
    assert_eq!(counts(&fixture).await, [json!(3), json!(1), json!(1)]);
}

#[tokio::test]
async fn retries_after_a_transaction_conflict() {
    let fixture = Fixture::new("add-comment").await;
    fixture.inject([
        Fault::TransactionCanceled("TransactionConflict"),
        Fault::TransactionCanceled("TransactionConflict"),
        Fault::TransactionCanceled("ProvisionedThroughputExceeded"),
    ]);
    assert_eq!(fixture.call(AddComment::start, post("Once")).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 4]);
    assert_eq!(counts(&fixture).await, [json!(3), json!(1), json!(1)]);
}

#[tokio::test]
async fn refuses_more_than_the_maximum_of_comments() {
    let fixture = Fixture::new("add-comment").await;
    for (written, status) in [(MAX_COMMENTS - 1, 201), (MAX_COMMENTS, 409), (MAX_COMMENTS + 1, 409)] {
        let mut cara = user("cara");
        cara.insert("commentsWritten".to_owned(), N(written.to_string()));
        fixture.put(cara).await;
        let before = fixture.all_items().await;
        let answer = fixture.call(AddComment::start, post("One more")).await;
        assert_eq!(answer.status, status, "{written}");
        if status == 409 {
            let detail = "You have reached the maximum of 100000 comments. Delete a comment first.";
            assert_eq!((answer.problem(), &answer.body["detail"]), ("too-many-comments", &json!(detail)));
            assert_eq!(fixture.all_items().await, before);
        }
    }
    // The limit is each user's own.
    assert_eq!(fixture.call(AddComment::start, post("One more").by("ben")).await.status, 201);
}

#[tokio::test]
async fn returns_404_for_an_unknown_photo_or_caller() {
    let fixture = Fixture::new("add-comment").await;
    fixture.put(user("dora")).await;
    let before = fixture.all_items().await;
    for (uri, caller, detail) in [
        ("/users/ada/photos/2020-01-01T00:00:00", "ben", "There is no photo 2020-01-01T00:00:00 of ada."),
        ("/users/nobody/photos/2024-05-30T15:42:38", "ben", "There is no photo 2024-05-30T15:42:38 of nobody."),
        ("/users/dora/photos/2024-05-30T15:42:38", "ben", "There is no photo 2024-05-30T15:42:38 of dora."),
        ("/users/ada/photos/2024-05-30T15:42:38", "nobody", "POST /users creates it."),
    ] {
        let post = request("POST", format!("{uri}/comments")).by(caller).json(&json!({"text": "x"}));
        let answer = fixture.call(AddComment::start, post).await;
        assert_eq!((answer.status, &answer.body["hint"]), (404, &json!(detail)), "{uri}");
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_photo_that_is_not_ready_or_in_deletion_takes_no_comments() {
    let fixture = Fixture::new("add-comment").await;
    let rejected = testing::rejected();
    for item in [
        photo_with("ada", PHOTO_OF_ADA, Picture::Pending),
        photo_with("ada", PHOTO_OF_ADA, rejected),
        photo_deletion("ada", PHOTO_OF_ADA, 1),
    ] {
        fixture.put(item).await;
        let before = fixture.all_items().await;
        for by in ["ben", "ada"] {
            assert_eq!(fixture.call(AddComment::start, post("x").by(by)).await.status, 404, "{by}");
        }
        assert_eq!(fixture.all_items().await, before);
    }
    fixture.put(photo_with("ada", PHOTO_OF_ADA, ready(b"file"))).await;
    assert_eq!(fixture.call(AddComment::start, post("x").by("ben")).await.status, 201);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("add-comment").await;
    fixture.needs_a_caller(AddComment::start, post("x")).await;
    let body = json!({"text": "x"});
    fixture
        .refuses_bad_usernames(AddComment::start, "username", |name| {
            request("POST", format!("/users/{name}/photos/{PHOTO_OF_ADA}/comments")).json(&body)
        })
        .await;
    fixture
        .refuses_bad_photo_ids(AddComment::start, |id| {
            request("POST", format!("/users/ada/photos/{id}/comments")).json(&body)
        })
        .await;
    fixture.refuses_bad_bodies(AddComment::start, post("x")).await;
    for text in [json!(""), json!(" \n "), json!("\u{200b}"), json!("a\u{0}"), json!("x".repeat(1001)), json!(1)] {
        fixture.refuses_field(AddComment::start, post("").json(&json!({ "text": text })), "text").await;
    }
    for body in [json!({}), json!({"text": null})] {
        fixture.refuses_field(AddComment::start, post("").json(&body), "text").await;
    }
}

#[tokio::test]
async fn refuses_other_accounts() {
    Fixture::new("add-comment").await.refuses_other_accounts(AddComment::start).await;
}

/// Makes the transaction with the photo's count conflict as often as the function sends it.
const CONTENDED: [Fault; 4] = [Fault::TransactionCanceled("TransactionConflict"); 4];

#[tokio::test]
async fn a_comment_on_a_photo_with_too_many_writes_is_put_uncounted() {
    let fixture = Fixture::new("add-comment").await;
    for faults in [CONTENDED.to_vec(), vec![Fault::Error("ProvisionedThroughputExceededException"); 5]] {
        let before = counts(&fixture).await;
        fixture.inject(faults);
        let answer = fixture.call(AddComment::start, post("Me too")).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        let operations = fixture.operations();
        assert_eq!(operations[operations.len() - 2..], ["GetItem", "TransactWriteItems"]);
        assert_eq!(stored(&fixture, &answer.body["id"], PHOTO_OF_ADA).await["uncounted"], true);
        let [photo, ben, cara] = counts(&fixture).await;
        assert_eq!([&photo, &ben], [&before[0], &before[1]], "only the author counts it");
        assert_eq!(cara.as_u64(), Some(before[2].as_u64().unwrap_or(0) + 1));
    }
}

#[tokio::test]
async fn a_process_that_has_met_a_hot_photo_goes_the_other_way_at_once() {
    let fixture = Fixture::new("add-comment").await;
    let process = fixture.service(AddComment::start);
    fixture.inject(CONTENDED);
    assert_eq!(fixture.send(&process, post("One")).await.status, 201);
    assert_eq!(fixture.operations().len(), 6);
    assert_eq!(fixture.send(&process, post("Two")).await.status, 201);
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems"]);
}

#[tokio::test]
async fn an_uncounted_comment_needs_a_ready_photo_and_an_author_within_the_limit() {
    let fixture = Fixture::new("add-comment").await;
    fixture.put(photo_deletion("ada", "2020-01-01T00:00:00", 1)).await;
    fixture.put(photo_with("ada", "2026-01-01T00:00:00", Picture::Pending)).await;
    let mut busy = user("dora");
    busy.insert("commentsWritten".to_owned(), N(MAX_COMMENTS.to_string()));
    fixture.put(busy).await;
    fixture.put(deletion("emil")).await;
    let before = fixture.all_items().await;
    for (id, caller, status) in [
        ("2019-01-01T00:00:00", "ben", 404),
        ("2020-01-01T00:00:00", "ben", 404),
        ("2026-01-01T00:00:00", "ben", 404),
        (PHOTO_OF_ADA, "nobody", 404),
        (PHOTO_OF_ADA, "emil", 404),
        (PHOTO_OF_ADA, "dora", 409),
    ] {
        fixture.inject(CONTENDED);
        let post = request("POST", format!("/users/ada/photos/{id}/comments")).by(caller);
        let answer = fixture.call(AddComment::start, post.json(&json!({"text": "x"}))).await;
        assert_eq!(answer.status, status, "{id} {caller}: {}", answer.body);
    }
    assert_eq!(fixture.all_items().await, before);
}

/// The read may be out of date, so only a transaction says that there is no such photo.
#[tokio::test]
async fn a_photo_that_the_read_misses_is_asked_for_in_the_transaction() {
    let fixture = Fixture::new("add-comment").await;
    fixture.put(photo_with("ada", PHOTO_OF_ADA, Picture::Pending)).await;
    fixture.inject(CONTENDED);
    fixture.write_concurrently(5, vec![photo_with("ada", PHOTO_OF_ADA, ready(b"file"))], vec![]);
    assert_eq!(fixture.call(AddComment::start, post("x")).await.status, 201);
    assert_eq!(counts(&fixture).await[0], 1);
}

/// An attempt of the transaction with the count arrives after the function has given it up. Its
/// token tells that the comment is the function's own.
#[tokio::test]
async fn a_comment_that_was_counted_after_all_is_added_once() {
    let fixture = Fixture::new("add-comment").await;
    let before = fixture.all_items().await.len();
    fixture.inject([Fault::AnswerLost].into_iter().chain(CONTENDED));
    let answer = fixture.call(AddComment::start, post("Once")).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(fixture.all_items().await.len(), before + 1);
    assert_eq!(stored(&fixture, &answer.body["id"], PHOTO_OF_ADA).await["uncounted"], Value::Null);
    assert_eq!(counts(&fixture).await, [json!(3), json!(1), json!(1)]);
}

#[tokio::test]
async fn only_those_who_may_see_a_photo_can_comment() {
    let fixture = Fixture::new("add-comment").await;
    fixture.depends_on_access(AddComment::start, |number| post(&format!("Comment {number}"))).await;
    let fixture = Fixture::new("add-comment").await;
    let with_key = |number| post("Once").header("idempotency-key", format!("key-{number}"));
    fixture.depends_on_access(AddComment::start, with_key).await;
}

/// The comment of ben on the photo in the seed data.
const COMMENT_OF_BEN: &str = "2024-06-02T18:05:41.250Z~ben";

fn reply_to(comment: &str) -> TestRequest {
    request("POST", format!("/users/ada/photos/{PHOTO_OF_ADA}/comments"))
        .by("cara")
        .json(&json!({"text": "Yes", "replyTo": comment}))
}

#[tokio::test]
async fn a_reply_is_counted_by_the_comment_that_it_answers() {
    let fixture = Fixture::new("add-comment").await;
    let answer = fixture.call(AddComment::start, reply_to(COMMENT_OF_BEN)).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let (id, timestamp) = (answer.body["id"].as_str().unwrap(), answer.body["timestamp"].as_str().unwrap());
    assert_eq!((id, &answer.body["replyTo"]), (&*format!("{COMMENT_OF_BEN}~{timestamp}~cara"), &json!(COMMENT_OF_BEN)));
    assert_eq!(
        stored(&fixture, &answer.body["id"], PHOTO_OF_ADA).await,
        json!({
            "PK": format!("COMMENT#2024-06-02T18:05:41.250Z#ben#{timestamp}#cara"),
            "SK": format!("PHOTO#ada#{PHOTO_OF_ADA}#REPLIES"), "author": "cara", "timestamp": timestamp, "text": "Yes",
            "replyTo": COMMENT_OF_BEN,
        })
    );
    assert_eq!(stored(&fixture, &json!(COMMENT_OF_BEN), PHOTO_OF_ADA).await["replies"], 1);
    assert_eq!(counts(&fixture).await, [json!(3), json!(1), json!(1)]);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
}

#[tokio::test]
async fn nobody_replies_to_a_reply_or_to_what_is_not_there() {
    let fixture = Fixture::new("add-comment").await;
    let reply = fixture.call(AddComment::start, reply_to(COMMENT_OF_BEN)).await.body["id"].clone();
    let answer = fixture.refuses(AddComment::start, reply_to(reply.as_str().unwrap()), 400).await;
    assert_eq!(answer.fields(), ["replyTo"]);

    let key = Key::comment(&COMMENT_OF_BEN.parse().unwrap(), &"ada".parse().unwrap(), &PHOTO_OF_ADA.parse().unwrap());
    let removed = with(comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA), "removed", "spam");
    for item in [removed, comment_deletion("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA, 1)] {
        fixture.put(item).await;
        let answer = fixture.call(AddComment::start, reply_to(COMMENT_OF_BEN)).await;
        assert_eq!((answer.status, answer.problem()), (404, "no-comment"));
    }
    fixture.delete(key).await;
    let answer = fixture.call(AddComment::start, reply_to(COMMENT_OF_BEN)).await;
    assert_eq!((answer.status, answer.problem()), (404, "no-comment"));
}

#[tokio::test]
async fn the_author_of_the_comment_can_block_who_replies() {
    let fixture = Fixture::new("add-comment").await;
    fixture.put(with_count(user("cara"), "blockedBy", 1)).await;
    fixture.put(block("ben", "cara", Level::Block)).await;
    let answer = fixture.call(AddComment::start, reply_to(COMMENT_OF_BEN)).await;
    assert_eq!((answer.status, answer.problem()), (404, "no-comment"));
    assert_eq!(fixture.call(AddComment::start, post("Beside it")).await.status, 201, "ada does not block cara");
    // Not even the owner of the photo.
    fixture.put(with_count(user("ada"), "blockedBy", 1)).await;
    fixture.put(block("ben", "ada", Level::Block)).await;
    let answer = fixture.call(AddComment::start, reply_to(COMMENT_OF_BEN).by("ada")).await;
    assert_eq!((answer.status, answer.problem()), (404, "no-comment"));
}

#[tokio::test]
async fn a_comment_has_a_maximum_of_replies() {
    let fixture = Fixture::new("add-comment").await;
    let comment = comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA);
    fixture.put(with_count(comment, "replies", MAX_REPLIES - 1)).await;
    assert_eq!(fixture.call(AddComment::start, reply_to(COMMENT_OF_BEN)).await.status, 201);
    let answer = fixture.call(AddComment::start, reply_to(COMMENT_OF_BEN)).await;
    assert_eq!((answer.status, answer.problem()), (409, "too-many-replies"));
}

#[tokio::test]
async fn a_reply_to_a_hidden_photo_is_answered_as_if_there_were_none() {
    let photo = |audience| with(photo("ada", PHOTO_OF_ADA), "audience", audience);
    let blocked = vec![with_count(user("cara"), "blockedBy", 1), block("ada", "cara", Level::Block)];
    let me_and_blocked = vec![photo("me"), with_count(user("cara"), "blockedBy", 1)];
    for hidden in [vec![photo("me")], me_and_blocked, vec![photo("followers")], blocked] {
        let fixture = Fixture::new("add-comment").await;
        for item in hidden {
            fixture.put(item).await;
        }
        let mut answers = vec![];
        for comment in [COMMENT_OF_BEN, "2024-06-02T18:05:41.251Z~ben"] {
            answers.push(fixture.call(AddComment::start, reply_to(comment)).await);
        }
        fixture.delete(Key::photo(&"ada".parse().unwrap(), &PHOTO_OF_ADA.parse().unwrap())).await;
        let missing = fixture.call(AddComment::start, reply_to(COMMENT_OF_BEN)).await;
        assert_eq!((missing.status, missing.problem()), (404, "no-photo"));
        for answer in answers {
            assert_eq!((answer.status, answer.body), (missing.status, missing.body.clone()));
        }
    }
}
