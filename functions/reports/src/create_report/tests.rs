use super::*;
use serde_json::{Value, json};
use shared::values::Level;
use testing::{Fault, Fixture, TestRequest, block, comment, deletion, friendship, photo, reply, report, request, user};
use testing::{with, with_count};

const PHOTO: &str = "2024-05-30T15:42:38";
const OTHER_PHOTO: &str = "2024-06-09T13:49:13";
const TIME: &str = "2024-06-01T00:00:00.000Z";

fn post(body: &Value) -> TestRequest {
    request("POST", "/reports").by("cara").json(body)
}

fn about_photo(reason: &str) -> Value {
    json!({"photo": {"username": "ada", "id": PHOTO}, "reason": reason})
}

/// Returns a fixture in which ben has commented on two photos of ada.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("create-report").await;
    fixture.put_all(vec![user("cara"), user("dora"), photo("ada", PHOTO), photo("ada", OTHER_PHOTO)]);
    fixture.put_all(vec![comment("ben", TIME, "ada", PHOTO), comment("ben", TIME, "ada", OTHER_PHOTO)]);
    fixture
}

async fn stored(fixture: &Fixture, id: &str) -> Value {
    fixture.item(Key::report(&id.parse().unwrap())).await
}

#[tokio::test]
async fn each_user_complains_once_about_a_photo_a_comment_and_a_user() {
    let fixture = fixture().await;
    let id_of_comment = format!("ada~{PHOTO}~{TIME}~ben");
    let photo = json!({"username": "ada", "id": PHOTO});
    for (body, reported, id) in [
        (json!({"username": "ben", "reason": "harassment"}), "ben", "ben".to_owned()),
        (json!({"photo": photo, "reason": "harassment", "text": "Look"}), "ada", format!("ada~{PHOTO}")),
        (json!({"photo": photo, "comment": format!("{TIME}~ben"), "reason": "harassment"}), "ben", id_of_comment),
    ] {
        let first = fixture.call(CreateReport::start, post(&body)).await;
        let mut expected = body.clone();
        (expected["id"], expected["username"]) = (json!(id), json!(reported));
        expected["timestamp"] = first.body["timestamp"].clone();
        assert_eq!((first.status, &first.body), (201, &expected));
        assert_eq!(fixture.operations(), ["BatchGetItem", "TransactWriteItems"]);
        let before = fixture.all_items().await;
        let mut other = body.clone();
        other["reason"] = json!("spam");
        let second = fixture.call(CreateReport::start, post(&other)).await;
        assert_eq!((second.status, &second.body), (200, &expected), "the first complaint stays");
        assert_eq!(fixture.operations(), ["BatchGetItem"]);
        assert_eq!(fixture.all_items().await, before);

        // The complaint of another user joins the report.
        assert_eq!(fixture.call(CreateReport::start, post(&other).by("dora")).await.status, 201);
        assert_eq!(fixture.operations().len(), 2);
        let report = stored(&fixture, &id).await;
        let counts = (&report["complaints"], &report["reasons"]);
        assert_eq!(counts, (&json!(2), &json!({"harassment": 1, "spam": 1})), "{id}");
        assert_eq!((&report["reportState"], &report["timestamp"]), (&json!("open"), &first.body["timestamp"]));
    }
    assert_eq!(stored(&fixture, &format!("ada~{PHOTO}")).await["texts"], json!({"cara": "Look", "dora": "Look"}));
    let cara = fixture.item(Key::user(&"cara".parse().unwrap())).await;
    assert_eq!(cara["complaintsMade"], 3);
    assert!(!fixture.all_items().await.keys().any(|key| key.contains(OTHER_PHOTO) && key.contains("CASE")));
}

#[tokio::test]
async fn a_report_keeps_a_limited_number_of_texts() {
    let fixture = fixture().await;
    let mut full = report(&format!("ada~{PHOTO}"), TIME, &[("spam", 20)]);
    let texts = (0..MAX_TEXTS).map(|index| (format!("user{index}"), S("Spam".to_owned())));
    full.insert("texts".to_owned(), aws_sdk_dynamodb::types::AttributeValue::M(texts.collect()));
    fixture.put(full).await;
    let body = json!({"photo": {"username": "ada", "id": PHOTO}, "reason": "hate", "text": "One more"});
    let answer = fixture.call(CreateReport::start, post(&body)).await;
    assert_eq!((answer.status, &answer.body["text"]), (201, &json!("One more")));
    let report = stored(&fixture, &format!("ada~{PHOTO}")).await;
    assert_eq!((&report["complaints"], report["texts"].as_object().unwrap().len()), (&json!(21), MAX_TEXTS));
}

/// Somebody else writes the last text that the report has room for between the read and the write.
#[tokio::test]
async fn a_report_does_not_get_one_text_more_than_it_keeps() {
    let fixture = fixture().await;
    let with_texts = |texts: usize| {
        let texts = (0..texts).map(|index| (format!("user{index}"), S("Spam".to_owned())));
        let mut report = report(&format!("ada~{PHOTO}"), TIME, &[("spam", 20)]);
        report.insert("texts".to_owned(), aws_sdk_dynamodb::types::AttributeValue::M(texts.collect()));
        report
    };
    fixture.put(with_texts(MAX_TEXTS - 1)).await;
    fixture.write_concurrently(1, vec![with_texts(MAX_TEXTS)], Vec::<shared::dynamodb::Item>::new());
    let body = json!({"photo": {"username": "ada", "id": PHOTO}, "reason": "hate", "text": "One more"});
    assert_eq!(fixture.call(CreateReport::start, post(&body)).await.status, 201);
    let report = stored(&fixture, &format!("ada~{PHOTO}")).await;
    assert_eq!((&report["complaints"], report["texts"].as_object().unwrap().len()), (&json!(21), MAX_TEXTS));
}

#[tokio::test]
async fn a_complaint_opens_a_dismissed_report_again() {
    let fixture = fixture().await;
    fixture.put(with(report(&format!("ada~{PHOTO}"), TIME, &[("spam", 1)]), "reportState", "dismissed")).await;
    let answer = fixture.call(CreateReport::start, post(&about_photo("spam"))).await;
    assert_eq!(answer.status, 201);
    let report = stored(&fixture, &format!("ada~{PHOTO}")).await;
    assert_eq!((&report["reportState"], &report["reasons"]), (&json!("open"), &json!({"spam": 2})));
    assert_eq!(report["timestamp"], answer.body["timestamp"], "it waits since this complaint");
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("create-report").await;
    fixture.put_all(vec![user("cara"), photo("ada", PHOTO)]);
    assert_eq!(fixture.call_with_sample_event(CreateReport::start).await.status, 201);
}

#[tokio::test]
async fn a_lost_answer_and_a_concurrent_complaint_count_once() {
    let fixture = fixture().await;
    let concurrent = report(&format!("ada~{PHOTO}"), TIME, &[("hate", 1)]);
    fixture.write_concurrently(1, vec![concurrent], Vec::<shared::dynamodb::Item>::new());
    fixture.inject([Fault::None, Fault::None, Fault::None, Fault::AnswerLost]);
    assert_eq!(fixture.call(CreateReport::start, post(&about_photo("spam"))).await.status, 201);
    let operations = ["BatchGetItem", "TransactWriteItems", "BatchGetItem", "TransactWriteItems", "TransactWriteItems"];
    assert_eq!(fixture.operations(), operations);
    let report = stored(&fixture, &format!("ada~{PHOTO}")).await;
    assert_eq!((&report["complaints"], &report["reasons"]), (&json!(2), &json!({"hate": 1, "spam": 1})));
}

#[tokio::test]
async fn nobody_reports_what_they_do_not_see() {
    let fixture = fixture().await;
    fixture.put_all(vec![
        with(photo("ada", "2024-01-01T00:00:00"), "audience", "me"),
        with(photo("ada", "2024-01-02T00:00:00"), "audience", "followers"),
        with(comment("dora", TIME, "ada", PHOTO), "removed", "spam"),
        testing::comment_deletion("dave", TIME, "ada", PHOTO, 1),
        block("eve", "cara", Level::Block),
        block("dave", "cara", Level::Mute),
    ]);
    fixture.put_all(vec![user("eve"), user("dave"), photo("eve", PHOTO), comment("eve", TIME, "ada", PHOTO)]);
    fixture.put_all(vec![comment("ben", TIME, "eve", PHOTO), photo("gone", PHOTO), deletion("gone")]);
    // The read sees the report after a decision, and the photo before it.
    let half = report(&format!("ada~{OTHER_PHOTO}"), TIME, &[("spam", 1)]);
    fixture.put(with(half, "reportState", "removed")).await;
    let before = fixture.all_items().await;
    for (user, photo, comment) in [
        ("nobody", None, None),
        ("gone", None, None),
        ("eve", None, None),
        ("gone", Some(PHOTO), None),
        ("eve", Some(PHOTO), None),
        ("ada", Some("2024-01-01T00:00:00"), None),
        ("ada", Some("2024-01-02T00:00:00"), None),
        ("ada", Some("2024-01-03T00:00:00"), None),
        ("ada", Some(OTHER_PHOTO), None),
        ("ada", Some(PHOTO), Some("2024-06-01T00:00:01.000Z~ben".to_owned())),
        ("ada", Some(PHOTO), Some(format!("{TIME}~eve"))),
        ("ada", Some(PHOTO), Some(format!("{TIME}~dora"))),
        ("ada", Some(PHOTO), Some(format!("{TIME}~dave"))),
        ("eve", Some(PHOTO), Some(format!("{TIME}~ben"))),
    ] {
        let mut body = match photo {
            None => json!({"username": user, "reason": "spam"}),
            Some(id) => json!({"photo": {"username": user, "id": id}, "reason": "spam"}),
        };
        if let Some(comment) = comment {
            body["comment"] = json!(comment);
        }
        let answer = fixture.call(CreateReport::start, post(&body)).await;
        assert_eq!(answer.status, 404, "{body}");
        assert_eq!(fixture.operations(), ["BatchGetItem"], "{body}");
    }
    assert_eq!(fixture.all_items().await, before);
    fixture.put(friendship("ada", "cara")).await;
    let photo_for_followers = json!({"photo": {"username": "ada", "id": "2024-01-02T00:00:00"}, "reason": "spam"});
    assert_eq!(fixture.call(CreateReport::start, post(&photo_for_followers)).await.status, 201);
    let who_mutes = json!({"username": "dave", "reason": "spam"});
    assert_eq!(fixture.call(CreateReport::start, post(&who_mutes)).await.status, 201);
}

#[tokio::test]
async fn nobody_reports_a_reply_to_somebody_with_whom_there_is_a_block() {
    let fixture = fixture().await;
    let reply = |answered: &str| reply("dora", "2024-06-02T00:00:00.000Z", answered, "ada", PHOTO);
    let report = |answered: &str| {
        let comment = format!("{answered}~2024-06-02T00:00:00.000Z~dora");
        post(&json!({"photo": {"username": "ada", "id": PHOTO}, "comment": comment, "reason": "spam"}))
    };
    let (of_ben, of_cara) = (format!("{TIME}~ben"), format!("{TIME}~cara"));
    fixture.put_all(vec![comment("cara", TIME, "ada", PHOTO), reply(&of_ben), reply(&of_cara)]);
    for (blocking, blocked) in [("ben", "cara"), ("cara", "ben")] {
        fixture.put(block(blocking, blocked, Level::Block)).await;
        let answer = fixture.call(CreateReport::start, report(&of_ben)).await;
        assert_eq!((answer.status, answer.problem()), (404, "no-comment"), "{blocking}");
        assert_eq!(fixture.operations(), ["BatchGetItem"]);
        fixture.put(block(blocking, blocked, Level::Mute)).await;
    }
    fixture.delete(Key::block(&"cara".parse().unwrap(), &"ben".parse().unwrap())).await;
    for answered in [of_ben, of_cara] {
        assert_eq!(fixture.call(CreateReport::start, report(&answered)).await.status, 201, "{answered}");
    }
}

#[tokio::test]
async fn refuses_one_complaint_more_than_the_maximum() {
    let fixture = fixture().await;
    fixture.put(with_count(user("cara"), COMPLAINTS_MADE, MAX_COMPLAINTS - 1)).await;
    assert_eq!(fixture.call(CreateReport::start, post(&about_photo("spam"))).await.status, 201);
    let before = fixture.all_items().await;
    let answer = fixture.call(CreateReport::start, post(&json!({"username": "ben", "reason": "spam"}))).await;
    assert_eq!((answer.status, answer.problem()), (409, "too-many-reports"));
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = fixture().await;
    fixture.needs_a_caller(CreateReport::start, post(&about_photo("spam"))).await;
    let nobody = fixture.call(CreateReport::start, post(&about_photo("spam")).by("nobody")).await;
    assert_eq!((nobody.status, nobody.problem()), (404, "no-profile"));
    fixture.refuses_other_accounts(CreateReport::start).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = fixture().await;
    fixture.refuses_bad_bodies(CreateReport::start, post(&about_photo("spam"))).await;
    for (field, body) in [
        ("username", json!({"reason": "spam"})),
        ("username", json!({"username": "Ada", "reason": "spam"})),
        ("username", json!({"username": "cara", "reason": "spam"})),
        ("photo", json!({"photo": {"username": "cara", "id": PHOTO}, "reason": "spam"})),
        ("photo", json!({"photo": {"username": "ada", "id": "2024"}, "reason": "spam"})),
        ("photo", json!({"photo": PHOTO, "reason": "spam"})),
        ("username", json!({"username": "ada", "photo": {"username": "ada", "id": PHOTO}, "reason": "spam"})),
        ("photo", json!({"username": "ada", "comment": format!("{TIME}~ben"), "reason": "spam"})),
        ("comment", json!({"photo": {"username": "ada", "id": PHOTO}, "comment": "ben", "reason": "spam"})),
        (
            "comment",
            json!({"photo": {"username": "ada", "id": PHOTO}, "comment": format!("{TIME}~cara"), "reason": "spam"}),
        ),
        ("reason", json!({"photo": {"username": "ada", "id": PHOTO}})),
        ("reason", json!({"photo": {"username": "ada", "id": PHOTO}, "reason": "ugly"})),
        ("text", json!({"photo": {"username": "ada", "id": PHOTO}, "reason": "spam", "text": " "})),
        ("text", json!({"photo": {"username": "ada", "id": PHOTO}, "reason": "spam", "text": "x".repeat(501)})),
    ] {
        fixture.refuses_field(CreateReport::start, post(&body), field).await;
    }
}
