//! The document: the operations of all routes, and the components to which they refer.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context as _, Result};
use local::template::{Route, Template};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use shared::http::answer::Problem;
use shared::http::request::MAX_BODY_BYTES;
use shared::values::{Username, Value as _};

use crate::operation::{Callers, Described};
use crate::{errors, example, operations, schemas};

/// The path of the document, relative to the root of the repository.
pub const PATH: &str = "docs/openapi.json";

/// Returns the text of the document: JSON with two spaces of indentation and a line feed at the end.
pub fn text() -> Result<String> {
    Ok(serde_json::to_string_pretty(&document()?)? + "\n")
}

/// Returns the document, by [OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1.html).
pub fn document() -> Result<Value> {
    let root = Template::find()?;
    let template = Template::read(&root)?;
    let routes: BTreeMap<&str, &Route> =
        template.functions.iter().filter_map(|function| Some((&*function.name, function.routes.first()?))).collect();

    let settings = SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into())
        .for_serialize();
    let mut generator = settings.into_generator();
    let described = operations::operations(&mut generator);
    generator.subschema_for::<Problem>();
    let components = components(&mut generator);

    let mut paths = Map::new();
    for operation in &described {
        let route = routes.get(operation.name).with_context(|| format!("{} has no route", operation.name))?;
        let event = fs::read(root.with_file_name("events").join(format!("{}.json", operation.name)))?;
        let event: Value = serde_json::from_slice(&event)?;
        let operation = Operation { described: operation, route, event: &event, schemas: &components };
        let path = paths.entry(route.path.clone()).or_insert_with(|| json!({}));
        path[route.method.to_lowercase()] = operation.json();
    }
    add_links(&mut paths, &components);
    Ok(json!({
        "openapi": "3.1.1",
        "info": {
            "title": "Quick Photos",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Profiles, photos, reactions, followers, private favorites with tags and search, and two \
                catalogues of schemaless items. docs/api.md explains what the operations have in common: tokens, \
                pages, repeated and conditional requests, documents and search.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{
            "url": "{api}",
            "variables": {"api": {
                "default": "http://127.0.0.1:3000",
                "description": "The output ApiUrl of the deployed stack, or the local stack.",
            }},
        }],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "headers": headers(),
            "responses": responses(),
            "securitySchemes": {"token": {
                "type": "http",
                "scheme": "bearer",
                "bearerFormat": "JWT",
                "description": "An access token of the user pool. Its claim `username` is the caller.",
            }},
        },
    }))
}

/// Returns the schemas to which the document refers.
fn components(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let mut components = generator.take_definitions(true);
    components.insert("DocumentValue".to_owned(), schemas::document_value().into());
    components.insert(
        "Message".to_owned(),
        json!({
            "description": "An answer of API Gateway itself, which did not start a function.",
            "type": "object",
            "properties": {"message": {"type": "string", "examples": ["Unauthorized"]}},
            "required": ["message"],
        }),
    );
    for schema in components.values_mut() {
        shorten_descriptions(schema);
        remove_nulls(schema);
    }
    components
}

/// Removes `null` from the types of fields that are not required: an answer leaves such a field out.
fn remove_nulls(schema: &mut Value) {
    let required: Vec<Value> = schema["required"].as_array().cloned().unwrap_or_default();
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (_, property) in properties.into_iter().flatten().filter(|(name, _)| !required.contains(&json!(name))) {
        if let Some(types) = property.get_mut("type").filter(|types| types[1] == "null") {
            *types = types[0].take();
        }
        let null = json!({"type": "null"});
        let alternatives = property.get("anyOf").and_then(Value::as_array).map(Vec::as_slice);
        if let Some([only, last]) = alternatives
            && *last == null
        {
            property["allOf"] = json!([only]);
            property.as_object_mut().expect("a schema").remove("anyOf");
        }
    }
}

/// Shortens the descriptions, which are doc comments, to their first paragraph, and removes the markup of links to other
/// items of the code.
fn shorten_descriptions(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(text)) = members.get_mut("description") {
                let sentence = text.split(". ").next().unwrap_or_default().split("\n\n").next().unwrap_or_default();
                *text = sentence.replace(['[', ']', '`', '\n'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
                if !text.ends_with('.') {
                    text.push('.');
                }
            }
            members.values_mut().for_each(shorten_descriptions);
        }
        Value::Array(elements) => elements.iter_mut().for_each(shorten_descriptions),
        _ => {}
    }
}

/// Returns the headers of answers.
fn headers() -> Value {
    let header =
        |description: &str, schema: Value| json!({"description": description, "required": true, "schema": schema});
    let text = |pattern: &str| json!({"type": "string", "pattern": pattern});
    json!({
        "CacheControl": header(
            "`private, no-cache`: the browser may keep the answer for its user and asks before it shows it again. \
             `no-store`: nobody keeps it.",
            json!({"type": "string", "enum": ["private, no-cache", "no-store"]}),
        ),
        "ETag": header(
            "The entity tag of the answer, for If-None-Match, and of a thing with a version for If-Match.",
            text("^(W/)?\"[!#-~]+\"$"),
        ),
        "Location": header("The path of the new thing. A GET returns it.", text("^/")),
        "RetryAfter": header("The number of seconds to wait before the request is repeated.", json!({"type": "string", "pattern": "^[0-9]+$"})),
        "WWWAuthenticate": header("The scheme of the token, and what is wrong with it.", text("^Bearer")),
    })
}

/// Returns the answers of API Gateway itself, which any route may give.
fn responses() -> Value {
    let responses = GATEWAY.iter().map(|(status, description)| {
        (format!("Gateway{status}"), {
            let mut response = json!({
                "description": description,
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Message"}}},
            });
            add_headers(&mut response, *status);
            response
        })
    });
    responses.collect::<Map<_, _>>().into()
}

/// The errors that [API
/// Gateway](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html) answers itself.
const GATEWAY: [(u16, &str); 8] = [
    (400, "The percent-encoding of the path or the query string is invalid."),
    (401, "There is no valid token."),
    (404, "No route has this method and path."),
    (413, "The body is larger than 10 MB."),
    (429, "Too many requests arrive. Repeat the request after a pause."),
    (431, "The request line and the headers together are larger than 10,240 bytes."),
    (500, "The function failed."),
    (503, "The function did not answer in time."),
];

/// Adds the headers that every answer of a status has.
fn add_headers(response: &mut Value, status: u16) {
    let reference = |name: &str| json!({"$ref": format!("#/components/headers/{name}")});
    if status == 401 {
        response["headers"]["WWW-Authenticate"] = reference("WWWAuthenticate");
    }
}

/// An operation with what the functions do not say: its route, its sample event and the components.
struct Operation<'a> {
    described: &'a Described,
    route: &'a Route,
    event: &'a Value,
    schemas: &'a Map<String, Value>,
}

impl Operation<'_> {
    fn json(&self) -> Value {
        let Described { name, description, .. } = self.described;
        let words: Vec<&str> = name.split('-').collect();
        let capital = |word: &&str| word[..1].to_uppercase() + &word[1..];
        let (who, callers) = match self.described.callers {
            Callers::Any => ("any", "Every signed-in user may call it.".to_owned()),
            Callers::Owner => ("self", "Only the user whom the request names may call it.".to_owned()),
            Callers::Group(group) => (group, format!("Only members of the group {group} may call it.")),
        };
        let mut operation = json!({
            "operationId": words[0].to_owned() + &words[1..].iter().map(capital).collect::<String>(),
            "summary": capital(&name.replace('-', " ").as_str()),
            "description": format!("{}{} {callers}", description[..1].to_uppercase(), &description[1..]),
            // As in the column `who` of docs/access-patterns.md.
            "x-callers": who,
            "tags": [self.route.path.split('/').nth(1).unwrap_or_default()],
            "responses": self.responses(),
        });
        let parameters = self.parameters();
        if !parameters.is_empty() {
            operation["parameters"] = parameters.into();
        }
        if let Some(body) = self.body() {
            operation["requestBody"] = body;
        }
        operation
    }

    fn is_get(&self) -> bool {
        self.route.method == "GET"
    }

    /// Returns the parameters with the examples of the sample event.
    fn parameters(&self) -> Vec<Value> {
        let mut parameters = self.described.parameters.clone();
        for parameter in &mut parameters {
            let name = parameter["name"].as_str().unwrap_or_default();
            let place = match parameter["in"].as_str() {
                Some("path") => &self.event["pathParameters"],
                Some("query") => &self.event["queryStringParameters"],
                _ => &Value::Null,
            };
            if let Some(example) = place.get(name) {
                let number = example.as_str().and_then(|text| text.parse::<i64>().ok());
                let is_number = parameter["schema"]["type"] == "integer";
                parameter["example"] = number.filter(|_| is_number).map_or(example.clone(), Value::from);
            }
        }
        if self.is_get() {
            parameters.push(json!({
                "name": "If-None-Match", "in": "header", "required": false, "schema": {"type": "string"},
                "description": "The entity tag of an earlier answer. If nothing has changed, the answer is 304.",
            }));
        }
        parameters
    }

    /// Returns the body with the example of the sample event.
    fn body(&self) -> Option<Value> {
        let (schema, max_bytes) = self.described.body.as_ref()?;
        let example = self.event["body"].as_str().and_then(|body| serde_json::from_str::<Value>(body).ok());
        let content = json!({"schema": schema, "example": example});
        let mut body = json!({
            "description": format!("At most {max_bytes} bytes."),
            // An empty body has no fields; a document is never empty.
            "required": schema.get("required").is_some() || schema["additionalProperties"] != false,
            "content": {"application/json": content},
        });
        if self.route.method == "PATCH" {
            body["content"]["application/merge-patch+json"] = content;
        }
        Some(body)
    }

    fn responses(&self) -> Map<String, Value> {
        let mut responses = Map::new();
        for status in &self.described.statuses {
            responses.insert(status.to_string(), self.success(*status));
        }
        if self.is_get() {
            let mut response = json!({"description": "The client has this answer already."});
            self.add_headers(&mut response, 304);
            responses.insert("304".to_owned(), response);
        }
        for (status, examples) in self.errors() {
            responses.insert(status.to_string(), self.error(status, &examples));
        }
        for (status, _) in GATEWAY {
            let reference = json!({"$ref": format!("#/components/responses/Gateway{status}")});
            responses.entry(status.to_string()).or_insert(reference);
        }
        responses
    }

    fn success(&self, status: u16) -> Value {
        let description = match status {
            201 => "It has been created.",
            204 => "It is deleted, or was not there.",
            _ if self.is_get() => "It has been read.",
            _ => "It is as the request says, or was so already.",
        };
        let mut response = json!({"description": description});
        if let Some(schema) = &self.described.answer {
            let schema = schema.as_value();
            let example = example::of(schema, self.schemas);
            response["content"] = json!({"application/json": {"schema": schema, "example": example}});
        }
        self.add_headers(&mut response, status);
        response
    }

    /// Returns the errors of the function, by status.
    fn errors(&self) -> BTreeMap<u16, Vec<Value>> {
        let field = self.described.parameters.first().and_then(|parameter| parameter["name"].as_str());
        let schema = self.described.parameters.first().map(|parameter| &parameter["schema"]);
        let rule = schema.and_then(|schema| self.resolve(schema)["description"].as_str());
        let rule = rule.and_then(|rule| rule.strip_prefix("A value ")).map(|rule| rule.trim_end_matches('.'));
        let forbidden = match self.described.callers {
            Callers::Any => format!("The username in the token must be {}.", Username::RULE),
            Callers::Owner => "Only ada may do this.".to_owned(),
            Callers::Group(group) => format!("Only members of the group {group} may do this."),
        };
        let context = errors::Context {
            field: field.unwrap_or("name"),
            rule: rule.unwrap_or("must be given"),
            forbidden: &forbidden,
            max_bytes: self.described.body.as_ref().map_or(MAX_BODY_BYTES, |(_, max_bytes)| *max_bytes),
        };
        // Every function refuses a token without a valid username, and may be busy or fail.
        let always = ["Forbidden", "invalid", "Busy", "Internal"];
        let mut errors = BTreeMap::<u16, Vec<Value>>::new();
        for constructor in self.described.errors.iter().copied().chain(always) {
            let example = errors::example(constructor, &context);
            let examples = errors.entry(example.status).or_default();
            if !examples.contains(&example.body) {
                examples.push(example.body);
            }
        }
        errors
    }

    fn resolve<'s>(&'s self, schema: &'s Value) -> &'s Value {
        match schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
            Some(name) => &self.schemas[name],
            None => schema,
        }
    }

    fn error(&self, status: u16, examples: &[Value]) -> Value {
        let gateway = GATEWAY.iter().find(|(gateway, _)| *gateway == status);
        let details: Vec<&str> = examples.iter().filter_map(|example| example["detail"].as_str()).collect();
        let examples: Map<String, Value> = (1..)
            .zip(examples)
            .map(|(number, example)| (format!("example{number}"), json!({"value": example})))
            .collect();
        let mut response = json!({
            "description": details.join(" Or: "),
            "content": {"application/problem+json": {
                "schema": {"$ref": "#/components/schemas/Problem"},
                "examples": examples,
            }},
        });
        if gateway.is_some() {
            response["content"]["application/json"] = json!({"schema": {"$ref": "#/components/schemas/Message"}});
        }
        self.add_headers(&mut response, status);
        response
    }

    fn add_headers(&self, response: &mut Value, status: u16) {
        let mut add = |name: &str| {
            let reference = format!("#/components/headers/{}", name.replace('-', ""));
            response["headers"][name] = json!({"$ref": reference});
        };
        let is_of_gateway_too = GATEWAY.iter().any(|(gateway, _)| *gateway == status);
        if !is_of_gateway_too {
            add("Cache-Control");
        }
        if (self.is_get() && status < 400) || (self.described.has_version && matches!(status, 200 | 201)) {
            add("ETag");
        }
        if status == 201 && self.described.has_location {
            add("Location");
        }
        add_headers(response, status);
    }
}

/// Adds to each 201 with a `Location` the operations on the new thing: those whose path has the parameters of this path,
/// and others that the body of the answer has.
fn add_links(paths: &mut Map<String, Value>, schemas: &Map<String, Value>) {
    let parameters = |path: &str| -> Vec<String> {
        path.split('/').filter_map(|part| Some(part.strip_prefix('{')?.strip_suffix('}')?.to_owned())).collect()
    };
    let targets: Vec<(String, Vec<String>)> = paths
        .iter()
        .flat_map(|(path, item)| item.as_object().into_iter().flatten().map(move |(_, operation)| (path, operation)))
        .map(|(path, operation)| (operation["operationId"].as_str().unwrap_or_default().to_owned(), parameters(path)))
        .collect();
    for (path, item) in paths.iter_mut() {
        let known = parameters(path);
        for operation in item.as_object_mut().into_iter().flatten().map(|(_, operation)| operation) {
            let Some(created) = operation["responses"].get_mut("201") else { continue };
            let schema = &created["content"]["application/json"]["schema"]["$ref"];
            let schema = schema.as_str().and_then(|path| path.rsplit('/').next()).map(|name| &schemas[name]);
            let Some(properties) = schema.and_then(|schema| schema["properties"].as_object()) else { continue };
            if created["headers"].get("Location").is_none() {
                continue;
            }
            for (target, needed) in &targets {
                let in_body = |name: &String| !known.contains(name) && properties.contains_key(name);
                let all_known = needed.iter().all(|name| known.contains(name) || in_body(name));
                if all_known && needed.iter().any(in_body) {
                    let parameters = needed.iter().map(|name| {
                        let source = if in_body(name) {
                            format!("$response.body#/{name}")
                        } else {
                            format!("$request.path.{name}")
                        };
                        (name.clone(), Value::from(source))
                    });
                    created["links"][target] =
                        json!({"operationId": target, "parameters": parameters.collect::<Map<_, _>>()});
                }
            }
        }
    }
}
