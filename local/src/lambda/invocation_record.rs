//! The record of an event, or of a batch of stream records, that was given up. Its on-failure
//! destination gets it.

use serde_json::{Value, json};
use time::{OffsetDateTime, macros::format_description};

/// The members that [asynchronous
/// invocations](https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html)
/// and [streams](https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html) have
/// in common.
pub(crate) struct InvocationRecord<'a> {
    pub(crate) request_id: &'a str,
    pub(crate) function_arn: &'a str,
    /// The reason for giving up.
    pub(crate) condition: &'static str,
    pub(crate) invocations: u32,
    /// Whether the function failed in the last invocation, if there was one.
    pub(crate) function_error: Option<bool>,
}

impl InvocationRecord<'_> {
    /// Returns the record with these members.
    pub(crate) fn record(&self) -> Value {
        let format = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
        let mut record = json!({
            "requestContext": {
                "requestId": self.request_id,
                "functionArn": self.function_arn,
                "condition": self.condition,
                "approximateInvokeCount": self.invocations,
            },
            "version": "1.0",
            "timestamp": OffsetDateTime::now_utc().format(&format).unwrap_or_default(),
        });
        if let Some(function_error) = self.function_error {
            record["responseContext"] = json!({"statusCode": 200, "executedVersion": "$LATEST"});
            if function_error {
                record["responseContext"]["functionError"] = json!("Unhandled");
            }
        }
        record
    }
}
