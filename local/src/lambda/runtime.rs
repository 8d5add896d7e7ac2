//! Runs the functions: starts a process when all others of the function are busy, keeps idle ones
//! for the next event, and replaces those that end.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    env,
    path::{Path, PathBuf},
    process::ExitStatus,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use axum::body::Bytes;
use futures_util::{FutureExt as _, future::BoxFuture};
use serde_json::{Value, json};
use tokio::{
    process::Command,
    sync::{Semaphore, watch},
    time::timeout,
};
use uuid::Uuid;

use crate::activity::{Activity, epoch_ms, milliseconds};
use crate::lambda::build;
use crate::lambda::origin::Origin;
use crate::lambda::process::{Process, ProcessError};
use crate::lambda::variables::{self, DYNAMODB_ENDPOINT};
use crate::template::cloudformation::{ACCOUNT, REGION};
use crate::template::{Function, Template};

pub use crate::lambda::process::{Invocation, MAX_PAYLOAD_BYTES};
pub use crate::lambda::variables::Endpoints;

/// The maximum number of processes per function. Unlike Lambda, one machine cannot start a process
/// for each concurrent request.
const MAX_CONCURRENCY: u32 = 8;

/// The time that an invocation waits for an idle process.
const CAPACITY_TIMEOUT: Duration = Duration::from_secs(20);

/// The variables that a function inherits from the stack. A function that inherited all of them
/// could work only because of the developer's settings.
const INHERITED_VARIABLES: [&str; 4] = ["PATH", "RUST_BACKTRACE", "SSL_CERT_FILE", "LD_LIBRARY_PATH"];

/// The error of an invocation without an answer. The runtime logs it, unless the function is
/// unknown or the stack is stopping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvokeError {
    /// No function has this name.
    Unknown,
    /// The process could not be started, or it ended without an answer.
    Crashed(String),
    /// The timeout of the function or of its initialization has passed.
    TimedOut(String),
    /// All processes of the function stayed busy for too long, or the stack is stopping.
    Busy,
}

/// Invokes a function by its name, with a request id and an event.
pub type Invoke = dyn Fn(&str, &str, Bytes) -> BoxFuture<'static, Result<Invocation, InvokeError>> + Send + Sync;

/// The recording of requests to DynamoDB while somebody watches the activity of the stack.
#[derive(Clone)]
pub struct Recording {
    /// The activity.
    pub activity: Arc<Activity>,
    /// The URL of the recording endpoint in front of DynamoDB.
    pub dynamodb: String,
}

/// The functions of a template.
///
/// A process that starts while somebody watches the activity uses the recording endpoint of
/// DynamoDB. When it has become the wrong endpoint for the next event, the idle process ends and a
/// new one gets the event. The same happens when the binary of the function has been built again.
pub struct Runtime {
    functions: HashMap<String, Arc<Pool>>,
    stop: watch::Sender<bool>,
}

/// The processes of one function.
struct Pool {
    name: Arc<str>,
    arn: Arc<str>,
    binary: PathBuf,
    environment: BTreeMap<String, String>,
    recording: Recording,
    timeout: Duration,
    capacity_timeout: Duration,
    slots: Semaphore,
    idle: Mutex<Vec<IdleProcess>>,
    stopped: watch::Receiver<bool>,
}

/// A process that waits for its next event.
struct IdleProcess {
    process: Process,
    start: Start,
}

/// The properties of a process that cannot change after its start.
#[derive(Clone, Copy, PartialEq)]
struct Start {
    /// Whether it uses the recording endpoint.
    is_recorded: bool,
    /// The time at which its binary was built.
    built: Option<SystemTime>,
}

impl Runtime {
    /// Creates the runtime of the functions in `template`. `directory` contains their binaries.
    #[must_use]
    pub fn new(template: &Template, directory: &Path, endpoints: &Endpoints, recording: &Recording) -> Self {
        Self::with_capacity_timeout(template, directory, endpoints, recording, CAPACITY_TIMEOUT)
    }

    fn with_capacity_timeout(
        template: &Template,
        directory: &Path,
        endpoints: &Endpoints,
        recording: &Recording,
        capacity_timeout: Duration,
    ) -> Self {
        let (stop, stopped) = watch::channel(false);
        let mut functions = HashMap::new();
        for function in &template.functions {
            let pool = Arc::new(Pool {
                name: function.name.as_str().into(),
                arn: arn(&function.name).into(),
                binary: directory.join(&function.name),
                environment: environment(function, directory, endpoints),
                recording: recording.clone(),
                timeout: function.timeout,
                capacity_timeout,
                slots: Semaphore::new(MAX_CONCURRENCY as usize),
                idle: Mutex::default(),
                stopped: stopped.clone(),
            });
            functions.insert(function.logical_id.clone(), pool.clone());
            functions.insert(function.name.clone(), pool);
        }
        Self { functions, stop }
    }

    /// Returns the name of the function with this name, logical id or ARN.
    #[must_use]
    pub fn name(&self, name: &str) -> Option<&str> {
        self.pool(name).map(|pool| &*pool.name)
    }

    /// Returns the pool of a function by its name, its logical id or its ARN
    /// (`arn:aws:lambda:us-east-1:123456789012:function:get-user`).
    fn pool(&self, name: &str) -> Option<&Arc<Pool>> {
        let (_, name) = name.rsplit_once(":function:").unwrap_or(("", name));
        let name = name.strip_suffix(":$LATEST").unwrap_or(name);
        self.functions.get(name)
    }

    /// Invokes a function in an idle process if there is one, or else in a new process. As on
    /// Lambda, the invocation continues even if the caller stops waiting.
    pub async fn invoke(&self, name: &str, payload: Bytes) -> Result<Invocation, InvokeError> {
        self.invoke_from(name, Origin::for_event(&Uuid::new_v4().to_string()), payload).await
    }

    /// Invokes a function like [`Runtime::invoke`], with this origin.
    pub async fn invoke_from(&self, name: &str, origin: Origin, payload: Bytes) -> Result<Invocation, InvokeError> {
        let pool = self.pool(name).ok_or(InvokeError::Unknown)?.clone();
        tokio::spawn(async move {
            let result = pool.invoke(&origin, payload).await;
            match &result {
                Err(InvokeError::Crashed(message) | InvokeError::TimedOut(message)) => {
                    terminal::log(&pool.name, message);
                }
                Err(InvokeError::Busy) if !*pool.stopped.borrow() => {
                    terminal::log(&pool.name, "all processes were busy for too long");
                }
                _ => {}
            }
            result
        })
        .await
        .unwrap_or_else(|error| Err(InvokeError::Crashed(error.to_string())))
    }

    /// Returns what queues and streams invoke functions with. Each invocation has a trace of its own, so
    /// that its requests to DynamoDB can be told from those of other attempts.
    #[must_use]
    pub fn invoker(self: &Arc<Self>) -> Arc<Invoke> {
        let runtime = self.clone();
        Arc::new(move |name: &str, id: &str, event| {
            let (runtime, name, origin) = (runtime.clone(), name.to_owned(), Origin::for_event(id));
            async move { runtime.invoke_from(&name, origin, event).await }.boxed()
        })
    }

    /// Kills all processes and waits for their end.
    pub async fn shutdown(&self) {
        self.stop.send_replace(true);
        for pool in self.functions.values() {
            // Each busy process holds a slot, so when all slots are here, all processes are idle.
            let slots = pool.slots.acquire_many(MAX_CONCURRENCY).await;
            let idle = std::mem::take(&mut *pool.idle());
            for idle in idle {
                idle.process.kill().await;
            }
            drop(slots);
        }
    }
}

impl Pool {
    /// Invokes the function, and publishes the invocation.
    async fn invoke(&self, origin: &Origin, payload: Bytes) -> Result<Invocation, InvokeError> {
        let activity = &self.recording.activity;
        let is_watched = activity.is_watched();
        let cause = is_watched.then(|| origin.cause(&payload, &activity.writers));
        let (time, begin, mut is_cold) = (SystemTime::now(), Instant::now(), false);
        let result = self.run(origin, payload, is_watched, &mut is_cold).await;
        if let Some(cause) = cause {
            let ms = milliseconds(begin.elapsed());
            activity.publish(|| {
                json!({
                    "type": "invocation",
                    "trace": origin.trace.to_string(),
                    "id": origin.id,
                    "time": epoch_ms(time),
                    "ms": ms,
                    "function": &*self.name,
                    "cold": is_cold,
                    "error": error_message(&result),
                    "cause": cause,
                })
            });
        }
        result
    }

    /// Waits for a free slot, then passes the event to a process, which uses the recording endpoint
    /// if `is_recorded`. Sets `is_cold` if the process is new.
    async fn run(
        &self,
        origin: &Origin,
        payload: Bytes,
        is_recorded: bool,
        is_cold: &mut bool,
    ) -> Result<Invocation, InvokeError> {
        let Origin { id, trace, .. } = origin;
        let slot = timeout(self.capacity_timeout, self.slots.acquire()).await;
        let Ok(Ok(_slot)) = slot else {
            return Err(InvokeError::Busy);
        };
        loop {
            if *self.stopped.borrow() {
                return Err(InvokeError::Busy);
            }
            let start = Start { is_recorded, built: build::time(&self.binary) };
            let (mut process, warm) = self.process(start)?;
            *is_cold = !warm;
            let mut stopped = self.stopped.clone();
            let result = tokio::select! {
                result = process.invoke(id, &self.arn, trace, payload.clone(), self.timeout) => Some(result),
                _ = stopped.wait_for(|stopped| *stopped) => None,
            };
            let Some(result) = result else {
                process.kill().await;
                return Err(InvokeError::Busy);
            };
            match result {
                Ok(answer) => {
                    self.idle().push(IdleProcess { process, start });
                    return Ok(answer);
                }
                // An idle process may have ended unnoticed. The next one gets the event.
                Err(ProcessError::NotTaken(_)) if warm => {}
                Err(ProcessError::NotTaken(status)) => {
                    return Err(exited(id, status, "before it requested its first event"));
                }
                Err(ProcessError::Ended(status)) => return Err(exited(id, status, "without an answer")),
                Err(ProcessError::TimedOut) => {
                    process.kill().await;
                    let seconds = self.timeout.as_secs_f32();
                    return Err(InvokeError::TimedOut(format!(
                        "RequestId: {id} Error: Task timed out after {seconds:.2} seconds"
                    )));
                }
                Err(ProcessError::NeverReady) => {
                    process.kill().await;
                    return Err(InvokeError::TimedOut(format!(
                        "RequestId: {id} Error: Task did not request an event in time"
                    )));
                }
            }
        }
    }

    /// Returns the idle process that was used last, or a new process, and whether it is an idle
    /// one. Idle processes that started otherwise end.
    fn process(&self, start: Start) -> Result<(Process, bool), InvokeError> {
        while let Some(mut idle) = self.idle().pop() {
            if idle.start == start && !idle.process.has_ended() {
                return Ok((idle.process, true));
            }
        }
        let mut command = Command::new(&self.binary);
        command.env_clear().envs(&self.environment);
        if start.is_recorded {
            command.env(DYNAMODB_ENDPOINT, &self.recording.dynamodb);
        }
        let process = Process::start(&self.name, command)
            .map_err(|error| InvokeError::Crashed(format!("cannot start {}: {error}", self.binary.display())))?;
        Ok((process, false))
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<IdleProcess>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn exited(id: &str, status: ExitStatus, when: &str) -> InvokeError {
    InvokeError::Crashed(format!("RequestId: {id} Error: Runtime exited with error: {status} {when}"))
}

/// Returns the answer of a function as Lambda gives it to a caller, or `None` if the function could
/// not be invoked. A process that crashed or timed out is an error of the function.
pub(crate) fn answer(result: Result<Invocation, InvokeError>) -> Option<Invocation> {
    let (kind, message) = match result {
        Ok(invocation) => return Some(invocation),
        Err(InvokeError::Crashed(message)) => ("Runtime.ExitError", message),
        Err(InvokeError::TimedOut(message)) => ("Sandbox.Timedout", message),
        Err(InvokeError::Unknown | InvokeError::Busy) => return None,
    };
    let payload = json!({"errorType": kind, "errorMessage": message}).to_string().into();
    Some(Invocation { payload, function_error: true })
}

/// Returns the indices of the entries of a batch that the answer of a function reports as failed, or `None` if
/// the whole batch has failed. `index` returns the index of the entry with an identifier.
///
/// Batches [of streams](https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html#streams-batchfailurereporting-conditions)
/// and [of queues](https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting)
/// have the same rules. No entry has failed if the list of failures is empty, `null` or absent, or the answer is
/// `null`. The whole batch has failed if an identifier is empty, `null`, absent or not in the batch, and in the
/// local stack also if the answer has any other form.
pub(crate) fn reported_failures(payload: &[u8], index: impl Fn(&str) -> Option<usize>) -> Option<BTreeSet<usize>> {
    if payload.is_empty() {
        return Some(BTreeSet::new());
    }
    let failures = match serde_json::from_slice(payload).ok()? {
        Value::Null => Value::Null,
        Value::Object(mut answer) => answer.remove("batchItemFailures").unwrap_or_default(),
        _ => return None,
    };
    match failures {
        Value::Null => Some(BTreeSet::new()),
        Value::Array(failures) => failures.iter().map(|failure| index(failure["itemIdentifier"].as_str()?)).collect(),
        _ => None,
    }
}

/// Returns the message of an invocation that failed.
fn error_message(result: &Result<Invocation, InvokeError>) -> Option<String> {
    match result {
        Ok(Invocation { function_error: false, .. }) => None,
        Ok(Invocation { payload, .. }) => {
            let error: Value = serde_json::from_slice(payload).unwrap_or_default();
            let message = error["errorMessage"].as_str().map(str::to_owned);
            Some(message.unwrap_or_else(|| String::from_utf8_lossy(payload).into_owned()))
        }
        Err(InvokeError::Crashed(message) | InvokeError::TimedOut(message)) => Some(message.clone()),
        Err(InvokeError::Unknown) => Some("no such function".to_owned()),
        Err(InvokeError::Busy) => Some("all processes were busy for too long".to_owned()),
    }
}

/// Returns the ARN of a function.
pub(crate) fn arn(name: &str) -> String {
    format!("arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}")
}

/// Returns the environment of a function: the [variables that Lambda
/// defines](https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime),
/// with dummy credentials, and the function's own variables.
#[must_use]
pub fn environment(function: &Function, directory: &Path, endpoints: &Endpoints) -> BTreeMap<String, String> {
    let mut environment: BTreeMap<String, String> =
        INHERITED_VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), env::var(name).ok()?))).collect();
    let memory = function.memory_mb.to_string();
    let directory = directory.display().to_string();
    let lambda_variables = [
        ("AWS_LAMBDA_FUNCTION_NAME", function.name.as_str()),
        ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", &memory),
        ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
        ("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand"),
        ("AWS_LAMBDA_LOG_GROUP_NAME", "local"),
        ("AWS_LAMBDA_LOG_STREAM_NAME", "local"),
        ("AWS_REGION", REGION),
        ("AWS_DEFAULT_REGION", REGION),
        ("AWS_ACCESS_KEY_ID", "local"),
        ("AWS_SECRET_ACCESS_KEY", "local"),
        ("LAMBDA_TASK_ROOT", &directory),
        ("_HANDLER", "bootstrap"),
        ("TZ", ":UTC"),
    ];
    environment.extend(lambda_variables.map(|(name, value)| (name.to_owned(), value.to_owned())));
    environment.extend(variables::declared(function, endpoints));
    environment
}

#[cfg(test)]
mod tests;
