//! The picture of a photo, from the file that a client uploads to the objects that it sees and
//! deletes.

use std::collections::BTreeSet;
use std::os::unix::fs::{PermissionsExt, symlink};

use aws_sdk_dynamodb::config::Credentials;
use local::lambda::build;
use local::sample;
use local::stack::Options;
use local::template::Template;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use shared::http::form::FormSigner;
use shared::show::AnnouncedFile;
use shared::values::PhotoFormat;
use testing::PNG;
use tests::upload::{put_file, send_file};

use crate::api::{Api, problem};

impl Api {
    /// Returns the keys of all objects.
    async fn objects(&self) -> BTreeSet<String> {
        let template = Template::read(&Template::find().unwrap()).unwrap();
        let bucket = &template.bucket(sample::PHOTOS_BUCKET).unwrap().name;
        self.stack.s3().objects(bucket).await.unwrap().into_keys().collect()
    }

    /// Returns the photo at `path` as `caller` sees it.
    async fn photo(&self, caller: &str, path: &str) -> Value {
        self.get(caller, path).await["photo"].take()
    }

    /// Returns whether a list of the photos of `ada` shows the photo at `path` to `caller`.
    async fn lists(&self, caller: &str, path: &str) -> [bool; 2] {
        let mut lists = [false; 2];
        for (shows, list) in lists.iter_mut().zip(["/users/ada/photos?limit=100", "/users/ada/profile?limit=100"]) {
            let photos = self.get(caller, list).await["photos"].take();
            *shows = photos.as_array().unwrap().iter().any(|photo| path.ends_with(photo["id"].as_str().unwrap()));
        }
        lists
    }
}

#[tokio::test]
async fn others_see_a_photo_when_its_picture_is_ready_and_its_objects_go_with_it() {
    let api = Api::start().await;
    let before = api.objects().await;
    let created = api.request("ada", "POST", "/users/ada/photos").send().await.unwrap();
    let path = created.headers()["location"].to_str().unwrap().to_owned();
    let created: Value = created.json().await.unwrap();
    assert_eq!(api.photo("ada", &path).await["status"], "pending");
    assert_eq!((api.lists("ada", &path).await, api.lists("ben", &path).await), ([true; 2], [false; 2]));
    problem(api.request("ben", "GET", &path).send().await.unwrap(), 404).await;
    assert_eq!(api.put("ben", &format!("{path}/reactions/heart")).await, 404);

    send_file(&api.http, &created["upload"], &picture(false)).await;
    api.stack.idle().await;
    let photo = api.photo("ben", &path).await;
    assert_eq!((&photo["status"], &photo["width"], &photo["height"]), (&json!("ready"), &json!(900), &json!(8)));
    assert_eq!(testing::widths(&photo["urls"]), [440, 800, 900]);
    assert_eq!(api.lists("ben", &path).await, [true; 2]);
    assert_eq!(api.put("ben", &format!("{path}/reactions/heart")).await, 201);
    for (size, url) in ["small", "medium", "large"].into_iter().zip(photo["urls"].as_array().unwrap()) {
        let url = url["url"].as_str().unwrap();
        let picture = api.http.get(url).send().await.unwrap();
        assert_eq!(picture.status(), 200, "{size}");
        assert_eq!(picture.headers()["content-type"], "image/jpeg", "{size}");
        assert_eq!(picture.headers()["cache-control"], "private, max-age=604800", "{size}");
        let tag = picture.headers()["etag"].clone();
        assert!(picture.bytes().await.unwrap().starts_with(b"\xff\xd8"), "{size}");

        let again = api.http.get(url).header("if-none-match", tag).send().await.unwrap();
        assert_eq!(again.status(), 304, "{size}");
        let range = api.http.get(url).header("range", "bytes=0-1").send().await.unwrap();
        assert_eq!((range.status().as_u16(), range.bytes().await.unwrap()), (206, b"\xff\xd8"[..].into()), "{size}");
        // The signature is that of this picture and this hour.
        let other = if size == "small" { "medium" } else { "small" };
        let unsigned = url.split_once('?').unwrap().0.to_owned();
        for url in
            [url.replace(&format!("{size}.jpg"), &format!("{other}.jpg")), url.replace("until=1", "until=2"), unsigned]
        {
            assert_eq!(api.http.get(&url).send().await.unwrap().status(), 403, "{url}");
        }
        assert_eq!(api.http.delete(url).send().await.unwrap().status(), 403, "{size}");
    }
    assert_eq!(api.objects().await.len(), before.len() + 3);

    assert_eq!(api.request("ada", "DELETE", &path).send().await.unwrap().status(), 204);
    api.stack.idle().await;
    assert_eq!(api.objects().await, before);
    let gone = api.http.get(photo["urls"][0]["url"].as_str().unwrap()).send().await.unwrap();
    assert!(gone.status().is_client_error(), "{}", gone.status());
    // The form is still valid, but no photo wants a file.
    send_file(&api.http, &created["upload"], PNG).await;
    api.stack.idle().await;
    assert_eq!(api.objects().await, before);
    api.stack.shutdown().await;
}

/// Returns the body of a request for a photo whose file this is.
fn announced(file: &[u8]) -> Value {
    let sha256 = Sha256::digest(file).iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    json!({"format": "png", "upload": "put", "bytes": file.len(), "sha256": sha256})
}

#[tokio::test]
async fn a_phone_puts_the_file_that_it_has_announced_and_no_other() {
    let api = Api::start().await;
    let before = api.objects().await;
    let file = picture(false);
    let create =
        || api.request("ada", "POST", "/users/ada/photos").header("idempotency-key", "phone").json(&announced(&file));
    let created = create().send().await.unwrap();
    assert_eq!(created.status(), 201);
    let path = created.headers()["location"].to_str().unwrap().to_owned();
    let upload = created.json::<Value>().await.unwrap()["upload"].take();

    let mut other = file.clone();
    *other.last_mut().unwrap() ^= 1;
    assert_eq!(put_file(&api.http, &upload, &other).await, (400, "BadDigest".to_owned()));
    let mismatch = || (403, "SignatureDoesNotMatch".to_owned());
    for other in [&file[1..], &[&file[..], b"1"].concat()] {
        assert_eq!(put_file(&api.http, &upload, other).await, mismatch(), "another length");
    }
    for (header, value) in
        [("Content-Type", "text/html"), ("x-amz-checksum-sha256", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")]
    {
        let mut changed = upload.clone();
        changed["headers"][header] = json!(value);
        assert_eq!(put_file(&api.http, &changed, &file).await, mismatch(), "{header}");
        changed["headers"].as_object_mut().unwrap().remove(header);
        assert_eq!(put_file(&api.http, &changed, &file).await, mismatch(), "without {header}");
    }
    for (from, to) in [("/ada/", "/ben/"), ("X-Amz-Expires=900", "X-Amz-Expires=901")] {
        let mut changed = upload.clone();
        changed["url"] = json!(upload["url"].as_str().unwrap().replace(from, to));
        assert_eq!(put_file(&api.http, &changed, &file).await, mismatch(), "{to}");
    }
    api.stack.idle().await;
    assert_eq!((api.objects().await, &api.photo("ada", &path).await["status"]), (before, &json!("pending")));

    // A request that is sent again gets a new URL.
    let again = create().send().await.unwrap();
    assert_eq!(again.status(), 200);
    let upload = again.json::<Value>().await.unwrap()["upload"].take();
    assert_eq!(put_file(&api.http, &upload, &file).await, (200, String::new()));
    api.stack.idle().await;
    assert_eq!(testing::widths(&api.photo("ben", &path).await["urls"]), [440, 800, 900]);
    api.stack.shutdown().await;
}

#[tokio::test]
async fn s3_refuses_a_url_that_has_expired() {
    let api = Api::start().await;
    let s3 = api.stack.s3();
    let bucket =
        Template::read(&Template::find().unwrap()).unwrap().bucket(sample::PHOTOS_BUCKET).unwrap().name.clone();
    let credentials = Credentials::new("local", "local", None, None, "tests");
    let signer = FormSigner::new(&bucket, &format!("{}/{bucket}", s3.endpoint()), "us-east-1", credentials);
    let announced = AnnouncedFile {
        bytes: (PNG.len() as u64).try_into().unwrap(),
        sha256: announced(PNG)["sha256"].as_str().unwrap().parse().unwrap(),
    };
    let (ada, timestamp) = ("ada".parse().unwrap(), "2026-01-01T00:00:00.000Z".parse().unwrap());
    for (latest_expiry, expected) in [(0, (403, "AccessDenied")), (u64::MAX, (200, ""))] {
        let upload =
            signer.upload_request(&ada, &timestamp, None, PhotoFormat::Png, &announced, latest_expiry).unwrap();
        let (status, code) = put_file(&api.http, &json!(upload), PNG).await;
        assert_eq!((status, &*code), expected);
    }
    api.stack.shutdown().await;
}

#[tokio::test]
async fn failed_and_rejected_uploads_count_nowhere() {
    let api = Api::start().await;
    let photos = async || api.get("ben", "/users/ada").await["photos"].as_u64().unwrap();
    let before = photos().await;
    assert_eq!(api.request("ada", "POST", "/users/ada/photos").send().await.unwrap().status(), 201, "no file comes");
    let rejected = api.upload("ada", b"no picture").await;
    api.stack.idle().await;
    assert_eq!(photos().await, before);
    let ready = api.upload("ada", PNG).await;
    api.stack.idle().await;
    assert_eq!(photos().await, before + 1);
    for path in [&rejected, &ready] {
        assert_eq!(api.request("ada", "DELETE", path).send().await.unwrap().status(), 204);
    }
    api.stack.idle().await;
    assert_eq!(photos().await, before);
    api.stack.shutdown().await;
}

#[tokio::test]
async fn a_file_that_is_no_picture_is_rejected_with_a_problem_for_the_owner() {
    let api = Api::start().await;
    let before = api.objects().await;
    let path = api.upload("ada", b"no picture").await;
    api.stack.idle().await;
    let photo = api.photo("ada", &path).await;
    assert_eq!(photo["status"], "rejected");
    assert_eq!(photo["problem"], "tag:quick-photos.example,2026:not-a-picture");
    assert_eq!((api.lists("ada", &path).await, api.lists("ben", &path).await), ([true; 2], [false; 2]));
    problem(api.request("ben", "GET", &path).send().await.unwrap(), 404).await;
    assert_eq!(api.objects().await, before);
    api.stack.shutdown().await;
}

/// Returns a PNG of 900 by 8 pixels. If it is not plain, its two halves have different colours.
fn picture(is_plain: bool) -> Vec<u8> {
    let mut file = vec![];
    let mut encoder = png::Encoder::new(&mut file, 900, 8);
    encoder.set_color(png::ColorType::Rgb);
    let pixels = (0..900 * 8).flat_map(|pixel| if is_plain || pixel < 900 * 4 { [200, 30, 30] } else { [30, 30, 200] });
    encoder.write_header().unwrap().write_image_data(&pixels.collect::<Vec<u8>>()).unwrap();
    file
}

#[tokio::test]
async fn a_function_for_moderation_refuses_a_picture_and_holds_the_photo_until_it_answers() {
    let with_function = async |name: &str| {
        let parameters = [("ModerationFunction".to_owned(), name.to_owned())].into();
        Api::with(Options { parameters, ..Options::default() }).await
    };
    let api = with_function("refuse-plain-pictures").await;
    let before = api.objects().await;
    let paths = [api.upload("ada", &picture(true)).await, api.upload("ada", &picture(false)).await];
    api.stack.idle().await;
    let photo = api.photo("ada", &paths[0]).await;
    let refused = json!("tag:quick-photos.example,2026:picture-refused");
    assert_eq!(
        (&photo["status"], &photo["problem"], &photo["reason"]),
        (&json!("rejected"), &refused, &json!("other"))
    );
    problem(api.request("ben", "GET", &paths[0]).send().await.unwrap(), 404).await;
    assert_eq!(api.photo("ben", &paths[1]).await["status"], "ready");
    assert_eq!(api.objects().await.len(), before.len() + 3, "those of the second photo");
    api.stack.shutdown().await;

    // There is no such function, so nobody sees the photo after three attempts.
    let api = with_function("nobody").await;
    let path = api.upload("ada", &picture(false)).await;
    api.stack.idle().await;
    assert_eq!(api.photo("ada", &path).await["status"], "rejected");
    problem(api.request("ben", "GET", &path).send().await.unwrap(), 404).await;
    api.stack.shutdown().await;
}

#[tokio::test]
async fn a_file_that_ends_process_photo_three_times_is_rejected() {
    // All functions are the real ones, except that this process-photo dies at each event.
    let functions = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(build::directory().unwrap()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name() != "process-photo" {
            symlink(entry.path(), functions.path().join(entry.file_name())).unwrap();
        }
    }
    let dies = functions.path().join("process-photo");
    std::fs::write(&dies, "#!/bin/sh\nexit 1\n").unwrap();
    std::fs::set_permissions(&dies, std::fs::Permissions::from_mode(0o755)).unwrap();
    let api = Api::with(Options { functions: Some(functions.path().to_owned()), ..Options::default() }).await;

    let before = api.objects().await;
    let path = api.upload("ada", PNG).await;
    assert_eq!(api.objects().await.len(), before.len() + 1);
    api.stack.idle().await;
    let photo = api.photo("ada", &path).await;
    assert_eq!(photo["status"], "rejected");
    assert_eq!(photo["problem"], "tag:quick-photos.example,2026:picture-damaged");
    assert_eq!(api.objects().await, before);
    assert_eq!(api.stack.outbox().contents()["failures"], json!([]));
    api.stack.shutdown().await;
}
