//! A client of `ChromeDriver`, which controls a browser: the few commands of [WebDriver](https://www.w3.org/TR/webdriver2/)
//! that these tests use.

use std::{
    io::{BufRead, BufReader, ErrorKind, Write},
    net::TcpStream,
    process::{Child, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use reqwest::Client;
use serde_json::{Value, json};
use tokio::time::sleep;

/// The time in which a page has to show what a test waits for.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The arguments of Chromium. It runs as root in CI, which its sandbox does not allow, and sends no requests of its own.
const ARGUMENTS: [&str; 8] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// A headless browser with one window.
pub(crate) struct Browser {
    http: Client,
    driver: Child,
    /// Keeps the pipe open, because `ChromeDriver` ends when it cannot write to it.
    _output: BufReader<ChildStdout>,
    port: u16,
    /// The path of the session, `/session/<id>`.
    session: String,
}

impl Browser {
    /// Starts a browser. Returns `None` if `chromedriver` is not on the PATH.
    pub(crate) async fn start() -> Option<Self> {
        let started = Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).spawn();
        let mut driver = match started {
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            started => started.expect("chromedriver starts"),
        };
        let mut output = BufReader::new(driver.stdout.take().unwrap());
        let mut line = String::new();
        let port = loop {
            line.clear();
            assert_ne!(output.read_line(&mut line).unwrap(), 0, "chromedriver ended");
            if let Some((_, port)) = line.trim_end().trim_end_matches('.').split_once("successfully on port ") {
                break port.parse().unwrap();
            }
        };
        let mut browser = Self { http: Client::new(), driver, _output: output, port, session: String::new() };
        let options = json!({
            "goog:chromeOptions": {"args": ARGUMENTS},
            "goog:loggingPrefs": {"performance": "ALL"},
        });
        let session = browser.command("/session", json!({"capabilities": {"alwaysMatch": options}})).await;
        browser.session = format!("/session/{}", session["sessionId"].as_str().unwrap());
        Some(browser)
    }

    /// Sends a command and returns its value.
    async fn command(&self, path: &str, body: Value) -> Value {
        let url = format!("http://127.0.0.1:{}{}{path}", self.port, self.session);
        let answer = self.http.post(&url).json(&body).send().await.unwrap();
        let status = answer.status();
        let mut answer: Value = answer.json().await.unwrap();
        assert!(status.is_success(), "{path} {body}: {answer}");
        answer["value"].take()
    }

    /// Loads a page.
    pub(crate) async fn go(&self, url: &str) {
        self.command("/url", json!({"url": url})).await;
    }

    /// Runs the body of a function in the page and returns its result. A promise is awaited.
    pub(crate) async fn run(&self, script: &str) -> Value {
        self.command("/execute/sync", json!({"script": script, "args": []})).await
    }

    /// Runs a script until it returns something other than `null`.
    pub(crate) async fn wait_for(&self, script: &str) -> Value {
        let start = Instant::now();
        loop {
            let result = self.run(script).await;
            if !result.is_null() {
                return result;
            }
            assert!(start.elapsed() < TIMEOUT, "the page does not show this: {script}");
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Clicks the element that a CSS selector finds.
    pub(crate) async fn click(&self, selector: &str) {
        let element = self.command("/element", json!({"using": "css selector", "value": selector})).await;
        let id = element.as_object().unwrap().values().next().unwrap().as_str().unwrap();
        self.command(&format!("/element/{id}/click"), json!({})).await;
    }

    /// Returns the URLs of the requests that the browser has made since the last call.
    pub(crate) async fn requests(&self) -> Vec<String> {
        let log = self.command("/se/log", json!({"type": "performance"})).await;
        let messages = log.as_array().unwrap().iter().map(|entry| {
            let message: Value = serde_json::from_str(entry["message"].as_str().unwrap()).unwrap();
            message["message"].clone()
        });
        let requests = messages.filter(|message| message["method"] == "Network.requestWillBeSent");
        requests.map(|message| message["params"]["request"]["url"].as_str().unwrap().to_owned()).collect()
    }
}

/// Ends the browser, which outlives `ChromeDriver` otherwise, and then `ChromeDriver`.
impl Drop for Browser {
    fn drop(&mut self) {
        if let Ok(mut driver) = TcpStream::connect(("127.0.0.1", self.port)) {
            let head = format!("DELETE {} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n", self.session);
            let _ = driver.write_all(head.as_bytes());
            let _ = BufReader::new(driver).read_line(&mut String::new());
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
