//! Schedules, and the line of text that replays one.
//!
//! ```text
//! own: ben DELETE /users/ada/followers/ben & ada DELETE /users/ada @ a b:lost a c~1 b
//! ```
//!
//! Before the `@` stands the scenario: the world, and the sessions, separated by ` & `. A session
//! is one request or several, separated by ` ; `, each with its caller, its method, its path and
//! its JSON body. After the `@` stand the steps. Each names a process and what becomes of its
//! request. The processes have the names a, b, c … in the order in which they start: first those of
//! the sessions, then those that the schedule starts. A request that arrives late has such a name
//! too. A number before a step repeats it as long as it applies, and `*e:lost` serves the requests
//! of e until the step applies. What the explorer prints names each step.
//!
//! The text `"now"` in a body is the time at which the request is sent.
//!
//! After the world may stand by how many milliseconds the clock of API Gateway is ahead of that of
//! the functions, or behind it: `own+200: …`, `own-200: …`.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context as _, Error, Result, anyhow, bail};
use clap::ValueEnum as _;
use serde_json::Value;
use shared::values::Timestamp;
use time::OffsetDateTime;

use crate::network::ProcessId;
use crate::world::World;

/// Requests that meet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scenario {
    pub(crate) world: World,
    /// By how many milliseconds the clock of API Gateway is ahead of that of the functions.
    pub(crate) skew: i64,
    pub(crate) sessions: Vec<Vec<ApiRequest>>,
}

/// A request to the API.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ApiRequest {
    pub(crate) caller: String,
    pub(crate) method: String,
    pub(crate) path: String,
    /// The JSON body. Empty if there is none.
    pub(crate) body: String,
}

impl ApiRequest {
    /// Returns the request at a time, which stands for `now` in its body.
    pub(crate) fn at(&self, now: OffsetDateTime) -> Self {
        let body = self.body.replace("\"now\"", &format!("\"{}\"", Timestamp::from(now)));
        Self { body, ..self.clone() }
    }

    /// Returns the segments of the path, without the query.
    pub(crate) fn segments(&self) -> Vec<&str> {
        let path = self.path.split('?').next().unwrap_or_default();
        path.trim_start_matches('/').split('/').collect()
    }

    /// Returns the JSON body, or `null` if there is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    /// Returns whether the request deletes the account of its caller.
    pub(crate) fn deletes_account(&self) -> bool {
        self.method == "DELETE" && self.path == format!("/users/{}", self.caller)
    }
}

/// A step of a schedule: what becomes of a request that a process has sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) process: ProcessId,
    /// The position among the requests that the process waits for; 0 for most.
    pub(crate) request: usize,
    pub(crate) outcome: Outcome,
}

/// The outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// DynamoDB serves the request on the current state.
    Served,
    /// DynamoDB serves the read on an older state, or in the middle of a transaction: the `n`th
    /// answer that differs.
    Stale(usize),
    /// DynamoDB serves the request, and the answer does not arrive in time.
    Lost,
    /// DynamoDB serves the request, and neither its answer nor that of any retry arrives.
    LostAlways,
    /// The process gets no answer in time, and DynamoDB gets the request later: after any other
    /// step.
    Late,
    /// DynamoDB serves the request, and the connection breaks in the middle of the answer.
    Reset,
    /// DynamoDB serves the request, and the answer cannot be parsed.
    Garbled,
    /// DynamoDB refuses the write because of a conflict with a transaction.
    Conflict,
    /// DynamoDB refuses the request because a partition or the table is too busy.
    Throttled,
    /// DynamoDB answers with an internal error and does nothing.
    InternalError,
    /// DynamoDB leaves items of a batch unprocessed: of one that writes, all but the first, and
    /// otherwise all.
    Unprocessed,
    /// The process ends before DynamoDB gets the request.
    GoneBefore,
    /// The process ends after DynamoDB has served the request.
    GoneAfter,
    /// Lambda does not deliver the record of the finished process again.
    Done,
    /// Lambda delivers the record of the process again, after it has finished or while it is under
    /// way.
    Again,
}

/// The outcomes with a fixed name in a schedule.
const NAMES: [(&str, Outcome); 14] = [
    ("", Outcome::Served),
    (":lost", Outcome::Lost),
    (":lost*", Outcome::LostAlways),
    (":late", Outcome::Late),
    (":reset", Outcome::Reset),
    (":garbled", Outcome::Garbled),
    (":conflict", Outcome::Conflict),
    (":throttled", Outcome::Throttled),
    (":500", Outcome::InternalError),
    (":unprocessed", Outcome::Unprocessed),
    (":gone-", Outcome::GoneBefore),
    (":gone+", Outcome::GoneAfter),
    (":done", Outcome::Done),
    (":again", Outcome::Again),
];

impl Outcome {
    /// Returns whether the outcome differs from what the embedded engine would do.
    pub(crate) fn is_deviation(self) -> bool {
        !matches!(self, Self::Served | Self::Done)
    }
}

/// Returns the name of a process.
pub(crate) fn process_name(process: ProcessId) -> String {
    let letter = |number: usize| char::from(b'a' + u8::try_from(number).unwrap_or_default());
    match process {
        0..26 => letter(process).to_string(),
        _ => format!("{}{}", letter(process / 26 - 1), letter(process % 26)),
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&process_name(self.process))?;
        if self.request > 0 {
            write!(f, "{}", self.request + 1)?;
        }
        match self.outcome {
            Outcome::Stale(number) => write!(f, "~{number}"),
            outcome => {
                let name = NAMES.iter().find(|(_, other)| *other == outcome);
                f.write_str(name.map_or("", |(name, _)| name))
            }
        }
    }
}

impl FromStr for Step {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, rest) = text.split_at(text.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(text.len()));
        let (number, outcome) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
        let letter = |byte: u8| usize::from(byte - b'a');
        let process = match name.as_bytes() {
            [one] => letter(*one),
            [one, two] => (letter(*one) + 1) * 26 + letter(*two),
            _ => bail!("the step {text:?} does not begin with the name of a process"),
        };
        let request = if number.is_empty() { 0 } else { number.parse::<usize>()?.saturating_sub(1) };
        let outcome = match outcome.strip_prefix('~') {
            Some(number) => Outcome::Stale(number.parse()?),
            None => NAMES
                .iter()
                .find(|(name, _)| *name == outcome)
                .map(|(_, outcome)| *outcome)
                .with_context(|| format!("the step {text:?} has an unknown outcome"))?,
        };
        Ok(Self { process, request, outcome })
    }
}

impl fmt::Display for ApiRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.caller, self.method, self.path)?;
        if self.body.is_empty() { Ok(()) } else { write!(f, " {}", self.body) }
    }
}

impl FromStr for ApiRequest {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut parts = text.splitn(4, ' ').map(ToOwned::to_owned);
        let mut part = |name| parts.next().with_context(|| format!("the request {text:?} has no {name}"));
        let (caller, method, path) = (part("caller")?, part("method")?, part("path")?);
        let body = parts.next().unwrap_or_default();
        if !body.is_empty() {
            serde_json::from_str::<Value>(&body).with_context(|| format!("the body of {text:?} is not JSON"))?;
        }
        Ok(Self { caller, method, path, body })
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let session =
            |session: &Vec<ApiRequest>| session.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ; ");
        let sessions: Vec<String> = self.sessions.iter().map(session).collect();
        write!(f, "{}", self.world)?;
        if self.skew != 0 {
            write!(f, "{:+}", self.skew)?;
        }
        write!(f, ": {}", sessions.join(" & "))
    }
}

impl FromStr for Scenario {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, sessions) = text.split_once(": ").context("a scenario begins with the name of a world")?;
        let (name, skew) = name.split_at(name.find(['+', '-']).unwrap_or(name.len()));
        let session = |session: &str| session.split(" ; ").map(str::parse).collect::<Result<Vec<_>>>();
        Ok(Self {
            world: World::from_str(name, false).map_err(|_| anyhow!("there is no world {name}"))?,
            skew: if skew.is_empty() { 0 } else { skew.parse()? },
            sessions: sessions.split(" & ").map(session).collect::<Result<_>>()?,
        })
    }
}

/// Returns the line of a schedule.
pub(crate) fn line(scenario: &Scenario, steps: &[Step]) -> String {
    let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
    format!("{scenario} @ {}", steps.join(" "))
}

/// A step of a line that is replayed.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    pub(crate) step: Step,
    /// Whether the requests of the process are served until the step applies.
    pub(crate) is_awaited: bool,
    /// Whether it is left out if it does not apply: a repetition of the step before.
    pub(crate) is_optional: bool,
}

/// Parses the line of a schedule.
pub(crate) fn parse(line: &str) -> Result<(Scenario, Vec<Planned>)> {
    let (scenario, steps) = line.split_once(" @").unwrap_or((line, ""));
    let mut all = vec![];
    for step in steps.split_whitespace() {
        let (times, step) = step.split_at(step.find(|c: char| c.is_ascii_lowercase()).unwrap_or_default());
        let step: Step = step.parse()?;
        let is_awaited = times == "*";
        let times = if ["", "*"].contains(&times) { 1 } else { times.parse()? };
        all.extend((0..times).map(|time| Planned { step: step.clone(), is_awaited, is_optional: time > 0 }));
    }
    Ok((scenario.trim().parse()?, all))
}
