//! A client of the last release still understands the document. The rules by which this is decided
//! are tested with small documents.

use std::fs;

use local::template::Template;
use openapi::breaking_changes;
use serde_json::{Value, json};

#[test]
fn a_client_of_the_last_release_needs_no_change() {
    let root = Template::find().unwrap();
    let Ok(released) = fs::read(root.with_file_name(openapi::RELEASED)) else { return };
    let released: Value = serde_json::from_slice(&released).unwrap();
    let breaking = breaking_changes(&released, &openapi::document().unwrap());
    assert!(breaking.is_empty(), "clients of the last release fail after these changes:\n{}", breaking.join("\n"));
}

/// Returns a document with a parameter, a body and an answer, whose schema refers to itself.
fn document() -> Value {
    json!({
        "paths": {"/users": {"post": {
            "parameters": [
                {"in": "query", "name": "limit", "schema": {"type": "integer", "maximum": 100}},
                {"in": "path", "name": "id", "required": true, "schema": {"type": "string", "pattern": "^a"}},
            ],
            "requestBody": {"content": {"application/json": {"schema": {
                "type": "object",
                "properties": {"level": {"type": "string", "enum": ["block", "mute"]}, "text": {"type": ["string", "null"]}},
                "required": ["level"],
            }}}},
            "responses": {
                "200": {
                    "headers": {"ETag": {}},
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}},
                },
                "404": {"content": {"application/problem+json": {"schema": {
                    "allOf": [{"properties": {"type": {"type": "string"}}}, {"properties": {"type": {"enum": ["no-user"]}}}],
                }}}},
            },
        }}},
        "components": {"schemas": {"User": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "level": {"type": "string", "enum": ["a", "b"]},
                "friends": {"type": "array", "items": {"$ref": "#/components/schemas/User"}},
            },
            "required": ["name"],
        }}},
    })
}

const OPERATION: &str = "/paths/~1users/post";
const BODY: &str = "/paths/~1users/post/requestBody/content/application~1json/schema";
const USER: &str = "/components/schemas/User";

/// Returns the changes after the value at a path became another one, or was removed.
fn changes(path: &str, value: Option<Value>) -> Vec<String> {
    let mut new = document();
    let (parent, name) = path.rsplit_once('/').expect("a path");
    let parent = new.pointer_mut(parent).unwrap_or_else(|| panic!("{path}"));
    match (value, parent) {
        (Some(value), Value::Array(elements)) => elements.push(value),
        (Some(value), parent) => parent[name.replace("~1", "/")] = value,
        (None, Value::Array(elements)) => drop(elements.remove(name.parse().expect("an index"))),
        (None, parent) => drop(parent.as_object_mut().expect("an object").remove(&name.replace("~1", "/"))),
    }
    breaking_changes(&document(), &new)
}

#[test]
fn names_each_breaking_change() {
    for (path, value, expected) in [
        ("/paths/~1users".to_owned(), None, "POST /users is removed"),
        (OPERATION.to_owned(), None, "POST /users is removed"),
        (format!("{OPERATION}/parameters/0"), None, "POST /users: parameter limit is removed"),
        (
            format!("{OPERATION}/parameters/-"),
            Some(json!({"in": "query", "name": "new", "required": true})),
            "POST /users: parameter new is new and required",
        ),
        (
            format!("{OPERATION}/parameters/0/required"),
            Some(json!(true)),
            "POST /users: parameter limit is required now",
        ),
        (
            format!("{OPERATION}/parameters/0/schema/maximum"),
            Some(json!(50)),
            "POST /users: parameter limit has a narrower maximum",
        ),
        (
            format!("{OPERATION}/parameters/0/schema/minimum"),
            Some(json!(1)),
            "POST /users: parameter limit has a narrower minimum",
        ),
        (
            format!("{OPERATION}/parameters/1/schema/pattern"),
            Some(json!("^b")),
            "POST /users: parameter id has another pattern",
        ),
        (format!("{OPERATION}/requestBody/required"), Some(json!(true)), "POST /users requires a body now"),
        (format!("{BODY}/properties/text"), None, "POST /users: body.text is removed"),
        (format!("{BODY}/required"), Some(json!(["level", "text"])), "POST /users: body.text is required now"),
        (format!("{BODY}/properties/level/enum"), Some(json!(["block"])), "POST /users: body.level takes fewer values"),
        (
            format!("{BODY}/properties/text/type"),
            Some(json!("string")),
            r#"POST /users: body.text has the types {"string"} instead of {"null", "string"}"#,
        ),
        (format!("{OPERATION}/responses/404"), None, "POST /users: 404 is removed"),
        (format!("{OPERATION}/responses/200/headers/ETag"), None, "POST /users: 200 has no header ETag any more"),
        (
            format!("{OPERATION}/responses/200/content/application~1json"),
            None,
            "POST /users: 200 is no application/json any more",
        ),
        (format!("{USER}/properties/level"), None, "POST /users: 200.level is removed"),
        (format!("{USER}/required"), None, "POST /users: 200.name may be absent now"),
        (
            format!("{USER}/properties/name/type"),
            Some(json!(["string", "null"])),
            r#"POST /users: 200.name has the types {"null", "string"} instead of {"string"}"#,
        ),
        (
            format!("{USER}/properties/friends/items"),
            Some(json!({"type": "string"})),
            r#"POST /users: 200.friends[] has the types {"string"} instead of {"object"}"#,
        ),
    ] {
        assert!(changes(&path, value).iter().any(|change| change == expected), "{path}: {expected}");
    }
}

#[test]
fn names_no_change_after_which_each_client_works() {
    for (path, value) in [
        ("/paths/~1songs".to_owned(), json!({"get": {}})),
        (format!("{OPERATION}/summary"), json!("Another one.")),
        (format!("{OPERATION}/parameters/-"), json!({"in": "query", "name": "new"})),
        (format!("{OPERATION}/parameters/0/schema/maximum"), json!(200)),
        (format!("{OPERATION}/parameters/1/schema"), json!({"type": "string"})),
        (format!("{BODY}/properties/new"), json!({"type": "string"})),
        (format!("{BODY}/properties/level/enum"), json!(["block", "mute", "new"])),
        (format!("{BODY}/properties/level/type"), json!(["string", "null"])),
        (format!("{OPERATION}/responses/409"), json!({})),
        (format!("{USER}/properties/new"), json!({"type": "string"})),
        (format!("{USER}/properties/level/enum"), json!(["a", "b", "c"])),
        (format!("{USER}/properties/level/enum"), json!(["a"])),
        (format!("{USER}/required"), json!(["name", "level"])),
    ] {
        let changes = changes(&path, Some(value.clone()));
        assert!(changes.is_empty(), "{path} {value}: {changes:?}");
    }
    let now = openapi::document().unwrap();
    assert_eq!(breaking_changes(&now, &now), Vec::<String>::new());
}
