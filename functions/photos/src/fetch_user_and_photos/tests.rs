use super::*;
use serde_json::json;
use testing::{FEED, Fixture, approving_user, deletion, engagement, follow_request, photo, photo_deletion, request};

#[tokio::test]
async fn returns_the_user_and_their_photos_oldest_first() {
    let fixture = Fixture::new("fetch-user-and-photos").await;
    let mut answer = fixture.call_with_sample_event(FetchUserAndPhotos::start).await;
    let urls = answer.body["photos"][0].as_object_mut().unwrap().remove("urls").unwrap();
    assert_eq!(testing::widths(&urls), [440, 800, 1600]);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body["user"]["username"], "ada");
    assert!(answer.body["user"].get("email").is_none(), "the caller is not ada");
    let ids: Vec<_> = answer.body["photos"].as_array().unwrap().iter().map(|p| &p["id"]).collect();
    assert_eq!(ids, ["2024-05-30T15:42:38", "2024-06-09T13:49:13"]);
    assert_eq!(
        answer.body["photos"][0],
        json!({
            "username": "ada", "id": "2024-05-30T15:42:38", "timestamp": "2024-05-30T15:42:38Z", "status": "ready", "width": 1600, "height": 1067, "comments": 2, "blurhash": "LxJGc;t6RQof-Bj[azjZ0#R*kCjZ",
            "reactions": testing::counts(&[("heart", 1)]),
        })
    );
    assert_eq!(answer.body["nextCursor"], json!(null));
}

#[tokio::test]
async fn returns_private_fields_to_an_owner_without_photos() {
    let fixture = Fixture::new("fetch-user-and-photos").await;
    let answer = fixture.call(FetchUserAndPhotos::start, request("GET", "/users/cara/profile").by("cara")).await;
    assert!(answer.body["user"]["email"].is_string());
    assert_eq!(answer.body["photos"], json!([]));
}

#[tokio::test]
async fn returns_every_photo_once_during_concurrent_writes() {
    let fixture = Fixture::new("fetch-user-and-photos").await;
    fixture.put(photo("ada", "2024-08-01T00:00:00")).await;
    fixture.put(photo("ada", "2024-09-01T00:00:00")).await;
    let uploads = std::cell::Cell::new(0);
    let photos = fixture
        .pages(FetchUserAndPhotos::start, "/users/ada/profile", "photos", async |fixture: &Fixture| {
            uploads.set(uploads.get() + 1);
            if uploads.get() < 4 {
                fixture.put(photo("ada", &format!("2023-01-01T00:00:0{}", uploads.get()))).await;
                fixture.put(photo("ada", &format!("2025-01-01T00:00:0{}", uploads.get()))).await;
                fixture.put(photo("adam", "2024-06-01T00:00:00")).await;
            }
        })
        .await;
    let ids: Vec<_> = photos.iter().map(|photo| photo["id"].as_str().unwrap()).collect();
    assert_eq!(
        ids,
        [
            "2024-05-30T15:42:38",
            "2024-06-09T13:49:13",
            "2024-08-01T00:00:00",
            "2024-09-01T00:00:00",
            "2025-01-01T00:00:01",
            "2025-01-01T00:00:02",
            "2025-01-01T00:00:03",
        ]
    );
}

#[tokio::test]
async fn returns_the_user_on_the_first_page_only() {
    let fixture = Fixture::new("fetch-user-and-photos").await;
    let uri = "/users/ada/profile?limit=1";
    let first = fixture.call(FetchUserAndPhotos::start, request("GET", uri).by("ben")).await;
    assert_eq!(first.body["user"]["username"], "ada");
    assert_eq!(first.body["photos"].as_array().unwrap().len(), 1);
    let cursor = first.body["nextCursor"].as_str().unwrap();
    let second =
        fixture.call(FetchUserAndPhotos::start, request("GET", format!("{uri}&cursor={cursor}")).by("ben")).await;
    assert!(second.body.get("user").is_none());
    assert_eq!(second.body["photos"][0]["id"], "2024-06-09T13:49:13");
}

#[tokio::test]
async fn returns_404_for_an_unknown_or_deleted_user() {
    let fixture = Fixture::new("fetch-user-and-photos").await;
    fixture.put(photo("ghost", "2024-01-01T00:00:00")).await;
    fixture.put(deletion("ada")).await;
    for name in ["nobody", "ghost", "ada"] {
        let answer =
            fixture.call(FetchUserAndPhotos::start, request("GET", format!("/users/{name}/profile")).by("ada")).await;
        assert_eq!((answer.status, answer.problem()), (404, if name == "ada" { "no-profile" } else { "no-user" }));
    }
}

#[tokio::test]
async fn leaves_out_photos_in_deletion_and_goes_on_with_the_next_photo() {
    let fixture = Fixture::new("fetch-user-and-photos").await;
    fixture.put(photo_deletion("ada", "2024-05-30T15:42:38", 1)).await;
    let first =
        fixture.call(FetchUserAndPhotos::start, request("GET", "/users/ada/profile?limit=1").by("ada")).await.body;
    assert_eq!(first["user"]["username"], "ada");
    assert_eq!((&first["photos"][0]["id"], &first["nextCursor"]), (&json!("2024-06-09T13:49:13"), &json!(null)));
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("fetch-user-and-photos").await;
    fixture.needs_a_caller(FetchUserAndPhotos::start, request("GET", "/users/ada/profile")).await;
    fixture
        .refuses_bad_usernames(FetchUserAndPhotos::start, "username", |name| {
            request("GET", format!("/users/{name}/profile"))
        })
        .await;
    fixture.refuses_bad_pages(FetchUserAndPhotos::start, "/users/ada/profile").await;
}

#[tokio::test]
async fn only_the_owner_sees_photos_that_are_not_ready_until_they_expire() {
    let fixture = Fixture::new("fetch-user-and-photos").await;
    fixture.shows_unfinished_photos_to_their_owner(FetchUserAndPhotos::start, "/users/ada/profile").await;
}

#[tokio::test]
async fn returns_the_newest_photos_first_on_request() {
    let fixture = Fixture::new("fetch-user-and-photos").await;
    let answer =
        fixture.call(FetchUserAndPhotos::start, request("GET", "/users/ada/profile?order=desc").by("ben")).await;
    let ids: Vec<_> = answer.body["photos"].as_array().unwrap().iter().map(|p| &p["id"]).collect();
    assert_eq!(ids, ["2024-06-09T13:49:13", "2024-05-30T15:42:38"]);
    assert_eq!(answer.body["user"]["username"], "ada");
    assert_eq!(fixture.operations().len(), 2);
    fixture.put(photo("ada", "2024-06-09T13:49:13.500Z")).await;
    let photos = fixture
        .pages(FetchUserAndPhotos::start, "/users/ada/profile?order=desc", "photos", async |fixture: &Fixture| {
            fixture.put(photo("ada", "2025-01-01T00:00:00")).await;
            fixture.put(photo("ada-b", "2024-06-01T00:00:00")).await;
        })
        .await;
    let ids: Vec<_> = photos.iter().map(|photo| photo["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["2024-06-09T13:49:13.500Z", "2024-06-09T13:49:13", "2024-05-30T15:42:38"]);
    fixture.refuses_bad_pages(FetchUserAndPhotos::start, "/users/ada/profile?order=desc").await;
    for unknown in ["nobody", "deleted"] {
        fixture.put(deletion("deleted")).await;
        let uri = format!("/users/{unknown}/profile?order=desc");
        assert_eq!(fixture.call(FetchUserAndPhotos::start, request("GET", uri).by("ben")).await.status, 404);
    }
    fixture
        .refuses_field(FetchUserAndPhotos::start, request("GET", "/users/ada/profile?order=newest").by("ben"), "order")
        .await;
}

#[tokio::test]
async fn shows_what_the_caller_did_and_whom_the_caller_follows() {
    let fixture = Fixture::new("fetch-user-and-photos").await;
    fixture.put_in(FEED, engagement("ben", "ada", "2024-05-30T15:42:38", &["heart"])).await;
    for order in ["asc", "desc"] {
        let uri = format!("/users/ada/profile?order={order}&include=viewer");
        let answer = fixture.call(FetchUserAndPhotos::start, request("GET", &uri).by("ben")).await;
        assert_eq!(answer.body["user"]["viewer"], json!({"follows": true, "followsYou": false}));
        let photos = answer.body["photos"].as_array().unwrap();
        let photo = photos.iter().find(|photo| photo["id"] == "2024-05-30T15:42:38").unwrap();
        assert_eq!(photo["viewer"], json!({"reactions": ["heart"], "saved": false}));
        assert!(photos.iter().all(|photo| photo["viewer"].is_object()));
        let mut operations = fixture.operations();
        operations.sort();
        let desc = ["BatchGetItem", "GetItem", "Query", "Query"];
        let asc = ["BatchGetItem", "Query", "Query"];
        assert_eq!(operations, if order == "desc" { &desc[..] } else { &asc });
        let reverse = fixture
            .call(FetchUserAndPhotos::start, request("GET", "/users/ben/profile?include=viewer").by("ada"))
            .await;
        assert_eq!(reverse.body["user"]["viewer"], json!({"follows": false, "followsYou": true}));
        let _ = fixture.operations();
    }
}

#[tokio::test]
async fn shows_whether_the_caller_has_asked() {
    let fixture = Fixture::new("fetch-user-and-photos").await;
    fixture.put_all(vec![approving_user("dora", 0), follow_request("dora", "ben"), follow_request("ada", "cara")]);
    for (caller, requested) in [("ben", json!(true)), ("cara", json!(null))] {
        let answer = fixture
            .call(FetchUserAndPhotos::start, request("GET", "/users/dora/profile?include=viewer").by(caller))
            .await;
        assert_eq!(answer.body["user"]["viewer"]["requested"], requested, "{caller}");
    }
    assert_eq!(fixture.operations(), [["Query", "BatchGetItem"]; 2].concat());
    // Ada approves nobody.
    let answer =
        fixture.call(FetchUserAndPhotos::start, request("GET", "/users/ada/profile?include=viewer").by("cara")).await;
    assert_eq!(answer.body["user"]["viewer"], json!({"follows": false, "followsYou": false}));
}

#[tokio::test]
async fn a_user_who_blocks_the_caller_is_unknown_to_them() {
    let fixture = Fixture::new("fetch-user-and-photos").await;
    let profile = |query: &str| request("GET", format!("/users/ada/profile?limit=1{query}")).by("ben");
    let first = fixture.call(FetchUserAndPhotos::start, profile("")).await;
    let cursor = format!("&cursor={}", first.body["nextCursor"].as_str().unwrap());
    fixture.put(testing::with_count(testing::user("ada"), "blocks", 1)).await;
    fixture.put(testing::block("ada", "ben", shared::values::Level::Block)).await;
    for query in ["", "&order=desc", "&include=viewer", &cursor] {
        let answer = fixture.call(FetchUserAndPhotos::start, profile(query)).await;
        assert_eq!((answer.status, &answer.body["detail"]), (404, &json!("There is no user ada.")), "{query}");
    }
    fixture.put(testing::block("ada", "ben", shared::values::Level::Mute)).await;
    for query in ["", "&order=desc", &cursor] {
        assert_eq!(fixture.call(FetchUserAndPhotos::start, profile(query)).await.status, 200, "{query}");
    }
}

#[tokio::test]
async fn a_page_is_full_of_photos_that_the_caller_may_see() {
    let fixture = Fixture::new("fetch-user-and-photos").await;
    let at = |minute: u32| format!("2024-01-01T00:{minute:02}:00");
    for minute in 0..30 {
        let photo = testing::photo("cara", &at(minute));
        let audience = ["", "me", "followers"][minute as usize % 3];
        fixture.put(if audience.is_empty() { photo } else { testing::with(photo, "audience", audience) }).await;
    }
    fixture.put(testing::friendship("cara", "ben")).await;
    for (caller, visible) in [("ada", vec![0]), ("ben", vec![0, 2]), ("cara", vec![0, 1, 2])] {
        for order in ["asc", "desc"] {
            let mut expected: Vec<String> = (0..30).filter(|minute| visible.contains(&(minute % 3))).map(at).collect();
            if order == "desc" {
                expected.reverse();
            }
            let mut found = vec![];
            let mut path = format!("/users/cara/profile?limit=4&order={order}");
            loop {
                let page = fixture.call(FetchUserAndPhotos::start, request("GET", &path).by(caller)).await.body;
                let photos = page["photos"].as_array().unwrap();
                found.extend(photos.iter().map(|photo| photo["id"].as_str().unwrap().to_owned()));
                let Some(cursor) = page["nextCursor"].as_str() else { break };
                assert_eq!(photos.len(), 4, "{caller}");
                path = format!("/users/cara/profile?limit=4&order={order}&cursor={cursor}");
            }
            assert_eq!(found, expected, "{caller} {order}");
        }
    }
}

#[tokio::test]
async fn one_request_reads_what_decides_and_what_the_viewer_gets() {
    let fixture = Fixture::new("fetch-user-and-photos").await;
    let dora = testing::with_count(testing::with_count(approving_user("dora", 0), "blocks", 1), "blockedBy", 1);
    let photo_for_followers = testing::with(photo("dora", "2024-01-01T00:00:00"), "audience", "followers");
    fixture.put_all(vec![dora, photo_for_followers, photo("dora", "2024-01-02T00:00:00")]);
    fixture.put_all(vec![testing::friendship("dora", "ada"), follow_request("dora", "cara")]);
    fixture.put(testing::block("ben", "dora", shared::values::Level::Block)).await;
    for (caller, photos, viewer) in [
        ("ada", 2, json!({"follows": true, "followsYou": false})),
        ("ben", 1, json!({"follows": false, "followsYou": false, "blocked": true})),
        ("cara", 1, json!({"follows": false, "followsYou": false, "requested": true})),
    ] {
        let answer = fixture
            .call(FetchUserAndPhotos::start, request("GET", "/users/dora/profile?include=viewer").by(caller))
            .await;
        assert_eq!(answer.body["user"]["viewer"], viewer, "{caller}");
        assert_eq!(answer.body["photos"].as_array().unwrap().len(), photos, "{caller}");
        assert_eq!(fixture.operations(), ["Query", "BatchGetItem", "Query"]);
    }
}

#[tokio::test]
async fn shows_sensitive_photos_without_their_pictures() {
    let fixture = Fixture::new("fetch-user-and-photos").await;
    for query in ["", "?order=desc", "?include=viewer"] {
        let get = |caller: &str| request("GET", format!("/users/ada/profile{query}")).by(caller);
        fixture.hides_sensitive_pictures(FetchUserAndPhotos::start, ("ada", "2024-05-30T15:42:38"), get).await;
    }
}
