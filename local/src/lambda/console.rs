//! The log lines of functions on the terminal: one readable line for each invocation, and the
//! warnings and errors.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use serde_json::Value;

/// The width of the first column, which has the longest route of template.yaml.
const WHAT_WIDTH: usize = 63;

const GOOD: Style = AnsiColor::Green.on_default();
const REFUSED: Style = AnsiColor::Yellow.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const DIM: Style = Style::new().dimmed();

/// Whether the lines of invocations are shown. Tests and benchmarks make thousands.
static SHOWS_INVOCATIONS: AtomicBool = AtomicBool::new(false);

/// Shows a line for each invocation from now on, and not only warnings and errors.
pub fn show_invocations() {
    SHOWS_INVOCATIONS.store(true, Ordering::Relaxed);
}

/// Prints a line that a function has written, to stderr. Colors appear on a terminal alone, and not
/// if the environment has [`NO_COLOR`](https://no-color.org).
pub(super) fn print(function: &str, line: &str) {
    if let Some(readable) = readable(function, line, SHOWS_INVOCATIONS.load(Ordering::Relaxed)) {
        // It fails if stderr is closed, and then nobody reads.
        let _ = anstream::stderr().lock().write_all(readable.as_bytes());
    }
}

/// Returns a line as a person reads it, or `None` if it is that of an invocation and
/// `shows_invocations` is false.
fn readable(function: &str, line: &str, shows_invocations: bool) -> Option<String> {
    let fields: Value = serde_json::from_str(line).unwrap_or_default();
    let text = |name: &str| fields[name].as_str().unwrap_or_default();
    let number = |name: &str| fields[name].as_f64().unwrap_or_default();
    let (what, result, style) = match text("message") {
        "request" => {
            let status = fields["status"].as_u64().unwrap_or_default();
            let style = match status {
                500.. => BAD,
                400.. => REFUSED,
                _ => GOOD,
            };
            (text("route").to_owned(), status.to_string(), style)
        }
        "batch" => {
            let what = counted(number("records"), "stream record");
            match number("failed") {
                0.0 => (what, "ok".to_owned(), GOOD),
                failed => (what, format!("{failed} failed"), BAD),
            }
        }
        // A schedule starts a function each minute, also while nobody does anything.
        "schedule" if fields["failed"] == false => return None,
        message @ ("event" | "schedule") if fields["failed"] == true => (message.to_owned(), "failed".to_owned(), BAD),
        "event" => ("event".to_owned(), "ok".to_owned(), GOOD),
        message if fields.is_object() => {
            let style = if text("level") == "ERROR" { BAD } else { REFUSED };
            let level = text("level");
            return Some(format!("[{function}] {style}{level}{style:#} {message}: {}\n", text("cause")));
        }
        _ => return Some(format!("[{function}] {line}\n")),
    };
    if !shows_invocations {
        return None;
    }
    let mut readable = format!("{what:<WHAT_WIDTH$} {style}{result:>3}{style:#}  ");
    let _ = write!(readable, "{:>7.1} ms  {:>11}", number("ms"), counted(number("requests"), "request"));
    for (name, unit) in [("readUnits", "read unit"), ("writeUnits", "write unit")] {
        if number(name) > 0.0 {
            let _ = write!(readable, ", {}", counted(number(name), unit));
        }
    }
    let start = if fields["coldStart"] == true { ", cold start" } else { "" };
    let _ = writeln!(readable, "  {DIM}{function}{start}{DIM:#}");
    Some(readable)
}

/// Returns a number with the name of what it counts: `1 request`, `0.5 read units`.
fn counted(number: f64, name: &str) -> String {
    let plural = if (number - 1.0).abs() < f64::EPSILON { "" } else { "s" };
    format!("{number} {name}{plural}")
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;
    use serde_json::json;

    use super::*;

    fn plain(fields: &Value) -> String {
        strip_str(&readable("get-user", &fields.to_string(), true).unwrap()).to_string()
    }

    #[test]
    fn a_request_is_one_line_with_its_cost() {
        let line = json!({"level": "INFO", "message": "request", "function": "get-user", "route": "GET /users/{username}",
            "status": 200, "ms": 3.24, "requests": 1, "readUnits": 0.5, "writeUnits": 0.0, "coldStart": true});
        let words: Vec<String> = plain(&line).split_whitespace().map(str::to_owned).collect();
        assert_eq!(words.join(" "), "GET /users/{username} 200 3.2 ms 1 request, 0.5 read units get-user, cold start");
    }

    #[test]
    fn the_columns_of_requests_are_aligned() {
        let line = |route: &str, ms: f64| {
            plain(&json!({"message": "request", "route": route, "status": 200, "ms": ms, "requests": 2}))
        };
        let column = |line: &str| line.find(" ms").unwrap();
        assert_eq!(
            column(&line("GET /users", 1.0)),
            column(&line("PUT /users/{username}/favorites/{dataId}", 1234.56))
        );
    }

    #[test]
    fn a_batch_tells_how_many_records_failed() {
        let line = json!({"message": "batch", "records": 3, "failed": 1, "ms": 2.0, "requests": 4, "writeUnits": 6.0});
        assert!(plain(&line).starts_with("3 stream records"), "{}", plain(&line));
        assert!(plain(&line).contains(" 1 failed "), "{}", plain(&line));
        assert!(plain(&line).contains("4 requests, 6 write units"), "{}", plain(&line));
    }

    #[test]
    fn a_schedule_is_shown_if_it_fails() {
        let line = |failed: bool| json!({"message": "schedule", "failed": failed, "ms": 2.0, "requests": 4});
        assert_eq!(readable("rank-photos", &line(false).to_string(), true), None);
        assert!(plain(&line(true)).contains(" failed "), "{}", plain(&line(true)));
    }

    #[test]
    fn warnings_and_other_output_are_always_shown() {
        let warning =
            json!({"level": "WARN", "message": "transient error", "cause": "no connection", "requestId": "1"});
        let shown = readable("get-user", &warning.to_string(), false).unwrap();
        assert_eq!(strip_str(&shown).to_string(), "[get-user] WARN transient error: no connection\n");
        assert_eq!(
            readable("get-user", "thread 'main' panicked", false).unwrap(),
            "[get-user] thread 'main' panicked\n"
        );
        assert_eq!(readable("get-user", r#"{"message": "request"}"#, false), None);
    }
}
