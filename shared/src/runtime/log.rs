//! The log of a function: JSON lines that Lambda forwards to Amazon `CloudWatch`.

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;

/// Installs a log of JSON lines on standard output, with the minimum level of the [logging
/// configuration](https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html) of the
/// function. Lambda treats a line as INFO unless it has `level` and `timestamp` at the top level.
///
/// Only this crate logs, because its lines contain neither tokens nor items. All other crates are silent at every
/// level. Below WARN, the runtime and the SDK write whole events and items; at ERROR, the runtime writes the value of an
/// event that it cannot parse, and the SDK an error that may contain an item. What they report as errors reaches the log
/// as the cause of an error of this crate.
pub(super) fn log_json() {
    let level =
        std::env::var("AWS_LAMBDA_LOG_LEVEL").ok().and_then(|level| level.parse().ok()).unwrap_or(LevelFilter::INFO);
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_max_level(level)
        .finish()
        .with(Targets::new().with_target(env!("CARGO_CRATE_NAME"), level))
        .init();
}
