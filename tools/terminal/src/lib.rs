//! The output of a program in a terminal, its log, and the error with which it ends.

use std::fmt;
use std::io::{self, ErrorKind, Write as _};
use std::process::{self, ExitCode};

use anyhow::Result;

/// The exit code of a program whose output nobody reads any more. A shell gives it to one that the
/// signal SIGPIPE ends.
const CLOSED: i32 = 141;

/// Writes a line to stdout, like the macro of std. That one panics if nobody reads on, as after the
/// first line of `explore --list | head -1`; this one ends the program.
#[macro_export]
macro_rules! println {
    ($($text:tt)*) => { $crate::write(format_args!("{}\n", format_args!($($text)*))) };
}

/// Writes a text to stdout, as [`println`](macro@println) does.
#[macro_export]
macro_rules! print {
    ($($text:tt)*) => { $crate::write(format_args!($($text)*)) };
}

/// Writes a text to stdout. Ends the program if that fails, without a word if nobody reads on.
pub fn write(text: fmt::Arguments) {
    let Err(error) = io::stdout().write_fmt(text) else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        process::exit(CLOSED);
    }
    let _ = io::stderr().write_all(format!("cannot write to stdout: {error}\n").as_bytes());
    process::exit(2);
}

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
