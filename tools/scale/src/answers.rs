//! The answers of the functions to their sample events, which are the examples of docs/openapi.json.

use anyhow::{Context as _, Result};
use serde_json::{Map, Value};
use shared::values::Time;

use crate::recording::Recording;

/// The document with the answers.
pub(crate) const DOCUMENT: &str = "docs/answers.json";

/// The number of entries that an example shows of a list.
const ENTRIES: usize = 2;

/// Returns the text of the document: the body of each answer, under the name of its function.
///
/// A `committed` answer stays while its fields and their types are those of the new one, because
/// times and signatures differ each time.
pub(crate) fn text(committed: &str, recordings: &[Recording]) -> Result<String> {
    let mut committed: Map<String, Value> = serde_json::from_str(committed).context(DOCUMENT)?;
    let mut answers = Map::new();
    for Recording { function, answer, .. } in recordings.iter().filter(|recording| !recording.answer.is_null()) {
        let new = shortened(answer);
        let old = committed.remove(&function.name).map(|old| shortened(&old));
        let old = old.filter(|old| types(old) == types(&new));
        answers.insert(function.name.clone(), old.unwrap_or(new));
    }
    Ok(serde_json::to_string_pretty(&answers)? + "\n")
}

/// The beginnings of the addresses of the local S3 and of links, and of the WebSocket API, at a free port
/// while answers are recorded.
const LOCAL: [&str; 2] = ["http://localhost:", "ws://localhost:"];
/// The port at which the local S3 listens otherwise.
const PORT: &str = "9000";
/// The port at which the local API listens otherwise, and the beginnings of the paths of links and of the
/// WebSocket API.
const PORT_OF_API: &str = "3000";
const OF_API: [&str; 2] = ["/s/", "/local/live"];

/// Returns an answer with the first entries of its lists, and with the address of the local stack
/// that a person starts.
fn shortened(answer: &Value) -> Value {
    match answer {
        Value::Array(entries) => entries.iter().take(ENTRIES).map(shortened).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), shortened(value))).collect(),
        Value::String(text) => match LOCAL.into_iter().find_map(|local| Some((local, text.strip_prefix(local)?))) {
            Some((local, rest)) => {
                let path = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
                let is_of_api = OF_API.iter().any(|beginning| path.starts_with(beginning));
                let port = if is_of_api { PORT_OF_API } else { PORT };
                format!("{local}{port}{path}").into()
            }
            None => answer.clone(),
        },
        other => other.clone(),
    }
}

/// Returns an answer with an empty value of its type in the place of each text and number. A time
/// is a type of its own.
fn types(answer: &Value) -> Value {
    match answer {
        Value::Array(entries) => entries.iter().map(types).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), types(value))).collect(),
        Value::String(text) if text.parse::<Time>().is_ok() => "time".into(),
        Value::String(_) => "".into(),
        Value::Number(_) => 0.into(),
        other => other.clone(),
    }
}
