//! Reports and complaints, and what a moderator has removed.

use ::testing;
use aws_sdk_dynamodb::types::AttributeValue::{Bool, S};
use shared::entities::{Key, Picture};

use super::{OTHER_PHOTO, test_data};
use crate::audited_table::{AuditedTable, number, text, user};

const TIME: &str = "2024-06-01T00:00:00.000Z";
/// The report about a photo of the seed data.
const ID: &str = "ada~2024-05-30T15:42:38";

fn report(id: &str) -> Key {
    Key::report(&id.parse().unwrap())
}

/// Returns the seed data, in which ben and cara have complained about a photo of ada, and ada about
/// ben.
async fn reported() -> AuditedTable {
    let table = test_data().await;
    table.put([testing::report(ID, TIME, &[("spam", 2)]), testing::report("ben", TIME, &[("hate", 1)])]).await;
    table.put([testing::complaint("ben", ID, "spam"), testing::complaint("cara", ID, "spam")]).await;
    table.put([testing::complaint("ada", "ben", "hate")]).await;
    table
}

#[tokio::test]
async fn repairs_the_counts_of_complaints() {
    let table = reported().await;
    let expected = table.all_items().await;
    assert_eq!(table.findings().await, [""; 0]);
    for stored in [0, -1, 7] {
        table.set(report(ID), "complaints", Some(number(stored))).await;
        table.assert_repaired(&[&format!("report {ID}: complaints is {stored}, but should be 2")], &expected).await;
    }
}

#[tokio::test]
async fn deletes_a_decision_without_a_report_and_one_that_has_expired() {
    let table = reported().await;
    let times = ["2024-06-01T00:00:00.000Z", "2100-06-02T00:00:00.000Z"];
    table.put([testing::decision("ben", "dismiss", "mona", times[1])]).await;
    table.set(report("ben"), "decided", Some(text(times[1]))).await;
    let expected = table.all_items().await;
    assert_eq!(table.findings().await, [""; 0]);
    table.put([testing::decision("ben", "dismiss", "mona", times[0])]).await;
    table.put([testing::decision("cara", "dismiss", "mona", times[1])]).await;
    let lines = [
        "decision of 2024-06-01T00:00:00.000Z about ben: expired at 2025-06-01T00:00:00.000Z, but it is not deleted",
        "decision of 2100-06-02T00:00:00.000Z about cara: there is no report",
    ];
    table.assert_repaired(&lines, &expected).await;
}

#[tokio::test]
async fn finds_a_report_that_is_not_as_its_last_decision_says() {
    let table = reported().await;
    let times = ["2100-06-01T00:00:00.000Z", "2100-06-02T00:00:00.000Z"];
    let wrong = ["report ben: its state or its time is not that of its last decision".to_owned()];
    let set = async |attribute, value| table.set(report("ben"), attribute, Some(text(value))).await;
    set("decided", times[0]).await;
    assert_eq!(table.findings().await, wrong, "the decision is missing");
    set("decided", TIME).await;
    assert_eq!(table.findings().await, [""; 0], "it has expired");
    table.put([testing::decision("ben", "dismiss", "mona", times[0])]).await;
    assert_eq!(table.findings().await, wrong, "a decision that the report does not have");
    set("decided", times[0]).await;
    for (decision, states) in [
        ("dismiss", ["open", "dismissed"].as_slice()),
        ("mark", [].as_slice()),
        ("reopen", ["open"].as_slice()),
        ("remove", ["removed"].as_slice()),
    ] {
        table.put([testing::decision("ben", decision, "mona", times[0])]).await;
        for state in ["open", "dismissed", "marked", "removed"] {
            set("reportState", state).await;
            let expected = if states.contains(&state) { &[] } else { wrong.as_slice() };
            assert_eq!(table.findings().await, expected, "{decision} {state}");
        }
    }
    table.put([testing::decision("ben", "remove", "mona", times[1])]).await;
    assert_eq!(table.findings().await, wrong, "a later decision");
}

#[tokio::test]
async fn deletes_a_complaint_without_a_report() {
    let table = reported().await;
    let expected = table.all_items().await;
    table.put([testing::complaint("ben", "cara", "spam"), testing::complaint("ada", "cara", "spam")]).await;
    let lines = ["complaint of ada about cara: there is no report", "complaint of ben about cara: there is no report"];
    table.assert_repaired(&lines, &expected).await;
}

#[tokio::test]
async fn finds_what_disagrees_with_its_report() {
    let table = reported().await;
    let state = |state: &str| Some(S(state.to_owned()));
    table.set(report(ID), "reportState", state("removed")).await;
    assert_eq!(table.findings().await, [format!("report {ID}: removed, but it is shown")]);
    table.set(report(ID), "reportState", state("dismissed")).await;
    assert_eq!(table.findings().await, [""; 0]);

    let removed = Picture::Removed { reason: shared::values::ReportReason::Spam, sizes: None };
    let comment = testing::with(testing::comment("cara", TIME, "ada", OTHER_PHOTO), "removed", "spam");
    let mut photo = testing::photo_with("ada", OTHER_PHOTO, removed);
    photo.insert("comments".to_owned(), number(1));
    let before = table.all_items().await;
    let photos = before[&("USER#ada".to_owned(), "#METADATA#ada".to_owned())]["photos"].as_i64().unwrap();
    table.put([photo, comment]).await;
    table.set_photos("ada", photos + 1, photos + 1).await;
    table.set(user("cara"), "commentsWritten", Some(number(1))).await;
    let ids = [format!("ada~{OTHER_PHOTO}"), format!("ada~{OTHER_PHOTO}~{TIME}~cara")];
    assert_eq!(
        table.findings().await,
        ids.each_ref().map(|id| format!("report {id}: not removed, but it is not shown"))
    );
    for id in &ids {
        table.put([testing::with(testing::report(id, TIME, &[]), "reportState", "removed")]).await;
    }
    assert_eq!(table.findings().await, [""; 0]);

    // A rejected photo agrees with any decision. A pending one does not: it can become ready.
    let photo = Key::photo(&"ada".parse().unwrap(), &OTHER_PHOTO.parse().unwrap());
    let about_reports = async || -> Vec<String> {
        table.findings().await.into_iter().filter(|finding| finding.starts_with("report")).collect()
    };
    table.set(photo.clone(), "unready", Some(Bool(true))).await;
    table.set(photo.clone(), "picture.problem", Some(text("tag:quick-photos.example,2026:removed-by-moderator"))).await;
    table.set(photo.clone(), "picture.status", state("rejected")).await;
    assert_eq!(about_reports().await, [""; 0]);
    table.set(photo.clone(), "picture.status", state("pending")).await;
    table.set(photo, "ttl", Some(number(4_000_000_000))).await;
    assert_eq!(about_reports().await, [format!("report ada~{OTHER_PHOTO}: removed, but it is shown")]);
    table.delete(Key::report(&ids[0].parse().unwrap())).await;

    // What is deleted agrees with any decision.
    table.put([testing::with(testing::report("ada~2020-02-02T00:00:00", TIME, &[]), "reportState", "removed")]).await;
    assert_eq!(about_reports().await, [""; 0]);
}

#[tokio::test]
async fn finds_the_reports_and_complaints_of_users_who_are_lost() {
    let table = reported().await;
    table.put([testing::report("lost", TIME, &[("spam", 1)]), testing::complaint("gone", "lost", "spam")]).await;
    assert_eq!(
        table.findings().await,
        [
            "user gone: does not exist, but there are 1 complaints",
            "user lost: does not exist, but there are 1 reports and decisions",
        ]
    );
}

#[tokio::test]
async fn finds_a_mark_of_which_the_report_or_the_photo_does_not_say_so() {
    let table = reported().await;
    let photo = Key::photo(&"ada".parse().unwrap(), &"2024-05-30T15:42:38".parse().unwrap());
    let wrong = [format!("report {ID}: its mark is not that of the photo")];
    table.set(photo.clone(), "sensitive", Some(text("nudity"))).await;
    assert_eq!(table.findings().await, [""; 0], "it is that of the owner");
    table.set(photo.clone(), "sensitiveBy", Some(text("moderator"))).await;
    assert_eq!(table.findings().await, wrong);
    let time = "2100-06-01T00:00:00.000Z";
    table.put([testing::decision(ID, "mark", "mona", time)]).await;
    table.set(report(ID), "decided", Some(text(time))).await;
    for reason in ["violence", "nudity"] {
        table.set(report(ID), "sensitive", Some(text(reason))).await;
        for (state, agrees) in [("marked", true), ("open", true), ("dismissed", false)] {
            table.set(report(ID), "reportState", Some(text(state))).await;
            let decision = [format!("report {ID}: its state or its time is not that of its last decision")];
            let expected = match (reason, agrees) {
                ("violence", _) => wrong.as_slice(),
                (_, true) => &[],
                (_, false) => decision.as_slice(),
            };
            assert_eq!(table.findings().await, expected, "{reason} {state}");
        }
    }
    table.set(report(ID), "reportState", Some(text("marked"))).await;
    table.set(photo.clone(), "sensitiveBy", None).await;
    assert_eq!(table.findings().await, wrong);
    // What is deleted agrees with any decision.
    let gone = testing::with(testing::report("ada~2020-02-02T00:00:00", TIME, &[]), "reportState", "marked");
    table.put([testing::with(gone, "sensitive", "nudity")]).await;
    assert_eq!(table.findings().await, wrong);
}

#[tokio::test]
async fn finds_marks_that_no_function_makes() {
    for marks in [
        [None, Some("moderator"), None],
        [Some("nudity"), Some("owner"), None],
        [Some("nudity"), None, Some("spoiler")],
        [Some("ugly"), None, None],
    ] {
        let table = reported().await;
        let photo = Key::photo(&"ada".parse().unwrap(), &"2024-05-30T15:42:38".parse().unwrap());
        for (name, value) in ["sensitive", "sensitiveBy", "sensitiveBefore"].into_iter().zip(marks) {
            table.set(photo.clone(), name, value.map(text)).await;
        }
        let findings = table.findings().await;
        assert!(
            findings.iter().any(|finding| finding.contains("PHOTO#ada#2024-05-30T15:42:38")),
            "{marks:?}: {findings:?}"
        );
    }
}

#[tokio::test]
async fn takes_the_picture_of_a_sensitive_photo_out_of_the_profile() {
    let table = test_data().await;
    let items = table.all_items().await;
    let ada = &items[&("USER#ada".to_owned(), "#METADATA#ada".to_owned())];
    let id = ada["pinnedImage"].as_str().unwrap().trim_start_matches("PHOTO#ada#").to_owned();
    table.set(Key::photo(&"ada".parse().unwrap(), &id.parse().unwrap()), "sensitive", Some(text("nudity"))).await;
    let findings = table.findings().await;
    assert!(findings.len() == 1 && findings[0].contains(&id), "{findings:?}");
}
