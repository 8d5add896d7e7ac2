//! Cursors of lists as a client sees them that decodes and changes them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::{Value, json};

/// Strings, numbers and other values that a client may write into a cursor in place of another one.
/// Some are valid in some lists.
fn replacements() -> Vec<Value> {
    let mut values: Vec<Value> =
        [json!(null), json!(true), json!([]), json!({}), json!(0), json!(-1), json!(1.5), json!(u64::MAX)].into();
    values.extend(
        ["", " ", "#", "a#b", "\0", "\u{ffff}", "0", "ada", "zoe", "PULL#ada", "heart"].map(|text| json!(text)),
    );
    values.extend(["0000-01-01T00:00:00", "9999-12-31T23:59:59.999Z", "2024-05-30T15:42:38Z"].map(|time| json!(time)));
    values.extend(["x", "ü", "\u{10ffff}"].map(|character| json!(character.repeat(2049))));
    values
}

/// A decoded cursor. Its content can be changed and encoded again.
#[derive(Debug, Clone)]
pub struct Cursor {
    /// The content, in JSON.
    pub content: Value,
    /// The text of the content when it was decoded, which tells the order of the fields.
    original: String,
}

impl Cursor {
    /// Decodes the `nextCursor` of a page.
    #[must_use]
    pub fn decode(cursor: &str) -> Self {
        let json = BASE64.decode(cursor).expect("a cursor is base64");
        Self::of_json(&String::from_utf8(json).expect("a cursor holds JSON"))
    }

    /// Returns the cursor with this content.
    #[must_use]
    pub fn of_json(json: &str) -> Self {
        Self { content: serde_json::from_str(json).expect("a cursor holds JSON"), original: json.to_owned() }
    }

    /// Returns the text that a client sends. The fields are in the order of the original, and
    /// others follow them: a cursor with another order is refused whatever else it has.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut json = String::new();
        self.write(&self.content, &mut json);
        BASE64.encode(json)
    }

    fn write(&self, value: &Value, json: &mut String) {
        let (begin, parts, end) = match value {
            Value::Array(values) => ('[', values.iter().map(|value| (None, value)).collect(), ']'),
            Value::Object(fields) => {
                let mut fields: Vec<_> =
                    fields.iter().map(|(name, value)| (Some(json!(name).to_string()), value)).collect();
                fields.sort_by_key(|(name, _)| {
                    self.original.find(name.as_deref().unwrap_or_default()).unwrap_or(usize::MAX)
                });
                ('{', fields, '}')
            }
            scalar => return json.push_str(&scalar.to_string()),
        };
        json.push(begin);
        for (index, (name, value)) in parts.into_iter().enumerate() {
            if index > 0 {
                json.push(',');
            }
            if let Some(name) = name {
                json.push_str(&name);
                json.push(':');
            }
            self.write(value, json);
        }
        json.push(end);
    }

    /// Returns copies of this cursor, each with one change of the position that it holds: another
    /// value in each place, a field less or more, and arrays that are reversed, longer, or have an
    /// element twice.
    #[must_use]
    pub fn changed(&self) -> Vec<Self> {
        let changes = changes(&self.content["last"]);
        changes.into_iter().map(|last| self.with("last", last)).collect()
    }

    /// Returns a copy of this cursor with another value of one field.
    #[must_use]
    pub fn with(&self, field: &str, value: Value) -> Self {
        let mut changed = self.clone();
        changed.content[field] = value;
        changed
    }
}

/// Returns values that differ from `value` in one place.
fn changes(value: &Value) -> Vec<Value> {
    let mut changed = replacements();
    match value {
        Value::Array(values) => {
            let many = |count: usize| (0..count).rev().map(|number| json!(format!("user{number:03}"))).collect();
            changed.extend([values.iter().rev().cloned().collect(), many(50), many(51), many(1000)]);
            for (index, inner) in values.iter().enumerate() {
                let splice = |inner: &[Value]| {
                    let mut values = values.clone();
                    values.splice(index..=index, inner.iter().cloned());
                    Value::from(values)
                };
                changed.extend([splice(&[]), splice(&[inner.clone(), inner.clone()])]);
                changed.extend(changes(inner).into_iter().map(|other| splice(&[other])));
            }
        }
        Value::Object(fields) => {
            for (name, inner) in fields {
                let mut fewer = fields.clone();
                fewer.remove(name);
                changed.push(fewer.into());
                changed.extend(changes(inner).into_iter().map(|other| {
                    let mut fields = fields.clone();
                    fields.insert(name.clone(), other);
                    fields.into()
                }));
            }
            let mut more = fields.clone();
            more.insert("PK".to_owned(), json!("USER#ada"));
            changed.push(more.into());
        }
        _ => {}
    }
    changed.retain(|other| other != value);
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unchanged_cursor_has_the_text_of_the_original() {
        let text = BASE64
            .encode(r#"{"list":"feed","owner":"ben","last":{"position":{"timestamp":"1","author":"ada"},"pulls":[]}}"#);
        assert_eq!(Cursor::decode(&text).encode(), text);
    }

    #[test]
    fn a_change_is_in_one_place() {
        let cursor = Cursor::of_json(r#"{"list":"l","owner":"o","last":{"b":["x","y"],"a":7}}"#);
        let texts: Vec<String> = cursor
            .changed()
            .iter()
            .map(|changed| String::from_utf8(BASE64.decode(changed.encode()).unwrap()).unwrap())
            .collect();
        for expected in [
            r#"{"b":["x","x","y"],"a":7}"#,
            r#"{"b":["y","x"],"a":7}"#,
            r#"{"b":["x"],"a":7}"#,
            r#"{"b":["x","y"],"a":-1}"#,
            r#"{"b":["x","y"]}"#,
            r#"{"b":["x","y"],"a":7,"PK":"USER#ada"}"#,
        ] {
            assert!(texts.contains(&format!(r#"{{"list":"l","owner":"o","last":{expected}}}"#)), "{expected}");
        }
    }
}
