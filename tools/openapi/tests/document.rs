//! The document is up to date, and its examples follow its schemas.

use std::collections::BTreeSet;

use local::template::Template;
use serde_json::{Value, json};
use shared::values::{Time, Timestamp};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

#[test]
fn the_document_is_what_the_functions_say() {
    let path = local::template::Template::find().unwrap().with_file_name(openapi::PATH);
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    // assert_eq would print both documents.
    assert!(
        committed == openapi::text().unwrap(),
        "{} is not what template.yaml and the functions say: run `cargo run --bin openapi` and commit it",
        path.display()
    );
}

#[test]
fn the_handlers_and_the_template_have_the_same_routes() {
    let template = Template::read(&Template::find().unwrap()).unwrap();
    let of_template = template.functions.iter().flat_map(|function| {
        function.routes.iter().map(|route| (function.name.replace('-', ""), route.method.clone(), route.path.clone()))
    });
    let document = openapi::document().unwrap();
    let of_path = |(path, methods): (&String, &Value)| {
        let of_method = |(method, operation): (&String, &Value)| {
            let name = operation["operationId"].as_str().unwrap().to_lowercase();
            (name, method.to_uppercase(), path.clone())
        };
        methods.as_object().unwrap().iter().map(of_method).collect::<Vec<_>>()
    };
    let of_handlers: BTreeSet<_> = document["paths"].as_object().unwrap().iter().flat_map(of_path).collect();
    assert_eq!(of_handlers, of_template.collect::<BTreeSet<_>>());
}

/// Returns why a value does not follow a schema of the document.
fn error(schema: &Value, value: &Value, document: &Value) -> Option<String> {
    let (mut compiler, mut schemas) = (boon::Compiler::new(), boon::Schemas::new());
    compiler.enable_format_assertions();
    let root = json!({"allOf": [schema], "components": document["components"]});
    compiler.add_resource("schema.json", root).expect("a schema");
    let index = compiler.compile("schema.json", &mut schemas).expect("a schema");
    schemas.validate(value, index).err().map(|error| error.to_string())
}

#[test]
fn every_example_follows_its_schema() {
    let document = openapi::document().unwrap();
    let mut checked = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let contents = operation["responses"].as_object().unwrap().values().chain([&operation["requestBody"]]);
            let contents = contents.filter_map(|holder| holder["content"].as_object()).flatten().map(|(_, part)| part);
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            for part in contents.chain(parameters) {
                let named = part["examples"].as_object().into_iter().flatten().map(|(_, example)| &example["value"]);
                for example in part.get("example").into_iter().chain(named).filter(|example| !example.is_null()) {
                    let error = error(&part["schema"], example, &document);
                    assert!(error.is_none(), "{method} {path}: {example}: {error:?}");
                    assert_ne!(*example, serde_json::json!({}), "{method} {path}: the example says nothing");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 200, "{checked} examples");
}

#[test]
fn every_reference_has_a_target() {
    fn check(value: &Value, document: &Value) {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(reference)) = members.get("$ref") {
                    let target = reference.strip_prefix('#').and_then(|pointer| document.pointer(pointer));
                    assert!(target.is_some(), "{reference}");
                }
                members.values().for_each(|member| check(member, document));
            }
            Value::Array(elements) => elements.iter().for_each(|element| check(element, document)),
            _ => {}
        }
    }
    let document = openapi::document().unwrap();
    check(&document, &document);
}

/// The times in an answer, by what the schema says of them.
#[derive(Default)]
struct Times {
    /// The values of members with `format: date-time`.
    declared: Vec<Value>,
    /// The paths of all other members that are a time as an answer, an item or a clock has it.
    others: Vec<String>,
}

impl Times {
    /// Adds the times of a value with these schemas, all of which may describe it.
    fn add(&mut self, path: &str, value: &Value, schemas: &[&Value], document: &Value) {
        let mut schemas = schemas.to_vec();
        let mut index = 0;
        while let Some(&schema) = schemas.get(index) {
            let target = schema["$ref"].as_str().and_then(|reference| document.pointer(reference.strip_prefix('#')?));
            let parts = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|name| schema[name].as_array());
            schemas.extend(target.into_iter().chain(parts.flatten()));
            index += 1;
        }
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let of_member = schemas.iter().filter_map(|schema| {
                        schema["properties"].get(name).or_else(|| schema.get("additionalProperties"))
                    });
                    let of_member: Vec<&Value> = of_member.collect();
                    self.add(&format!("{path}.{name}"), member, &of_member, document);
                }
            }
            Value::Array(elements) => {
                let of_element: Vec<&Value> = schemas.iter().filter_map(|schema| schema.get("items")).collect();
                for element in elements {
                    self.add(path, element, &of_element, document);
                }
            }
            _ if schemas.iter().any(|schema| schema["format"] == "date-time") => self.declared.push(value.clone()),
            Value::String(text) if text.parse::<Time>().is_ok() || text.parse::<Timestamp>().is_ok() => {
                self.others.push(path.to_owned());
            }
            Value::Number(number) if number.as_u64().is_some_and(|number| number > 1_000_000_000_000) => {
                self.others.push(path.to_owned());
            }
            _ => {}
        }
    }
}

#[test]
fn every_time_of_an_answer_is_declared_and_has_a_z_and_all_else_that_looks_like_a_time_is_an_id() {
    let document = openapi::document().unwrap();
    let (mut times, mut answers) = (Times::default(), 0);
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            for (status, response) in operation["responses"].as_object().unwrap() {
                let part = &response["content"]["application/json"];
                if let Some(example) = part.get("example") {
                    times.add(&format!("{method} {path} {status}"), example, &[&part["schema"]], &document);
                    answers += 1;
                }
            }
        }
    }
    assert!(answers > 40 && times.declared.len() > 80, "{answers} {}", times.declared.len());
    for time in &times.declared {
        let text = time.as_str().unwrap_or_else(|| panic!("{time} is no text"));
        assert!(OffsetDateTime::parse(text, &Rfc3339).is_ok() && text.ends_with('Z'), "{text}");
    }
    times.others.retain(|path| path.rsplit('.').next() != Some("id"));
    assert_eq!(times.others, [""; 0]);
}
