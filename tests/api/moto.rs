//! The DynamoDB of [moto](https://docs.getmoto.org), a second implementation.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use local::stack::Options;
use serde_json::json;
use tests::tools::tool;
use tokio::time::{sleep, timeout};

use crate::api::Api;

/// Prints the URL of a server, and runs until its standard input ends. A transaction of moto copies
/// a table, and the records of its stream, for each of its items. The records never change. Without
/// their copies, a transaction takes a third of the time (0.11 s instead of 0.36 s for three items
/// beside the sample data), far less than a function waits for DynamoDB.
const SERVER: &str = r#"
import sys
from moto.dynamodb.models.table import StreamRecord
from moto.server import ThreadedMotoServer
StreamRecord.__deepcopy__ = lambda record, memo: record
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print("http://%s:%d" % server.get_host_and_port(), flush=True)
sys.stdin.read()
"#;

/// A running server. It stops when it is dropped.
pub(crate) struct Moto {
    server: Child,
    url: String,
}

impl Moto {
    /// Starts a server, if the environment variable `QUICK_PHOTOS_PYTHON` names a Python with moto
    /// and `QUICK_PHOTOS_MOTO` is set. Its transactions may still take longer beside other tests
    /// than a function waits for DynamoDB, so the tests on moto run alone.
    pub(crate) fn start() -> Option<Self> {
        std::env::var_os("QUICK_PHOTOS_MOTO")?;
        let mut command = Command::new(tool("QUICK_PHOTOS_PYTHON")?);
        command.args(["-c", SERVER]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().unwrap();
        let mut url = String::new();
        BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
        assert!(url.starts_with("http://"), "this Python has no moto");
        Some(Self { server, url: url.trim().to_owned() })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Deletes all tables.
    pub(crate) async fn reset(&self) {
        let reset = reqwest::Client::new().post(format!("{}/moto-api/reset", self.url));
        assert_eq!(reset.send().await.unwrap().status(), 200);
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[tokio::test]
async fn stream_functions_get_the_records_of_moto() {
    let Some(moto) = Moto::start() else { return };
    let api = Api::with(Options { dynamodb_endpoint: Some(moto.url().to_owned()), ..Options::default() }).await;
    let dora = json!({"username": "dora", "name": "Dora", "email": "dora@example.com"});
    assert_eq!(api.request("dora", "POST", "/users").json(&dora).send().await.unwrap().status(), 201);
    assert_eq!(api.put("dora", "/users/ada/followers/dora").await, 201);
    // The stack cannot know whether another DynamoDB has more records, so this asks for their
    // effects.
    let effects = async {
        while api.stack.outbox().contents()["emails"][0]["to"] != json!(["dora@example.com"]) {
            sleep(Duration::from_millis(50)).await;
        }
        while api.get("dora", "/users/dora/feed").await["photos"] == json!([]) {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_mins(1), effects).await.expect("the welcome e-mail and the feed");
    api.stack.shutdown().await;
}
