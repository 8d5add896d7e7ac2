//! The HTTPS client of the functions: the servers that it trusts, and its behaviour on a connection
//! that stops answering.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, Region, SharedCredentialsProvider, SharedHttpClient};
use local::services::dynamodb::Engine;
use shared::error::chain;
use shared::runtime::{client, https};
use tokio::sync::Notify;
use tokio::time::timeout;

use super::*;

fn engine() -> Engine {
    Engine::start(listener::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap(), None).unwrap()
}

/// Returns a client with the settings of a function's client.
fn client(url: &str, https: SharedHttpClient) -> Client {
    let credentials = Credentials::new("local", "local", None, None, "local");
    let config = client::config(https)
        .into_builder()
        .region(Region::from_static("us-east-1"))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .endpoint_url(url);
    client::dynamodb(&config.build())
}

/// Returns an HTTPS client that trusts the root of the proxy.
fn trusting(proxy: &Proxy) -> SharedHttpClient {
    https::client(&fs::read(&proxy.endpoint().roots).unwrap()).unwrap()
}

#[tokio::test]
async fn accepts_a_server_with_a_trusted_root() {
    let engine = engine();
    let proxy = Proxy::start(engine.endpoint()).unwrap();
    let client = client(&proxy.endpoint().url, trusting(&proxy));
    assert_eq!(client.list_tables().send().await.unwrap().table_names, Some(vec![]));
}

/// If AWS ever moves to roots that the functions do not have, requests fail in this way and the log
/// states the reason.
#[tokio::test]
async fn rejects_a_server_with_an_unknown_root_and_states_the_reason() {
    let engine = engine();
    let proxy = Proxy::start(engine.endpoint()).unwrap();
    let error =
        client(&proxy.endpoint().url, https::from_environment().unwrap()).list_tables().send().await.unwrap_err();
    assert!(chain(&error).contains("UnknownIssuer"), "{}", chain(&error));
}

#[test]
fn rejects_roots_that_are_not_certificates() {
    assert!(https::client(b"-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n").is_err());
}

/// On AWS this happens when the sandbox was frozen for so long that the network has dropped the
/// state of its connections.
#[tokio::test]
async fn replaces_a_connection_that_stops_answering() {
    let engine = engine();
    let upstream = engine.endpoint().trim_start_matches("http://").to_owned();
    let listener = listener::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
    let url = listener::url(&listener).unwrap();
    let silence = Arc::new(Notify::new());
    let silenced = Arc::clone(&silence);
    let server = tokio::spawn(async move {
        let (mut first, _) = listener.accept().await.unwrap();
        let mut to_engine = TcpStream::connect(&upstream).await.unwrap();
        tokio::select! {
            _ = copy_bidirectional(&mut first, &mut to_engine) => {}
            () = silenced.notified() => {}
        }
        // `first` stays open, but nothing reads from it any more.
        let (mut second, _) = listener.accept().await.unwrap();
        let mut to_engine = TcpStream::connect(&upstream).await.unwrap();
        let _ = copy_bidirectional(&mut second, &mut to_engine).await;
        drop(first);
    });

    let client = client(&url, https::client(b"").unwrap());
    client.list_tables().send().await.unwrap();
    silence.notify_one();
    let answer = timeout(Duration::from_secs(10), client.list_tables().send()).await;
    answer.expect("the client answers within 10 s").unwrap();
    server.abort();
}
