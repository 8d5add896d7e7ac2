//! The schemas of what has no type of its own: documents, and the text of an idempotency key.

use crate::values::IdempotencyKey;
use schemars::{JsonSchema as _, Schema, SchemaGenerator, json_schema};
use serde_json::json;

/// Returns the schema of a document in plain JSON. DynamoDB limits numbers to [38 digits and the
/// magnitudes from 1E-130 to
/// 9.9…E+125](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html#HowItWorks.DataTypes.Number).
/// The schema does not say that nesting is limited to 32 levels.
pub(super) fn document() -> Schema {
    json_schema!({
        "type": "object",
        "additionalProperties": {"$ref": "#/components/schemas/DocumentValue"},
        "propertyNames": {"minLength": 1},
    })
}

/// Returns the schema of a value of a document. It leaves the elements of an array open: a
/// TypeScript type cannot refer to itself through an array.
#[must_use]
pub fn document_value() -> Schema {
    let value = json!({"$ref": "#/components/schemas/DocumentValue"});
    json_schema!({
        "description": "Any JSON value, with the numbers that DynamoDB can store.",
        "anyOf": [
            {"type": ["string", "boolean", "null"]},
            {"type": "number", "minimum": 1e-130, "maximum": 9.9e125},
            {"type": "number", "minimum": -9.9e125, "maximum": -1e-130},
            {"const": 0},
            {"type": "array"},
            {"type": "object", "additionalProperties": value, "propertyNames": {"minLength": 1}},
        ],
    })
}

/// Returns the schema of `Idempotency-Key`: a key with or without double quotes, which do not count
/// as characters.
pub(super) fn idempotency_key(schemas: &mut SchemaGenerator) -> Schema {
    let key = IdempotencyKey::json_schema(schemas).to_value();
    let characters = key["pattern"].as_str().and_then(|pattern| pattern.strip_prefix('^')?.strip_suffix("*$"));
    let characters = characters.expect("the pattern of a key is a class of characters");
    let quoted = format!("^\"{characters}{{{},{}}}\"$", key["minLength"], key["maxLength"]);
    json_schema!({
        "anyOf": [schemas.subschema_for::<IdempotencyKey>(), {"type": "string", "pattern": quoted}],
    })
}
