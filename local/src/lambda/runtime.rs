//! The functions: their processes, how many there are and what becomes of them.

use std::{
    collections::{BTreeMap, HashMap},
    env,
    path::{Path, PathBuf},
    process::ExitStatus,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::body::Bytes;
use tokio::{
    process::Command,
    sync::{Semaphore, watch},
    time::timeout,
};
use uuid::Uuid;

use crate::lambda::process::{Failure, Process};
use crate::net;
use crate::template::cloudformation::{ACCOUNT, REGION};
use crate::template::{Function, Template};

pub use crate::lambda::process::{Invocation, MAX_PAYLOAD};

/// How much of one function runs at once. Unlike Lambda, one machine can't start a process for everybody.
const CONCURRENCY: u32 = 8;

/// How long an invocation waits for one of them.
const PATIENCE: Duration = Duration::from_secs(20);

/// What of the developer's environment a function sees: enough to run, and nothing that would hide a missing setting.
const INHERITED: [&str; 4] = ["PATH", "RUST_BACKTRACE", "SSL_CERT_FILE", "LD_LIBRARY_PATH"];

/// Why an invocation has no answer. Each has been logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvokeError {
    /// No function has this name.
    Unknown,
    /// The process could not be started, or ended without an answer.
    Crashed(String),
    /// The function had its time.
    TimedOut(String),
    /// All processes stayed busy for too long, or the stack is stopping.
    Busy,
}

/// Where functions find the services that they use.
#[derive(Clone, Debug)]
pub struct Endpoints {
    /// The URL of DynamoDB.
    pub dynamodb: String,
    /// The URL of Amazon SES.
    pub ses: String,
}

/// All functions of a template.
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
    time_limit: Duration,
    patience: Duration,
    slots: Semaphore,
    idle: Mutex<Vec<Process>>,
    stopped: watch::Receiver<bool>,
}

impl Runtime {
    /// The functions of `template`, whose binaries lie in `directory`.
    #[must_use]
    pub fn new(template: &Template, directory: &Path, endpoints: &Endpoints) -> Self {
        Self::with_patience(template, directory, endpoints, PATIENCE)
    }

    fn with_patience(template: &Template, directory: &Path, endpoints: &Endpoints, patience: Duration) -> Self {
        let (stop, stopped) = watch::channel(false);
        let mut functions = HashMap::new();
        for function in &template.functions {
            let pool = Arc::new(Pool {
                name: function.name.as_str().into(),
                arn: arn(&function.name).into(),
                binary: directory.join(&function.name),
                environment: environment(function, directory, endpoints),
                time_limit: function.timeout,
                patience,
                slots: Semaphore::new(CONCURRENCY as usize),
                idle: Mutex::default(),
                stopped: stopped.clone(),
            });
            functions.insert(function.logical_id.clone(), pool.clone());
            functions.insert(function.name.clone(), pool);
        }
        Self { functions, stop }
    }

    /// Whether a function has this name, logical id or ARN.
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        self.pool(name).is_some()
    }

    /// `arn:aws:lambda:us-east-1:123456789012:function:get-user` or just its last part.
    fn pool(&self, name: &str) -> Option<&Arc<Pool>> {
        let (_, name) = name.rsplit_once(":function:").unwrap_or(("", name));
        let name = name.strip_suffix(":$LATEST").unwrap_or(name);
        self.functions.get(name)
    }

    /// Gives `payload` to a process of the function: a warm one if there is one, else a new one. The invocation goes on
    /// to its end even if the caller doesn't wait for it, as it does on Lambda.
    pub async fn invoke(&self, name: &str, payload: Bytes) -> Result<Invocation, InvokeError> {
        let pool = self.pool(name).ok_or(InvokeError::Unknown)?.clone();
        tokio::spawn(async move {
            let result = pool.invoke(payload).await;
            match &result {
                Err(InvokeError::Crashed(message) | InvokeError::TimedOut(message)) => {
                    net::log(&pool.name, message);
                }
                Err(InvokeError::Busy) if !*pool.stopped.borrow() => {
                    net::log(&pool.name, "all processes were busy for too long");
                }
                _ => {}
            }
            result
        })
        .await
        .unwrap_or_else(|error| Err(InvokeError::Crashed(error.to_string())))
    }

    /// Ends every process, busy or not, and waits until they are gone.
    pub async fn shutdown(&self) {
        self.stop.send_replace(true);
        for pool in self.functions.values() {
            // Whoever has a slot has a process; with all slots here, all processes are idle.
            let slots = pool.slots.acquire_many(CONCURRENCY).await;
            let idle = std::mem::take(&mut *pool.idle());
            for process in idle {
                process.kill().await;
            }
            drop(slots);
        }
    }
}

impl Pool {
    async fn invoke(&self, payload: Bytes) -> Result<Invocation, InvokeError> {
        let slot = timeout(self.patience, self.slots.acquire()).await;
        let Ok(Ok(_slot)) = slot else {
            return Err(InvokeError::Busy);
        };
        let id = Uuid::new_v4().to_string();
        loop {
            if *self.stopped.borrow() {
                return Err(InvokeError::Busy);
            }
            let (mut process, warm) = self.process()?;
            let mut stopped = self.stopped.clone();
            let result = tokio::select! {
                result = process.invoke(&id, &self.arn, payload.clone(), self.time_limit) => Some(result),
                _ = stopped.wait_for(|stopped| *stopped) => None,
            };
            let Some(result) = result else {
                process.kill().await;
                return Err(InvokeError::Busy);
            };
            match result {
                Ok(answer) => {
                    self.idle().push(process);
                    return Ok(answer);
                }
                // It ended while nobody looked; another one takes its place.
                Err(Failure::NotTaken(_)) if warm => {}
                Err(Failure::NotTaken(status)) => {
                    return Err(exited(&id, status, "before it asked for its first event"));
                }
                Err(Failure::Ended(status)) => return Err(exited(&id, status, "without an answer")),
                Err(Failure::TimedOut) => {
                    process.kill().await;
                    let seconds = self.time_limit.as_secs_f32();
                    return Err(InvokeError::TimedOut(format!(
                        "RequestId: {id} Error: Task timed out after {seconds:.2} seconds"
                    )));
                }
                Err(Failure::NeverReady) => {
                    process.kill().await;
                    return Err(InvokeError::TimedOut(format!(
                        "RequestId: {id} Error: Task asked for no event in time"
                    )));
                }
            }
        }
    }

    /// The idle process that served last, or a new one; and whether it is warm.
    fn process(&self) -> Result<(Process, bool), InvokeError> {
        while let Some(mut process) = self.idle().pop() {
            if !process.has_ended() {
                return Ok((process, true));
            }
        }
        let mut command = Command::new(&self.binary);
        command.env_clear().envs(&self.environment);
        let process = Process::start(&self.name, command)
            .map_err(|error| InvokeError::Crashed(format!("cannot start {}: {error}", self.binary.display())))?;
        Ok((process, false))
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Process>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn exited(id: &str, status: ExitStatus, when: &str) -> InvokeError {
    InvokeError::Crashed(format!("RequestId: {id} Error: Runtime exited with error: {status} {when}"))
}

/// A function's ARN.
pub(crate) fn arn(name: &str) -> String {
    format!("arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}")
}

/// The
/// [variables that Lambda defines](https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime),
/// with credentials that are nobody's, then the function's own.
#[must_use]
pub fn environment(function: &Function, directory: &Path, endpoints: &Endpoints) -> BTreeMap<String, String> {
    let mut environment: BTreeMap<String, String> =
        INHERITED.iter().filter_map(|name| Some(((*name).to_owned(), env::var(name).ok()?))).collect();
    let memory = function.memory_mb.to_string();
    let directory = directory.display().to_string();
    let set = [
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
    environment.extend(set.map(|(name, value)| (name.to_owned(), value.to_owned())));
    environment.extend(function.environment.clone());
    // The SDKs'
    // [variables](https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html) of one service each.
    environment.insert("AWS_ENDPOINT_URL_DYNAMODB".to_owned(), endpoints.dynamodb.clone());
    environment.insert("AWS_ENDPOINT_URL_SESV2".to_owned(), endpoints.ses.clone());
    environment
}

#[cfg(test)]
mod tests;
