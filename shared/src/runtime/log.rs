//! The log of a function: JSON lines that Lambda passes on to Amazon `CloudWatch`.

use tracing::level_filters::LevelFilter;

/// JSON lines on standard output, from the level on that the function's
/// [logging configuration](https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html) says.
/// Lambda takes a line for INFO, whatever it says, unless it has `level` and `timestamp` at the top.
pub(super) fn log_json() {
    let level =
        std::env::var("AWS_LAMBDA_LOG_LEVEL").ok().and_then(|level| level.parse().ok()).unwrap_or(LevelFilter::INFO);
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_max_level(level)
        .init();
}
