//! Several patterns together, and several concurrent clients.

use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::api::{Api, problem};

#[tokio::test]
async fn a_new_user_uploads_reacts_and_follows() {
    let api = Api::start().await;
    let dora = json!({"username": "dora", "name": "Dora", "email": "dora@example.com"});
    let created = api.request("dora", "POST", "/users").json(&dora).send().await.unwrap();
    let location = created.headers()["location"].to_str().unwrap().to_owned();
    assert_eq!(api.get("dora", &location).await["email"], "dora@example.com");
    assert_eq!(api.get("ada", &location).await.get("email"), None);

    let photo = api.upload("dora", testing::PNG).await;
    api.stack.idle().await;
    assert_eq!(api.put("ada", &format!("{photo}/reactions/smiley")).await, 201);
    assert_eq!(api.put("ben", &format!("{photo}/reactions/smiley")).await, 201);
    assert_eq!(api.put("ben", &format!("{photo}/reactions/heart")).await, 201);
    let shown = api.get("cara", &photo).await;
    assert_eq!(shown["photo"]["reactions"], testing::counts(&[("heart", 1), ("smiley", 2)]));
    assert_eq!(shown["reactions"].as_array().unwrap().len(), 3);

    let before = api.get("ben", "/users/ada").await["followers"].as_u64().unwrap();
    assert_eq!(api.put("ada", "/users/dora/followers/ada").await, 201);
    assert_eq!(api.put("dora", "/users/ada/followers/dora").await, 201);
    let profile = api.get("ben", "/users/dora/profile").await;
    assert_eq!((&profile["user"]["followers"], &profile["user"]["following"]), (&json!(1), &json!(1)));
    assert_eq!(profile["photos"], json!([shown["photo"]]));
    let followers = api.get("ben", "/users/ada/followers").await;
    let names: Vec<_> = followers["followers"].as_array().unwrap().iter().map(|f| &f["username"]).collect();
    assert!(names.contains(&&json!("dora")) && names.contains(&&json!("ben")), "{names:?}");
    assert_eq!(api.get("ben", "/users/dora/following").await["following"][0]["username"], "ada");
    assert_eq!(api.get("ben", "/users/dora/following/profiles").await["following"][0]["followers"], before + 1);
    api.stack.shutdown().await;
}

#[tokio::test]
async fn fifty_concurrent_follows_are_counted_as_fifty() {
    let api = Api::start().await;
    let mut creating = JoinSet::new();
    for number in 0..50 {
        let name = format!("fan{number}");
        let body = json!({"username": name, "name": name});
        creating.spawn(api.request(&name, "POST", "/users").json(&body).send());
    }
    assert!(creating.join_all().await.into_iter().all(|answer| answer.unwrap().status() == 201));

    let before = api.get("ben", "/users/cara").await["followers"].as_u64().unwrap();
    let mut following = JoinSet::new();
    for number in 0..50 {
        let path = format!("/users/cara/followers/fan{number}");
        // Each client sends its request twice at the same time, as a client does whose first answer
        // is late.
        for _ in 0..2 {
            following.spawn(api.request(&format!("fan{number}"), "PUT", &path).send());
        }
    }
    let mut answers: Vec<u16> =
        following.join_all().await.into_iter().map(|answer| answer.unwrap().status().as_u16()).collect();
    answers.sort_unstable();
    assert_eq!(answers, [[200; 50], [201; 50]].concat());

    assert_eq!(api.get("ben", "/users/cara").await["followers"], before + 50);
    let followers = api.get("ben", "/users/cara/followers?limit=100").await;
    assert_eq!(followers["followers"].as_array().unwrap().len() as u64, before + 50);
    assert_eq!(api.get("ben", "/users/fan7").await["following"], 1);
    api.stack.shutdown().await;
}

#[tokio::test]
async fn a_post_with_an_idempotency_key_creates_one_thing_however_often_it_is_sent() {
    let api = Api::start().await;
    for (path, list, body) in [
        ("/users/cara/photos", "photos", json!({"format": "webp"})),
        ("/users/cara/favorites", "favorites", json!({"dataType": "note", "title": "Call Ben"})),
    ] {
        let count = async || api.get("cara", path).await[list].as_array().unwrap().len();
        let before = count().await;
        let mut sending = JoinSet::new();
        for key in ["once", "\"once\"", "once"] {
            sending.spawn(api.request("cara", "POST", path).header("Idempotency-Key", key).json(&body).send());
        }
        let mut answers: Vec<(u16, Value)> = vec![];
        for answer in sending.join_all().await {
            let answer = answer.unwrap();
            let status = answer.status().as_u16();
            let mut created: Value = answer.json().await.unwrap();
            // Each answer has a form of its own, which is signed at another time.
            let form = created.as_object_mut().unwrap().remove("upload");
            assert_eq!(form.is_some(), list == "photos", "{path}");
            answers.push((status, created));
        }
        answers.sort_unstable_by_key(|(status, _)| *status);
        assert_eq!(answers.iter().map(|(status, _)| *status).collect::<Vec<_>>(), [200, 200, 201], "{path}");
        assert!(answers.iter().all(|(_, created)| *created == answers[0].1), "{path}");
        assert_eq!(count().await, before + 1, "{path}");

        let other = json!({"dataType": "note", "title": "Call Ada"});
        let other = if list == "photos" { json!({}) } else { other };
        let reused = api.request("cara", "POST", path).header("Idempotency-Key", "once").json(&other).send();
        problem(reused.await.unwrap(), 422).await;
        let malformed = api.request("cara", "POST", path).header("Idempotency-Key", "not a key").json(&body).send();
        let malformed = problem(malformed.await.unwrap(), 400).await;
        assert_eq!(malformed["errors"][0]["field"], "idempotency-key");
        assert_eq!(count().await, before + 1, "{path}");
    }
    api.stack.shutdown().await;
}

#[tokio::test]
async fn items_of_another_program_are_served_and_ours_are_readable_by_it() {
    let api = Api::start().await;
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(api.stack.dynamodb())
        .region(Region::from_static("us-east-1"))
        .credentials_provider(Credentials::new("any", "any", None, None, "test"))
        .http_client(shared::runtime::https::client(b"").unwrap())
        .build();
    let other = aws_sdk_dynamodb::Client::from_conf(config);
    let s = |text: &str| AttributeValue::S(text.to_owned());

    let item = other
        .get_item()
        .table_name("quick-photos")
        .key("PK", s("USER#ada"))
        .key("SK", s("#METADATA#ada"))
        .send()
        .await
        .unwrap()
        .item
        .unwrap();
    assert_eq!(item["name"].as_s().unwrap(), api.get("ada", "/users/ada").await["name"].as_str().unwrap());

    for (pk, sk, attributes) in [
        (
            "USER#zoe",
            "#METADATA#zoe",
            vec![("username", s("zoe")), ("name", s("Zoë")), ("followers", AttributeValue::N("1".into()))],
        ),
        (
            "USER#zoe",
            "#FRIEND#ada",
            vec![("followedUser", s("zoe")), ("followingUser", s("ada")), ("timestamp", s("2020-01-01T00:00:00"))],
        ),
        (
            "USER#zoe",
            "PHOTO#zoe#2020-01-02T00:00:00",
            vec![
                ("username", s("zoe")),
                ("timestamp", s("2020-01-02T00:00:00")),
                ("location", s("s3://elsewhere/1.png")),
                ("reactions", AttributeValue::M([("heart".to_owned(), AttributeValue::N("3".into()))].into())),
                ("camera", s("an attribute that we know nothing of")),
            ],
        ),
    ] {
        let attributes = attributes.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let put = other.put_item().table_name("quick-photos").set_item(Some(attributes));
        put.item("PK", s(pk)).item("SK", s(sk)).send().await.unwrap();
    }
    let profile = api.get("ben", "/users/zoe/profile").await;
    assert_eq!(profile["user"]["name"], "Zoë");
    assert_eq!(
        profile["photos"],
        json!([{
            "username": "zoe", "id": "2020-01-02T00:00:00", "timestamp": "2020-01-02T00:00:00Z", "location": "s3://elsewhere/1.png",
            "status": "ready", "reactions": testing::counts(&[("heart", 3)]), "comments": 0,
        }])
    );
    assert_eq!(api.get("ben", "/users/zoe/followers").await["followers"][0]["username"], "ada");
    assert_eq!(api.put("cara", "/users/zoe/photos/2020-01-02T00:00:00/reactions/heart").await, 201);
    let shown: Value = api.get("ben", "/users/zoe/photos/2020-01-02T00:00:00").await;
    assert_eq!(shown["photo"]["reactions"], testing::counts(&[("heart", 4)]));
    api.stack.shutdown().await;
}
