//! The loop of a function that is a pre sign-up trigger of a Cognito user pool.

use lambda_runtime::{Diagnostic, LambdaEvent, service_fn};
use serde_json::Value;
use tokio::time::timeout_at;

use super::handler::Handler;
use super::log::{Line, Outcome, log_json};
use super::process::{Process, StartError};
use super::{deadline, end, usage};
use crate::Error;
use crate::error::chain;

/// The message for a caller who may try the same name again.
const UNCHECKED: &str = "The username could not be checked. Try again later.";

/// A sign-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignUp {
    /// The name of the new account, as it was typed.
    pub name: String,
    /// `true` if an administrator states that the person had this name before. Nobody else can
    /// state it, because only `AdminCreateUser` has this source, and it needs AWS credentials.
    pub returns_name: bool,
}

/// Serves sign-ups for as long as Lambda sends them.
pub async fn run<H: Handler<Event = SignUp>>() -> Result<(), StartError> {
    log_json();
    let handler = H::start(&Process::from_environment()?)?;
    // Boxed, because the compiler limits how deeply futures are nested.
    let ended = lambda_runtime::run(service_fn(async |event: LambdaEvent<Value>| {
        let line = Line::begin(&event.context);
        let (answer, usage) =
            usage::measure(respond(async |sign_up| Box::pin(handler.handle(sign_up)).await, event)).await;
        line.write(&Outcome::Event { failed: answer.is_err() }, usage);
        answer
    }));
    end::outcome(ended.await)
}

/// Handles one [pre sign-up
/// event](https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-lambda-pre-sign-up.html).
/// Returns the event itself, with which Cognito creates the account, or an error, with whose
/// message Cognito refuses the sign-up.
///
/// A name that could not be checked is refused. This is the only place that logs the causes.
pub async fn respond(
    handle: impl AsyncFn(SignUp) -> Result<(), Error>,
    event: LambdaEvent<Value>,
) -> Result<Value, Diagnostic> {
    let LambdaEvent { payload, context } = event;
    let request_id = context.request_id.as_str();
    let outcome = match sign_up(&payload) {
        Some(sign_up) => timeout_at(deadline::work_ends(&context), handle(sign_up))
            .await
            .unwrap_or_else(|_| Err(Error::Busy("the handler did not finish before its deadline".into()))),
        None => Err(Error::internal("the event has no userName")),
    };
    let message = match outcome {
        Ok(()) => return Ok(payload),
        Err(Error::Refused { detail, .. }) => detail,
        Err(Error::Invalid(violations)) => {
            let texts: Vec<_> =
                violations.iter().map(|broken| format!("{} {}.", broken.field, broken.message)).collect();
            texts.join(" ")
        }
        Err(Error::Busy(cause)) => {
            tracing::warn!(requestId = request_id, cause = chain(cause.as_ref()), "transient error");
            UNCHECKED.to_owned()
        }
        Err(Error::Internal(cause)) => {
            tracing::error!(requestId = request_id, cause = chain(cause.as_ref()), "failed");
            UNCHECKED.to_owned()
        }
        Err(error) => {
            tracing::error!(requestId = request_id, cause = ?error, "failed");
            UNCHECKED.to_owned()
        }
    };
    Err(Diagnostic { error_type: "Refused".to_owned(), error_message: message })
}

/// Returns the sign-up of an event, or `None` if the event has no name.
fn sign_up(event: &Value) -> Option<SignUp> {
    let is_administrator = event["triggerSource"] == "PreSignUp_AdminCreateUser";
    let returns_name = is_administrator && event["request"]["validationData"]["returnsName"] == "true";
    Some(SignUp { name: event["userName"].as_str()?.to_owned(), returns_name })
}
