use std::sync::Mutex;

use aws_sdk_dynamodb::types::AttributeValue::S;
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
    let events = EventQueue::new(&template, Arc::new(invoke), Arc::default());
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

fn in_directory(data_dir: &Path, data: Data) -> Options {
    Options { data_dir: Some(data_dir.to_owned()), data, ..Options::default() }
}

/// Starts a stack that fails when its tables have items, and before its buckets have objects.
async fn interrupt(options: Options) {
    let positions = options.data_dir.as_deref().unwrap().join("streams.json");
    let before = fs::read(&positions).ok();
    fs::write(&positions, "no JSON").unwrap();
    assert!(Stack::start(options).await.is_err());
    match before {
        Some(before) => fs::write(positions, before).unwrap(),
        None => fs::remove_file(positions).unwrap(),
    }
}

/// Returns the number of objects, and the names of the users.
async fn content(stack: &Stack) -> (usize, Vec<String>) {
    let template = Template::read(&Template::find().unwrap()).unwrap();
    let bucket = &template.bucket(sample::PHOTOS_BUCKET).unwrap().name;
    let scan = client(stack.dynamodb()).scan().table_name(&stack.table).send().await.unwrap();
    let users = scan.items().iter().filter(|item| item.contains_key("followers"));
    let mut names: Vec<String> = users.map(|user| user["username"].as_s().unwrap().clone()).collect();
    names.sort();
    (stack.s3().objects(bucket).await.unwrap().len(), names)
}

#[tokio::test]
async fn a_first_start_that_was_interrupted_begins_anew() {
    let directory = tempfile::tempdir().unwrap();
    let options = |data| in_directory(directory.path(), data);
    let new = Stack::start(Options { data: Data::Seed, ..Options::default() }).await.unwrap();
    let expected = content(&new).await;
    new.shutdown().await;
    assert!(expected.0 > 0 && !expected.1.is_empty());
    interrupt(options(Data::Seed)).await;
    for data in [Data::Seed, Data::Sample] {
        let stack = Stack::start(options(data.clone())).await.unwrap();
        assert_eq!(content(&stack).await, expected, "{data:?}");
        stack.shutdown().await;
    }
    interrupt(options(Data::Seed)).await;
    let stack = Stack::start(options(Data::Sample)).await.unwrap();
    assert_eq!(content(&stack).await, expected, "this start was not the first one");
    stack.shutdown().await;
}

#[tokio::test]
async fn a_file_of_items_goes_as_a_whole_into_a_table_that_is_new() {
    let directory = tempfile::tempdir().unwrap();
    let (data_dir, file) = (directory.path().join("data"), directory.path().join("items.json"));
    let options = |data| in_directory(&data_dir, data);
    let put = |names: &[&str]| {
        let user =
            |name: &&str| serde_json::json!({"PK": name, "SK": name, "username": name, "followers": 0}).to_string();
        fs::write(&file, names.iter().map(user).collect::<Vec<_>>().join("\n")).unwrap();
    };
    let stack = Stack::start(options(Data::Empty)).await.unwrap();
    let entries = vec![Item::from([("pk".to_owned(), S("zoe".to_owned())), ("sk".to_owned(), S("zoe".to_owned()))])];
    stack.import(sample::FEED, entries).unwrap();
    stack.shutdown().await;
    put(&["zoe"]);
    interrupt(options(Data::Items(file.clone()))).await;
    for names in [["yan", "zoe"], ["ada", "ben"]] {
        put(&names);
        let stack = Stack::start(options(Data::Items(file.clone()))).await.unwrap();
        assert_eq!(content(&stack).await, (0, ["yan", "zoe"].map(str::to_owned).to_vec()));
        let others = client(stack.dynamodb()).scan().table_name("dev.Feed").send().await.unwrap();
        assert_eq!(others.count, 1, "it is older");
        stack.shutdown().await;
    }
}
