//! The time at which an invocation stops its work, to be able to answer.

use std::time::{Duration, SystemTime};

use lambda_runtime::Context;
use tokio::time::Instant;

/// The time reserved for answering: work is stopped this long before Lambda ends the invocation.
/// Lambda would kill the process otherwise, which costs a cold start, fails the whole batch of a
/// stream function, and leaves the caller of an HTTP function with an error of the gateway instead
/// of a 503.
const ANSWER_MARGIN: Duration = Duration::from_secs(1);

/// Returns the time at which the work of an invocation is stopped.
pub(super) fn work_ends(context: &Context) -> Instant {
    let time_left = context.deadline().duration_since(SystemTime::now()).unwrap_or_default();
    Instant::now() + time_left.saturating_sub(ANSWER_MARGIN)
}
