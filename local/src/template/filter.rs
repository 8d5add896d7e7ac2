//! The filters of event source mappings: [event
//! filtering](https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html), which
//! uses the patterns of
//! [EventBridge](https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html).
//!
//! The module supports exact values (`null` and `""` included), `prefix` and `exists`. It rejects
//! everything else, because a pattern that silently never matches is hard to find. One rule is easy
//! to miss:
//! [`exists`](https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-filtering.html) matches leaves
//! only, and an attribute is not a leaf: write `"email": {"S": [{"exists": true}]}`, not `"email":
//! [{"exists": true}]`.

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The pattern of a filter.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(try_from = "String")]
pub struct Pattern(Fields);

/// The fields of a pattern, all of which have to match.
type Fields = Vec<(String, Field)>;

#[derive(Clone, Debug, PartialEq)]
enum Field {
    Nested(Fields),
    /// At least one rule has to match.
    AnyOf(Vec<Rule>),
}

#[derive(Clone, Debug, PartialEq)]
enum Rule {
    Equals(Value),
    Operator(Operator),
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Operator {
    Prefix(String),
    Exists(bool),
}

impl Pattern {
    /// Parses a pattern. An error names the field.
    pub fn parse(text: &str) -> Result<Self> {
        match serde_json::from_str(text).context("not JSON")? {
            Value::Object(pattern) => fields(&pattern).map(Self),
            _ => bail!("must be a JSON object"),
        }
    }

    /// Returns whether a record matches.
    #[must_use]
    pub fn matches(&self, record: &Value) -> bool {
        all_match(&self.0, Some(record))
    }
}

/// Returns whether a record matches at least one of these filters, or there are none.
#[must_use]
pub fn any_matches(filters: &[Pattern], record: &Value) -> bool {
    filters.is_empty() || filters.iter().any(|filter| filter.matches(record))
}

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).map_err(|error| format!("the filter's pattern: {error:#}"))
    }
}

fn fields(pattern: &Map<String, Value>) -> Result<Fields> {
    if pattern.is_empty() {
        bail!("must name a field");
    }
    let field =
        |(name, value): (&String, &Value)| Ok((name.clone(), field(name, value).with_context(|| name.clone())?));
    pattern.iter().map(field).collect()
}

fn field(name: &str, value: &Value) -> Result<Field> {
    match value {
        _ if name.starts_with('$') => bail!("the local stack does not support this operator"),
        Value::Object(nested) => fields(nested).map(Field::Nested),
        Value::Array(rules) if !rules.is_empty() => rules.iter().map(rule).collect::<Result<_>>().map(Field::AnyOf),
        _ => bail!("must be an object or a list that is not empty"),
    }
}

fn rule(rule: &Value) -> Result<Rule> {
    Ok(match rule {
        Value::Object(_) => Rule::Operator(Operator::deserialize(rule)?),
        Value::Array(_) => bail!("a list must not contain a list"),
        value => Rule::Equals(value.clone()),
    })
}

fn all_match(fields: &Fields, value: Option<&Value>) -> bool {
    fields.iter().all(|(name, field)| match (field, value.and_then(|value| value.get(name))) {
        // One element of a list has to match all fields.
        (Field::Nested(fields), Some(Value::Array(values))) => {
            values.iter().any(|value| all_match(fields, Some(value)))
        }
        (Field::Nested(fields), value) => all_match(fields, value),
        (Field::AnyOf(rules), value) => rules.iter().any(|rule| applies(rule, value)),
    })
}

fn applies(rule: &Rule, value: Option<&Value>) -> bool {
    match (rule, value) {
        (Rule::Operator(Operator::Exists(wanted)), value) => value.is_some_and(|value| !value.is_object()) == *wanted,
        (rule, Some(Value::Array(values))) => values.iter().any(|value| applies(rule, Some(value))),
        (Rule::Operator(Operator::Prefix(prefix)), value) => {
            value.and_then(Value::as_str).is_some_and(|text| text.starts_with(prefix))
        }
        (Rule::Equals(wanted), value) => value == Some(wanted),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn matches(pattern: &Value, record: &Value) -> bool {
        Pattern::parse(&pattern.to_string()).unwrap().matches(record)
    }

    /// Returns the values that match a rule as the only field of a record.
    fn matching(rule: &Value, values: &[Value]) -> Vec<Value> {
        values.iter().filter(|value| matches(&json!({"a": [rule]}), &json!({"a": value}))).cloned().collect()
    }

    #[test]
    fn each_operator_matches_its_values() {
        let values = [json!("Photo"), json!("photo"), json!(""), json!(null), json!(5), json!(-1.5), json!(true)];
        for (rule, expected) in [
            (json!("photo"), json!(["photo"])),
            (json!(""), json!([""])),
            (json!(null), json!([null])),
            (json!(5), json!([5])),
            (json!(true), json!([true])),
            (json!({"prefix": "Ph"}), json!(["Photo"])),
            (json!({"exists": true}), json!(values)),
            (json!({"exists": false}), json!([])),
        ] {
            assert_eq!(json!(matching(&rule, &values)), expected, "{rule}");
        }
    }

    #[test]
    fn an_absent_field_matches_only_exists_false() {
        let nothing = json!({});
        for rule in [json!("x"), json!(null), json!({"prefix": ""}), json!({"exists": true})] {
            assert!(!matches(&json!({"a": [rule]}), &nothing), "{rule}");
        }
        assert!(matches(&json!({"a": [{"exists": false}]}), &nothing));
        assert!(matches(&json!({"a": {"b": [{"exists": false}]}}), &nothing));
    }

    #[test]
    fn exists_matches_leaves_only() {
        let record = json!({"a": {"S": "x"}});
        assert!(!matches(&json!({"a": [{"exists": true}]}), &record));
        assert!(matches(&json!({"a": {"S": [{"exists": true}]}}), &record));
        assert!(matches(&json!({"a": {"N": [{"exists": false}]}}), &record));
    }

    #[test]
    fn all_fields_and_one_rule_of_each_have_to_match() {
        let pattern =
            json!({"eventName": ["INSERT", "MODIFY"], "dynamodb": {"Keys": {"PK": {"S": [{"prefix": "USER#"}]}}}});
        let record =
            |name: &str, pk: &str| json!({"eventName": name, "dynamodb": {"Keys": {"PK": {"S": pk}}}, "more": 1});
        assert!(matches(&pattern, &record("INSERT", "USER#ada")));
        assert!(matches(&pattern, &record("MODIFY", "USER#ada")));
        assert!(!matches(&pattern, &record("REMOVE", "USER#ada")));
        assert!(!matches(&pattern, &record("INSERT", "REACTION#ada")));
    }

    #[test]
    fn one_element_of_a_list_has_to_match() {
        assert!(matches(&json!({"SS": ["b"]}), &json!({"SS": ["a", "b"]})));
        assert!(!matches(&json!({"SS": ["c"]}), &json!({"SS": ["a", "b"]})));
        let pattern = json!({"L": {"S": ["b"], "x": [1]}});
        assert!(matches(&pattern, &json!({"L": [{"S": "a"}, {"S": "b", "x": 1}]})));
        assert!(!matches(&pattern, &json!({"L": [{"S": "a", "x": 1}, {"S": "b"}]})));
    }

    #[test]
    fn rejects_what_it_does_not_support_by_name() {
        for (pattern, message) in [
            ("{", "not JSON: "),
            ("[]", "must be a JSON object"),
            ("{}", "must name a field"),
            (r#"{"a": {}}"#, "a: must name a field"),
            (r#"{"a": {"b": "c"}}"#, "a: b: must be an object or a list"),
            (r#"{"a": []}"#, "a: must be an object or a list"),
            (r#"{"a": [[1]]}"#, "a: a list must not contain a list"),
            (r#"{"a": [{"prefix": 1}]}"#, "a: invalid type: integer `1`, expected a string"),
            (r#"{"a": [{"suffix": "x"}]}"#, "a: unknown variant `suffix`, expected `prefix` or `exists`"),
            (r#"{"a": [{"exists": "yes"}]}"#, "a: invalid type: string \"yes\", expected a boolean"),
            (r#"{"$or": [{"a": [1]}]}"#, "$or: the local stack does not support this operator"),
        ] {
            let error = format!("{:#}", Pattern::parse(pattern).unwrap_err());
            assert!(error.starts_with(message), "{pattern}: {error}");
        }
    }
}
