//! The API page of the local stack.

use serde_json::{Value, json};

use crate::browser::webdriver::Browser;
use crate::browser::{start_browser, start_stack};

/// The operations that are tried after the deletions, because the examples of others need what
/// these take away.
const LAST: [&str; 2] = ["blockUser", "deleteUser"];

/// Finds the section of an operation by the part of its address.
const SECTION: &str = r#"const section = document.querySelector(`[id$="/${CSS.escape(arguments[0])}"]`);
    const client = document.querySelector("[role=dialog]");"#;

/// Shows an operation, and waits until it can be tried.
pub(super) async fn show_operation(browser: &Browser, address: &str) {
    let script = r#"location.hash = arguments[0];
        return section?.querySelector(".show-api-client-button") && true"#;
    browser.wait_for(&format!("{SECTION} {script}"), json!([address])).await;
}

/// Opens the form of an operation that shows, and sends the example by its button. Returns the
/// status of the answer that the form shows.
async fn send_example(browser: &Browser, address: &str) -> String {
    let open = r#"section.querySelector(".show-api-client-button").click();"#;
    browser.call(&format!("{SECTION} {open}"), json!([address])).await;
    let send = r#"const buttons = [...client?.querySelectorAll("button") ?? []];
        const button = buttons.find((button) => button.innerText.startsWith("Send") && button.checkVisibility());
        return button ? (button.click(), true) : null"#;
    browser.wait_for(&format!("{SECTION} {send}"), json!([address])).await;
    status(browser).await
}

/// Waits for the answer in the form of an operation, and returns its status.
async fn status(browser: &Browser) -> String {
    let script = r#"return document.querySelector("[role=dialog] a[href*='/HTTP/Status/']")?.innerText || null"#;
    browser.wait_for(script, json!([])).await.as_str().unwrap().to_owned()
}

/// Closes the form of an operation.
async fn close(browser: &Browser) {
    browser.run(r#"document.querySelector(".app-exit-button").click()"#).await;
    browser
        .wait_for(r#"return document.querySelector("[role=dialog]").checkVisibility({visibilityProperty: true}) ? null : true"#, json!([]))
        .await;
}

/// Waits until the page says this about the user.
async fn says(browser: &Browser, text: &str) {
    let script = r#"return document.querySelector("output").value === arguments[0] || null"#;
    browser.wait_for(script, json!([text])).await;
}

/// An operation of the document.
struct Operation {
    method: String,
    path: String,
    description: Value,
}

impl Operation {
    /// Returns all operations, in an order in which the examples of all succeed, and by their
    /// callers.
    async fn all(api: &str) -> Vec<Self> {
        let document = reqwest::get(format!("{api}/local/openapi.json")).await.unwrap();
        let document: Value = document.json().await.unwrap();
        let mut all = vec![];
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, description) in methods.as_object().unwrap() {
                let (method, path) = (method.to_uppercase(), path.clone());
                all.push(Self { method, path, description: description.clone() });
            }
        }
        all.sort_by_key(|one| (LAST.contains(&one.text("operationId")), one.method == "DELETE", one.user()));
        all
    }

    fn text(&self, name: &str) -> &str {
        self.description[name].as_str().unwrap()
    }

    /// Returns the part of the address that shows the operation.
    fn address(&self) -> String {
        format!("tag/{}/{}{}", self.description["tags"][0].as_str().unwrap(), self.method, self.path)
    }

    /// Returns whether the answer is a page or an address, which the form of the page cannot show.
    fn is_for_browsers(&self) -> bool {
        let responses = &self.description["responses"];
        self.method == "GET" && (responses.get("302").is_some() || !responses["200"]["content"]["text/html"].is_null())
    }

    /// Returns the user whose request the example is, as the page names a user who is signed in.
    /// Empty for an operation that needs no token.
    fn user(&self) -> String {
        let member = match self.text("x-callers") {
            "nobody" => return String::new(),
            "editors" => ", an editor",
            "moderators" => ", a moderator",
            _ => "",
        };
        format!("{}{member}", self.text("x-example-caller"))
    }

    /// Returns the example of the body, or `null` if the operation has none.
    fn body(&self) -> &Value {
        &self.description["requestBody"]["content"]["application/json"]["example"]
    }

    /// Returns the example of the answer with this status, or `null` if it has no body.
    fn answer(&self, status: &str) -> &Value {
        &self.description["responses"][status]["content"]["application/json"]["example"]
    }
}

/// Keeps the last request to the API, and its answer.
const KEEP: &str = r#"const send = fetch;
    const json = async (message) => JSON.parse(await message.clone().text() || "null");
    window.fetch = async (...parameters) => {
      const request = new Request(...parameters);
      const {method, url} = request;
      if (url.includes("/local/")) return send(request);
      const sent = await json(request);
      const answer = await send(request);
      window.last = {method, sent, answer: await json(answer)};
      return answer;
    };"#;

/// Checks that an operation shows the example of its answer, sends the example of its request, and
/// checks that the answer has the fields of the example.
async fn try_example(browser: &Browser, operation: &Operation) {
    let (id, address) = (operation.text("operationId"), operation.address());
    let mut statuses = operation.description["responses"].as_object().unwrap().keys();
    let example = operation.answer(statuses.find(|status| status.starts_with('2')).unwrap());
    let shown = r#"const text = JSON.stringify(arguments[1]).replace(/\s/g, "");
        const codes = [...section.querySelectorAll("pre, code")];
        return codes.some(({textContent}) => textContent.replace(/\s/g, "").includes(text)) || null"#;
    if !example.is_null() {
        browser.wait_for(&format!("{SECTION} {shown}"), json!([address, example])).await;
    }
    let status = send_example(browser, &address).await;
    let last = browser.run("return window.last").await;
    assert!(status.starts_with('2'), "{id} as {}: {status}, {last}", operation.user());
    assert_eq!((&last["method"], &last["sent"]), (&json!(operation.method), operation.body()), "{id}");
    let fields = |value: &Value| value.as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>());
    assert_eq!(fields(&last["answer"]), fields(operation.answer(&status[..3])), "{id}");
}

#[tokio::test]
async fn every_operation_shows_its_examples_and_answers_them_as_it_says() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let api = stack.api();
    let mut operations = Operation::all(api).await;
    operations.retain(|operation| !operation.is_for_browsers());
    // Scalar becomes slow when many operations show.
    for operations in operations.chunks(8) {
        browser.go(&format!("{api}/local/docs")).await;
        browser.run(KEEP).await;
        let mut user = String::new();
        for operation in operations {
            show_operation(&browser, &operation.address()).await;
            if user != operation.user() {
                user = operation.user();
                browser.click(&format!("a[href='#sign-in/{}']", operation.text("operationId"))).await;
                says(&browser, &format!("Signed in as {user}")).await;
            }
            try_example(&browser, operation).await;
            close(&browser).await;
            assert_eq!(browser.console().await, [""; 0], "{}", operation.text("operationId"));
        }
    }
    assert!(operations.len() > 60, "{}", operations.len());
    let own = |url: &String| ["data:", "blob:", &format!("{api}/")].iter().any(|start| url.starts_with(start));
    let others: Vec<_> = browser.requests().await.into_iter().filter(|url| !own(url)).collect();
    assert_eq!(others, [""; 0]);
    stack.shutdown().await;
}

#[tokio::test]
async fn the_api_page_signs_in_as_any_user_and_as_an_editor() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    browser.go(&format!("{}/local/docs", stack.api())).await;
    show_operation(&browser, "tag/users/GET/users/{username}").await;
    browser.click("[name=editors]").await;
    for (name, text) in [
        ("zoe", "Signed in as zoe, an editor"),
        (
            "Zoe",
            "a username must be 2–32 characters of a–z, 0–9, '.', '_' and '-', beginning and ending with a letter or digit",
        ),
    ] {
        browser.run(&format!(r#"document.querySelector("[name=user]").value = "{name}""#)).await;
        browser.click(".bar button").await;
        says(&browser, text).await;
    }
    stack.shutdown().await;
}

#[tokio::test]
async fn the_quick_start_reads_a_feed_with_one_click_on_a_phone() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let phone = json!({"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true});
    browser.devtools("Emulation.setDeviceMetricsOverride", phone).await;
    browser.go(&format!("{}/local/docs", stack.api())).await;
    browser.click("a[href='#send/listFeed']").await;
    assert_eq!(status(&browser).await, "200 OK");
    says(&browser, "Signed in as ben").await;
    let feed = format!("{}/users/me/feed?", stack.api());
    assert!(browser.requests().await.iter().any(|url| url.starts_with(&feed)));
    stack.shutdown().await;
}

#[tokio::test]
async fn the_api_page_has_the_rules_and_each_problem_of_an_operation() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    browser.go(&format!("{}/local/docs", stack.api())).await;
    show_operation(&browser, "tag/users/PATCH/users/{username}").await;
    let headings = r#"const shown = [...document.querySelectorAll("h2, h3, h4")].map(({innerText}) => innerText);
        return arguments[0].filter((heading) => !shown.includes(heading))"#;
    let rules =
        json!([["Quick start", "Rules", "Conditional requests", "Idempotency keys", "Lists", "Problems", "Pictures"]]);
    assert_eq!(browser.call(headings, rules).await, json!([]));
    // No link leads to a file that the page does not have.
    let broken = r#"const links = [...document.querySelectorAll(".reference a")].map((link) => link.getAttribute("href"));
        return links.filter((link) => !/^(#|https:|mailto:)/.test(link))"#;
    assert_eq!(browser.run(broken).await, json!([]));
    browser.click("[id$='PATCH/users/{username}'] a[href='#problem/precondition-failed']").await;
    let shown = r#"const cells = [...document.querySelectorAll("td")];
        const {top, bottom} = cells.find(({innerText}) => innerText === "precondition-failed").getBoundingClientRect();
        return (top > 0 && bottom < innerHeight) || null"#;
    browser.wait_for(shown, json!([])).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn an_operation_has_code_in_curl_typescript_and_swift() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    browser.go(&format!("{}/local/docs", stack.api())).await;
    let address = "tag/users/PATCH/users/{username}";
    show_operation(&browser, address).await;
    let open = r#"[...section.querySelectorAll("button")].find(({innerText}) => innerText.includes("Curl")).click()"#;
    browser.call(&format!("{SECTION} {open}"), json!([address])).await;
    let languages = r#"const options = [...document.querySelectorAll("[role=option]")].map(({innerText}) => innerText);
        return options.length ? options : null"#;
    assert_eq!(browser.wait_for(languages, json!([])).await, json!(["TypeScript", "Curl", "NSURLSession"]));
    browser.run(r#"document.querySelector("[role=option]").click()"#).await;
    let code = r#"return section.innerText.includes('await api.PATCH("/users/{username}"') || null"#;
    browser.wait_for(&format!("{SECTION} {code}"), json!([address])).await;
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
        browser.reload().await;
        let script = r#"const parts = [...document.querySelectorAll(".bar, .references-layout h1, .t-doc__sidebar")];
            const isDark = (part) => getComputedStyle(part).color.match(/\d+/g)[0] > 127;
            return parts.length > 2 && parts.every((part) => isDark(part) === arguments[0]) || null"#;
        browser.wait_for(script, json!([is_dark])).await;
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
