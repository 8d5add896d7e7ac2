//! Every route of template.yaml over HTTP: its answer, its repetition, another user's token, no
//! token. A route for nobody answers the same whatever token there is.
//!
//! No route is named here. The request is the sample event of the function, and its entry in
//! `costs.toml` states who may send it and which statuses it gets, first and when it is repeated.

use std::collections::BTreeMap;
use std::time::Duration;

use local::costs::{self, Callers, Pattern};
use local::template::{Function, Template};
use reqwest::header::{HeaderMap, HeaderValue, IF_MATCH};
use reqwest::{RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use shared::values::EpochMillis;
use tests::costs::patterns;
use tests::stack::root;
use tokio::time::sleep;

use crate::api::{Api, Bare, SHARED, gateway_error, problem};

/// API Gateway makes the same claim of the groups `["not", "editors"]` and of `["not editors"]`.
#[tokio::test]
async fn only_members_of_a_group_itself_may_do_what_its_members_may() {
    let api = Api::start().await;
    let both = api.anonymous("GET", "/local/token/ada?group=not&group=editors").send().await.unwrap();
    let both = both.text().await.unwrap();
    for (token, status) in [(api.stack.token_in("ada", "not editors").unwrap(), 403), (both, 201)] {
        let put = api.anonymous("PUT", "/music/Trio/Nine").bearer_auth(token).json(&json!({"Genre": "Jazz"}));
        assert_eq!(put.send().await.unwrap().status(), status);
    }
    api.stack.shutdown().await;
}

#[tokio::test]
async fn every_route_that_reads_answers_as_its_entry_says() {
    let ((reading, _), patterns) = (routes(), patterns());
    let api = Api::start().await;
    for function in &reading {
        check(&api, function, &patterns).await;
    }
    api.stack.shutdown().await;
}

#[tokio::test]
async fn every_route_that_writes_answers_as_its_entry_says() {
    let ((_, writing), patterns) = (routes(), patterns());
    for function in &writing {
        let api = Api::start().await;
        check(&api, function, &patterns).await;
        api.stack.shutdown().await;
    }
}

/// Returns the functions with a route: those whose method is GET, and the others.
fn routes() -> (Vec<Function>, Vec<Function>) {
    let functions = Template::read(&Template::find().unwrap()).unwrap().functions.into_iter();
    functions.filter(|function| !function.routes.is_empty()).partition(|function| Call::new(function).method() == "GET")
}

/// Waits until the next hour if this one is about to end, because the URLs of pictures change with
/// the hour, and a check compares answers.
pub(super) async fn wait_for_the_hour() {
    const LONGEST_CHECK: u64 = 60;
    let remaining = 3600 - EpochMillis::now().seconds() % 3600;
    if remaining < LONGEST_CHECK {
        sleep(Duration::from_secs(remaining)).await;
    }
}

async fn check(api: &Api, function: &Function, patterns: &BTreeMap<String, Pattern>) {
    wait_for_the_hour().await;
    let call = Call::new(function);
    let name = &function.name;
    let pattern = patterns.get(name).unwrap_or_else(|| {
        panic!("costs.toml has no entry for {name}: `cargo test --workspace --test system contract` prints it")
    });

    if pattern.who == Some(Callers::Nobody) {
        return check_for_nobody(api, &call, name, pattern).await;
    }
    let nobody = call.request(api).send().await.unwrap();
    assert_eq!(nobody.headers()["www-authenticate"], "Bearer", "{name}");
    gateway_error(nobody, 401).await;
    gateway_error(call.request(api).bearer_auth("e30.e30.e30").send().await.unwrap(), 401).await;
    let stranger = call.request(api).bearer_auth(api.stack.token("jo").unwrap()).send().await.unwrap();
    let file = costs::file(&pattern.noun);
    match &pattern.who {
        Some(Callers::Owner(_) | Callers::Either(_) | Callers::Editors | Callers::Moderators) => {
            assert_eq!(stranger.status(), 403, "{name}: another user may not call it, says {file}");
            problem(stranger, 403).await;
        }
        Some(Callers::Any) if call.method() == "GET" => {
            assert_eq!(stranger.status(), 200, "{name}: every user may call it, says {file}");
        }
        Some(Callers::Any | Callers::Nobody) => {}
        None => panic!("{name}: its entry in {file} has no `who`"),
    }

    let send = async || call.request(api).bearer_auth(call.token(api)).send().await.unwrap();
    let (first, second) = if call.method() == "GET" {
        call.assert_revalidated(api, name, pattern.who.as_ref()).await;
        let invoked = call.invoke(api, name).await;
        let first = Answer::read(name, send().await).await;
        // The event is of another account of this name, for which a cursor is another one.
        let without_cursor = |mut body: Value| {
            body.get_mut("nextCursor").filter(|cursor| cursor.is_string()).map(Value::take);
            body
        };
        assert_eq!(
            without_cursor(first.body.clone()),
            without_cursor(invoked),
            "{name} answers otherwise over HTTP than when it is invoked"
        );
        (first, Answer::read(name, send().await).await)
    } else {
        call.assert_precondition_counts(api, name).await;
        let first = Answer::read(name, send().await).await;
        call.assert_shown(name, &first);
        (first, Answer::read(name, send().await).await)
    };
    if !first.location.is_empty() {
        let found = api.anonymous("GET", &first.location).bearer_auth(call.token(api)).send().await.unwrap();
        assert_eq!(found.status(), 200, "{name}: a GET of its Location, {}", first.location);
    }
    if second.status == StatusCode::OK {
        let [first, second] = [&first, &second].map(|answer| without_time_of_change(&answer.body));
        assert_eq!(second, first, "{name}: a repetition answers with what is there");
    }
    let statuses = [first.status.as_u16(), second.status.as_u16()];
    assert_eq!(Some(statuses), pattern.answers, "{name}: `answers` of its entry in {file}");
}

/// Checks a route without an authorizer: no token, the token of a stranger, that of the owner and a
/// broken one get the same answer. CloudFront may keep what a GET shows for a minute.
async fn check_for_nobody(api: &Api, call: &Call, name: &str, pattern: &Pattern) {
    let (stranger, owner) = (api.stack.token("jo").unwrap(), api.stack.token("ada").unwrap());
    let mut answers = vec![];
    for token in ["", &stranger, &owner, "e30.e30.e30"] {
        let request = call.request(api);
        let request = if token.is_empty() { request } else { request.bearer_auth(token) };
        answers.push(Bare::read(request.send().await.unwrap()).await);
    }
    for other in &answers[1..] {
        assert_eq!(other, &answers[0], "{name} answers otherwise with a token");
    }
    let Bare { status, headers, .. } = &answers[0];
    let statuses = [*status, answers[1].status];
    assert_eq!(Some(statuses), pattern.answers, "{name}: `answers` of its entry in {}", costs::file(&pattern.noun));
    let cache_control = if call.method() == "GET" { SHARED } else { "no-store" };
    assert_eq!(headers["cache-control"], cache_control, "{name}");
    assert!(headers.get("set-cookie").is_none(), "{name}");
    assert_eq!(headers.get("location").is_some(), *status == 302, "{name}");
    if call.method() == "GET" && *status == 200 {
        let again = call.request(api).header("if-none-match", &headers["etag"]).send().await.unwrap();
        let again = Bare::read(again).await;
        assert_eq!((again.status, again.text.as_str()), (304, ""), "{name}");
        assert_eq!(again.headers["cache-control"], SHARED, "{name}");
    }
}

/// Returns a body without the time of the last change, which a repeated PATCH of a text sets again,
/// without that of the use of a device, and without what changes while an export is being made.
fn without_time_of_change(body: &Value) -> Value {
    let mut body = body.clone();
    if let Some(fields) = body.as_object_mut() {
        fields.remove("edited");
        if fields.remove("used").is_some() {
            fields.remove("until");
        }
        if fields.remove("progress").is_some() {
            fields.retain(|name, _| ["id", "created"].contains(&name.as_str()));
        }
    }
    body
}

/// An answer whose headers have been checked.
struct Answer {
    status: StatusCode,
    /// The path in the `Location` header; empty if there is none.
    location: String,
    /// The JSON body; `null` if there is none, or if the answer is an error.
    body: Value,
}

impl Answer {
    async fn read(name: &str, answer: Response) -> Self {
        let status = answer.status();
        let location = answer.headers().get("location").map(|location| location.to_str().unwrap().to_owned());
        assert!(location.is_none() || status == StatusCode::CREATED, "{name}");
        let body = if !status.is_success() {
            drop(problem(answer, status.as_u16()).await);
            Value::Null
        } else if status == StatusCode::NO_CONTENT {
            assert_eq!(answer.bytes().await.unwrap(), "", "{name}");
            Value::Null
        } else {
            assert_eq!(answer.headers()["content-type"], "application/json", "{name}");
            answer.json().await.unwrap()
        };
        Self { status, location: location.unwrap_or_default(), body }
    }
}

/// The request that a function's sample event describes.
struct Call {
    event: Value,
}

impl Call {
    fn new(function: &Function) -> Self {
        let file = root().join(format!("events/{}.json", function.name));
        let event = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        Self { event: serde_json::from_slice(&event).unwrap() }
    }

    fn text(&self, pointer: &str) -> &str {
        self.event.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    fn method(&self) -> &str {
        self.text("/requestContext/http/method")
    }

    /// Returns the request without a token.
    fn request(&self, api: &Api) -> RequestBuilder {
        let (path, query) = (self.text("/rawPath"), self.text("/rawQueryString"));
        let uri = if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") };
        let mut request = api.anonymous(self.method(), &uri);
        for name in ["content-type", "if-match", "if-none-match"] {
            if let Some(value) = self.event["headers"][name].as_str() {
                request = request.header(name, value);
            }
        }
        match self.event["body"].as_str() {
            Some(body) => request.body(body.to_owned()),
            None => request,
        }
    }

    /// Asserts that a client may keep the answer of a GET for its own user unless nobody else, or
    /// only members of a group, may see it, and gets 304 while the answer is the same. The events
    /// of routes for every caller are of what belongs to another user.
    async fn assert_revalidated(&self, api: &Api, name: &str, callers: Option<&Callers>) {
        let send = async |name, tag: &str| {
            self.request(api).bearer_auth(self.token(api)).header(name, tag).send().await.unwrap()
        };
        let first = send("if-none-match", "\"another\"").await;
        assert_eq!(first.status(), StatusCode::OK, "{name}");
        let headers = first.headers().clone();
        // The users whom another user follows may include the caller.
        let is_private = matches!(callers, Some(Callers::Owner(_) | Callers::Editors | Callers::Moderators))
            || first.text().await.unwrap().contains("\"birthdate\"");
        let cache_control = if is_private { "no-store" } else { "private, no-cache" };
        assert_eq!(headers["cache-control"], cache_control, "{name}");
        let tag = headers["etag"].to_str().unwrap();
        let again = send("if-none-match", tag).await;
        let has_version = tag != "\"0\"";
        assert_eq!(again.status() == StatusCode::NOT_MODIFIED, has_version, "{name}: {tag}");
        assert_eq!(again.headers()["etag"], tag, "{name}");
        assert_eq!(again.headers()["cache-control"], cache_control, "{name}");
        assert_eq!(again.bytes().await.unwrap().is_empty(), has_version, "{name}");
        problem(send("if-match", tag).await, 400).await;
    }

    /// Asserts that a write with a precondition that does not hold writes nothing: the function
    /// refuses the header or the write.
    async fn assert_precondition_counts(&self, api: &Api, name: &str) {
        // It replaces the precondition of the event.
        let wrong = HeaderMap::from_iter([(IF_MATCH, HeaderValue::from_static("\"another\""))]);
        let answer = self.request(api).bearer_auth(self.token(api)).headers(wrong).send().await.unwrap();
        let status = answer.status().as_u16();
        assert!([400, 412].contains(&status), "{name}: {status} with a wrong If-Match");
        let problem = problem(answer, status).await;
        assert!(status == 412 || problem["errors"][0]["field"] == "if-match", "{name}: {problem}");
    }

    /// Returns a token with the claims of the event.
    fn token(&self, api: &Api) -> String {
        let claims = "/requestContext/authorizer/jwt/claims";
        let username = self.text(&format!("{claims}/username"));
        match self.text(&format!("{claims}/cognito:groups")).trim_matches(['[', ']']) {
            "" => api.stack.token(username).unwrap(),
            group => api.stack.token_in(username, group).unwrap(),
        }
    }

    /// Returns the body that the function answers when it is invoked with the event itself.
    async fn invoke(&self, api: &Api, name: &str) -> Value {
        let path = format!("/2015-03-31/functions/{name}/invocations");
        let answer = api.anonymous("POST", &path).body(self.event.to_string()).send().await.unwrap();
        let answer: Value = answer.json().await.unwrap();
        serde_json::from_str(answer["body"].as_str().unwrap_or_else(|| panic!("{name}: {answer}"))).unwrap()
    }

    /// Asserts that the answer of a write shows what was written: each value of the body and each
    /// parameter of the path stands in the body or the `Location` of the answer. The owner is left
    /// out, because favorites and tags do not show theirs, and so is the photo, because comments do
    /// not show theirs. So is the address of a device, to which anybody who has it could send.
    fn assert_shown(&self, name: &str, answer: &Answer) {
        if answer.body.is_null() {
            return;
        }
        let mut body = self.event["body"].as_str().map(|body| serde_json::from_str::<Value>(body).unwrap());
        if let Some(fields) = body.as_mut().and_then(Value::as_object_mut) {
            fields.remove("address");
        }
        let parameters = self.event["pathParameters"].as_object().into_iter().flatten();
        let parameters =
            parameters.filter(|(name, _)| !["username", "photo"].contains(&name.as_str())).map(|(_, value)| value);
        let mut shown = leaves(&answer.body);
        shown.push(answer.location.clone());
        // A PUT creates the thing at its own path, which the answer does not repeat.
        if self.method() == "PUT" {
            shown.push(self.text("/rawPath").to_owned());
        }
        for sent in parameters.chain(&body).flat_map(leaves) {
            assert!(
                shown.iter().any(|text| text.contains(&sent)),
                "{name}: the answer lacks {sent:?}: {}",
                answer.body
            );
        }
    }
}

/// Returns the strings, numbers and booleans of a JSON document as text.
fn leaves(value: &Value) -> Vec<String> {
    match value {
        Value::Null => vec![],
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => values.iter().flat_map(leaves).collect(),
        Value::Object(fields) => fields.values().flat_map(leaves).collect(),
        other => vec![other.to_string()],
    }
}
