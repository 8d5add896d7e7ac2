//! A request to DynamoDB, as fault injection and the permission check see it.

use serde_json::Value;

/// A request that a function sent to DynamoDB.
#[derive(Debug, Clone)]
pub(crate) struct RecordedRequest {
    /// The operation, for example `Query`.
    pub(crate) operation: String,
    /// The body of the request.
    pub(crate) body: Value,
}
