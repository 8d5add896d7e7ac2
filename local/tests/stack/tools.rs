//! The tools that people bring: the AWS CLI, and the runtime interface emulator of `sam local
//! invoke`.

use std::io::Read;
use std::net::TcpListener;
use std::process::{Command, Output};

use local::lambda::build;
use local::lambda::runtime::{self, Endpoints};
use local::stack::Options;
use local::template::Template;
use reqwest::{Method, StatusCode};
use serde_json::Value;

use crate::{Api, start};

#[tokio::test]
async fn lambda_lists_the_functions_of_the_stack() {
    let api = Api::new().await;
    let template = Template::read(&Template::find().unwrap()).unwrap();
    for path in ["/2015-03-31/functions/", "/2015-03-31/functions?MaxItems=50"] {
        let list: Value = api.request(Method::GET, path).send().await.unwrap().json().await.unwrap();
        let functions = list["Functions"].as_array().unwrap();
        assert_eq!(functions.len(), template.functions.len());
        let function = functions.iter().find(|function| function["FunctionName"] == "get-user").unwrap();
        assert_eq!(function["FunctionArn"], "arn:aws:lambda:us-east-1:123456789012:function:get-user");
        assert_eq!(function["Environment"]["Variables"]["TABLE_NAME"], "quick-photos");
    }
    api.stack.shutdown().await;
}

#[tokio::test]
async fn another_operation_of_lambda_is_an_error_that_says_what_there_is() {
    let api = Api::new().await;
    for (method, path) in [
        (Method::GET, "/2015-03-31/functions/get-user"),
        (Method::POST, "/2015-03-31/functions"),
        (Method::GET, "/2015-03-31/functions/get-user/invocations"),
        (Method::GET, "/2018-10-31/layers"),
        (Method::PUT, "/2017-10-31/functions/get-user/concurrency"),
    ] {
        let response = api.request(method, path).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::NOT_IMPLEMENTED, "{path}");
        assert_eq!(response.headers()["x-amzn-errortype"], "UnsupportedOperationException", "{path}");
        let error: Value = response.json().await.unwrap();
        assert!(error["Message"].as_str().unwrap().contains("It has ListFunctions and Invoke."), "{error}");
    }
    api.stack.shutdown().await;
}

#[tokio::test]
async fn an_operation_that_dynamodb_lacks_is_an_error_that_says_what_to_do() {
    let api = Api::new().await;
    let call = async |operation: &str, body: &'static str| {
        let request =
            api.client.post(api.stack.dynamodb()).header("x-amz-target", format!("DynamoDB_20120810.{operation}"));
        let request = request.header("content-type", "application/x-amz-json-1.0").body(body);
        let request = request.header(
            "authorization",
            "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
        );
        let response = request.header("x-amz-date", "20260101T000000Z").send().await.unwrap();
        let checksum = response.headers()["x-amz-crc32"].to_str().unwrap().to_owned();
        let (status, body) = (response.status(), response.bytes().await.unwrap());
        assert_eq!(checksum, crc32fast::hash(&body).to_string(), "{operation}");
        (status, serde_json::from_slice::<Value>(&body).unwrap())
    };
    for (operation, advice) in [
        ("DescribeLimits", "the others are on AWS only."),
        ("DescribeContinuousBackups", "start the stack with --data-dir DIR, stop it, and copy DIR."),
        ("ExportTableToPointInTime", "start the stack with --data-dir DIR, stop it, and copy DIR."),
    ] {
        let (status, error) = call(operation, "{}").await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{operation}");
        assert_eq!(error["__type"], "com.amazon.coral.service#UnknownOperationException");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("The DynamoDB of the local stack has no {operation}. ")), "{message}");
        assert!(message.ends_with(advice), "{message}");
    }
    let (status, tables) = call("ListTables", "{}").await;
    assert_eq!((status, tables["TableNames"].as_array().unwrap().len()), (StatusCode::OK, 5), "{tables}");
    let (status, error) = call("DescribeTable", r#"{"TableName": "nowhere"}"#).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(error["__type"].as_str().unwrap().ends_with("#ResourceNotFoundException"), "{error}");
    api.stack.shutdown().await;
}

#[tokio::test]
async fn no_web_page_uses_dynamodb() {
    let api = Api::new().await;
    let request = |method: Method| api.client.request(method, api.stack.dynamodb());
    let list = || request(Method::POST).header("x-amz-target", "DynamoDB_20120810.ListTables").body("{}");

    // A browser asks first whether a page of this origin may send such a request.
    let preflight = request(Method::OPTIONS).header("origin", "http://evil.example");
    let preflight = preflight.header("access-control-request-method", "POST").send().await.unwrap();
    assert!(!preflight.status().is_success());
    for answer in [preflight, list().header("origin", "http://evil.example").send().await.unwrap()] {
        assert!(!answer.headers().contains_key("access-control-allow-origin"), "{answer:?}");
    }
    // A name that has come to mean this machine.
    let rebound = list().header("host", "evil.example:8000").send().await.unwrap();
    assert_eq!(rebound.status(), StatusCode::FORBIDDEN);
    let error: Value = rebound.json().await.unwrap();
    assert_eq!(error["__type"], "com.amazon.coral.service#AccessDeniedException");
    assert_eq!(error["message"], "call the stack by an address or as localhost, not by another name");
    api.stack.shutdown().await;
}

/// Runs a function of each kind with the Runtime API at this address.
fn run_functions(runtime_api: &str, check: impl Fn(&str, &Output)) {
    let template = Template::read(&Template::find().unwrap()).unwrap();
    let directory = build::directory().unwrap();
    let [dynamodb, s3, api] = [(); 3].map(|()| "http://127.0.0.1:1".to_owned());
    let endpoints = Endpoints { dynamodb, s3, api };
    for name in ["get-user", "process-changes", "process-photo", "refuse-used-name"] {
        let function = template.functions.iter().find(|function| function.name == name).unwrap();
        let output = Command::new(directory.join(name))
            .envs(runtime::environment(function, &directory, &endpoints))
            .env("AWS_LAMBDA_RUNTIME_API", runtime_api)
            .output()
            .unwrap();
        check(name, &output);
    }
}

#[tokio::test]
async fn a_function_ends_cleanly_when_the_runtime_api_ends() {
    start(Options::default()).await.unwrap().shutdown().await;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    // It closes each connection when it has read the beginning of a request for the next event.
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let _ = connection.read(&mut [0; 4096]);
        }
    });
    run_functions(&address, |name, output| {
        assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
        assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{name}: {output:?}");
    });
}

#[tokio::test]
async fn a_function_without_a_runtime_api_fails() {
    start(Options::default()).await.unwrap().shutdown().await;
    run_functions("127.0.0.1:1", |name, output| {
        assert_eq!(output.status.code(), Some(1), "{name}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("ConnectionRefused"), "{name}: {output:?}");
    });
}
