//! The connections of live screens, which API Gateway keeps, and the clock by which screens are told.
//!
//! A session begins and ends a connection like this. The id of a connection ends with its user. Without a
//! `ticket`, the client uses that of the last answer of its session:
//!
//! ```text
//! ben CONNECT /users/ben/screens/tab {"ticket":"dGlja2V0LW9mLWJlbi0wMQ","connection":"tab-of-ben"}
//! ben DISCONNECT /users/ben/screens/window {"connection":"window-of-ben"}
//! ```

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

/// The operation that sends a message to a connection.
pub(crate) const POST: &str = "PostToConnection";
/// The operation by which a function ends a connection.
pub(crate) const CLOSE: &str = "DeleteConnection";
/// The end of a handshake, which follows the answer of connect-screen.
pub(crate) const OPEN: &str = "OpenConnection";
/// The end of a connection by its client.
pub(crate) const DISCONNECT: &str = "Disconnect";
/// All operations of connections.
pub(crate) const OPERATIONS: [&str; 4] = [POST, CLOSE, OPEN, DISCONNECT];

/// The function that begins a connection.
pub(crate) const CONNECT_SCREEN: &str = "connect-screen";
/// The function that sends messages.
pub(crate) const SEND_LIVE: &str = "send-live";

/// The ticket of the screen of ben that is not connected yet.
pub(crate) const TICKET: &str = "dGlja2V0LW9mLWJlbi0wMQ";
/// The connections with which a schedule begins.
pub(crate) const CONNECTIONS: [&str; 3] = ["window-of-ada", "window-of-ben", "window-of-cara"];

/// A message to a connection.
#[derive(Debug)]
pub(crate) struct Hint {
    pub(crate) connection: String,
    pub(crate) kind: String,
    /// The owner and the id of the photo that the message is about.
    pub(crate) photo: Option<(String, String)>,
    /// The number of steps before the process began that has sent it.
    pub(crate) begins: usize,
    /// The number of steps before the message was sent.
    pub(crate) sent: usize,
}

/// The connections of API Gateway.
pub(crate) struct Connections(BTreeSet<String>);

impl Connections {
    pub(crate) fn new() -> Self {
        Self(CONNECTIONS.map(str::to_owned).into())
    }

    /// Returns the connections that are open.
    pub(crate) fn into_open(self) -> BTreeSet<String> {
        self.0
    }

    /// Serves an operation. The message of one is a hint if the connection is open, which it is [not
    /// before the end of the
    /// handshake](https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-route-keys-connect-disconnect.html).
    pub(crate) fn serve(&mut self, operation: &str, body: &Value) -> Result<(u16, Vec<u8>, Option<Hint>)> {
        let id = body["ConnectionId"].as_str().context("an operation of a connection has an id")?.to_owned();
        let is_open = match operation {
            OPEN => {
                self.0.insert(id);
                return Ok((200, vec![], None));
            }
            POST => self.0.contains(&id),
            _ => self.0.remove(&id),
        };
        if !is_open {
            let gone = json!({"__type": "GoneException", "message": "The connection is gone."});
            return Ok((410, gone.to_string().into_bytes(), None));
        }
        let hint = (operation == POST).then(|| {
            let message = &body["Message"];
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let photo = &message["photo"];
            let photo = photo.is_object().then(|| (text(&photo["username"]), text(&photo["id"])));
            Hint { connection: id, kind: text(&message["kind"]), photo, begins: 0, sent: 0 }
        });
        Ok((200, vec![], hint))
    }
}

/// The least time between two messages about the same, in milliseconds.
const PAUSE: u64 = 1000;
/// The time by which the clocks of processes may differ, in milliseconds.
const MAX_CLOCK_DIFFERENCE: u64 = 100;
/// The time at which every schedule begins, in milliseconds since 1970.
const BEGIN: u64 = 1_900_000_000_000;
/// More milliseconds than a schedule takes.
const LONG: u64 = 30_000;

/// The clock of the claims of send-live: it stands still until a process waits for the end of a second.
/// What screens are told does not depend on the speed of the machine then.
#[derive(Debug, Default)]
pub(crate) struct Clock(u64);

/// What a process has claimed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Claim {
    /// The time of the clock when it looked for the screens first.
    since: Option<u64>,
    /// The time of the clock when it last read the screens. A screen that comes later is not told.
    read: Option<u64>,
    /// The call of the SDK, the time of the function, and the time of the clock.
    call: Option<(String, u64, u64)>,
}

impl Clock {
    /// Replaces the time in a request of send-live that claims a message.
    pub(crate) fn note(&self, claim: &mut Claim, operation: &str, call: &str, body: &mut Value) {
        let clock = BEGIN + self.0;
        match operation {
            // A photo is claimed by the time at which its watchers are read, and a bell when it is found.
            "Query" => {
                claim.since.get_or_insert(clock);
                claim.read = Some(clock);
            }
            "BatchGetItem" => claim.read = Some(clock),
            _ => {}
        }
        let Some(now) = time_of_claim(operation, body) else { return };
        let time = match &claim.call {
            Some((same, _, time)) if same == call => *time,
            _ => claim.read.take().unwrap_or(clock),
        };
        claim.since.get_or_insert(clock);
        claim.call = Some((call.to_owned(), now, time));
        body["ExpressionAttributeValues"][":now"]["N"] = time.to_string().into();
        body["ExpressionAttributeValues"][":before"]["N"] = (time - PAUSE).to_string().into();
    }

    /// Replaces the time in the answer to a claim that is refused: the function is to decide by this
    /// clock. If it waits, the clock goes on.
    pub(crate) fn answer(&mut self, claim: &Claim, operation: &str, body: &Value, answer: Vec<u8>) -> Vec<u8> {
        let (Some(_), Some((_, now, time)), Some(since)) = (time_of_claim(operation, body), &claim.call, claim.since)
        else {
            return answer;
        };
        let Ok(mut refusal) = serde_json::from_slice::<Value>(&answer) else { return answer };
        let Some(told) = refusal["Item"]["told"]["N"].as_str().and_then(|told| told.parse::<u64>().ok()) else {
            return answer;
        };
        let is_own = refusal["Item"]["teller"] == body["ExpressionAttributeValues"][":teller"];
        let shown = if told == *time && is_own {
            *now
        } else if told >= since + MAX_CLOCK_DIFFERENCE {
            now + LONG
        } else {
            self.0 = self.0.max(told + PAUSE - BEGIN);
            now - LONG
        };
        refusal["Item"]["told"]["N"] = shown.to_string().into();
        refusal.to_string().into_bytes()
    }
}

/// Returns the time of a claim.
fn time_of_claim(operation: &str, body: &Value) -> Option<u64> {
    let values = &body["ExpressionAttributeValues"];
    (operation == "UpdateItem" && values.get(":before").is_some())
        .then(|| values[":now"]["N"].as_str()?.parse().ok())?
}
