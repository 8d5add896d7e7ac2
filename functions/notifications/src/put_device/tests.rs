use super::*;
use serde_json::{Value, json};
use shared::entities::devices;
use testing::{FEED, Fault, Fixture, deletion, request};

fn token(token: &str) -> Value {
    json!({"address": {"kind": "fcm", "token": token}, "locale": "en-GB", "appVersion": "1.2"})
}

fn put(user: &str, id: &str, body: &Value) -> testing::TestRequest {
    request("PUT", format!("/users/{user}/devices/{id}")).by(user).json(body)
}

/// A deployment that sends to phones too.
async fn fixture() -> Fixture {
    Fixture::with_parameters("put-device", &[("PushApplication", "0123456789abcdef0123456789abcdef")]).await
}

/// Returns the devices of a user, each with its address.
async fn stored(fixture: &Fixture, user: &str) -> Vec<(String, Address)> {
    let feed = fixture.unrecorded_table(FEED);
    let key = Key::devices(&user.parse().unwrap());
    let get = feed.client.get_item().table_name(&feed.name).set_key(Some(key.into()));
    let item = get.send().await.unwrap().item.unwrap_or_default();
    let mut ids = item.get(DEVICE_IDS).map_or(vec![], |ids| ids.as_ss().unwrap().clone());
    ids.sort();
    let mut found: Vec<_> =
        devices(item).unwrap().into_iter().map(|(id, device)| (id.to_string(), device.address)).collect();
    found.sort_by(|(id, _), (other, _)| id.cmp(other));
    assert_eq!(found.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>(), ids);
    found
}

#[tokio::test]
async fn registers_devices_of_each_kind_and_each_user() {
    let fixture = fixture().await;
    for (user, id, kind) in [("cara", "a", "fcm"), ("cara", "b", "apns"), ("ben", "a", "fcm")] {
        let body = json!({"address": {"kind": kind, "token": format!("{user}-{id}")}});
        let answer = fixture.call(PutDevice::start, put(user, id, &body)).await;
        assert_eq!((answer.status, &answer.body["id"], &answer.body["kind"]), (200, &json!(id), &json!(kind)));
        assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    }
    let address = |token: &str| Address::Fcm { token: token.parse().unwrap() };
    assert_eq!(stored(&fixture, "ben").await, [("a".to_owned(), address("ben-a"))]);
    let of_cara = stored(&fixture, "cara").await;
    assert_eq!((of_cara.len(), &of_cara[0].1), (2, &address("cara-a")));

    assert_eq!(fixture.call(PutDevice::start, put("cara", "a", &token("new"))).await.status, 200);
    let of_cara = stored(&fixture, "cara").await;
    assert_eq!((of_cara.len(), &of_cara[0].1), (2, &address("new")), "it replaces the address");
}

#[tokio::test]
async fn the_next_device_replaces_the_one_that_was_not_used_for_longest() {
    let fixture = fixture().await;
    for number in 0..MAX_DEVICES {
        fixture.call(PutDevice::start, put("cara", &format!("d{number:02}"), &token("a"))).await;
    }
    // The first one is used again.
    fixture.call(PutDevice::start, put("cara", "d00", &token("a"))).await;
    let _ = fixture.operations();
    assert_eq!(fixture.call(PutDevice::start, put("cara", "new", &token("b"))).await.status, 200);
    assert_eq!(fixture.operations(), ["TransactWriteItems", "TransactWriteItems"]);
    let ids: Vec<String> = stored(&fixture, "cara").await.into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), MAX_DEVICES);
    assert!(ids.contains(&"new".to_owned()) && ids.contains(&"d00".to_owned()) && !ids.contains(&"d01".to_owned()));
}

#[tokio::test]
async fn a_lost_answer_changes_nothing() {
    let fixture = fixture().await;
    fixture.inject([Fault::AnswerLost]);
    assert_eq!(fixture.call(PutDevice::start, put("cara", "a", &token("t"))).await.status, 200);
    assert_eq!(stored(&fixture, "cara").await.len(), 1);
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("put-device").await;
    let answer = fixture.call_with_sample_event(PutDevice::start).await;
    assert_eq!((answer.status, &answer.body["kind"]), (200, &json!("web")), "{}", answer.body);
}

#[tokio::test]
async fn refuses_a_user_who_does_not_exist_and_another_account() {
    let fixture = fixture().await;
    fixture.put(deletion("emil")).await;
    for user in ["dora", "emil"] {
        assert_eq!(fixture.call(PutDevice::start, put(user, "a", &token("t"))).await.status, 404, "{user}");
    }
    fixture.put(testing::with(testing::user("dora"), "subject", "another")).await;
    assert_eq!(fixture.call(PutDevice::start, put("dora", "a", &token("t"))).await.status, 403);
    for user in ["dora", "emil"] {
        assert_eq!(stored(&fixture, user).await, []);
    }
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = fixture().await;
    let good = |user: &str| request("PUT", format!("/users/{user}/devices/a")).by("cara").json(&token("t"));
    fixture.needs_a_caller(PutDevice::start, good("cara")).await;
    fixture.refuses(PutDevice::start, good("ben"), 403).await;
    fixture.refuses_bad_usernames(PutDevice::start, "username", good).await;
    for id in [".", "a%20b", "a%23b", &"a".repeat(65)] {
        fixture.refuses_field(PutDevice::start, put("cara", id, &token("t")), "id").await;
    }

    let sample: Value = serde_json::from_str(fixture.sample_event()["body"].as_str().unwrap()).unwrap();
    let with = |name: &str, value: Value| {
        let mut address = sample["address"].clone();
        address[name] = value;
        json!({ "address": address })
    };
    let (other_form, short) = (format!("C{}", "A".repeat(86)), "A".repeat(21));
    let keys = &sample["address"]["keys"];
    for (body, field) in [
        (json!({}), "address"),
        (json!({"address": {"kind": "sms", "token": "t"}}), "address"),
        (json!({"address": {"token": "t"}}), "address"),
        (json!({"address": {"kind": "fcm"}}), "address"),
        (json!({"address": {"kind": "apns", "token": ""}}), "address"),
        (json!({"address": {"kind": "apns", "token": "a b"}}), "address"),
        (json!({"address": {"kind": "fcm", "token": "t", "keys": keys}}), "address"),
        (json!({"address": {"kind": "fcm", "token": "t"}, "locale": "en_GB"}), "locale"),
        (json!({"address": {"kind": "fcm", "token": "t"}, "appVersion": "1 2"}), "appVersion"),
        (json!({"address": {"kind": "fcm", "token": "t"}, "colour": "blue"}), "colour"),
        (with("token", json!("t")), "address"),
        (with("endpoint", Value::Null), "address"),
        (with("endpoint", json!("https://example.com/push")), "address"),
        (with("endpoint", json!("http://169.254.169.254/latest")), "address"),
        (with("keys", Value::Null), "address"),
        (with("keys", json!({"p256dh": other_form, "auth": keys["auth"]})), "address"),
        (with("keys", json!({"p256dh": keys["p256dh"], "auth": short})), "address"),
    ] {
        fixture.refuses_field(PutDevice::start, put("cara", "a", &body), field).await;
    }
    fixture.refuses_bad_bodies(PutDevice::start, request("PUT", "/users/cara/devices/a").by("cara")).await;

    let browsers_only = Fixture::new("put-device").await;
    browsers_only.refuses_field(PutDevice::start, put("cara", "a", &token("t")), "address").await;
}
