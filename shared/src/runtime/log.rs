//! The log of a function: JSON lines that Lambda forwards to Amazon `CloudWatch`.

use tracing::level_filters::LevelFilter;

/// Installs a log of JSON lines on standard output, with the minimum level of the [logging
/// configuration](https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html) of the
/// function. Lambda treats a line as INFO unless it has `level` and `timestamp` at the top level.
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
