//! An export is one more observer: it shows what the lists show.

use std::collections::BTreeMap;
use std::time::Duration;

use testing::archive::unzip;
use tokio::time::{sleep, timeout};

use super::*;

/// The maximum time in which an export is made.
const TIMEOUT: Duration = Duration::from_mins(1);

/// The files of an export.
struct Export(BTreeMap<String, Vec<u8>>);

impl Export {
    /// Returns the entries of the only page of a section.
    fn entries(&self, section: &str) -> Vec<Value> {
        let page: Value = serde_json::from_slice(&self.0[&format!("{section}/1.json")]).unwrap();
        assert_eq!(page["next"], Value::Null);
        page["entries"].as_array().unwrap().clone()
    }

    /// Returns the values of a field of the entries of a section, in their order.
    fn values(&self, section: &str, field: &str) -> Vec<Value> {
        let mut values: Vec<Value> = self.entries(section).iter().map(|entry| entry[field].clone()).collect();
        values.sort_by_key(Value::to_string);
        values
    }
}

impl World {
    /// Makes an export of a caller.
    async fn export(&self, caller: &str) -> Export {
        let export = self.created(caller, &format!("/users/{caller}/exports"), &json!({})).await;
        let path = format!("/users/{caller}/exports/{}", export["id"].as_str().unwrap());
        let ready = async {
            loop {
                let (_, export) = self.get(caller, &path).await;
                if export["state"] == "ready" {
                    return export;
                }
                assert_ne!(export["state"], "failed", "{export}");
                sleep(Duration::from_millis(50)).await;
            }
        };
        let ready = timeout(TIMEOUT, ready).await.expect("the export is ready");
        let file = self.api.http.get(ready["url"].as_str().unwrap()).send().await.unwrap().bytes().await.unwrap();
        Export(unzip(&file))
    }

    /// Returns the letters of the photos of the owner among references in an export.
    fn letters_of(&self, photos: &[Value]) -> String {
        let is_among = |path: &str| {
            let id = id_of(path);
            photos.iter().any(|photo| photo["username"] == "owner" && photo["id"] == id)
        };
        cell(self.photos.iter().filter(|(_, photo)| is_among(photo)).map(|(letter, _)| *letter))
    }

    /// Returns the values of a field of a list of the caller, in their order.
    async fn listed(&self, caller: &str, path: &str, list: &str, field: &str) -> Vec<Value> {
        let answer = self.get(caller, &format!("/users/{caller}/{path}")).await.1;
        let mut values: Vec<Value> =
            answer[list].as_array().unwrap().iter().map(|entry| entry[field].clone()).collect();
        values.sort_by_key(Value::to_string);
        values
    }
}

#[tokio::test]
async fn an_export_shows_what_the_lists_show() {
    let world = World::start().await;
    for caller in CALLERS {
        let seen = world.cell("GET /users/{owner}/photos/{photo}", caller).await;
        let tells = world.cell("GET /users/{caller}/notifications", caller).await;
        let device = world.request(caller, "PUT", &format!("/users/{caller}/devices/phone-of-{caller}"));
        let device = device.json(&json!({"address": {"kind": "fcm", "token": "token"}})).send().await.unwrap();
        assert_eq!(device.status(), 200);
        let export = world.export(caller).await;

        let reacted: Vec<Value> = export.entries("reactions").iter().map(|entry| entry["photo"].clone()).collect();
        assert_eq!(world.letters_of(&reacted), seen, "reactions of {caller}");
        assert!(reacted.iter().all(Value::is_object));
        let comments = export.entries("comments");
        let commented: Vec<Value> = comments.iter().map(|entry| entry["photo"].clone()).collect();
        assert_eq!(world.letters_of(&commented), seen, "comments of {caller}");
        let of_other = usize::from(caller == "owner");
        assert_eq!(comments.len(), AUDIENCES.len() + of_other, "the words of {caller} stay");

        let notifications = export.entries("notifications");
        let of_owner = |kind: &str| {
            let mut events = notifications.iter().filter(|one| one["kind"] == kind);
            events.any(|one| one["events"].as_array().unwrap().iter().any(|event| event["username"] == "owner"))
        };
        assert_eq!(if of_owner("mention") { "yes" } else { "no" }, tells, "notifications of {caller}");
        let inbox = world.get(caller, &format!("/users/{caller}/notifications")).await.1;
        let shown = inbox["notifications"].as_array().unwrap();
        assert_eq!(notifications.len(), shown.len(), "notifications of {caller}: {inbox}");
        let mut people: Vec<&Value> = notifications.iter().flat_map(|one| one["events"].as_array().unwrap()).collect();
        people.retain(|event| event["username"] == "owner");
        assert!(tells == "yes" || people.is_empty(), "{caller}: {people:?}");

        for (section, exported, path, list, field) in [
            ("followers", "username", "followers", "followers", "username"),
            ("following", "username", "following", "following", "username"),
            ("requests-received", "username", "requests", "requests", "username"),
            ("blocks", "username", "blocks", "blocks", "username"),
            ("favorites", "dataId", "favorites", "favorites", "dataId"),
            ("tags", "tagId", "tags", "tags", "tagId"),
            ("photos", "id", "photos", "photos", "id"),
            ("devices", "id", "devices", "devices", "id"),
        ] {
            let listed = world.listed(caller, path, list, field).await;
            assert_eq!(export.values(section, exported), listed, "{section} of {caller}");
        }
    }
    world.api.stack.shutdown().await;
}
