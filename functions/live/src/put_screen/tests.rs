use super::*;
use crate::world::{Gateway, put_screens, reference, screens, screens_item, watchers};
use serde_json::{Value, json};
use shared::dynamodb::entity;
use shared::entities::{Key, MAX_SCREENS, Screens};
use testing::{FEED, Fault, deletion, request};

const PHOTO: &str = "2024-05-30T15:42:38";
const OTHER: &str = "2024-05-31T09:01:02";

fn put(user: &str, id: &str, body: &Value) -> testing::TestRequest {
    request("PUT", format!("/users/{user}/screens/{id}")).by(user).json(body)
}

fn photo(owner: &str, id: &str) -> Value {
    json!({"photo": {"username": owner, "id": id}})
}

#[tokio::test]
async fn a_screen_gets_a_ticket_and_watches_its_photo() {
    let (fixture, _) = Gateway::beside("put-screen").await;
    for (user, id, body) in
        [("ada", "1", photo("ben", PHOTO)), ("ada", "2", photo("ben", OTHER)), ("ben", "1", json!({}))]
    {
        let answer = fixture.call(PutScreen::start, put(user, id, &body)).await;
        assert_eq!((answer.status, &answer.body["id"], &answer.body["photo"]), (200, &json!(id), &body["photo"]));
        assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems"]);
        let ticket = screens(&fixture, user).await[id].ticket.clone().unwrap();
        let url = answer.body["url"].as_str().unwrap();
        assert!(url.ends_with(&format!("/live?user={user}&screen={id}&ticket={ticket}")), "{url}");
        assert_eq!(answer.headers["cache-control"], "no-store");
    }
    assert_eq!(screens(&fixture, "ada").await.len(), 2);
    assert_eq!(
        watchers(&fixture).await,
        [format!("Watch#ben#{PHOTO} SCREEN#ada#1"), format!("Watch#ben#{OTHER} SCREEN#ada#2")]
    );
}

#[tokio::test]
async fn a_ticket_stays_until_it_is_used_or_too_old() {
    let (fixture, _) = Gateway::beside("put-screen").await;
    let url = async || fixture.call(PutScreen::start, put("ada", "1", &json!({}))).await.body["url"].clone();
    let first = url().await;
    assert_eq!(url().await, first, "the screen may be about to connect");
    let mut old = screens(&fixture, "ada").await.remove("1").unwrap();
    old.used = "2024-05-30T15:42:38.000Z".parse().unwrap();
    let item = Screens { screens: [("1".parse().unwrap(), old)].into(), revision: 2, ttl: 0, told: None };
    fixture.put_in(FEED, entity::to_item(Key::screens(&"ada".parse().unwrap()), &item).unwrap()).await;
    assert_ne!(url().await, first);
}

#[tokio::test]
async fn an_expired_screen_comes_back_with_its_photo_or_another_one() {
    let (fixture, _) = Gateway::beside("put-screen").await;
    for (owner, id) in [("ben", PHOTO), ("ada", OTHER)] {
        put_screens(&fixture, "ada", &[("1", "c1", Some(reference("ben", PHOTO)))]).await;
        let mut old = screens(&fixture, "ada").await.remove("1").unwrap();
        old.used = "2024-05-30T15:42:38.000Z".parse().unwrap();
        let item = Screens { screens: [("1".parse().unwrap(), old)].into(), revision: 1, ttl: 0, told: None };
        fixture.put_in(FEED, entity::to_item(Key::screens(&"ada".parse().unwrap()), &item).unwrap()).await;
        assert_eq!(fixture.call(PutScreen::start, put("ada", "1", &photo(owner, id))).await.status, 200);
        assert_eq!(watchers(&fixture).await, [format!("Watch#{owner}#{id} SCREEN#ada#1")]);
    }
}

#[tokio::test]
async fn another_photo_moves_the_watcher_and_leaves_the_connection() {
    let (fixture, _) = Gateway::beside("put-screen").await;
    let both = [("1", "c1", Some(reference("ben", PHOTO))), ("2", "c2", Some(reference("ben", PHOTO)))];
    put_screens(&fixture, "ada", &both).await;
    let (first, second) = (format!("Watch#ben#{PHOTO} SCREEN#ada#1"), format!("Watch#ben#{PHOTO} SCREEN#ada#2"));
    for (body, expected) in [
        (photo("ben", PHOTO), vec![first, second.clone()]),
        (photo("ada", OTHER), vec![format!("Watch#ada#{OTHER} SCREEN#ada#1"), second.clone()]),
        (json!({}), vec![second.clone()]),
        (json!({"photo": null}), vec![second]),
    ] {
        assert_eq!(fixture.call(PutScreen::start, put("ada", "1", &body)).await.status, 200);
        assert_eq!(watchers(&fixture).await, expected, "{body}");
        assert_eq!(screens(&fixture, "ada").await["1"].connection.as_deref(), Some("c1"));
    }
}

#[tokio::test]
async fn the_next_screen_replaces_the_one_that_was_not_used_for_longest() {
    let (fixture, gateway) = Gateway::beside("put-screen").await;
    let names: Vec<(String, String)> =
        (0..MAX_SCREENS).map(|number| (format!("s{number}"), format!("c{number}"))).collect();
    let shown: Vec<_> =
        names.iter().map(|(id, connection)| (&**id, &**connection, Some(reference("ben", PHOTO)))).collect();
    put_screens(&fixture, "ada", &shown).await;
    // The first one is used again.
    fixture.call(PutScreen::start, put("ada", "s0", &photo("ben", PHOTO))).await;
    gateway.lose("c1");
    assert_eq!(fixture.call(PutScreen::start, put("ada", "new", &json!({}))).await.status, 200);
    let left = screens(&fixture, "ada").await;
    assert_eq!(left.len(), MAX_SCREENS);
    assert!(left.contains_key("new") && left.contains_key("s0") && !left.contains_key("s1"));
    assert_eq!(gateway.closed(), ["c1"], "also if it is gone");
    assert_eq!(watchers(&fixture).await.len(), MAX_SCREENS - 1);

    gateway.refuse(true);
    assert_eq!(fixture.call(PutScreen::start, put("ada", "newer", &json!({}))).await.status, 200);
    assert!(!screens(&fixture, "ada").await.contains_key("s2"), "a connection that stays is no failure");
}

#[tokio::test]
async fn concurrent_changes_and_lost_answers_lose_no_screen() {
    let (fixture, _) = Gateway::beside("put-screen").await;
    put_screens(&fixture, "ada", &[("1", "c1", None)]).await;
    fixture.put_concurrently(1, FEED, screens_item("ada", 2, &[("1", "c2", None)]));
    assert_eq!(fixture.call(PutScreen::start, put("ada", "2", &json!({}))).await.status, 200);
    assert_eq!(fixture.operations().len(), 4);
    let stored = screens(&fixture, "ada").await;
    assert_eq!((stored.len(), stored["1"].connection.as_deref()), (2, Some("c2")));

    fixture.inject([Fault::None, Fault::AnswerLost]);
    let answer = fixture.call(PutScreen::start, put("ada", "3", &json!({}))).await;
    let ticket = screens(&fixture, "ada").await["3"].ticket.clone().unwrap();
    assert!(answer.body["url"].as_str().unwrap().ends_with(&ticket.to_string()), "its ticket counts");
}

#[tokio::test]
async fn answers_the_sample_event() {
    let (fixture, _) = Gateway::beside("put-screen").await;
    let answer = fixture.call_with_sample_event(PutScreen::start).await;
    assert_eq!((answer.status, &answer.body["photo"]["username"]), (200, &json!("ben")), "{}", answer.body);
}

#[tokio::test]
async fn refuses_a_user_who_does_not_exist_and_another_account() {
    let (fixture, _) = Gateway::beside("put-screen").await;
    fixture.put(deletion("emil")).await;
    for user in ["dora", "emil"] {
        assert_eq!(fixture.call(PutScreen::start, put(user, "1", &json!({}))).await.status, 404, "{user}");
    }
    fixture.put(testing::with(testing::user("dora"), "subject", "another")).await;
    assert_eq!(fixture.call(PutScreen::start, put("dora", "1", &json!({}))).await.status, 403);
    for user in ["dora", "emil"] {
        assert!(screens(&fixture, user).await.is_empty());
    }
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let (fixture, _) = Gateway::beside("put-screen").await;
    let good = |user: &str| request("PUT", format!("/users/{user}/screens/1")).by("cara").json(&json!({}));
    fixture.needs_a_caller(PutScreen::start, good("cara")).await;
    fixture.refuses(PutScreen::start, good("ben"), 403).await;
    fixture.refuses_bad_usernames(PutScreen::start, "username", good).await;
    for id in [".", "a%20b", "a%23b", &"a".repeat(65)] {
        fixture.refuses_field(PutScreen::start, put("cara", id, &json!({})), "id").await;
    }
    for body in [json!({"photo": PHOTO}), json!({"photo": {"username": "ben"}}), photo("B", PHOTO), photo("ben", "1")] {
        fixture.refuses_field(PutScreen::start, put("cara", "1", &body), "photo").await;
    }
    fixture.refuses_field(PutScreen::start, put("cara", "1", &json!({"colour": "blue"})), "colour").await;
    fixture.refuses_bad_bodies(PutScreen::start, request("PUT", "/users/cara/screens/1").by("cara")).await;
}
