//! Judges the messages to phones.
//!
//! - A push that begins after the answer to a change keeps to it: the device was deleted or has
//!   another address, the user was deleted, has blocked or muted the person or was blocked, has seen
//!   the notification, or wants no push of its kind. A push begins when send-push reads the devices.
//! - No device gets the same more than twice, apart from messages whose answer was lost.

use std::collections::BTreeMap;

use serde_json::Value;
use shared::values::Timestamp;

use crate::push::Push;
use crate::run::{Answered, Run};
use crate::schedule::Scenario;

/// The maximum number of times that a device gets the same.
const MAX_SENT: usize = 2;

/// Returns whether the answer to a change says that there is no such push.
fn is_refused(push: &Push, Answered { request, body, .. }: &Answered) -> bool {
    let sent = request.json();
    match (request.method.as_str(), &request.segments()[..]) {
        ("DELETE", ["users", user]) => push.is_of(user),
        ("DELETE", ["users", user, "devices", id]) => push.token.starts_with(&format!("{id}-of-{user}")),
        ("PUT", ["users", user, "devices", id]) => {
            push.token.starts_with(&format!("{id}-of-{user}")) && sent["address"]["token"] != *push.token
        }
        ("PUT", ["users", user, "blocks", other]) => {
            (push.is_of(user) && push.is_about(other))
                || (sent["level"] == "block" && push.is_of(other) && push.is_about(user))
        }
        ("DELETE", ["users", author, "followers", user]) => {
            push.kind == "photo" && push.is_of(user) && push.is_about(author)
        }
        ("PUT", ["users", user, "notifications", "seen"]) => {
            let [seen, changed] = [body["until"].as_str().unwrap_or_default(), &push.claimed.changed]
                .map(|time| time.parse::<Timestamp>().ok());
            push.is_of(user) && seen >= changed
        }
        ("PATCH", ["users", user]) => {
            let is_off = |kind: &Value| *kind == *push.kind;
            push.is_of(user) && sent["pushOff"].as_array().is_some_and(|off| off.iter().any(is_off))
        }
        _ => false,
    }
}

/// Returns what is wrong with the messages of a schedule.
pub(crate) fn wrong(scenario: &Scenario, run: &Run) -> Vec<String> {
    let mut wrong = vec![];
    let mut sent: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    for push in &run.pushes {
        let Push { token, kind, people, claimed, .. } = push;
        for answer in run.answers.iter().flatten().filter(|answer| answer.status < 300) {
            let begins_after = answer.steps <= claimed.read;
            if begins_after && is_refused(push, answer) && !may_be_undone(scenario, answer) {
                wrong.push(format!("{token} gets a {kind} by {people:?} after {}", answer.request));
            }
        }
        *sent.entry((token, kind, &claimed.changed)).or_default() += usize::from(!push.is_lost);
    }
    let repeated = sent.into_iter().filter(|(_, times)| *times > MAX_SENT);
    wrong.extend(repeated.map(|((token, kind, _), times)| format!("{token} gets a {kind} {times} times")));
    wrong
}

/// Returns whether another request of the scenario undoes what this one does: one to the same path, or
/// the creation of a user who was deleted. One that comes before it in its session does not.
pub(crate) fn may_be_undone(scenario: &Scenario, Answered { request, .. }: &Answered) -> bool {
    let others = scenario.sessions.iter().flat_map(|session| {
        let position = session.iter().position(|other| other == request);
        session.iter().skip(position.map_or(0, |position| position + 1))
    });
    let creates = |path: &str| path == "/users" && request.deletes_account();
    let mut undoing = others.filter(|other| other.path == request.path || creates(&other.path));
    undoing.any(|other| other.method != "GET")
}
