//! The API page of the local stack.

use serde_json::{Value, json};

use crate::browser::webdriver::Browser;
use crate::browser::{start_browser, start_stack};

/// Chooses an operation of the list for narrow windows, and waits until it shows.
pub(super) async fn choose_operation(browser: &Browser, name: &str) {
    let script = r#"const list = document.querySelector(".operations");
        const operation = [...list.options].find(({text}) => text === arguments[0]);
        if (!operation) return null;
        operation.selected = true;
        list.dispatchEvent(new Event("change"));
        return true;"#;
    browser.wait_for(script, json!([name])).await;
    let shown = r#"const heading = document.querySelector("rapi-doc").shadowRoot.querySelector(".expanded-endpoint-body h2");
        return heading?.innerText === arguments[0] || null"#;
    browser.wait_for(shown, json!([name])).await;
}

#[tokio::test]
async fn the_api_page_signs_in_with_one_click_and_tries_an_operation() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let api = stack.api();
    browser.go(&format!("{api}/local/docs")).await;
    browser.run(r#"document.querySelector("input").value = "ada""#).await;
    browser.click("form button").await;
    browser.wait_for(r#"return document.querySelector("output").value == "Signed in as ada" || null"#, json!([])).await;

    // The page shows one operation at a time.
    browser
        .run(
            r#"const page = document.querySelector("rapi-doc");
               const paths = page.resolvedSpec.tags.flatMap((tag) => tag.paths);
               const path = paths.find((path) => path.path == "/users/{username}" && path.method == "get");
               return page.scrollToPath(path.elementId);"#,
        )
        .await;
    let form =
        r#"const form = document.querySelector("rapi-doc").shadowRoot.querySelector("api-request")?.shadowRoot;"#;
    let filled = r#"const name = form?.querySelector("[data-pname=username]");
        if (!name) return null;
        name.value = "ada";
        form.querySelector("[part~=btn-try]").click();
        return true;"#;
    browser.wait_for(&format!("{form}{filled}"), json!([])).await;
    let shown = r#"const status = form.querySelector(".response-message")?.textContent.trim();
        return status?.includes("200") ? status : null;"#;
    browser.wait_for(&format!("{form}{shown}"), json!([])).await;

    let requests = browser.requests().await;
    for path in ["/local/docs", "/local/docs/rapidoc.js", "/local/openapi.json", "/local/token/ada"] {
        assert!(requests.contains(&format!("{api}{path}")), "{path}: {requests:?}");
    }
    let user = format!("{api}/users/ada");
    assert!(requests.iter().any(|url| url.split('?').next() == Some(user.as_str())), "{requests:?}");
    let own = |url: &&String| url.starts_with(&format!("{api}/")) || url.starts_with("data:");
    let other: Vec<_> = requests.iter().filter(|url| !own(url)).collect();
    assert!(other.is_empty(), "{other:?}");
    stack.shutdown().await;
}

#[tokio::test]
async fn the_api_page_signs_in_as_an_editor_and_as_any_user() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    browser.go(&format!("{}/local/docs", stack.api())).await;
    let shows = async |text: &str| {
        let script = r#"return document.querySelector("output").value.includes(arguments[0]) || null"#;
        browser.wait_for(script, json!([text])).await;
    };
    browser.click("[name=editor]").await;
    for (name, text) in [("zoe", "Signed in as zoe, an editor"), ("Zoe", "a username must be")] {
        browser.run(&format!(r#"document.querySelector("input").value = "{name}""#)).await;
        browser.click("form button").await;
        shows(text).await;
    }
    stack.shutdown().await;
}

#[tokio::test]
async fn a_phone_reaches_all_operations_and_a_moderator_lists_reports() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    browser.go(&format!("{}/local/docs", stack.api())).await;
    let is_shown = r#"return document.querySelector(".operations").checkVisibility()"#;
    assert_eq!(browser.run(is_shown).await, false);
    let phone = json!({"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true});
    browser.devtools("Emulation.setDeviceMetricsOverride", phone).await;
    assert_eq!(browser.run(is_shown).await, true);
    let licence = r#"const line = document.querySelector("rapi-doc").shadowRoot?.querySelector("[id=api-info]");
        return line?.getBoundingClientRect().left ?? null"#;
    assert!(browser.wait_for(licence, json!([])).await.as_f64() >= Some(0.0));
    browser.click("[name=moderator]").await;
    browser.click("form button").await;
    let script = r#"return document.querySelector("output").value.endsWith(", a moderator") || null"#;
    browser.wait_for(script, json!([])).await;
    choose_operation(&browser, "List reports").await;
    let answered = r#"const form = document.querySelector("rapi-doc").shadowRoot.querySelector("api-request")?.shadowRoot;
        const status = form?.querySelector(".response-message")?.textContent.trim();
        if (!status) form?.querySelector("[part~=btn-try]")?.click();
        return status?.includes("200") || null"#;
    browser.wait_for(answered, json!([])).await;
    // Every operation of the document is in the list.
    let missing = r#"const {tags} = document.querySelector("rapi-doc").resolvedSpec;
        const listed = new Set([...document.querySelector(".operations").options].map(({value}) => value));
        return tags.flatMap(({paths}) => paths).filter(({elementId}) => !listed.has(elementId)).length"#;
    assert_eq!(browser.run(missing).await, 0);
    stack.shutdown().await;
}

#[tokio::test]
async fn the_quick_start_reads_a_feed_with_one_click() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    browser.go(&format!("{}/local/docs", stack.api())).await;
    let click = r#"const button = document.querySelector("[data-try='get /users/{username}/feed']");
        return button.checkVisibility() && document.querySelector("rapi-doc").resolvedSpec ? (button.click(), true) : null"#;
    browser.wait_for(click, json!([])).await;
    let answered = r#"const form = document.querySelector("rapi-doc").shadowRoot.querySelector("api-request")?.shadowRoot;
        return form?.querySelector(".response-message")?.textContent.includes("200") || null"#;
    browser.wait_for(answered, json!([])).await;
    let feed = format!("{}/users/me/feed?", stack.api());
    assert!(browser.requests().await.iter().any(|url| url.starts_with(&feed)));
    stack.shutdown().await;
}

/// Finds an operation by its method and path, with its form and its answers as `RapiDoc` draws them.
const OPERATION: &str = r#"const [method, path, answer, body] = arguments;
    const page = document.querySelector("rapi-doc");
    const operations = page.resolvedSpec?.tags.flatMap(({paths}) => paths) ?? [];
    const operation = operations.find((one) => one.method === method && one.path === path);
    if (!operation) return null;
    const section = page.shadowRoot.getElementById(operation.elementId);
    const form = section?.querySelector("api-request")?.shadowRoot;
    const answers = section?.querySelector("api-response")?.shadowRoot;"#;

#[tokio::test]
async fn every_operation_shows_its_examples_and_the_caller_may_try_it() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let document = reqwest::get(format!("{}/local/openapi.json", stack.api())).await.unwrap();
    let document: Value = document.json().await.unwrap();
    browser.go(&format!("{}/local/docs", stack.api())).await;
    browser.run(r#"document.querySelector("input").value = "ben""#).await;
    browser.click("form button").await;
    browser.wait_for(r#"return document.querySelector("output").value == "Signed in as ben" || null"#, json!([])).await;

    let methods = |path: &Value| path.as_object().unwrap().clone();
    let paths = document["paths"].as_object().unwrap();
    let operations =
        paths.iter().flat_map(|(path, all)| methods(all).into_iter().map(move |(method, one)| (method, path, one)));
    let mut seen = 0;
    for (method, path, operation) in operations {
        let responses = operation["responses"].as_object().unwrap();
        let successes = responses.iter().filter(|(status, _)| status.starts_with('2'));
        let answer = successes.map(|(_, response)| &response["content"]["application/json"]["example"]).next();
        let body = operation.get("requestBody").map(|body| match &body["content"]["application/json"]["example"] {
            Value::Null => json!({}),
            example => example.clone(),
        });
        let arguments = json!([method, path, answer, body]);
        browser
            .wait_for(
                &format!("{OPERATION} return page.scrollToPath(operation.elementId).then(() => true);"),
                arguments.clone(),
            )
            .await;
        // A deletion answers without a body; the first example is that of an error.
        let shown = r#"const trees = [...answers?.querySelectorAll("json-tree") ?? []].filter((tree) => tree.shadowRoot.textContent.length > 9);
            const show = (example) => JSON.stringify(example, null, 2);
            const hasAnswer = answer ? trees.some((tree) => tree.checkVisibility() && show(tree.data) === show(answer)) : trees.length > 0;
            const hasBody = body ? form?.querySelector("textarea")?.value === show(body) : form;
            return hasAnswer && hasBody ? [...form.querySelectorAll("[data-ptype=path]")].map(({value}) => value) : null;"#;
        let values = browser.wait_for(&format!("{OPERATION} {shown}"), arguments.clone()).await;
        let callers = operation["x-callers"].as_str().unwrap();
        if ["self", "either"].contains(&callers) && path.contains("{username}") && !path.contains("{comment}") {
            assert!(values.as_array().unwrap().contains(&json!("me")), "{method} {path}: {values}");
        }
        assert_eq!(browser.console().await, [""; 0], "{method} {path}");

        if method == "get" && ["any", "self"].contains(&callers) {
            let tried = r#"const status = form?.querySelector(".response-message")?.textContent.trim();
                if (!status) form?.querySelector("[part~=btn-try]")?.click();
                return status || null"#;
            let status = browser.wait_for(&format!("{OPERATION} {tried}"), arguments).await;
            let status = status.as_str().unwrap();
            assert!(["200", "404"].iter().any(|expected| status.contains(expected)), "{method} {path}: {status}");
            // A 404 is written to the console, which belongs to the next operation otherwise.
            browser.console().await;
        }
        seen += 1;
    }
    assert!(seen > 60, "{seen}");
    stack.shutdown().await;
}

#[tokio::test]
async fn the_api_page_follows_the_color_scheme() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    browser.go(&format!("{}/local/docs", stack.api())).await;
    for (scheme, is_dark) in [("light", false), ("dark", true)] {
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        browser.devtools("Emulation.setEmulatedMedia", features).await;
        let script = r#"const page = document.querySelector("rapi-doc");
            const parts = [document.querySelector("header"), document.body, ...page.shadowRoot?.querySelectorAll(".body, .nav-bar") ?? []];
            const isDark = (part) => getComputedStyle(part).color.match(/\d+/g)[0] > 127;
            return parts.length > 3 && page.getAttribute("theme") === arguments[0]
              && parts.every((part) => isDark(part) === arguments[1]) || null"#;
        browser.wait_for(script, json!([scheme, is_dark])).await;
    }
    stack.shutdown().await;
}

#[tokio::test]
async fn the_api_page_may_not_send_requests_to_another_host() {
    let Some(browser) = start_browser().await else { return };
    let (stack, other) = (start_stack(None).await, start_stack(Some("*".to_owned())).await);
    browser.go(&format!("{}/local/docs", stack.api())).await;
    let script = |url: &str| format!(r#"return fetch("{url}/local/health").then((answer) => answer.text(), String);"#);
    assert_eq!(browser.run(&script(stack.api())).await, "ok");
    assert_eq!(browser.run(&script(other.api())).await, "TypeError: Failed to fetch");
    // A page without the policy may.
    browser.go(&format!("{}/local/health", stack.api())).await;
    assert_eq!(browser.run(&script(other.api())).await, "ok");
    other.shutdown().await;
    stack.shutdown().await;
}
