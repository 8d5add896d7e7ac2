//! The usage of an invocation of a function: the amount of everything that AWS charges for.

use crate::batches::Batch;
use crate::inputs::Inputs;
use crate::prices::Usage;
use crate::recording::Recording;

/// The requests to S3 of a function for one picture: those at the price of a PUT, and those at the
/// price of a GET. DELETE is free of charge. The recorder sees DynamoDB alone.
const S3_REQUESTS: [(&str, f64, f64); 2] = [
    // PutObject of three sizes and GetObject of the file; the upload of the file itself is in here
    // too.
    ("process-photo", 4.0, 1.0),
    // ListObjectVersions.
    ("reject-photo", 1.0, 0.0),
];

/// The function whose time is that of a picture of 12 megapixels, and not that of the small one of
/// its sample event.
const DECODES: &str = "process-photo";

/// The function that waits for push services, which no measurement has.
const WAITS: &str = "send-push";

/// The function that sends one e-mail for each of its events.
const SENDS_EMAIL: &str = "send-welcome";

/// The megabytes of a gigabyte, as Lambda counts them.
const MB_PER_GB: f64 = 1024.0;

/// Returns the milliseconds of a warm invocation: the measured median, or the median of all
/// functions for one that was not measured, and what each DynamoDB request takes longer in AWS.
pub(crate) fn duration_ms(recording: &Recording, inputs: &Inputs) -> f64 {
    let function = &recording.function;
    if function.name == DECODES {
        return inputs.value("picture_ms");
    }
    if function.name == WAITS {
        return inputs.value("push_ms");
    }
    #[expect(clippy::cast_precision_loss, reason = "a function makes few requests")]
    let requests = recording.pattern.costs.requests as f64;
    let measured = inputs.durations.get(&function.name, function.memory_mb);
    let local = measured.unwrap_or_else(|| inputs.durations.median());
    local + requests * inputs.value("round_trip_ms")
}

/// Returns what Lambda charges for one invocation. It bills a duration in whole milliseconds,
/// rounded up.
pub(crate) fn lambda(duration_ms: f64, memory_mb: u32) -> Usage {
    let mut usage = Usage::default();
    usage.add("lambda_requests", 1.0);
    usage.add("lambda_gb_seconds", duration_ms.ceil() / 1000.0 * f64::from(memory_mb) / MB_PER_GB);
    usage
}

/// Returns what Lambda and SQS charge for a batch of the stream. A record that a job leaves to its
/// queue is sent with nine others, received and deleted.
#[expect(clippy::cast_precision_loss, reason = "a batch has at most 10,000 records")]
pub(crate) fn of_batch(batch: &Batch) -> Usage {
    let mut usage = lambda(batch.ms, batch.memory_mb);
    usage.add("sqs_requests", batch.handed_over as f64 * 2.1);
    usage
}

/// Returns what one invocation uses, for the sample event.
pub(crate) fn usage(recording: &Recording, inputs: &Inputs) -> Usage {
    let function = &recording.function;
    let mut usage = lambda(duration_ms(recording, inputs), function.memory_mb);
    usage.add("dynamodb_reads", recording.pattern.costs.reads);
    usage.add("dynamodb_writes", recording.pattern.costs.writes);
    if !function.routes.is_empty() {
        usage.add("api_requests", 1.0);
    }
    usage.add("logs", inputs.value("log_bytes") / 1e9);
    usage.add("traces", inputs.value("traced"));
    if let Some((_, puts, gets)) = S3_REQUESTS.iter().find(|(name, ..)| *name == function.name) {
        usage.add("s3_puts", *puts);
        usage.add("s3_gets", *gets);
    }
    if function.name == SENDS_EMAIL {
        usage.add("emails", 1.0);
    }
    if function.name == WAITS {
        // A message is sent, received and deleted with nine others.
        usage.add("sqs_requests", 0.3);
    }
    usage
}
