//! The performance of the page as a visitor feels it.

use serde_json::json;

use super::visitor::Visitor;
use crate::browser::{start_browser, start_stack};

/// The sum of the [layout shifts](https://web.dev/articles/cls) that a page may have.
const MAX_SHIFT: f64 = 0.02;

/// The bytes that the files of the page may have on the wire.
const MAX_BYTES: f64 = 120_000.0;

/// The time from the start of a load to the first content, in ms.
const FIRST_CONTENT: &str = "return performance.getEntriesByName('first-contentful-paint')[0].startTime";

/// The number of requests that arrive while frames are counted.
const REQUESTS: usize = 200;

/// Adds up how far what stands in the window moves, except at once after an action, in `shifts`.
const WATCH_SHIFTS: &str = r#"
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const {value, hadRecentInput, sources} of list.getEntries()) {
        if (!hadRecentInput) shifts.push([value, ...sources.map(({node}) => node?.outerHTML?.slice(0, 100))]);
      }
    }).observe({type: "layout-shift", buffered: true});"#;

/// Keeps the times of all frames in `frameTimes`.
const WATCH_FRAMES: &str = r"
    window.frameTimes = [];
    const count = (time) => {
      frameTimes.push(time);
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);";

impl Visitor {
    /// Checks that what stands in the window has hardly moved since the page was loaded.
    async fn saw_nothing_move(&self) {
        let shifts = self.browser.run("return shifts").await;
        let sum: f64 = shifts.as_array().unwrap().iter().map(|shift| shift[0].as_f64().unwrap()).sum();
        assert!(sum <= MAX_SHIFT, "{sum}: {shifts:#?}");
    }

    /// Returns the seconds for which the page has computed.
    async fn busy(&self) -> f64 {
        let metrics = self.browser.devtools("Performance.getMetrics", json!({})).await;
        let all = metrics["metrics"].as_array().unwrap();
        all.iter().find(|metric| metric["name"] == "TaskDuration").unwrap()["value"].as_f64().unwrap()
    }
}

#[tokio::test]
async fn nothing_moves_while_the_page_and_its_views_load() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": WATCH_SHIFTS})).await;
    let visitor = Visitor::open(browser, &stack).await;
    visitor.see_element(".rows .picture img.shown").await;
    visitor.see_in(".happened > li", "GET /users/me/feed").await;
    visitor.saw_nothing_move().await;
    visitor.click_beginning("Look around as").await;
    visitor.see_element(".cards .picture img.shown").await;
    visitor.browser.reload().await;
    visitor.see_element(".cards .picture img.shown").await;
    visitor.see_in(".happened > li", "GET /users/me/feed").await;
    visitor.saw_nothing_move().await;
    visitor.browser.click(".cards a:has(.picture)").await;
    visitor.see_element(".reactions button:enabled").await;
    visitor.browser.reload().await;
    visitor.see_element(".photo .picture img.shown").await;
    visitor.see_in(".happened > li", "photos/").await;
    visitor.saw_nothing_move().await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_page_is_small() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::open(browser, &stack).await;
    visitor.see_element(".rows .picture img.shown").await;
    visitor.see_in(".happened > li", "GET /users/me/feed").await;
    let script = r#"const files = performance.getEntries().filter(({name, entryType}) =>
          entryType === "navigation" || name.startsWith(`${location.origin}/local/page/`));
        return files.length > 30 && files.reduce((sum, {transferSize}) => sum + transferSize, 0)"#;
    let bytes = visitor.browser.run(script).await.as_f64().unwrap();
    assert!(bytes > 10_000.0 && bytes <= MAX_BYTES, "{bytes}");
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

/// Prints how soon the page shows something, and how many frames it draws while requests arrive.
#[tokio::test]
#[ignore = "it measures the machine"]
async fn measures_the_first_content_and_the_frames_while_requests_arrive() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Greta Holm").await;
    visitor.see_element(".cards img.shown").await;
    for _ in 0..5 {
        visitor.browser.devtools("Network.clearBrowserCache", json!({})).await;
        visitor.browser.reload().await;
        visitor.see_element(".cards img.shown").await;
        println!("first content after {} ms", visitor.browser.run(FIRST_CONTENT).await);
    }

    visitor.browser.run(WATCH_FRAMES).await;
    visitor.browser.devtools("Performance.enable", json!({})).await;
    let busy = visitor.busy().await;
    let http = reqwest::Client::new();
    let requests = (0..REQUESTS).map(|number| {
        let token = stack.token("ada").unwrap();
        let names = ["elif", "femi", "greta", "hiro"];
        http.get(format!("{}/users/{}/profile", stack.api(), names[number % names.len()])).bearer_auth(token).send()
    });
    let start = visitor.browser.run("return performance.now()").await.as_f64().unwrap();
    for answer in futures_util::future::join_all(requests).await {
        assert_eq!(answer.unwrap().status(), 200);
    }
    visitor.see_in(".status", "20").await;
    let frames = visitor.browser.call("return frameTimes.filter((time) => time > arguments[0])", json!([start])).await;
    let frames: Vec<f64> = frames.as_array().unwrap().iter().map(|time| time.as_f64().unwrap()).collect();
    let mut pauses: Vec<f64> = frames.windows(2).map(|pair| pair[1] - pair[0]).collect();
    pauses.sort_by(f64::total_cmp);
    let seconds = (frames[frames.len() - 1] - frames[0]) / 1000.0;
    #[allow(clippy::cast_precision_loss, reason = "there are few frames")]
    let rate = pauses.len() as f64 / seconds;
    let late = pauses[pauses.len() * 99 / 100];
    let busy = visitor.busy().await - busy;
    println!("{REQUESTS} requests in {seconds:.2} s: {rate:.1} frames a second, 99 of 100 within {late:.1} ms");
    println!("the page computes for {busy:.2} s of them");
    stack.shutdown().await;
}
