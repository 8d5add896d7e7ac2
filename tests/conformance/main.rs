//! Two clients of docs/openapi.json against the whole stack: schemathesis, which sends generated requests and compares
//! the answers with the document, and a TypeScript client that is generated from it.
//!
//! Each needs a program that cargo does not install. The environment variable `QUICK_PHOTOS_SCHEMATHESIS` names the
//! schemathesis to run, and `QUICK_PHOTOS_NODE_MODULES` a folder with the packages of `typescript/package.json`. A test
//! whose variable is not set does nothing.

#![allow(clippy::unwrap_used)]

mod schemathesis;
mod typescript;

use std::process::{Command, Stdio};

use local::lambda::build;
use local::stack::{Options, Stack};
use local::template::Template;
use tokio::sync::OnceCell;

/// Starts a stack with the sample data on free ports.
async fn stack() -> Stack {
    static BUILT: OnceCell<()> = OnceCell::const_new();
    let root = Template::find().unwrap().parent().unwrap().to_owned();
    BUILT.get_or_try_init(async || build::functions(&root).await).await.expect("the functions build");
    Stack::start(Options::default()).await.expect("the stack starts")
}

/// Runs a command on a thread of its own, because the stack has to answer it on this one. Fails with the end of its
/// output if the command fails.
async fn run(mut command: Command) {
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
}
