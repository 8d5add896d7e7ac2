//! The right side: what an action asked of DynamoDB and what that cost, the tables, and the access patterns.

use serde_json::{Value, json};
use testing::access_patterns;

use super::pictures::picture;
use super::visitor::{ESCAPE, Visitor};
use crate::browser::{start_browser, start_stack};

/// The first action of the list.
const FIRST: &str = ".happened > li";

/// Makes each page that is loaded later connect to the events half a second late.
const LATE_EVENTS: &str = r"
    const Events = window.EventSource;
    window.EventSource = function (url) {
      let events;
      setTimeout(() => {
        events = new Events(url);
        events.onopen = () => this.onopen?.();
        events.onmessage = (event) => this.onmessage(event);
        events.onerror = () => this.onerror();
      }, 500);
      this.close = () => events?.close();
    };";

#[tokio::test]
async fn a_visitor_finds_what_an_upload_and_a_follow_cost_and_why_they_are_one_request() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::join(browser, &stack, "dora").await;
    visitor.upload("noise.png", "image/png", &picture()).await;
    visitor.see_in(".uploads .ready", "Ready").await;
    let (_, costs) =
        access_patterns::with_idempotency_key().into_iter().find(|(name, _)| name == "upload-photo").unwrap();
    visitor.see_in(FIRST, "POST /users/me/photos 201 upload-photo").await;
    visitor.see_in(FIRST, &format!("1 request to DynamoDB {} write units then", costs.writes)).await;
    visitor.see_in(FIRST, "Functions that they started").await;
    visitor.see_in(FIRST, "process-photo cold start").await;

    visitor.search("elif").await;
    visitor.click("Follow elif").await;
    let row = &access_patterns::patterns()["follow-user"];
    let costs = &row.costs;
    let units = format!("{} write units", costs.writes);
    visitor.see_in(FIRST, "PUT /users/elif/followers/me 201 follow-user").await;
    visitor.see_in(FIRST, &format!("{} request to DynamoDB {units}", costs.requests)).await;
    visitor.see_in(FIRST, &format!("TransactWriteItems quick-photos {units}")).await;
    visitor.see_in(FIRST, "One request writes all of these items or none.").await;
    visitor.see_in(FIRST, "One TransactWriteItems puts the friendship and increments the counts of both users").await;
    let requests = row.description.split(" [").next().unwrap();
    visitor.see_in(FIRST, &format!("Contract: {requests}")).await;
    visitor.see_in(FIRST, "Consumed: quick-photos").await;
    visitor.see_in(FIRST, "Passes the filter of process-changes").await;

    // The figures of this page stand beside those of the contract.
    visitor.click("Access patterns").await;
    let row = format!(
        "PUT /users/{{username}}/followers/{{follower}} 1 {{ms}} {} 0 0 {writes} {writes}",
        costs.requests,
        writes = costs.writes
    );
    let script = r#"const rows = [...document.querySelectorAll(".inspector tbody tr")];
        const row = rows.map(({innerText}) => innerText.replace(/\s+/g, " ").replace(/[\d.]+ ms/, "{ms}").trim());
        return row.includes(arguments[0]) || null;"#;
    visitor.browser.wait_for(script, json!([row])).await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn an_item_shows_where_it_lies_with_the_range_that_was_read() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.visit("#/users/ada").await;
    visitor.see_in(FIRST, "GET /users/ada/profile?order=desc&include=viewer 200").await;
    visitor.click_beginning("Query quick-photos").await;
    visitor.click("USER#ada PHOTO#ada#2024-06-09T13:49:13").await;
    visitor.see("Where the item lies").await;
    visitor.see_in("dialog .place [aria-current]", "PHOTO#ada#2024-06-09T13:49:13").await;
    visitor.see_in("dialog .place [aria-current]", "read · this item").await;
    visitor.see("from PHOTO#ada#").await;
    // The friendships and the user lie before the photos, and the query does not read them.
    visitor.see_in("dialog .place li:not(.read)", "#FRIEND#ben").await;
    visitor.see("The Query read").await;
    visitor.see("Index InvertedIndex").await;
    visitor.browser.press(ESCAPE).await;
    visitor.see_no("dialog").await;

    for (name, text) in [("AWS CLI", "aws dynamodb query --endpoint-url http://127.0.0.1:"), ("Rust", "client.query()")]
    {
        visitor.click(name).await;
        visitor.see_in(FIRST, text).await;
    }
    visitor.click("HTTP request and answer").await;
    visitor.click("curl").await;
    visitor.see_in(FIRST, "curl -i -g -X GET 'http://127.0.0.1:").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_tables_show_each_partition_and_its_items() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.click("Tables").await;
    visitor.see_in(".inspect h3", "quick-photos").await;
    visitor.browser.click(".inspect summary").await;
    visitor.see_in(".inspect", "Primary key PK, SK; time to live ttl; with a stream.").await;
    let table = reqwest::get(format!("{}/local/tables", stack.api())).await.unwrap().json::<Value>().await.unwrap();
    let table = &table["tables"][0];
    let [items, partitions] = ["items", "partitions"].map(|name| table[name].as_u64().unwrap());
    visitor.see_in(".inspect summary", &format!("{},{:03} items", items / 1000, items % 1000)).await;
    visitor.see_in(".inspect summary", &format!("{partitions} partitions")).await;
    // The partitions of the comments come first.
    visitor.click(&format!("{} more", partitions - 200)).await;
    visitor.click_beginning("USER#ada").await;
    visitor.see_in(".inspect li ol", "USER#ada #FRIEND#ben").await;
    visitor.click("USER#ada #METADATA#ada").await;
    visitor.see_in("dialog .place [aria-current]", "#METADATA#ada").await;
    // Nothing was read, because no request named the item.
    assert_eq!(visitor.count("dialog .read").await, 0);
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_first_requests_of_a_page_are_shown_however_late_the_events_connect() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": LATE_EVENTS})).await;
    visitor.browser.reload().await;
    visitor.see_in(".happened", "GET /users/me/feed").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}
