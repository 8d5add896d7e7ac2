//! The programs that `.ci/run` installs, and that other machines may not have.

use std::path::{Path, PathBuf};
use std::process::Command;

use tokio::task::spawn_blocking;

/// Returns the path that an environment variable names, such as `QUICK_PHOTOS_PYTHON`. A test does
/// nothing if there is none.
#[must_use]
pub fn tool(variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from);
    if path.is_none() {
        println!("{variable} is not set");
    }
    path
}

/// Runs a script of the folder `tests/` with this Python. Panics with what it wrote to standard
/// error if it fails.
pub fn run_script(python: &Path, script: &str) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(script);
    let output = Command::new(python).arg(script).output().expect("Python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Runs a command on a thread of its own, so that a stack can answer it on this one. Returns what
/// it wrote to standard output. Panics with all that it wrote if it fails.
pub async fn output(mut command: Command) -> String {
    let output = spawn_blocking(move || command.output().expect("the command starts")).await.expect("the thread ends");
    let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8"));
    assert!(output.status.success(), "{stdout}{stderr}");
    stdout
}

/// Runs a script of the folder `tests/` with this Python, whose boto3 sends its requests to this
/// DynamoDB. Returns what it wrote to standard output.
pub async fn output_of_script(python: &Path, script: &str, dynamodb: &str) -> String {
    let mut command = Command::new(python);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(script));
    command.envs([("AWS_ACCESS_KEY_ID", "local"), ("AWS_SECRET_ACCESS_KEY", "local")]);
    command.env("AWS_DEFAULT_REGION", "us-east-1").env("AWS_ENDPOINT_URL", dynamodb);
    output(command).await
}
