//! Mappings with a `ParallelizationFactor`.

use super::*;

/// Returns the letters of the alphabet in two lists: those in the lane of `a`, and those in other
/// lanes.
async fn lane_of_a(mapping: &EventSourceMapping) -> (Vec<String>, Vec<String>) {
    let probe = Fixture::on(database(), mapping.clone(), Checkpoints::open(None).unwrap());
    let all: Vec<String> = ('a'..='z').map(String::from).collect();
    for pk in &all {
        put(&probe.database, pk);
    }
    let source = Source::new(probe.database.clone(), mapping).unwrap();
    let mut lanes = vec![];
    for index in 0..mapping.parallelization {
        let lane = Lane { index, lanes: mapping.parallelization };
        let records = source.read("", 100, lane, &[]).await.unwrap();
        let pks = records.into_iter().zip(&all).filter_map(|((_, record), pk)| record.map(|_| pk.clone()));
        lanes.push(pks.collect::<Vec<_>>());
    }
    assert_eq!(lanes.iter().map(Vec::len).sum::<usize>(), all.len());
    let (same, others): (Vec<_>, Vec<_>) = lanes.into_iter().partition(|lane| lane.contains(&all[0]));
    (same.concat(), others.concat())
}

/// A record that takes long delays those of its own item, and the tenth of the others that is in
/// its lane.
#[tokio::test]
async fn items_in_other_lanes_do_not_wait() {
    let directory = tempfile::tempdir().unwrap();
    let checkpoints = || Checkpoints::open(Some(directory.path())).unwrap();
    let mapping = EventSourceMapping { parallelization: 10, ..mapping() };
    let (same_lane, others) = lane_of_a(&mapping).await;
    let mut fixture = Fixture::on(database(), mapping.clone(), checkpoints());
    fixture.put(&["a"]);
    let slow = fixture.call(&["a"]).await;
    for pk in same_lane.iter().chain(&others) {
        put(&fixture.database, pk);
    }
    let mut seen = vec![];
    while seen.len() < others.len() {
        let call = timeout(TEST_TIMEOUT, fixture.calls.recv()).await.unwrap().unwrap();
        seen.extend(call.pks().into_iter().map(str::to_owned));
        call.succeed();
    }
    seen.sort_unstable();
    let mut expected = others.clone();
    expected.sort_unstable();
    assert_eq!(seen, expected);
    assert!(fixture.calls.try_recv().is_err());
    fixture.streams.shutdown().await;
    drop(slow);

    // The checkpoint has not passed the record that was not finished.
    let mut fixture = Fixture::on(fixture.database, mapping, checkpoints());
    let mut again = vec![];
    while again.len() < others.len() + same_lane.len() + 1 {
        let call = timeout(TEST_TIMEOUT, fixture.calls.recv()).await.unwrap().unwrap();
        again.extend(call.pks().into_iter().map(str::to_owned));
        call.succeed();
    }
    assert_eq!(again.iter().filter(|pk| *pk == "a").count(), 2);
    fixture.assert_idle().await;
}

/// Records of one item are in one lane, so they arrive in the order of the writes, also if an
/// invocation fails.
#[tokio::test]
async fn records_of_an_item_stay_in_order_in_lanes() {
    let processed = Arc::new(Mutex::new(vec![]));
    let invocations = Arc::new(Mutex::new(0));
    let invoke: Arc<Invoke> = {
        let processed = processed.clone();
        Arc::new(move |_: &str, _: &str, event: Bytes| {
            let event: Value = serde_json::from_slice(&event).unwrap();
            let mut invocations = invocations.lock().unwrap();
            *invocations += 1;
            if *invocations % 3 == 0 {
                return async { Err(InvokeError::Crashed(String::new())) }.boxed();
            }
            for record in event["Records"].as_array().unwrap() {
                let image = &record["dynamodb"]["NewImage"];
                let text = |name: &str| image[name]["S"].as_str().unwrap().to_owned();
                processed.lock().unwrap().push((text("pk"), text("more")));
            }
            async { Ok(Invocation { payload: Bytes::from_static(b"null"), function_error: false }) }.boxed()
        })
    };
    let database = database();
    let mut streams = Streams::default();
    let checkpoints = Arc::new(Checkpoints::open(None).unwrap());
    let mapping = EventSourceMapping { batch_size: 3, parallelization: 4, ..mapping() };
    streams.add("listen", mapping, &database, &Arc::default(), checkpoints, &invoke).unwrap();
    let writes: Vec<_> = (100..300).map(|number| ((number % 7).to_string(), number.to_string())).collect();
    for (pk, more) in &writes {
        put_with(&database, pk, more);
        tokio::task::yield_now().await;
    }
    timeout(TEST_TIMEOUT, streams.idle()).await.unwrap();
    let processed = processed.lock().unwrap();
    assert_eq!(processed.len(), writes.len());
    for item in ["0", "1", "2", "3", "4", "5", "6"] {
        let of = |all: &[(String, String)]| all.iter().filter(|(pk, _)| pk == item).cloned().collect::<Vec<_>>();
        assert_eq!(of(&processed), of(&writes));
    }
}
