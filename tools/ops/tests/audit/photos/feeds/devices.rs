//! The devices to which pushes go, and what was sent to them.

use aws_sdk_dynamodb::types::AttributeValue::{M, Ss};
use serde_json::json;
use shared::entities::{DEVICE_IDS, MAX_DEVICES, Topic, device_attribute};
use shared::values::NotificationKind;

use super::*;

const TOKEN: &str = "token-that-no-report-has";

fn devices_of_ada(ids: &[String]) -> Item {
    let devices: Vec<_> = ids.iter().map(|id| (id.as_str(), testing::phone(TOKEN))).collect();
    let mut item = testing::devices("ada", &devices);
    item.insert("ttl".to_owned(), number(4_000_000_000));
    item
}

fn ids(number: usize) -> Vec<String> {
    (0..number).map(|number| format!("phone-{number}")).collect()
}

#[tokio::test]
async fn accepts_as_many_devices_as_a_user_may_have_and_an_item_that_has_none_left() {
    let feeds = Feeds::seed();
    for number in [1, MAX_DEVICES] {
        feeds.put(devices_of_ada(&ids(number))).await;
        assert_eq!(feeds.findings().await, [""; 0]);
    }
    let mut empty = Item::from(Key::devices(&name("ada")));
    empty.insert("ttl".to_owned(), number(4_000_000_000));
    feeds.put(empty).await;
    assert_eq!(feeds.findings().await, [""; 0]);
}

#[tokio::test]
async fn reports_malformed_devices_without_their_addresses_and_does_not_change_them() {
    let feeds = Feeds::seed();
    let other_ids = |ids: &[&str]| (DEVICE_IDS.to_owned(), Ss(ids.iter().map(ToString::to_string).collect()));
    let device = |id: &str| device_attribute(&id.parse().unwrap());
    let no_kind = M([("token".to_owned(), text(TOKEN)), ("used".to_owned(), text("2024-05-30T15:42:38"))].into());
    for (number_of_devices, (attribute, value), reason) in [
        (2, other_ids(&["phone-0"]), "ids does not have exactly the ids of its devices"),
        (1, other_ids(&["phone-0", "phone-1"]), "ids does not have exactly the ids of its devices"),
        (1, (device("phone-0"), text(TOKEN)), "ids does not have exactly the ids of its devices"),
        (1, (device("phone-0"), no_kind), "one of its devices is malformed"),
        (1, ("device#phone 0".to_owned(), M([].into())), "one of its devices is malformed"),
        (MAX_DEVICES + 1, other_ids(&[]), "it has 21 devices, but the maximum is 20"),
    ] {
        let mut item = devices_of_ada(&ids(number_of_devices));
        if value != Ss(vec![]) {
            item.insert(attribute, value);
        }
        feeds.put(item).await;
        assert_eq!(feeds.findings().await, [format!("item \"Inbox#ada\" \"DEVICES\": {reason}")]);
        let before = feeds.all_items().await;
        let report = feeds.audit(true).await;
        assert_eq!(report.findings[0].1, Resolution::NeedsManualRepair);
        assert_eq!(feeds.all_items().await, before);
    }
}

#[tokio::test]
async fn reads_what_was_sent_of_a_notification() {
    let feeds = Feeds::seed();
    let topic = Topic::new(NotificationKind::Follower, None, &"2096-05-30T15:42:38".parse().unwrap());
    let key = Key::notification(&name("ben"), &topic);
    let pushed = json!({
        "claim": "1", "changed": "2024-05-30T15:42:38.000Z", "time": "2024-05-30T15:42:39.000Z", "until": 0, "attempts": 0,
    });
    feeds.set(key.clone(), "pushed", Some(serde_dynamo::to_attribute_value(pushed).unwrap())).await;
    assert_eq!(feeds.findings().await, [""; 0]);
    feeds.set(key, "pushed", Some(M([].into()))).await;
    let findings = feeds.findings().await;
    let line = "item \"Inbox#ben\" \"2096-05-30#follower\": pushed: missing field `claim`";
    assert_eq!(findings, [line]);
}

/// finish-deletion deletes them once more.
#[tokio::test]
async fn finds_devices_and_notifications_that_a_deletion_has_left() {
    let feeds = Feeds::seed();
    feeds.put(testing::devices("gone", &[("phone", testing::phone(TOKEN))])).await;
    let topic = Topic::new(NotificationKind::Follower, None, &"2024-05-30T15:42:38".parse().unwrap());
    feeds.put(Key::notification(&name("gone"), &topic)).await;
    let line = "user gone: does not exist, but there are 1 devices, 1 items of the inbox";
    assert_eq!(feeds.findings().await, [line]);
}
