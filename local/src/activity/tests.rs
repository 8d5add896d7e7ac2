use futures_util::FutureExt as _;

use super::*;

fn activity() -> Arc<Activity> {
    Arc::new(Activity::new(Writers::new(&[])))
}

fn parse(event: Option<Arc<str>>) -> Value {
    serde_json::from_str(&event.unwrap()).unwrap()
}

#[tokio::test]
async fn nothing_is_built_while_nobody_watches() {
    let activity = activity();
    activity.publish(|| panic!("nobody watches"));
    let watcher = activity.watch().await;
    assert!(activity.is_watched());
    drop(watcher);
    assert!(!activity.is_watched());
    activity.publish(|| panic!("nobody watches any more"));
}

#[tokio::test]
async fn every_watcher_gets_every_event() {
    let activity = activity();
    let mut watchers = [activity.watch().await, activity.watch().await];
    for n in [1, 2] {
        activity.publish(|| json!({"n": n}));
    }
    for watcher in &mut watchers {
        assert_eq!(parse(watcher.next().await), json!({"n": 1}));
        assert_eq!(parse(watcher.next().await), json!({"n": 2}));
    }
}

#[tokio::test]
async fn a_slow_watcher_learns_what_it_missed_and_goes_on() {
    let activity = activity();
    let mut watcher = activity.watch().await;
    for n in 0..MAX_WAITING_EVENTS + 3 {
        activity.publish(|| json!({"n": n}));
    }
    assert_eq!(parse(watcher.next().await), json!({"type": "lagged", "missed": 3}));
    assert_eq!(parse(watcher.next().await), json!({"n": 3}));
}

#[tokio::test]
async fn a_watcher_ends_with_the_stack() {
    let activity = activity();
    let mut watcher = activity.watch().await;
    activity.close();
    assert_eq!(watcher.next().await, None);
    assert_eq!(activity.watch().await.next().await, None);
}

#[tokio::test]
async fn a_watcher_starts_when_all_sources_read() {
    let activity = activity();
    let mut sources = [activity.source(), activity.source()];
    for _ in 0..2 {
        assert!(sources[0].watched().now_or_never().is_none());
        let mut watching = Box::pin(activity.watch());
        assert!(watching.as_mut().now_or_never().is_none());
        sources[0].watched().await;
        sources[0].start();
        assert!(watching.as_mut().now_or_never().is_none());
        sources[1].start();
        let watcher = watching.await;
        assert!(sources.iter_mut().all(ActivitySource::goes_on));
        drop(watcher);
        // A watcher who comes before a source has noticed that there was none needs no new start.
        drop(activity.watch().now_or_never().unwrap());
        assert!(!sources.iter_mut().any(ActivitySource::goes_on));
    }
}

#[test]
fn a_long_text_is_cut_and_binary_data_is_left_out() {
    assert_eq!(text_of(b""), (Value::Null, false));
    assert_eq!(text_of(b"{}"), (json!("{}"), false));
    assert_eq!(text_of(b"\xff"), (Value::Null, true));
    let long = "é".repeat(MAX_TEXT_BYTES);
    let (text, cut) = text_of(long.as_bytes());
    assert!(cut);
    assert_eq!(text.as_str().unwrap().len(), MAX_TEXT_BYTES);
    assert_eq!(text_of(format!("a{long}").as_bytes()).0.as_str().unwrap().len(), MAX_TEXT_BYTES - 1);
}
