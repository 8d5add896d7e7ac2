//! Requests to follow, and the counts of those who ask and of those whom they ask.

use ::testing;

use super::test_data;
use crate::audited_table::{number, user};

#[tokio::test]
async fn repairs_the_counts_of_those_who_ask_and_are_asked() {
    let table = test_data().await;
    table.put([testing::follow_request("ben", "cara"), testing::follow_request("ada", "cara")]).await;
    table.set(user("cara"), "requestsSent", Some(number(2))).await;
    for asked in ["ada", "ben"] {
        table.set(user(asked), "requestsReceived", Some(number(1))).await;
    }
    let expected = table.all_items().await;
    for (username, count, right) in [("cara", "requestsSent", 2), ("ada", "requestsReceived", 1)] {
        for stored in [None, Some(0), Some(-1), Some(7)] {
            table.set(user(username), count, stored.map(number)).await;
            let is = stored.map_or("missing".to_owned(), |count: i64| count.to_string());
            assert_eq!(table.repair().await, [format!("user {username}: {count} is {is}, but should be {right}")]);
            assert_eq!(table.all_items().await, expected);
        }
    }
}

#[tokio::test]
async fn deletes_a_request_beside_a_friendship() {
    let table = test_data().await;
    // Ben follows ada, and has asked cara.
    table.put([testing::follow_request("cara", "ben")]).await;
    table.set(user("ben"), "requestsSent", Some(number(1))).await;
    table.set(user("cara"), "requestsReceived", Some(number(1))).await;
    table.set(user("ada"), "requestsReceived", Some(number(0))).await;
    let expected = table.all_items().await;
    table.put([testing::follow_request("ada", "ben")]).await;
    table.set(user("ben"), "requestsSent", Some(number(2))).await;
    table.set(user("ada"), "requestsReceived", Some(number(1))).await;
    table.assert_repaired(&["request of ben to follow ada: ben follows already"], &expected).await;
}

#[tokio::test]
async fn finds_the_requests_of_and_to_users_who_are_lost() {
    let table = test_data().await;
    table.put([testing::follow_request("gone", "cara"), testing::follow_request("cara", "lost")]).await;
    table.set(user("cara"), "requestsSent", Some(number(1))).await;
    table.set(user("cara"), "requestsReceived", Some(number(1))).await;
    assert_eq!(
        table.findings().await,
        [
            "user gone: does not exist, but there are 1 requests of others",
            "user lost: does not exist, but there are 1 requests",
        ]
    );
}
