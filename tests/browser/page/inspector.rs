//! The right side: what an action asked of DynamoDB and what that cost, the tables, and the access
//! patterns.

use aws_sdk_dynamodb::types::AttributeValue;
use local::costs::Pattern;
use local::stack::{Stack, client};
use serde_json::{Value, json};
use tests::costs::patterns;

use super::pictures::picture;
use super::visitor::{ENTER, ESCAPE, RIGHT, Visitor, WIDE};
use crate::browser::{start_browser, start_small_stack, start_stack};

/// The first action of the list.
const FIRST: &str = ".happened > li";

/// The costs of the function of the first action.
const COSTS: &str = ".happened > li .costs";

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
    visitor.drop("noise.png", "image/png", &picture()).await;
    // The request for the profile belongs to the drop, unless its answer comes after the click.
    visitor.see_element("dialog select:enabled").await;
    visitor.click("Upload").await;
    visitor.see_in(".uploads .ready", "Ready").await;
    let patterns = patterns();
    let costs = patterns["upload-photo"].with_idempotency_key.as_ref().unwrap();
    visitor.see_in(FIRST, "POST /users/me/photos 201").await;
    visitor.see_in(FIRST, "upload-photo · ").await;
    visitor.see_in(FIRST, &format!("1 request to DynamoDB {} write units in all", costs.writes)).await;
    let sample = format!("The sample event: {} write units in 1 request, with idempotency-key", costs.writes);
    visitor.see_in(COSTS, &sample).await;
    visitor.see_in(FIRST, "Functions that they started").await;
    visitor.see_in(FIRST, "process-photo cold start").await;
    visitor.see_in(".timeline", "S3 GET incoming/dora/").await;

    visitor.search("nils").await;
    visitor.click("Follow nils").await;
    let Pattern { costs, requests, sometimes, .. } = &patterns["follow-user"];
    let units = format!("{} write units", costs.writes);
    visitor.see_in(FIRST, "PUT /users/nils/followers/me 201").await;
    visitor.see_in(FIRST, "follow-user · ").await;
    visitor.see_in(FIRST, &format!("{} request to DynamoDB {units}", costs.requests)).await;
    visitor.see_in(FIRST, &format!("TransactWriteItems quick-photos {units}")).await;
    visitor.see_in(FIRST, "One request writes all of these items or none.").await;
    visitor.see_in(FIRST, "Passes the filter of process-changes").await;
    visitor.see_in(FIRST, "just now").await;
    // The contract stands beside what was measured, in the table and in the index.
    visitor.see_in(COSTS, &format!("TransactWriteItems quick-photos 2 × 3 items + 1 entry {units}")).await;
    visitor
        .see_in(COSTS, &format!("1 request 2 × 3 + 1 = {units} The sample event: {units} in 1 request {units}"))
        .await;
    visitor.see_in(COSTS, "+ 1 InvertedIndex").await;
    // What the function does is below the request, and the action before is folded.
    let summary = "Makes the caller follow a user, or asks the user for it.";
    assert!(!visitor.shows(FIRST, summary).await);
    visitor.click("The access pattern").await;
    visitor.see_in(FIRST, summary).await;
    let contract = format!("Contract: {}; sometimes {}.", requests.join(", "), sometimes.join(", "));
    visitor.see_in(FIRST, &contract).await;
    visitor.see_in(".happened > li:nth-child(2)", "GET /users").await;
    visitor.see_no(".happened > li:nth-child(n + 2) details[open]").await;

    // The figures of this page stand above those of the contract.
    visitor.click("Access patterns").await;
    let row = format!(
        "PUT /users/{{username}}/followers/{{follower}} TransactWriteItems 2 × items + entries (+ …) 1 {{ms}} {requests} {requests} 0 0 {writes} {writes}",
        requests = costs.requests,
        writes = costs.writes
    );
    let script = r#"const rows = [...document.querySelectorAll(".patterns tbody tr")];
        const row = rows.map(({innerText}) => innerText.replace(/\s+/g, " ").replace(/[\d.]+ ms/, "{ms}").replace(/( \(\+ [^)]*\))+/, " (+ …)").trim());
        return row.includes(arguments[0]) || null;"#;
    visitor.browser.wait_for(script, json!([row])).await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_larger_page_costs_what_the_formula_of_its_contract_says() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Greta Holm").await;
    visitor.see_in(FIRST, "GET /users/me/feed").await;
    let costs = &patterns()["list-feed"].with_query["include=viewer"];
    let sample = format!("The sample event: {} read units in {} requests, with", costs.reads, costs.requests);
    visitor.see_in(COSTS, &sample).await;
    // Each rule has the values of this call, and their sum is what was measured.
    let script = r#"const text = document.querySelector(arguments[0]).innerText.replace(/\s+/g, " ");
        const [, size, read] = text.match(/Query dev\.Feed 0\.5 × ⌈([\d.]+) KB \/ 4⌉ ([\d.]+) read units?/) ?? [];
        const [, keys, found] = text.match(/BatchGetItem .*?0\.5 × (\d+) keys ([\d.]+) read units/) ?? [];
        const sum = Number(read) + Number(found);
        return keys > 10 && keys / 2 === Number(found) && Math.ceil(size / 4) / 2 === Number(read)
          && text.includes(`2 requests 0.5 × ⌈${size} KB / 4⌉ + 0.5 × ${keys} = ${sum} read units The sample event:`)
          && text.endsWith(`${sum} read units`) || null;"#;
    visitor.browser.wait_for(script, json!([COSTS])).await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_timeline_shows_an_action_and_what_it_started_on_one_axis() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.search("nils").await;
    visitor.click("Follow nils").await;
    visitor.see_in(FIRST, "PUT /users/nils/followers/me 201").await;
    stack.idle().await;
    visitor.see_in(".timeline", "API Gateway").await;
    visitor.see_in(".timeline", "follow-user cold start").await;
    visitor.see_in(".timeline", "TransactWriteItems quick-photos").await;
    visitor.see_in(".timeline", "3 stream records").await;
    visitor.see_in(".timeline", "process-changes").await;
    visitor.see_in(FIRST, "in all").await;
    // The tree has the sum of each branch, and what a million such calls cost.
    let Pattern { costs, .. } = &patterns()["follow-user"];
    let units = format!("{} write units ${:.2}", costs.writes, costs.writes * 0.625);
    visitor
        .see_in(".tree > ul > li > ul > li", &format!("follow-user {units} TransactWriteItems quick-photos {units}"))
        .await;
    let script = r#"const [top, ...branches] = [...document.querySelectorAll(".tree > ul > li, .tree > ul > li > ul > li")].map((row) =>
          row.querySelector(".row").innerText.replace(/\s+/g, " "));
        const dollars = (text) => Number(text.match(/\$([\d.]+)/)[1]);
        const sum = branches.map(dollars).reduce((sum, each) => sum + each);
        return top.startsWith("PUT /users/nils/followers/me ") && branches.length === 3 && branches[1].startsWith("3 stream records ")
          && branches[2].startsWith("send-push ") && Math.abs(dollars(top) - sum) < 0.02 || null;"#;
    visitor.browser.wait_for(script, json!([])).await;
    let script = r#"const bars = [...document.querySelectorAll(".timeline li")].map((row) => {
          const {left, right} = row.querySelector("i").getBoundingClientRect();
          return {kind: row.className, left, right};
        });
        const [gateway, own, request, stream, follow] = bars;
        const kinds = [gateway, own, request, stream, follow].map(({kind}) => kind).join(" ");
        return kinds === "gateway function dynamodb stream function" && gateway.left <= own.left && own.left < request.left
          && request.right < gateway.right && request.left < stream.right && request.left < follow.left || null;"#;
    visitor.browser.wait_for(script, json!([])).await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn an_item_shows_where_it_lies_with_the_range_that_was_read() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.see_in(FIRST, "GET /users/me/feed").await;
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

/// Returns a number as the page writes it: 1,129.
fn with_comma(number: &Value) -> String {
    let number = number.as_u64().unwrap();
    if number < 1000 { number.to_string() } else { format!("{},{:03}", number / 1000, number % 1000) }
}

#[tokio::test]
async fn the_tables_are_grids_with_pages_and_filters() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.click("Tables").await;
    visitor.see("Primary key PK, SK; time to live ttl; with a stream.").await;
    let tables = reqwest::get(format!("{}/local/tables", stack.api())).await.unwrap().json::<Value>().await.unwrap();
    let table = &tables["tables"][0];
    let [items, partitions] = ["items", "partitions"].map(|name| with_comma(&table[name]));
    visitor.see(&format!("{items} items in {partitions} partitions")).await;
    // The keys come first, with their types, and users come before reactions.
    visitor.see_in(".grid thead", "Item PK S SK S").await;
    visitor.see_in(".grid tbody tr", "Friendship USER#ada #FRIEND#ben").await;
    visitor.see_in(".pager", &format!("1–50 of {items} items")).await;
    assert_eq!(visitor.count(".grid tbody tr").await, 50);
    visitor.click("Next").await;
    visitor.see_in(".pager", "51–100 of").await;
    visitor.click("Previous").await;
    visitor.see_in(".grid tbody tr", "Friendship USER#ada #FRIEND#ben").await;

    let photos = table["entities"].as_array().unwrap().iter().find(|entity| entity["name"] == "Photo").unwrap();
    let photos = with_comma(&photos["items"]);
    visitor.click(&format!("Photo {photos}")).await;
    visitor.see_in(".pager", &format!("of {photos} items")).await;
    visitor.see_in(".grid tbody tr", "Photo USER#ada PHOTO#ada#2024-05-30T15:42:38").await;
    visitor.fill("prefix", "USER#nils").await;
    visitor.see_in(".grid tbody tr", "Photo USER#nils PHOTO#nils#").await;
    visitor.see_value("[...document.querySelectorAll('.grid tbody tr')].every((row) => row.innerText.match(/Photo\\s+USER#nils/))", json!(true)).await;

    // The partition key stays where it is when the attributes of a photo are looked at.
    let left = r#"const grid = document.querySelector(".grid");
        grid.scrollTo(300, 0);
        return grid.scrollLeft > 100 && grid.querySelector("tbody td:nth-child(2)").getBoundingClientRect().left - grid.getBoundingClientRect().left"#;
    assert_eq!(visitor.browser.run(left).await, 1);

    // The filter by an attribute finds items of all pages.
    visitor.click_beginning("All ").await;
    visitor.fill("prefix", "").await;
    visitor.fill("attribute", "status").await;
    visitor.choose("operator", "begins with").await;
    visitor.fill("value", "Looking for").await;
    visitor.see_in(".grid tbody tr", "User USER#ada").await;
    visitor.see_in(".pager", "1–1 of 1 item").await;
    visitor.choose("operator", "exists").await;
    let users = table["entities"].as_array().unwrap().iter().find(|entity| entity["name"] == "User").unwrap();
    visitor.see_in(".pager", &format!("of {} items", users["items"])).await;

    // A value that is cut shows whole when it has the focus.
    visitor.tab_to_element(".grid .cut").await;
    let whole = "return document.querySelector('.whole-value:popover-open')?.textContent === document.activeElement.textContent || null";
    visitor.browser.wait_for(whole, json!([])).await;
    visitor.browser.press(ESCAPE).await;
    visitor.see_no(".whole-value:popover-open").await;

    visitor.click_beginning("InvertedIndex").await;
    visitor.see("Global secondary index. Partition key SK; sort key PK").await;
    visitor.see_in(".grid thead", "Item SK S PK S").await;
    visitor.click("dev.Music").await;
    visitor.see_in(".grid thead", "Item Artist S SongTitle S").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_row_leads_to_the_whole_item_its_partition_and_the_access_patterns_that_touch_it() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.click("Tables").await;
    // A partition key shows the items that lie beside it. Nothing was read, because no request
    // named them.
    visitor.see_element(".grid").await;
    visitor.tab_to("USER#ada").await;
    visitor.browser.press(ENTER).await;
    visitor.see_in("dialog .place [aria-current]", "#FRIEND#ben").await;
    visitor.see_in("dialog .place", "PHOTO#ada#2024-06-09T13:49:13").await;
    visitor.see_in("dialog", "Index InvertedIndex").await;
    assert_eq!(visitor.count("dialog .read").await, 0);
    visitor.browser.press(ESCAPE).await;
    visitor.see_no("dialog").await;
    assert_eq!(visitor.focused().await, "USER#ada");

    // A cell that is cut shows all of it.
    visitor.click_beginning("User USER#ada").await;
    visitor.see_in("dialog", "Looking for the last light").await;
    visitor.click("JSON").await;
    visitor.see_in("dialog pre", r#""username": "ada""#).await;
    visitor.click("DynamoDB JSON").await;
    visitor.see_in("dialog pre", r#""username": { "S": "ada" }"#).await;
    visitor.browser.press(ESCAPE).await;
    visitor.see_no("dialog").await;
    visitor.browser.click(".grid td:not(.pin) .cut").await;
    visitor.see_element("dialog .item [aria-current=true]").await;
    visitor.see_in("dialog .kind", "Written by create-user").await;
    visitor.click("follow-user").await;
    visitor.see_no("dialog").await;
    visitor.see_in(".patterns [aria-current=true]", "Makes the caller follow a user, or asks the user for it.").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn an_item_names_what_writes_and_what_reads_its_kind() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.click("Tables").await;
    visitor.click("dev.Feed").await;
    visitor.click_beginning("entry Feed#").await;
    let script = r#"const names = (list) => [...document.querySelectorAll(`dialog .kind dd:nth-of-type(${list}) button`)].map(({innerText}) => innerText);
        return names(1).includes("process-changes") && names(2).includes("list-feed") && !names(1).includes("list-feed") || null;"#;
    visitor.browser.wait_for(script, json!([])).await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

/// Returns the item of ada in the answer of the stack.
async fn ada(stack: &Stack) -> Value {
    let url = format!(r#"{}/local/tables/quick-photos/items?key=[{{"S":"USER%23ada"}}]"#, stack.api());
    let answer = reqwest::get(url).await.unwrap().json::<Value>().await.unwrap();
    let mut items = answer["items"].as_array().unwrap().iter();
    items.find(|entry| entry["item"]["SK"]["S"] == "#METADATA#ada").unwrap()["item"].clone()
}

#[tokio::test]
async fn an_edit_shows_in_the_app_and_changes_nothing_else() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.visit("#/users/ada").await;
    visitor.see_in(".app", "Looking for the last light").await;
    let mut expected = ada(&stack).await;
    visitor.click("Tables").await;
    visitor.click_beginning("User USER#ada").await;
    visitor.click("Edit or delete").await;
    visitor.see_in("dialog .edit", "The key cannot be changed.").await;
    visitor.fill("item-status", "Back in June").await;
    visitor.fill("item-followers", "many").await;
    visitor.see_in("dialog .edit", "followers must be a number").await;
    visitor.fill("item-followers", "77").await;
    visitor.fill("added", "tags").await;
    visitor.choose("added-type", "SS: set of strings").await;
    visitor.click("Add").await;
    visitor.fill("item-tags", r#"["a", "b"]"#).await;
    visitor.click("Remove birthdate").await;
    visitor.click("Save 4 changes").await;
    visitor.see_in("dialog", "Saved.").await;
    expected["status"] = json!({"S": "Back in June"});
    expected["followers"] = json!({"N": "77"});
    expected["tags"] = json!({"SS": ["a", "b"]});
    expected.as_object_mut().unwrap().remove("birthdate");
    assert_eq!(ada(&stack).await, expected);

    visitor.click("Show the request").await;
    visitor.see_in(FIRST, "UpdateItem by this page 200").await;
    visitor.see_in(FIRST, "UpdateItem quick-photos").await;
    visitor.see_in(FIRST, "status = \"Looking for the last light\"").await;
    visitor.see_in(FIRST, "attribute_not_exists(tags)").await;
    visitor.see_in(FIRST, "write unit").await;
    visitor.see_in(FIRST, "Stream records of these writes").await;
    visitor.browser.reload().await;
    visitor.see_in(".app", "Back in June").await;
    visitor.see_in(".app", "77").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn an_edit_fails_if_the_item_has_changed_and_a_deletion_too() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.click("Tables").await;
    visitor.click_beginning("User USER#ada").await;
    visitor.click("Edit or delete").await;
    visitor.fill("item-status", "Mine").await;
    let key = |name: &str, value: &str| (name.to_owned(), AttributeValue::S(value.to_owned()));
    let client = client(stack.dynamodb());
    let other = client.update_item().table_name("quick-photos").update_expression("SET followers = followers + :one");
    let other = other.set_key(Some([key("PK", "USER#ada"), key("SK", "#METADATA#ada")].into()));
    other.expression_attribute_values(":one", AttributeValue::N("1".to_owned())).send().await.unwrap();
    let expected = ada(&stack).await;
    visitor.click("Save 1 change").await;
    visitor
        .see_in("dialog [role=alert]", "Nothing was written, because the item has changed since you opened it.")
        .await;
    visitor.click("Delete the item").await;
    visitor.click("Delete for good").await;
    visitor.see_in("dialog [role=alert]", "Nothing was written").await;
    assert_eq!(ada(&stack).await, expected);

    visitor.click("Read it again").await;
    visitor.click("Edit or delete").await;
    visitor.fill("item-status", "Mine now").await;
    visitor.click("Save 1 change").await;
    visitor.see_in("dialog", "Saved.").await;
    visitor.click("Edit or delete").await;
    visitor.click("Delete the item").await;
    visitor.click("Delete for good").await;
    visitor.see_in("dialog", "The item does not exist any more.").await;
    visitor.leave(&["/local/dynamodb"]).await;
    stack.shutdown().await;
}

/// Returns the part of the width of the page that the app has, in percent.
const SHARE: &str =
    "Math.round(document.querySelector('.app').offsetWidth / document.querySelector('.page').offsetWidth * 100)";

#[tokio::test]
async fn the_widths_of_both_sides_survive_a_reload() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.see_value(SHARE, json!(50)).await;
    visitor.tab_to("Width of the app").await;
    visitor.browser.press(RIGHT).await;
    visitor.see_value(SHARE, json!(55)).await;
    visitor.see_value("document.activeElement.ariaValueNow", json!("55")).await;
    // A mouse drags it, and a finger.
    let mouse = async |kind: &str, x: f64| {
        let event = json!({"type": kind, "x": x, "y": 400, "button": "left", "buttons": 1, "clickCount": 1});
        visitor.browser.devtools("Input.dispatchMouseEvent", event).await;
    };
    let width = f64::from(WIDE);
    for (kind, share) in [("mousePressed", 0.55), ("mouseMoved", 0.4), ("mouseReleased", 0.4)] {
        mouse(kind, width * share).await;
    }
    visitor.see_value(SHARE, json!(40)).await;
    for (kind, points) in [("touchStart", vec![0.4]), ("touchMove", vec![0.1]), ("touchEnd", vec![])] {
        let points: Vec<_> = points.iter().map(|share| json!({"x": width * share, "y": 400})).collect();
        visitor.browser.devtools("Input.dispatchTouchEvent", json!({"type": kind, "touchPoints": points})).await;
    }
    visitor.see_value(SHARE, json!(30)).await;
    visitor.click("Tables").await;
    visitor.click("dev.Music").await;
    visitor.browser.reload().await;
    visitor.see_in(".grid thead", "Item Artist S SongTitle S").await;
    visitor.see_value(SHARE, json!(30)).await;

    visitor.click("Whole window").await;
    visitor.see_value("document.querySelector('.inspector').offsetWidth", json!(WIDE)).await;
    visitor.browser.reload().await;
    visitor.see_in(".grid thead", "Item Artist S SongTitle S").await;
    assert!(!visitor.browser.run("return document.querySelector('.app').checkVisibility()").await.as_bool().unwrap());
    visitor.click("Whole window").await;
    visitor.see_value(SHARE, json!(30)).await;
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
