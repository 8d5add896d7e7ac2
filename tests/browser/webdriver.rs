//! A client of `ChromeDriver`, which controls a browser: the few commands of
//! [WebDriver](https://www.w3.org/TR/webdriver2/) that these tests use.

use std::{
    io::{self, BufRead, BufReader, Write},
    net::TcpStream,
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use reqwest::Client;
use serde_json::{Value, json};
use tokio::time::sleep;

/// The time in which a page has to show what a test waits for.
const TIMEOUT: Duration = Duration::from_mins(2);

/// The time between two looks at a page.
const PAUSE: Duration = Duration::from_millis(50);

/// The attempts to start `ChromeDriver` on a free port.
const ATTEMPTS: usize = 10;

/// The time in milliseconds after which a script fails. The 30 seconds of `WebDriver` are too short for
/// axe on the API page while other tests run on a small machine.
const SCRIPT_TIMEOUT: u64 = 300_000;

/// The arguments of Chromium. It runs as root in CI, where its sandbox cannot start, and sends no
/// requests of its own.
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
    driver: Driver,
    /// The path of the session, `/session/<id>`.
    session: String,
}

impl Browser {
    /// Starts this browser, by the `chromedriver` on the PATH.
    pub(crate) async fn start(program: &Path) -> Self {
        let driver = (0..ATTEMPTS).find_map(|_| Driver::start().expect("chromedriver starts")).expect("a free port");
        let mut browser = Self { http: Client::new(), driver, session: String::new() };
        let chrome = json!({"args": ARGUMENTS, "binary": program});
        let options = json!({
            "goog:chromeOptions": chrome,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "timeouts": {"script": SCRIPT_TIMEOUT},
        });
        let session = browser.command("/session", json!({"capabilities": {"alwaysMatch": options}})).await;
        browser.session = format!("/session/{}", session["sessionId"].as_str().unwrap());
        browser
    }

    /// Sends a command and returns its value.
    async fn command(&self, path: &str, body: Value) -> Value {
        let result = self.attempt(path, &body).await;
        result.unwrap_or_else(|error| panic!("{path} {body}: {error}"))
    }

    /// Sends a command and returns its value, or the error that `ChromeDriver` answers.
    async fn attempt(&self, path: &str, body: &Value) -> Result<Value, Value> {
        let url = format!("http://127.0.0.1:{}{}{path}", self.driver.port, self.session);
        let answer = self.http.post(&url).json(body).send().await.unwrap();
        let status = answer.status();
        let value = answer.json::<Value>().await.unwrap()["value"].take();
        if status.is_success() { Ok(value) } else { Err(value) }
    }

    /// Sends a command of the [`DevTools`
    /// protocol](https://chromedevtools.github.io/devtools-protocol/), which can do what
    /// `WebDriver` cannot.
    pub(crate) async fn devtools(&self, command: &str, parameters: Value) -> Value {
        self.command("/goog/cdp/execute", json!({"cmd": command, "params": parameters})).await
    }

    /// Loads a page.
    pub(crate) async fn go(&self, url: &str) {
        self.command("/url", json!({"url": url})).await;
    }

    /// Loads the page again.
    pub(crate) async fn reload(&self) {
        self.command("/refresh", json!({})).await;
    }

    /// Runs the body of a function in the page and returns its result. A promise is awaited.
    pub(crate) async fn run(&self, script: &str) -> Value {
        self.call(script, json!([])).await
    }

    /// Runs the body of a function in the page with these `arguments` and returns its result. A
    /// promise is awaited.
    pub(crate) async fn call(&self, script: &str, arguments: Value) -> Value {
        self.command("/execute/sync", json!({"script": script, "args": arguments})).await
    }

    /// Runs a script with these `arguments` until it returns something other than `null`.
    pub(crate) async fn wait_for(&self, script: &str, arguments: Value) -> Value {
        let start = Instant::now();
        while start.elapsed() < TIMEOUT {
            let result = self.call(script, arguments.clone()).await;
            if !result.is_null() {
                return result;
            }
            sleep(PAUSE).await;
        }
        panic!("the page does not show this: {script} {arguments}\nIt shows:\n{}", self.text().await);
    }

    /// Returns the text that the page shows.
    async fn text(&self) -> String {
        self.run("return document.body.innerText").await.as_str().unwrap_or_default().to_owned()
    }

    /// Clicks the element that a CSS selector finds.
    pub(crate) async fn click(&self, selector: &str) {
        self.act("click", json!({}), "return document.querySelector(arguments[0])", json!([selector])).await;
    }

    /// Sends a command to the element that a script finds, as soon as it is there and takes it. A
    /// page that renders again may replace the element between the two.
    pub(crate) async fn act(&self, command: &str, body: Value, script: &str, arguments: Value) {
        let start = Instant::now();
        let mut last = Value::Null;
        while start.elapsed() < TIMEOUT {
            let found = self.call(script, arguments.clone()).await;
            let id = found.as_object().and_then(|element| element.values().next()).and_then(Value::as_str);
            if let Some(id) = id {
                match self.attempt(&format!("/element/{id}/{command}"), &body).await {
                    Ok(_) => return,
                    Err(mut error) => last = error["message"].take(),
                }
            }
            sleep(PAUSE).await;
        }
        panic!("no {command} of {arguments}: {last}\nThe page shows:\n{}", self.text().await);
    }

    /// Presses keys, one after the other. Those without a character have
    /// [code points](https://www.w3.org/TR/webdriver2/#keyboard-actions) of their own.
    pub(crate) async fn press(&self, keys: &str) {
        let keys = keys.chars().flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key})));
        let keyboard = json!({"type": "key", "id": "keyboard", "actions": keys.collect::<Vec<_>>()});
        self.command("/actions", json!({"actions": [keyboard]})).await;
    }

    /// Returns what the browser has written to its console since the last call: warnings, errors,
    /// failed requests, and violations of the content security policy.
    pub(crate) async fn console(&self) -> Vec<String> {
        let log = self.command("/se/log", json!({"type": "browser"})).await;
        // Scalar, which shows the API page, writes its version.
        let is_version = |entry: &&Value| entry["message"].as_str().unwrap().contains("\"@scalar/api-reference@");
        let entries = log.as_array().unwrap().iter().filter(|entry| !is_version(entry));
        entries.map(|entry| format!("{} {}", entry["level"], entry["message"].as_str().unwrap())).collect()
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

/// Ends the browser, which outlives `ChromeDriver` otherwise.
impl Drop for Browser {
    fn drop(&mut self) {
        if let Ok(mut driver) = TcpStream::connect(("127.0.0.1", self.driver.port)) {
            let head = format!("DELETE {} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n", self.session);
            let _ = driver.write_all(head.as_bytes());
            let _ = BufReader::new(driver).read_line(&mut String::new());
        }
    }
}

/// A process of `ChromeDriver`. It ends when it is dropped.
struct Driver {
    process: Child,
    /// Keeps the pipe open, because `ChromeDriver` ends when it cannot write to it.
    _output: BufReader<ChildStdout>,
    port: u16,
}

impl Driver {
    /// Starts `ChromeDriver`. Returns `None` if its port is taken: the kernel chooses one that is
    /// free on `::1`, and another process may have it on `127.0.0.1`.
    fn start() -> io::Result<Option<Self>> {
        let mut process = Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).spawn()?;
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        while output.read_line(&mut line)? != 0 {
            if line.starts_with("IPv4 port not available") {
                process.wait()?;
                return Ok(None);
            }
            if let Some((_, port)) = line.trim_end().trim_end_matches('.').split_once("successfully on port ") {
                let port = port.parse().unwrap();
                return Ok(Some(Self { process, _output: output, port }));
            }
            line.clear();
        }
        panic!("chromedriver ended with {}", process.wait()?);
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
