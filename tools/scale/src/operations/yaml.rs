//! The text of a template as JSON.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use saphyr::{LoadableYamlNode as _, Scalar, Yaml};
use serde_json::{Map, Value, json};

/// Reads a template. An intrinsic function such as `!Ref Stage` is `{"Ref": "Stage"}`, as in the
/// long form. The members of a merge key `<<` are members of the mapping.
pub(crate) fn read(path: &Path) -> Result<Value> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let documents = Yaml::load_from_str(&text).with_context(|| path.display().to_string())?;
    value(documents.first().context("an empty template")?).with_context(|| path.display().to_string())
}

/// Returns the default of a parameter of a template, which is a number.
pub(crate) fn parameter(template: &Value, name: &str) -> Result<u64> {
    let default = template["Parameters"][name]["Default"].as_u64();
    default.with_context(|| format!("the parameter {name} has no number as its default"))
}

fn value(yaml: &Yaml<'_>) -> Result<Value> {
    Ok(match yaml {
        Yaml::Value(scalar) => match scalar {
            Scalar::Null => Value::Null,
            Scalar::Boolean(value) => json!(value),
            Scalar::Integer(value) => json!(value),
            Scalar::FloatingPoint(value) => json!(value.0),
            Scalar::String(value) => json!(value),
        },
        Yaml::Sequence(values) => Value::Array(values.iter().map(value).collect::<Result<_>>()?),
        Yaml::Mapping(mapping) => {
            let (mut merged, mut own) = (Map::new(), Map::new());
            for (key, member) in mapping {
                match (key.as_str(), value(member)?) {
                    (Some("<<"), Value::Object(members)) => merged.extend(members),
                    (Some(key), member) => drop(own.insert(key.to_owned(), member)),
                    (None, _) => bail!("a key that is no text: {key:?}"),
                }
            }
            merged.extend(own);
            Value::Object(merged)
        }
        Yaml::Tagged(tag, argument) => json!({&tag.suffix: value(argument)?}),
        other => bail!("a template has no such value: {other:?}"),
    })
}
