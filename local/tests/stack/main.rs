//! The stack with the real functions: its API, its errors, start and stop.

#![allow(clippy::unwrap_used)]

mod empty;
mod page;
mod program;
mod tools;

use std::net::TcpListener;

use local::lambda::build;
use local::listener::lan_address;
use local::stack::{self, Data, Options, Stack};
use local::template::Template;
use reqwest::{Client, Method, Response};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

/// Starts a stack. The first call builds the functions.
async fn start(options: Options) -> anyhow::Result<Stack> {
    static BUILT: OnceCell<()> = OnceCell::const_new();
    BUILT
        .get_or_init(|| async {
            let template = Template::find().unwrap();
            build::functions(template.parent().unwrap()).await.unwrap();
        })
        .await;
    Stack::start(options).await
}

struct Api {
    stack: Stack,
    client: Client,
    token: String,
}

impl Api {
    async fn new() -> Self {
        let stack = start(Options::default()).await.unwrap();
        let token = stack.token("ada").unwrap();
        Self { stack, client: Client::new(), token }
    }

    fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method, format!("{}{path}", self.stack.api()))
    }

    fn authorized(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.request(method, path).bearer_auth(&self.token)
    }

    async fn get(&self, path: &str) -> Response {
        self.authorized(Method::GET, path).send().await.unwrap()
    }

    fn invocation(&self, function: &str) -> reqwest::RequestBuilder {
        self.request(Method::POST, &format!("/2015-03-31/functions/{function}/invocations"))
    }
}

/// Asserts that a response is this error of the gateway.
async fn assert_error(response: Response, status: u16, message: &str) {
    assert_eq!(response.status(), status);
    assert_eq!(response.headers()["content-type"], "application/json");
    assert!(response.headers().contains_key("apigw-requestid"));
    let error: Value = response.json().await.unwrap();
    assert_eq!(error["message"], message);
    assert!(error["detail"].is_string(), "{error}");
}

#[tokio::test]
async fn a_request_passes_through_gateway_function_and_database() {
    let api = Api::new().await;
    let response = api.get("/users/ada").await;
    assert_eq!(response.status(), 200);
    assert!(response.headers().contains_key("apigw-requestid"));
    let user: Value = response.json().await.unwrap();
    assert_eq!(user["username"], "ada");
    // The function shows the e-mail to its owner only, so it has got the claims of the token.
    assert!(user["email"].is_string(), "{user}");
    api.stack.shutdown().await;
}

#[tokio::test]
async fn returns_404_for_an_unknown_route_even_without_a_token() {
    let api = Api::new().await;
    for (method, path) in [
        (Method::PUT, "/users"),
        (Method::GET, "/users/ada/"),
        (Method::PUT, "/users/ada"),
        (Method::POST, "/"),
        (Method::DELETE, "/users/ada/profile"),
        (Method::OPTIONS, "/users/ada"),
        (Method::GET, "/local"),
    ] {
        let response = api.request(method, path).send().await.unwrap();
        assert_error(response, 404, "Not Found").await;
    }
    // An answer to HEAD has no body.
    assert_eq!(api.request(Method::HEAD, "/users/ada").send().await.unwrap().status(), 404);
    api.stack.shutdown().await;
}

#[tokio::test]
async fn a_401_challenges_as_api_gateway_does() {
    let (api, other) = (Api::new().await, Api::new().await);
    let request = || api.request(Method::GET, "/users/ada");
    let segments = "token contains an invalid number of segments";
    for (request, description) in [
        (request(), None),
        (request().header("authorization", ""), None),
        (request().bearer_auth(""), Some(segments)),
        (request().bearer_auth("garbage"), Some(segments)),
        (request().bearer_auth(&other.token), Some("the token does not have a valid signature")),
        (request().header("authorization", "Bearer é"), Some("the token is not ASCII")),
        (
            request().bearer_auth(&api.token).header("authorization", "x"),
            Some("the request has two Authorization headers"),
        ),
    ] {
        let response = request.send().await.unwrap();
        let challenge = response.headers()["www-authenticate"].to_str().unwrap();
        match description {
            None => assert_eq!(challenge, "Bearer"),
            Some(description) => {
                let expected = format!(r#"Bearer scope="" error="invalid_token" error_description="{description}""#);
                assert_eq!(challenge, expected);
            }
        }
        assert_error(response, 401, "Unauthorized").await;
    }
    other.stack.shutdown().await;
    api.stack.shutdown().await;
}

#[tokio::test]
async fn anyone_opens_a_link_without_a_token_and_from_any_site() {
    let api = Api::new().await;
    let made = api.authorized(Method::PUT, "/users/ada/link").json(&json!({"until": null, "indexed": false}));
    let made: Value = made.send().await.unwrap().json().await.unwrap();
    let url = made["url"].as_str().unwrap();
    assert!(url.starts_with(&format!("{}/s/", api.stack.api().replace("127.0.0.1", "localhost"))), "{made}");

    let open = || api.client.get(url);
    // As browsers send it after a click in a messenger, or in the page of another site.
    let navigation = open().header("sec-fetch-site", "cross-site").header("sec-fetch-mode", "navigate");
    let navigation = navigation.header("accept", "text/html").header("referer", "https://messenger.example/");
    for request in [open(), open().bearer_auth("garbage"), open().bearer_auth(&api.token), navigation] {
        assert_eq!(request.send().await.unwrap().status(), 200);
    }
    // The form of the page of the link.
    let own = url.split("/s/").next().unwrap();
    let report = api.client.post(format!("{url}/report")).header("origin", own);
    let report = report.header("content-type", "application/x-www-form-urlencoded").body("reason=spam");
    assert_eq!(report.send().await.unwrap().status(), 200);
    // Links are made and listed with a token.
    let list = api.request(Method::GET, "/users/ada/links").send().await.unwrap();
    assert_error(list, 401, "Unauthorized").await;
    api.stack.shutdown().await;
}

#[tokio::test]
async fn pages_of_allowed_origins_can_read_all_answers() {
    const ORIGIN: &str = "http://localhost:5173";
    let allowing = |origins: &str| {
        let parameters = [("AllowedOrigins".to_owned(), origins.to_owned())].into();
        Options { parameters, ..Options::default() }
    };
    let stack = start(allowing(ORIGIN)).await.unwrap();
    let client = Client::new();
    for (path, status) in [("/users/ada", 401), ("/nowhere", 404), ("/local/token/ada", 200), ("/local/health", 200)] {
        let preflight = client.request(Method::OPTIONS, format!("{}{path}", stack.api())).header("origin", ORIGIN);
        let preflight = preflight.header("access-control-request-method", "GET").send().await.unwrap();
        assert_eq!(preflight.status(), 204, "{path}");
        assert_eq!(preflight.headers()["access-control-allow-origin"], ORIGIN, "{path}");
        let allowed = preflight.headers()["access-control-allow-headers"].to_str().unwrap();
        assert_eq!(allowed, "authorization,content-type,if-match,if-none-match,idempotency-key", "{path}");
        assert_eq!(preflight.headers()["access-control-allow-methods"], "GET,POST,PUT,PATCH,DELETE", "{path}");
        assert_eq!(preflight.headers()["access-control-max-age"], "600", "{path}");
        let other =
            client.request(Method::OPTIONS, format!("{}{path}", stack.api())).header("origin", "http://b.example");
        let other = other.header("access-control-request-method", "GET").send().await.unwrap();
        assert_eq!(other.status(), 204, "{path}");
        assert!(!other.headers().contains_key("access-control-allow-origin"), "{path}");

        let answer = client.get(format!("{}{path}", stack.api())).header("origin", ORIGIN).send().await.unwrap();
        assert_eq!(answer.status(), status, "{path}");
        assert_eq!(answer.headers()["access-control-allow-origin"], ORIGIN, "{path}");
        let exposed = answer.headers()["access-control-expose-headers"].to_str().unwrap();
        assert_eq!(exposed, "etag,location,retry-after,www-authenticate,apigw-requestid", "{path}");
        let other = client.get(format!("{}{path}", stack.api())).header("origin", "http://localhost:1");
        assert!(!other.send().await.unwrap().headers().contains_key("access-control-allow-origin"), "{path}");
    }
    stack.shutdown().await;
    let error = format!("{:#}", start(allowing(&format!("{ORIGIN}/"))).await.err().unwrap());
    assert!(error.contains("`http://localhost:5173/` is not an origin"), "{error}");
}

#[tokio::test]
async fn the_answer_to_a_refused_page_names_the_option_that_allows_it() {
    const ORIGIN: &str = "http://localhost:5173";
    let api = Api::new().await;
    let advice = "pages of the origin http://localhost:5173 may not call this stack; allow them with --parameter \
                  AllowedOrigins=http://localhost:5173";
    for (method, path, status) in [
        (Method::OPTIONS, "/users/ada", 404),
        (Method::OPTIONS, "/local/token/ada", 403),
        (Method::GET, "/local/token/ada", 403),
    ] {
        let request = api.request(method, path).header("origin", ORIGIN).header("access-control-request-method", "GET");
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), status, "{path}");
        assert_eq!(answer.json::<Value>().await.unwrap()["detail"], advice, "{path}");
    }
    let pictures = format!("{}/CloudFront/photos/a", api.stack.s3().endpoint());
    for method in [Method::OPTIONS, Method::GET] {
        let request = api.client.request(method, &pictures).header("origin", ORIGIN);
        let answer = request.header("access-control-request-method", "POST").send().await.unwrap();
        assert_eq!(answer.status(), 403);
        let text = answer.text().await.unwrap();
        assert!(text.contains(advice), "{text}");
    }
    api.stack.shutdown().await;
}

#[tokio::test]
async fn all_addresses_are_in_the_network_that_the_stack_listens_to() {
    let Ok(host) = lan_address() else { return };
    let stack = start(Options { host, ..Options::default() }).await.unwrap();
    let (client, token) = (Client::new(), stack.token("ada").unwrap());
    let begin = format!("http://{host}:");
    for address in [stack.api(), stack.dynamodb(), stack.s3().endpoint()] {
        assert!(address.starts_with(&begin), "{address}");
    }
    let port = stack.api().rsplit(':').next().unwrap();
    let link = client.put(format!("{}/users/ada/link", stack.api())).bearer_auth(&token);
    let link = link.json(&json!({"until": null, "indexed": false})).send().await.unwrap();
    let link = link.json::<Value>().await.unwrap()["url"].as_str().unwrap().to_owned();
    assert!(link.starts_with(&begin), "{link}");
    assert_eq!(client.get(link).send().await.unwrap().status(), 200);
    // A browser may also know this machine by a name.
    for own in [stack.api().to_owned(), format!("http://localhost:{port}"), format!("http://laptop.local:{port}")] {
        let (_, name) = own.split_once("//").unwrap();
        let at = if name.starts_with("localhost") { &own } else { stack.api() };
        let get = |path: &str| client.get(format!("{at}{path}")).header("host", name).bearer_auth(&token).send();
        let openapi: Value = get("/local/openapi.json").await.unwrap().json().await.unwrap();
        assert_eq!(openapi["servers"][0]["url"], own);
        let profile: Value = get("/users/ada/profile").await.unwrap().json().await.unwrap();
        let picture = profile["photos"][0]["urls"][0]["url"].as_str().unwrap();
        assert!(picture.starts_with(&begin), "{picture}");
        assert_eq!(client.get(picture).send().await.unwrap().status(), 200);

        let create = client.post(format!("{at}/users/ada/photos")).header("host", name).header("origin", &own);
        let created: Value =
            create.bearer_auth(&token).json(&json!({"format": "jpeg"})).send().await.unwrap().json().await.unwrap();
        let bucket = created["upload"]["url"].as_str().unwrap();
        assert!(bucket.starts_with(&begin), "{created}");
        let preflight = client.request(Method::OPTIONS, bucket).header("origin", &own);
        let preflight = preflight.header("access-control-request-method", "POST").send().await.unwrap();
        assert_eq!(preflight.headers()["access-control-allow-origin"], own);
    }
    stack.shutdown().await;
}

#[tokio::test]
async fn says_where_things_are() {
    let api = Api::new().await;
    let answer = api.request(Method::GET, "/").send().await.unwrap();
    assert_eq!(answer.headers()["content-type"], "text/plain; charset=utf-8");
    let text = answer.text().await.unwrap();
    for part in ["/local/docs", "/local/openapi.json", "/local/token/", "/local/outbox", "/local/health"] {
        assert!(text.contains(&format!("{}{part}", api.stack.api())), "{text}");
    }
    let route = text.lines().find(|line| line.ends_with(" fetch-user-and-photos")).unwrap();
    assert!(route.starts_with("GET    /users/{username}/profile "), "{route}");
    api.stack.shutdown().await;
}

#[tokio::test]
async fn the_api_page_loads_nothing_from_elsewhere() {
    let api = Api::new().await;
    for (path, kind) in [
        ("/local/docs", "text/html;charset=utf-8"),
        ("/local/docs/docs.js", "text/javascript"),
        ("/local/docs/scalar.js", "text/javascript"),
        ("/local/docs/api.md", "text/plain;charset=utf-8"),
        ("/local/docs/problems.md", "text/plain;charset=utf-8"),
    ] {
        let answer = api.request(Method::GET, path).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        assert_eq!(answer.headers()["content-type"], kind, "{path}");
        let policy = answer.headers()["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; connect-src 'self';"), "{policy}");
        assert!(!policy.contains("http"), "{policy}");
    }
    let document = api.request(Method::GET, "/local/openapi.json").send().await.unwrap();
    assert_eq!(document.status(), 200);
    let document: Value = document.json().await.unwrap();
    assert_eq!(document["servers"][0]["url"], api.stack.api());
    assert_eq!(document["servers"].as_array().unwrap().len(), 1);
    api.stack.shutdown().await;
}

#[tokio::test]
async fn rejects_a_malformed_request() {
    let api = Api::new().await;
    for path in ["/users/%zz", "/users/%ff", "/users/ada?limit=%", "/users/ada?limit=%C3"] {
        assert_error(api.get(path).await, 400, "Bad Request").await;
    }
    for host in ["a b", "1.2.3.999", "localhost:99999", "a/b"] {
        let request = api.authorized(Method::GET, "/users/ada").header("host", host);
        assert_error(request.send().await.unwrap(), 400, "Bad Request").await;
    }
    let request = api.authorized(Method::GET, "/users/ada").header("x-long", "a".repeat(10_240));
    let response = request.send().await.unwrap();
    assert_error(response, 431, "Request Header Fields Too Large").await;
    api.stack.shutdown().await;
}

#[tokio::test]
async fn rejects_a_request_that_is_too_long() {
    let api = Api::new().await;
    // Each quote is escaped, so 4 MB of quotes become an event of 8 MB.
    for body in ["\"".repeat(4 << 20), "a".repeat(7 << 20), "a".repeat(20 << 20)] {
        let request = api.authorized(Method::POST, "/users").header("content-type", "application/json");
        assert_error(request.body(body).send().await.unwrap(), 413, "Request Too Long").await;
    }
    api.stack.shutdown().await;
}

#[tokio::test]
async fn ignores_a_byte_order_mark_before_a_body() {
    let api = Api::new().await;
    let editor = api.stack.token_in("ben", "editors").unwrap();
    let name = "{\"status\": \"Out with the camera\"}";
    for (method, path, token, body, expected) in [
        (Method::PATCH, "/users/ada", &api.token, name, 200),
        (Method::PATCH, "/users/ada", &api.token, "", 200),
        (Method::PUT, "/people/9001", &editor, "{\"LastName\": \"Jones\"}", 201),
    ] {
        let request = api.request(method, path).bearer_auth(token).header("content-type", "application/json");
        let answer = request.body(format!("\u{feff}{body}")).send().await.unwrap();
        assert_eq!(answer.status(), expected, "{path} {body}: {}", answer.text().await.unwrap());
    }
    let user: Value = api.get("/users/ada").await.json().await.unwrap();
    assert_eq!(user["status"], "Out with the camera");
    let request = api.authorized(Method::PATCH, "/users/ada").header("content-type", "application/json");
    let twice = request.body("\u{feff}\u{feff}{}").send().await.unwrap();
    assert_eq!(twice.status(), 400);
    api.stack.shutdown().await;
}

#[tokio::test]
async fn every_port_answers_on_both_loopback_addresses() {
    if TcpListener::bind("[::1]:0").is_err() {
        return;
    }
    let stack = start(Options::default()).await.unwrap();
    for host in ["127.0.0.1", "[::1]"] {
        let at = |url: &str| url.replace("127.0.0.1", host);
        let client = Client::new();
        let request = client.get(format!("{}/users/ada", at(stack.api()))).bearer_auth(stack.token("ben").unwrap());
        assert_eq!(request.send().await.unwrap().status(), 200, "{host}");
        let token = client.get(format!("{}/local/token/ben", at(stack.api()))).header("origin", at(stack.api()));
        assert_eq!(token.send().await.unwrap().status(), 200, "{host}");
        let tables = local::stack::client(&at(stack.dynamodb())).list_tables().send().await.unwrap();
        assert!(tables.table_names().contains(&"quick-photos".to_owned()), "{host}");
        let answer = client.get(at(stack.s3().endpoint())).header("origin", at(stack.api())).send().await.unwrap();
        assert!(answer.text().await.unwrap().starts_with("<?xml"), "{host}");
    }
    stack.shutdown().await;
}

#[tokio::test]
async fn the_issuer_issues_a_token_to_any_user() {
    let api = Api::new().await;
    let token = api.request(Method::GET, "/local/token/ben").send().await.unwrap();
    let token = token.text().await.unwrap();
    let request = api.request(Method::GET, "/users/ada").bearer_auth(token);
    assert_eq!(request.send().await.unwrap().status(), 200);
    for name in ["a", "Ada", "a%2Fb", "a%20b"] {
        let request = api.request(Method::GET, &format!("/local/token/{name}"));
        assert_eq!(request.send().await.unwrap().status(), 400, "{name}");
    }
    api.stack.shutdown().await;
}

#[tokio::test]
async fn the_invoke_api_invokes_a_function() {
    let api = Api::new().await;
    let root = Template::find().unwrap();
    let event = std::fs::read_to_string(root.parent().unwrap().join("events/get-user.json")).unwrap();
    for name in ["get-user", "GetUserFunction", "arn:aws:lambda:us-east-1:123456789012:function:get-user:$LATEST"] {
        let response = api.invocation(name).body(event.clone()).send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["x-amz-executed-version"], "$LATEST");
        assert!(!response.headers().contains_key("x-amz-function-error"));
        let answer: Value = response.json().await.unwrap();
        assert_eq!(answer["statusCode"], 200, "{answer}");
    }
    for (kind, status) in [("DryRun", 204), ("Event", 202), ("RequestResponse", 200), ("Nonsense", 400)] {
        let request = api.invocation("get-user").header("x-amz-invocation-type", kind);
        assert_eq!(request.body(event.clone()).send().await.unwrap().status(), status, "{kind}");
    }
    // The function rejects an event that is not from API Gateway.
    let response = api.invocation("get-user").send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["x-amz-function-error"], "Unhandled");
    let error: Value = response.json().await.unwrap();
    assert!(error["errorType"].is_string(), "{error}");

    for (name, body, status, kind) in [
        ("nobody", "{}".to_owned(), 404, "ResourceNotFoundException"),
        ("get-user", "{".to_owned(), 400, "InvalidRequestContentException"),
        ("get-user", "1".repeat(7 << 20), 413, "RequestTooLargeException"),
    ] {
        let response = api.invocation(name).body(body).send().await.unwrap();
        assert_eq!(response.status(), status);
        assert_eq!(response.headers()["x-amzn-errortype"], kind);
        let error: Value = response.json().await.unwrap();
        assert!(error["Message"].is_string(), "{error}");
    }
    api.stack.shutdown().await;
}

#[tokio::test]
async fn a_schedule_starts_its_function_with_the_stack() {
    for schedules in [true, false] {
        let stack = start(Options { schedules, data: Data::Seed, ..Options::default() }).await.unwrap();
        stack.idle().await;
        let items = stack::client(stack.dynamodb()).scan().table_name("dev.Feed").send().await.unwrap();
        let rankings = items.items().iter().filter(|item| item["pk"].as_s().unwrap() == "Ranking").count();
        assert_eq!(rankings, usize::from(schedules));
        stack.shutdown().await;
    }
}

#[tokio::test]
async fn a_data_directory_keeps_items_across_stacks() {
    let directory = tempfile::tempdir().unwrap();
    let options = Options { data_dir: Some(directory.path().to_owned()), ..Options::default() };
    for (method, path, body, status) in [
        (Method::POST, "/users", json!({"username": "zoe", "name": "Zoe"}), 201),
        (Method::GET, "/users/zoe", Value::Null, 200),
    ] {
        let stack = start(options.clone()).await.unwrap();
        let request = Client::new().request(method, format!("{}{path}", stack.api()));
        let request = request.bearer_auth(stack.token("zoe").unwrap()).json(&body);
        assert_eq!(request.send().await.unwrap().status(), status);
        stack.shutdown().await;
    }
}

#[tokio::test]
async fn a_file_of_items_replaces_the_sample_data() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let zoe = json!({"PK": "USER#zoe", "SK": "#METADATA#zoe", "username": "zoe", "name": "Zoe", "followers": 0, "following": 0});
    std::fs::write(file.path(), format!("{zoe}\n")).unwrap();
    let options = Options { data: Data::Items(file.path().to_owned()), ..Options::default() };
    let stack = start(options).await.unwrap();
    assert_eq!(stack.example_user().await, "zoe");
    for (name, status) in [("zoe", 200), ("ada", 404)] {
        let request = Client::new().get(format!("{}/users/{name}", stack.api()));
        let request = request.bearer_auth(stack.token("ada").unwrap());
        assert_eq!(request.send().await.unwrap().status(), status, "{name}");
    }
    stack.shutdown().await;
}

#[tokio::test]
async fn a_byte_order_mark_loses_no_item() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let user = |name: &str| json!({"PK": format!("USER#{name}"), "SK": format!("#METADATA#{name}"), "username": name, "name": name, "followers": 0});
    // `cat` leaves the mark of the second file where it is.
    let content = format!("\u{feff}{}\r\n{}\n\u{feff}{}\n\u{feff}\n", user("zoe"), user("yan"), user("xin"));
    std::fs::write(file.path(), content).unwrap();
    let stack = start(Options { data: Data::Items(file.path().to_owned()), ..Options::default() }).await.unwrap();
    for name in ["zoe", "yan", "xin"] {
        let request = Client::new().get(format!("{}/users/{name}", stack.api()));
        let request = request.bearer_auth(stack.token("zoe").unwrap());
        assert_eq!(request.send().await.unwrap().status(), 200, "{name}");
    }
    stack.shutdown().await;
}

#[tokio::test]
async fn a_file_of_items_does_not_overwrite_a_data_directory() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("items.json");
    let zoe = json!({"PK": "USER#zoe", "SK": "#METADATA#zoe", "username": "zoe", "name": "Zoe"});
    std::fs::write(&file, format!("{zoe}\n")).unwrap();
    let options =
        Options { data_dir: Some(directory.path().to_owned()), data: Data::Items(file), ..Options::default() };
    for name in ["Zoe", "Zoe the second"] {
        let stack = start(options.clone()).await.unwrap();
        let url = format!("{}/users/zoe", stack.api());
        let token = stack.token("zoe").unwrap();
        let user: Value = Client::new().get(&url).bearer_auth(&token).send().await.unwrap().json().await.unwrap();
        assert_eq!(user["name"], name);
        let rename = Client::new().patch(&url).bearer_auth(&token).json(&json!({"name": "Zoe the second"}));
        assert_eq!(rename.send().await.unwrap().status(), 200);
        stack.shutdown().await;
    }
}

#[tokio::test]
async fn a_file_without_a_loadable_item_is_an_error_and_leaves_no_tables() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = directory.path().join("data");
    let file = directory.path().join("items.json");
    let options = Options { data_dir: Some(data_dir), data: Data::Items(file.clone()), ..Options::default() };
    for (content, expected) in [("", " has no item"), ("no JSON\n", ":1: "), ("\n{\"no\": \"key\"}\n", ":2: ")] {
        std::fs::write(&file, content).unwrap();
        let error = format!("{:#}", start(options.clone()).await.err().unwrap());
        assert!(error.starts_with(&format!("{}{expected}", file.display())), "{error}");
    }
    // The tables would exist already if the failed starts had left them, and zoe would not be
    // loaded.
    let zoe = json!({"PK": "USER#zoe", "SK": "#METADATA#zoe", "username": "zoe", "name": "Zoe"});
    std::fs::write(&file, format!("{zoe}\n")).unwrap();
    let stack = start(options).await.unwrap();
    let request = Client::new().get(format!("{}/users/zoe", stack.api())).bearer_auth(stack.token("zoe").unwrap());
    assert_eq!(request.send().await.unwrap().status(), 200);
    stack.shutdown().await;
}

#[tokio::test]
async fn two_stacks_do_not_use_one_data_directory() {
    let directory = tempfile::tempdir().unwrap();
    let options = Options { data_dir: Some(directory.path().to_owned()), ..Options::default() };
    let first = start(options.clone()).await.unwrap();
    let expected = format!(
        "another stack uses the data directory {}; stop it, or choose another directory with --data-dir DIR",
        directory.path().display()
    );
    assert_eq!(format!("{:#}", start(options.clone()).await.err().unwrap()), expected);
    first.shutdown().await;
    start(options).await.unwrap().shutdown().await;
}

#[tokio::test]
async fn an_error_at_start_is_one_line() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let dynamodb = Options { dynamodb_port: port, ..Options::default() };
    let both = Options { port, s3_port: port, ..Options::default() };
    let items = Options { data: Data::Items("/nowhere/items.json".into()), ..Options::default() };
    for (options, message) in [
        (dynamodb, format!("port {port} is in use (choose another one with --dynamodb-port N)")),
        (
            both,
            format!(
                "port {port} is in use (choose another one with --port N), \
                 port {port} is in use (choose another one with --s3-port N)"
            ),
        ),
        (items, "cannot read /nowhere/items.json: No such file or directory (os error 2)".to_owned()),
    ] {
        assert_eq!(format!("{:#}", Stack::start(options).await.err().unwrap()), message);
    }
}
