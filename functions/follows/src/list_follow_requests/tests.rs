use super::*;
use serde_json::json;
use testing::{Fixture, follow_request, friendship, request, user};

#[tokio::test]
async fn returns_the_requests_to_the_caller_with_the_people_who_ask() {
    let fixture = Fixture::new("list-follow-requests").await;
    for item in [follow_request("ben", "ada"), follow_request("ben", "gone"), follow_request("cara", "ada")] {
        fixture.put(item).await;
    }
    let answer = fixture.call_with_sample_event(ListFollowRequests::start).await;
    assert_eq!(answer.status, 200);
    assert_eq!(fixture.operations(), ["Query"]);
    let names: Vec<_> = answer.body["requests"].as_array().unwrap().iter().map(|one| &one["username"]).collect();
    assert_eq!((names, &answer.body["nextCursor"]), (vec![&json!("ada"), &json!("gone")], &json!(null)));
    assert_eq!(answer.body["people"], json!({}));

    let with_people = request("GET", "/users/ben/requests").by("ben").query("include", "people,viewer");
    let answer = fixture.call(ListFollowRequests::start, with_people).await;
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
    let people = answer.body["people"].as_object().unwrap();
    assert_eq!((people.len(), &people["ada"]["name"]), (1, &json!("Ada Marsh")));
    assert_eq!(answer.body["requests"][0]["viewer"], json!({"follows": true, "followsYou": false}));
    assert_eq!(answer.body["requests"][1]["viewer"], json!({"follows": false, "followsYou": false}));
}

#[tokio::test]
async fn returns_no_followers_and_nothing_of_others() {
    let fixture = Fixture::new("list-follow-requests").await;
    fixture.put(friendship("cara", "ada")).await;
    fixture.put(follow_request("carl", "ada")).await;
    let answer = fixture.call(ListFollowRequests::start, request("GET", "/users/cara/requests").by("cara")).await;
    assert_eq!((answer.status, answer.body), (200, json!({"requests": [], "people": {}, "nextCursor": null})));
}

#[tokio::test]
async fn returns_every_request_once_during_concurrent_writes() {
    let fixture = Fixture::new("list-follow-requests").await;
    fixture.put(user("dora")).await;
    for name in ["ada", "cara", "dora"] {
        fixture.put(follow_request("ben", name)).await;
    }
    let mut names = vec![];
    let mut path = "/users/ben/requests?limit=1".to_owned();
    loop {
        let page = fixture.call(ListFollowRequests::start, request("GET", path).by("ben")).await.body;
        let requests = page["requests"].as_array().unwrap().iter();
        names.extend(requests.map(|one| one["username"].as_str().unwrap().to_owned()));
        // One before the page, and one after all of them.
        fixture.put(follow_request("ben", "aaron")).await;
        fixture.put(follow_request("benn", "dora")).await;
        fixture.put(friendship("ben", "aaron")).await;
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        path = format!("/users/ben/requests?limit=1&cursor={cursor}");
    }
    assert_eq!(names, ["ada", "cara", "dora"]);
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = Fixture::new("list-follow-requests").await;
    let list_of = |name: &str| request("GET", format!("/users/{name}/requests")).by("ben");
    fixture.needs_a_caller(ListFollowRequests::start, list_of("ben")).await;
    fixture.refuses(ListFollowRequests::start, list_of("ada"), 403).await;
    fixture.refuses_bad_usernames(ListFollowRequests::start, "username", list_of).await;
    fixture.refuses_field(ListFollowRequests::start, list_of("ben").query("include", "photos"), "include").await;
    fixture.refuses_field(ListFollowRequests::start, list_of("ben").query("limit", "0"), "limit").await;
    fixture.refuses_field(ListFollowRequests::start, list_of("ben").query("cursor", "x"), "cursor").await;
}
