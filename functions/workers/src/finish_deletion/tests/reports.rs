use super::*;
use aws_sdk_dynamodb::types::AttributeValue::M;
use testing::{complaint, decision, report};

const TIME: &str = "2024-06-01T00:00:00.000Z";

/// Ben and cara have complained about zoe and about a photo of hers, and zoe about ben and a photo
/// of gone, who has no report any more.
fn seed(fixture: &Fixture) -> Record {
    let photo = format!("zoe~{ADAS_PHOTO}");
    let texts = ["zoe", "cara"].map(|name| (name.to_owned(), S("Look".to_owned())));
    let mut about_ben = report("ben", TIME, &[("spam", 2), ("hate", 1)]);
    about_ben.insert("texts".to_owned(), M(texts.into()));
    let deletion = deletion("zoe");
    fixture.put_all(vec![
        report("zoe", TIME, &[("spam", 2)]),
        complaint("ben", "zoe", "spam"),
        complaint("cara", "zoe", "spam"),
        report(&photo, TIME, &[("hate", 1)]),
        decision("zoe", "dismiss", "ben", TIME),
        decision(&photo, "dismiss", "ben", TIME),
        decision(&photo, "remove", "cara", "2024-06-02T00:00:00.000Z"),
        decision("ben", "dismiss", "zoe", TIME),
        complaint("cara", &photo, "hate"),
        about_ben,
        complaint("zoe", "ben", "spam"),
        complaint("zoe", "gone", "spam"),
        deletion.clone(),
    ]);
    record(user("zoe"), deletion)
}

#[tokio::test]
async fn deletes_the_reports_about_the_user_with_their_decisions_and_the_complaints_by_and_about_the_user() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let of_zoe = seed(&fixture);
    handle(&fixture, of_zoe).await;
    let everything = fixture.all_items().await;
    assert_eq!(everything.keys().filter(|key| key.contains("COMPLAINT")).count(), 0, "{everything:?}");
    let reports: Vec<_> = everything.keys().filter(|key| key.contains("#CASE#")).collect();
    let kept = ["USER#ben #CASE#ben".to_owned(), format!("USER#ben #CASE#ben#{TIME}")];
    assert_eq!(reports, kept.each_ref(), "a decision of zoe about ben stays");
    let about_ben = &everything["USER#ben #CASE#ben"];
    assert_eq!(
        (&about_ben["complaints"], &about_ben["reasons"]),
        (&2.into(), &serde_json::json!({"spam": 1, "hate": 1}))
    );
    assert_eq!(about_ben["texts"], serde_json::json!({"cara": "Look"}));
}

/// The index shows one of two complaints: the other one is written after the function has searched
/// it.
#[tokio::test]
async fn does_not_rest_while_the_index_does_not_show_all_complaints_about_the_user() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = deletion("zoe");
    fixture.put_all(vec![report("zoe", TIME, &[("spam", 2)]), complaint("ben", "zoe", "spam"), deletion.clone()]);
    let of_zoe = record(user("zoe"), deletion);
    // GetItem of the Deletion and of the Latest, and the Queries of photos, of followers with
    // reports, and of complaints.
    fixture.write_concurrently(5, vec![complaint("cara", "zoe", "spam")], vec![]);
    handle_in_vain(&fixture, of_zoe.clone()).await;
    assert_eq!(fixture.item(Key::report(&"zoe".parse().unwrap())).await["complaints"], 1);
    handle(&fixture, of_zoe).await;
    assert_eq!(left_of(&fixture.all_items().await, "zoe"), Vec::<&String>::new());
}
