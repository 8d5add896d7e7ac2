//! A TypeScript client that is generated from the document: it compiles, its requests succeed, and it draws each screen
//! of a photo app with one request.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use local::stack::Options;
use serde_json::{Value, json};
use testing::access_patterns::{self, Costs};
use tests::stack::{root, start};
use tests::tools::tool;

use crate::conformance::run;

#[tokio::test]
async fn a_generated_typescript_client_compiles_runs_a_session_and_draws_each_screen_with_one_request() {
    let Some(modules) = tool("QUICK_PHOTOS_NODE_MODULES") else { return };
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/typescript");
    let document = root().join("docs/openapi.json");
    let folder = tempfile::tempdir().unwrap();
    for file in ["package.json", "tsconfig.json", "session.ts", "screens.ts"] {
        fs::copy(sources.join(file), folder.path().join(file)).unwrap();
    }
    std::os::unix::fs::symlink(&modules, folder.path().join("node_modules")).unwrap();
    let program = |name: &str| {
        let mut command = Command::new(Path::new(&modules).join(".bin").join(name));
        command.current_dir(folder.path());
        command
    };

    let mut generate = program("openapi-typescript");
    generate.arg(&document).args(["--output", "schema.d.ts"]);
    run(generate).await;
    run(program("tsc")).await;
    let node = |script: &str| {
        let mut command = Command::new("node");
        command.current_dir(folder.path()).arg(script);
        command
    };

    // The screens come first: their costs are those of the sample data.
    let stack = start(Options::default()).await;
    let mut screens = node("built/screens.js");
    screens.arg(stack.api()).arg(json!(rows()).to_string());
    run(screens).await;
    let mut session = node("built/session.js");
    session.arg(stack.api()).arg(stack.token("ada").unwrap());
    run(session).await;
    stack.shutdown().await;
}

/// Returns the costs of the sample events, without and with `include`.
fn rows() -> BTreeMap<String, Value> {
    let patterns = access_patterns::patterns().into_iter().map(|(name, pattern)| (name, pattern.costs));
    let costs = |Costs { requests, reads, writes }| json!({"requests": requests, "reads": reads, "writes": writes});
    patterns.chain(access_patterns::with_include()).map(|(name, row)| (name, costs(row))).collect()
}
