//! The recording of requests to DynamoDB while somebody watches, and the events of invocations.

use super::*;
use crate::trace::Trace;

/// Returns the process that answers next, and its endpoint of DynamoDB.
async fn pid_and_endpoint(runtime: &Runtime) -> (u64, String) {
    let answer = invoke(runtime, json!({"do": "endpoint"})).await.unwrap();
    (answer["pid"].as_u64().unwrap(), answer["endpoint"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn processes_are_recorded_while_somebody_watches() {
    let activity = activity();
    let runtime = Arc::new(runtime_with("Timeout: 60", TEST_TIMEOUT, &activity));
    let [direct, recorded] = ["http://localhost:1", "http://localhost:4"];
    let (first, endpoint) = pid_and_endpoint(&runtime).await;
    assert_eq!(endpoint, direct);

    // A request that is under way ends in its process, whose endpoint is then the wrong one.
    let gate = Gate::new().await;
    let under_way = |gate: &Gate| {
        let (runtime, event) = (runtime.clone(), gate.event());
        tokio::spawn(async move { invoke(&runtime, event).await })
    };
    let caller = under_way(&gate);
    let held = gate.arrival().await;
    let watcher = activity.watch().await;
    let (second, endpoint) = pid_and_endpoint(&runtime).await;
    assert_eq!((endpoint.as_str(), second != first), (recorded, true));
    drop(held);
    assert_eq!(caller.await.unwrap().unwrap()["pid"], first);
    // The process that has just ended its request is the one that was used last.
    assert_eq!(pid_and_endpoint(&runtime).await, (second, recorded.to_owned()));
    wait_for_the_end_of(first).await;

    let caller = under_way(&gate);
    let held = gate.arrival().await;
    drop(watcher);
    let (third, endpoint) = pid_and_endpoint(&runtime).await;
    assert_eq!((endpoint.as_str(), third != second), (direct, true));
    drop(held);
    assert_eq!(caller.await.unwrap().unwrap()["pid"], second);
    assert_eq!(pid_and_endpoint(&runtime).await, (third, direct.to_owned()));
    wait_for_the_end_of(second).await;
}

#[tokio::test]
async fn an_invocation_is_published_with_its_cause() {
    let activity = activity();
    let runtime = runtime_with("Timeout: 60", TEST_TIMEOUT, &activity);
    pid(&runtime).await;
    let mut watcher = activity.watch().await;
    let trace = Trace::start();
    let origin = Origin::for_request("r1", trace.clone());
    let event = json!({"do": "answer"}).to_string();
    let answer = runtime.invoke_from("TestFunction", origin.clone(), event.into()).await.unwrap();
    let answer: Value = serde_json::from_slice(&answer.payload).unwrap();
    assert_eq!(Trace::from_header(answer["trace"].as_str().unwrap()), Some(trace.clone()));

    let mut next = async || -> Value { serde_json::from_str(&watcher.next().await.unwrap()).unwrap() };
    let mut published = next().await;
    assert!(published["ms"].take().as_f64().unwrap() > 0.0);
    assert!(published["time"].take().as_u64().unwrap() > 1_700_000_000_000);
    let expected = json!({"type": "invocation", "trace": trace.to_string(), "id": origin.id, "time": null, "ms": null,
        "function": "function.sh", "cold": true, "error": null, "cause": {"request": "r1"}});
    assert_eq!(published, expected);

    for (event, error) in [("answer", None), ("fail", Some("\"pid\"")), ("crash", Some("exit status: 3"))] {
        let _ = runtime.invoke("TestFunction", json!({"do": event}).to_string().into()).await;
        let published = next().await;
        assert_eq!(published["cold"], false);
        assert_eq!(published["cause"], json!({"event": "direct", "writtenBy": null}));
        match (published["error"].as_str(), error) {
            (Some(message), Some(part)) => assert!(message.contains(part), "{message}"),
            (message, error) => assert_eq!(message, error),
        }
    }
}
