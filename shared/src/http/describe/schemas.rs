//! The schemas of what has no type of its own: documents, and parameters whose texts the shared
//! code parses.

use crate::http::page::{DEFAULT_LIMIT, MAX_LIMIT};
use crate::http::precondition::{MAX_ETAG_BYTES, MAX_ETAGS};
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

/// Returns the schema of the parameter `limit`.
pub(super) fn limit() -> Schema {
    json_schema!({"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT})
}

/// Returns the schema of the parameter `cursor`.
pub(super) fn cursor() -> Schema {
    json_schema!({"type": "string", "minLength": 1, "pattern": "^[A-Za-z0-9_-]*$"})
}

/// Returns the schema of `If-Match`.
pub(super) fn if_match() -> Schema {
    let tag = format!("(W/)?\"[!#-+\\--~]{{1,{MAX_ETAG_BYTES}}}\"");
    let others = MAX_ETAGS - 1;
    json_schema!({
        "anyOf": [
            {"const": "*"},
            {"type": "string", "pattern": format!("^{tag}(, *{tag}){{0,{others}}}$")},
        ],
        "examples": ["\"0190c3f4-7b1e-7cc0-8d2f-1a2b3c4d5e6f\""],
    })
}

/// Returns the schema of `If-None-Match` in a request that writes.
pub(super) fn if_none_match() -> Schema {
    json_schema!({"type": "string", "const": "*"})
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
