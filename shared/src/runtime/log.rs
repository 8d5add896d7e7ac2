//! The log of a function: JSON lines that Lambda forwards to Amazon `CloudWatch`.
//!
//! Each invocation writes one line at its end, at the level INFO: what it answered, how long it
//! took, and what it asked of `DynamoDB`. `docs/operating.md` lists the fields.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use lambda_runtime::Context;
use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tracing::Level;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;

use super::usage::Usage;

/// Installs a log of JSON lines on standard output, with the minimum level of the [logging
/// configuration](https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html)
/// of the function. Lambda treats a line as INFO unless it has `level` and `timestamp` at the top
/// level.
///
/// Only this crate logs, because its lines contain neither tokens nor items. All other crates are
/// silent at every level. Below WARN, the runtime and the SDK write whole events and items; at
/// ERROR, the runtime writes the value of an event that it cannot parse, and the SDK an error that
/// may contain an item. What they report as errors reaches the log as the cause of an error of this
/// crate.
pub(super) fn log_json() {
    let level =
        std::env::var("AWS_LAMBDA_LOG_LEVEL").ok().and_then(|level| level.parse().ok()).unwrap_or(LevelFilter::INFO);
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_target(false)
        .with_current_span(false)
        .with_span_list(false)
        .with_max_level(level)
        .finish()
        .with(Targets::new().with_target(env!("CARGO_CRATE_NAME"), level))
        .init();
}

/// Whether the next invocation is the first one of this process.
static IS_FIRST: AtomicBool = AtomicBool::new(true);

/// The kind of an invocation, and its result.
#[derive(Serialize)]
#[serde(tag = "message", rename_all = "camelCase")]
pub(super) enum Outcome<'a> {
    /// A request of the API: its route in template.yaml, and the status of the answer.
    Request { route: &'a str, status: u16 },
    /// A batch of stream records: their number, and the number of those that failed.
    Batch { records: usize, failed: usize },
    /// An event that is a sign-up or an upload, and whether it failed.
    Event { failed: bool },
    /// An event of a schedule, and whether it failed.
    Schedule { failed: bool },
}

/// The line of an invocation, from its beginning to its end.
pub(super) struct Line {
    function: String,
    request_id: String,
    trace: Option<String>,
    is_first: bool,
    begin: Instant,
}

/// The fields of a line. They have no personal data: neither names, paths and addresses, nor values
/// of items.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fields<'a> {
    timestamp: String,
    level: &'static str,
    function: &'a str,
    #[serde(flatten)]
    outcome: &'a Outcome<'a>,
    ms: f64,
    #[serde(flatten)]
    usage: Usage,
    #[serde(skip_serializing_if = "Option::is_none")]
    cold_start: Option<bool>,
    request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a str>,
}

impl Line {
    /// Begins the line of an invocation.
    pub(super) fn begin(context: &Context) -> Self {
        Self {
            function: context.env_config.function_name.clone(),
            request_id: context.request_id.clone(),
            trace: context.xray_trace_id.as_deref().and_then(root).map(str::to_owned),
            is_first: IS_FIRST.swap(false, Ordering::Relaxed),
            begin: Instant::now(),
        }
    }

    /// Writes the line at the end of the invocation. It does not use `tracing`, which would take 10
    /// µs more.
    pub(super) fn write(&self, outcome: &Outcome, usage: Usage) {
        if !tracing::enabled!(Level::INFO) {
            return;
        }
        let fields = Fields {
            timestamp: OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default(),
            level: "INFO",
            function: &self.function,
            outcome,
            ms: (self.begin.elapsed().as_secs_f64() * 1e5).round() / 1e2,
            usage,
            cold_start: self.is_first.then_some(true),
            request_id: &self.request_id,
            trace: self.trace.as_deref(),
        };
        if let Ok(mut line) = serde_json::to_vec(&fields) {
            line.push(b'\n');
            // Without standard output, nobody reads the log.
            let _ = io::stdout().write_all(&line);
        }
    }
}

/// Returns the id of a trace, which is the root in a [tracing
/// header](https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader).
fn root(header: &str) -> Option<&str> {
    header.split(';').find_map(|part| part.trim().strip_prefix("Root="))
}
