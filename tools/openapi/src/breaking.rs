//! The breaking changes between two documents, by the [rules of
//! oasdiff](https://github.com/oasdiff/oasdiff/blob/main/docs/BREAKING-CHANGES.md) whose level is an
//! error. The functions refuse unknown parameters and fields, so to remove one is an error here too.
//!
//! A new value of an enum in an answer is none: a client has a default for values that it does not
//! know, such as a new kind of problem.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value};

/// Who sends a value. A request must still be accepted, and an answer still be understood.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Sender {
    Client,
    Server,
}

/// Returns a line about each change after which a client of the old document may fail.
#[must_use]
pub fn breaking_changes(old: &Value, new: &Value) -> Vec<String> {
    let mut comparison = Comparison { old, new, compared: HashSet::new(), changes: vec![] };
    for (path, operations) in members(&old["paths"]) {
        for (method, operation) in members(operations) {
            let place = format!("{} {path}", method.to_uppercase());
            match new["paths"][path].get(method) {
                Some(now) => comparison.operation(&place, operation, now),
                None => comparison.add(&place, "is removed"),
            }
        }
    }
    comparison.changes
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// Returns the texts of an array, or of one text.
fn texts(value: &Value) -> BTreeSet<&str> {
    value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice).iter().filter_map(Value::as_str).collect()
}

/// Returns the component to which a value refers, or the value itself.
fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    value["$ref"].as_str().and_then(|path| document.pointer(path.trim_start_matches('#'))).unwrap_or(value)
}

struct Comparison<'a> {
    old: &'a Value,
    new: &'a Value,
    /// The addresses of the pairs of schemas that were compared, or are being compared.
    compared: HashSet<(Sender, *const Value, *const Value)>,
    changes: Vec<String>,
}

impl<'a> Comparison<'a> {
    fn add(&mut self, place: &str, change: &str) {
        self.changes.push(format!("{place} {change}"));
    }

    fn operation(&mut self, place: &str, old: &'a Value, new: &'a Value) {
        let key = |parameter: &Value| (parameter["in"].to_string(), parameter["name"].to_string());
        let list = |operation: &'a Value| operation["parameters"].as_array().into_iter().flatten();
        for before in list(old) {
            let at = format!("{place}: parameter {}", before["name"].as_str().unwrap_or_default());
            match list(new).find(|now| key(now) == key(before)) {
                None => self.add(&at, "is removed"),
                Some(now) => {
                    if now["required"] == true && before["required"] != true {
                        self.add(&at, "is required now");
                    }
                    self.schemas(&at, Sender::Client, &before["schema"], &now["schema"]);
                }
            }
        }
        for now in list(new).filter(|now| now["required"] == true) {
            if !list(old).any(|before| key(before) == key(now)) {
                self.add(
                    &format!("{place}: parameter {}", now["name"].as_str().unwrap_or_default()),
                    "is new and required",
                );
            }
        }
        let (before, now) = (&old["requestBody"], &new["requestBody"]);
        if now["required"] == true && before["required"] != true {
            self.add(place, "requires a body now");
        }
        self.contents(&format!("{place}: body"), Sender::Client, before, now);
        for (status, before) in members(&old["responses"]) {
            let at = format!("{place}: {status}");
            let Some(now) = new["responses"].get(status) else {
                self.add(&at, "is removed");
                continue;
            };
            let (before, now) = (resolve(self.old, before), resolve(self.new, now));
            for (header, _) in members(&before["headers"]).filter(|(header, _)| now["headers"].get(header).is_none()) {
                self.add(&at, &format!("has no header {header} any more"));
            }
            self.contents(&at, Sender::Server, before, now);
        }
    }

    fn contents(&mut self, place: &str, sender: Sender, old: &'a Value, new: &'a Value) {
        for (media_type, before) in members(&old["content"]) {
            match new["content"].get(media_type) {
                Some(now) => self.schemas(place, sender, &before["schema"], &now["schema"]),
                None => self.add(place, &format!("is no {media_type} any more")),
            }
        }
    }

    fn schemas(&mut self, place: &str, sender: Sender, old: &'a Value, new: &'a Value) {
        let (old, new) = (resolve(self.old, old), resolve(self.new, new));
        if !self.compared.insert((sender, old, new)) {
            return;
        }
        let (old, new) = (Shape::new(self.old, old), Shape::new(self.new, new));
        // What is sent must be among what is expected.
        let (sent, expected) = if sender == Sender::Client { (&old, &new) } else { (&new, &old) };
        if !expected.types.is_empty() && (sent.types.is_empty() || !sent.types.is_subset(&expected.types)) {
            self.add(place, &format!("has the types {:?} instead of {:?}", new.types, old.types));
        }
        if sender == Sender::Client {
            let missing = old.values.iter().any(|values| new.values.iter().any(|now| !values.is_subset(now)));
            if missing || (old.values.is_none() && new.values.is_some()) {
                self.add(place, "takes fewer values");
            }
            for bound in ["maximum", "maxLength", "maxItems", "minimum", "minLength", "minItems"] {
                let (before, now) =
                    (old.keyword(bound).and_then(Value::as_f64), new.keyword(bound).and_then(Value::as_f64));
                let is_narrower = match (before, now) {
                    (_, None) => false,
                    (None, Some(_)) => true,
                    (Some(before), Some(now)) => {
                        if bound.starts_with("max") {
                            now < before
                        } else {
                            now > before
                        }
                    }
                };
                if is_narrower {
                    self.add(place, &format!("has a narrower {bound}"));
                }
            }
            if new.keyword("pattern").is_some() && new.keyword("pattern") != old.keyword("pattern") {
                self.add(place, "has another pattern");
            }
        }
        for (name, before) in &old.properties {
            let at = format!("{place}.{name}");
            // Each alternative may have a property of this name.
            let mut named = new.properties.iter().filter(|(other, _)| other == name);
            let first = named.clone().next();
            match named.find(|(_, now)| *now == *before).or(first) {
                Some((_, now)) => self.schemas(&at, sender, before, now),
                None => self.add(&at, "is removed"),
            }
        }
        let (fewer, more) = if sender == Sender::Client { (&old, &new) } else { (&new, &old) };
        for name in more.required.difference(&fewer.required) {
            if sender == Sender::Client {
                self.add(&format!("{place}.{name}"), "is required now");
            } else if new.properties.iter().any(|(other, _)| other == name) {
                self.add(&format!("{place}.{name}"), "may be absent now");
            }
        }
        for part in ["items", "additionalProperties"] {
            if let (Some(before), Some(now)) = (old.keyword(part), new.keyword(part)) {
                self.schemas(&format!("{place}[]"), sender, before, now);
            }
        }
    }
}

/// A schema with the parts of all schemas in its `allOf` and of its alternatives.
#[derive(Default)]
struct Shape<'a> {
    types: BTreeSet<&'a str>,
    /// The values of an enum, as JSON.
    values: Option<BTreeSet<String>>,
    properties: Vec<(&'a String, &'a Value)>,
    required: BTreeSet<&'a str>,
    schemas: Vec<&'a Map<String, Value>>,
}

impl<'a> Shape<'a> {
    fn new(document: &'a Value, schema: &'a Value) -> Self {
        let mut shape = Self::default();
        shape.add(document, schema, true);
        shape
    }

    fn add(&mut self, document: &'a Value, schema: &'a Value, is_sure: bool) {
        let schema = resolve(document, schema);
        self.types.extend(texts(&schema["type"]));
        self.properties.extend(members(&schema["properties"]));
        if is_sure {
            self.required.extend(texts(&schema["required"]));
        }
        let values = schema["enum"].as_array().map(Vec::as_slice).or(schema.get("const").map(std::slice::from_ref));
        if let Some(values) = values {
            self.values.get_or_insert_default().extend(values.iter().map(Value::to_string));
        }
        self.schemas.extend(schema.as_object());
        for (part, is_sure) in [("allOf", is_sure), ("anyOf", false), ("oneOf", false)] {
            for schema in schema[part].as_array().into_iter().flatten() {
                self.add(document, schema, is_sure);
            }
        }
    }

    fn keyword(&self, name: &str) -> Option<&'a Value> {
        self.schemas.iter().find_map(|schema| schema.get(name))
    }
}
