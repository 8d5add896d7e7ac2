//! The messages to phones, which AWS End User Messaging gets.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

/// The operation that sends a message.
pub(crate) const SEND_MESSAGES: &str = "SendMessages";

/// The function that sends messages.
pub(crate) const SEND_PUSH: &str = "send-push";

/// The reads and the claim of a notification by a process.
#[derive(Debug, Clone, Default)]
pub(crate) struct Claimed {
    /// The number of steps before the last read of the devices.
    pub(crate) read: usize,
    /// The time at which the notification has changed.
    pub(crate) changed: String,
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
    pub(crate) token: String,
    pub(crate) user: String,
    pub(crate) kind: String,
    pub(crate) people: Vec<String>,
    pub(crate) claimed: Claimed,
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

    pub(crate) fn is_of(&self, user: &str) -> bool {
        self.user == user
    }

    pub(crate) fn is_about(&self, person: &str) -> bool {
        self.people.iter().any(|other| other == person)
    }
}
