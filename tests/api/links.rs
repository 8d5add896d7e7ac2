//! Links over HTTP: what they show to everybody, and everything that ends them.

use std::time::{Duration, SystemTime};

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use local::services::dynamodb;
use local::stack::{Data, Options};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use shared::values::{EpochMillis, Time, Timestamp};
use testing::PNG;

use crate::api::routes::wait_for_the_hour;
use crate::api::{Api, Bare, SHARED};

/// A token that nobody has.
const GUESSED: &str = "AAAAAAAAAAAAAAAAAAAAAA";
const HOUR: Duration = Duration::from_hours(1);

/// Returns the requests for what a token opens: of a browser, an app, a messenger and another site.
fn openings(api: &Api, token: &str) -> [RequestBuilder; 4] {
    let path = format!("/s/{token}");
    [
        api.anonymous("GET", &path).header("accept", "text/html"),
        api.anonymous("GET", &path).header("accept", "application/json"),
        api.anonymous("GET", &format!("{path}/picture")),
        api.anonymous("GET", &format!("/oembed?url=https://links.example/s/{token}")),
    ]
}

/// Sends requests, and returns the answers.
async fn send(requests: impl IntoIterator<Item = RequestBuilder>) -> Vec<Bare> {
    let mut answers = vec![];
    for request in requests {
        answers.push(Bare::read(request.send().await.unwrap()).await);
    }
    answers
}

/// Asserts that a token opens a photo, and that no machine keeps it for more than a minute.
async fn assert_open(api: &Api, token: &str, when: &str) {
    let answers = send(openings(api, token)).await;
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200, 200, 302, 200], "{when}");
    for answer in answers {
        assert_eq!(answer.headers["cache-control"], SHARED, "{when}");
    }
}

/// Asserts that a token is answered with the bytes that a guessed one is answered with, which no
/// machine keeps.
async fn assert_ended(api: &Api, token: &str, when: &str) {
    let requests = |token: &str| {
        let report = || api.anonymous("POST", &format!("/s/{token}/report"));
        let form = report().header("content-type", "application/x-www-form-urlencoded").body("reason=spam");
        openings(api, token).into_iter().chain([report().json(&json!({"reason": "spam"})), form])
    };
    let answers = send(requests(token)).await;
    assert_eq!(answers, send(requests(GUESSED)).await, "{when}");
    for answer in answers {
        assert_eq!((answer.status, answer.headers["cache-control"].as_bytes()), (404, &b"no-store"[..]), "{when}");
    }
}

/// Sends a request with a body as a user, and returns the answer. Fails unless it succeeds.
async fn write(request: RequestBuilder, body: &Value) -> Value {
    let answer = request.json(body).send().await.unwrap();
    let (status, url) = (answer.status(), answer.url().clone());
    let text = answer.text().await.unwrap();
    assert!(status.is_success(), "{url}: {status} {text}");
    serde_json::from_str(&text).unwrap_or_default()
}

/// Puts the link of a photo or of a profile at this path, and returns its token.
async fn share(api: &Api, owner: &str, path: &str, settings: &Value) -> String {
    let link = write(api.request(owner, "PUT", &format!("{path}/link")), settings).await;
    assert_eq!(link["opensTo"], "anyone");
    link["token"].as_str().unwrap().to_owned()
}

/// Sets the time of a link's target as if this one were over.
async fn end_time(api: &Api, token: &str) {
    let now = EpochMillis::now().seconds().to_string();
    let update = dynamodb::client(api.stack.dynamodb()).update_item().table_name("quick-photos");
    let update = update.key("PK", S(format!("SHARE#{token}"))).key("SK", S(format!("#SHARE#{token}")));
    let update = update.update_expression("SET #ttl = :now").expression_attribute_names("#ttl", "ttl");
    update.expression_attribute_values(":now", N(now)).send().await.unwrap();
}

/// Returns the JSON of all items.
async fn items(api: &Api) -> String {
    let page = dynamodb::client(api.stack.dynamodb()).scan().table_name("quick-photos").send().await.unwrap();
    assert!(page.last_evaluated_key.is_none());
    let items = page.items.unwrap().into_iter().map(|item| serde_dynamo::from_item(item).unwrap());
    items.collect::<Vec<Value>>().iter().map(ToString::to_string).collect()
}

/// The endings of a link to a photo. After the last one, the owner is gone.
const ENDINGS: [&str; 7] = ["delete", "renew", "photo", "audience", "moderator", "until", "user"];

#[tokio::test]
async fn whatever_ends_a_link_ends_it_for_everybody_and_ends_no_other() {
    let api = Api::with(Options { data: Data::Seed, ..Options::default() }).await;
    for name in ["bertha", "dorothy"] {
        write(api.request(name, "POST", "/users"), &json!({"username": name, "name": name})).await;
    }
    let mut photos = vec![];
    for _ in ENDINGS {
        photos.push(api.upload("bertha", PNG).await);
    }
    let (other, stays) = (api.upload("dorothy", PNG).await, api.upload("bertha", PNG).await);
    api.stack.idle().await;
    let other = share(&api, "dorothy", &other, &json!({})).await;
    let stays = share(&api, "bertha", &stays, &json!({})).await;

    let mut gone = vec![];
    for (ending, photo) in ENDINGS.into_iter().zip(&photos) {
        let until = Time::from(Timestamp::from(SystemTime::now() + HOUR));
        let token = share(&api, "bertha", photo, &json!({"until": until})).await;
        assert_open(&api, &token, ending).await;
        let (id, link) = (photo.rsplit('/').next().unwrap(), format!("{photo}/link"));
        let owner = |method, path: &str| api.request("bertha", method, path);
        match ending {
            "delete" => drop(write(owner("DELETE", &link), &json!({})).await),
            "renew" => {
                let new = share(&api, "bertha", photo, &json!({"renew": token})).await;
                assert_ne!(new, token);
                assert_open(&api, &new, ending).await;
            }
            "photo" => drop(write(owner("DELETE", photo), &json!({})).await),
            "audience" => {
                write(owner("PATCH", photo), &json!({"audience": "me", "keepLink": true})).await;
                assert_open(&api, &token, "kept").await;
                write(owner("PATCH", photo), &json!({"audience": "followers"})).await;
                assert_open(&api, &token, "for followers").await;
                write(owner("PATCH", photo), &json!({"audience": "me"})).await;
            }
            "moderator" => {
                let report = json!({"photo": {"username": "bertha", "id": id}, "reason": "spam"});
                write(api.request("dorothy", "POST", "/reports"), &report).await;
                let token_of_moderator = api.stack.token_in("ada", "moderators").unwrap();
                let decide = || api.anonymous("PUT", &format!("/reports/bertha~{id}")).bearer_auth(&token_of_moderator);
                write(decide(), &json!({"decision": "remove"})).await;
                assert_ended(&api, &token, "removed").await;
                write(decide(), &json!({"decision": "dismiss"})).await;
                assert_open(&api, &token, "shown again").await;
                write(decide(), &json!({"decision": "remove"})).await;
            }
            "until" => end_time(&api, &token).await,
            "user" => drop(write(owner("DELETE", "/users/bertha"), &json!({})).await),
            _ => unreachable!("{ending}"),
        }
        assert_ended(&api, &token, ending).await;
        assert_open(&api, &other, ending).await;
        if ending != "user" {
            assert_open(&api, &stays, ending).await;
        }
        gone.push(token);
    }

    assert_ended(&api, &stays, "user").await;
    api.stack.idle().await;
    let items = items(&api).await;
    assert!(items.contains(&other));
    for token in gone.iter().chain([&stays]) {
        assert!(!items.contains(&**token), "an item has {token}");
        assert_ended(&api, token, "after the erasure").await;
    }
    api.stack.shutdown().await;
}

#[tokio::test]
async fn the_link_of_a_profile_shows_what_everyone_may_see_until_it_ends() {
    let api = Api::with(Options { data: Data::Seed, ..Options::default() }).await;
    for name in ["bertha", "dorothy"] {
        write(api.request(name, "POST", "/users"), &json!({"username": name, "name": name})).await;
    }
    let (public, restricted) = (api.upload("bertha", PNG).await, api.upload("bertha", PNG).await);
    api.stack.idle().await;
    write(api.request("bertha", "PATCH", &restricted), &json!({"audience": "followers"})).await;
    let other = share(&api, "dorothy", "/users/me", &json!({})).await;
    for ending in ["delete", "renew", "until", "user"] {
        let token = share(&api, "bertha", "/users/me", &json!({})).await;
        let [page, json, ..] = openings(&api, &token);
        for shown in send([page, json]).await {
            assert_eq!((shown.status, &shown.headers["cache-control"]), (200, &SHARED.parse().unwrap()), "{ending}");
            let id = |photo: &str| photo.rsplit('/').next().unwrap().to_owned();
            assert!(!shown.text.contains(&id(&restricted)), "{}", shown.text);
            if shown.headers["content-type"] == "application/json" {
                assert!(shown.text.contains(&id(&public)), "{}", shown.text);
            }
        }
        match ending {
            "delete" => drop(write(api.request("bertha", "DELETE", "/users/me/link"), &json!({})).await),
            "renew" => assert_ne!(share(&api, "bertha", "/users/me", &json!({"renew": token})).await, token),
            "until" => end_time(&api, &token).await,
            _ => drop(write(api.request("bertha", "DELETE", "/users/bertha"), &json!({})).await),
        }
        assert_ended(&api, &token, ending).await;
        let [page, ..] = openings(&api, &other);
        assert_eq!(send([page]).await[0].status, 200, "{ending}");
        // A link whose time is over keeps its item until DynamoDB deletes it.
        if ending == "until" {
            assert_ne!(share(&api, "bertha", "/users/me", &json!({"renew": token})).await, token);
        }
    }
    api.stack.shutdown().await;
}

#[tokio::test]
async fn a_link_tells_nothing_that_a_stranger_may_not_know() {
    wait_for_the_hour().await;
    let api = Api::with(Options { data: Data::Seed, ..Options::default() }).await;
    let owner = json!({
        "username": "bertha", "name": "Bertha", "email": "secret@mail.example", "birthdate": "1987-06-05",
        "approvesFollowers": true,
    });
    write(api.request("bertha", "POST", "/users"), &owner).await;
    for name in ["dorothy", "friedrich"] {
        write(api.request(name, "POST", "/users"), &json!({"username": name, "name": format!("Nova {name}")})).await;
    }
    let (photo, hidden) = (api.upload("bertha", PNG).await, api.upload("bertha", PNG).await);
    api.stack.idle().await;
    write(api.request("bertha", "PATCH", &hidden), &json!({"audience": "me", "caption": "Unshared"})).await;
    write(api.request("dorothy", "PUT", &format!("{photo}/reactions/heart")), &json!({})).await;
    write(api.request("dorothy", "POST", &format!("{photo}/comments")), &json!({"text": "Privately"})).await;
    write(api.request("bertha", "PUT", "/users/bertha/blocks/friedrich"), &json!({"level": "block"})).await;
    write(api.request("bertha", "PATCH", &photo), &json!({"caption": "Shared", "audience": "followers"})).await;
    api.stack.idle().await;
    let of_photo = share(&api, "bertha", &photo, &json!({})).await;
    let of_profile = share(&api, "bertha", "/users/me", &json!({})).await;

    for token in [&of_photo, &of_profile] {
        let shown = send(openings(&api, token)).await;
        for text in shown.iter().map(|answer| &answer.text) {
            for secret in
                ["secret@mail", "1987", "dorothy", "friedrich", "Nova", "Privately", "Unshared", "\"followers\":["]
            {
                assert!(!text.contains(secret), "{secret}: {text}");
            }
        }
        assert_eq!(shown[1].text.contains("Shared"), token == &of_photo, "{}", shown[1].text);
        // Also for the owner, and for a user whom the owner blocks.
        for caller in ["bertha", "friedrich"] {
            let token_of_caller = api.stack.token(caller).unwrap();
            let requests = openings(&api, token).into_iter().map(|request| request.bearer_auth(&token_of_caller));
            assert_eq!(send(requests).await, shown, "{caller}");
        }
    }
    api.stack.shutdown().await;
}
