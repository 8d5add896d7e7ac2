//! The filters of event source mappings: [event
//! filtering](https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html), which uses the patterns of
//! [EventBridge](https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html).
//!
//! The module supports exact values (`null` and `""` included), `prefix`, `suffix`, `equals-ignore-case`,
//! `anything-but` with a value or a list of values, `numeric` and `exists`. It rejects everything else, for example
//! `$or`, because a pattern that silently never matches is hard to find. Two rules are easy to miss:
//!
//! - [`exists`](https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-filtering.html) matches leaves only, and an
//!   attribute is not a leaf: write `"email": {"S": [{"exists": true}]}`, not `"email": [{"exists": true}]`.
//! - DynamoDB writes numbers as text, so `numeric` never matches a value in an image. Exact values do.

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value};

/// The pattern of a filter.
#[derive(Clone, Debug, PartialEq)]
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
    EqualsIgnoreCase(String),
    Prefix(String),
    Suffix(String),
    AnythingBut(Vec<Value>),
    Numeric(Vec<(Comparison, f64)>),
    Exists(bool),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Comparison {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
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
    let object = match rule {
        Value::Object(object) => object,
        Value::Array(_) => bail!("a list must not contain a list"),
        value => return Ok(Rule::Equals(value.clone())),
    };
    let mut operators = object.iter();
    let (Some((operator, argument)), None) = (operators.next(), operators.next()) else {
        bail!("a rule must have one operator");
    };
    let text = || argument.as_str().map(str::to_owned).with_context(|| format!("{operator} needs a string"));
    Ok(match operator.as_str() {
        "prefix" => Rule::Prefix(text()?),
        "suffix" => Rule::Suffix(text()?),
        "equals-ignore-case" => Rule::EqualsIgnoreCase(text()?),
        "exists" => Rule::Exists(argument.as_bool().context("exists needs true or false")?),
        "anything-but" => Rule::AnythingBut(match argument {
            Value::Array(values) if !values.is_empty() && values.iter().all(is_plain) => values.clone(),
            value if is_plain(value) => vec![value.clone()],
            _ => bail!("the local stack supports anything-but only with strings and numbers"),
        }),
        "numeric" => Rule::Numeric(comparisons(argument).context(r#"numeric needs a list such as [">", 0, "<=", 5]"#)?),
        _ => bail!("the local stack does not support the operator {operator}"),
    })
}

fn is_plain(value: &Value) -> bool {
    value.is_string() || value.is_number()
}

fn comparisons(argument: &Value) -> Option<Vec<(Comparison, f64)>> {
    let parts = argument.as_array().filter(|parts| matches!(parts.len(), 2 | 4))?;
    let pairs = parts.chunks(2).map(|pair| {
        let comparison = match pair[0].as_str()? {
            "=" => Comparison::Equal,
            "<" => Comparison::Less,
            "<=" => Comparison::LessOrEqual,
            ">" => Comparison::Greater,
            ">=" => Comparison::GreaterOrEqual,
            _ => return None,
        };
        Some((comparison, pair[1].as_f64()?))
    });
    pairs.collect()
}

fn all_match(fields: &Fields, value: Option<&Value>) -> bool {
    fields.iter().all(|(name, field)| {
        let value = value.and_then(|value| value.get(name));
        match field {
            // One element of a list has to match all fields.
            Field::Nested(fields) => match value {
                Some(Value::Array(values)) => values.iter().any(|value| all_match(fields, Some(value))),
                value => all_match(fields, value),
            },
            Field::AnyOf(rules) => rules.iter().any(|rule| applies(rule, value)),
        }
    })
}

fn applies(rule: &Rule, value: Option<&Value>) -> bool {
    if let Rule::Exists(wanted) = rule {
        return value.is_some_and(is_leaf) == *wanted;
    }
    let text = |matches: &dyn Fn(&str) -> bool, value: &Value| value.as_str().is_some_and(matches);
    match value {
        None | Some(Value::Object(_)) => false,
        Some(Value::Array(values)) => values.iter().any(|value| applies(rule, Some(value))),
        Some(value) => match rule {
            Rule::Exists(wanted) => *wanted,
            Rule::Equals(wanted) => value == wanted,
            Rule::EqualsIgnoreCase(wanted) => text(&|value| value.to_lowercase() == wanted.to_lowercase(), value),
            Rule::Prefix(prefix) => text(&|value| value.starts_with(prefix), value),
            Rule::Suffix(suffix) => text(&|value| value.ends_with(suffix), value),
            Rule::AnythingBut(values) => !values.contains(value),
            Rule::Numeric(comparisons) => value
                .as_f64()
                .is_some_and(|value| comparisons.iter().all(|(comparison, bound)| comparison.holds(value, *bound))),
        },
    }
}

/// Returns whether a value has nothing below it. An empty list counts as absent.
fn is_leaf(value: &Value) -> bool {
    match value {
        Value::Object(_) => false,
        Value::Array(values) => values.iter().any(is_leaf),
        _ => true,
    }
}

impl Comparison {
    #[allow(clippy::float_cmp)] // `=` compares exactly
    fn holds(self, value: f64, bound: f64) -> bool {
        match self {
            Self::Equal => value == bound,
            Self::Less => value < bound,
            Self::LessOrEqual => value <= bound,
            Self::Greater => value > bound,
            Self::GreaterOrEqual => value >= bound,
        }
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
            (json!({"suffix": "oto"}), json!(["Photo", "photo"])),
            (json!({"equals-ignore-case": "PHOTO"}), json!(["Photo", "photo"])),
            (json!({"anything-but": "photo"}), json!(["Photo", "", null, 5, -1.5, true])),
            (json!({"anything-but": ["photo", 5]}), json!(["Photo", "", null, -1.5, true])),
            (json!({"numeric": ["=", 5]}), json!([5])),
            (json!({"numeric": ["<", 5]}), json!([-1.5])),
            (json!({"numeric": [">", -2, "<=", 5]}), json!([5, -1.5])),
            (json!({"numeric": [">=", 5]}), json!([5])),
            (json!({"exists": true}), json!(values)),
            (json!({"exists": false}), json!([])),
        ] {
            assert_eq!(json!(matching(&rule, &values)), expected, "{rule}");
        }
    }

    #[test]
    fn an_absent_field_matches_only_exists_false() {
        let nothing = json!({});
        for rule in [json!("x"), json!(null), json!({"anything-but": "x"}), json!({"exists": true})] {
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
        assert!(!matches(&json!({"a": [{"exists": true}]}), &json!({"a": []})));
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
            (r#"{"a": [{"prefix": "x", "suffix": "y"}]}"#, "a: a rule must have one operator"),
            (r#"{"a": [{"prefix": 1}]}"#, "a: prefix needs a string"),
            (r#"{"a": [{"wildcard": "*"}]}"#, "a: the local stack does not support the operator wildcard"),
            (r#"{"a": [{"anything-but": {"prefix": "x"}}]}"#, "a: the local stack supports anything-but only with"),
            (r#"{"a": [{"numeric": ["~", 1]}]}"#, "a: numeric needs a list"),
            (r#"{"a": [{"exists": "yes"}]}"#, "a: exists needs true or false"),
            (r#"{"$or": [{"a": [1]}]}"#, "$or: the local stack does not support this operator"),
        ] {
            let error = format!("{:#}", Pattern::parse(pattern).unwrap_err());
            assert!(error.starts_with(message), "{pattern}: {error}");
        }
    }
}
