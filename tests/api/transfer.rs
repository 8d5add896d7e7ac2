//! An export, the deletion of the account, and an import: the same photos again.

use std::time::Duration;

use local::stack::Options;
use serde_json::{Value, json};
use testing::PNG;
use testing::archive::zip;
use tests::upload::send_file;
use tokio::time::{sleep, timeout};

use crate::api::Api;

/// The maximum time in which a name rests and is free, an export is made, or an import.
const TIMEOUT: Duration = Duration::from_mins(1);

const PROFILE: &str = "/users/dora/profile";

impl Api {
    /// Sends a request of dora, and returns its status and its body.
    async fn as_dora(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        let mut request = self.request("dora", method, path);
        if !body.is_null() {
            request = request.json(&body);
        }
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap_or_default())
    }

    /// Creates dora, as soon as the name is free.
    async fn create_dora(&self) {
        let user = json!({"username": "dora", "name": "Dora Okafor"});
        let created = async {
            while self.as_dora("POST", "/users", user.clone()).await.0 != 201 {
                self.stack.delete_expired_items().await.unwrap();
                self.stack.idle().await;
                sleep(Duration::from_millis(200)).await;
            }
        };
        timeout(TIMEOUT, created).await.expect("the name is free");
    }

    /// Waits until an export or an import at this path has this state.
    async fn reaches(&self, path: &str, state: &str) -> Value {
        let reached = async {
            loop {
                let body = self.get("dora", path).await;
                if body["state"] == state {
                    return body;
                }
                assert_ne!(body["state"], "failed", "{body}");
                sleep(Duration::from_millis(100)).await;
            }
        };
        timeout(TIMEOUT, reached).await.unwrap_or_else(|_| panic!("{path} is not {state}"))
    }
}

/// Returns what somebody sees of a profile, without what depends on the time.
fn shown(profile: &Value) -> Value {
    let user = &profile["user"];
    let photos = profile["photos"].as_array().unwrap().iter().map(|photo| {
        let fields = ["id", "status", "caption", "altText", "audience", "width", "height", "pictureCount"];
        fields.map(|field| (field.to_owned(), photo[field].clone())).into_iter().collect::<Value>()
    });
    json!({
        "user": [&user["username"], &user["name"], &user["status"], &user["interests"], &user["photos"],
            &user["pinnedImage"]["id"], &Value::Bool(user["picture"].is_object())],
        "photos": photos.collect::<Vec<_>>(),
    })
}

/// Returns the text alternative and the width of each picture of a photo.
fn pictures(answer: &Value) -> Value {
    let pictures = answer["photo"]["pictures"].as_array().unwrap();
    pictures.iter().map(|picture| json!([picture["altText"], picture["width"]])).collect()
}

/// Returns a square PNG with `width` pixels in a row. No two of different numbers have the same file.
fn square(width: u32, number: usize) -> Vec<u8> {
    let mut file = vec![];
    let mut encoder = png::Encoder::new(&mut file, width, width);
    encoder.set_color(png::ColorType::Rgb);
    let mut pixels = vec![0; (width * width * 3) as usize];
    pixels[number] = 255;
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    file
}

/// The local stack runs eight invocations of a function at a time, and more wait for them.
#[tokio::test]
async fn an_upload_waits_for_no_import() {
    const PICTURES: usize = 20;
    let api = Api::start().await;
    let times: Vec<String> = (0..PICTURES).map(|number| format!("2019-01-01T00:00:00.{number:03}Z")).collect();
    let names: Vec<String> = times.iter().map(|time| format!("pictures/{}.jpg", time.replace(':', "-"))).collect();
    let entries = times.iter().zip(&names).map(|(time, name)| json!({"id": time, "picture": name}));
    let entries = json!({"entries": entries.collect::<Vec<_>>()}).to_string().into_bytes();
    let mut files = vec![
        ("export.json", json!({"format": "quick-photos-export", "version": 1}).to_string().into_bytes()),
        ("profile.json", b"{}".to_vec()),
        ("photos/1.json", entries),
    ];
    // process-photo takes long for 9 megapixels.
    files.extend(names.iter().enumerate().map(|(number, name)| (name.as_str(), square(3000, number))));
    api.create_dora().await;
    let import = api.as_dora("POST", "/users/dora/imports", Value::Null).await.1;
    send_file(&api.http, &import["upload"], &zip(&files)).await;
    let path = format!("/users/dora/imports/{}", import["id"].as_str().unwrap());
    assert_eq!(api.reaches(&path, "done").await["photos"], PICTURES);

    let photo = api.upload("ben", PNG).await;
    let ready = async {
        while api.get("ben", &photo).await["photo"]["status"] != "ready" {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(TIMEOUT, ready).await.expect("the photo is ready");
    let profile = api.get("dora", PROFILE).await;
    let pending = profile["photos"].as_array().unwrap().iter().filter(|photo| photo["status"] == "pending");
    let pending = pending.count();
    // If the upload had waited for its turn, at most seven others would be under way.
    assert!(pending > 8, "only {pending} imported photos are pending");
    api.stack.shutdown().await;
}

#[tokio::test]
async fn an_export_makes_the_same_profile_after_the_deletion_of_the_account() {
    let parameters = [("NameRestDays".to_owned(), "0".to_owned())].into();
    let api = Api::with(Options { parameters, ..Options::default() }).await;
    api.create_dora().await;
    let about = json!({"status": "New here", "interests": ["street", "film"]});
    assert_eq!(api.as_dora("PATCH", "/users/dora", about).await.0, 200);
    for (caption, audience) in [("One", "everyone"), ("Two", "me")] {
        let photo = json!({"caption": caption, "altText": "A dot", "audience": audience});
        let (status, created) = api.as_dora("POST", "/users/dora/photos", photo).await;
        assert_eq!(status, 201);
        send_file(&api.http, &created["upload"], PNG).await;
    }
    let several = json!({"pictures": [{"altText": "Three"}, {"altText": "Two"}, {"altText": "One"}]});
    let (status, several) = api.as_dora("POST", "/users/dora/photos", several).await;
    assert_eq!(status, 201);
    for (picture, width) in several["pictures"].as_array().unwrap().iter().zip([3, 2, 1]) {
        send_file(&api.http, &picture["upload"], &square(width, 0)).await;
    }
    let several = format!("/users/dora/photos/{}", several["id"].as_str().unwrap());
    let favorite = json!({"dataId": "sea", "dataType": "image", "title": "Sea"});
    assert_eq!(api.as_dora("POST", "/users/dora/favorites", favorite).await.0, 201);
    let tag = api.as_dora("POST", "/users/dora/tags", json!({"tagName": "Blue"})).await.1;
    let tags = format!("/users/dora/favorites/sea/tags/{}", tag["tagId"].as_str().unwrap());
    assert_eq!(api.as_dora("PUT", &tags, Value::Null).await.0, 201);
    api.stack.idle().await;
    let first = api.get("dora", PROFILE).await["photos"][0]["id"].clone();
    assert_eq!(
        api.as_dora("PATCH", "/users/dora", json!({"pinnedImage": {"username": "dora", "id": first}})).await.0,
        200
    );
    let before = api.get("dora", PROFILE).await;
    assert!(before["user"]["picture"]["blurhash"].is_string(), "{before}");
    let pictures = pictures(&api.get("dora", &several).await);
    assert_eq!(pictures, json!([["Three", 3], ["Two", 2], ["One", 1]]));
    let favorites = api.get("dora", "/users/dora/favorites").await;

    let export = api.as_dora("POST", "/users/dora/exports", Value::Null).await.1;
    let path = format!("/users/dora/exports/{}", export["id"].as_str().unwrap());
    let ready = api.reaches(&path, "ready").await;
    let file = api.http.get(ready["url"].as_str().unwrap()).send().await.unwrap().bytes().await.unwrap();

    assert_eq!(api.as_dora("DELETE", "/users/dora", Value::Null).await.0, 204);
    api.create_dora().await;
    assert!(api.get("dora", PROFILE).await["photos"].as_array().unwrap().is_empty());
    let import = api.as_dora("POST", "/users/dora/imports", Value::Null).await.1;
    send_file(&api.http, &import["upload"], &file).await;
    let path = format!("/users/dora/imports/{}", import["id"].as_str().unwrap());
    let done = api.reaches(&path, "done").await;
    assert_eq!((&done["photos"], &done["favorites"], &done["tags"]), (&json!(3), &json!(1), &json!(1)), "{done}");
    api.stack.idle().await;

    let after = api.get("dora", PROFILE).await;
    assert_eq!(shown(&after), shown(&before));
    assert_eq!(self::pictures(&api.get("dora", &several).await), pictures);
    assert_eq!(api.get("dora", "/users/dora/favorites").await, favorites);
    let entries = api.get("dora", "/users/dora/favorites/sea/tags").await;
    assert_eq!(entries["tags"][0]["tagName"], "Blue", "{entries}");
    api.stack.shutdown().await;
}
