//! The clients of AWS services, which a function makes once, before its first event.

use std::time::Duration;

use aws_config::environment::{EnvironmentVariableCredentialsProvider, EnvironmentVariableRegionProvider};
use aws_config::meta::region::ProvideRegion;
use aws_config::retry::RetryConfig;
use aws_config::stalled_stream_protection::StalledStreamProtectionConfig;
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
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use serde::de::IgnoredAny;

#[cfg(feature = "s3")]
use super::bucket::Bucket;
use super::https;
use super::usage::MeasureUsage;
use crate::Table;

/// The timeout of a connection and of an attempt. DynamoDB answers within milliseconds.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(1);
/// The maximum number of attempts of a request. With the pauses between them, they take at most 5.4
/// s, which is less than the shortest timeout of a function of the API, 10 s.
const MAX_ATTEMPTS: u32 = 5;
/// The bound of the random pause before the first retry. It doubles with each retry.
const INITIAL_BACKOFF: Duration = Duration::from_millis(25);

/// Returns the table that the environment variable `TABLE_NAME` names, with a DynamoDB client whose
/// requests are measured.
pub(super) async fn table() -> Result<Table, lambda_http::Error> {
    let name = std::env::var("TABLE_NAME").map_err(|_| "the environment variable TABLE_NAME is not set")?;
    let config = builder(&environment("DYNAMODB").await?).interceptor(MeasureUsage).build();
    Ok(Table { client: Client::from_conf(config), name })
}

/// The timeout of an attempt of a request to S3, without the body of its answer. S3 takes longer
/// than DynamoDB, because an object is larger than an item.
#[cfg(feature = "s3")]
const S3_ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns the bucket that the environment variable `PHOTO_BUCKET` names, with an S3 client.
#[cfg(feature = "s3")]
pub async fn bucket() -> Result<Bucket, lambda_http::Error> {
    let name = std::env::var("PHOTO_BUCKET").map_err(|_| "the environment variable PHOTO_BUCKET is not set")?;
    Ok(Bucket { client: s3(&environment("S3").await?), name })
}

/// Returns an S3 client.
#[cfg(feature = "s3")]
#[must_use]
pub fn s3(config: &SdkConfig) -> aws_sdk_s3::Client {
    let timeouts =
        TimeoutConfig::builder().connect_timeout(ATTEMPT_TIMEOUT).operation_attempt_timeout(S3_ATTEMPT_TIMEOUT).build();
    aws_sdk_s3::Client::from_conf(aws_sdk_s3::config::Builder::from(config).timeout_config(timeouts).build())
}

/// Returns a DynamoDB client that retries all transient errors, also those that the SDK does not
/// know.
#[must_use]
pub fn dynamodb(config: &SdkConfig) -> Client {
    Client::from_conf(builder(config).build())
}

fn builder(config: &SdkConfig) -> aws_sdk_dynamodb::config::Builder {
    aws_sdk_dynamodb::config::Builder::from(config).retry_classifier(RetryTransientErrors)
}

/// Returns the timeouts and retries for the clients of a function, without region, credentials and
/// endpoint.
///
/// A connection that was lost while Lambda had frozen the process is detected within a second and
/// replaced. With the defaults of the SDK, the request would hang for over 30 s.
#[must_use]
pub fn config(http: SharedHttpClient) -> SdkConfig {
    let timeouts =
        TimeoutConfig::builder().connect_timeout(ATTEMPT_TIMEOUT).operation_attempt_timeout(ATTEMPT_TIMEOUT).build();
    let retries = RetryConfig::standard().with_max_attempts(MAX_ATTEMPTS).with_initial_backoff(INITIAL_BACKOFF);
    SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(http)
        .timeout_config(timeouts)
        .retry_config(retries)
        // The connector reads whole bodies within the timeout of the attempt.
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
        .build()
}

/// Returns [`config`] with the region and the credentials from the [environment
/// variables](https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime)
/// that Lambda sets, and with the endpoint of `service` from
/// [`AWS_ENDPOINT_URL_<service>`](https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html),
/// if it is set.
///
/// The default of the SDK, `aws_config::load_defaults`, searches eight more sources, such as files,
/// containers, instance metadata and STS. A function has none of them, but would link them all.
pub async fn environment(service: &str) -> Result<SdkConfig, lambda_http::Error> {
    let mut config = config(https::from_environment()?)
        .into_builder()
        .region(EnvironmentVariableRegionProvider::new().region().await)
        .credentials_provider(SharedCredentialsProvider::new(EnvironmentVariableCredentialsProvider::new()));
    config.set_endpoint_url(std::env::var(format!("AWS_ENDPOINT_URL_{service}")).ok());
    Ok(config.build())
}

/// Returns whether the body of an answer is JSON, as all answers of DynamoDB are.
fn is_json(response: &HttpResponse) -> bool {
    response.body().bytes().is_some_and(|body| serde_json::from_slice::<IgnoredAny>(body).is_ok())
}

/// Makes the SDK retry two transient errors that it does not treat as transient:
///
/// - an answer that the SDK cannot parse, with a success status or another one;
/// - a
///   [`TransactionConflictException`](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling),
///   with which a write of one item fails while a transaction writes the same item. Conflicts
///   between transactions are retried in [`crate::dynamodb::transaction`].
#[derive(Debug)]
struct RetryTransientErrors;

impl ClassifyRetry for RetryTransientErrors {
    fn classify_retry(&self, context: &InterceptorContext) -> RetryAction {
        let Some(Err(error)) = context.output_or_error() else {
            return RetryAction::NoActionIndicated;
        };
        if context.response().is_some_and(|response| response.status().is_success() || !is_json(response)) {
            return RetryAction::transient_error();
        }
        let is_conflict = error.as_operation_error().is_some_and(|error| {
            let matches = |code: Option<&str>| code == Some("TransactionConflictException");
            matches(error.downcast_ref::<PutItemError>().and_then(ProvideErrorMetadata::code))
                || matches(error.downcast_ref::<UpdateItemError>().and_then(ProvideErrorMetadata::code))
                || matches(error.downcast_ref::<DeleteItemError>().and_then(ProvideErrorMetadata::code))
        });
        if is_conflict { RetryAction::throttling_error() } else { RetryAction::NoActionIndicated }
    }

    fn name(&self) -> &'static str {
        "transient errors of DynamoDB"
    }
}
