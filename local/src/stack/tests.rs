use std::sync::Mutex;

use aws_sdk_s3::primitives::ByteStream;
use futures_util::FutureExt as _;
use serde_json::Value;

use super::*;
use crate::lambda::runtime::Invocation;
use crate::services::s3::KEY;
use crate::template::cloudformation::REGION;

const TEMPLATE: &str = r#"
Resources:
  LookFunction: {Type: "AWS::Serverless::Function", Properties: {CodeUri: look/}}
  Pictures:
    Type: AWS::S3::Bucket
    Properties:
      BucketName: pictures
      NotificationConfiguration:
        LambdaConfigurations:
          - Event: s3:ObjectCreated:*
            Filter: {S3Key: {Rules: [{Name: prefix, Value: incoming/}]}}
            Function: !Ref LookFunction.Alias
"#;

/// Starts S3 with a data directory. Returns it with the events that the function gets.
async fn start(data_dir: &Path) -> (S3, EventQueue, Arc<Mutex<Vec<Value>>>) {
    let template = Template::parse("t.yaml", TEMPLATE).unwrap();
    let calls = Arc::<Mutex<Vec<Value>>>::default();
    let received = calls.clone();
    let invoke = move |_: &str, _: &str, event: axum::body::Bytes| {
        received.lock().unwrap().push(serde_json::from_slice(&event).unwrap());
        async { Ok(Invocation { payload: "null".into(), function_error: false }) }.boxed()
    };
    let events = EventQueue::with_invoke(&template, Box::new(invoke), Arc::default());
    let listener = Listener::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
    let s3 = start_s3(listener, &template, &events, Some(data_dir)).await.unwrap();
    (s3, events, calls)
}

#[tokio::test]
async fn a_created_object_is_an_event_and_again_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let (s3, events, calls) = start(directory.path()).await;
    let config = aws_sdk_s3::Config::builder()
        .behavior_version(aws_sdk_s3::config::BehaviorVersion::latest())
        .endpoint_url(s3.endpoint())
        .region(aws_sdk_s3::config::Region::new(REGION))
        .credentials_provider(aws_sdk_s3::config::Credentials::new(KEY, KEY, None, None, "test"))
        .http_client(shared::runtime::https::client(b"").unwrap());
    let client = aws_sdk_s3::Client::from_conf(config.build());
    for key in ["incoming/ada/1:2", "photos/ada/1"] {
        let put = client.put_object().bucket("pictures").key(key).body(ByteStream::from_static(b"abc"));
        put.send().await.unwrap();
    }
    events.idle().await;
    s3.shutdown().await;
    let (s3, events, calls_of_restart) = start(directory.path()).await;
    events.idle().await;
    let keys = |calls: &Mutex<Vec<Value>>| {
        let key = |event: &Value| event["Records"][0]["s3"]["object"]["key"].as_str().unwrap().to_owned();
        calls.lock().unwrap().iter().map(key).collect::<Vec<_>>()
    };
    assert_eq!(keys(&calls), ["incoming/ada/1%3A2"]);
    assert_eq!(keys(&calls_of_restart), ["incoming/ada/1%3A2"]);
    let record = |calls: &Mutex<Vec<Value>>| calls.lock().unwrap()[0]["Records"][0]["s3"]["object"].clone();
    let (first, again) = (record(&calls), record(&calls_of_restart));
    assert_eq!((&first["eTag"], &first["size"]), (&again["eTag"], &again["size"]));
    assert!(first["sequencer"].as_str().unwrap() < again["sequencer"].as_str().unwrap());
    s3.shutdown().await;
}
