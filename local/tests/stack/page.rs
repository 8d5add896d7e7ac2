//! The page: what its endpoints answer, who may read them, and what the events tell of requests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::header::HeaderMap;
use tokio::time::timeout;

use super::*;

/// The timeout of the next event: long enough for a busy machine.
const EVENT_TIMEOUT: Duration = Duration::from_secs(30);

/// A client of `/local/events`, with what it has received of the next event.
struct Events {
    answer: Response,
    received: Vec<u8>,
}

impl Events {
    async fn open(api: &Api) -> Self {
        let answer = api.request(Method::GET, "/local/events").send().await.unwrap();
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        Self { answer, received: vec![] }
    }

    /// Returns the next event, or `None` at the end of the stream.
    async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.received.windows(2).position(|end| end == b"\n\n") {
                let event: Vec<u8> = self.received.drain(..end + 2).collect();
                // Comments keep the connection alive.
                if let Some(data) = event.strip_prefix(b"data: ") {
                    return Some(serde_json::from_slice(data).unwrap());
                }
                continue;
            }
            let chunk = timeout(EVENT_TIMEOUT, self.answer.chunk()).await.expect("no event").unwrap()?;
            self.received.extend_from_slice(&chunk);
        }
    }

    /// Returns the events up to the answer to a request to `GET /the-end`, which follows all others
    /// that have happened by now, except records.
    async fn all(&mut self, api: &Api) -> Vec<Value> {
        self.all_with_records(api, 0).await
    }

    /// Like `all`, but awaits this number of records too. The stack publishes them after the
    /// writes, and `Stack::idle` does not wait for that.
    async fn all_with_records(&mut self, api: &Api, records: usize) -> Vec<Value> {
        api.request(Method::GET, "/the-end").send().await.unwrap();
        let (mut events, mut at_end) = (vec![], false);
        while !at_end || of_kind(&events, "record").len() < records {
            let event = self.next().await.unwrap();
            if event["path"] == "/the-end" {
                at_end = true;
            } else {
                events.push(event);
            }
        }
        events
    }
}

fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["type"] == kind).collect()
}

/// Returns the events of this kind with these members.
fn with<'a>(events: &'a [Value], kind: &str, members: &[(&str, &Value)]) -> Vec<&'a Value> {
    let mut events = of_kind(events, kind);
    events.retain(|event| members.iter().all(|(name, value)| event[*name] == **value));
    events
}

/// Returns the only event of this kind with these members.
fn only<'a>(events: &'a [Value], kind: &str, members: &[(&str, &Value)]) -> &'a Value {
    match with(events, kind, members)[..] {
        [only] => only,
        _ => panic!("not one {kind} with {members:?} in {}", json!(events)),
    }
}

#[tokio::test]
async fn an_upload_and_a_follow_are_told_with_everything_they_cause() {
    let api = Api::new().await;
    // This process has no recorder. It must not serve the requests that follow.
    assert_eq!(api.get("/users/ada").await.status(), 200);
    // While a request to follow waits, another follow looks for a request too.
    let withdraw = api.authorized(Method::DELETE, "/users/ben/followers/ada").send().await.unwrap();
    assert_eq!(withdraw.status(), 204);
    api.stack.idle().await;
    let mut stream = Events::open(&api).await;
    assert_eq!(stream.next().await.unwrap()["type"], "hello");

    assert_eq!(api.get("/users/ada").await.status(), 200);
    let photo = api.authorized(Method::POST, "/users/ada/photos").json(&json!({"format": "jpeg"}));
    let photo = photo.send().await.unwrap();
    assert_eq!(photo.status(), 201);
    let photo_id = json!(photo.headers()["apigw-requestid"].to_str().unwrap());
    upload(&api, &photo.json().await.unwrap()).await;
    let follow = api.authorized(Method::PUT, "/users/elif/followers/ada").send().await.unwrap();
    assert_eq!(follow.status(), 201);
    let follow_id = json!(follow.headers()["apigw-requestid"].to_str().unwrap());
    api.stack.idle().await;
    // Two of upload-photo, three of process-photo, and three of follow-user.
    let events = stream.all_with_records(&api, 8).await;

    let read = only(&events, "invocation", &[("function", &json!("get-user"))]);
    assert_eq!(read["cold"], true, "the process without a recorder has ended");
    let trace = tells_of_the_photo(&events, &photo_id);
    let processing = tells_of_the_file(&events, trace);
    tells_of_the_changes(&events, processing);

    let request = only(&events, "request", &[("id", &follow_id)]);
    let transaction = only(&events, "dynamodb", &[("trace", &request["trace"])]);
    assert_eq!(
        (&transaction["operation"], &transaction["units"]["write"]),
        (&json!("TransactWriteItems"), &json!(7.0))
    );
    assert_eq!(with(&events, "record", &[("writtenBy", &request["trace"])]).len(), 3);
    api.stack.shutdown().await;
}

/// Checks the events of upload-photo: one request, one invocation, one transaction with the units
/// of its row, and two records. Returns their trace.
fn tells_of_the_photo<'a>(events: &'a [Value], id: &Value) -> &'a Value {
    let request = only(events, "request", &[("id", id)]);
    assert_eq!((&request["method"], &request["path"]), (&json!("POST"), &json!("/users/ada/photos")));
    assert_eq!((&request["function"], &request["user"]), (&json!("upload-photo"), &json!("ada")));
    assert_eq!(request["route"], "POST /users/{username}/photos");
    assert_eq!((&request["status"], &request["body"]), (&json!(201), &json!(r#"{"format":"jpeg"}"#)));
    assert!(request["headers"].get("authorization").is_none());
    assert!(request["answer"].as_str().unwrap().contains("\"pending\""));

    let trace = &request["trace"];
    let invocation = only(events, "invocation", &[("trace", trace)]);
    assert_eq!((&invocation["function"], &invocation["cold"]), (&json!("upload-photo"), &json!(true)));
    assert_eq!(invocation["cause"], json!({"request": id}));

    let transaction = only(events, "dynamodb", &[("trace", trace)]);
    assert_eq!((&transaction["operation"], &transaction["status"]), (&json!("TransactWriteItems"), &json!(200)));
    assert_eq!((&transaction["units"]["read"], &transaction["units"]["write"]), (&json!(0.0), &json!(5.0)));
    let units = &transaction["units"]["tables"]["quick-photos"];
    assert_eq!((&units["table"], &units["indexes"]["InvertedIndex"]), (&json!(4.0), &json!(1.0)));
    assert!(transaction["body"].get("ReturnConsumedCapacity").is_none());
    assert!(transaction["answer"].get("ConsumedCapacity").is_none());

    let records = with(events, "record", &[("writtenBy", trace)]);
    let names: Vec<_> = records.iter().map(|record| record["eventName"].as_str().unwrap()).collect();
    assert_eq!(names, ["INSERT", "MODIFY"]);
    assert!(records[0]["keys"]["SK"]["S"].as_str().unwrap().starts_with("PHOTO#ada#"));
    assert_eq!(records[0]["new"]["SK"], records[0]["keys"]["SK"]);
    assert_eq!((&records[0]["old"], &records[0]["functions"]), (&Value::Null, &json!([])));
    trace
}

/// Checks that the file has started process-photo with a trace of its own, which it returns.
fn tells_of_the_file<'a>(events: &'a [Value], uploaded_by: &Value) -> &'a Value {
    let invocation = only(events, "invocation", &[("function", &json!("process-photo"))]);
    assert_ne!(invocation["trace"], *uploaded_by);
    assert_eq!((&invocation["cause"]["writtenBy"], &invocation["error"]), (uploaded_by, &Value::Null));
    assert!(invocation["cause"]["event"].as_str().unwrap().starts_with("incoming/ada/"));
    for (operation, what) in [("UpdateItem", "claims the photo"), ("TransactWriteItems", "makes it ready")] {
        let write = [("trace", &invocation["trace"]), ("operation", &json!(operation))];
        assert_eq!(with(events, "dynamodb", &write).len(), 1, "it {what}");
    }
    let objects = with(events, "s3", &[("trace", &invocation["trace"])]);
    let mut methods: Vec<_> = objects.iter().map(|request| request["method"].as_str().unwrap()).collect();
    methods.sort_unstable();
    assert_eq!(methods, ["DELETE", "GET", "PUT", "PUT", "PUT"]);
    assert!(objects.iter().all(|request| request["path"].as_str().unwrap().contains("/ada/")), "{objects:?}");
    &invocation["trace"]
}

/// Checks that the record of the photo that is ready has started process-changes, which pushed the
/// photo into feeds.
fn tells_of_the_changes(events: &[Value], written_by: &Value) {
    // The records of the claim, and of the owner, who has a photo more, start the function too.
    let mut records = with(events, "record", &[("writtenBy", written_by), ("functions", &json!(["process-changes"]))]);
    records.retain(|record| record["new"]["picture"]["M"]["status"]["S"] == "ready");
    let [record] = records[..] else { panic!("not one record of the photo in {records:?}") };
    let caused = |invocation: &&Value| {
        let mut records = invocation["cause"]["records"].as_array().into_iter().flatten();
        records.any(|cause| cause["sequenceNumber"] == record["sequenceNumber"])
    };
    let invocation = of_kind(events, "invocation").into_iter().find(caused).unwrap();
    assert_eq!(invocation["function"], "process-changes");
    let mut records = invocation["cause"]["records"].as_array().unwrap().iter();
    let cause = records.find(|cause| cause["sequenceNumber"] == record["sequenceNumber"]).unwrap();
    assert_eq!((&cause["writtenBy"], &cause["keys"]), (written_by, &record["keys"]));
    let writes = [("trace", &invocation["trace"]), ("operation", &json!("BatchWriteItem"))];
    assert!(!with(events, "dynamodb", &writes).is_empty());
}

/// Uploads a picture with the form of a new photo, as the page does.
async fn upload(api: &Api, photo: &Value) {
    let picture = api.client.get(sample_picture(api).await).send().await.unwrap().bytes().await.unwrap();
    let fields: BTreeMap<String, String> = serde_json::from_value(photo["upload"]["fields"].clone()).unwrap();
    let (kind, body) = form(&fields, &picture);
    let upload = api.client.post(photo["upload"]["url"].as_str().unwrap()).header("origin", api.stack.api());
    let answer = upload.header("content-type", kind).body(body).send().await.unwrap();
    assert_eq!(answer.status(), 204);
    // The page may read the answer.
    assert_eq!(answer.headers()["access-control-allow-origin"], api.stack.api());
}

/// Returns the URL of a picture of the sample data.
async fn sample_picture(api: &Api) -> String {
    let profile: Value = api.get("/users/ada/profile").await.json().await.unwrap();
    let photos = profile["photos"].as_array().unwrap();
    photos.iter().find_map(|photo| photo["urls"][2]["url"].as_str()).unwrap().to_owned()
}

/// Returns the content type and the body of a form with these fields and a file.
fn form(fields: &BTreeMap<String, String>, file: &[u8]) -> (&'static str, Vec<u8>) {
    let part = |name: &str, value: &[u8]| {
        let head = format!("--boundary\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n");
        [head.as_bytes(), value, b"\r\n"].concat()
    };
    let fields = fields.iter().map(|(name, value)| part(name, value.as_bytes()));
    let mut body = fields.chain([part("file", file)]).collect::<Vec<_>>().concat();
    body.extend_from_slice(b"--boundary--\r\n");
    ("multipart/form-data; boundary=boundary", body)
}

#[tokio::test]
async fn answers_of_the_gateway_itself_are_told_too() {
    let api = Api::new().await;
    let mut stream = Events::open(&api).await;
    stream.next().await.unwrap();
    api.request(Method::GET, "/users/ada").send().await.unwrap();
    let events = stream.all(&api).await;
    let [request] = &events[..] else { panic!("{events:?}") };
    assert_eq!((&request["status"], &request["function"]), (&json!(401), &json!("get-user")));
    assert_eq!((&request["trace"], &request["user"]), (&Value::Null, &Value::Null));
    assert!(request["answer"].as_str().unwrap().contains("Unauthorized"));
    assert_eq!(request["answerHeaders"]["www-authenticate"], "Bearer");
    api.stack.shutdown().await;
    // The stream ends with the stack.
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn functions_are_recorded_only_while_somebody_listens() {
    let api = Api::new().await;
    let mut stream = Events::open(&api).await;
    let hello = stream.next().await.unwrap();
    api.get("/users/ada").await;
    assert_eq!(of_kind(&stream.all(&api).await, "dynamodb").len(), 1);
    drop(stream);
    // Another listener waits until the first one is gone: the stack notices it when the connection
    // closes.
    let mut cold = false;
    for _ in 0..1000 {
        let begin = std::time::Instant::now();
        api.get("/users/ada").await;
        let mut stream = Events::open(&api).await;
        assert_eq!(stream.next().await.unwrap()["stack"], hello["stack"]);
        api.get("/users/ada").await;
        let events = stream.all(&api).await;
        // A cold start tells that the request before had a process without a recorder.
        cold = of_kind(&events, "invocation")[0]["cold"] == true;
        assert!(begin.elapsed() < EVENT_TIMEOUT);
        if cold {
            break;
        }
    }
    assert!(cold, "the processes are recorded although nobody listens");
    api.stack.shutdown().await;
}

#[tokio::test]
async fn a_browser_gets_the_page_and_others_get_text() {
    let api = Api::new().await;
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    for (path, accept) in [("/", browser), ("/local/page/index.html", "*/*")] {
        let answer = api.request(Method::GET, path).header("accept", accept).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let headers = answer.headers().clone();
        assert_eq!(headers["content-type"], "text/html; charset=utf-8");
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert_eq!(headers["referrer-policy"], "no-referrer");
        let policy = headers["content-security-policy"].to_str().unwrap();
        let s3 = api.stack.s3().endpoint();
        let localhost = s3.replace("127.0.0.1", "localhost");
        assert!(policy.contains(&format!("connect-src 'self' {s3} {localhost};")), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert!(answer.text().await.unwrap().contains("Quick Photos"));
    }
    for path in ["/local/page/nothing.js", "/local/page/../page.rs", "/local/page/%2e%2e/Cargo.toml", "/local/page/"] {
        assert_eq!(api.request(Method::GET, path).send().await.unwrap().status(), 404, "{path}");
    }
    api.stack.shutdown().await;
}

/// Returns the files that a browser can load: those in a directory of the page, without tests and
/// licences.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let of_entry = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    let is_served = |path: &PathBuf| !path.ends_with("LICENSE") && !path.to_str().unwrap().ends_with(".test.js");
    entries.flat_map(of_entry).filter(is_served).collect()
}

#[tokio::test]
async fn the_whole_page_has_at_most_140_kb() {
    let api = Api::new().await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
    let mut bytes = 0;
    for file in files(&folder) {
        let name = file.strip_prefix(&folder).unwrap().to_str().unwrap();
        let get = api.request(Method::GET, &format!("/local/page/{name}")).header("accept-encoding", "gzip");
        let answer = get.send().await.unwrap();
        assert_eq!(answer.status(), 200, "{name}");
        bytes += answer.bytes().await.unwrap().len();
    }
    assert!(bytes > 10_000 && bytes <= 140_000, "{bytes}");
    api.stack.shutdown().await;
}

#[tokio::test]
async fn shows_users_tables_and_patterns() {
    let api = Api::new().await;
    let get = async |path: &str| -> Value {
        let answer = api.request(Method::GET, path).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        answer.json().await.unwrap()
    };
    let users = get("/local/users").await;
    let picture = users["users"][0]["picture"]["small"].as_str().unwrap();
    assert_eq!(reqwest::get(picture).await.unwrap().headers()["content-type"], "image/jpeg");
    assert_eq!(get("/local/patterns").await["patterns"][0]["function"], "create-user");

    let tables = get("/local/tables").await;
    let names: Vec<_> = tables["tables"].as_array().unwrap().iter().map(|table| table["name"].clone()).collect();
    assert_eq!((names.len(), &names[0]), (5, &json!("quick-photos")));
    let path = "/local/tables/quick-photos/rows?index=InvertedIndex&limit=500";
    let rows = get(path).await;
    let indexes = tables["tables"][0]["indexes"].as_array().unwrap();
    let inverted = indexes.iter().find(|index| index["name"] == "InvertedIndex").unwrap();
    assert_eq!(rows["total"], inverted["items"]);
    let start: String = url::form_urlencoded::byte_serialize(rows["next"].to_string().as_bytes()).collect();
    let next = get(&format!("{path}&start={start}")).await;
    let last = &rows["rows"][499]["item"];
    assert!(last["SK"]["S"].as_str() <= next["rows"][0]["item"]["SK"]["S"].as_str());
    let users = get("/local/tables/quick-photos/rows?entity=User&prefix=USER%23b").await;
    assert_eq!(users["rows"][0]["item"]["username"]["S"], "ben");
    let items = get("/local/tables/quick-photos/items?key=%5B%7B%22S%22%3A%22USER%23ada%22%7D%5D").await;
    assert_eq!(items["more"], false);
    assert!(items["items"][0]["bytes"].as_u64().unwrap() > 50, "{items}");
    let by_time = "/local/tables/quick-photos/items?index=ReactionsByTime&key=%5B%7B%22S%22%3A%22cara%22%7D%2C%7B%22S%22%3A%22heart%22%7D%5D";
    assert!(!get(by_time).await["items"].as_array().unwrap().is_empty());
    for (path, status) in [
        ("/local/tables/nothing/rows", 404),
        ("/local/tables/quick-photos/rows?index=nothing", 404),
        ("/local/tables/quick-photos/rows?limit=501", 400),
        ("/local/tables/quick-photos/rows?start=x", 400),
        ("/local/tables/quick-photos/items", 400),
        ("/local/tables/quick-photos/items?key=x", 400),
    ] {
        let answer = api.request(Method::GET, path).send().await.unwrap();
        assert_eq!(answer.status(), status, "{path}");
        let error: Value = answer.json().await.unwrap();
        assert!(error["message"].is_string() && error["detail"].is_string(), "{error}");
    }
    api.stack.shutdown().await;
}

#[tokio::test]
async fn no_page_of_another_site_can_use_the_stack() {
    let api = Api::new().await;
    let port = api.stack.api().rsplit(':').next().unwrap();
    let event = "/2015-03-31/functions/get-user/invocations";
    for (method, path) in [
        (Method::GET, "/local/events"),
        (Method::GET, "/local/users"),
        (Method::GET, "/local/tables"),
        (Method::GET, "/local/tables/quick-photos/rows"),
        (Method::GET, "/local/patterns"),
        (Method::GET, "/local/token/ada"),
        (Method::GET, "/local/outbox"),
        (Method::POST, event),
    ] {
        let status = async |headers: &[(&'static str, String)]| {
            let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
            let headers: HeaderMap = headers.collect();
            let answer = api.request(method.clone(), path).headers(headers).send().await.unwrap();
            assert!(!answer.headers().contains_key("access-control-allow-origin"));
            answer.status().as_u16()
        };
        let rebound = format!("evil.example:{port}");
        let origin = |host: &str| ("origin", format!("http://{host}"));
        assert_eq!(status(&[("host", rebound.clone())]).await, 403, "{path}");
        assert_eq!(status(&[("host", rebound.clone()), origin(&rebound)]).await, 403, "{path}");
        assert_eq!(status(&[origin("evil.example")]).await, 403, "{path}");
        assert_eq!(status(&[origin("localhost:1")]).await, 403, "{path}");
        assert_eq!(status(&[("origin", "null".to_owned())]).await, 403, "{path}");
        let own = format!("localhost:{port}");
        assert_eq!(status(&[("host", own.clone()), origin(&own)]).await, 200, "{path}");
    }
    api.stack.shutdown().await;
}
