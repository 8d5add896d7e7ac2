//! The progress that the tools show on a terminal. Without a terminal, they show none.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Returns a spinner with a message and the elapsed time, for a task of unknown length.
#[must_use]
pub fn spinner() -> ProgressBar {
    let spinner = shown(ProgressBar::new_spinner(), "{spinner} {msg} {elapsed}");
    if !spinner.is_hidden() {
        spinner.enable_steady_tick(Duration::from_millis(100));
    }
    spinner
}

/// Returns a bar of this length, with a message and the remaining time.
#[must_use]
pub fn bar(length: u64) -> ProgressBar {
    shown(ProgressBar::new(length), "{wide_bar} {percent}% {msg} {eta}")
}

fn shown(bar: ProgressBar, template: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    bar.with_style(ProgressStyle::with_template(template).expect("the template is valid"))
}
