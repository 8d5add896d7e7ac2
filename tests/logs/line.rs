//! Tests the line that each invocation writes.

use local::lambda::build;
use local::lambda::process::Process;
use local::template::{Function, Route};
use local::trace::Trace;
use serde_json::{Value, json};
use testing::harness::Harness;
use testing::recorder::{Recorder, Request};
use tests::stack::build_functions;

use crate::logs::{command, sample_event};

/// The id of every invocation.
const REQUEST_ID: &str = "8476a536-e9f4-11e8-9739-2dfe598c3fcd";

/// Returns the line of an invocation without the fields that differ from run to run.
fn expected(function: &Function, event: &Value, answer: &Value, operations: &[Request]) -> Value {
    let mut line = json!({
        "level": "INFO",
        "function": function.name,
        "requests": operations.len(),
        "readUnits": operations.iter().map(|operation| operation.units.read).sum::<f64>(),
        "writeUnits": operations.iter().map(|operation| operation.units.write).sum::<f64>(),
        "requestId": REQUEST_ID,
    });
    let search_bytes: f64 = operations.iter().map(|operation| operation.units.search_bytes).sum();
    if search_bytes > 0.0 {
        line["searchBytes"] = search_bytes.into();
    }
    if let Some(route) = function.routes.first() {
        line["message"] = "request".into();
        line["route"] = Route::key(route).into();
        line["status"] = answer["statusCode"].clone();
    } else if function.reads_records() {
        line["message"] = "batch".into();
        line["records"] = event["Records"].as_array().unwrap().len().into();
        line["failed"] = answer["batchItemFailures"].as_array().unwrap().len().into();
    } else {
        line["message"] = if function.schedules.is_empty() { "event" } else { "schedule" }.into();
        line["failed"] = answer.get("errorMessage").is_some().into();
    }
    line
}

#[tokio::test]
async fn each_invocation_writes_what_it_answered_and_what_it_asked_of_dynamodb() {
    build_functions().await;
    let harness = Harness::new(build::directory().unwrap()).unwrap();
    let recorder = Recorder::start(harness.dynamodb()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    for function in &harness.template().functions {
        harness.restore().unwrap();
        let event = sample_event(&harness, function);
        harness.apply_stream_changes(function, &event).unwrap();
        harness.put_objects().await.unwrap();
        let log = directory.path().join(&function.name);
        let command = command(&harness, function, "INFO", recorder.url(), &log);
        let mut process = Process::start(&function.name.as_str().into(), command).unwrap();
        let (mut expected_lines, mut traces) = (vec![], vec![]);
        for _ in 0..2 {
            let trace = Trace::start();
            let arn = "arn:aws:lambda:eu-west-1:123456789012:function:any".into();
            let payload = event.to_string().into();
            let invocation = process.invoke(REQUEST_ID, &arn, &trace, payload, function.timeout).await.unwrap();
            let answer: Value = serde_json::from_slice(&invocation.payload).unwrap();
            expected_lines.push(expected(function, &event, &answer, &recorder.take()));
            traces.push(trace.to_string());
        }
        process.kill().await;
        expected_lines[0]["coldStart"] = true.into();

        let text = std::fs::read_to_string(&log).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let mut lines: Vec<Value> = lines.filter(|line| line["level"] == "INFO").collect();
        for (line, trace) in lines.iter_mut().zip(&traces) {
            let fields = line.as_object_mut().unwrap();
            assert!(fields.remove("timestamp").is_some_and(|time| time.is_string()), "{text}");
            assert!(fields.remove("ms").is_some_and(|ms| ms.as_f64() > Some(0.0)), "{text}");
            assert_eq!(fields.remove("trace").unwrap(), *trace, "{text}");
        }
        assert_eq!(lines, expected_lines, "{text}");
    }
}
