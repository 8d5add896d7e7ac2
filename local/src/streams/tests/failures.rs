//! Functions that fail, and functions that report failures.

use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::*;

#[tokio::test]
async fn a_failed_record_is_retried_before_the_next_one() {
    let (mut fixture, first) = Fixture::with_busy_function(mapping()).await;
    fixture.put(&["a"]);
    first.succeed();
    let failures = [
        Ok(Invocation { payload: Bytes::new(), function_error: true }),
        Err(InvokeError::Crashed(String::new())),
        Err(InvokeError::TimedOut(String::new())),
        Err(InvokeError::Busy),
    ];
    for failure in failures {
        let call = fixture.call(&["a"]).await;
        fixture.put(&["later"]);
        call.answer.send(failure).unwrap();
    }
    fixture.call(&["a"]).await.succeed();
    fixture.call(&["later"; 4]).await.succeed();
    fixture.assert_idle().await;
    assert_eq!(fixture.failures(), json!([]));
}

#[tokio::test]
async fn a_record_is_given_up_after_its_retries() {
    let (mut fixture, first) = Fixture::with_busy_function(EventSourceMapping { retries: 2, ..mapping() }).await;
    fixture.put(&["a"]);
    first.succeed();
    // A function that cannot be invoked does not count as a retry.
    let call = fixture.call(&["a"]).await;
    let number = call.sequence_number(0);
    call.answer.send(Err(InvokeError::Busy)).unwrap();
    for _ in 0..3 {
        let call = fixture.call(&["a"]).await;
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
            "startSequenceNumber": number,
            "endSequenceNumber": number,
            "approximateArrivalOfFirstRecord": null,
            "approximateArrivalOfLastRecord": null,
            "batchSize": 1,
            "streamArn": mapping().stream_arn,
        },
    });
    assert_eq!(failures, json!([{"function": "listen", "queue": "lost", "message": expected}]));
}

#[tokio::test]
async fn bisecting_isolates_the_failed_record() {
    let (mut fixture, first) = Fixture::with_busy_function(EventSourceMapping { retries: 1, ..mapping() }).await;
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
async fn bisecting_splits_at_the_reported_failure() {
    let (mut fixture, first) = Fixture::with_busy_function(EventSourceMapping { retries: 0, ..mapping() }).await;
    fixture.put(&["a", "bad", "c", "d"]);
    first.succeed();
    fixture.call(&["a", "bad", "c", "d"]).await.report(&[3, 1]);
    fixture.call(&["bad", "c", "d"]).await.report(&[0]);
    fixture.call(&["bad"]).await.report(&[0]);
    fixture.call(&["c", "d"]).await.succeed();
    fixture.assert_idle().await;
    let message = &fixture.failures()[0]["message"];
    assert_eq!(message["responseContext"], json!({"statusCode": 200, "executedVersion": "$LATEST"}));
}

#[tokio::test]
async fn reads_a_report_as_lambda_does() {
    let (mut fixture, first) = Fixture::with_busy_function(mapping()).await;
    let first_number = first.sequence_number(0);
    fixture.put(&["a"]);
    first.succeed();
    for report in [
        r#"{"batchItemFailures": [{"itemIdentifier": ""}]}"#,
        r#"{"batchItemFailures": [{"itemIdentifier": null}]}"#,
        r#"{"batchItemFailures": [{"id": "1"}]}"#,
        &json!({"batchItemFailures": [{"itemIdentifier": first_number}]}).to_string(),
        "no JSON",
    ] {
        fixture.call(&["a"]).await.answer(report);
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
