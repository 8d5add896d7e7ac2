use std::env;
use std::path::Path;
use std::process::exit;

use axum::http::Request;
use axum::middleware;
use futures_util::StreamExt as _;
use time::macros::datetime;
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{self, Error};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::*;
use crate::activity::Writers;
use crate::gateway::origin_guard::{self, OriginGuard};
use crate::lambda::runtime::{Endpoints, Recording};
use crate::services::live;
use crate::template::Template;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// The function of these tests. The runtime starts the test program with this test alone, which
/// then does what the ticket in the query says.
#[tokio::test]
async fn is_a_function() {
    let Ok(address) = env::var("AWS_LAMBDA_RUNTIME_API") else {
        return;
    };
    let api = format!("http://{address}/2018-06-01/runtime/invocation");
    let client = reqwest::Client::new();
    loop {
        let next = client.get(format!("{api}/next")).send().await.unwrap();
        let id = next.headers()["lambda-runtime-aws-request-id"].to_str().unwrap().to_owned();
        let event: Value = serde_json::from_str(&next.text().await.unwrap()).unwrap();
        let (outcome, answer) = match event["queryStringParameters"]["ticket"].as_str() {
            Some("crash") => exit(3),
            Some("fail") => ("error", json!({"errorMessage": "a test wants it"})),
            Some("nonsense") => ("response", json!({"isAuthorized": true})),
            Some(status) => ("response", json!({"statusCode": status.parse::<u16>().unwrap(), "body": "ignored"})),
            None => ("response", json!({"statusCode": 401})),
        };
        client.post(format!("{api}/{id}/{outcome}")).body(answer.to_string()).send().await.unwrap();
    }
}

/// The gateway, as far as it is about connections.
struct Api {
    live: Arc<Live>,
    activity: Arc<Activity>,
    runtime: Arc<Runtime>,
    address: SocketAddr,
}

impl Api {
    async fn start() -> Self {
        let program = env::current_exe().unwrap();
        let template = format!(
            "Resources:\n  ConnectFunction:\n    Type: AWS::Serverless::Function\n    Properties:\n      \
             CodeUri: x/function.sh/\n      Timeout: 30\n      Environment: {{Variables: {{TEST_PROGRAM: '{}'}}}}\n",
            program.display()
        );
        let template = Template::parse("t.yaml", &template).unwrap();
        let [dynamodb, s3, api] = [1, 2, 3].map(|port| format!("http://127.0.0.1:{port}"));
        let endpoints = Endpoints { dynamodb, s3, api };
        let activity = Arc::new(Activity::new(Writers::new(&[])));
        let recording = Recording { activity: activity.clone(), dynamodb: "http://127.0.0.1:7".to_owned() };
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/gateway/connect");
        let runtime = Arc::new(Runtime::new(&template, &directory, &endpoints, &recording));
        let live = Arc::new(Live::new(activity.clone()));
        let connect = Connect {
            function: Some("function.sh".to_owned()),
            runtime: runtime.clone(),
            live: live.clone(),
            activity: activity.clone(),
        };
        let guard = Arc::new(OriginGuard { any_host: false, cors: None });
        let app = router(connect)
            .merge(live::router(live.clone()))
            .layer(middleware::from_fn_with_state(guard, origin_guard::check))
            .into_make_service_with_connect_info::<SocketAddr>();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async { axum::serve(listener, app).await });
        Self { live, activity, runtime, address }
    }

    /// Opens a WebSocket, as a page of this origin if there is one. An error is the status.
    async fn connect(&self, query: &str, origin: Option<&str>) -> Result<Socket, u16> {
        let mut request = format!("ws://{}{LIVE_PATH}{query}", self.address).into_client_request().unwrap();
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().unwrap());
        }
        match connect_async(request).await {
            Ok((socket, _)) => Ok(socket),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }

    async fn post(&self, id: &str, text: &'static str) -> u16 {
        let url = format!("http://{}{LIVE_PATH}/@connections/{id}", self.address);
        reqwest::Client::new().post(url).body(text).send().await.unwrap().status().as_u16()
    }
}

#[tokio::test]
async fn a_connection_opens_if_the_function_admits_it() {
    let api = Api::start().await;
    let mut socket = api.connect("?ticket=200", None).await.unwrap();
    let [id] = &api.live.connections()[..] else { panic!("one connection is open") };
    assert_eq!(api.post(id, "hello").await, 200);
    assert_eq!(socket.next().await.unwrap().unwrap(), tungstenite::Message::text("hello"));
    socket.close(None).await.unwrap();
    while socket.next().await.is_some() {}
    assert_eq!(api.post(id, "late").await, 410);
    api.runtime.shutdown().await;
}

#[tokio::test]
async fn the_handshake_has_the_status_of_a_function_that_refuses() {
    let api = Api::start().await;
    for (query, status) in [
        ("?ticket=403", 403),
        ("", 401),
        ("?ticket=302", 302),
        ("?ticket=crash", 502),
        ("?ticket=fail", 502),
        ("?ticket=nonsense", 502),
        ("?ticket=101", 502),
    ] {
        assert_eq!(api.connect(query, None).await.unwrap_err(), status, "{query}");
    }
    assert!(api.live.connections().is_empty());
    api.runtime.shutdown().await;
}

#[tokio::test]
async fn only_pages_of_the_stack_open_connections() {
    let api = Api::start().await;
    let port = api.address.port();
    for own in ["127.0.0.1", "localhost", "[::1]"] {
        let origin = format!("http://{own}:{port}");
        assert!(api.connect("?ticket=200", Some(&origin)).await.is_ok(), "{origin}");
    }
    for foreign in ["https://evil.example", "null", &format!("http://127.0.0.1.example:{port}"), "http://localhost:1"] {
        assert_eq!(api.connect("?ticket=200", Some(foreign)).await.unwrap_err(), 403, "{foreign}");
    }
    api.runtime.shutdown().await;
}

#[tokio::test]
async fn a_request_that_is_no_handshake_gets_an_error() {
    let api = Api::start().await;
    let answer = reqwest::get(format!("http://{}{LIVE_PATH}?ticket=200", api.address)).await.unwrap();
    assert_eq!(answer.status(), 400);
    assert!(answer.text().await.unwrap().contains("open /local/live as a WebSocket"));
    let none = Connect {
        function: None,
        runtime: api.runtime.clone(),
        live: api.live.clone(),
        activity: api.activity.clone(),
    };
    let (mut parts, ()) = Request::get(LIVE_PATH).body(()).unwrap().into_parts();
    let client = Client { source_ip: [127, 0, 0, 1].into(), user_agent: String::new() };
    let refused = none.open("id", client, &mut parts, &mut Handled::default()).await.unwrap_err();
    assert_eq!(refused.status(), 404);
}

#[tokio::test]
async fn the_page_sees_the_handshake_and_its_function() {
    let api = Api::start().await;
    let mut watcher = api.activity.watch().await;
    let _socket = api.connect("?ticket=200", None).await.unwrap();
    let [mut invocation, mut request] = [(); 2].map(|()| Value::Null);
    for event in [&mut invocation, &mut request] {
        *event = serde_json::from_str(&watcher.next().await.unwrap()).unwrap();
    }
    assert_eq!((&invocation["type"], &request["type"]), (&json!("invocation"), &json!("request")));
    assert_eq!((&request["route"], &request["status"]), (&json!("$connect"), &json!(101)));
    assert_eq!(request["function"], "function.sh");
    assert_eq!(invocation["trace"], request["trace"]);
    assert_eq!(invocation["cause"]["request"], request["id"]);
    api.runtime.shutdown().await;
}

#[test]
fn an_event_has_the_shape_of_a_proxy_integration() {
    let request = Request::get("/local/live?ticket=a%20b&ticket=c&flag")
        .header("host", "localhost:3000")
        .header("connection", "Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("user-agent", "a browser")
        .header("x-forwarded-for", "10.0.0.1")
        .header("x-amzn-trace-id", "Root=1-00000000-000000000000000000000000");
    let (parts, ()) = request.body(()).unwrap().into_parts();
    let client = Client { source_ip: [127, 0, 0, 1].into(), user_agent: "a browser".to_owned() };
    let event = event(&Handshake {
        parts: &parts,
        client: &client,
        request_id: "request",
        connection_id: "L0SM9cOFvHcCIhw=",
        trace: &Trace::from_header("Root=1-67891233-abcdef012345678912345678").unwrap(),
        time: datetime!(2026-11-21 14:03:02.345 UTC),
    });
    assert_eq!(
        event,
        json!({
            "headers": {
                "Host": "localhost:3000",
                "Sec-WebSocket-Version": "13",
                "User-Agent": "a browser",
                "X-Amzn-Trace-Id": "Root=1-67891233-abcdef012345678912345678",
                "X-Forwarded-For": "127.0.0.1",
                "X-Forwarded-Port": "3000",
                "X-Forwarded-Proto": "http",
            },
            "multiValueHeaders": {
                "Host": ["localhost:3000"],
                "Sec-WebSocket-Version": ["13"],
                "User-Agent": ["a browser"],
                "X-Amzn-Trace-Id": ["Root=1-67891233-abcdef012345678912345678"],
                "X-Forwarded-For": ["10.0.0.1", "127.0.0.1"],
                "X-Forwarded-Port": ["3000"],
                "X-Forwarded-Proto": ["http"],
            },
            "queryStringParameters": {"ticket": "c", "flag": ""},
            "multiValueQueryStringParameters": {"ticket": ["a b", "c"], "flag": [""]},
            "requestContext": {
                "routeKey": "$connect",
                "eventType": "CONNECT",
                "extendedRequestId": "request",
                "requestTime": "21/Nov/2026:14:03:02 +0000",
                "messageDirection": "IN",
                "stage": "live",
                "connectedAt": 1_795_269_782_345_i64,
                "requestTimeEpoch": 1_795_269_782_345_i64,
                "identity": {"sourceIp": "127.0.0.1", "userAgent": "a browser"},
                "requestId": "request",
                "domainName": "localhost",
                "connectionId": "L0SM9cOFvHcCIhw=",
                "apiId": "local",
            },
            "isBase64Encoded": false,
        })
    );
}
