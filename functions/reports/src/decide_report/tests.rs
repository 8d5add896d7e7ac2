use super::*;
use serde_json::{Value, json};
use testing::{
    FEED, Fault, Fixture, TestRequest, claimed_photo, comment, hidden_vector, photo, photo_deletion, photo_with, ready,
    report, request, user, vector, with,
};

mod pictures;

const PHOTO: &str = "2024-05-30T15:42:38";
const OTHER_PHOTO: &str = "2024-06-09T13:49:13";
const TIME: &str = "2024-06-01T00:00:00.000Z";
const ID: &str = "ada~2024-05-30T15:42:38";

fn put(id: &str, body: &Value) -> TestRequest {
    request("PUT", format!("/reports/{id}")).by("mona").of_group("moderators").json(body)
}

fn remove() -> Value {
    json!({"decision": "remove"})
}

fn dismiss() -> Value {
    json!({"decision": "dismiss"})
}

fn reopen() -> Value {
    json!({"decision": "reopen"})
}

/// Returns the decisions about a report, the oldest first.
async fn decisions(fixture: &Fixture, id: &str) -> Vec<Value> {
    let prefix = format!(" #CASE#{id}#");
    fixture.all_items().await.into_iter().filter(|(key, _)| key.contains(&prefix)).map(|(_, item)| item).collect()
}

/// Returns a fixture in which two photos of ada and two comments on one of them are reported.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("decide-report").await;
    fixture.put_all(vec![user("ada"), photo_with("ada", PHOTO, ready(b"x")), photo("ada", OTHER_PHOTO)]);
    fixture.put_all(vec![comment("ben", TIME, "ada", PHOTO), comment("cara", TIME, "ada", PHOTO)]);
    let ids = [ID.to_owned(), format!("ada~{OTHER_PHOTO}"), format!("{ID}~{TIME}~ben"), format!("{ID}~{TIME}~cara")];
    let reports = ids.iter().map(|id| report(id, TIME, &[("spam", 1), ("nudity", 2), ("hate", 2)]));
    fixture.put_all(reports.chain([report("ben", TIME, &[("hate", 1)])]).collect());
    fixture
}

#[tokio::test]
async fn a_photo_is_removed_for_all_but_its_owner_and_shown_again() {
    for (photo, ready) in [(PHOTO, true), (OTHER_PHOTO, false)] {
        let fixture = fixture().await;
        let (id, key) = (format!("ada~{photo}"), format!("USER#ada PHOTO#ada#{photo}"));
        let before = fixture.all_items().await;
        let removed = fixture.call(DecideReport::start, put(&id, &remove())).await;
        assert_eq!(fixture.operations(), ["BatchGetItem", "TransactWriteItems"]);
        let outcome = (removed.status, &removed.body["state"], &removed.body["reason"]);
        assert_eq!(outcome, (200, &json!("removed"), &json!("nudity")), "the first of the reasons that most give");
        let after = fixture.all_items().await;
        assert_eq!(after[&format!("USER#ada #CASE#{id}")]["decided"], removed.body["decided"]);
        let picture = &after[&key]["picture"];
        assert_eq!((&picture["status"], &picture["reason"]), (&json!("removed"), &json!("nudity")));
        assert_eq!(picture["sizes"].is_object(), ready);
        assert_eq!(after.iter().filter(|(key, item)| before.get(*key) != Some(*item)).count(), 3, "with the decision");

        let repeated = fixture.call(DecideReport::start, put(&id, &remove())).await;
        assert_eq!((repeated.status, &repeated.body), (200, &removed.body));
        assert_eq!(fixture.operations(), ["BatchGetItem", "GetItem"]);
        let other_reason = json!({"decision": "remove", "reason": "illegal"});
        assert_eq!(fixture.call(DecideReport::start, put(&id, &other_reason)).await.body["reason"], "illegal");
        assert_eq!(fixture.all_items().await[&key]["picture"]["reason"], "illegal");

        let shown = fixture.call(DecideReport::start, put(&id, &dismiss())).await;
        assert_eq!((shown.status, &shown.body["state"], shown.body.get("reason")), (200, &json!("dismissed"), None));
        assert_eq!(fixture.all_items().await[&key], before[&key]);
    }
}

/// Returns whether the vectors of the two photos of ada are in the index.
async fn are_indexed(fixture: &Fixture) -> [bool; 2] {
    let vectors = fixture.all_items_of(FEED).await;
    [PHOTO, OTHER_PHOTO].map(|photo| {
        let vector = &vectors[&format!("Vector#ada {photo}")];
        assert!(vector["vector"].is_array() != vector["hidden"].is_array(), "{vector}");
        vector["vector"].is_array()
    })
}

#[tokio::test]
async fn a_removed_photo_is_not_in_the_index_until_everyone_may_see_it_again() {
    let fixture = fixture().await;
    fixture.put_in(FEED, vector("ada", PHOTO, 1)).await;
    assert_eq!(fixture.call(DecideReport::start, put(ID, &remove())).await.status, 200);
    assert_eq!(are_indexed(&fixture).await, [false, true]);
    let other_reason = json!({"decision": "remove", "reason": "illegal"});
    assert_eq!(fixture.call(DecideReport::start, put(ID, &other_reason)).await.status, 200);
    assert_eq!(are_indexed(&fixture).await, [false, true]);
    assert_eq!(fixture.call(DecideReport::start, put(ID, &dismiss())).await.status, 200);
    assert_eq!(fixture.all_items_of(FEED).await[&format!("Vector#ada {PHOTO}")]["vector"][0], 1);

    // The owner restricts the removed photo before the moderator shows it again, or just then.
    let removed = Picture::Removed { reason: shared::values::ReportReason::Spam, sizes: ready(b"x").sizes().cloned() };
    let removed = photo_with("ada", PHOTO, removed);
    let restricted = with(removed.clone(), "audience", "followers");
    for (before, requests) in [(&restricted, 0), (&removed, 1)] {
        fixture.put_in(FEED, hidden_vector("ada", PHOTO, 1)).await;
        fixture.put_all(vec![with(report(ID, TIME, &[("spam", 1)]), "reportState", "removed"), before.clone()]);
        fixture.write_concurrently(requests, vec![restricted.clone()], Vec::<Item>::new());
        assert_eq!(fixture.call(DecideReport::start, put(ID, &dismiss())).await.status, 200);
        assert_eq!(fixture.all_items().await[&format!("USER#ada PHOTO#ada#{PHOTO}")]["picture"]["status"], "ready");
        assert_eq!(are_indexed(&fixture).await, [false, true]);
    }
}

#[tokio::test]
async fn a_removed_photo_is_not_pinned_any_more() {
    let fixture = fixture().await;
    let pinned =
        |photo: &str| with(with(user("ada"), "pinnedImage", format!("PHOTO#ada#{photo}")), "pinnedPicture", "x");
    fixture.put(pinned(OTHER_PHOTO)).await;
    assert_eq!(fixture.call(DecideReport::start, put(ID, &remove())).await.status, 200);
    let ada = fixture.item(Key::user(&"ada".parse().unwrap())).await;
    assert_eq!(ada["pinnedImage"], format!("PHOTO#ada#{OTHER_PHOTO}"), "the other one stays");
    // The owner pins it between the read and the write.
    let id = format!("ada~{OTHER_PHOTO}");
    fixture.put(user("ada")).await;
    fixture.write_concurrently(1, vec![pinned(OTHER_PHOTO)], Vec::<Item>::new());
    assert_eq!(fixture.call(DecideReport::start, put(&id, &remove())).await.status, 200);
    let ada = fixture.item(Key::user(&"ada".parse().unwrap())).await;
    assert!(ada.get("pinnedImage").is_none() && ada.get("pinnedPicture").is_none(), "{ada}");
}

/// An import brings a photo back under its name, and process-photo may make it ready.
#[tokio::test]
async fn a_pending_photo_is_rejected_for_ever() {
    for claimed in [false, true] {
        let fixture = fixture().await;
        let pending =
            if claimed { claimed_photo("ada", PHOTO, "1", 300) } else { photo_with("ada", PHOTO, Picture::Pending) };
        fixture.put(pending).await;
        let key = format!("USER#ada PHOTO#ada#{PHOTO}");
        assert_eq!(fixture.call(DecideReport::start, put(ID, &dismiss())).await.status, 200);
        assert_eq!(fixture.all_items().await[&key]["picture"]["status"], "pending");
        assert_eq!(fixture.call(DecideReport::start, put(ID, &remove())).await.body["state"], "removed");
        let photo = fixture.all_items().await[&key].clone();
        let problem = "tag:quick-photos.example,2026:removed-by-moderator";
        assert_eq!(photo["picture"], json!({"status": "rejected", "problem": problem, "reason": "nudity"}));
        assert!(photo.get("ttl").is_none() && photo.get("claim").is_none(), "{photo}");
        assert_eq!(fixture.call(DecideReport::start, put(ID, &remove())).await.status, 200);
        assert_eq!(fixture.operations().last().unwrap(), "GetItem", "nothing is left to write");
        assert_eq!(fixture.call(DecideReport::start, put(ID, &dismiss())).await.body["state"], "dismissed");
        assert_eq!(fixture.all_items().await[&key], photo);
    }
}

#[tokio::test]
async fn a_photo_that_comes_back_before_the_write_is_removed_too() {
    for (returned, status) in [(Picture::Pending, "rejected"), (ready(b"x"), "removed")] {
        let fixture = fixture().await;
        fixture.delete(Key::photo(&"ada".parse().unwrap(), &PHOTO.parse().unwrap())).await;
        fixture.write_concurrently(1, vec![photo_with("ada", PHOTO, returned)], Vec::<Item>::new());
        assert_eq!(fixture.call(DecideReport::start, put(ID, &remove())).await.body["state"], "removed");
        let photo = fixture.all_items().await[&format!("USER#ada PHOTO#ada#{PHOTO}")].clone();
        assert_eq!(photo["picture"]["status"], status);
    }
}

#[tokio::test]
async fn a_repeated_decision_corrects_what_disagrees_with_the_report() {
    let fixture = fixture().await;
    let before = fixture.all_items().await;
    let comment_id = format!("{ID}~{TIME}~ben");
    for id in [ID, &comment_id] {
        assert_eq!(fixture.call(DecideReport::start, put(id, &remove())).await.status, 200);
    }
    let after = fixture.all_items().await;
    let [photo_key, comment_key] =
        [format!("USER#ada PHOTO#ada#{PHOTO}"), format!("COMMENT#{TIME}#ben PHOTO#ada#{PHOTO}")];
    let pinned = with(user("ada"), "pinnedImage", format!("PHOTO#ada#{PHOTO}"));
    let shown = photo_with("ada", PHOTO, ready(b"x"));
    for (wrong, id) in [(pinned, ID), (shown, ID), (comment("ben", TIME, "ada", PHOTO), comment_id.as_str())] {
        fixture.put(wrong).await;
        assert_eq!(fixture.call(DecideReport::start, put(id, &remove())).await.body["state"], "removed");
        let now = fixture.all_items().await;
        assert_eq!(now, after, "without another decision");
    }
    for key in [photo_key, comment_key] {
        assert_ne!(before[&key], after[&key]);
    }
}

#[tokio::test]
async fn a_comment_is_removed_and_shown_again() {
    let fixture = fixture().await;
    let (id, key) = (format!("{ID}~{TIME}~ben"), format!("COMMENT#{TIME}#ben PHOTO#ada#{PHOTO}"));
    let before = fixture.all_items().await;
    assert_eq!(fixture.call(DecideReport::start, put(&id, &remove())).await.status, 200);
    let after = fixture.all_items().await;
    assert_eq!(after[&key]["removed"], "nudity");
    assert_eq!(after.iter().filter(|(key, item)| before.get(*key) != Some(*item)).count(), 3, "with the decision");
    assert_eq!(fixture.call(DecideReport::start, put(&id, &dismiss())).await.status, 200);
    assert_eq!(fixture.all_items().await[&key], before[&key]);
}

#[tokio::test]
async fn a_report_about_a_user_is_dismissed() {
    let fixture = fixture().await;
    assert_eq!(fixture.call(DecideReport::start, put("ben", &dismiss())).await.body["state"], "dismissed");
    let refused = fixture.refuses(DecideReport::start, put("ben", &remove()), 400).await;
    assert_eq!(refused.body["errors"][0]["field"], "decision");
}

#[tokio::test]
async fn what_has_been_deleted_stays_deleted() {
    let fixture = fixture().await;
    fixture.put(photo_deletion("ada", PHOTO, 0)).await;
    let comment: ReportId = format!("{ID}~{TIME}~ben").parse().unwrap();
    fixture
        .delete(Key::comment(&format!("{TIME}~ben").parse().unwrap(), &"ada".parse().unwrap(), &PHOTO.parse().unwrap()))
        .await;
    for id in [ID, &comment.to_string()] {
        for (body, state) in [(remove(), "removed"), (dismiss(), "dismissed"), (reopen(), "open")] {
            let before = fixture.all_items().await;
            let answer = fixture.call(DecideReport::start, put(id, &body)).await;
            assert_eq!((answer.status, &answer.body["state"]), (200, &json!(state)));
            let after = fixture.all_items().await;
            assert_eq!(after.len(), before.len() + 1);
            let changed = after.iter().filter(|(key, item)| before.get(*key) != Some(*item));
            assert_eq!(changed.count(), 2, "the report and the decision");
        }
    }
}

#[tokio::test]
async fn a_pending_photo_that_has_expired_stays_as_it_is() {
    let fixture = fixture().await;
    fixture.put(testing::expired_photo("ada", PHOTO)).await;
    let before = fixture.all_items().await;
    for (body, state) in [(remove(), "removed"), (dismiss(), "dismissed")] {
        let answer = fixture.call(DecideReport::start, put(ID, &body)).await;
        assert_eq!((answer.status, &answer.body["state"]), (200, &json!(state)), "{}", answer.body);
        assert_eq!(fixture.operations(), ["BatchGetItem", "TransactWriteItems"]);
    }
    for key in [format!("USER#ada PHOTO#ada#{PHOTO}"), "USER#ada #METADATA#ada".to_owned()] {
        assert_eq!(fixture.all_items().await[&key], before[&key]);
    }
}

#[tokio::test]
async fn reads_again_if_something_changes_before_the_write() {
    let fixture = fixture().await;
    fixture.write_concurrently(1, vec![photo_deletion("ada", PHOTO, 0)], Vec::<Item>::new());
    fixture.inject([Fault::None, Fault::None, Fault::None, Fault::AnswerLost]);
    assert_eq!(fixture.call(DecideReport::start, put(ID, &remove())).await.status, 200);
    let operations = ["BatchGetItem", "TransactWriteItems", "BatchGetItem", "TransactWriteItems", "TransactWriteItems"];
    assert_eq!(fixture.operations(), operations);
    assert!(fixture.all_items().await[&format!("USER#ada PHOTO#ada#{PHOTO}")].get("picture").is_none());
}

#[tokio::test]
async fn a_decision_is_kept_with_who_when_and_why_for_a_year() {
    let fixture = fixture().await;
    let body = json!({"decision": "remove", "reason": "illegal", "note": "The right holder wrote to us."});
    let removed = fixture.call(DecideReport::start, put(ID, &body)).await;
    let time = removed.body["decided"].as_str().unwrap();
    let mut kept = decisions(&fixture, ID).await;
    assert_eq!(kept.len(), 1);
    let ttl = kept[0].as_object_mut().unwrap().remove("ttl").unwrap().as_u64().unwrap();
    assert_eq!(ttl, time.parse::<Timestamp>().unwrap().seconds() + 365 * 24 * 60 * 60);
    let expected = json!({
        "PK": "USER#ada", "SK": format!("#CASE#{ID}#{time}"), "about": ID, "decision": "remove", "reason": "illegal",
        "note": "The right holder wrote to us.", "moderator": "mona", "moderatorAccount": "mona", "timestamp": time,
    });
    assert_eq!(kept[0], expected);
    // The longest note.
    let body = json!({"decision": "dismiss", "note": "ß".repeat(1000)});
    assert_eq!(fixture.call(DecideReport::start, put(ID, &body)).await.status, 200);
}

#[tokio::test]
async fn a_reopened_report_is_as_before_the_decision() {
    let comment = format!("{ID}~{TIME}~ben");
    for (id, content) in [
        (ID, format!("USER#ada PHOTO#ada#{PHOTO}")),
        (comment.as_str(), format!("COMMENT#{TIME}#ben PHOTO#ada#{PHOTO}")),
    ] {
        for decision in [remove(), dismiss()] {
            let fixture = fixture().await;
            fixture.put_in(FEED, vector("ada", PHOTO, 1)).await;
            let (before, index) = (fixture.all_items().await, fixture.all_items_of(FEED).await);
            assert_eq!(fixture.call(DecideReport::start, put(id, &decision)).await.status, 200);
            let reopened = fixture.call(DecideReport::start, put(id, &reopen())).await;
            assert_eq!((reopened.status, &reopened.body["state"]), (200, &json!("open")));
            let now = fixture.all_items().await;
            assert_eq!(now[&content], before[&content]);
            assert_eq!(fixture.all_items_of(FEED).await, index);
            let user = if id == ID { "ada" } else { "ben" };
            let mut report = now[&format!("USER#{user} #CASE#{id}")].clone();
            assert_eq!(report.as_object_mut().unwrap().remove("decided"), Some(reopened.body["decided"].clone()));
            assert_eq!(report, before[&format!("USER#{user} #CASE#{id}")]);
            let kept: Vec<_> = decisions(&fixture, id).await.iter().map(|kept| kept["decision"].clone()).collect();
            assert_eq!(kept, [decision["decision"].clone(), json!("reopen")]);
        }
    }
}

#[tokio::test]
async fn to_reopen_an_open_report_changes_nothing() {
    let fixture = fixture().await;
    let before = fixture.all_items().await;
    for id in [ID, "ben"] {
        let answer = fixture.call(DecideReport::start, put(id, &reopen())).await;
        assert_eq!((answer.status, &answer.body["state"]), (200, &json!("open")));
    }
    assert_eq!(fixture.all_items().await, before);
    // Neither after a decision that another moderator has taken back.
    for (moderator, body) in [("mona", dismiss()), ("nora", reopen())] {
        assert_eq!(fixture.call(DecideReport::start, put(ID, &body).by(moderator)).await.status, 200);
    }
    let before = fixture.all_items().await;
    assert_eq!(fixture.call(DecideReport::start, put(ID, &reopen())).await.status, 200);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn only_the_same_decision_by_the_same_account_is_a_repetition() {
    let fixture = fixture().await;
    let other_reason = json!({"decision": "remove", "reason": "illegal"});
    let mut expected = vec![];
    for (moderator, body, is_new) in [
        ("mona", remove(), true),
        ("mona", remove(), false),
        ("nora", remove(), true),
        ("nora", remove(), false),
        ("mona", remove(), true),
        ("mona", other_reason.clone(), true),
        ("mona", other_reason, false),
        ("mona", remove(), false),
        ("mona", dismiss(), true),
        ("mona", dismiss(), false),
    ] {
        let answer = fixture.call(DecideReport::start, put(ID, &body).by(moderator)).await;
        assert_eq!(answer.status, 200);
        if is_new {
            expected.push(json!([body["decision"], moderator, answer.body["decided"]]));
        }
        let kept = decisions(&fixture, ID).await;
        let kept: Vec<_> = kept.iter().map(|it| json!([it["decision"], it["moderator"], it["timestamp"]])).collect();
        assert_eq!(kept, expected);
    }
    // Another account with the name of mona.
    fixture.call(DecideReport::start, put(ID, &dismiss()).of_account("other")).await;
    assert_eq!(decisions(&fixture, ID).await.len(), expected.len() + 1);
}

/// A decision of before has no item, or its item has expired.
#[tokio::test]
async fn a_decision_without_its_item_is_made_again() {
    let fixture = fixture().await;
    let report = with(with(report("ben", TIME, &[("spam", 1)]), "reportState", "dismissed"), "decided", TIME);
    fixture.put(report).await;
    assert_eq!(fixture.call(DecideReport::start, put("ben", &dismiss())).await.status, 200);
    assert_eq!(decisions(&fixture, "ben").await.len(), 1);
}

#[tokio::test]
async fn a_lost_answer_makes_one_decision() {
    let fixture = fixture().await;
    for body in [remove(), dismiss(), reopen()] {
        fixture.inject([Fault::None, Fault::AnswerLost]);
        let before = decisions(&fixture, ID).await.len();
        for _ in 0..2 {
            assert_eq!(fixture.call(DecideReport::start, put(ID, &body)).await.status, 200);
            assert_eq!(decisions(&fixture, ID).await.len(), before + 1);
        }
    }
}

/// A process whose clock is ahead has made the last decision.
#[tokio::test]
async fn a_decision_is_later_than_the_one_before() {
    let fixture = fixture().await;
    let ahead = "2100-01-01T00:00:00.999Z";
    fixture.put(with(report(ID, TIME, &[("spam", 1)]), "decided", ahead)).await;
    let answer = fixture.call(DecideReport::start, put(ID, &dismiss())).await;
    assert_eq!(answer.body["decided"], "2100-01-01T00:00:01.000Z");
    assert_eq!(decisions(&fixture, ID).await[0]["timestamp"], "2100-01-01T00:00:01.000Z");
}

/// Another moderator takes the same decision, and back, between the read and the write: the report
/// is as it was but for the time of the last decision.
#[tokio::test]
async fn reads_again_if_another_decision_has_been_taken_back_meanwhile() {
    let open = report(ID, TIME, &[("spam", 1)]);
    let reopened = |time: &str| with(open.clone(), "decided", time);
    for before in [open.clone(), reopened(TIME)] {
        let fixture = fixture().await;
        fixture.put(before).await;
        fixture.write_concurrently(1, vec![reopened("2024-06-02T00:00:00.000Z")], Vec::<Item>::new());
        assert_eq!(fixture.call(DecideReport::start, put(ID, &dismiss())).await.status, 200);
        let operations = ["BatchGetItem", "TransactWriteItems", "BatchGetItem", "TransactWriteItems"];
        assert_eq!(fixture.operations(), operations);
    }
}

/// Somebody without an account reports the photo by its link between the read and the write.
#[tokio::test]
async fn the_answer_has_the_reports_by_people_without_an_account() {
    let reported = |visitors: &str| {
        let mut reported = report(ID, TIME, &[("spam", 1)]);
        reported.insert("visitors".to_owned(), N(visitors.to_owned()));
        reported
    };
    for (before, after) in [(report(ID, TIME, &[("spam", 1)]), "1"), (reported("1"), "2")] {
        let fixture = fixture().await;
        fixture.put(before).await;
        fixture.write_concurrently(1, vec![reported(after)], Vec::<Item>::new());
        let answer = fixture.call(DecideReport::start, put(ID, &dismiss())).await;
        assert_eq!(answer.body["visitors"].to_string(), after);
    }
}

/// A `BatchGetItem` may see the report after another decision, and the photo before it.
#[tokio::test]
async fn does_not_dismiss_a_removal_of_which_it_has_seen_half() {
    let fixture = fixture().await;
    let removed = Picture::Removed { reason: shared::values::ReportReason::Spam, sizes: None };
    fixture.put_all(vec![with(report(ID, TIME, &[("spam", 1)]), "reportState", "removed"), photo("ada", PHOTO)]);
    fixture.write_concurrently(1, vec![photo_with("ada", PHOTO, removed)], Vec::<Item>::new());
    assert_eq!(fixture.call(DecideReport::start, put(ID, &dismiss())).await.status, 200);
    let operations = ["BatchGetItem", "TransactWriteItems", "BatchGetItem", "TransactWriteItems"];
    assert_eq!(fixture.operations(), operations);
    let photo = fixture.all_items().await[&format!("USER#ada PHOTO#ada#{PHOTO}")].clone();
    assert!(photo.get("picture").is_none(), "{photo}");
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("decide-report").await;
    fixture.put(report("ben~2024-07-14T10:21:01", TIME, &[("spam", 1)])).await;
    assert_eq!(fixture.call_with_sample_event(DecideReport::start).await.status, 200);
}

#[tokio::test]
async fn returns_404_for_an_unknown_report() {
    let fixture = fixture().await;
    fixture.put_all(vec![testing::deletion("gone"), report("gone", TIME, &[("spam", 1)])]);
    let before = fixture.all_items().await;
    for id in ["ada", "ada~2024-01-01T00:00:00", "gone"] {
        let answer = fixture.call(DecideReport::start, put(id, &dismiss())).await;
        assert_eq!((answer.status, &answer.body["hint"]), (404, &json!(format!("There is no report {id}."))));
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn only_moderators_decide() {
    let fixture = fixture().await;
    fixture.needs_a_caller(DecideReport::start, put(ID, &remove())).await;
    // Neither the owner nor an editor.
    for (caller, group) in [("ada", "editors"), ("cara", "moderator")] {
        let request = request("PUT", format!("/reports/{ID}")).by(caller).of_group(group).json(&remove());
        fixture.refuses(DecideReport::start, request, 403).await;
    }
}

/// The answer is the same whether there is such a report or not.
#[tokio::test]
async fn nobody_decides_about_a_report_about_themselves() {
    let fixture = fixture().await;
    let before = fixture.all_items().await;
    for id in [ID.to_owned(), "ada".to_owned(), format!("ben~{PHOTO}~{TIME}~ada"), "ada~2020-01-01T00:00:00".to_owned()]
    {
        let own = put(&id, &dismiss()).by("ada");
        let refused = fixture.refuses(DecideReport::start, own, 403).await;
        assert_eq!(refused.problem(), "report-about-you");
    }
    assert_eq!(fixture.all_items().await, before);
    // Ada is the owner of the photo, and ben wrote the comment.
    let of_ben = put(&format!("{ID}~{TIME}~ben"), &remove()).by("ada");
    assert_eq!(fixture.call(DecideReport::start, of_ben).await.status, 200);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = fixture().await;
    fixture.refuses_bad_bodies(DecideReport::start, put(ID, &remove())).await;
    for bad in ["Ada", "ada~2024", "ada~~"] {
        let request = request("PUT", format!("/reports/{bad}")).by("mona").of_group("moderators").json(&remove());
        fixture.refuses_field(DecideReport::start, request, "id").await;
    }
    for (field, body) in [
        ("decision", json!({})),
        ("decision", json!({"decision": "removed"})),
        ("reason", json!({"decision": "remove", "reason": "ugly"})),
        ("reason", json!({"decision": "dismiss", "reason": "spam"})),
        ("reason", json!({"decision": "reopen", "reason": "spam"})),
        ("note", json!({"decision": "dismiss", "note": " \n"})),
        ("note", json!({"decision": "dismiss", "note": "x".repeat(1001)})),
        ("note", json!({"decision": "dismiss", "note": 1})),
    ] {
        fixture.refuses_field(DecideReport::start, put(ID, &body), field).await;
    }
}

fn mark(reason: &str) -> Value {
    json!({"decision": "mark", "sensitive": reason})
}

#[tokio::test]
async fn a_photo_is_marked_as_sensitive_and_is_as_its_owner_made_it_again() {
    for (photo, of_owner) in [(PHOTO, None), (PHOTO, Some("spoiler")), (OTHER_PHOTO, None)] {
        for back in [dismiss(), reopen(), remove()] {
            let fixture = fixture().await;
            let (id, key) = (format!("ada~{photo}"), format!("USER#ada PHOTO#ada#{photo}"));
            if let Some(reason) = of_owner {
                fixture.put(with(photo_with("ada", photo, ready(b"x")), "sensitive", reason)).await;
            }
            let before = fixture.all_items().await;
            let marked = fixture.call(DecideReport::start, put(&id, &mark("nudity"))).await;
            assert_eq!(fixture.operations(), ["BatchGetItem", "TransactWriteItems"]);
            let outcome = (marked.status, &marked.body["state"], &marked.body["sensitive"], marked.body.get("reason"));
            assert_eq!(outcome, (200, &json!("marked"), &json!("nudity"), None), "{}", marked.body);
            let after = fixture.all_items().await;
            let item = &after[&key];
            assert_eq!((&item["sensitive"], &item["sensitiveBy"]), (&json!("nudity"), &json!("moderator")));
            assert_eq!(item.get("picture"), before[&key].get("picture"));
            assert_eq!(after.iter().filter(|(key, item)| before.get(*key) != Some(*item)).count(), 3);
            let kept = decisions(&fixture, &id).await;
            assert_eq!((&kept[0]["decision"], &kept[0]["sensitive"]), (&json!("mark"), &json!("nudity")));

            // A repetition changes nothing, and another reason does.
            assert_eq!(fixture.call(DecideReport::start, put(&id, &mark("nudity"))).await.body, marked.body);
            assert_eq!(fixture.operations(), ["BatchGetItem", "GetItem"]);
            fixture.inject([Fault::None, Fault::AnswerLost]);
            assert_eq!(
                fixture.call(DecideReport::start, put(&id, &mark("medical"))).await.body["sensitive"],
                "medical"
            );
            assert_eq!(fixture.all_items().await[&key]["sensitive"], "medical");
            assert_eq!(decisions(&fixture, &id).await.len(), 2);

            let taken = fixture.call(DecideReport::start, put(&id, &back)).await;
            assert_eq!((taken.status, taken.body.get("sensitive")), (200, None));
            let now = fixture.all_items().await[&key].clone();
            let attributes = ["sensitive", "sensitiveBy", "sensitiveBefore"].map(|name| now.get(name));
            assert_eq!(attributes, [of_owner.map(|reason| json!(reason)).as_ref(), None, None], "{now}");
            assert_eq!(now["picture"]["status"] == "removed", back == remove());
        }
    }
}

#[tokio::test]
async fn a_marked_photo_is_not_pinned_any_more() {
    let pinned = with(with(user("ada"), "pinnedImage", format!("PHOTO#ada#{PHOTO}")), "pinnedPicture", "x");
    for before in [0, 1] {
        let fixture = fixture().await;
        // The owner has pinned it, or pins it between the read and the write.
        fixture.write_concurrently(before, vec![pinned.clone()], Vec::<Item>::new());
        assert_eq!(fixture.call(DecideReport::start, put(ID, &mark("nudity"))).await.status, 200);
        let ada = fixture.item(Key::user(&"ada".parse().unwrap())).await;
        assert!(ada.get("pinnedImage").is_none() && ada.get("pinnedPicture").is_none(), "{ada}");
    }
}

#[tokio::test]
async fn a_marked_photo_stays_in_the_index_and_a_pending_one_becomes_ready() {
    let fixture = fixture().await;
    fixture.put_in(FEED, vector("ada", PHOTO, 1)).await;
    assert_eq!(fixture.call(DecideReport::start, put(ID, &mark("violence"))).await.status, 200);
    assert_eq!(are_indexed(&fixture).await, [true, true]);
    fixture.put(photo_with("ada", OTHER_PHOTO, Picture::Pending)).await;
    let id = format!("ada~{OTHER_PHOTO}");
    assert_eq!(fixture.call(DecideReport::start, put(&id, &mark("violence"))).await.status, 200);
    let item = fixture.all_items().await[&format!("USER#ada PHOTO#ada#{OTHER_PHOTO}")].clone();
    assert_eq!((&item["picture"]["status"], &item["sensitive"]), (&json!("pending"), &json!("violence")));
    assert!(item["ttl"].is_u64(), "{item}");
}

/// The owner marks the photo, or takes the mark back, between the read and the write.
#[tokio::test]
async fn keeps_the_mark_that_the_owner_has_set_meanwhile() {
    let fixture = fixture().await;
    let of_owner = with(photo_with("ada", PHOTO, ready(b"x")), "sensitive", "spoiler");
    fixture.write_concurrently(1, vec![of_owner], Vec::<Item>::new());
    assert_eq!(fixture.call(DecideReport::start, put(ID, &mark("nudity"))).await.status, 200);
    let operations = ["BatchGetItem", "TransactWriteItems", "BatchGetItem", "TransactWriteItems"];
    assert_eq!(fixture.operations(), operations);
    assert_eq!(fixture.call(DecideReport::start, put(ID, &dismiss())).await.status, 200);
    assert_eq!(fixture.all_items().await[&format!("USER#ada PHOTO#ada#{PHOTO}")]["sensitive"], "spoiler");
}

/// A `BatchGetItem` may see the report after another decision, and the photo before it.
#[tokio::test]
async fn does_not_dismiss_a_mark_of_which_it_has_seen_half() {
    let fixture = fixture().await;
    let photo = photo_with("ada", PHOTO, ready(b"x"));
    let marked = with(with(photo.clone(), "sensitive", "nudity"), "sensitiveBy", "moderator");
    let marked = with(marked, "sensitiveBefore", "spoiler");
    let report = with(with(report(ID, TIME, &[("spam", 1)]), "reportState", "marked"), "sensitive", "nudity");
    fixture.put_all(vec![report, photo]);
    fixture.write_concurrently(1, vec![marked], Vec::<Item>::new());
    assert_eq!(fixture.call(DecideReport::start, put(ID, &dismiss())).await.status, 200);
    let photo = fixture.all_items().await[&format!("USER#ada PHOTO#ada#{PHOTO}")].clone();
    let attributes = ["sensitive", "sensitiveBy", "sensitiveBefore"].map(|name| photo[name].as_str());
    assert_eq!(attributes, [Some("spoiler"), None, None]);
}

#[tokio::test]
async fn a_repetition_marks_a_photo_whose_mark_is_lost() {
    let fixture = fixture().await;
    assert_eq!(fixture.call(DecideReport::start, put(ID, &mark("nudity"))).await.status, 200);
    let after = fixture.all_items().await;
    fixture.put(photo_with("ada", PHOTO, ready(b"x"))).await;
    assert_eq!(fixture.call(DecideReport::start, put(ID, &mark("nudity"))).await.status, 200);
    assert_eq!(fixture.all_items().await, after, "without another decision");
}

#[tokio::test]
async fn only_a_photo_can_be_marked_and_a_mark_needs_a_reason() {
    let fixture = fixture().await;
    for id in [format!("{ID}~{TIME}~ben"), "ben".to_owned()] {
        fixture.refuses_field(DecideReport::start, put(&id, &mark("nudity")), "decision").await;
    }
    for (field, body) in [
        ("sensitive", json!({"decision": "mark"})),
        ("sensitive", mark("ugly")),
        ("sensitive", json!({"decision": "remove", "sensitive": "nudity"})),
        ("sensitive", json!({"decision": "reopen", "sensitive": "nudity"})),
        ("reason", json!({"decision": "mark", "reason": "spam", "sensitive": "nudity"})),
    ] {
        fixture.refuses_field(DecideReport::start, put(ID, &body), field).await;
    }
    let request = request("PUT", format!("/reports/{ID}")).by("cara").json(&mark("nudity"));
    fixture.refuses(DecideReport::start, request, 403).await;
}
