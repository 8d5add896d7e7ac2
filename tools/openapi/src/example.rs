//! Examples of schemas.

use serde_json::{Map, Value, json};

/// The example of a string of which nothing more is known.
const UNKNOWN: &str = "text";

/// Returns an example of a schema: the first of its own examples, or one that is put together from
/// the examples of its parts. `components` are the schemas to which a `$ref` may point.
pub(crate) fn from_schema(schema: &Value, components: &Map<String, Value>) -> Value {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return from_schema(&components[name], components);
    }
    if let Some(example) = schema["examples"].get(0).or_else(|| schema.get("const")) {
        return with_required(example.clone(), schema, components);
    }
    if let Some(first) = ["anyOf", "allOf", "oneOf", "enum"].iter().find_map(|keyword| schema[keyword].get(0)) {
        return if schema.get("enum").is_some() { first.clone() } else { from_schema(first, components) };
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str());
    match kind {
        Some("object") => {
            let properties = schema["properties"].as_object();
            let members = properties.into_iter().flatten();
            let mut example: Map<String, Value> =
                members.map(|(name, property)| (name.clone(), of_field(name, property, components))).collect();
            // An optional text of which nothing is known says nothing.
            let is_required =
                |name: &String| schema["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
            example.retain(|name, value| is_required(name) || value != UNKNOWN);
            example.into()
        }
        Some("array") => match schema.get("items") {
            Some(items) if schema["maxItems"] != 0 => json!([from_schema(items, components)]),
            _ => json!([]),
        },
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        Some("null") => Value::Null,
        // Such as the cursor of a last page.
        _ if schema["type"].as_array().is_some_and(|types| types.contains(&json!("null"))) => Value::Null,
        _ => json!(UNKNOWN),
    }
}

/// Adds the required fields that an example lacks. A struct that contains all fields of another one
/// has the example of that one.
fn with_required(mut example: Value, schema: &Value, components: &Map<String, Value>) -> Value {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    if let Some(fields) = example.as_object_mut() {
        for name in required {
            let field = || of_field(name, &schema["properties"][name], components);
            fields.entry(name).or_insert_with(field);
        }
    }
    example
}

/// Returns an example of a field. A string of an answer has no schema of its own, because another
/// program may have written it; the example is that of the value with which this program writes the
/// field.
fn of_field(name: &str, schema: &Value, components: &Map<String, Value>) -> Value {
    let value = if name.ends_with("Url") { "Url".to_owned() } else { name[..1].to_uppercase() + &name[1..] };
    match components.get(&value) {
        Some(value) if schema["type"] == "string" => from_schema(value, components),
        _ => from_schema(schema, components),
    }
}
