use std::net::Ipv4Addr;
use std::time::Duration;

use reqwest::{Client, RequestBuilder};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use tokio::time::timeout;

use super::*;
use crate::listener;

/// The time in which an event has to come.
const EVENT_TIMEOUT: Duration = Duration::from_secs(30);

/// The push service, with an application server and a subscription to it.
struct Fixture {
    service: Arc<Push>,
    keys: EcdsaKeyPair,
    key: String,
    endpoint: String,
}

impl Fixture {
    async fn start() -> Self {
        let listener = listener::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
        let api = listener::url(&listener).unwrap();
        let service = Arc::new(Push::new(&api));
        tokio::spawn(axum::serve(listener, router(service.clone())).into_future());
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let keys = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap();
        let key = URL_SAFE_NO_PAD.encode(keys.public_key());
        let request = Client::new().post(format!("{api}{PUSH_PATH}")).json(&json!({"applicationServerKey": key}));
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 201);
        let endpoint = answer.json::<Value>().await.unwrap()["endpoint"].as_str().unwrap().to_owned();
        Self { service, keys, key, endpoint }
    }

    /// Returns a header with a token for this endpoint, with other claims than usual.
    fn authorization(&self, claims: &Value) -> String {
        let exp = OffsetDateTime::now_utc().unix_timestamp() + 3600;
        let mut all = json!({"aud": self.service.origin, "exp": exp, "sub": "mailto:hello@example.com"});
        all.as_object_mut().unwrap().extend(claims.as_object().unwrap().clone());
        let head = json!({"alg": "ES256", "typ": "JWT"});
        let message = [head, all].map(|part| URL_SAFE_NO_PAD.encode(part.to_string())).join(".");
        let signature = self.keys.sign(&SystemRandom::new(), message.as_bytes()).unwrap();
        format!("vapid t={message}.{}, k={}", URL_SAFE_NO_PAD.encode(signature), self.key)
    }

    fn request(&self, authorization: &str, body: &str) -> RequestBuilder {
        let headers = [("TTL", "60"), ("Content-Encoding", "aes128gcm"), ("Authorization", authorization)];
        let request = Client::new().post(&self.endpoint).body(body.to_owned());
        headers.into_iter().fold(request, |request, (name, value)| request.header(name, value))
    }

    /// Sends a message and returns the status.
    async fn send(&self, body: &str, topic: &str) -> u16 {
        let request =
            self.request(&self.authorization(&json!({})), body).header("Urgency", "high").header("Topic", topic);
        request.send().await.unwrap().status().as_u16()
    }

    /// Opens the events, and returns a function of the next message.
    async fn listen(&self) -> impl AsyncFnMut() -> Option<String> {
        let mut events = Client::new().get(&self.endpoint).send().await.unwrap();
        assert_eq!(events.headers()["content-type"], "text/event-stream");
        async move || {
            let event = timeout(EVENT_TIMEOUT, events.chunk()).await.expect("no event").unwrap()?;
            let event = String::from_utf8(event.into()).unwrap();
            let data = event.strip_prefix("data: ").and_then(|data| data.strip_suffix("\n\n")).unwrap();
            Some(String::from_utf8(URL_SAFE_NO_PAD.decode(data).unwrap()).unwrap())
        }
    }
}

#[tokio::test]
async fn a_window_gets_each_message_once_and_the_last_of_a_topic() {
    let fixture = Fixture::start().await;
    for (body, topic) in [("one", "a"), ("two", "b"), ("three", "a")] {
        assert_eq!(fixture.send(body, topic).await, 201);
    }
    let mut next = fixture.listen().await;
    assert_eq!((next().await.unwrap(), next().await.unwrap()), ("two".to_owned(), "three".to_owned()));
    assert_eq!(fixture.send("four", "a").await, 201);
    assert_eq!(next().await.unwrap(), "four");
    let messages = fixture.service.messages(&fixture.endpoint).unwrap();
    assert_eq!(messages.len(), 4);
    let (urgency, topic) = (Some("high".to_owned()), Some("a".to_owned()));
    assert_eq!(messages[0], Message { body: "one".into(), ttl: 60, urgency, topic });

    let end = async || Client::new().delete(&fixture.endpoint).send().await.unwrap().status();
    assert_eq!((end().await.as_u16(), end().await.as_u16()), (204, 410));
    assert_eq!(next().await, None);
    assert_eq!(fixture.send("five", "a").await, 410);
    assert_eq!(fixture.service.messages(&fixture.endpoint), None);
}

#[tokio::test]
async fn refuses_what_a_push_service_refuses() {
    let fixture = Fixture::start().await;
    let status = async |request: RequestBuilder| request.send().await.unwrap().status().as_u16();
    let now = OffsetDateTime::now_utc().unix_timestamp();
    for claims in [
        json!({"aud": "https://push.example"}),
        json!({"exp": now - 1}),
        json!({"exp": now + 25 * 3600}),
        json!({"exp": null}),
        json!({"sub": "hello@example.com"}),
    ] {
        assert_eq!(status(fixture.request(&fixture.authorization(&claims), "x")).await, 403, "{claims}");
    }
    let valid = fixture.authorization(&json!({}));
    let other = Fixture::start().await.authorization(&json!({"aud": fixture.service.origin}));
    let (token, _) = valid.split_once(", ").unwrap();
    for bad in [&*other, token, &*format!("{token}A, k={}", fixture.key), "Bearer x"] {
        assert_eq!(status(fixture.request(bad, "x")).await, 403, "{bad}");
    }
    let without = Client::new().post(&fixture.endpoint).header("TTL", "60").body("x");
    assert_eq!(status(without).await, 401);
    let plain = Client::new().post(&fixture.endpoint).header("Authorization", &valid);
    assert_eq!(status(plain.try_clone().unwrap().header("TTL", "60").body("x")).await, 400);
    assert_eq!(status(plain.header("Content-Encoding", "aes128gcm").body("x")).await, 400);
    for (header, value) in [("Topic", "comment#ada"), ("Topic", &*"a".repeat(33)), ("Urgency", "highest")] {
        assert_eq!(status(fixture.request(&valid, "x").header(header, value)).await, 400, "{header}: {value}");
    }
    for (bytes, expected) in [(MAX_MESSAGE_BYTES, 201), (MAX_MESSAGE_BYTES + 1, 413)] {
        assert_eq!(status(fixture.request(&valid, &"x".repeat(bytes))).await, expected);
    }
    assert_eq!(status(Client::new().post(format!("{}0", fixture.endpoint)).body("x")).await, 404);
    assert_eq!(fixture.service.messages(&fixture.endpoint).unwrap().len(), 1);
    assert_eq!(fixture.service.subscribe("BAAA").unwrap_err().0, 400);
}

#[tokio::test]
async fn the_end_of_the_stack_ends_the_events() {
    let fixture = Fixture::start().await;
    let mut next = fixture.listen().await;
    fixture.service.close();
    assert_eq!(next().await, None);
    assert_eq!(fixture.send("one", "a").await, 404);
}
