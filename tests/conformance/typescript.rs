//! The TypeScript client in `client/`: its tests pass, and it draws each screen of a photo app with
//! one request.

use std::process::Command;

use local::stack::{Data, Options};
use serde_json::json;
use tests::costs;
use tests::stack::start;
use tests::tools::tool;

use crate::conformance::run;

#[tokio::test]
async fn the_typescript_client_passes_its_tests_and_draws_each_screen_with_one_request() {
    let Some(client) = tool("QUICK_PHOTOS_CLIENT") else { return };
    let program = |name: &str| {
        let mut command = Command::new(name);
        command.current_dir(&client);
        command
    };
    let stack = start(Options::default()).await;
    let mut tests = program("npm");
    tests.arg("test").env("QUICK_PHOTOS_API", stack.api());
    run(tests).await;
    stack.shutdown().await;

    // The rows are those of the seed data.
    let small = start(Options { data: Data::Seed, ..Options::default() }).await;
    let mut screens = program("node");
    screens.arg("built/test/screens.js").arg(small.api()).arg(json!(costs::of_requests()).to_string());
    run(screens).await;
    small.shutdown().await;
}
