//! schemathesis: requests that follow the document and requests that break it, by three callers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use local::template::Template;
use serde_json::{Value, json};

use crate::{run, stack};

/// The number of generated requests for each operation and each phase. The seed makes a run repeatable;
/// `CONFORMANCE_EXAMPLES` and `CONFORMANCE_SEED` choose others.
const EXAMPLES: u32 = 8;
const SEED: u32 = 1;

/// The checks that need more than the defaults of schemathesis.
///
/// - HTTP APIs answer 404 for a method without a route, and schemathesis expects 405.
/// - A precondition that does not hold and an idempotency key of another body are errors of valid requests.
/// - Generated headers and bodies may be larger than the gateway takes.
const CHECKS: &str = r#"
[checks]
unsupported_method.enabled = false
positive_data_acceptance.expected-statuses = ["2xx", "304", "401", "403", "404", "409", "412", "422"]
negative_data_rejection.expected-statuses = ["400", "401", "403", "404", "412", "413", "415", "431"]
"#;

#[tokio::test]
async fn schemathesis_finds_no_difference_between_the_api_and_its_document() {
    let Some(program) = std::env::var_os("QUICK_PHOTOS_SCHEMATHESIS") else {
        println!("QUICK_PHOTOS_SCHEMATHESIS is not set");
        return;
    };
    let document = Template::find().unwrap().with_file_name("docs").join("openapi.json");
    let stack = stack().await;
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

    let owner = "[auth.wfc]\npath = \"users.json\"\nuser = \"owner\"\npeers = [\"owner\", \"other\", \"stranger\"]\n";
    let stranger = "[auth.wfc]\npath = \"users.json\"\nuser = \"stranger\"\n";
    for (name, auth, phases) in [
        ("owner", owner, "examples,coverage,fuzzing,stateful"),
        ("stranger", stranger, "examples,coverage"),
        ("nobody", "", "examples,coverage"),
    ] {
        let configuration = configure(folder.path(), name, auth, &document);
        let mut command = Command::new(&program);
        command.current_dir(folder.path()).arg("--config-file").arg(configuration).arg("run").arg(&document);
        command.args(["--url", stack.api(), "--phases", phases, "--no-color"]);
        run(command).await;
    }
    stack.shutdown().await;
}

/// Writes the configuration of a run and returns its path.
fn configure(folder: &Path, name: &str, auth: &str, document: &Path) -> PathBuf {
    let number = |variable, default: u32| {
        std::env::var(variable)
            .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is a number")))
    };
    let (seed, examples) = (number("CONFORMANCE_SEED", SEED), number("CONFORMANCE_EXAMPLES", EXAMPLES));
    let hooks = concat!(env!("CARGO_MANIFEST_DIR"), "/conformance/hooks.py");
    // What everybody may read is no secret of its owner.
    let public = json!(public_operations(document));
    let text = format!(
        "seed = {seed}\nhooks = {hooks:?}\ncontinue-on-failure = true\nsuppress-health-check = [\"all\"]\n\
         [generation]\nmax-examples = {examples}\ndatabase = \"none\"\n{auth}{CHECKS}\n\
         [[operations]]\ninclude-operation-id = {public}\nchecks.object_level_authorization.enabled = false\n"
    );
    let path = folder.join(format!("{name}.toml"));
    fs::write(&path, text).unwrap();
    path
}

/// Returns the ids of the operations that are not for the owner alone.
fn public_operations(document: &Path) -> Vec<Value> {
    let document: Value = serde_json::from_slice(&fs::read(document).unwrap()).unwrap();
    let paths = document["paths"].as_object().unwrap().values();
    let operations = paths.flat_map(|methods| methods.as_object().unwrap().values());
    operations.filter(|one| one["x-callers"] != "self").map(|one| one["operationId"].clone()).collect()
}
