//! A TypeScript client that is generated from the document: it compiles, the example of
//! docs/frontend.md does what the page says, and it draws each screen of a photo app with one
//! request.

use std::fs;
use std::path::Path;
use std::process::Command;

use local::stack::{Data, Options};
use serde_json::{Value, json};
use tests::costs;
use tests::stack::{root, start};
use tests::tools::tool;

use crate::conformance::run;

#[tokio::test]
async fn a_generated_typescript_client_compiles_runs_the_example_and_draws_each_screen_with_one_request() {
    let Some(modules) = tool("QUICK_PHOTOS_NODE_MODULES") else { return };
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/typescript");
    let stack = start(Options::default()).await;
    let folder = tempfile::tempdir().unwrap();
    for file in ["package.json", "tsconfig.json", "example.ts", "screens.ts"] {
        fs::copy(sources.join(file), folder.path().join(file)).unwrap();
    }
    std::os::unix::fs::symlink(&modules, folder.path().join("node_modules")).unwrap();
    let program = |name: &str| {
        let mut command = Command::new(Path::new(&modules).join(".bin").join(name));
        command.current_dir(folder.path());
        command
    };

    let mut generate = program("openapi-typescript");
    generate.arg(format!("{}/local/openapi.json", stack.api())).args(["--output", "schema.d.ts"]);
    run(generate).await;
    run(program("tsc")).await;
    let node = |script: &str| {
        let mut command = Command::new("node");
        command.current_dir(folder.path()).arg(script);
        command
    };

    // The rows are those of the seed data.
    let small = start(Options { data: Data::Seed, ..Options::default() }).await;
    let mut screens = node("built/screens.js");
    screens.arg(small.api()).arg(json!(costs::of_requests()).to_string());
    run(screens).await;
    small.shutdown().await;
    let mut example = node("built/example.js");
    example.arg(stack.api());
    let printed = run(example).await;
    let mut rest = printed.as_str();
    for line in EXAMPLE {
        let (_, after) = rest.split_once(line).unwrap_or_else(|| panic!("no {line:?} in\n{rest}\nof\n{printed}"));
        rest = after;
    }
    stack.shutdown().await;
}

/// Texts that the example prints, in this order. The third photo of the feed is on its second page.
const EXAMPLE: [&str; 12] = [
    "feed: ",
    "feed: ",
    "feed: ",
    "reaction: ",
    "reaction: 200\n",
    "upload: 204\n",
    "photo: ready, A dot, image/jpeg\n",
    "unchanged: 304\n",
    "changed: From my phone\n",
    "refused: This is not as you saw it any more.",
    "problem: name must be ",
    "problem: status must be ",
];

/// The page tells front-end developers to install the packages with which this test runs, in these
/// versions.
#[test]
fn the_page_for_front_ends_installs_the_tested_versions() {
    let package = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/typescript/package.json")).unwrap();
    let package: Value = serde_json::from_slice(&package).unwrap();
    let page = fs::read_to_string(root().join("docs/frontend.md")).unwrap();
    for package_version in ["openapi-fetch", "openapi-typescript", "typescript"]
        .map(|name| format!("{name}@{}", package["dependencies"][name].as_str().unwrap()))
    {
        assert!(page.contains(&package_version), "docs/frontend.md does not install {package_version}");
    }
}
