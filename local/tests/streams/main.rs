//! Streams in the stack, tested with the function `process-changes`.

#![allow(clippy::unwrap_used)]

use std::{collections::BTreeSet, process, time::Duration};

use local::lambda::{build, children};
use local::services::outbox::Outbox;
use local::stack::{Options, Stack};
use local::template::Template;
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use tokio::{
    sync::{Mutex, MutexGuard, OnceCell},
    time::timeout,
};

/// The timeout of each step of a test: long enough for a busy machine.
const TEST_TIMEOUT: Duration = Duration::from_mins(1);

/// A stack. Only one exists at a time, because a test kills all functions among the children of
/// this process.
struct Api {
    stack: Stack,
    client: Client,
    _lock: MutexGuard<'static, ()>,
}

impl Api {
    async fn new(options: Options) -> Self {
        static ONE_STACK: Mutex<()> = Mutex::const_new(());
        static BUILT: OnceCell<()> = OnceCell::const_new();
        let lock = ONE_STACK.lock().await;
        let build = async {
            let template = Template::find().unwrap();
            build::functions(template.parent().unwrap()).await.unwrap();
        };
        BUILT.get_or_init(|| build).await;
        let stack = Stack::start(options).await.unwrap();
        Self { stack, client: Client::new(), _lock: lock }
    }

    async fn create_user(&self, username: &str, email: Option<&str>) {
        assert_eq!(self.post_user(username, email).await, 201);
    }

    async fn post_user(&self, username: &str, email: Option<&str>) -> StatusCode {
        let request = self.client.post(format!("{}/users", self.stack.api()));
        let request = request.bearer_auth(self.stack.token(username).unwrap());
        let mut body = json!({"username": username, "name": format!("Name of {username}")});
        if let Some(email) = email {
            body["email"] = json!(email);
        }
        request.json(&body).send().await.unwrap().status()
    }

    async fn idle(&self) {
        timeout(TEST_TIMEOUT, self.stack.idle()).await.unwrap();
    }

    async fn outbox(&self) -> Value {
        let outbox = self.client.get(format!("{}/local/outbox", self.stack.api())).send().await.unwrap();
        assert_eq!(outbox.status(), 200);
        outbox.json().await.unwrap()
    }
}

fn recipients(outbox: &Outbox) -> Vec<String> {
    let contents = outbox.contents();
    let emails = contents["emails"].as_array().unwrap().iter();
    emails.map(|email| email["to"][0].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_new_user_gets_one_email_and_a_changed_user_none() {
    let api = Api::new(Options::default()).await;
    // The sample data causes no stream records.
    api.idle().await;
    assert_eq!(api.outbox().await, json!({"emails": [], "pushes": [], "failures": []}));

    api.create_user("silent", None).await;
    api.create_user("adam", Some("adam@example.com")).await;
    api.create_user("zoe", Some("zoe@example.com")).await;
    api.idle().await;
    let patch = api.client.patch(format!("{}/users/zoe", api.stack.api()));
    let patch =
        patch.bearer_auth(api.stack.token("zoe").unwrap()).header("content-type", "application/merge-patch+json");
    assert_eq!(patch.body(r#"{"email": "z@example.com"}"#).send().await.unwrap().status(), 200);
    api.idle().await;

    let outbox = api.outbox().await;
    let emails = outbox["emails"].as_array().unwrap();
    // The messages of a queue may be served in any order.
    let recipients: BTreeSet<_> = emails.iter().map(|email| email["to"][0].as_str().unwrap()).collect();
    assert_eq!((emails.len(), recipients), (2, ["adam@example.com", "zoe@example.com"].into()));
    for field in ["messageId", "from", "subject", "text", "sentAt"] {
        assert!(emails.iter().all(|email| email[field].is_string()), "{field}");
    }
    assert_eq!(outbox["failures"], json!([]));
    api.stack.shutdown().await;
}

#[tokio::test]
async fn a_token_that_creates_and_deletes_its_user_in_a_loop_has_one_email_sent() {
    let parameters = [("NameRestDays".to_owned(), "0".to_owned())].into();
    let api = Api::new(Options { parameters, ..Options::default() }).await;
    for number in 0..5 {
        // The name is free in the second after its deletion.
        while api.post_user("adam", Some(&format!("victim-{number}@example.com"))).await == 409 {
            api.stack.delete_expired_items().await.unwrap();
            api.idle().await;
        }
        api.idle().await;
        let delete = api.client.delete(format!("{}/users/adam", api.stack.api()));
        assert_eq!(delete.bearer_auth(api.stack.token("adam").unwrap()).send().await.unwrap().status(), 204);
        api.idle().await;
    }
    assert_eq!(recipients(&api.stack.outbox()), ["victim-0@example.com"]);
    api.stack.shutdown().await;
}

/// Kills all processes of a function and returns their number.
fn kill(function: &str) -> usize {
    let functions = children::children(process::id()).into_iter().filter(|(_, name)| name == function);
    functions.filter(|(pid, _)| children::signal(*pid, "KILL")).count()
}

#[tokio::test]
async fn no_email_is_lost_when_functions_are_killed() {
    let api = Api::new(Options::default()).await;
    let (mut expected, mut killed) = (BTreeSet::new(), 0);
    for number in 0..30 {
        let (username, email) = (format!("user-{number}"), format!("user-{number}@example.com"));
        api.create_user(&username, Some(&email)).await;
        expected.insert(email);
        killed += kill("process-changes");
    }
    assert!(killed > 0);
    api.idle().await;
    // A function that is killed after it has sent an e-mail and before it has noted that sends it
    // twice, so this compares sets.
    let outbox = api.outbox().await;
    assert_eq!(BTreeSet::from_iter(recipients(&api.stack.outbox())), expected);
    assert_eq!(outbox["failures"], json!([]));
    api.stack.shutdown().await;
}

#[tokio::test]
async fn the_next_stack_continues_from_the_checkpoint() {
    let directory = tempfile::tempdir().unwrap();
    let options = Options { data_dir: Some(directory.path().to_owned()), ..Options::default() };
    let (mut expected, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for run in 0..3 {
        let api = Api::new(options.clone()).await;
        for number in 0..10 {
            let (username, email) = (format!("user-{run}-{number}"), format!("user-{run}-{number}@example.com"));
            api.create_user(&username, Some(&email)).await;
            expected.insert(email);
        }
        if run == 2 {
            api.idle().await;
        }
        let outbox = api.stack.outbox();
        api.stack.shutdown().await;
        seen.extend(recipients(&outbox));
    }
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn the_local_ses_answers_like_ses() {
    let api = Api::new(Options::default()).await;
    let url = format!("{}/local/ses/v2/email/outbound-emails", api.stack.api());
    let email = json!({
        "FromEmailAddress": "from@example.com",
        "Destination": {"ToAddresses": ["to@example.com"]},
        "Content": {"Simple": {"Subject": {"Data": "Subject"}, "Body": {"Text": {"Data": "Text"}}}},
    });
    let sent = api.client.post(&url).json(&email).send().await.unwrap();
    assert_eq!(sent.status(), 200);
    let sent: Value = sent.json().await.unwrap();
    assert_eq!(api.outbox().await["emails"][0]["messageId"], sent["MessageId"]);

    let refused = api.client.post(&url).body("{}").send().await.unwrap();
    assert_eq!(refused.status(), 400);
    assert_eq!(refused.headers()["x-amzn-errortype"], "BadRequestException");
    let refused: Value = refused.json().await.unwrap();
    assert!(refused["message"].is_string(), "{refused}");
    api.stack.shutdown().await;
}
