//! Functions that fail, and what they report.

use dynoxide::storage_backend::ManualClock;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::*;

#[tokio::test]
async fn a_batch_that_failed_comes_again_before_anything_else() {
    let (mut stage, first) = Stage::held(mapping()).await;
    stage.put(&["a", "b"]);
    first.succeed();
    let failures = [
        Ok(Invocation { payload: Bytes::new(), function_error: true }),
        Err(InvokeError::Crashed(String::new())),
        Err(InvokeError::TimedOut(String::new())),
        Err(InvokeError::Busy),
    ];
    for failure in failures {
        let call = stage.call(&["a", "b"]).await;
        stage.put(&["later"]);
        call.answer.send(failure).unwrap();
    }
    // Without the setting, a report is an answer like any other.
    stage.call(&["a", "b"]).await.report(&[0]);
    stage.call(&["later"; 4]).await.succeed();
    stage.is_quiet().await;
    assert_eq!(stage.failures(), json!([]));
}

#[tokio::test]
async fn a_batch_is_given_up_after_its_retries() {
    let (mut stage, first) = Stage::held(Mapping { retries: Some(2), ..mapping() }).await;
    stage.put(&["a", "b"]);
    first.succeed();
    // A function that can't be called uses up none.
    let call = stage.call(&["a", "b"]).await;
    let (start, end) = (call.sequence_number(0), call.sequence_number(1));
    call.answer.send(Err(InvokeError::Busy)).unwrap();
    for _ in 0..3 {
        let call = stage.call(&["a", "b"]).await;
        stage.put(&["c"]);
        call.fail();
    }
    stage.call(&["c", "c", "c"]).await.succeed();
    stage.is_quiet().await;

    let mut failures = stage.failures();
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
async fn records_that_are_too_old_are_given_up_untried() {
    let clock = Arc::new(ManualClock::new(1_700_000_000));
    let database = Database::memory_with_clock(clock).unwrap();
    create_table(&database);
    let mapping = Mapping { max_age: Some(Duration::from_mins(1)), ..mapping() };
    let mut stage = Stage::on(database, mapping, Checkpoints::open(None).unwrap());
    stage.put(&["a", "b"]);
    stage.is_quiet().await;
    let failures = stage.failures();
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
async fn bisecting_leaves_the_bad_record_alone() {
    let (mut stage, first) = Stage::held(Mapping { bisect: true, retries: Some(1), ..mapping() }).await;
    stage.put(&["a", "b", "bad", "c", "d"]);
    first.succeed();
    for (pks, succeeds) in [
        (&["a", "b", "bad", "c", "d"][..], false),
        (&["a", "b"], true),
        (&["bad", "c", "d"], false),
        (&["bad"], false),
        (&["bad"], false),
        (&["c", "d"], true),
    ] {
        let call = stage.call(pks).await;
        if succeeds { call.succeed() } else { call.fail() }
    }
    stage.is_quiet().await;
    let failures = stage.failures();
    assert_eq!(failures.as_array().unwrap().len(), 1);
    assert_eq!(failures[0]["message"]["DDBStreamBatchInfo"]["batchSize"], 1);
    assert_eq!(failures[0]["message"]["requestContext"]["approximateInvokeCount"], 4);
}

#[tokio::test]
async fn what_follows_the_first_reported_failure_comes_again() {
    let (mut stage, first) = Stage::held(Mapping { reports_failures: true, retries: Some(1), ..mapping() }).await;
    stage.put(&["a", "b", "c", "d"]);
    first.answer("{}");
    stage.call(&["a", "b", "c", "d"]).await.report(&[3, 1]);
    stage.call(&["b", "c", "d"]).await.report(&[2]);
    stage.is_quiet().await;
    let failures = stage.failures();
    assert_eq!(failures[0]["message"]["DDBStreamBatchInfo"]["batchSize"], 1);
    assert_eq!(failures[0]["message"]["responseContext"], json!({"statusCode": 200, "executedVersion": "$LATEST"}));
}

#[tokio::test]
async fn reports_and_bisecting_go_together() {
    let mapping = Mapping { reports_failures: true, bisect: true, retries: Some(0), ..mapping() };
    let (mut stage, first) = Stage::held(mapping).await;
    stage.put(&["a", "bad", "c", "d"]);
    first.succeed();
    stage.call(&["a", "bad", "c", "d"]).await.report(&[1]);
    stage.call(&["bad", "c", "d"]).await.report(&[0]);
    stage.call(&["bad"]).await.report(&[0]);
    stage.call(&["c", "d"]).await.succeed();
    stage.is_quiet().await;
    assert_eq!(stage.failures()[0]["message"]["DDBStreamBatchInfo"]["batchSize"], 1);
}

#[tokio::test]
async fn a_report_is_read_as_lambda_reads_it() {
    let (mut stage, first) = Stage::held(Mapping { reports_failures: true, ..mapping() }).await;
    let first_number = first.sequence_number(0);
    stage.put(&["a", "b"]);
    first.succeed();
    for report in [
        r#"{"batchItemFailures": [{"itemIdentifier": ""}]}"#,
        r#"{"batchItemFailures": [{"itemIdentifier": null}]}"#,
        r#"{"batchItemFailures": [{"id": "1"}]}"#,
        &json!({"batchItemFailures": [{"itemIdentifier": first_number}]}).to_string(),
        "no JSON",
    ] {
        stage.call(&["a", "b"]).await.answer(report);
    }
    for report in ["", "null", "{}", r#"{"batchItemFailures": null}"#, r#"{"batchItemFailures": []}"#] {
        stage.calls.recv().await.unwrap().answer(report);
        stage.put(&["c"]);
        stage.call(&["c"]).await.succeed();
        stage.put(&["d"]);
    }
    stage.call(&["d"]).await.succeed();
    stage.is_quiet().await;
}
