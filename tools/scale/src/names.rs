//! The names of the values in an event, so that keys can be shown as templates.

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;
use serde_json::Value;

/// Attributes that repeat a key, and have no name of their own.
const KEYS: [&str; 12] = [
    "PK",
    "SK",
    "pk",
    "sk",
    "lsiOneSk",
    "lsiTwoSk",
    "lsiThreeSk",
    "gsiOnePk",
    "gsiOneSk",
    "gsiTwoPk",
    "gsiTwoSk",
    "photo",
];

/// The values of an event with their names. Of two values that are equal, the first one gives the
/// name.
#[derive(Default)]
pub(crate) struct Names(BTreeMap<String, String>);

impl Names {
    /// Reads the parameters, the body and the caller of a request; the attributes of a stream
    /// record; the object of an upload; or the name of a new account.
    pub(crate) fn from_event(event: &Value) -> Self {
        let mut names = Self::default();
        names.add_all(&event["pathParameters"]);
        names.add_all(&event["queryStringParameters"]);
        let body: Value = event["body"].as_str().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();
        names.add_all(&body);
        let claims = &event["requestContext"]["authorizer"]["jwt"]["claims"];
        names.add("caller", &claims["username"]);
        names.add("username", &event["userName"]);
        // Lambda's destination after a failure gets the event in a member of its own.
        let records = event.get("Records").unwrap_or(&event["requestPayload"]["Records"]);
        for record in records.as_array().into_iter().flatten() {
            for image in ["NewImage", "OldImage"] {
                for (name, value) in record["dynamodb"][image].as_object().into_iter().flatten() {
                    // A Deletion has its user's name under another name.
                    let name = if name == "erasing" { "username" } else { name };
                    names.add(name, &value["S"]);
                }
            }
            let keys = &record["dynamodb"]["Keys"];
            let partition = keys["pk"]["S"].as_str().or_else(|| keys["PK"]["S"].as_str()).unwrap_or_default();
            names.add("username", &partition.split('#').nth(1).into());
            let key = record["s3"]["object"]["key"].as_str().unwrap_or_default();
            for (name, value) in ["username", "photo"].into_iter().zip(key.split('/').skip(1)) {
                names.add(name, &percent_decode_str(value).decode_utf8_lossy().into());
            }
        }
        names
    }

    fn add_all(&mut self, values: &Value) {
        for (name, value) in values.as_object().into_iter().flatten() {
            self.add(name, value);
        }
    }

    fn add(&mut self, name: &str, value: &Value) {
        let value = value.as_str().map(str::to_owned).or_else(|| value.as_u64().map(|number| number.to_string()));
        if let Some(value) = value.filter(|_| !KEYS.contains(&name)) {
            self.0.entry(value).or_insert_with(|| name.to_owned());
        }
    }

    /// Returns a key with names in place of values. The first part of a key with a `#` is the kind
    /// of its entity. A value that is not in the event, because the function has read it or made
    /// it, is `<…>`.
    pub(crate) fn template(&self, key: &str) -> String {
        let name = |value: &str| self.0.get(value).map_or_else(|| "<…>".to_owned(), |name| format!("<{name}>"));
        if !key.contains('#') {
            return key.split(" + ").map(name).collect::<Vec<_>>().join(" + ");
        }
        let mut has_kind = false;
        let part = |part: &str| {
            let is_kind = !has_kind && !part.is_empty();
            has_kind |= is_kind;
            if is_kind || part.is_empty() { part.to_owned() } else { name(part) }
        };
        key.split('#').map(part).collect::<Vec<_>>().join("#")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_becomes_a_template_of_the_names_in_the_event() {
        let names = Names::from_event(&json!({
            "pathParameters": {"username": "ada", "photo": "2024-05-30T15:42:38", "type": "heart"},
            "requestContext": {"authorizer": {"jwt": {"claims": {"username": "ben"}}}},
        }));
        assert_eq!(names.template("USER#ada"), "USER#<username>");
        assert_eq!(names.template("#FRIEND#ada"), "#FRIEND#<username>");
        assert_eq!(names.template("REACTION#ben#heart"), "REACTION#<caller>#<type>");
        assert_eq!(names.template("USER#cara"), "USER#<…>");
        assert_eq!(names.template("ben + heart"), "<caller> + <type>");
    }

    #[test]
    fn the_name_in_the_path_goes_before_the_caller() {
        let names = Names::from_event(&json!({
            "pathParameters": {"username": "ada"},
            "requestContext": {"authorizer": {"jwt": {"claims": {"username": "ada"}}}},
        }));
        assert_eq!(names.template("USER#ada"), "USER#<username>");
    }
}
