//! The stack without `quick-photos`, in which somebody creates it.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType, StreamSpecification,
    StreamViewType,
};
use local::stack::{self, Data, Options};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{Api, start};

/// The tables that the stack creates.
const OTHERS: [&str; 4] = ["dev.Favorite", "dev.Feed", "dev.Music", "dev.People"];

/// Creates `quick-photos` with its primary key, its stream and no index.
async fn create_table(client: &Client) {
    let attribute = |name| {
        let attribute = AttributeDefinition::builder().attribute_name(name).attribute_type(ScalarAttributeType::S);
        attribute.build().unwrap()
    };
    let key = |name, kind| KeySchemaElement::builder().attribute_name(name).key_type(kind).build().unwrap();
    let stream = StreamSpecification::builder().stream_enabled(true).stream_view_type(StreamViewType::NewAndOldImages);
    let create = client.create_table().table_name("quick-photos").billing_mode(BillingMode::PayPerRequest);
    let create = create.attribute_definitions(attribute("PK")).attribute_definitions(attribute("SK"));
    let create = create.key_schema(key("PK", KeyType::Hash)).key_schema(key("SK", KeyType::Range));
    create.stream_specification(stream.build().unwrap()).send().await.unwrap();
}

async fn tables(client: &Client) -> Vec<String> {
    client.list_tables().send().await.unwrap().table_names.unwrap_or_default()
}

#[tokio::test]
async fn an_empty_stack_serves_the_table_that_somebody_creates_with_its_stream() {
    let directory = tempfile::tempdir().unwrap();
    let options = || Options { data: Data::Empty, data_dir: Some(directory.path().to_owned()), ..Options::default() };
    let stack = start(options()).await.unwrap();
    let client = stack::client(stack.dynamodb());
    assert_eq!(tables(&client).await, OTHERS);
    let token = stack.token("dora").unwrap();
    let api = Api { stack, client: reqwest::Client::new(), token };
    let users: Value = api.request(Method::GET, "/local/users").send().await.unwrap().json().await.unwrap();
    assert_eq!(users, json!({"users": []}));
    assert_eq!(api.get("/users/dora").await.status(), StatusCode::INTERNAL_SERVER_ERROR);

    for _ in 0..2 {
        create_table(&client).await;
        let dora = json!({"username": "dora", "name": "Dora Okafor", "email": "dora@example.com"});
        let created = api.authorized(Method::POST, "/users").json(&dora).send().await.unwrap();
        assert_eq!(created.status(), StatusCode::CREATED);
        timeout(Duration::from_mins(1), api.stack.idle()).await.unwrap();
        client.delete_table().table_name("quick-photos").send().await.unwrap();
    }
    // Both tables have lost the Welcome of dora with everything else.
    let emails = api.stack.outbox().contents()["emails"].as_array().unwrap().len();
    assert_eq!(emails, 2, "the stream of each table has started process-changes");

    create_table(&client).await;
    api.stack.shutdown().await;
    let stack = start(options()).await.unwrap();
    assert_eq!(tables(&stack::client(stack.dynamodb())).await, [&OTHERS[..], &["quick-photos"]].concat());
    stack.shutdown().await;
}
