//! The messages to phones, which AWS End User Messaging gets, and what is wrong with them.
//!
//! - A push that begins after the answer to a change keeps to it: the device was deleted or has
//!   another address, the user was deleted, has blocked or muted the person or was blocked, has seen
//!   the notification, or wants no push of its kind. A push begins when send-push reads the devices.
//! - No device gets the same more than twice, apart from messages whose answer was lost.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use shared::values::Timestamp;

use crate::run::{Answered, Run};
use crate::schedule::Scenario;

/// The operation that sends a message.
pub(crate) const SEND_MESSAGES: &str = "SendMessages";

/// The function that sends messages.
pub(crate) const SEND_PUSH: &str = "send-push";

/// The maximum number of times that a device gets the same.
const MAX_SENT: usize = 2;

/// What a process has read and claimed of a notification.
#[derive(Debug, Clone, Default)]
pub(crate) struct Claimed {
    /// The number of steps before the last read of the devices.
    read: usize,
    /// The time at which the notification has changed.
    changed: String,
}

impl Claimed {
    /// Notes a request that is served after so many steps.
    pub(crate) fn note(&mut self, operation: &str, body: &Value, steps: usize) {
        match operation {
            "BatchGetItem" if body.to_string().contains("\"DEVICES\"") => self.read = steps,
            "UpdateItem" => {
                let pushed = &body["ExpressionAttributeValues"][":pushed"]["M"];
                pushed["changed"]["S"].as_str().unwrap_or_default().clone_into(&mut self.changed);
            }
            _ => {}
        }
    }
}

/// A message to a phone.
#[derive(Debug)]
pub(crate) struct Push {
    token: String,
    user: String,
    kind: String,
    people: Vec<String>,
    claimed: Claimed,
    /// Whether the answer was lost, so that send-push does not know of the message.
    pub(crate) is_lost: bool,
}

impl Push {
    /// Reads the body of a request to send a message.
    pub(crate) fn of(body: &Value, claimed: Claimed) -> Result<Self> {
        let token = body["Addresses"].as_object().and_then(|addresses| addresses.keys().next());
        let token = token.context("a message has an address")?.clone();
        let content = body["MessageConfiguration"]["GCMMessage"]["RawContent"].as_str().unwrap_or_default();
        let content: Value = serde_json::from_str(content)?;
        let data = &content["fcmV1Message"]["message"]["data"];
        let text = |name: &str| data[name].as_str().map(str::to_owned).with_context(|| format!("{body} lacks {name}"));
        let people = serde_json::from_str(&text("usernames")?)?;
        Ok(Self { token, user: text("user")?, kind: text("kind")?, people, claimed, is_lost: false })
    }

    /// Returns the answer to the message.
    pub(crate) fn answer(&self) -> Value {
        json!({"ApplicationId": "explored", "Result": {&self.token: {"DeliveryStatus": "SUCCESSFUL", "StatusCode": 200}}})
    }

    fn is_of(&self, user: &str) -> bool {
        self.user == user
    }

    fn is_about(&self, person: &str) -> bool {
        self.people.iter().any(|other| other == person)
    }

    /// Returns whether the answer to a change says that there is no such push.
    fn is_refused_by(&self, Answered { request, body, .. }: &Answered) -> bool {
        let sent: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let path: Vec<&str> = request.path.split('/').skip(1).collect();
        match (request.method.as_str(), &path[..]) {
            ("DELETE", ["users", user]) => self.is_of(user),
            ("DELETE", ["users", user, "devices", id]) => self.token.starts_with(&format!("{id}-of-{user}")),
            ("PUT", ["users", user, "devices", id]) => {
                self.token.starts_with(&format!("{id}-of-{user}")) && sent["address"]["token"] != *self.token
            }
            ("PUT", ["users", user, "blocks", other]) => {
                (self.is_of(user) && self.is_about(other))
                    || (sent["level"] == "block" && self.is_of(other) && self.is_about(user))
            }
            ("PUT", ["users", user, "notifications", "seen"]) => {
                let [seen, changed] = [body["until"].as_str().unwrap_or_default(), &self.claimed.changed]
                    .map(|time| time.parse::<Timestamp>().ok());
                self.is_of(user) && seen >= changed
            }
            ("PATCH", ["users", user]) => {
                let is_off = |kind: &Value| *kind == *self.kind;
                self.is_of(user) && sent["pushOff"].as_array().is_some_and(|off| off.iter().any(is_off))
            }
            _ => false,
        }
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
            if begins_after && push.is_refused_by(answer) && !may_be_undone(scenario, answer) {
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
fn may_be_undone(scenario: &Scenario, Answered { request, .. }: &Answered) -> bool {
    let others = scenario.sessions.iter().flat_map(|session| {
        let position = session.iter().position(|other| other == request);
        session.iter().skip(position.map_or(0, |position| position + 1))
    });
    let creates = |path: &str| path == "/users" && request.deletes_account();
    let mut undoing = others.filter(|other| other.path == request.path || creates(&other.path));
    undoing.any(|other| other.method != "GET")
}
