//! schemathesis: requests that follow the document and requests that break it, by three kinds of
//! callers.

use std::fs;
use std::path::Path;
use std::process::Command;

use local::stack::Options;
use serde_json::{Value, json};
use tests::stack::{root, start};
use tests::tools::tool;

use crate::conformance::run;

/// The number of generated requests for each operation and each phase. The seed makes a run
/// repeatable; `CONFORMANCE_EXAMPLES` and `CONFORMANCE_SEED` choose others.
const EXAMPLES: u32 = 8;
const SEED: u32 = 1;

/// The checks that need more than the defaults of schemathesis.
///
/// - HTTP APIs answer 404 for a method without a route, and schemathesis expects 405.
/// - A precondition that does not hold, an idempotency key of another body and the maximum of reports
///   of a day are errors of valid requests.
/// - Generated headers and bodies may be larger than the gateway takes.
const CHECKS: &str = r#"
[checks]
unsupported_method.enabled = false
positive_data_acceptance.expected-statuses = ["2xx", "302", "304", "401", "403", "404", "409", "412", "422", "429"]
negative_data_rejection.expected-statuses = ["400", "401", "403", "404", "412", "413", "415", "431"]
"#;

#[tokio::test]
async fn the_api_follows_its_document_for_owners() {
    let auth = user("owner") + "peers = [\"owner\", \"other\", \"stranger\"]\n";
    compare(&auth, "examples,coverage,fuzzing,stateful").await;
}

// Strangers and callers without a token are refused before most of a request is looked at, so one
// request for each operation shows it.
#[tokio::test]
async fn the_api_follows_its_document_for_strangers() {
    compare(&user("stranger"), "examples").await;
}

#[tokio::test]
async fn the_api_follows_its_document_without_a_token() {
    compare("", "examples").await;
}

/// Returns the settings with which schemathesis sends its requests as one of the users of
/// [`compare`].
fn user(name: &str) -> String {
    format!("[auth.wfc]\npath = \"users.json\"\nuser = \"{name}\"\n")
}

/// Runs phases of schemathesis with these settings for authentication. Fails if schemathesis finds
/// a difference between the API and its document.
async fn compare(auth: &str, phases: &str) {
    let Some(program) = tool("QUICK_PHOTOS_SCHEMATHESIS") else { return };
    let document = root().join("docs/openapi.json");
    let stack = start(Options::default()).await;
    let folder = tempfile::tempdir().unwrap();
    let tokens = [
        ("owner", stack.token_in("ada", "editors").unwrap()),
        ("other", stack.token("ben").unwrap()),
        ("stranger", stack.token("jo").unwrap()),
    ];
    let users = tokens.map(|(name, token)| {
        json!({"name": name, "fixedHeaders": [{"name": "Authorization", "value": format!("Bearer {token}")}]})
    });
    fs::write(folder.path().join("users.json"), json!({"auth": users}).to_string()).unwrap();

    fs::write(folder.path().join("configuration.toml"), configuration(auth, &document)).unwrap();
    let mut command = Command::new(&program);
    command.current_dir(folder.path()).args(["--config-file", "configuration.toml", "run"]).arg(&document);
    command.args(["--url", stack.api(), "--phases", phases, "--no-color"]);
    run(command).await;
    stack.shutdown().await;
}

/// Returns the configuration of a run.
fn configuration(auth: &str, document: &Path) -> String {
    let number = |variable, default: u32| {
        std::env::var(variable)
            .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is a number")))
    };
    let (seed, examples) = (number("CONFORMANCE_SEED", SEED), number("CONFORMANCE_EXAMPLES", EXAMPLES));
    let hooks = concat!(env!("CARGO_MANIFEST_DIR"), "/conformance/hooks.py");
    // What everybody may read is no secret of its owner.
    let public = json!(public_operations(document));
    format!(
        "seed = {seed}\nhooks = {hooks:?}\ncontinue-on-failure = true\nsuppress-health-check = [\"all\"]\n\
         [generation]\nmax-examples = {examples}\ndatabase = \"none\"\n{auth}{CHECKS}\n\
         [[operations]]\ninclude-operation-id = {public}\nchecks.object_level_authorization.enabled = false\n"
    )
}

/// Returns the ids of the operations that are not for the owner alone.
fn public_operations(document: &Path) -> Vec<Value> {
    let document: Value = serde_json::from_slice(&fs::read(document).unwrap()).unwrap();
    let paths = document["paths"].as_object().unwrap().values();
    let operations = paths.flat_map(|methods| methods.as_object().unwrap().values());
    operations.filter(|one| one["x-callers"] != "self").map(|one| one["operationId"].clone()).collect()
}
