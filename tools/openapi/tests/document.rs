//! The document is up to date, and its examples follow its schemas.

use std::collections::BTreeSet;

use local::template::Template;
use serde_json::{Value, json};
use shared::ErrorKind;

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
fn some_operation_gives_each_kind_of_problem() {
    let document = openapi::document().unwrap();
    let operations =
        document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    let answers = operations.flat_map(|operation| operation["responses"].as_object().unwrap().values());
    let schemas =
        answers.filter_map(|answer| answer["content"]["application/problem+json"]["schema"]["allOf"].as_array());
    let given: BTreeSet<&str> = schemas
        .flat_map(|schemas| schemas[1]["properties"]["type"]["enum"].as_array().unwrap())
        .map(|uri| uri.as_str().unwrap())
        .collect();
    // Cognito gives these, as the text of its own error.
    let of_sign_ups = [ErrorKind::UsernameReserved, ErrorKind::UsernameTaken];
    let all = ErrorKind::ALL.iter().filter(|kind| !of_sign_ups.contains(kind)).map(|kind| kind.description().uri);
    assert_eq!(given, all.collect());
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
