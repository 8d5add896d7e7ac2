//! One process of a function and the
//! [Lambda Runtime API](https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html) that feeds it.
//!
//! Each process has a listener of its own, because `AWS_LAMBDA_RUNTIME_API` has no room for a path. When the stack dies,
//! whatever kills it, the connection on which the process waits for its next event breaks, and the process ends.

use std::{
    io,
    net::Ipv4Addr,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, Path, State, rejection::BytesRejection},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::json;
use time::OffsetDateTime;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    process::{Child, Command},
    sync::{mpsc, oneshot},
    task::JoinHandle,
    time::timeout,
};

use crate::net;

/// The most that an event or an answer may have:
/// [6 MB](https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html#function-configuration-deployment-and-execution),
/// by which Lambda means this number of bytes.
pub const MAX_PAYLOAD: usize = 6_291_556;

/// Lambda gives a function
/// [ten seconds](https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html#runtimes-lifecycle-ib)
/// to ask for its first event.
const START_UP: Duration = Duration::from_secs(10);

/// What a function answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The answer, or the error that the function reports.
    pub payload: Bytes,
    /// Whether it is an error.
    pub function_error: bool,
}

/// Why a process did not answer.
#[derive(Debug)]
pub enum Failure {
    /// It ended before it took the event, which therefore may be given to another.
    NotTaken(ExitStatus),
    /// It ended while it had the event.
    Ended(ExitStatus),
    /// It had its time and is to be killed.
    TimedOut,
    /// It did not ask for an event in time and is to be killed.
    NeverReady,
}

/// An event on its way to the process.
struct Event {
    id: String,
    arn: Arc<str>,
    deadline: OffsetDateTime,
    payload: Bytes,
}

/// The event that the process has.
struct Pending {
    id: String,
    answer: oneshot::Sender<Invocation>,
}

struct Api {
    name: Arc<str>,
    polls: mpsc::Sender<oneshot::Sender<Event>>,
    pending: Arc<Mutex<Option<Pending>>>,
}

/// A running process. It is killed when dropped.
pub struct Process {
    child: Child,
    polls: mpsc::Receiver<oneshot::Sender<Event>>,
    /// A poll that has been seen and not been answered.
    poll: Option<oneshot::Sender<Event>>,
    pending: Arc<Mutex<Option<Pending>>>,
    server: JoinHandle<io::Result<()>>,
}

impl Process {
    /// Starts `command`, which lacks only the address of its Runtime API. `name` heads every line that it prints.
    pub fn start(name: &Arc<str>, mut command: Command) -> io::Result<Self> {
        let listener = net::bind(Ipv4Addr::LOCALHOST.into(), 0)?;
        let mut child = command
            .env("AWS_LAMBDA_RUNTIME_API", listener.local_addr()?.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C in a terminal is for the stack, which ends its functions in order.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        relay(name, child.stdout.take());
        relay(name, child.stderr.take());

        let (send, polls) = mpsc::channel(1);
        let pending = Arc::new(Mutex::new(None));
        let api = Arc::new(Api { name: name.clone(), polls: send, pending: pending.clone() });
        let router = Router::new()
            .route("/2018-06-01/runtime/invocation/next", get(next))
            .route("/2018-06-01/runtime/invocation/{id}/response", post(response))
            .route("/2018-06-01/runtime/invocation/{id}/error", post(error))
            .route("/2018-06-01/runtime/init/error", post(init_error))
            .layer(DefaultBodyLimit::max(MAX_PAYLOAD))
            .with_state(api);
        let server = tokio::spawn(axum::serve(listener, router).into_future());
        Ok(Self { child, polls, poll: None, pending, server })
    }

    /// Its process id, until its end has been noticed.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Returns when the process asks for an event, which ends its start-up.
    pub async fn ready(&mut self) -> Result<(), Failure> {
        tokio::select! {
            poll = timeout(START_UP, self.polls.recv()) => {
                self.poll = poll.ok().flatten();
                if self.poll.is_some() { Ok(()) } else { Err(Failure::NeverReady) }
            }
            status = self.child.wait() => Err(Failure::NotTaken(status.unwrap_or_default())),
        }
    }

    /// Whether the process has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Hands the event over as soon as the process asks for one, and waits for the answer. The function's time runs
    /// from the hand-over: a start-up is not on its account.
    pub async fn invoke(
        &mut self,
        id: &str,
        arn: &Arc<str>,
        payload: Bytes,
        time_limit: Duration,
    ) -> Result<Invocation, Failure> {
        let (answer, mut answered) = oneshot::channel();
        *self.pending.lock().unwrap_or_else(PoisonError::into_inner) = Some(Pending { id: id.to_owned(), answer });
        let hand_over = async {
            let mut event = Event { id: id.to_owned(), arn: arn.clone(), deadline: OffsetDateTime::now_utc(), payload };
            while let Some(poll) = next_poll(&mut self.poll, &mut self.polls).await {
                event.deadline = (SystemTime::now() + time_limit).into();
                match poll.send(event) {
                    Ok(()) => return true,
                    // The one who asked has hung up meanwhile.
                    Err(unsent) => event = unsent,
                }
            }
            false
        };
        tokio::select! {
            handed_over = timeout(START_UP, hand_over) => {
                if handed_over != Ok(true) {
                    return Err(Failure::NeverReady);
                }
            }
            status = self.child.wait() => return Err(Failure::NotTaken(status.unwrap_or_default())),
        }
        tokio::select! {
            biased; // an answer counts even when the process ended right after it
            Ok(answer) = &mut answered => Ok(answer),
            status = self.child.wait() => Err(Failure::Ended(status.unwrap_or_default())),
            () = tokio::time::sleep(time_limit) => Err(Failure::TimedOut),
        }
    }

    /// Kills the process and waits until it is gone.
    pub async fn kill(mut self) {
        let _ = self.child.kill().await;
    }
}

async fn next_poll(
    seen: &mut Option<oneshot::Sender<Event>>,
    polls: &mut mpsc::Receiver<oneshot::Sender<Event>>,
) -> Option<oneshot::Sender<Event>> {
    match seen.take() {
        Some(poll) => Some(poll),
        None => polls.recv().await,
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// Passes a stream on to stderr line by line.
fn relay(name: &Arc<str>, stream: Option<impl AsyncRead + Unpin + Send + 'static>) {
    let Some(stream) = stream else { return };
    let name = name.clone();
    tokio::spawn(async move {
        let mut reader = BufReader::new(stream);
        let mut line = Vec::new();
        while matches!(reader.read_until(b'\n', &mut line).await, Ok(1..)) {
            net::log(&name, String::from_utf8_lossy(&line).trim_end());
            line.clear();
        }
    });
}

async fn next(State(api): State<Arc<Api>>) -> Response {
    let (deliver, event) = oneshot::channel();
    let _ = api.polls.send(deliver).await;
    match event.await {
        Ok(event) => delivery(event),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn delivery(event: Event) -> Response {
    let deadline = event.deadline.unix_timestamp_nanos() / 1_000_000;
    let random = event.id.replace('-', "");
    let trace = format!(
        "Root=1-{:08x}-{};Parent={};Sampled=0",
        OffsetDateTime::now_utc().unix_timestamp(),
        &random[..24],
        &random[16..]
    );
    let headers = [
        ("content-type", "application/json".to_owned()),
        ("lambda-runtime-aws-request-id", event.id),
        ("lambda-runtime-deadline-ms", deadline.to_string()),
        ("lambda-runtime-invoked-function-arn", event.arn.to_string()),
        ("lambda-runtime-trace-id", trace),
    ];
    (headers, Body::from(event.payload)).into_response()
}

async fn response(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    settle(&api, &id, body, false)
}

async fn error(State(api): State<Arc<Api>>, Path(id): Path<String>, body: Result<Bytes, BytesRejection>) -> Response {
    settle(&api, &id, body, true)
}

/// Passes the process's answer on, if it is one to the event that it has.
fn settle(api: &Api, id: &str, body: Result<Bytes, BytesRejection>, function_error: bool) -> Response {
    let pending = api.pending.lock().unwrap_or_else(PoisonError::into_inner).take_if(|pending| pending.id == id);
    let Some(pending) = pending else {
        let problem = json!({"errorMessage": "Invalid request ID", "errorType": "InvalidRequestID"});
        return (StatusCode::BAD_REQUEST, Json(problem)).into_response();
    };
    let (status, answer) = match body {
        Ok(payload) => (
            StatusCode::ACCEPTED,
            Invocation {
                payload,
                function_error,
            },
        ),
        Err(rejection) => (
            rejection.status(),
            Invocation {
                payload: json!({
                    "errorMessage": format!("Response payload size exceeded maximum allowed payload size ({MAX_PAYLOAD} bytes)."),
                    "errorType": "Function.ResponseSizeTooLarge",
                })
                .to_string()
                .into(),
                function_error: true,
            },
        ),
    };
    let _ = pending.answer.send(answer);
    (status, Json(json!({"status": "OK"}))).into_response()
}

async fn init_error(State(api): State<Arc<Api>>, body: Bytes) -> Response {
    net::log(&api.name, &format!("could not start: {}", String::from_utf8_lossy(&body)));
    (StatusCode::ACCEPTED, Json(json!({"status": "OK"}))).into_response()
}
