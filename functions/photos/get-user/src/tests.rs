use super::*;
use serde_json::json;
use testing::{Fault, Fixture, deletion, request};

#[tokio::test]
async fn shows_the_owner_all_of_it() {
    let fixture = Fixture::new("get-user").await;
    let answer = fixture.call(get_user, request("GET", "/users/ada").by("ada")).await;
    assert_eq!(answer.status, 200);
    let item = fixture.item(Key::user(&"ada".parse().unwrap())).await;
    for field in ["username", "name", "email", "birthdate", "address", "status", "interests"] {
        assert!(!item[field].is_null(), "{field}");
        assert_eq!(answer.body[field], item[field], "{field}");
    }
    assert_eq!((&answer.body["followers"], &answer.body["following"]), (&json!(1), &json!(0)));
    let pinned = answer.body["pinnedImage"].as_str().unwrap();
    assert_eq!(item["pinnedImage"], format!("PHOTO#ada#{pinned}"));
    assert!(answer.body.get("PK").is_none() && answer.body.get("SK").is_none());
    assert_eq!(fixture.operations(), ["GetItem"]);
}

#[tokio::test]
async fn shows_others_no_private_fields() {
    let fixture = Fixture::new("get-user").await;
    let answer = fixture.call_with_sample_event(get_user).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body["username"], "ada");
    for private in ["email", "birthdate", "address"] {
        assert!(answer.body.get(private).is_none(), "{private}");
    }
}

#[tokio::test]
async fn shows_an_item_of_another_program_that_has_the_key_and_a_name() {
    let fixture = Fixture::new("get-user").await;
    let mut item = testing::user("zoe");
    item.retain(|attribute, _| ["PK", "SK", "username", "name"].contains(&attribute.as_str()));
    fixture.put(item).await;
    let answer = fixture.call(get_user, request("GET", "/users/zoe").by("ada")).await;
    assert_eq!(answer.body, json!({"username": "zoe", "name": "zoe", "interests": [], "followers": 0, "following": 0}));
}

#[tokio::test]
async fn says_who_is_not_there() {
    let fixture = Fixture::new("get-user").await;
    let answer = fixture.call(get_user, request("GET", "/users/nobody").by("ada")).await;
    assert_eq!(answer.status, 404);
    assert_eq!(answer.body["detail"], "There is no user nobody.");
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("get-user").await;
    fixture.needs_a_caller(get_user, request("GET", "/users/ada")).await;
    fixture.refuses_bad_usernames(get_user, "username", |name| request("GET", format!("/users/{name}"))).await;
}

#[tokio::test]
async fn tries_again_when_throttled_and_then_says_when_to_come_back() {
    let throttled = Fault::Error("ProvisionedThroughputExceededException");
    let fixture = Fixture::new("get-user").await;
    fixture.inject([throttled; 4]);
    assert_eq!(fixture.call(get_user, request("GET", "/users/ada").by("ada")).await.status, 200);
    assert_eq!(fixture.operations(), ["GetItem"; 5]);

    fixture.inject([throttled; 5]);
    let answer = fixture.call(get_user, request("GET", "/users/ada").by("ada")).await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.headers["retry-after"], "1");
    assert!(!answer.body.to_string().contains("refused"), "{}", answer.body);
}

#[tokio::test]
async fn who_is_being_deleted_is_not_there() {
    let fixture = Fixture::new("get-user").await;
    fixture.put(deletion("ada")).await;
    let answer = fixture.call(get_user, request("GET", "/users/ada").by("ada")).await;
    assert_eq!((answer.status, &answer.body["detail"]), (404, &json!("There is no user ada.")));
}

#[tokio::test]
async fn what_passes_is_for_the_caller_to_try_again() {
    let fixture = Fixture::new("get-user").await;
    for fault in [
        Fault::Error("InternalServerError"),
        Fault::Error("LimitExceededException"),
        Fault::Error("RequestLimitExceeded"),
        Fault::Error("ServiceUnavailable"),
        Fault::Error("ThrottlingException"),
        Fault::ConnectionLost,
        Fault::AnswerLost,
    ] {
        fixture.inject([fault; 5]);
        let answer = fixture.call(get_user, request("GET", "/users/ada").by("ada")).await;
        assert_eq!(answer.status, 503, "{fault:?}: {}", answer.body);
        assert_eq!(answer.headers["retry-after"], "1", "{fault:?}");
        fixture.clear_faults();
    }
}

#[tokio::test]
async fn a_connection_that_died_is_given_up_within_a_second_or_two() {
    let fixture = Fixture::new("get-user").await;
    fixture.inject([Fault::NoAnswer]);
    let answered = fixture.call(get_user, request("GET", "/users/ada").by("ada"));
    // Half of the function's timeout; with the SDK's defaults, it would be over half a minute.
    let answer = tokio::time::timeout(std::time::Duration::from_secs(5), answered).await.expect("an answer");
    assert_eq!(answer.status, 200);
    assert_eq!(fixture.operations(), ["GetItem"; 2]);
}

#[tokio::test]
async fn our_own_faults_tell_the_caller_nothing() {
    let fixture = Fixture::new("get-user").await;
    let mut nameless = testing::user("zoe");
    nameless.remove("name");
    fixture.put(nameless).await;
    for fault in [Fault::None, Fault::Error("ValidationException"), Fault::Error("AccessDeniedException")] {
        fixture.inject([fault]);
        let answer = fixture.call(get_user, request("GET", "/users/zoe").by("ada")).await;
        assert_eq!(answer.status, 500, "{fault:?}");
        assert_eq!(answer.headers["content-type"], "application/problem+json");
        assert_eq!(
            answer.body,
            json!({
                "type": "about:blank", "title": "Internal Server Error", "status": 500,
                "detail": "Something went wrong on our side.",
            })
        );
    }
}
