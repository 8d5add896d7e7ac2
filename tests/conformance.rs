//! Clients of others against the whole stack: schemathesis, which sends generated requests and
//! compares the answers with docs/openapi.json, the TypeScript client, and two libraries with which
//! messengers and other sites show a link.
//!
//! Most need a program that cargo does not install. The environment variable
//! `QUICK_PHOTOS_SCHEMATHESIS` names the schemathesis to run, `QUICK_PHOTOS_CLIENT` the folder of the
//! client, which is built, and `QUICK_PHOTOS_PYTHON` a Python with micawber. A test whose variable is
//! not set does nothing.

mod previews;
mod schemathesis;
mod typescript;

use std::process::{Command, Stdio};

/// Runs a command on a thread of its own, because the stack has to answer it on this one. Returns
/// what it prints. Fails with the end of its output if the command fails.
async fn run(mut command: Command) -> String {
    command.stdin(Stdio::null());
    let what = format!("{command:?}");
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap();
    let output = output.unwrap_or_else(|error| panic!("{what}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{what}:\n{}",
        &text[text.floor_char_boundary(text.len().saturating_sub(20_000))..]
    );
    text.into_owned()
}
