//! The processes of functions: each runs the `main` of a function, or its [binary], for one event.
//!
//! A `main` runs on the thread of the explorer, which polls it. This module stands in for what a
//! process finds in Lambda: environment variables, an event, and clients of AWS services. See
//! build.rs for how the sources of the functions come to use it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::env::VarError;
use std::path::Path;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, SystemTime};

use aws_config::timeout::TimeoutConfig;
use aws_config::{Region, SdkConfig};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryPartition;
use aws_sdk_dynamodb::config::{Credentials, SharedCredentialsProvider, SharedHttpClient};
use lambda_runtime::LambdaEvent;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use shared::http::cursor::Sealer;
use shared::pictures::{FormSigner, Signer};
use shared::runtime::queue::{self, Message};
use shared::runtime::stream::{Batch, BatchResponse, Failure, Record};
use shared::runtime::upload::{self, Upload};
use shared::runtime::{client, function, stream};
use shared::{Bucket, Error, Request, Response, Table};

use crate::binary;
use crate::network::{Network, ProcessId};

/// The future of a `main` or of a binary.
type Main = Pin<Box<dyn Future<Output = Result<(), lambda_http::Error>>>>;

/// The sources of the functions, each a module, and `start`, which calls the `main` of one.
#[allow(clippy::all, clippy::pedantic, unreachable_pub, reason = "the functions are linted where they are")]
mod functions {
    use futures_util::FutureExt as _;

    use super::Main;

    include!(concat!(env!("OUT_DIR"), "/functions.rs"));
}

/// The answer of a process to its event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// The answer of a function behind a route.
    Http { status: u16, body: Value },
    /// The answer of a stream function, and whether it reports its record as failed. Or the answer
    /// to the event of an upload, and whether it is an error.
    Record { failed: bool },
}

impl Answer {
    /// Reads the answer from what a function gives to Lambda.
    fn read(payload: &Value, is_record: bool) -> Result<Self, lambda_http::Error> {
        // The answer to an asynchronous invocation. An error has no payload that is read.
        if payload.is_null() {
            return Ok(Self::Record { failed: false });
        }
        if is_record {
            let failures = payload["batchItemFailures"].as_array().ok_or("a stream function lists failed records")?;
            return Ok(Self::Record { failed: !failures.is_empty() });
        }
        let status = payload["statusCode"].as_u64().ok_or("an answer has a status")?;
        let body = payload["body"].as_str().filter(|body| !body.is_empty());
        Ok(Self::Http { status: u16::try_from(status)?, body: body.map_or(Ok(Value::Null), serde_json::from_str)? })
    }
}

/// The stand-in for Lambda that a process finds.
struct Lambda {
    environment: BTreeMap<String, String>,
    timeout: Duration,
    http: SharedHttpClient,
    /// The event that the process has not taken yet.
    event: RefCell<Option<Value>>,
    answer: RefCell<Option<Answer>>,
}

impl Lambda {
    /// Returns the event of the process, which gets one.
    fn take_event(&self) -> Value {
        self.event.take().expect("a process takes its event once")
    }

    /// Reads an event. Its context says that the function has its whole timeout left.
    fn event<T: DeserializeOwned>(&self, event: Value) -> Result<LambdaEvent<T>, lambda_runtime::Error> {
        let mut context = lambda_runtime::Context::default();
        let deadline = SystemTime::now() + self.timeout;
        context.deadline = u64::try_from(deadline.duration_since(SystemTime::UNIX_EPOCH)?.as_millis())?;
        Ok(LambdaEvent::new(serde_json::from_value(event)?, context))
    }

    fn end_batch(&self, response: &BatchResponse) {
        let failed = !response.batch_item_failures.is_empty();
        self.answer.replace(Some(Answer::Record { failed }));
    }
}

thread_local! {
    /// The stand-in of the process that is being polled.
    static CURRENT: RefCell<Option<Rc<Lambda>>> = const { RefCell::new(None) };
}

/// A running process.
pub(crate) struct Process {
    lambda: Rc<Lambda>,
    main: Main,
    woken: Arc<Woken>,
    is_busy: Rc<Cell<bool>>,
}

/// The flag of a process that can go on.
struct Woken {
    flag: AtomicBool,
    explorer: Waker,
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.flag.store(true, Ordering::Relaxed);
        self.explorer.wake_by_ref();
    }
}

impl Process {
    /// Starts the process of a function that gets `event`. It holds its requests in `network` under
    /// this id. It runs the binary in the directory `binaries` if there is one, and otherwise the
    /// `main`.
    pub(crate) fn start(
        function: &local::template::Function,
        event: Value,
        network: &Network,
        id: ProcessId,
        explorer: Waker,
        binaries: Option<&Path>,
    ) -> Self {
        let lambda = Rc::new(Lambda {
            environment: function.environment.clone(),
            timeout: function.timeout,
            http: network.client(id),
            event: RefCell::new(Some(event)),
            answer: RefCell::default(),
        });
        let is_busy = Rc::new(Cell::new(false));
        let main: Main = match binaries {
            None => functions::start(&function.name),
            Some(binaries) => {
                let is_record = function.reads_records();
                let event = lambda.event.take().unwrap_or_default();
                let event = if is_record { batch(&event) } else { event };
                let lambda = Rc::clone(&lambda);
                let answer =
                    binary::run(function.clone(), binaries.to_owned(), event, network.clone(), id, Rc::clone(&is_busy));
                Box::pin(async move {
                    lambda.answer.replace(Some(Answer::read(&answer.await?, is_record)?));
                    Ok(())
                })
            }
        };
        // All processes are one task of the runtime, which would make them wait for each other's
        // turn.
        let main = Box::pin(tokio::task::unconstrained(main));
        Self { lambda, main, woken: Arc::new(Woken { flag: AtomicBool::new(true), explorer }), is_busy }
    }

    /// Starts a process that runs `action` and is none of a function. It has the environment of a
    /// function that uses all services.
    pub(crate) fn start_outside(
        action: impl Future<Output = Result<(), Error>> + 'static,
        function: &local::template::Function,
        network: &Network,
        id: ProcessId,
        explorer: Waker,
    ) -> Self {
        let lambda = Rc::new(Lambda {
            environment: function.environment.clone(),
            timeout: function.timeout,
            http: network.client(id),
            event: RefCell::default(),
            answer: RefCell::default(),
        });
        let answer = Rc::clone(&lambda);
        let main: Main = Box::pin(async move {
            let status = if action.await.is_ok() { 204 } else { 503 };
            answer.answer.replace(Some(Answer::Http { status, body: Value::Null }));
            Ok(())
        });
        let main = Box::pin(tokio::task::unconstrained(main));
        let woken = Arc::new(Woken { flag: AtomicBool::new(true), explorer });
        Self { lambda, main, woken, is_busy: Rc::default() }
    }

    /// Lets the process run until it waits. Returns its answer once it has one.
    pub(crate) fn poll(&mut self) -> Option<Answer> {
        while self.woken.flag.swap(false, Ordering::Relaxed) {
            CURRENT.set(Some(Rc::clone(&self.lambda)));
            let polled = self.main.as_mut().poll(&mut Context::from_waker(&Waker::from(Arc::clone(&self.woken))));
            CURRENT.set(None);
            if let Poll::Ready(result) = polled {
                result.unwrap_or_else(|error| panic!("a process fails: {error}"));
                return self.lambda.answer.take();
            }
        }
        None
    }

    /// Returns whether the process can go on.
    pub(crate) fn is_woken(&self) -> bool {
        self.woken.flag.load(Ordering::Relaxed)
    }

    /// Returns whether the process can still send requests, although others of its requests are
    /// held. A `main` has sent them all once it waits.
    pub(crate) fn is_busy(&self) -> bool {
        self.is_busy.get()
    }
}

/// Returns the event of a stream function that gets one record.
fn batch(record: &Value) -> Value {
    json!({"Records": [record]})
}

fn current() -> Rc<Lambda> {
    CURRENT.with_borrow(|current| current.clone().expect("a process is being polled"))
}

/// Stands in for [`std::env::var`].
pub(crate) fn variable(name: &str) -> Result<String, VarError> {
    current().environment.get(name).cloned().ok_or(VarError::NotPresent)
}

/// Stands in for [`client::environment`].
///
/// No attempt has a timeout, because the explorer chooses how attempts end. The clock stands still
/// while requests are held, and runs ahead while a process only waits for time to pass.
#[expect(clippy::unused_async, reason = "the functions await it")]
pub(crate) async fn aws_config(service: &str) -> Result<SdkConfig, lambda_http::Error> {
    let config = client::config(current().http.clone())
        .into_builder()
        .timeout_config(TimeoutConfig::disabled())
        .region(Region::from_static("eu-west-1"))
        .credentials_provider(SharedCredentialsProvider::new(Credentials::new("test", "test", None, None, "test")))
        .endpoint_url(format!("http://{service}.localhost"));
    Ok(config.build())
}

/// Stands in for [`client::bucket`].
pub(crate) async fn bucket() -> Result<Bucket, lambda_http::Error> {
    let config = aws_sdk_s3::config::Builder::from(&aws_config("s3").await?);
    let config = config.retry_partition(aws_sdk_s3::config::retry::RetryPartition::custom("process").build());
    Ok(Bucket { client: aws_sdk_s3::Client::from_conf(config.build()), name: variable("PHOTO_BUCKET")? })
}

/// Stands in for [`Signer::from_environment`].
pub(crate) fn signer() -> Result<Signer, lambda_http::Error> {
    Ok(Signer::new(&variable("PICTURES_URL")?, &variable("PICTURES_KEY")?))
}

/// Stands in for [`FormSigner::from_environment`].
pub(crate) fn form_signer() -> Result<FormSigner, lambda_http::Error> {
    let credentials = Credentials::new("test", "test", None, None, "test");
    Ok(FormSigner::new(&variable("PHOTO_BUCKET")?, &variable("PHOTO_BUCKET_URL")?, "eu-west-1", credentials))
}

/// Returns the table of the current process.
pub(crate) async fn table() -> Result<Table, lambda_http::Error> {
    let config = client::dynamodb(&aws_config("dynamodb").await?).config().to_builder();
    // A retry budget of its own: otherwise the retries of one schedule would use up those of the
    // next one.
    let client = Client::from_conf(config.retry_partition(RetryPartition::custom("process").build()).build());
    Ok(Table { client, name: variable("TABLE_NAME")? })
}

/// Stands in for [`shared::run`].
pub(crate) async fn run<F, A, T>(handler: F) -> Result<(), lambda_http::Error>
where
    F: Fn(Table, Request) -> A,
    A: Future<Output = Result<Response<T>, Error>> + Send,
{
    let lambda = current();
    let request = lambda_http::request::from_str(&lambda.take_event().to_string())?;
    let Ok(response) = function::respond(&handler, table().await?, request).await;
    let body = response.body();
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(body)? };
    lambda.answer.replace(Some(Answer::Http { status: response.status().as_u16(), body }));
    Ok(())
}

/// Stands in for [`shared::run_with_query`]. The clients of the explorer send no other parameters.
pub(crate) async fn run_with_query<F, A, T>(parameters: &[&str], handler: F) -> Result<(), lambda_http::Error>
where
    F: Fn(Table, Request) -> A,
    A: Future<Output = Result<Response<T>, Error>> + Send,
{
    let sealer = parameters.contains(&"cursor").then(|| variable("CURSORS_KEY")).transpose()?;
    run(|table, mut request: Request| {
        if let Some(secret) = &sealer {
            request.extensions_mut().insert(Sealer::new(secret));
        }
        handler(table, request)
    })
    .await
}

/// Stands in for [`stream::run`].
pub(crate) async fn run_stream<F, A>(handler: F) -> Result<(), lambda_runtime::Error>
where
    F: Fn(Table, Record) -> A,
    A: Future<Output = Result<(), Error>>,
{
    let lambda = current();
    let event = lambda.event(batch(&lambda.take_event()))?;
    lambda.end_batch(&stream::respond(&handler, &table().await?, event).await);
    Ok(())
}

/// Stands in for [`stream::run_batches`].
pub(crate) async fn run_batches(
    handler: impl AsyncFn(&Table, Batch) -> Vec<Failure>,
) -> Result<(), lambda_runtime::Error> {
    let lambda = current();
    let event = lambda.event(batch(&lambda.take_event()))?;
    lambda.end_batch(&stream::respond_to_batch(&handler, &table().await?, event).await);
    Ok(())
}

/// Stands in for [`queue::run`].
pub(crate) async fn run_queue<M, F, A>(handler: F) -> Result<(), lambda_runtime::Error>
where
    M: DeserializeOwned,
    F: Fn(Table, Message<M>) -> A,
    A: Future<Output = Result<(), Error>>,
{
    let lambda = current();
    let event = lambda.event(batch(&lambda.take_event()))?;
    lambda.end_batch(&queue::respond(&handler, &table().await?, event).await);
    Ok(())
}

/// Stands in for [`upload::run`].
pub(crate) async fn run_upload<F, A>(handler: F) -> Result<(), lambda_runtime::Error>
where
    F: Fn(Table, Upload) -> A,
    A: Future<Output = Result<(), Error>>,
{
    let lambda = current();
    let event = lambda.event(lambda.take_event())?;
    let failed = upload::respond(&handler, &table().await?, event).await.is_err();
    lambda.answer.replace(Some(Answer::Record { failed }));
    Ok(())
}
