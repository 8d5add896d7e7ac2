use super::*;
use aws_sdk_dynamodb::types::AttributeValue::{L, N};
use serde_json::{Value, json};
use shared::entities::Picture;
use shared::values::EpochMillis;
use testing::{Fixture, TestRequest, comment, decision, numbered, photo_with, ready, report, request, several, with};

const PHOTO: &str = "2024-05-30T15:42:38";
const ID: &str = "ada~2024-05-30T15:42:38";
const TIME: &str = "2024-06-01T00:00:00.000Z";

fn get(id: &str) -> TestRequest {
    request("GET", format!("/reports/{id}")).by("mona").of_group("moderators")
}

/// Returns the time of a decision, of a recent year.
fn time(millisecond: u32) -> String {
    format!("2100-06-02T00:00:00.{millisecond:03}Z")
}

/// Returns a fixture with the reports about a photo of ada, about a comment of ben on it, about ada, and
/// about another photo of hers, each with decisions.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("get-report").await;
    let of_comment = format!("{ID}~{TIME}~ben");
    fixture.put_all(vec![
        with(photo_with("ada", PHOTO, ready(b"x")), "audience", "me"),
        comment("ben", TIME, "ada", PHOTO),
        with(report(ID, TIME, &[("spam", 2)]), "decided", time(3)),
        report(&of_comment, TIME, &[("hate", 1)]),
        report("ada", TIME, &[("spam", 1)]),
        report("ada~2024-05-30T15:42:38.000Z", TIME, &[("spam", 1)]),
        decision(ID, "remove", "mona", &time(1)),
        decision(ID, "reopen", "nora", &time(2)),
        with(decision(ID, "dismiss", "mona", &time(3)), "note", "It is a print."),
        decision(&of_comment, "dismiss", "nora", &time(4)),
        decision("ada", "dismiss", "nora", &time(5)),
        decision("ada~2024-05-30T15:42:38.000Z", "dismiss", "nora", &time(6)),
    ]);
    fixture
}

fn times(body: &Value) -> Vec<&str> {
    body["decisions"].as_array().unwrap().iter().map(|decision| decision["timestamp"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_reported_photo_of_several_pictures_has_all_of_them() {
    let fixture = fixture().await;
    let removed = Picture::Removed { reason: ReportReason::Spam, sizes: numbered(ready(b"x"), 1).sizes().cloned() };
    let [photo, pictures] = several("ada", PHOTO, [removed, ready(b"y")]);
    fixture.put_all(vec![with(photo, "audience", "me"), pictures]);
    let mut decided = decision(ID, "remove", "mona", &time(7));
    decided.insert("pictures".to_owned(), L(vec![N("1".to_owned())]));
    fixture.put(decided).await;
    let _ = fixture.operations();
    let answer = fixture.call(GetReport::start, get(ID)).await;
    let mut operations = fixture.operations();
    operations.sort();
    assert_eq!((answer.status, operations), (200, ["BatchGetItem", "BatchGetItem", "Query"].map(str::to_owned).into()));
    let shown = &answer.body["reportedPhoto"];
    let states = [0, 1].map(|index| (&shown["pictures"][index]["status"], &shown["pictures"][index]["number"]));
    assert_eq!(states, [(&json!("removed"), &json!(1)), (&json!("ready"), &json!(2))]);
    assert!((0..2).all(|index| shown["pictures"][index]["urls"][0]["url"].is_string()), "{shown}");
    assert_eq!(answer.body["decisions"][0]["pictures"], json!([1]));
}

#[tokio::test]
async fn a_pending_photo_that_has_expired_is_not_shown() {
    let fixture = fixture().await;
    for (item, is_shown) in
        [(photo_with("ada", PHOTO, Picture::Pending), true), (testing::expired_photo("ada", PHOTO), false)]
    {
        fixture.put(item).await;
        let body = fixture.call(GetReport::start, get(ID)).await.body;
        assert_eq!(body["reportedPhoto"].is_object(), is_shown, "{body}");
    }
}

#[tokio::test]
async fn returns_the_report_with_its_decisions() {
    let fixture = fixture().await;
    let answer = fixture.call(GetReport::start, get(ID)).await;
    let mut operations = fixture.operations();
    operations.sort();
    assert_eq!((answer.status, operations), (200, vec!["BatchGetItem".to_owned(), "Query".to_owned()]));
    let body = &answer.body;
    assert_eq!((&body["id"], &body["username"], &body["complaints"]), (&json!(ID), &json!("ada"), &json!(2)));
    assert!(body["reportedPhoto"]["urls"][0]["url"].is_string(), "a moderator sees a photo of any audience");
    let expected = json!([
        {"decision": "dismiss", "note": "It is a print.", "moderator": "mona", "timestamp": time(3)},
        {"decision": "reopen", "moderator": "nora", "timestamp": time(2)},
        {"decision": "remove", "reason": "spam", "moderator": "mona", "timestamp": time(1)},
    ]);
    assert_eq!(body["decisions"], expected);

    let of_comment = fixture.call(GetReport::start, get(&format!("{ID}~{TIME}~ben"))).await.body;
    assert_eq!(
        (&of_comment["reportedComment"]["text"], times(&of_comment)),
        (&json!("A comment by ben"), vec![&*time(4)])
    );
    let of_user = fixture.call(GetReport::start, get("ada")).await.body;
    assert_eq!((of_user.get("reportedPhoto"), times(&of_user)), (None, vec![&*time(5)]));
}

#[tokio::test]
async fn returns_the_newest_100_decisions() {
    let fixture = fixture().await;
    fixture.put_all((100..205).map(|number| decision(ID, "dismiss", "mona", &time(number))).collect());
    let answer = fixture.call(GetReport::start, get(ID)).await;
    let found = times(&answer.body);
    assert_eq!((found.len(), found[0], found[99]), (100, &*time(204), &*time(105)));
}

#[tokio::test]
async fn a_decision_is_gone_after_a_year() {
    let fixture = fixture().await;
    let now = EpochMillis::now().seconds();
    for (ttl, shown) in [(now - 1, 0), (now + 60, 1)] {
        let mut decision = decision("ada", "dismiss", "nora", &time(5));
        decision.insert("ttl".to_owned(), N(ttl.to_string()));
        fixture.put(decision).await;
        assert_eq!(times(&fixture.call(GetReport::start, get("ada")).await.body).len(), shown);
    }
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("get-report").await;
    fixture.put(report("ben~2024-07-14T10:21:01", TIME, &[("spam", 1)])).await;
    let answer = fixture.call_with_sample_event(GetReport::start).await;
    assert_eq!((answer.status, &answer.body["decisions"]), (200, &json!([])));
}

#[tokio::test]
async fn returns_404_for_an_unknown_report() {
    let fixture = fixture().await;
    // The decisions of a report that is being deleted are left for a moment.
    fixture.put(decision("cara", "dismiss", "nora", TIME)).await;
    for id in ["cara", "ben~2024-01-01T00:00:00"] {
        let answer = fixture.call(GetReport::start, get(id)).await;
        assert_eq!((answer.status, &answer.body["hint"]), (404, &json!(format!("There is no report {id}."))));
    }
}

#[tokio::test]
async fn only_moderators_read_a_report() {
    let fixture = fixture().await;
    fixture.needs_a_caller(GetReport::start, get(ID)).await;
    // Neither the owner, the author nor an editor.
    for (caller, group) in [("ada", "editors"), ("ben", "moderator"), ("cara", "Moderators")] {
        let request = request("GET", format!("/reports/{ID}")).by(caller).of_group(group);
        fixture.refuses(GetReport::start, request, 403).await;
    }
}

/// The answer is the same whether there is such a report or not.
#[tokio::test]
async fn nobody_reads_a_report_about_themselves() {
    let fixture = fixture().await;
    let mut answers = vec![];
    for id in [ID, "ada", "ada~2020-01-01T00:00:00", &format!("ben~{PHOTO}~{TIME}~ada")] {
        let refused = fixture.refuses(GetReport::start, get(id).by("ada"), 403).await;
        assert_eq!(refused.problem(), "report-about-you");
        answers.push(refused.body["detail"].clone());
    }
    assert!(answers.iter().all(|detail| *detail == answers[0]), "{answers:?}");
    assert_eq!(fixture.operations(), [""; 0]);
    // Ada is the owner of the photo, and ben wrote the comment.
    let of_ben = fixture.call(GetReport::start, get(&format!("{ID}~{TIME}~ben")).by("ada")).await;
    assert_eq!(of_ben.status, 200);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = fixture().await;
    for bad in ["Ada", "ada~2024", "ada~~", "ada%232024-05-30T15:42:38"] {
        fixture.refuses_field(GetReport::start, get(bad), "id").await;
    }
}
