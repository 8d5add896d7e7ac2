use super::*;
use shared::entities::devices;
use shared::values::Username;
use testing::{FEED, Fault, Fixture, request};

async fn put(fixture: &Fixture, user: &str, ids: &[&str]) {
    let devices: Vec<_> = ids.iter().map(|id| (*id, testing::phone(&format!("{user}-{id}")))).collect();
    fixture.put_in(FEED, testing::devices(user, &devices)).await;
}

fn delete(user: &str, id: &str) -> testing::TestRequest {
    request("DELETE", format!("/users/{user}/devices/{id}")).by(user)
}

/// Returns the ids of the devices of a user.
async fn stored(fixture: &Fixture, user: &str) -> Vec<String> {
    let feed = fixture.unrecorded_table(FEED);
    let user: Username = user.parse().unwrap();
    let get = feed.client.get_item().table_name(&feed.name).set_key(Some(Key::devices(&user).into()));
    let item = get.send().await.unwrap().item.unwrap_or_default();
    let mut ids = item.get(DEVICE_IDS).map_or(vec![], |ids| ids.as_ss().unwrap().clone());
    ids.sort();
    let mut found: Vec<String> = devices(item).unwrap().into_iter().map(|(id, _)| id.to_string()).collect();
    found.sort();
    assert_eq!(found, ids);
    found
}

#[tokio::test]
async fn deletes_one_device_of_one_user_however_often() {
    let fixture = Fixture::new("delete-device").await;
    put(&fixture, "ada", &["a", "b"]).await;
    put(&fixture, "ben", &["a"]).await;
    for _ in 0..2 {
        assert_eq!(fixture.call(DeleteDevice::start, delete("ada", "a")).await.status, 204);
        assert_eq!(fixture.operations(), ["TransactWriteItems"]);
        assert_eq!(
            (stored(&fixture, "ada").await, stored(&fixture, "ben").await),
            (vec!["b".to_owned()], vec!["a".to_owned()])
        );
    }
    fixture.inject([Fault::AnswerLost]);
    assert_eq!(fixture.call(DeleteDevice::start, delete("ada", "b")).await.status, 204);
    assert!(stored(&fixture, "ada").await.is_empty());

    assert_eq!(fixture.call(DeleteDevice::start, delete("cara", "a")).await.status, 204);
    let items = fixture.all_items_of(FEED).await;
    assert!(!items.contains_key("Inbox#cara DEVICES"), "it makes no item");
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("delete-device").await;
    assert_eq!(fixture.call_with_sample_event(DeleteDevice::start).await.status, 204);
}

#[tokio::test]
async fn refuses_a_user_who_does_not_exist_and_another_account() {
    let fixture = Fixture::new("delete-device").await;
    assert_eq!(fixture.call(DeleteDevice::start, delete("dora", "a")).await.status, 404);
    fixture.put(testing::with(testing::user("dora"), "subject", "another")).await;
    put(&fixture, "dora", &["a"]).await;
    assert_eq!(fixture.call(DeleteDevice::start, delete("dora", "a")).await.status, 403);
    assert_eq!(stored(&fixture, "dora").await, ["a"]);
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = Fixture::new("delete-device").await;
    let good = |user: &str| request("DELETE", format!("/users/{user}/devices/a")).by("ada");
    fixture.needs_a_caller(DeleteDevice::start, good("ada")).await;
    fixture.refuses(DeleteDevice::start, good("ben"), 403).await;
    fixture.refuses_bad_usernames(DeleteDevice::start, "username", good).await;
    for id in [".", "a%20b", "a%23b", &"a".repeat(65)] {
        fixture.refuses_field(DeleteDevice::start, delete("ada", id), "id").await;
    }
}
