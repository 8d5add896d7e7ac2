//! The real binaries of functions: each is a child process that serves one event.
//!
//! A child finds what the local stack gives it: environment variables and a Runtime API. The
//! endpoint of its AWS services is a server of the explorer, which holds each HTTP request in the
//! [`Network`].

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::ConnectorError;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use futures_util::StreamExt as _;
use futures_util::stream::{self, FuturesUnordered};
use http::{HeaderMap, Method, Response, StatusCode, Uri, header};
use lambda_http::Error;
use local::lambda::process::Process;
use local::lambda::runtime::{Endpoints, environment};
use local::listener;
use local::template::Function;
use local::trace::Trace;
use serde_json::Value;
use tokio::process::Command;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use crate::head::Head;
use crate::network::{Network, ProcessId};

/// The time without a request after which a child has sent all that it sends at once. The two reads
/// of unclip-favorite arrive 0.3 ms apart, measured in 5 runs. With a shorter time, the explorer
/// could take a step between them on a busy machine. With a longer one, a request that is held for
/// many steps could reach the timeout of its attempt, 1 s.
const SETTLE_TIME: Duration = Duration::from_millis(20);

/// An HTTP request of a child.
struct Received {
    head: Head,
    body: Bytes,
    reply: oneshot::Sender<Response<Body>>,
}

/// Runs the binary of a function in a child process, and returns its answer to `event`. Its
/// requests are held in `network` under this id. `is_busy` is set while the child can still send
/// requests, although others of its requests are held. Dropping the future kills the child.
pub(crate) async fn run(
    function: Function,
    binaries: PathBuf,
    event: Value,
    network: Network,
    id: ProcessId,
    is_busy: Rc<Cell<bool>>,
) -> Result<Value, Error> {
    let listener = listener::bind(Ipv4Addr::LOCALHOST.into(), 0)?;
    let url = listener::url(&listener)?;
    let (send, mut received) = mpsc::unbounded_channel();
    let mut server = pin!(axum::serve(listener, Router::new().fallback(receive).with_state(send)).into_future());

    let endpoints =
        Endpoints { dynamodb: url.clone(), ses: url.clone(), s3: url.clone(), sqs: url.clone(), lambda: url };
    let mut command = Command::new(binaries.join(&function.name));
    command.env_clear().envs(environment(&function, &binaries, &endpoints));
    let name: Arc<str> = function.name.into();
    let mut child = Process::start(&name, command)?;
    let invocation = Uuid::now_v7().to_string();
    let trace = Trace::start();
    let mut answered = pin!(child.invoke(&invocation, &name, &trace, event.to_string().into(), function.timeout));

    let mut new: Vec<Received> = vec![];
    let mut held = FuturesUnordered::new();
    let mut calls = BTreeSet::new();
    let mut settles_at = Instant::now();
    loop {
        tokio::select! {
            answer = &mut answered => {
                let answer = answer.map_err(|error| format!("{name} does not answer: {error:?}"))?;
                let payload = serde_json::from_slice(&answer.payload)?;
                return if answer.function_error { Err(format!("{name} fails: {payload}").into()) } else { Ok(payload) };
            }
            result = &mut server => result?,
            Some(request) = received.recv() => {
                if !calls.insert(request.head.call.clone()) {
                    return Err(format!("{name} repeats a request that is held, because its attempt timed out").into());
                }
                new.push(request);
                is_busy.set(true);
                settles_at = Instant::now() + SETTLE_TIME;
            }
            Some(call) = held.next() => {
                calls.remove(&call);
                is_busy.set(true);
                settles_at = Instant::now() + SETTLE_TIME;
            }
            () = sleep_until(settles_at), if is_busy.get() => {
                is_busy.set(false);
                for Received { head, body, reply } in new.drain(..) {
                    let chosen = network.hold(id, &head, &body);
                    held.push(async move {
                        // A function that has ended the call no longer waits for the response.
                        let _ = reply.send(response(chosen.await));
                        head.call
                    });
                }
            }
        }
    }
}

/// Passes a request on, and waits for its response.
async fn receive(
    State(send): State<mpsc::UnboundedSender<Received>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let (reply, replied) = oneshot::channel();
    let head = Head::new(method.as_str(), &uri.to_string(), |name| headers.get(name)?.to_str().ok());
    let _ = send.send(Received { head, body, reply });
    replied.await.unwrap_or_else(|_| broken())
}

/// Returns the response that the explorer has chosen.
fn response(chosen: Result<Result<HttpResponse, ConnectorError>, oneshot::error::RecvError>) -> Response<Body> {
    let Ok(Ok(chosen)) = chosen else { return broken() };
    let body = chosen.body().bytes().unwrap_or_default().to_vec();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(chosen.status().as_u16()).expect("a status");
    for (name, value) in chosen.headers() {
        let name = header::HeaderName::from_bytes(name.as_bytes()).expect("a name");
        response.headers_mut().insert(name, header::HeaderValue::from_str(value).expect("a value"));
    }
    response
}

/// Returns a response whose body never arrives, because the server closes the connection.
fn broken() -> Response<Body> {
    let error = io::Error::from(io::ErrorKind::ConnectionReset);
    Response::new(Body::from_stream(stream::iter([Err::<Bytes, _>(error)])))
}
