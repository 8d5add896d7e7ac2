use std::future::IntoFuture as _;

use axum::extract::State;
use axum::routing::get;
use futures_util::{SinkExt as _, StreamExt as _};
use reqwest::Method;
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, frame::coding::CloseCode};
use tokio_tungstenite::tungstenite::{self, Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::*;
use crate::activity::Writers;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

fn live() -> Live {
    Live::new(Arc::new(Activity::new(Writers::new(&[]))))
}

/// A WebSocket API that admits everybody.
struct Server {
    live: Arc<Live>,
    address: String,
}

impl Server {
    async fn start(live: Live) -> Self {
        async fn admit(State(live): State<Arc<Live>>, upgrade: WebSocketUpgrade) -> Response {
            let client = Client { source_ip: [192, 0, 2, 7].into(), user_agent: "a browser".to_owned() };
            let session = live.open(Live::new_id(), client, OffsetDateTime::now_utc());
            session.map_or_else(|| StatusCode::SERVICE_UNAVAILABLE.into_response(), |session| session.upgrade(upgrade))
        }
        let live = Arc::new(live);
        let app = Router::new().route(LIVE_PATH, get(admit)).with_state(live.clone()).merge(router(live.clone()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("{}{LIVE_PATH}", listener.local_addr().unwrap());
        tokio::spawn(axum::serve(listener, app).into_future());
        Self { live, address }
    }

    /// Opens a connection, and returns it with its id.
    async fn connect(&self) -> (Socket, String) {
        let before = self.live.connections();
        let (socket, _) = connect_async(format!("ws://{}", self.address)).await.unwrap();
        let id = self.live.connections().into_iter().find(|id| !before.contains(id)).unwrap();
        (socket, id)
    }

    async fn request(&self, method: Method, path: &str, body: Vec<u8>) -> reqwest::Response {
        let url = format!("http://{}/{path}", self.address);
        reqwest::Client::new().request(method, url).body(body).send().await.unwrap()
    }

    async fn post(&self, id: &str, body: impl Into<Vec<u8>>) -> u16 {
        let path = format!("@connections/{}", id.replace('=', "%3D"));
        self.request(Method::POST, &path, body.into()).await.status().as_u16()
    }

    fn sdk(&self) -> aws_sdk_apigatewaymanagement::Client {
        use aws_sdk_apigatewaymanagement::config::{BehaviorVersion, Credentials, Region};
        let config = aws_sdk_apigatewaymanagement::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .endpoint_url(format!("http://{}", self.address))
            .region(Region::new("eu-west-1"))
            .credentials_provider(Credentials::new("local", "local", None, None, "local"))
            .http_client(shared::runtime::https::client(b"").unwrap())
            .build();
        aws_sdk_apigatewaymanagement::Client::from_conf(config)
    }
}

async fn text(socket: &mut Socket) -> String {
    socket.next().await.unwrap().unwrap().into_text().unwrap().to_string()
}

/// Returns the code of the close frame that a client gets, or `None` if the connection ends without one.
async fn closed(socket: &mut Socket) -> Option<u16> {
    let mut code = None;
    while let Some(Ok(message)) = socket.next().await {
        match message {
            Message::Close(frame) => code = frame.map(|frame| frame.code.into()),
            other => panic!("{other}"),
        }
    }
    code
}

#[tokio::test]
async fn an_id_looks_as_those_of_api_gateway() {
    let (id, other) = (Live::new_id(), Live::new_id());
    assert!(id.len() == 16 && id.ends_with('=') && id != other, "{id} {other}");
}

#[tokio::test]
async fn a_function_sends_to_one_client_describes_and_closes_its_connection() {
    let server = Server::start(live()).await;
    let ((mut ada, of_ada), (mut ben, of_ben)) = (server.connect().await, server.connect().await);
    let sdk = server.sdk();
    for message in ["first", "zweite é"] {
        sdk.post_to_connection().connection_id(&of_ada).data(message.as_bytes().to_vec().into()).send().await.unwrap();
    }
    assert_eq!([text(&mut ada).await, text(&mut ada).await], ["first", "zweite é"]);

    let described = sdk.get_connection().connection_id(&of_ben).send().await.unwrap();
    assert!(described.connected_at().is_some() && described.last_active_at() == described.connected_at());
    let identity = described.identity().unwrap();
    assert_eq!((identity.source_ip(), identity.user_agent()), (Some("192.0.2.7"), Some("a browser")));

    // The waiting message comes before the end.
    sdk.post_to_connection().connection_id(&of_ben).data(b"last".to_vec().into()).send().await.unwrap();
    sdk.delete_connection().connection_id(&of_ben).send().await.unwrap();
    assert_eq!(text(&mut ben).await, "last");
    assert_eq!(closed(&mut ben).await, Some(1000));
    assert_eq!(server.live.connections(), [of_ada]);
}

#[tokio::test]
async fn an_ended_connection_is_gone() {
    let server = Server::start(live()).await;
    let (mut socket, id) = server.connect().await;
    socket.close(Some(CloseFrame { code: CloseCode::Normal, reason: "".into() })).await.unwrap();
    // The answer has the same code.
    assert_eq!(closed(&mut socket).await, Some(1000));
    let sdk = server.sdk();
    for id in [&*id, "unknown="] {
        let data = b"late".to_vec().into();
        let posted = sdk.post_to_connection().connection_id(id).data(data).send().await;
        assert!(posted.unwrap_err().into_service_error().is_gone_exception(), "{id}");
        let described = sdk.get_connection().connection_id(id).send().await;
        assert!(described.unwrap_err().into_service_error().is_gone_exception(), "{id}");
        let deleted = sdk.delete_connection().connection_id(id).send().await;
        assert!(deleted.unwrap_err().into_service_error().is_gone_exception(), "{id}");
    }
}

#[tokio::test]
async fn a_message_is_text_of_at_most_128_kb() {
    let server = Server::start(live()).await;
    let (mut socket, id) = server.connect().await;
    let longest = "a".repeat(MAX_MESSAGE_BYTES);
    assert_eq!(server.post(&id, longest.as_str()).await, 200);
    assert_eq!(text(&mut socket).await, longest);
    assert_eq!(server.post(&id, format!("{longest}a")).await, 413);
    // This one exceeds what axum reads too.
    assert_eq!(server.post(&id, "a".repeat(3 * 1024 * 1024)).await, 413);
    assert_eq!(server.post(&id, *b"\xff").await, 400);
    let data = vec![b'a'; MAX_MESSAGE_BYTES + 1].into();
    let error = server.sdk().post_to_connection().connection_id(&id).data(data).send().await.unwrap_err();
    assert!(error.into_service_error().is_payload_too_large_exception());
}

#[tokio::test]
async fn messages_of_a_client_are_dropped() {
    let server = Server::start(live()).await;
    let (mut socket, id) = server.connect().await;
    socket.send(Message::text("ping")).await.unwrap();
    socket.send(Message::Ping("a".into())).await.unwrap();
    assert_eq!(socket.next().await.unwrap().unwrap(), Message::Pong("a".into()));
    assert_eq!(server.post(&id, "first").await, 200);
    assert_eq!(text(&mut socket).await, "first");
}

#[tokio::test]
async fn a_client_that_sends_what_api_gateway_refuses_loses_its_connection() {
    let server = Server::start(live()).await;
    for (message, code) in [
        (Message::text("a".repeat(MAX_FRAME_BYTES)), None),
        (Message::text("a".repeat(MAX_FRAME_BYTES + 1)), Some(1009)),
        (Message::binary("a"), Some(1003)),
    ] {
        let (mut socket, id) = server.connect().await;
        socket.send(message).await.unwrap();
        if code.is_some() {
            assert_eq!(closed(&mut socket).await, code);
        } else {
            assert_eq!(server.post(&id, "still here").await, 200);
            assert_eq!(text(&mut socket).await, "still here");
        }
    }
}

#[tokio::test]
async fn a_message_in_frames_may_have_128_kb() {
    use tungstenite::protocol::frame::{Frame, coding::Data, coding::OpCode};
    let server = Server::start(live()).await;
    for (frames, code) in [(4, None), (5, Some(1009))] {
        let (mut socket, id) = server.connect().await;
        for number in 1..=frames {
            let kind = if number == 1 { Data::Text } else { Data::Continue };
            let frame = Frame::message(vec![b'a'; MAX_FRAME_BYTES], OpCode::Data(kind), number == frames);
            socket.send(Message::Frame(frame)).await.unwrap();
        }
        if code.is_some() {
            assert_eq!(closed(&mut socket).await, code);
        } else {
            assert_eq!(server.post(&id, "still here").await, 200);
            assert_eq!(text(&mut socket).await, "still here");
        }
    }
}

#[tokio::test]
async fn a_connection_ends_when_it_is_idle_or_old() {
    const MOMENT: Duration = Duration::from_millis(300);
    let long = Duration::from_mins(1);
    for (idle_timeout, connection_timeout) in [(MOMENT, long), (long, MOMENT)] {
        let server = Server::start(Live { idle_timeout, connection_timeout, ..live() }).await;
        let begin = Instant::now();
        let (mut socket, id) = server.connect().await;
        tokio::time::sleep(MOMENT * 2 / 3).await;
        socket.send(Message::text("ping")).await.unwrap();
        assert_eq!(closed(&mut socket).await, Some(u16::from(CloseCode::Away)));
        // A message keeps an idle connection, and not an old one.
        assert_eq!(begin.elapsed() >= MOMENT * 5 / 3, idle_timeout == MOMENT, "{idle_timeout:?}");
        assert_eq!(server.post(&id, "late").await, 410);
    }
    assert_eq!((IDLE_TIMEOUT.as_secs(), CONNECTION_TIMEOUT.as_secs()), (600, 7200));
}

#[tokio::test]
async fn a_client_that_does_not_read_gets_no_more_messages() {
    let server = Server::start(live()).await;
    let (_socket, id) = server.connect().await;
    let message = "a".repeat(MAX_MESSAGE_BYTES);
    let mut status = 200;
    for _ in 0..1000 {
        status = server.post(&id, message.as_str()).await;
        if status != 200 {
            break;
        }
    }
    assert_eq!(status, 429);
    server.live.cut();
    assert_eq!(server.post(&id, "late").await, 410);
}

#[tokio::test]
async fn a_cut_ends_all_connections_without_a_close_frame() {
    let server = Server::start(live()).await;
    let ((mut ada, of_ada), (mut ben, _)) = (server.connect().await, server.connect().await);
    assert_eq!(server.request(Method::POST, "cut", vec![]).await.status(), 204);
    for socket in [&mut ada, &mut ben] {
        let end = socket.next().await.unwrap().unwrap_err();
        assert!(matches!(end, Error::Protocol(_) | Error::Io(_)), "{end}");
    }
    assert_eq!(server.post(&of_ada, "late").await, 410);
    // The next connection is as good as any.
    let (mut again, id) = server.connect().await;
    assert_eq!(server.post(&id, "again").await, 200);
    assert_eq!(text(&mut again).await, "again");
}

#[tokio::test]
async fn a_stop_closes_all_connections_and_opens_no_more() {
    let server = Server::start(live()).await;
    let (mut socket, id) = server.connect().await;
    server.live.close();
    assert_eq!(closed(&mut socket).await, Some(1000));
    assert_eq!(server.post(&id, "late").await, 410);
    let refused = connect_async(format!("ws://{}", server.address)).await.unwrap_err();
    assert!(matches!(&refused, Error::Http(response) if response.status() == 503), "{refused}");
}

#[tokio::test]
async fn the_page_sees_the_messages_of_functions_with_what_they_cost() {
    let server = Server::start(live()).await;
    let (_socket, id) = server.connect().await;
    let mut watcher = server.live.activity.watch().await;
    let trace = Trace::start();
    let post = async |id: &str, bytes: usize| {
        let request = reqwest::Client::new().post(format!("http://{}/@connections/{id}", server.address));
        request.header(TRACE_HEADER, trace.header()).body("a".repeat(bytes)).send().await.unwrap();
    };
    // Without a trace, no function has sent it.
    server.post(&id, "a").await;
    for (id, bytes, status, messages) in
        [(&*id, 5, 200, 1), (&id, MAX_FRAME_BYTES, 200, 1), (&id, MAX_FRAME_BYTES + 1, 200, 2), ("none", 5, 410, 0)]
    {
        post(id, bytes).await;
        let event: Value = serde_json::from_str(&watcher.next().await.unwrap()).unwrap();
        assert_eq!((&event["type"], &event["operation"]), (&json!("live"), &json!("PostToConnection")));
        assert_eq!((&event["status"], &event["messages"]), (&json!(status), &json!(messages)), "{event}");
        assert_eq!(event["trace"], trace.to_string());
    }
}
