use super::*;
use serde_json::{Value, json};
use shared::entities::{DEVICE_LIFETIME_DAYS, Device};
use shared::values::Timestamp;
use std::time::{Duration, SystemTime};
use testing::{FEED, Fixture, devices, phone, request};

/// Returns a device that was used that many days ago.
fn used_before(days: u64) -> Device {
    let used = SystemTime::now() - Duration::from_hours(24 * days);
    Device { locale: Some("de".parse().unwrap()), used: Timestamp::from(used), ..phone("token") }
}

#[tokio::test]
async fn returns_the_devices_of_the_caller_without_their_addresses_and_a_key() {
    let fixture = Fixture::new("list-devices").await;
    let of_ada = [("old", 2), ("new", 1), ("expired", DEVICE_LIFETIME_DAYS)].map(|(id, days)| (id, used_before(days)));
    fixture.put_in(FEED, devices("ada", &of_ada)).await;
    fixture.put_in(FEED, devices("ben", &[("bens", used_before(0))])).await;
    let of = |user: &str| fixture.call(ListDevices::start, request("GET", format!("/users/{user}/devices")).by(user));
    let mut answer = of("ada").await;
    assert_eq!((answer.status, fixture.operations()), (200, vec!["GetItem".to_owned()]));
    assert!(!answer.body.to_string().contains("token"), "{}", answer.body);
    let shown = answer.body["devices"].take();
    let ids: Vec<&Value> = shown.as_array().unwrap().iter().map(|device| &device["id"]).collect();
    assert_eq!(ids, ["new", "old"]);
    assert_eq!((&shown[0]["kind"], &shown[0]["locale"]), (&json!("fcm"), &json!("de")));
    let time = |name: &str| shown[0][name].as_str().unwrap().parse::<Timestamp>().unwrap().seconds();
    assert_eq!(time("until") - time("used"), DEVICE_LIFETIME_DAYS * 24 * 60 * 60);

    let other = of("cara").await;
    assert_eq!(other.body["devices"], json!([]));
    assert_eq!(other.body["applicationServerKey"], answer.body["applicationServerKey"]);
    assert_eq!(other.body["applicationServerKey"].as_str().unwrap().len(), 87);
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("list-devices").await;
    assert_eq!(fixture.call_with_sample_event(ListDevices::start).await.status, 200);
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = Fixture::new("list-devices").await;
    let good = |user: &str| request("GET", format!("/users/{user}/devices")).by("ada");
    fixture.needs_a_caller(ListDevices::start, good("ada")).await;
    fixture.refuses(ListDevices::start, good("ben"), 403).await;
    fixture.refuses_bad_usernames(ListDevices::start, "username", good).await;
}
