//! The log of the stack on stderr, and the end of a program.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Result;

/// Writes one line to stderr. The lines of concurrent calls do not mix. Unlike `eprintln!`, it does
/// not panic if stderr is closed.
pub fn log(source: &str, line: &str) {
    let _ = io::stderr().write_all(format!("[{source}] {line}\n").as_bytes());
}

/// Returns the exit code of a program: 0 for a success. It writes an error to stderr in one line,
/// with its causes, and the exit code is 2. The code 1 is for programs that check something, and
/// have found something wrong.
#[must_use]
pub fn exit_code(program: &str, outcome: Result<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = io::stderr().write_all(format!("{program}: {error:#}\n").as_bytes());
            ExitCode::from(2)
        }
    }
}
