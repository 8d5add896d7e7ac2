//! The loop of a function that a schedule of EventBridge starts.
//!
//! Lambda invokes the function
//! [asynchronously](https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html),
//! and repeats an event that failed as its template says.

use lambda_runtime::{Diagnostic, LambdaEvent, service_fn};
use serde::Deserialize;
use tokio::time::timeout_at;

use super::handler::Handler;
use super::log::{Line, Outcome, log_json};
use super::process::{Process, StartError};
use super::{deadline, end, usage};
use crate::Error;
use crate::values::Time;

/// A [scheduled
/// event](https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-run-lambda-schedule.html), with
/// the fields that functions read.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Scheduled {
    /// The time for which the event was scheduled. Repetitions of an event have the same one.
    pub time: Time,
}

/// Serves events for as long as Lambda sends them.
pub async fn run<H: Handler<Event = Scheduled>>() -> Result<(), StartError> {
    log_json();
    let handler = H::start(&Process::from_environment()?)?;
    // Boxed, because the compiler limits how deeply futures are nested.
    let ended = lambda_runtime::run(service_fn(async |event: LambdaEvent<Scheduled>| {
        let line = Line::begin(&event.context);
        let (answer, usage) = usage::measure(respond(async |event| Box::pin(handler.handle(event)).await, event)).await;
        line.write(&Outcome::Schedule { failed: answer.is_err() }, usage);
        answer
    }));
    end::outcome(ended.await)
}

/// Handles one event. Fails if `handle` fails, so that Lambda repeats the event. This is the only
/// place that logs the causes.
pub async fn respond(
    handle: impl AsyncFn(Scheduled) -> Result<(), Error>,
    LambdaEvent { payload, context }: LambdaEvent<Scheduled>,
) -> Result<(), Diagnostic> {
    let late = |_| Err(Error::Busy("the handler did not finish before its deadline".into()));
    let outcome = timeout_at(deadline::work_ends(&context), handle(payload)).await.unwrap_or_else(late);
    outcome.map_err(|error| {
        tracing::error!(requestId = context.request_id.as_str(), cause = error.causes(), "failed");
        Diagnostic { error_type: "Failed".to_owned(), error_message: "The log has the cause.".to_owned() }
    })
}
