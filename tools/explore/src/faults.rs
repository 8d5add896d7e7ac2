//! The faults that DynamoDB, S3, the network or Lambda can have at a request.

use serde_json::{Value, json};

use crate::network::HeldRequest;
use crate::push::SEND_MESSAGES;
use crate::s3;
use crate::schedule::Outcome;
use crate::screen::{CLOSE, DISCONNECT, OPEN, POST};
use crate::store::Reply;

/// Returns the faults that DynamoDB, the network or Lambda can have at a request.
pub(crate) fn faults(request: &HeldRequest) -> Vec<Outcome> {
    if [OPEN, DISCONNECT].contains(&request.operation.as_str()) {
        return vec![];
    }
    if s3::is_operation(&request.operation) {
        let gone = [Outcome::GoneBefore, Outcome::GoneAfter];
        return [Outcome::Lost, Outcome::LostAlways, Outcome::Throttled].into_iter().chain(gone).collect();
    }
    let mut faults = vec![Outcome::Lost, Outcome::LostAlways, Outcome::Reset, Outcome::Garbled, Outcome::Throttled];
    faults.push(Outcome::InternalError);
    match request.operation.as_str() {
        "SendEmail" | "SendMessage" | "SendMessageBatch" | SEND_MESSAGES | POST | CLOSE => {
            faults.retain(|fault| matches!(fault, Outcome::Lost | Outcome::LostAlways));
        }
        "PutItem" | "UpdateItem" | "DeleteItem" | "TransactWriteItems" => {
            faults.extend([Outcome::Conflict, Outcome::Late]);
        }
        "TransactGetItems" => faults.push(Outcome::Conflict),
        "BatchGetItem" | "BatchWriteItem" => faults.push(Outcome::Unprocessed),
        _ => {}
    }
    faults.extend([Outcome::GoneBefore, Outcome::GoneAfter]);
    faults
}

fn error(status: u16, code: &str) -> Reply {
    let body =
        json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{code}"), "message": "chosen by the explorer"});
    (status, body.to_string())
}

fn conflict(operation: &str, body: &Value) -> Reply {
    if !operation.starts_with("Transact") {
        return error(400, "TransactionConflictException");
    }
    let items = body["TransactItems"].as_array().map_or(0, Vec::len);
    let reason = |position| json!({"Code": if position == 0 { "TransactionConflict" } else { "None" }});
    let body = json!({
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "Message": "chosen by the explorer",
        "CancellationReasons": (0..items).map(reason).collect::<Vec<_>>(),
    });
    (400, body.to_string())
}

/// Returns the reply of a DynamoDB or an S3 that does not serve a request, or `None` for an outcome
/// that serves it.
pub(crate) fn refusal(outcome: Outcome, operation: &str, body: &Value) -> Option<Reply> {
    match outcome {
        Outcome::Throttled if s3::is_operation(operation) => {
            let body = "<Error><Code>SlowDown</Code><Message>chosen by the explorer</Message></Error>";
            Some((503, body.to_owned()))
        }
        Outcome::Conflict => Some(conflict(operation, body)),
        Outcome::Throttled => Some(error(400, "ProvisionedThroughputExceededException")),
        Outcome::InternalError => Some(error(500, "InternalServerError")),
        Outcome::Unprocessed if split_batch(body).is_none() => {
            let left = &body["RequestItems"];
            Some((200, json!({"Responses": {}, "UnprocessedKeys": left, "UnprocessedItems": left}).to_string()))
        }
        _ => None,
    }
}

/// Returns a `BatchWriteItem` with its first write only, and the other writes, if there are any.
/// The functions write to one table at a time.
pub(crate) fn split_batch(body: &Value) -> Option<(Value, Value)> {
    let (table, writes) = body["RequestItems"].as_object()?.iter().next()?;
    let (first, left) = writes.as_array()?.split_first().filter(|(_, left)| !left.is_empty())?;
    Some((json!({"RequestItems": {table: [first]}}), json!({table: left})))
}

/// Returns whether a request is a transaction of a user other than ben that adds a reaction, a
/// comment or a friendship together with its count.
pub(crate) fn adds_with_count(operation: &str, body: &Value) -> bool {
    let is_added = |part: &Value| {
        let item = &part["Put"]["Item"];
        let by = [&item["reactingUser"]["S"], &item["author"]["S"], &item["followingUser"]["S"]];
        item["uncounted"].is_null() && by.into_iter().any(|by| !by.is_null() && by != "ben")
    };
    operation == "TransactWriteItems"
        && body["TransactItems"].as_array().is_some_and(|parts| parts.iter().any(is_added))
}
