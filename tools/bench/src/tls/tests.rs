//! How a function's client holds to its server: whom it trusts, and what it does when the server falls silent.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, Region, SharedCredentialsProvider};
use shared::error::chain;
use shared::runtime::{client, https};
use tokio::sync::Notify;
use tokio::time::timeout;

use super::*;
use local::services::dynamodb::Engine;

fn engine() -> Engine {
    Engine::start(net::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap(), None).unwrap()
}

/// What a function has.
fn client(url: &str, roots: &[u8]) -> Client {
    let credentials = Credentials::new("local", "local", None, None, "local");
    let config = client::config(https::client(roots).unwrap())
        .into_builder()
        .region(Region::from_static("us-east-1"))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .endpoint_url(url);
    client::dynamodb(&config.build())
}

#[tokio::test]
async fn a_server_whose_root_is_trusted_is_talked_to() {
    let engine = engine();
    let proxy = Proxy::start(engine.endpoint()).unwrap();
    let client = client(proxy.url(), &fs::read(proxy.root()).unwrap());
    assert_eq!(client.list_tables().send().await.unwrap().table_names, Some(vec![]));
}

/// When AWS goes over to other roots than those, this is what happens, and the log has the reason.
#[tokio::test]
async fn any_other_server_is_refused_and_the_error_says_why() {
    let engine = engine();
    let proxy = Proxy::start(engine.endpoint()).unwrap();
    let refused = client(proxy.url(), AMAZON_ROOTS).list_tables().send().await.unwrap_err();
    assert!(chain(&refused).contains("UnknownIssuer"), "{}", chain(&refused));
}

#[test]
fn roots_that_are_no_certificates_are_refused() {
    assert!(https::client(b"-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n").is_err());
}

/// As it is when the sandbox was frozen, and what kept track of its connections has forgotten them meanwhile.
#[tokio::test]
async fn a_connection_that_fell_silent_is_replaced() {
    let engine = engine();
    let upstream = engine.endpoint().trim_start_matches("http://").to_owned();
    let listener = net::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
    let url = net::url(&listener).unwrap();
    let silence = Arc::new(Notify::new());
    let falls_silent = Arc::clone(&silence);
    let server = tokio::spawn(async move {
        let (mut first, _) = listener.accept().await.unwrap();
        let mut to_engine = TcpStream::connect(&upstream).await.unwrap();
        tokio::select! {
            _ = copy_bidirectional(&mut first, &mut to_engine) => {}
            () = falls_silent.notified() => {}
        }
        // `first` stays open, and nobody reads it.
        let (mut second, _) = listener.accept().await.unwrap();
        let mut to_engine = TcpStream::connect(&upstream).await.unwrap();
        let _ = copy_bidirectional(&mut second, &mut to_engine).await;
        drop(first);
    });

    let client = client(&url, b"");
    client.list_tables().send().await.unwrap();
    silence.notify_one();
    let answer = timeout(Duration::from_secs(10), client.list_tables().send()).await;
    answer.expect("an answer before the sandbox has to end").unwrap();
    server.abort();
}
