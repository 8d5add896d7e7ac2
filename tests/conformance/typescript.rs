//! A TypeScript client that is generated from the document: it compiles, and its requests succeed.

use std::fs;
use std::path::Path;
use std::process::Command;

use local::stack::Options;
use tests::stack::{root, start};
use tests::tools::tool;

use crate::conformance::run;

#[tokio::test]
async fn a_generated_typescript_client_compiles_and_runs_a_session() {
    let Some(modules) = tool("QUICK_PHOTOS_NODE_MODULES") else { return };
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/typescript");
    let document = root().join("docs/openapi.json");
    let folder = tempfile::tempdir().unwrap();
    for file in ["package.json", "tsconfig.json", "session.ts"] {
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
    let stack = start(Options::default()).await;
    let mut session = Command::new("node");
    session.current_dir(folder.path()).arg("built/session.js").arg(stack.api()).arg(stack.token("ada").unwrap());
    run(session).await;
    stack.shutdown().await;
}
