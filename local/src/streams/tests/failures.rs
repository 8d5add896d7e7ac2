//! Functions that fail, and functions that report failures.

use dynoxide::storage_backend::ManualClock;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::*;

#[tokio::test]
async fn a_failed_batch_is_retried_before_the_next_one() {
    let (mut fixture, first) = Fixture::with_busy_function(mapping()).await;
    fixture.put(&["a", "b"]);
    first.succeed();
    let failures = [
        Ok(Invocation { payload: Bytes::new(), function_error: true }),
        Err(InvokeError::Crashed(String::new())),
        Err(InvokeError::TimedOut(String::new())),
        Err(InvokeError::Busy),
    ];
    for failure in failures {
        let call = fixture.call(&["a", "b"]).await;
        fixture.put(&["later"]);
        call.answer.send(failure).unwrap();
    }
    // Without ReportBatchItemFailures, a report counts as success.
    fixture.call(&["a", "b"]).await.report(&[0]);
    fixture.call(&["later"; 4]).await.succeed();
    fixture.assert_idle().await;
    assert_eq!(fixture.failures(), json!([]));
}

#[tokio::test]
async fn a_batch_is_given_up_after_its_retries() {
    let (mut fixture, first) = Fixture::with_busy_function(Mapping { retries: Some(2), ..mapping() }).await;
    fixture.put(&["a", "b"]);
    first.succeed();
    // A function that cannot be invoked does not count as a retry.
    let call = fixture.call(&["a", "b"]).await;
    let (start, end) = (call.sequence_number(0), call.sequence_number(1));
    call.answer.send(Err(InvokeError::Busy)).unwrap();
    for _ in 0..3 {
        let call = fixture.call(&["a", "b"]).await;
        fixture.put(&["c"]);
        call.fail();
    }
    fixture.call(&["c", "c", "c"]).await.succeed();
    fixture.assert_idle().await;

    let mut failures = fixture.failures();
    let message = &mut failures[0]["message"];
    let is_time = |time: &Value| {
        let time = time.as_str().unwrap();
        time.ends_with('Z') && OffsetDateTime::parse(time, &Rfc3339).is_ok()
    };
    assert!(message["requestContext"]["requestId"].take().is_string());
    assert!(is_time(&message["timestamp"].take()));
    assert!(is_time(&message["DDBStreamBatchInfo"]["approximateArrivalOfFirstRecord"].take()));
    assert!(is_time(&message["DDBStreamBatchInfo"]["approximateArrivalOfLastRecord"].take()));
    let expected = json!({
        "requestContext": {
            "requestId": null,
            "functionArn": "arn:aws:lambda:us-east-1:123456789012:function:listen",
            "condition": "RetryAttemptsExhausted",
            "approximateInvokeCount": 3,
        },
        "responseContext": {"statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"},
        "version": "1.0",
        "timestamp": null,
        "DDBStreamBatchInfo": {
            "shardId": "shardId-00000001-things",
            "startSequenceNumber": start,
            "endSequenceNumber": end,
            "approximateArrivalOfFirstRecord": null,
            "approximateArrivalOfLastRecord": null,
            "batchSize": 2,
            "streamArn": mapping().stream_arn,
        },
    });
    assert_eq!(failures, json!([{"function": "listen", "queue": "lost", "message": expected}]));
}

#[tokio::test]
async fn records_above_the_maximum_age_are_given_up_without_an_invocation() {
    let clock = Arc::new(ManualClock::new(1_700_000_000));
    let database = Database::memory_with_clock(clock).unwrap();
    create_table(&database);
    let mapping = Mapping { max_age: Some(Duration::from_mins(1)), ..mapping() };
    let mut fixture = Fixture::on(database, mapping, Checkpoints::open(None).unwrap());
    fixture.put(&["a", "b"]);
    fixture.assert_idle().await;
    let failures = fixture.failures();
    let given_up: u64 = failures
        .as_array()
        .unwrap()
        .iter()
        .map(|failure| &failure["message"])
        .map(|message| {
            assert_eq!(message["requestContext"]["condition"], "RecordAgeExceeded");
            assert_eq!(message["responseContext"], Value::Null);
            message["DDBStreamBatchInfo"]["batchSize"].as_u64().unwrap()
        })
        .sum();
    assert_eq!(given_up, 2);
}

#[tokio::test]
async fn bisecting_isolates_the_failed_record() {
    let (mut fixture, first) =
        Fixture::with_busy_function(Mapping { bisect: true, retries: Some(1), ..mapping() }).await;
    fixture.put(&["a", "b", "bad", "c", "d"]);
    first.succeed();
    for (pks, succeeds) in [
        (&["a", "b", "bad", "c", "d"][..], false),
        (&["a", "b"], true),
        (&["bad", "c", "d"], false),
        (&["bad"], false),
        (&["bad"], false),
        (&["c", "d"], true),
    ] {
        let call = fixture.call(pks).await;
        if succeeds { call.succeed() } else { call.fail() }
    }
    fixture.assert_idle().await;
    let failures = fixture.failures();
    assert_eq!(failures.as_array().unwrap().len(), 1);
    assert_eq!(failures[0]["message"]["DDBStreamBatchInfo"]["batchSize"], 1);
    assert_eq!(failures[0]["message"]["requestContext"]["approximateInvokeCount"], 4);
}

#[tokio::test]
async fn records_from_the_first_reported_failure_on_are_retried() {
    let (mut fixture, first) =
        Fixture::with_busy_function(Mapping { reports_failures: true, retries: Some(1), ..mapping() }).await;
    fixture.put(&["a", "b", "c", "d"]);
    first.answer("{}");
    fixture.call(&["a", "b", "c", "d"]).await.report(&[3, 1]);
    fixture.call(&["b", "c", "d"]).await.report(&[2]);
    fixture.assert_idle().await;
    let failures = fixture.failures();
    assert_eq!(failures[0]["message"]["DDBStreamBatchInfo"]["batchSize"], 1);
    assert_eq!(failures[0]["message"]["responseContext"], json!({"statusCode": 200, "executedVersion": "$LATEST"}));
}

#[tokio::test]
async fn bisecting_splits_at_the_reported_failure() {
    let mapping = Mapping { reports_failures: true, bisect: true, retries: Some(0), ..mapping() };
    let (mut fixture, first) = Fixture::with_busy_function(mapping).await;
    fixture.put(&["a", "bad", "c", "d"]);
    first.succeed();
    fixture.call(&["a", "bad", "c", "d"]).await.report(&[1]);
    fixture.call(&["bad", "c", "d"]).await.report(&[0]);
    fixture.call(&["bad"]).await.report(&[0]);
    fixture.call(&["c", "d"]).await.succeed();
    fixture.assert_idle().await;
    assert_eq!(fixture.failures()[0]["message"]["DDBStreamBatchInfo"]["batchSize"], 1);
}

#[tokio::test]
async fn reads_a_report_as_lambda_does() {
    let (mut fixture, first) = Fixture::with_busy_function(Mapping { reports_failures: true, ..mapping() }).await;
    let first_number = first.sequence_number(0);
    fixture.put(&["a", "b"]);
    first.succeed();
    for report in [
        r#"{"batchItemFailures": [{"itemIdentifier": ""}]}"#,
        r#"{"batchItemFailures": [{"itemIdentifier": null}]}"#,
        r#"{"batchItemFailures": [{"id": "1"}]}"#,
        &json!({"batchItemFailures": [{"itemIdentifier": first_number}]}).to_string(),
        "no JSON",
    ] {
        fixture.call(&["a", "b"]).await.answer(report);
    }
    for report in ["", "null", "{}", r#"{"batchItemFailures": null}"#, r#"{"batchItemFailures": []}"#] {
        fixture.calls.recv().await.unwrap().answer(report);
        fixture.put(&["c"]);
        fixture.call(&["c"]).await.succeed();
        fixture.put(&["d"]);
    }
    fixture.call(&["d"]).await.succeed();
    fixture.assert_idle().await;
}
