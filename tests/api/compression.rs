//! Answers to clients that take gzip and to clients that do not.

use std::hint::black_box;
use std::time::{Duration, Instant};

use reqwest::Response;
use serde_json::{Value, json};
use shared::http::gzip;

use crate::api::Api;

const GZIP: &str = "br;q=0.9, gzip";

impl Api {
    /// Sends a GET request with these headers, of which an empty one is left out.
    async fn get_with(&self, caller: &str, path: &str, accept_encoding: &str, if_none_match: &str) -> Response {
        let headers = [("accept-encoding", accept_encoding), ("if-none-match", if_none_match)];
        let sent = headers.into_iter().filter(|(_, value)| !value.is_empty());
        sent.fold(self.request(caller, "GET", path), |request, (name, value)| request.header(name, value))
            .send()
            .await
            .unwrap()
    }
}

fn header<'a>(answer: &'a Response, name: &str) -> &'a str {
    answer.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

async fn decompressed(answer: Response) -> Vec<u8> {
    assert_eq!((answer.status().as_u16(), header(&answer, "content-encoding")), (200, "gzip"));
    gzip::decompress(&answer.bytes().await.unwrap()).unwrap()
}

#[tokio::test]
async fn both_kinds_of_clients_get_the_same_page_and_304() {
    let api = Api::start().await;
    for path in ["/users/ada/photos", "/users/ben/followers?include=people", "/users/me/feed"] {
        let plain = api.get_with("ada", path, "", "").await;
        assert_eq!((header(&plain, "content-encoding"), header(&plain, "vary")), ("", "accept-encoding"), "{path}");
        let tag = header(&plain, "etag").to_owned();
        let plain = plain.bytes().await.unwrap();

        let compressed = api.get_with("ada", path, GZIP, "").await;
        assert_eq!((header(&compressed, "etag"), header(&compressed, "vary")), (&*tag, "accept-encoding"));
        assert_eq!(header(&compressed, "content-type"), "application/json");
        let length: usize = header(&compressed, "content-length").parse().unwrap();
        assert!(length < plain.len() / 2, "{path}: {length} of {} bytes", plain.len());
        assert_eq!(decompressed(compressed).await, plain);

        for accept_encoding in ["", "identity", "gzip;q=0", GZIP] {
            let again = api.get_with("ada", path, accept_encoding, &tag).await;
            let headers = [header(&again, "etag"), header(&again, "vary"), header(&again, "content-encoding")];
            assert_eq!((again.status().as_u16(), headers), (304, [&*tag, "accept-encoding", ""]), "{path}");
            assert!(again.bytes().await.unwrap().is_empty());
        }
    }
    let small = api.get_with("ada", "/users/ada/tags", GZIP, "").await;
    assert_eq!((header(&small, "content-encoding"), header(&small, "vary")), ("", "accept-encoding"));
    api.stack.shutdown().await;
}

#[tokio::test]
async fn a_version_of_a_compressed_answer_is_a_precondition_of_reads_and_writes() {
    let api = Api::start().await;
    let editor = api.stack.token_in("ada", "editors").unwrap();
    let put = async |title: &str, price: u64, if_match: &str| {
        let song = json!({"Price": price, "Lyrics": "The last light over the harbour. ".repeat(100)});
        let request = api.anonymous("PUT", &format!("/music/Duo/{title}")).bearer_auth(&editor).json(&song);
        request.header("if-match", if_match).header("accept-encoding", GZIP).send().await.unwrap()
    };
    for title in ["A", "B"] {
        let song = json!({"Lyrics": "x".repeat(2000)});
        let path = format!("/music/Duo/{title}");
        let created = api.anonymous("PUT", &path).bearer_auth(&editor).json(&song).send().await.unwrap();
        assert_eq!(created.status(), 201);
    }
    let path = "/music/Duo/A";
    let plain = header(&api.get_with("ben", path, "", "").await, "etag").to_owned();
    let answer = api.get_with("ben", path, GZIP, "").await;
    let compressed = header(&answer, "etag").to_owned();
    let song: Value = serde_json::from_slice(&decompressed(answer).await).unwrap();
    assert_eq!(song["SongTitle"], "A");
    assert_eq!(compressed, format!("{}.gzip\"", plain.trim_end_matches('"')));

    for (accept_encoding, tag, status) in [("", &plain, 304), (GZIP, &compressed, 304), (GZIP, &plain, 200)] {
        let again = api.get_with("ben", path, accept_encoding, tag).await;
        assert_eq!(again.status().as_u16(), status, "{accept_encoding} {tag}");
        if status == 304 {
            assert_eq!(header(&again, "etag"), tag);
        }
    }

    let changed = put("A", 1, &compressed).await;
    assert_eq!(changed.status(), 200);
    let current = header(&changed, "etag").to_owned();
    assert_eq!(put("A", 2, &compressed).await.status(), 412, "the song has changed");
    assert_eq!(put("B", 2, &current).await.status(), 412, "the version is that of another song");
    assert_eq!(put("A", 2, &current).await.status(), 200);
    assert_eq!(put("A", 3, &plain).await.status(), 412);
    api.stack.shutdown().await;
}

/// The answer of a PATCH has the tag that the next GET has, so an app needs no GET between two
/// changes.
#[tokio::test]
async fn the_tag_of_a_changed_profile_is_that_of_the_next_read() {
    let api = Api::start().await;
    for (caller, status) in [("ada", "x".repeat(500)), ("ben", String::new())] {
        let attributes = json!({"text": "The last light over the harbour. ".repeat(50)});
        for (accept_encoding, end) in [("identity", "\""), (GZIP, ".gzip\"")] {
            let change = async |if_match: Option<&str>| {
                let patch = api.request(caller, "PATCH", "/users/me").header("accept-encoding", accept_encoding);
                let patch = patch.json(&json!({"status": status, "attributes": attributes}));
                let patch = if_match.into_iter().fold(patch, |patch, tag| patch.header("if-match", tag));
                patch.send().await.unwrap()
            };
            let changed = change(None).await;
            let tag = header(&changed, "etag").to_owned();
            assert!(changed.status() == 200 && tag.ends_with(end), "{tag}");
            assert_eq!(api.get_with(caller, "/users/me", accept_encoding, &tag).await.status(), 304);
            assert_eq!(change(Some(&tag)).await.status(), 200);
            assert_eq!(api.get_with(caller, "/users/me", accept_encoding, &tag).await.status(), 200);
            assert_eq!(change(Some(&tag)).await.status(), 412);
        }
    }
    api.stack.shutdown().await;
}

/// Prints what `docs/numbers.md` says about the compression of a page of photos.
#[tokio::test]
#[ignore = "it measures the machine"]
async fn a_page_of_50_photos_costs() {
    let api = Api::start().await;
    let page = api.get_with("ada", "/users/me/feed?limit=50&include=viewer", "", "").await.bytes().await.unwrap();
    let photos = serde_json::from_slice::<Value>(&page).unwrap()["photos"].as_array().unwrap().len();
    let mut times: Vec<Duration> = (0..1000)
        .map(|_| {
            let begin = Instant::now();
            black_box(gzip::compress(&page));
            begin.elapsed()
        })
        .collect();
    times.sort_unstable();
    println!("{photos} photos: {} bytes, {} in gzip, {:?}", page.len(), gzip::compress(&page).len(), times[500]);
    api.stack.shutdown().await;
}
