//! The bare SDK call: the Query of a function, asked by the same client without the function around it.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, Region, SharedCredentialsProvider};
use serde_json::Value;
use shared::document;
use shared::dynamodb::Item;
use shared::values::DocumentFormat;

/// Where it is asked.
#[derive(Clone)]
pub(crate) struct Endpoint {
    pub(crate) url: String,
    pub(crate) root: PathBuf,
}

/// Asks a Query so many times over one connection, on a runtime like that of a function. It takes a thread of its own.
pub(crate) fn query(endpoint: &Endpoint, request: &Value, times: u32) -> Result<Vec<Duration>, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| error.to_string())?.block_on(async {
        let roots = fs::read(&endpoint.root).map_err(|error| error.to_string())?;
        let http = shared::runtime::https::client(&roots).map_err(|error| error.to_string())?;
        let credentials = Credentials::new("local", "local", None, None, "local");
        let config = shared::runtime::client::config(http)
            .into_builder()
            .region(Region::from_static("us-east-1"))
            .credentials_provider(SharedCredentialsProvider::new(credentials))
            .endpoint_url(&endpoint.url);
        let client = shared::runtime::client::dynamodb(&config.build());
        let mut took = vec![];
        for time in 0..=times {
            let begin = Instant::now();
            ask(&client, request).await?;
            // The first one pays for the connection.
            if time > 0 {
                took.push(begin.elapsed());
            }
        }
        Ok(took)
    })
}

async fn ask(client: &Client, request: &Value) -> Result<(), String> {
    let text = |name: &str| request[name].as_str().map(str::to_owned);
    let item = |name: &str| -> Result<Option<Item>, String> {
        let value = request.get(name).map(ToString::to_string);
        let read = value.map(|text| document::read(DocumentFormat::DynamoDb, &text));
        read.transpose().map_err(|fault| format!("{name}: {fault}"))
    };
    let query = client
        .query()
        .set_table_name(text("TableName"))
        .set_index_name(text("IndexName"))
        .set_key_condition_expression(text("KeyConditionExpression"))
        .set_expression_attribute_values(item("ExpressionAttributeValues")?)
        .set_exclusive_start_key(item("ExclusiveStartKey")?)
        .set_scan_index_forward(request["ScanIndexForward"].as_bool())
        .set_limit(request["Limit"].as_i64().and_then(|limit| limit.try_into().ok()));
    query.send().await.map(|_| ()).map_err(|error| shared::error::chain(&error))
}
