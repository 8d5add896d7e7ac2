//! The bare Query: the Query of a function, sent by the SDK client that functions use, without a
//! function around it. The difference to a warm request is the cost of the Lambda runtime and of
//! the function's code.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, Region, SharedCredentialsProvider};
use serde_json::Value;
use shared::document;
use shared::dynamodb::Item;
use shared::runtime::{client, https};
use shared::values::DocumentFormat;
use tokio::runtime::Builder;

use super::tls::Endpoint;

/// Sends a recorded Query `times` times over one connection and returns the latencies. It blocks
/// the thread, because it runs a runtime of its own like that of a function.
pub(super) fn measure(endpoint: &Endpoint, request: &Value, times: u32) -> Result<Vec<Duration>> {
    let roots = fs::read(&endpoint.roots).with_context(|| format!("cannot read {}", endpoint.roots.display()))?;
    Builder::new_current_thread().enable_all().build()?.block_on(async {
        let http = https::client(&roots).map_err(|error| anyhow!("cannot create the HTTPS client: {error}"))?;
        let credentials = Credentials::new("local", "local", None, None, "local");
        let config = client::config(http)
            .into_builder()
            .region(Region::from_static("us-east-1"))
            .credentials_provider(SharedCredentialsProvider::new(credentials))
            .endpoint_url(&endpoint.url);
        let client = client::dynamodb(&config.build());
        // The first request opens the connection.
        send(&client, request).await?;
        let mut latencies = vec![];
        for _ in 0..times {
            let begin = Instant::now();
            send(&client, request).await?;
            latencies.push(begin.elapsed());
        }
        Ok(latencies)
    })
}

async fn send(client: &Client, request: &Value) -> Result<()> {
    let text = |name: &str| request[name].as_str().map(str::to_owned);
    let item = |name: &str| -> Result<Option<Item>> {
        let json = request.get(name).map(ToString::to_string);
        let item = json.map(|json| document::read(DocumentFormat::DynamoDb, &json)).transpose();
        item.map_err(|error| anyhow!("the recorded {name} is not an item: {error}"))
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
    query.send().await?;
    Ok(())
}
