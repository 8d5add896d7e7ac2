//! Judges the answers that show photos: only the answer about a photo that one opens has the picture of
//! a sensitive photo of somebody else. Nobody in the worlds has another setting, and moderators see what
//! is reported.

use serde_json::Value;

use crate::run::{Answered, Run};

/// Returns the answers that show what they must not.
pub(crate) fn shown(run: &Run) -> Vec<String> {
    let answers = run.answers.iter().flatten().filter(|answer| !opens(answer));
    let wrong = answers.filter(|answer| shows(&answer.body, &answer.request.caller));
    wrong
        .map(|answer| format!("{} shows a sensitive photo to {}", answer.request.path, answer.request.caller))
        .collect()
}

fn opens(Answered { request, .. }: &Answered) -> bool {
    matches!(&request.segments()[..], ["users", _, "photos", _] | ["reports", ..])
}

fn shows(body: &Value, caller: &str) -> bool {
    match body {
        Value::Object(fields) => {
            let has_picture = body["urls"][0].is_object() || body["small"].is_string();
            let is_of_other = body["username"] != caller;
            (fields.contains_key("sensitive") && has_picture && is_of_other)
                || fields.values().any(|value| shows(value, caller))
        }
        Value::Array(values) => values.iter().any(|value| shows(value, caller)),
        _ => false,
    }
}
