//! The clients of AWS services, which a function makes once, before its first event.

use std::time::Duration;

use aws_config::environment::EnvironmentVariableCredentialsProvider;
use aws_config::retry::RetryConfig;
use aws_config::stalled_stream_protection::StalledStreamProtectionConfig;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::{ClassifyRetry, RetryAction, RetryPartition};
use aws_sdk_dynamodb::config::{SharedCredentialsProvider, SharedHttpClient};
use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_smithy_runtime_api::client::interceptors::context::InterceptorContext;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use serde::de::IgnoredAny;

use super::https;

/// The timeout of a connection and of an attempt. DynamoDB answers within milliseconds.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(1);
/// The maximum number of attempts of a request. With the pauses between them, they take at most 5.4
/// s, which is less than the shortest timeout of a function of the API, 10 s.
const MAX_ATTEMPTS: u32 = 5;
/// The bound of the random pause before the first retry. It doubles with each retry.
const INITIAL_BACKOFF: Duration = Duration::from_millis(25);

/// The timeout of an attempt of a request to S3, without the body of its answer. S3 takes longer
/// than DynamoDB, because an object is larger than an item.
#[cfg(feature = "s3")]
const S3_ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns an S3 client.
#[cfg(feature = "s3")]
#[must_use]
pub fn s3(config: &SdkConfig) -> aws_sdk_s3::Client {
    let timeouts =
        TimeoutConfig::builder().connect_timeout(ATTEMPT_TIMEOUT).operation_attempt_timeout(S3_ATTEMPT_TIMEOUT).build();
    let partition = aws_sdk_s3::config::retry::RetryPartition::custom("S3").build();
    let config = aws_sdk_s3::config::Builder::from(config).timeout_config(timeouts).retry_partition(partition);
    aws_sdk_s3::Client::from_conf(config.build())
}

/// Returns a DynamoDB client that retries all transient errors, also those that the SDK does not
/// know.
#[must_use]
pub fn dynamodb(config: &SdkConfig) -> Client {
    Client::from_conf(builder(config).build())
}

pub(super) fn builder(config: &SdkConfig) -> aws_sdk_dynamodb::config::Builder {
    // Each client has a retry quota of its own, as it has in a process of Lambda.
    let partition = RetryPartition::custom("DynamoDB").build();
    aws_sdk_dynamodb::config::Builder::from(config).retry_classifier(RetryTransientErrors).retry_partition(partition)
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
pub(super) fn environment(service: &str) -> Result<SdkConfig, lambda_http::Error> {
    let mut config = config(https::from_environment()?)
        .into_builder()
        .region(std::env::var("AWS_REGION").ok().map(Region::new))
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
