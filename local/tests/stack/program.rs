//! The program that `cargo run` starts: its output, and the end of its processes.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use local::lambda::children;
use local::listener::lan_address;
use serde_json::{Value, json};

/// A running program.
struct Program {
    child: Child,
    greeting: Vec<String>,
}

impl Program {
    /// Starts the program and reads its greeting up to the last command.
    fn start() -> Self {
        Self::greeted(&mut program(&["--port", "0", "--dynamodb-port", "0", "--s3-port", "0"]))
    }

    /// Starts a command, and reads its greeting.
    fn greeted(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let mut greeting = Vec::new();
        for line in BufReader::new(child.stdout.as_mut().unwrap()).lines() {
            greeting.push(line.unwrap());
            if greeting.iter().filter(|line| line.starts_with("curl ")).count() == 4 {
                break;
            }
        }
        Self { child, greeting }
    }

    /// Runs the first command of the greeting in a shell.
    fn run_first_command(&self) -> Value {
        let token = self.greeting.iter().find(|line| line.starts_with("TOKEN=")).unwrap();
        let curl = self.greeting.iter().find(|line| line.starts_with("curl ")).unwrap();
        let output = Command::new("sh").args(["-c", &format!("{token}\n{curl} -s")]).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Returns the process ids of its functions.
    fn functions(&self) -> Vec<u32> {
        children::children(self.child.id()).into_iter().map(|(pid, _)| pid).collect()
    }

    fn signal(&self, signal: &str) {
        assert!(children::signal(self.child.id(), signal));
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_local"));
    command.args(arguments).stderr(Stdio::null());
    command
}

#[test]
fn a_signal_ends_the_program_and_its_functions() {
    for signal in ["INT", "TERM"] {
        let mut program = Program::start();
        assert_eq!(program.run_first_command()["user"]["username"], "ada");
        let page = program.greeting.iter().find(|line| line.contains("http://")).unwrap();
        assert!(page.starts_with("Page ") && page.ends_with('/'), "the greeting begins with the page: {page}");
        let functions = program.functions();
        assert!(!functions.is_empty());
        program.signal(signal);
        assert!(program.child.wait().unwrap().success());
        assert!(!functions.into_iter().any(children::is_running), "{signal}");
        let mut rest = String::new();
        program.child.stdout.as_mut().unwrap().read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "", "the program prints only its greeting");
    }
}

#[test]
fn a_signal_ends_a_start_that_waits_for_a_pipe() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = directory.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    for signal in ["INT", "TERM"] {
        let mut command = program(&["--no-build", "--port", "0", "--dynamodb-port", "0", "--s3-port", "0", "--items"]);
        let mut child = command.arg(&fifo).stdout(Stdio::null()).spawn().unwrap();
        // It opens when the program has opened the other end.
        let pipe = fs::File::options().write(true).open(&fifo).unwrap();
        assert!(children::signal(child.id(), signal));
        let timeout = Instant::now() + Duration::from_secs(30);
        let status = loop {
            match child.try_wait().unwrap() {
                Some(status) => break status,
                None if Instant::now() > timeout => {
                    child.kill().unwrap();
                    panic!("the start goes on after {signal}");
                }
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        assert!(status.success(), "{status}");
        drop(pipe);
    }
}

#[test]
fn a_line_that_is_no_item_ends_the_start() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let user = json!({"PK": "USER#zoe", "SK": "#METADATA#zoe", "username": "zoe"});
    for (line, reason) in [("no JSON", "is not valid JSON: "), ("{\"PK\": \"a\"}", "")] {
        fs::write(file.path(), format!("{user}\n{line}\n")).unwrap();
        let mut command = program(&["--no-build", "--port", "0", "--dynamodb-port", "0", "--s3-port", "0", "--items"]);
        let output = command.arg(file.path()).stdout(Stdio::null()).stderr(Stdio::piped()).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.starts_with(&format!("local: {}:2: {reason}", file.path().display())), "{error}");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn functions_end_when_the_program_is_killed() {
    let mut program = Program::start();
    program.run_first_command();
    let functions = program.functions();
    assert!(!functions.is_empty());
    program.signal("KILL");
    program.child.wait().unwrap();
    let timeout = Instant::now() + Duration::from_secs(30);
    while functions.iter().copied().any(children::is_running) {
        assert!(Instant::now() < timeout);
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn runs_without_cargo_if_the_functions_are_built() {
    // It builds them.
    drop(Program::start());
    let mut command = program(&["--no-build", "--port", "0", "--dynamodb-port", "0", "--s3-port", "0"]);
    let program = Program::greeted(command.env("PATH", "/nowhere").env("CARGO", "/nowhere/cargo"));
    assert_eq!(program.run_first_command()["user"]["username"], "ada");
}

#[test]
fn an_error_at_start_is_one_line_on_stderr() {
    let output = program(&["--port", "0", "--dynamodb-port", "0", "--s3-port", "0", "--items", "/nowhere"])
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(error, "local: cannot read /nowhere: No such file or directory (os error 2)\n");

    let elsewhere = program(&["--port", "0", "--dynamodb-port", "0", "--s3-port", "0"])
        .current_dir(Path::new("/"))
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(elsewhere.status.code(), Some(2));
    let error = String::from_utf8(elsewhere.stderr).unwrap();
    assert_eq!(error, "local: no template.yaml in / or above it; run this in a clone of the repository\n");
}

#[test]
fn an_empty_stack_says_how_to_reach_dynamodb_and_which_functions_wait() {
    let mut child = program(&["--empty", "--port", "0", "--dynamodb-port", "0", "--s3-port", "0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut greeting = BufReader::new(child.stdout.as_mut().unwrap()).lines().map(Result::unwrap);
    let endpoint = greeting.find_map(|line| line.strip_prefix("DynamoDB  ").map(str::to_owned)).unwrap();
    let export = greeting.find(|line| line.starts_with("export ")).unwrap();
    assert!(export.starts_with(&format!("export AWS_ENDPOINT_URL_DYNAMODB={endpoint} AWS_")), "{export}");
    assert_eq!(greeting.next().unwrap(), "aws dynamodb list-tables");
    assert!(children::signal(child.id(), "TERM"));
    let log = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    let waiting = "quick-photos has no stream, so process-changes and finish-deletion do not run until it has one\n";
    assert_eq!(log.matches(waiting).count(), 1, "{log}");

    let output = program(&["--empty", "--items", "/nowhere"]).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("'--empty' cannot be used with '--items <FILE>'"), "{error}");
}

#[test]
fn a_phone_gets_the_address_in_the_network() {
    let Ok(address) = lan_address() else { return };
    let program = Program::greeted(&mut program(&["--phone", "--port", "0", "--dynamodb-port", "0", "--s3-port", "0"]));
    let page = program.greeting.iter().find_map(|line| line.strip_prefix("Page      ")).unwrap();
    assert!(page.starts_with(&format!("http://{address}:")), "{page}");
    assert_eq!(program.run_first_command()["user"]["username"], "ada");

    let output = self::program(&["--phone", "--host", "0.0.0.0"]).stderr(Stdio::piped()).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("'--phone' cannot be used with '--host <ADDR>'"), "{error}");
}

#[test]
fn values_of_parameters_are_checked_before_the_start() {
    let values = ["NameRestDays=0", "Mfa=on", "AllowedOrigin=http://localhost:5173", "WelcomeSender=Bob"];
    let values = values.iter().flat_map(|value| ["--parameter", value]);
    let output = program(&values.collect::<Vec<_>>()).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    let problems: Vec<_> = error.lines().skip(1).map(str::trim_start).collect();
    assert_eq!(
        problems,
        [
            "AllowedOrigin=http://localhost:5173: there is no such parameter; there is AllowedOrigins",
            "Mfa=on: the allowed values are OFF, OPTIONAL, ON",
            "NameRestDays=0: the minimum is 2",
            "WelcomeSender=Bob: WelcomeSender is an address like hello@example.com without a name, or empty",
        ]
    );
}

#[test]
fn says_once_of_an_origin_how_to_allow_it() {
    let mut command = program(&["--port", "0", "--dynamodb-port", "0", "--s3-port", "0"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut greeting = BufReader::new(child.stdout.as_mut().unwrap()).lines().map(Result::unwrap);
    let api = greeting.find_map(|line| line.strip_prefix("HTTP API  ").map(str::to_owned)).unwrap();
    greeting.find(|line| line.ends_with("/photos"));
    for origin in ["http://localhost:5173", "http://localhost:5173", &api] {
        let curl = ["-s", "-o", "/dev/null", "-H", &format!("Origin: {origin}"), &api];
        assert!(Command::new("curl").args(curl).status().unwrap().success());
    }
    assert!(children::signal(child.id(), "TERM"));
    let log = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    let option = "allow them with --parameter AllowedOrigins=http://localhost:5173\n";
    assert_eq!((log.matches(option).count(), log.matches("AllowedOrigins").count()), (1, 1), "{log}");
}

#[test]
fn warns_when_others_can_reach_it() {
    for (host, warns) in [("0.0.0.0", true), ("127.0.0.1", false)] {
        let mut program = program(&["--host", host, "--port", "0", "--dynamodb-port", "0", "--s3-port", "0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let greeting = BufReader::new(program.stdout.as_mut().unwrap()).lines().map(Result::unwrap);
        let page = greeting.take_while(|line| !line.starts_with("curl ")).find(|line| line.starts_with("API page"));
        assert!(page.unwrap().ends_with("/local/docs"));
        assert!(children::signal(program.id(), "TERM"));
        let log = String::from_utf8(program.wait_with_output().unwrap().stderr).unwrap();
        let warning =
            log.contains("warning: the stack listens on 0.0.0.0: everybody who can reach this machine can get a token");
        assert_eq!(warning, warns, "{log}");
    }
}
