//! The output of the programs in a terminal: each of them, and each script of `tools/ops`, explains
//! itself with `--help`, and says in one line what went wrong and what to do. A program ends
//! quietly when nobody reads on. The scripts are skipped unless the environment variable
//! `QUICK_PHOTOS_PYTHON` names a Python with boto3.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use local::lambda::build;
use tests::stack::root;
use tests::tools::tool;

use crate::structure::crates;

/// An endpoint at which nothing answers.
const DEAD: &str = "http://127.0.0.1:1";

/// Arguments with which each program fails, and the beginning of what it says. The program runs in
/// an empty directory but for the file `items`.
const FAILURES: [(&str, &[&str], &str); 12] = [
    ("audit", &["--table", "t", "--endpoint-url", DEAD], "audit: table t: nothing answers there: Connection refused"),
    ("audit", &["--table", "t", "--endpoint-url", "x"], "audit: --endpoint-url x: the form has to be http://host:port"),
    ("audit", &["--table", "t"], "audit: there is no AWS region: set AWS_REGION"),
    (
        "bulk-load",
        &["items", "--table", "t", "--endpoint-url", DEAD],
        "bulk-load: table t: nothing answers there: Connection refused",
    ),
    ("bulk-load", &["none", "--table", "t", "--endpoint-url", DEAD], "bulk-load: none: No such file or directory"),
    ("explore", &["--replay", "x"], "explore: --replay takes a line that this program has printed: "),
    ("explore", &["--scenario", "x"], "explore: --scenario takes a line of --list: "),
    ("local", &["--port", "0", "--dynamodb-port", "0", "--s3-port", "0"], "local: no template.yaml in "),
    ("measure", &[], "measure: no template.yaml in "),
    ("openapi", &[], "openapi: no template.yaml in "),
    ("scale", &[], "scale: no template.yaml in "),
    ("scale", &["--frobnicate"], "error: unexpected argument '--frobnicate' found"),
];

/// Arguments of each script that asks AWS something.
const SCRIPTS: [(&str, &[&str]); 4] = [
    ("adopt", &["--stack", "s", "--output", "files"]),
    ("redrive", &["--queue-url", "http://127.0.0.1:1/queue"]),
    ("restore", &["--stack", "s", "--table-name", "t", "--stage", "u", "--photo-bucket", "b", "--output", "files"]),
    ("versions", &["--stack", "s", "back"]),
];

/// Runs a program without a region, credentials and a home directory.
fn run(program: impl AsRef<OsStr>, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("items"), "{}\n").unwrap();
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&directory).env_clear().env("AWS_EC2_METADATA_DISABLED", "true");
    command.envs(variables.iter().copied()).output().unwrap()
}

/// Checks that a program explains itself, and nothing else.
fn explains_itself(name: &str, help: &Output) {
    let text = String::from_utf8_lossy(&help.stdout).to_lowercase();
    assert!(help.status.success() && help.stderr.is_empty(), "{name}: {help:?}");
    assert!(text.contains(&format!("usage: {name}")), "{name}: {text}");
    let sentences = text.split("\n\n").filter(|paragraph| !paragraph.starts_with("usage:")).take(1);
    assert!(sentences.flat_map(str::split_whitespace).count() > 8, "{name} does not say what it does: {text}");
}

/// Checks that a program has failed with one line that begins like this.
fn fails(name: &str, output: &Output, begin: &str) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.stdout.is_empty() && error.starts_with(begin), "{name}: {output:?}, and not {begin:?}");
    // What the parser of arguments says has several lines.
    assert!(error.lines().count() == 1 || error.starts_with("error: "), "{name}: {error}");
    assert_eq!(output.status.code(), Some(2), "{name}: {error}");
}

#[tokio::test]
async fn every_program_explains_itself_and_its_errors() {
    let root = root();
    let programs = crates::programs(&root);
    let tested: BTreeSet<_> = FAILURES.iter().map(|(program, ..)| (*program).to_owned()).collect();
    assert_eq!(programs.iter().cloned().collect::<BTreeSet<_>>(), tested, "FAILURES has all programs");
    build::programs(&root, &programs).await.unwrap();
    let directory = build::directory().unwrap();
    for program in &programs {
        explains_itself(program, &run(directory.join(program), &["--help"], &[]));
    }
    for (program, file) in crates::targets(&root, "bin").iter().filter(|(program, _)| programs.contains(program)) {
        ends_quietly(&directory.join(program), &["--help"]);
        let source = fs::read_to_string(file).unwrap();
        assert!(!source.contains("println!(") || source.contains("use terminal::"), "{program} prints with std");
    }
    ends_quietly(&directory.join("explore"), &["--list"]);
    for (program, arguments, begin) in FAILURES {
        fails(program, &run(directory.join(program), arguments, &[]), begin);
    }
}

/// Checks that a program ends without a word when nobody reads what it prints.
fn ends_quietly(program: &Path, arguments: &[&str]) {
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let output = Command::new(program).args(arguments).stdout(writer).output().unwrap();
    assert!(output.stderr.is_empty(), "{}: {output:?}", program.display());
}

/// Returns the scripts of `tools/ops`, without the module that they share.
fn scripts(root: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(root.join("tools/ops")).unwrap().map(|entry| entry.unwrap().path());
    let is_script = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "py");
    files.filter(|path| is_script(path) && path.file_stem() != Some(OsStr::new("stacks"))).collect()
}

#[test]
fn every_script_explains_itself_and_its_errors() {
    let Some(python) = tool("QUICK_PHOTOS_PYTHON") else { return };
    let scripts = scripts(&root());
    assert_eq!(scripts.len(), SCRIPTS.len(), "SCRIPTS has all of {scripts:?}");
    let variables = [
        ("AWS_ENDPOINT_URL", DEAD),
        ("AWS_MAX_ATTEMPTS", "1"),
        ("AWS_REGION", "eu-west-1"),
        ("AWS_DEFAULT_REGION", "eu-west-1"),
        ("AWS_ACCESS_KEY_ID", "a"),
        ("AWS_SECRET_ACCESS_KEY", "b"),
    ];
    for (name, arguments) in SCRIPTS {
        let script = scripts.iter().find(|path| path.file_stem() == Some(OsStr::new(name))).unwrap().to_str().unwrap();
        explains_itself(name, &run(&python, &[script, "--help"], &[]));
        let failed = run(&python, &[&[script], arguments].concat(), &variables);
        fails(name, &failed, &format!("{name}: Could not connect to the endpoint URL: "));
        // With -S, Python finds no installed package.
        fails(
            name,
            &run(&python, &[&["-S", script], arguments].concat(), &[]),
            &format!("{name}: this Python has no boto3: "),
        );
        let help = run(&python, &["-S", script, "--help"], &[]);
        assert!(help.stdout.len() > 200 && help.status.code() == Some(2), "{help:?}");
    }
}
