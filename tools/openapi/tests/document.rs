//! The document is up to date, and its examples follow its schemas.

use std::collections::BTreeSet;

use local::template::Template;
use serde_json::{Value, json};
use shared::ErrorKind;
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
fn every_body_and_every_success_with_a_body_has_an_example() {
    let document = openapi::document().unwrap();
    let mut checked = 0;
    for (name, operation) in operations(&document) {
        let responses = operation["responses"].as_object().unwrap().iter();
        let successes = responses.filter(|(status, _)| status.starts_with('2')).map(|(_, response)| response);
        let contents = successes.chain(operation.get("requestBody")).filter_map(|holder| holder["content"].as_object());
        for (_, content) in contents.flatten().filter(|(kind, _)| *kind != "text/html") {
            assert!(content["example"].as_object().is_some_and(|example| !example.is_empty()), "{name}: {content}");
            checked += 1;
        }
    }
    assert!(checked > 80, "{checked} bodies");
}

#[test]
fn every_example_of_a_problem_follows_the_schema() {
    let document = openapi::document().unwrap();
    let problem = json!({"$ref": "#/components/schemas/Problem"});
    for (kind, example) in document["components"]["examples"].as_object().unwrap() {
        assert_eq!(error(&problem, &example["value"], &document), None, "{kind}");
    }
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

/// Returns the operations with their methods and paths.
fn operations(document: &Value) -> Vec<(String, &Value)> {
    let paths = document["paths"].as_object().expect("paths").iter();
    let operations = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().expect("operations").iter();
        methods.map(move |(method, operation)| (format!("{method} {path}"), operation))
    });
    operations.collect()
}

#[test]
fn a_route_for_nobody_needs_no_token_and_may_be_kept_for_a_minute() {
    let document = openapi::document().unwrap();
    let mut routes = BTreeSet::new();
    for (name, operation) in operations(&document) {
        let is_for_nobody = operation["x-callers"] == "nobody";
        assert_eq!(operation["security"] == json!([]), is_for_nobody, "{name}");
        let responses = operation["responses"].as_object().unwrap();
        assert_eq!(responses.contains_key("401"), !is_for_nobody, "{name}");
        let is_tagged = responses.contains_key("200") && name.starts_with("get ");
        assert_eq!(responses.contains_key("304"), is_tagged, "{name}");
        for status in ["200", "302", "304"].into_iter().filter(|_| name.starts_with("get ")) {
            let Some(response) = responses.get(status) else { continue };
            let header = if is_for_nobody { "SharedCacheControl" } else { "CacheControl" };
            let header = format!("#/components/headers/{header}");
            assert_eq!(response["headers"]["Cache-Control"]["$ref"], header, "{name} {status}");
        }
        if is_for_nobody {
            routes.insert(name);
        }
    }
    let expected = ["get /oembed", "get /s/{token}", "get /s/{token}/picture", "post /s/{token}/report"];
    assert_eq!(routes, expected.map(str::to_owned).into());
}

#[test]
fn every_parameter_and_every_response_has_a_description_without_users_of_the_sample() {
    let document = openapi::document().unwrap();
    let mut checked = 0;
    for (operation, description) in operations(&document).into_iter().flat_map(|(name, operation)| {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let responses = operation["responses"].as_object().unwrap().values();
        let described = parameters.chain(responses.filter(|response| response.get("$ref").is_none()));
        described.map(move |one| (name.clone(), one["description"].as_str().unwrap_or_default()))
    }) {
        assert!(description.ends_with(['.', '`', ')']), "{operation}: {description:?}");
        let mut words = description.split(|letter: char| !letter.is_alphanumeric());
        assert!(!words.any(|word| ["ada", "ben", "cara", "dora"].contains(&word)), "{operation}: {description}");
        checked += 1;
    }
    assert!(checked > 500, "{checked} descriptions");
}

#[test]
fn an_operation_of_the_caller_is_tried_as_me() {
    let document = openapi::document().unwrap();
    let mut checked = 0;
    for (name, operation) in operations(&document).iter().filter(|(_, operation)| operation["x-callers"] == "self") {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let users = parameters.filter(|one| one["schema"] == json!({"$ref": "#/components/schemas/Username"}));
        let users: Vec<&Value> = users.collect();
        assert!(
            users.iter().all(|one| one["name"] == "other" || one["description"].as_str().unwrap().contains("`me`"))
        );
        // The caller of edit-comment is in the id of the comment.
        if !users.is_empty() && operation["operationId"] != "editComment" {
            assert!(users.iter().any(|one| one["example"] == "me"), "{name}");
            checked += 1;
        }
    }
    assert!(checked > 30, "{checked} operations");
}

#[test]
fn a_list_with_cards_has_them_in_a_field_that_is_always_there() {
    let document = openapi::document().unwrap();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let with_people = schemas.iter().filter(|(_, schema)| schema["properties"].get("people").is_some());
    let mut names = BTreeSet::new();
    for (name, schema) in with_people {
        assert!(schema["required"].as_array().unwrap().contains(&json!("people")), "{name}");
        names.insert(format!("#/components/schemas/{name}"));
    }
    let lists: Vec<String> = operations(&document)
        .into_iter()
        .filter(|(_, operation)| {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let include = parameters.filter(|one| one["name"] == "include" && one["explode"] == false);
            let words =
                include.map(|one| &schemas[one["schema"]["$ref"].as_str().unwrap().rsplit('/').next().unwrap()]);
            words.into_iter().any(|words| words["items"]["enum"].as_array().unwrap().contains(&json!("people")))
        })
        .map(|(name, operation)| {
            let body = &operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"];
            assert!(names.contains(body.as_str().unwrap()), "{name}");
            name
        })
        .collect();
    assert!(lists.len() > 15, "{lists:?}");
}

#[test]
fn no_example_has_the_port_of_a_test() {
    let document = openapi::document().unwrap().to_string();
    let ports = document.split("://localhost:").skip(1).map(|rest| &rest[..7]);
    assert!(
        ports.clone().count() > 3
            && ports.into_iter().all(|port| port.starts_with("9000/") || ["3000/s/", "3000/lo"].contains(&port))
    );
}
