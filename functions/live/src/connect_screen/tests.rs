use super::*;
use crate::put_screen::PutScreen;
use crate::world::{Gateway, screens};
use serde_json::json;
use shared::Route as _;
use std::collections::BTreeMap;
use testing::{Fault, Fixture, request};

/// Puts a screen, and returns the parameters with which it connects.
async fn put(fixture: &Fixture, user: &str, id: &str) -> BTreeMap<String, String> {
    let (put, _) = Gateway::beside("put-screen").await;
    let answer =
        put.call(PutScreen::start, request("PUT", format!("/users/{user}/screens/{id}")).by(user).json(&json!({})));
    let answer = answer.await;
    let (_, query) = answer.body["url"].as_str().unwrap().split_once('?').unwrap();
    let key = Key::screens(&user.parse().unwrap());
    let feed = put.unrecorded_table(testing::FEED);
    let item =
        feed.client.get_item().table_name(&feed.name).set_key(Some(key.into())).send().await.unwrap().item.unwrap();
    fixture.put_in(testing::FEED, item).await;
    query.split('&').filter_map(|pair| pair.split_once('=')).map(|(name, value)| (name.into(), value.into())).collect()
}

async fn connect(fixture: &Fixture, id: &str, parameters: &BTreeMap<String, String>) -> u16 {
    let event = json!({"queryStringParameters": parameters, "requestContext": {"connectionId": id}});
    fixture.handshake(ConnectScreen::start, event).await
}

#[tokio::test]
async fn a_ticket_connects_its_screen_once() {
    let (fixture, _) = Gateway::beside("connect-screen").await;
    let parameters = put(&fixture, "ada", "1").await;
    put(&fixture, "ben", "1").await;
    assert_eq!(connect(&fixture, "c1", &parameters).await, 200);
    assert_eq!(fixture.operations(), ["UpdateItem"]);
    let screen = &screens(&fixture, "ada").await["1"];
    assert_eq!((screen.connection.as_deref(), &screen.ticket), (Some("c1"), &None));
    assert_eq!(connect(&fixture, "c1", &parameters).await, 200, "the same connection again");
    assert_eq!(connect(&fixture, "c2", &parameters).await, 401);
    assert_eq!(screens(&fixture, "ada").await["1"].connection.as_deref(), Some("c1"));
    assert_eq!(screens(&fixture, "ben").await["1"].connection, None);
}

/// Gives the screen of ada another ticket. Returns the parameters with which it connects.
async fn renew(fixture: &Fixture, mut parameters: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let (feed, ticket) = (fixture.unrecorded_table(testing::FEED), Ticket::random().unwrap().to_string());
    let update = feed
        .client
        .update_item()
        .table_name(&feed.name)
        .set_key(Some(Key::screens(&"ada".parse().unwrap()).into()))
        .update_expression("SET screens.#id.ticket = :ticket")
        .expression_attribute_names("#id", "1")
        .expression_attribute_values(":ticket", S(ticket.clone()));
    update.send().await.unwrap();
    parameters.insert("ticket".to_owned(), ticket);
    parameters
}

#[tokio::test]
async fn another_connection_closes_the_one_before() {
    let (fixture, gateway) = Gateway::beside("connect-screen").await;
    let parameters = put(&fixture, "ada", "1").await;
    assert_eq!(connect(&fixture, "c1", &parameters).await, 200);
    assert!(gateway.closed().is_empty());
    let parameters = renew(&fixture, parameters).await;
    assert_eq!(connect(&fixture, "c2", &parameters).await, 200);
    assert_eq!(gateway.closed(), ["c1"]);
    let parameters = renew(&fixture, parameters).await;
    fixture.inject([Fault::AnswerLost]);
    assert_eq!(connect(&fixture, "c3", &parameters).await, 200, "it knows its own write");
    assert_eq!(screens(&fixture, "ada").await["1"].connection.as_deref(), Some("c3"));
}

#[tokio::test]
async fn refuses_other_tickets_screens_and_users_and_old_tickets() {
    let (fixture, _) = Gateway::beside("connect-screen").await;
    let parameters = put(&fixture, "ada", "1").await;
    let other = put(&fixture, "ben", "1").await;
    for (name, value) in [
        ("ticket", &other["ticket"]),
        ("user", &"ben".to_owned()),
        ("screen", &"2".to_owned()),
        ("ticket", &"x".to_owned()),
    ] {
        let mut parameters = parameters.clone();
        parameters.insert(name.to_owned(), value.clone());
        assert_eq!(connect(&fixture, "c1", &parameters).await, 401, "{name}={value}");
        parameters.remove(name);
        assert_eq!(connect(&fixture, "c1", &parameters).await, 401, "without {name}");
    }
    let feed = fixture.unrecorded_table(testing::FEED);
    let old = Timestamp::from(SystemTime::now() - TICKET_LIFETIME - std::time::Duration::from_secs(1));
    let update = feed
        .client
        .update_item()
        .table_name(&feed.name)
        .set_key(Some(Key::screens(&"ada".parse().unwrap()).into()))
        .update_expression("SET screens.#id.used = :old")
        .expression_attribute_names("#id", "1")
        .expression_attribute_values(":old", S(old.to_string()));
    update.send().await.unwrap();
    assert_eq!(connect(&fixture, "c1", &parameters).await, 401, "it is older than a minute");
    assert_eq!(screens(&fixture, "ada").await["1"].connection, None);
}

#[tokio::test]
async fn a_transient_error_is_a_503() {
    let (fixture, _) = Gateway::beside("connect-screen").await;
    let parameters = put(&fixture, "ada", "1").await;
    fixture.inject([const { Fault::Error("ThrottlingException") }; 10]);
    assert_eq!(connect(&fixture, "c1", &parameters).await, 503);
}

#[tokio::test]
async fn reads_the_sample_event() {
    let (fixture, _) = Gateway::beside("connect-screen").await;
    let event: Connection = serde_json::from_value(fixture.sample_event()).unwrap();
    let (user, id, ticket) = parameters(&event).unwrap();
    assert_eq!((user.as_ref(), id.as_ref(), ticket.as_ref()), ("ada", "window-2", "Zm9yLW9ubHktdGVzdGluZw"));
    assert_eq!(event.id(), "LstBkcfgDoECEtA=");
    let none: Connection =
        serde_json::from_value(json!({"queryStringParameters": null, "requestContext": {"connectionId": "1"}}))
            .unwrap();
    assert!(parameters(&none).is_none());
}
