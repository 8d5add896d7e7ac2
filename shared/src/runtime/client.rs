//! The clients of AWS services that a function makes once, before its first event.

use std::time::Duration;

use aws_config::environment::{EnvironmentVariableCredentialsProvider, EnvironmentVariableRegionProvider};
use aws_config::meta::region::ProvideRegion;
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, SdkConfig};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::{ClassifyRetry, RetryAction};
use aws_sdk_dynamodb::config::{SharedCredentialsProvider, SharedHttpClient};
use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_smithy_runtime_api::client::interceptors::context::InterceptorContext;

use super::https;
use crate::Table;

/// Returns the table that the environment variable `TABLE_NAME` names, with a client of DynamoDB.
pub(super) async fn table() -> Result<Table, lambda_http::Error> {
    let name = std::env::var("TABLE_NAME").map_err(|_| "TABLE_NAME is not set")?;
    Ok(Table { client: dynamodb(&environment("DYNAMODB").await?), name })
}

/// A client of DynamoDB.
#[must_use]
pub fn dynamodb(config: &SdkConfig) -> Client {
    let config = aws_sdk_dynamodb::config::Builder::from(config).retry_classifier(RetryConflicts).build();
    Client::from_conf(config)
}

/// What the clients of a function begin with: the timeouts and retries that it needs. Region, credentials and endpoint are
/// yet to be set.
///
/// A connection that died while the sandbox was frozen is noticed within a second and replaced, where the SDK's
/// defaults would hang for over 30 s.
#[must_use]
pub fn config(http: SharedHttpClient) -> SdkConfig {
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(1))
        .operation_attempt_timeout(Duration::from_secs(1))
        .build();
    let retries = RetryConfig::standard().with_max_attempts(5).with_initial_backoff(Duration::from_millis(25));
    SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(http)
        .timeout_config(timeouts)
        .retry_config(retries)
        .build()
}

/// [`config`] with region and credentials from where Lambda
/// [puts them](https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime),
/// and the [endpoint of this service](https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html) if there is
/// one.
///
/// The SDK's own way, `aws_config::load_defaults`, looks in eight more places: files, containers, the instance's metadata,
/// STS. A function has none of them, but would link them all.
pub async fn environment(service: &str) -> Result<SdkConfig, lambda_http::Error> {
    let mut config = config(https::from_environment()?)
        .into_builder()
        .region(EnvironmentVariableRegionProvider::new().region().await)
        .credentials_provider(SharedCredentialsProvider::new(EnvironmentVariableCredentialsProvider::new()));
    config.set_endpoint_url(std::env::var(format!("AWS_ENDPOINT_URL_{service}")).ok());
    Ok(config.build())
}

/// A write of one item that meets a running transaction on it gets a
/// [`TransactionConflictException`](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling),
/// which passes, and which the SDK does not count among the errors that do. For a transaction that meets another one,
/// see [`crate::dynamodb::transaction`].
#[derive(Debug)]
struct RetryConflicts;

impl ClassifyRetry for RetryConflicts {
    fn classify_retry(&self, context: &InterceptorContext) -> RetryAction {
        let Some(Err(error)) = context.output_or_error() else {
            return RetryAction::NoActionIndicated;
        };
        let conflict = error.as_operation_error().is_some_and(|error| {
            let is_conflict = |code: Option<&str>| code == Some("TransactionConflictException");
            is_conflict(error.downcast_ref::<PutItemError>().and_then(ProvideErrorMetadata::code))
                || is_conflict(error.downcast_ref::<UpdateItemError>().and_then(ProvideErrorMetadata::code))
                || is_conflict(error.downcast_ref::<DeleteItemError>().and_then(ProvideErrorMetadata::code))
        });
        if conflict { RetryAction::throttling_error() } else { RetryAction::NoActionIndicated }
    }

    fn name(&self) -> &'static str {
        "a write that meets a transaction"
    }
}
