//! The handshake of a live screen, which a session begins by a request.

use anyhow::{Result, bail};
use serde_json::{Value, json};

use crate::run::Answered;
use crate::schedule::ApiRequest;

/// Returns the event of `$connect` that a request of a session stands for, or `None` if it is another
/// request. `answers` are the earlier ones of the session.
pub(crate) fn connecting(request: &ApiRequest, answers: &[Answered]) -> Result<Option<Value>> {
    if request.method != "CONNECT" {
        return Ok(None);
    }
    let ["users", user, "screens", screen] = request.segments()[..] else { bail!("{request} names no screen") };
    let body = request.json();
    let ticket_of = |answer: &Answered| Some(answer.body["url"].as_str()?.split_once("ticket=")?.1.to_owned());
    let ticket = match body["ticket"].as_str() {
        Some(ticket) => ticket.to_owned(),
        None => answers.iter().rev().find_map(ticket_of).unwrap_or_default(),
    };
    Ok(Some(json!({
        "queryStringParameters": {"user": user, "screen": screen, "ticket": ticket},
        "requestContext": {"connectionId": body["connection"]},
    })))
}
