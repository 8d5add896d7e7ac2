//! Start-up of a function: one client, made before the first event, and the loop that serves events.
//!
//! A cold start pays for all that stands here, so it is kept short. What was measured stands beside what it decided;
//! `cargo run --release --bin measure` measures it again.

use std::convert::Infallible;
use std::future::{Future, ready};
use std::pin::Pin;
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
use lambda_http::{IntoResponse, Request, RequestExt, service_fn};
use tracing::level_filters::LevelFilter;

use crate::error::chain;
use crate::{Error, Response, answer, https};

/// The table that a function works on.
#[derive(Debug, Clone)]
pub struct Table {
    /// The one client of this process.
    pub client: Client,
    /// The table's name, from the environment variable `TABLE_NAME`.
    pub name: String,
}

impl Table {
    /// The table that the environment names.
    pub async fn from_environment() -> Result<Self, lambda_http::Error> {
        let name = std::env::var("TABLE_NAME").map_err(|_| "TABLE_NAME is not set")?;
        Ok(Self { client: client(&environment("DYNAMODB").await?), name })
    }
}

/// A client of DynamoDB.
#[must_use]
pub fn client(config: &SdkConfig) -> Client {
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
/// see [`crate::transaction`].
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

/// Serves events with `handler` for as long as Lambda sends them, one at a time. So each `main` has a runtime of one thread:
/// with several, get-user's cold start takes 1.07 times as long and 1.11 times the CPU.
pub async fn run<F, A>(handler: F) -> Result<(), lambda_http::Error>
where
    F: Fn(Table, Request) -> A,
    A: Future<Output = Result<Response, Error>> + Send,
{
    log_json();
    let table = Table::from_environment().await?;
    lambda_http::run(service_fn(|request: Request| {
        let response = respond(&handler, table.clone(), request);
        async { response.await.map(Whole) }
    }))
    .await
}

/// A response whose body is there, as text. `lambda_http` would take it for a stream, collect it, and look at its media type
/// for one of 40 character encodings to decode it from, whose tables every function would link.
struct Whole(Response);

impl IntoResponse for Whole {
    fn into_response(self) -> Pin<Box<dyn Future<Output = Response> + Send>> {
        Box::pin(ready(self.0))
    }
}

/// One event: the handler's answer, or the problem that stands for its error. The error's causes go to the log, once,
/// here.
pub fn respond<F, A>(
    handler: F,
    table: Table,
    request: Request,
) -> impl Future<Output = Result<Response, Infallible>> + Send
where
    F: Fn(Table, Request) -> A,
    A: Future<Output = Result<Response, Error>> + Send,
{
    let request_id = request.lambda_context_ref().map(|context| context.request_id.clone()).unwrap_or_default();
    let answer = handler(table, request);
    async move {
        Ok(answer.await.unwrap_or_else(|error| {
            match &error {
                Error::Busy(cause) => tracing::warn!(request_id, cause = chain(cause.as_ref()), "busy"),
                Error::Internal(cause) => {
                    tracing::error!(request_id, cause = chain(cause.as_ref()), "failed");
                }
                _ => {}
            }
            answer::problem(error)
        }))
    }
}

/// JSON lines on standard output, from the level on that the function's
/// [logging configuration](https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html) says.
/// Lambda takes a line for INFO, whatever it says, unless it has `level` and `timestamp` at the top.
pub(crate) fn log_json() {
    let level =
        std::env::var("AWS_LAMBDA_LOG_LEVEL").ok().and_then(|level| level.parse().ok()).unwrap_or(LevelFilter::INFO);
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_max_level(level)
        .init();
}
