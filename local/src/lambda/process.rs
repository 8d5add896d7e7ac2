//! A process of a function, and its
//! [Lambda Runtime API](https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html).
//!
//! Each process has a Runtime API on a port of its own, because `AWS_LAMBDA_RUNTIME_API` cannot
//! contain a path. When the stack is killed, the connection on which the process waits for its next
//! event breaks, and the process ends.

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

use crate::lambda::console;
use crate::listener;
use crate::trace::Trace;

/// The maximum size of an event and of an answer: [6
/// MB](https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html#function-configuration-deployment-and-execution),
/// by which Lambda means this number of bytes.
pub const MAX_PAYLOAD_BYTES: usize = 6_291_556;

/// The time in which a new process has to request its first event. Lambda has [the same
/// timeout](https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html#runtimes-lifecycle-ib).
const INIT_TIMEOUT: Duration = Duration::from_secs(10);

/// A completed invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The answer of the function, or the error that it reports.
    pub payload: Bytes,
    /// Whether the payload is an error.
    pub function_error: bool,
}

/// The error of a process that did not answer an event.
#[derive(Debug)]
pub enum ProcessError {
    /// The process ended before it took the event, so another process may get the event.
    NotTaken(ExitStatus),
    /// The process ended while it handled the event.
    Ended(ExitStatus),
    /// The timeout of the function has passed. The caller has to kill the process.
    TimedOut,
    /// The process did not request an event in time. The caller has to kill it.
    NeverReady,
}

/// An event that the process has not taken yet.
struct NextEvent {
    id: String,
    arn: Arc<str>,
    trace: String,
    deadline: OffsetDateTime,
    payload: Bytes,
}

/// An answer for which the stack waits.
struct PendingAnswer {
    /// The id of the event.
    id: String,
    answer: oneshot::Sender<Invocation>,
}

/// The state of the Runtime API.
struct Api {
    name: Arc<str>,
    polls: mpsc::Sender<oneshot::Sender<NextEvent>>,
    pending: Arc<Mutex<Option<PendingAnswer>>>,
}

/// A running process of a function. It is killed when it is dropped.
pub struct Process {
    child: Child,
    /// The process's requests for its next event.
    polls: mpsc::Receiver<oneshot::Sender<NextEvent>>,
    /// A received request that has no answer yet.
    poll: Option<oneshot::Sender<NextEvent>>,
    pending: Arc<Mutex<Option<PendingAnswer>>>,
    server: JoinHandle<io::Result<()>>,
}

impl Process {
    /// Starts `command` with the address of its Runtime API. The lines that the process
    /// writes are [printed](console).
    pub fn start(name: &Arc<str>, mut command: Command) -> io::Result<Self> {
        let listener = listener::bind(Ipv4Addr::LOCALHOST.into(), 0)?;
        let mut child = command
            .env("AWS_LAMBDA_RUNTIME_API", listener.local_addr()?.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C in a terminal must reach the stack only, which then ends its functions in
            // order.
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
            .layer(DefaultBodyLimit::max(MAX_PAYLOAD_BYTES))
            .with_state(api);
        let server = tokio::spawn(axum::serve(listener, router).into_future());
        Ok(Self { child, polls, poll: None, pending, server })
    }

    /// Returns the process id, or `None` after the end of the process was noticed.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until the process requests its first event, which ends its initialization.
    pub async fn ready(&mut self) -> Result<(), ProcessError> {
        tokio::select! {
            poll = timeout(INIT_TIMEOUT, self.polls.recv()) => {
                self.poll = poll.ok().flatten();
                if self.poll.is_some() { Ok(()) } else { Err(ProcessError::NeverReady) }
            }
            status = self.child.wait() => Err(ProcessError::NotTaken(status.unwrap_or_default())),
        }
    }

    /// Returns whether the process has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Passes an event to the process as soon as the process requests one, and waits for the
    /// answer. The process sends the trace id with its requests to AWS services. The timeout of the
    /// function starts when the event is passed, so it does not include the initialization.
    pub async fn invoke(
        &mut self,
        id: &str,
        arn: &Arc<str>,
        trace: &Trace,
        payload: Bytes,
        function_timeout: Duration,
    ) -> Result<Invocation, ProcessError> {
        let (answer, mut answered) = oneshot::channel();
        *self.pending.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(PendingAnswer { id: id.to_owned(), answer });
        let hand_over = async {
            let mut event = NextEvent {
                id: id.to_owned(),
                arn: arn.clone(),
                trace: trace.invocation_header(),
                deadline: OffsetDateTime::now_utc(),
                payload,
            };
            while let Some(poll) = next_poll(&mut self.poll, &mut self.polls).await {
                event.deadline = (SystemTime::now() + function_timeout).into();
                match poll.send(event) {
                    Ok(()) => return true,
                    // The connection of this request is closed.
                    Err(unsent) => event = unsent,
                }
            }
            false
        };
        tokio::select! {
            handed_over = timeout(INIT_TIMEOUT, hand_over) => {
                if handed_over != Ok(true) {
                    return Err(ProcessError::NeverReady);
                }
            }
            status = self.child.wait() => return Err(ProcessError::NotTaken(status.unwrap_or_default())),
        }
        tokio::select! {
            biased; // an answer counts even if the process has ended since
            Ok(answer) = &mut answered => Ok(answer),
            status = self.child.wait() => Err(ProcessError::Ended(status.unwrap_or_default())),
            () = tokio::time::sleep(function_timeout) => Err(ProcessError::TimedOut),
        }
    }

    /// Waits until the process has ended by itself.
    pub async fn ended(&mut self) {
        let _ = self.child.wait().await;
    }

    /// Kills the process and waits for its end.
    pub async fn kill(mut self) {
        let _ = self.child.kill().await;
    }
}

/// Returns the next request for an event: the one that is already received, or else the next one to
/// come.
async fn next_poll(
    received: &mut Option<oneshot::Sender<NextEvent>>,
    polls: &mut mpsc::Receiver<oneshot::Sender<NextEvent>>,
) -> Option<oneshot::Sender<NextEvent>> {
    match received.take() {
        Some(poll) => Some(poll),
        None => polls.recv().await,
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// Prints an output stream line by line.
fn relay(name: &Arc<str>, stream: Option<impl AsyncRead + Unpin + Send + 'static>) {
    let Some(stream) = stream else { return };
    let name = name.clone();
    tokio::spawn(async move {
        let mut reader = BufReader::new(stream);
        let mut line = Vec::new();
        while matches!(reader.read_until(b'\n', &mut line).await, Ok(1..)) {
            console::print(&name, String::from_utf8_lossy(&line).trim_end());
            line.clear();
        }
    });
}

/// Answers the process's request for its next event when there is one.
async fn next(State(api): State<Arc<Api>>) -> Response {
    let (deliver, event) = oneshot::channel();
    let _ = api.polls.send(deliver).await;
    match event.await {
        Ok(event) => delivery(event),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Returns the event with the headers of the Runtime API.
fn delivery(event: NextEvent) -> Response {
    let deadline = event.deadline.unix_timestamp_nanos() / 1_000_000;
    let headers = [
        ("content-type", "application/json".to_owned()),
        ("lambda-runtime-aws-request-id", event.id),
        ("lambda-runtime-deadline-ms", deadline.to_string()),
        ("lambda-runtime-invoked-function-arn", event.arn.to_string()),
        ("lambda-runtime-trace-id", event.trace),
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

/// Completes the invocation if the answer is for the pending event.
fn settle(api: &Api, id: &str, body: Result<Bytes, BytesRejection>, function_error: bool) -> Response {
    let pending = api.pending.lock().unwrap_or_else(PoisonError::into_inner).take_if(|pending| pending.id == id);
    let Some(pending) = pending else {
        let problem = json!({"errorMessage": "Invalid request ID", "errorType": "InvalidRequestID"});
        return (StatusCode::BAD_REQUEST, Json(problem)).into_response();
    };
    let (status, answer) = match body {
        Ok(payload) => (StatusCode::ACCEPTED, Invocation { payload, function_error }),
        Err(rejection) => {
            let message =
                format!("Response payload size exceeded maximum allowed payload size ({MAX_PAYLOAD_BYTES} bytes).");
            let error = json!({"errorMessage": message, "errorType": "Function.ResponseSizeTooLarge"});
            (rejection.status(), Invocation { payload: error.to_string().into(), function_error: true })
        }
    };
    let _ = pending.answer.send(answer);
    (status, Json(json!({"status": "OK"}))).into_response()
}

async fn init_error(State(api): State<Arc<Api>>, body: Bytes) -> Response {
    terminal::log(&api.name, &format!("could not start: {}", String::from_utf8_lossy(&body)));
    (StatusCode::ACCEPTED, Json(json!({"status": "OK"}))).into_response()
}
