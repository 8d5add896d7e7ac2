use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use aws_config::Region;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, SharedCredentialsProvider};
use aws_sdk_dynamodb::types::AttributeValue;

use super::*;
use crate::runtime::client::{config, dynamodb};

const BODY: &str = r#"{"Item":{"pk":{"S":"ada"}}}"#;

/// Returns an answer of DynamoDB with this checksum, and with this number of bytes of the body.
fn answer(crc32: u32, sent: usize) -> String {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.0\r\nx-amz-crc32: {crc32}\r\n");
    format!("{head}content-length: {}\r\nconnection: close\r\n\r\n{}", BODY.len(), &BODY[..sent])
}

/// Returns a client of a server that gives these answers, one on each connection.
fn client_of(answers: Vec<String>) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for answer in answers {
            let (mut connection, _) = listener.accept().unwrap();
            let _ = connection.read(&mut [0; 4096]).unwrap();
            connection.write_all(answer.as_bytes()).unwrap();
        }
    });
    let config = config(client(b"").unwrap())
        .into_builder()
        .region(Region::from_static("eu-west-1"))
        .credentials_provider(SharedCredentialsProvider::new(Credentials::new("test", "test", None, None, "test")))
        .endpoint_url(url);
    dynamodb(&config.build())
}

#[tokio::test]
async fn retries_after_an_incomplete_body_and_after_a_wrong_checksum() {
    let crc32 = crc32fast::hash(BODY.as_bytes());
    let good = answer(crc32, BODY.len());
    for bad in [answer(crc32, 0), answer(crc32, BODY.len() - 1), answer(crc32 ^ 1, BODY.len())] {
        let client = client_of(vec![bad.clone(), good.clone()]);
        let output = client.get_item().table_name("t").key("pk", AttributeValue::S("ada".into())).send().await.unwrap();
        assert_eq!(output.item.unwrap()["pk"], AttributeValue::S("ada".into()), "{bad}");

        let client = client_of(vec![bad.clone(); 5]);
        let failed = client.get_item().table_name("t").key("pk", AttributeValue::S("ada".into())).send().await;
        let error = crate::Error::from(failed.unwrap_err());
        assert!(matches!(error, crate::Error::Busy(_)), "{bad}: {error:?}");
    }
}
