use super::*;
use serde_json::json;
use shared::entities::{InInbox, REJECTED, REQUESTS_RECEIVED, Topic};
use shared::values::{Level, NotificationKind, Timestamp};
use testing::{FEED, Fault, Fixture, approving_user, block, deletion, follow_request, friendship, request, user};

#[tokio::test]
async fn returns_every_field_to_the_owner() {
    let fixture = Fixture::new("get-user").await;
    let answer = fixture.call(GetUser::start, request("GET", "/users/ada").by("ada")).await;
    assert_eq!(answer.status, 200);
    let item = fixture.item(Key::user(&"ada".parse().unwrap())).await;
    for field in ["username", "name", "email", "birthdate", "address", "status", "interests"] {
        assert!(!item[field].is_null(), "{field}");
        assert_eq!(answer.body[field], item[field], "{field}");
    }
    assert_eq!((&answer.body["followers"], &answer.body["following"]), (&json!(1), &json!(0)));
    let pinned = answer.body["pinnedImage"]["id"].as_str().unwrap();
    assert_eq!(item["pinnedImage"], format!("PHOTO#ada#{pinned}"));
    assert!(answer.body.get("PK").is_none() && answer.body.get("SK").is_none());
    assert_eq!(fixture.operations(), ["GetItem"]);
}

#[tokio::test]
async fn returns_no_private_fields_to_others() {
    let fixture = Fixture::new("get-user").await;
    let hours = json!({"from": "22:00", "to": "07:00", "timeZone": "Europe/Berlin"});
    let mut ada = user("ada");
    for (private, value) in [
        ("email", json!("ada@example.com")),
        ("birthdate", json!("1992-03-14")),
        ("address", json!("Pier 1")),
        ("defaultAudience", json!("followers")),
        ("pushOff", json!(["reaction"])),
        ("quietHours", hours),
        ("lockScreen", json!("nothing")),
        ("sensitivePhotos", json!("show")),
    ] {
        ada.insert(private.to_owned(), serde_dynamo::to_attribute_value(&value).unwrap());
        fixture.put(ada.clone()).await;
        let answer = fixture.call_with_sample_event(GetUser::start).await;
        assert_eq!((answer.status, &answer.body["username"]), (200, &json!("ada")));
        assert!(answer.body.get(private).is_none(), "{private}");
        let own = fixture.call(GetUser::start, request("GET", "/users/ada").by("ada")).await;
        assert_eq!(own.body[private], value);
    }
}

#[tokio::test]
async fn reads_an_item_with_only_the_required_attributes() {
    let fixture = Fixture::new("get-user").await;
    let mut item = testing::user("zoe");
    item.retain(|attribute, _| ["PK", "SK", "username", "name"].contains(&attribute.as_str()));
    fixture.put(item).await;
    let answer = fixture.call(GetUser::start, request("GET", "/users/zoe").by("ada")).await;
    assert_eq!(
        answer.body,
        json!({"username": "zoe", "name": "zoe", "photos": 0, "interests": [], "followers": 0, "following": 0})
    );
}

#[tokio::test]
async fn returns_404_for_an_unknown_or_deleted_user() {
    let fixture = Fixture::new("get-user").await;
    fixture.put(deletion("ada")).await;
    for name in ["nobody", "ada"] {
        let answer = fixture.call(GetUser::start, request("GET", format!("/users/{name}")).by("ada")).await;
        assert_eq!((answer.status, answer.problem()), (404, if name == "ada" { "no-profile" } else { "no-user" }));
    }
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("get-user").await;
    fixture.needs_a_caller(GetUser::start, request("GET", "/users/ada")).await;
    fixture.refuses_bad_usernames(GetUser::start, "username", |name| request("GET", format!("/users/{name}"))).await;
}

#[tokio::test]
async fn retries_when_throttled_and_then_returns_503_with_retry_after() {
    let throttled = Fault::Error("ProvisionedThroughputExceededException");
    let fixture = Fixture::new("get-user").await;
    fixture.inject([throttled; 4]);
    assert_eq!(fixture.call(GetUser::start, request("GET", "/users/ada").by("ada")).await.status, 200);
    assert_eq!(fixture.operations(), ["GetItem"; 5]);

    fixture.inject([throttled; 5]);
    let answer = fixture.call(GetUser::start, request("GET", "/users/ada").by("ada")).await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.headers["retry-after"], "1");
    assert!(!answer.body.to_string().contains("refused"), "{}", answer.body);
}

#[tokio::test]
async fn returns_503_for_a_transient_error() {
    let fixture = Fixture::new("get-user").await;
    for fault in [
        Fault::Error("InternalServerError"),
        Fault::Error("LimitExceededException"),
        Fault::Error("RequestLimitExceeded"),
        Fault::Error("ServiceUnavailable"),
        Fault::Error("ThrottlingException"),
        Fault::ConnectionLost,
        Fault::AnswerLost,
        Fault::Unparsable,
    ] {
        fixture.inject([fault; 5]);
        let answer = fixture.call(GetUser::start, request("GET", "/users/ada").by("ada")).await;
        assert_eq!(answer.status, 503, "{fault:?}: {}", answer.body);
        assert_eq!(answer.headers["retry-after"], "1", "{fault:?}");
        fixture.clear_faults();
    }
}

#[tokio::test]
async fn retries_after_a_lost_and_after_an_unparsable_answer() {
    let fixture = Fixture::new("get-user").await;
    for fault in [Fault::AnswerLost, Fault::Unparsable] {
        fixture.inject([fault; 4]);
        let answer = fixture.call(GetUser::start, request("GET", "/users/ada").by("ada")).await;
        assert_eq!(answer.status, 200, "{fault:?}: {}", answer.body);
        assert_eq!(fixture.operations(), ["GetItem"; 5], "{fault:?}");
    }
}

#[tokio::test]
async fn retries_within_5_seconds_on_a_dead_connection() {
    let fixture = Fixture::new("get-user").await;
    fixture.inject([Fault::NoAnswer]);
    let call = fixture.call(GetUser::start, request("GET", "/users/ada").by("ada"));
    // Half of the function's timeout. With the SDK's defaults the call would take more than 30
    // seconds.
    let answer = tokio::time::timeout(std::time::Duration::from_secs(5), call).await.expect("an answer");
    assert_eq!(answer.status, 200);
    assert_eq!(fixture.operations(), ["GetItem"; 2]);
}

#[tokio::test]
async fn hides_the_details_of_an_internal_error() {
    let fixture = Fixture::new("get-user").await;
    let mut nameless = testing::user("zoe");
    nameless.remove("name");
    fixture.put(nameless).await;
    for fault in [Fault::None, Fault::Error("ValidationException"), Fault::Error("AccessDeniedException")] {
        fixture.inject([fault]);
        let answer = fixture.call(GetUser::start, request("GET", "/users/zoe").by("ada")).await;
        assert_eq!(answer.status, 500, "{fault:?}");
        assert_eq!(answer.headers["content-type"], "application/problem+json");
        assert_eq!(
            answer.body,
            json!({
                "type": "tag:quick-photos.example,2026:internal", "title": "Internal error", "status": 500,
                "detail": "The service has an error. Try again later.",
                "hint": "If it occurs again, report the header apigw-requestid of the answer.",
            })
        );
    }
}

#[tokio::test]
async fn shows_whether_the_caller_and_the_user_follow_each_other() {
    let fixture = Fixture::new("get-user").await;
    for (username, caller, viewer) in [
        ("ada", "ben", json!({"follows": true, "followsYou": false})),
        ("ben", "ada", json!({"follows": false, "followsYou": true})),
        ("ada", "cara", json!({"follows": false, "followsYou": false})),
        ("ada", "ada", json!({"follows": false, "followsYou": false})),
    ] {
        let uri = format!("/users/{username}?include=viewer");
        let answer = fixture.call(GetUser::start, request("GET", uri).by(caller)).await;
        assert_eq!((answer.status, &answer.body["viewer"]), (200, &viewer), "{username} {caller}");
        assert_eq!(answer.body["username"], username);
        assert_eq!(fixture.operations(), ["BatchGetItem"]);
    }
    let unknown = request("GET", "/users/nobody?include=viewer").by("ada");
    assert_eq!(fixture.call(GetUser::start, unknown).await.status, 404);
    fixture.refuses_field(GetUser::start, request("GET", "/users/ada?include=people").by("ben"), "include").await;
}

/// Dora approves followers. Ben has asked her, ada has asked somebody else, and cara follows her.
#[tokio::test]
async fn shows_whether_the_caller_has_asked() {
    let fixture = Fixture::new("get-user").await;
    let requests = vec![follow_request("dora", "ben"), follow_request("eve", "ada")];
    fixture.put_all([vec![approving_user("dora", 0), user("eve"), friendship("dora", "cara")], requests].concat());
    let asked = json!({"follows": false, "followsYou": false, "requested": true});
    let not = json!({"follows": false, "followsYou": false});
    let follows = json!({"follows": true, "followsYou": false});
    for (username, caller, viewer, requests) in [
        ("dora", "ben", &asked, 2),
        ("dora", "ada", &not, 2),
        ("dora", "cara", &follows, 1),
        ("dora", "dora", &not, 1),
        // Eve approves nobody, so nothing is read.
        ("eve", "ada", &not, 1),
    ] {
        let uri = format!("/users/{username}?include=viewer");
        let answer = fixture.call(GetUser::start, request("GET", uri).by(caller)).await;
        assert_eq!(&answer.body["viewer"], viewer, "{username} {caller}");
        assert_eq!(fixture.operations(), vec!["BatchGetItem"; requests], "{username} {caller}");
    }
    let answer = fixture.call(GetUser::start, request("GET", "/users/dora").by("ben")).await;
    assert_eq!(answer.body["approvesFollowers"], true);
    assert!(answer.body.get("requestsSent").is_none());
}

#[tokio::test]
async fn me_is_the_caller() {
    let fixture = Fixture::new("get-user").await;
    for caller in ["ada", "ben"] {
        let answer = fixture.call(GetUser::start, request("GET", "/users/me").by(caller)).await;
        assert_eq!((answer.status, &answer.body["username"]), (200, &json!(caller)));
        assert!(answer.body["email"].is_string() && answer.body["photos"].is_number());
        assert_eq!(answer.headers["cache-control"], "no-store");
    }
}

#[tokio::test]
async fn shows_the_picture_of_the_pinned_photo() {
    let fixture = Fixture::new("get-user").await;
    let answer = fixture.call(GetUser::start, request("GET", "/users/ada").by("ben")).await;
    let picture = &answer.body["picture"];
    assert!(picture["small"].as_str().unwrap().contains("/photos/ada/2024-06-09T13%3A49%3A13/"), "{picture}");
    assert!(picture["blurhash"].is_string());
    assert!(answer.body.get("pinnedPicture").is_none());
}

#[tokio::test]
async fn only_the_owner_gets_a_tag_with_the_version() {
    let fixture = Fixture::new("get-user").await;
    let mut ada = testing::user("ada");
    ada.insert("_version".into(), ada["name"].clone());
    fixture.put(ada).await;
    let tag = async |caller: &str| {
        let answer = fixture.call(GetUser::start, request("GET", "/users/ada").by(caller)).await;
        answer.headers["etag"].to_str().unwrap().to_owned()
    };
    assert!(tag("ada").await.starts_with("\"ada."), "{}", tag("ada").await);
    assert!(tag("ben").await.starts_with("W/"));
}

#[tokio::test]
async fn a_user_who_blocks_the_caller_is_unknown_to_them() {
    let fixture = Fixture::new("get-user").await;
    let counted = |name, count| testing::with_count(user(name), count, 1);
    fixture.put_all(vec![counted("dora", "blocks"), counted("eve", "blockedBy"), counted("zoe", "blocks")]);
    fixture.put_all(vec![block("dora", "ben", Level::Block), block("ben", "eve", Level::Block)]);
    fixture.put_all(vec![block("zoe", "cara", Level::Block), block("zoe", "ben", Level::Mute)]);
    for (username, status) in [("dora", 404), ("eve", 200), ("zoe", 200)] {
        for include in ["", "?include=viewer"] {
            let answer =
                fixture.call(GetUser::start, request("GET", format!("/users/{username}{include}")).by("ben")).await;
            assert_eq!(answer.status, status, "{username}: {}", answer.body);
            let blocked = &answer.body["viewer"]["blocked"];
            assert_eq!(*blocked == true, username == "eve" && !include.is_empty(), "{username}");
            for secret in ["blocks", "blockedBy", "mutes"] {
                assert!(answer.body.get(secret).is_none(), "{secret}");
            }
        }
    }
    let _ = fixture.operations();
    // Nothing more is asked about a user without a block, or by the user.
    for (username, caller) in [("ada", "ben"), ("dora", "dora")] {
        let own = request("GET", format!("/users/{username}")).by(caller);
        assert_eq!(
            (fixture.call(GetUser::start, own).await.status, fixture.operations()),
            (200, vec!["GetItem".to_owned()])
        );
    }
}

#[tokio::test]
async fn shows_whom_the_caller_has_muted() {
    let fixture = Fixture::new("get-user").await;
    fixture.put(testing::with(friendship("ada", "ben"), "muted", "true")).await;
    for (username, caller, muted) in [("ada", "ben", true), ("ben", "ada", false)] {
        let uri = format!("/users/{username}?include=viewer");
        let answer = fixture.call(GetUser::start, request("GET", uri).by(caller)).await;
        assert_eq!(answer.body["viewer"]["muted"] == true, muted, "{caller}");
    }
}

/// Puts a bell with unseen notifications of two kinds.
async fn ring(fixture: &Fixture, username: &str) {
    let (user, now) = (username.parse().unwrap(), Timestamp::now());
    let topics = [NotificationKind::Follower, NotificationKind::Request]
        .map(|kind| (Topic::new(kind, None, &now), InInbox::Shown(now.millis())));
    let bell = Bell::default().after(&user, &topics).unwrap();
    fixture.put_in(FEED, entity::to_item(Key::seen(&user), &bell).unwrap()).await;
}

#[tokio::test]
async fn shows_the_user_what_waits_for_them() {
    let fixture = Fixture::new("get-user").await;
    let counts = async |name: &str| {
        let own = request("GET", "/users/me?include=counts").by(name);
        let answer = fixture.call(GetUser::start, own).await;
        assert_eq!((answer.status, &answer.headers["cache-control"]), (200, &"no-store".parse().unwrap()));
        assert_eq!(fixture.operations(), ["BatchGetItem"]);
        answer.body["counts"].clone()
    };
    let none = json!({"notifications": 0, "requests": 0, "uploads": {"pending": 0, "rejected": 0}});
    let cara = user("cara");
    fixture.put(cara).await;
    assert_eq!(counts("cara").await, none, "without a bell");
    ring(&fixture, "dora").await;
    let dora = [(REQUESTS_RECEIVED, 3_000), ("uploads", 20), ("photos", 11), (REJECTED, 5)];
    fixture
        .put(dora.into_iter().fold(user("dora"), |dora, (count, number)| testing::with_count(dora, count, number)))
        .await;
    let some = json!({"notifications": 2, "requests": 3000, "uploads": {"pending": 4, "rejected": 5}});
    assert_eq!(counts("dora").await, some);
    assert_eq!(counts("cara").await, none, "the bell is that of another user");
    let without = fixture.call(GetUser::start, request("GET", "/users/me").by("dora")).await.body;
    for secret in ["counts", REQUESTS_RECEIVED, "uploads", REJECTED] {
        assert!(without.get(secret).is_none(), "{secret}");
    }
    let both = fixture.call(GetUser::start, request("GET", "/users/dora?include=counts,viewer").by("dora")).await.body;
    assert_eq!((&both["counts"], both["viewer"].is_object()), (&some, true));
}

#[tokio::test]
async fn shows_the_counts_to_nobody_else() {
    let fixture = Fixture::new("get-user").await;
    ring(&fixture, "ada").await;
    fixture.put(testing::with(user("ada"), "subject", "an account")).await;
    fixture.refuses(GetUser::start, request("GET", "/users/ada?include=counts").by("ben"), 403).await;
    let of_another_account = request("GET", "/users/ada?include=counts").by("ada").of_account("another account");
    assert_eq!(fixture.call(GetUser::start, of_another_account).await.status, 403);
    let nobody = request("GET", "/users/nobody?include=counts").by("nobody");
    assert_eq!(fixture.call(GetUser::start, nobody).await.status, 404);
}
