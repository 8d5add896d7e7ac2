//! The document: the operations of all routes, with their parameters, bodies and responses.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context as _, Result, ensure};
use local::template::Template;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use shared::http::answer::Problem;
use shared::http::describe::Callers;
use shared::http::problems::Description;
use shared::http::request::ME;
use shared::{ErrorKind, Success};

use crate::components::{self, GATEWAY};
use crate::operation::{self, Described};

/// The path of the document, relative to the root of the repository.
pub const PATH: &str = "docs/openapi.json";

/// The path of the document of the last release. There is none before the first release.
pub const RELEASED: &str = "docs/released.json";

/// The answers of the functions to their sample events, which `cargo run --bin scale` records.
const ANSWERS: &str = "docs/answers.json";

/// The content type of the form of a page, as the header has it.
const FORM: &str = "application/x-www-form-urlencoded";
/// The content type of a page.
const PAGE: &str = "text/html";

/// Returns the text of the document: JSON with two spaces of indentation and a line feed at the
/// end.
pub fn text() -> Result<String> {
    Ok(serde_json::to_string_pretty(&document()?)? + "\n")
}

/// Returns the document, by [OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1.html).
pub fn document() -> Result<Value> {
    let root = Template::find()?;
    let settings = SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into())
        .for_serialize();
    let mut generator = settings.into_generator();
    let described = operation::all(&mut generator);
    let mut subjects: Vec<&str> = vec![];
    for Described { path, .. } in &described {
        if !subjects.contains(&subject(path)) {
            subjects.push(subject(path));
        }
    }
    let tags: Vec<Value> = subjects.iter().map(|subject| json!({"name": subject})).collect();
    generator.subschema_for::<Problem>();
    let components = components::schemas(&mut generator);

    let answers = fs::read(root.with_file_name(ANSWERS)).context(ANSWERS)?;
    let answers: Value = serde_json::from_slice(&answers).context(ANSWERS)?;
    let mut paths = Map::new();
    for operation in &described {
        let event = fs::read(root.with_file_name("events").join(format!("{}.json", operation.name)))?;
        let event: Value = serde_json::from_slice(&event)?;
        let answer = &answers[operation.name];
        ensure!(
            operation.answer.is_none() || !answer.is_null(),
            "{ANSWERS} has no answer of {}: run `cargo run --bin scale`",
            operation.name
        );
        let operation = PathOperation { described: operation, event: &event, answer, schemas: &components };
        let path = paths.entry(operation.described.path).or_insert_with(|| json!({}));
        path[operation.described.method.to_lowercase()] = operation.json();
    }
    Ok(json!({
        "openapi": "3.1.1",
        "info": {
            "title": "Quick Photos",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Profiles, photos, reactions, followers, private favorites with tags and search, and two \
                catalogues of schemaless items. docs/api.md explains what the operations have in common: tokens, \
                pages, repeated and conditional requests. A method without a route answers 404, \
                never 405, so no answer has the header Allow.",
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
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": components,
            "examples": components::problems(),
            "headers": components::headers(),
            "responses": components::gateway_responses(),
            "securitySchemes": {"token": {
                "type": "http",
                "scheme": "bearer",
                "bearerFormat": "JWT",
                "description": "An access token of the user pool. Its claim `username` is the caller.",
            }},
        },
    }))
}

/// An operation with what the handlers do not say: its sample event with the answer to it.
struct PathOperation<'a> {
    described: &'a Described,
    event: &'a Value,
    /// The body of the answer to the sample event.
    answer: &'a Value,
    /// The schemas of the document.
    schemas: &'a Map<String, Value>,
}

/// Returns the subject of a path. Under a user, it is what the user has: the first part of the path
/// after the name. A photo has subjects of its own, so there it is the next part. A link has several
/// paths.
fn subject(path: &str) -> &str {
    let mut parts = path.split('/').filter(|part| !part.is_empty() && !part.starts_with('{'));
    let root = parts.next().unwrap_or_default();
    if ["s", "oembed"].contains(&root) || path.ends_with("/link") {
        return "links";
    }
    match parts.next() {
        Some("photos") => parts.next().unwrap_or("photos"),
        Some("profile") | None => root,
        Some(part) if root == "users" => part,
        Some(_) => root,
    }
}

impl PathOperation<'_> {
    fn json(&self) -> Value {
        let Described { name, summary, .. } = self.described;
        let words: Vec<&str> = name.split('-').collect();
        let capital = |word: &&str| word[..1].to_uppercase() + &word[1..];
        let (who, callers) = match self.described.callers {
            Callers::Any => ("any", "Every signed-in user may call it.".to_owned()),
            Callers::Owner => ("self", "Only the user whom the request names may call it.".to_owned()),
            Callers::Either => ("either", "Only the two users whom the request names may call it.".to_owned()),
            Callers::Nobody => {
                ("nobody", "Anybody may call it without a token, at the address of the output LinksUrl.".to_owned())
            }
            Callers::Group(group) => (group, format!("Only members of the group {group} may call it.")),
        };
        let mut operation = json!({
            "operationId": words[0].to_owned() + &words[1..].iter().map(capital).collect::<String>(),
            "summary": capital(&name.replace('-', " ").as_str()),
            "description": format!("{summary} {callers}"),
            // As `who` in costs.toml.
            "x-callers": who,
            "tags": [subject(self.described.path)],
            "responses": self.responses(),
        });
        if self.is_for_nobody() {
            operation["security"] = json!([]);
        } else {
            operation["x-example-caller"] = self.caller().clone();
        }
        let parameters = self.parameters();
        let body = self.body();
        operation["x-codeSamples"] = json!([{
            "lang": "typescript",
            "label": "TypeScript",
            "source": self.call(&parameters, body.as_ref()),
        }]);
        if !parameters.is_empty() {
            operation["parameters"] = parameters.into();
        }
        if let Some(body) = body {
            operation["requestBody"] = body;
        }
        operation
    }

    /// Returns the user whose request the sample event is.
    fn caller(&self) -> &Value {
        &self.event["requestContext"]["authorizer"]["jwt"]["claims"]["username"]
    }

    /// Returns the call of `quick-photos-client` that sends the example.
    fn call(&self, parameters: &[Value], body: Option<&Value>) -> String {
        let mut options = Map::new();
        for parameter in parameters.iter().filter(|parameter| parameter.get("example").is_some()) {
            let (place, name) = (parameter["in"].as_str(), parameter["name"].as_str());
            let (place, name) = (place.unwrap_or_default(), name.unwrap_or_default());
            options.entry("params").or_insert_with(|| json!({}))[place][name] = parameter["example"].clone();
        }
        if let Some(body) = body {
            options.insert("body".to_owned(), body["content"]["application/json"]["example"].clone());
        }
        let data = if self.described.answer.is_some() { "const { data } = " } else { "" };
        let Described { method, path, .. } = self.described;
        format!("{data}await api.{method}(\"{path}\", {:#});", Value::from(options))
    }

    fn successes(&self, status: u16) -> impl Iterator<Item = &Success> {
        self.described.successes.iter().filter(move |success| success.status == status)
    }

    fn is_get(&self) -> bool {
        self.described.method == "GET"
    }

    fn is_for_nobody(&self) -> bool {
        self.described.callers == Callers::Nobody
    }

    /// Returns whether a GET of the same answer can be answered with 304.
    fn has_tag(&self) -> bool {
        self.is_get() && self.successes(200).next().is_some()
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
            let Some(example) = place.get(name).and_then(Value::as_str) else { continue };
            let schema = self.resolve(&parameter["schema"]);
            let is_caller =
                parameter["schema"] == json!({"$ref": "#/components/schemas/Username"}) && self.caller() == example;
            parameter["example"] = match schema["type"].as_str() {
                Some("integer") => example.parse::<i64>().map_or(Value::Null, Value::from),
                Some("array") => example.split(',').collect(),
                _ if is_caller => ME.into(),
                _ => example.into(),
            };
        }
        if self.has_tag() {
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
        // The event of a function that reads no field has no body.
        let text = self.event["body"].as_str()?;
        let example = if self.is_form() { fields_of_form(text) } else { serde_json::from_str(text).ok() };
        let example = example.expect("the body of an event is JSON or a form");
        let content = json!({"schema": schema, "example": example});
        let mut body = json!({
            "description": format!("At most {max_bytes} bytes."),
            // An empty body has no fields; a document is never empty.
            "required": schema.get("required").is_some() || schema["additionalProperties"] != false,
            "content": {"application/json": content},
        });
        if self.described.method == "PATCH" {
            body["content"]["application/merge-patch+json"] = content;
        } else if self.described.takes_form {
            body["content"][FORM] = content;
        }
        Some(body)
    }

    /// Returns whether the body of the sample event is the form of a page.
    fn is_form(&self) -> bool {
        self.event["headers"]["content-type"] == FORM
    }

    fn responses(&self) -> Map<String, Value> {
        let mut responses = Map::new();
        for success in self.described.successes {
            responses.insert(success.status.to_string(), self.success(success));
        }
        if self.has_tag() {
            let description = "Nothing has changed since the answer with the entity tag in `If-None-Match`.";
            let mut response = json!({"description": description});
            self.add_headers(&mut response, 304);
            responses.insert("304".to_owned(), response);
        }
        if self.described.takes_form {
            let mut response = json!({
                "description": "It is done, and the browser that sent the form shows this page.",
                "content": {PAGE: components::page()},
            });
            self.add_headers(&mut response, 200);
            responses.insert("200".to_owned(), response);
        }
        for (status, kinds) in self.errors() {
            responses.insert(status.to_string(), self.error(status, &kinds));
        }
        // Without an authorizer, nothing refuses a token.
        for (status, _) in GATEWAY.iter().filter(|(status, _)| *status != 401 || !self.is_for_nobody()) {
            let reference = json!({"$ref": format!("#/components/responses/Gateway{status}")});
            responses.entry(status.to_string()).or_insert(reference);
        }
        responses
    }

    fn success(&self, Success { status, outcome, .. }: &Success) -> Value {
        let status = *status;
        let body = self.described.answer.as_ref().map(|schema| self.resolve(schema.as_value()));
        let body = body.and_then(|schema| schema["description"].as_str()).unwrap_or(outcome);
        let description = match status {
            201 => format!("It has been created. {body}"),
            202 => format!("It is requested, and somebody else has to accept it. {body}"),
            302 => "It is at the address in `Location`.".to_owned(),
            200 if !self.is_get() => format!("It is as the request says, or was so already. {body}"),
            _ => body.to_owned(),
        };
        let mut response = json!({"description": description});
        if let Some(schema) = &self.described.answer {
            let mut content = json!({"schema": schema, "example": self.answer});
            // The sample event gets a 201. A 202 has the same fields, and says that it is a request.
            if status == 202 {
                content["example"]["status"] = "requested".into();
            }
            response["content"] = json!({"application/json": content});
        }
        if self.described.is_for_browsers {
            response["content"][PAGE] = components::page();
        }
        self.add_headers(&mut response, status);
        response
    }

    /// Returns the kinds of problems of the function, by status.
    fn errors(&self) -> BTreeMap<u16, Vec<ErrorKind>> {
        let mut errors = BTreeMap::<u16, Vec<ErrorKind>>::new();
        for kind in &self.described.errors {
            errors.entry(kind.status().as_u16()).or_default().push(*kind);
        }
        errors
    }

    fn resolve<'s>(&'s self, schema: &'s Value) -> &'s Value {
        match schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
            Some(name) => &self.schemas[name],
            None => schema,
        }
    }

    fn error(&self, status: u16, kinds: &[ErrorKind]) -> Value {
        let gateway = GATEWAY.iter().find(|(gateway, _)| *gateway == status);
        let kinds: Vec<_> = kinds.iter().map(|kind| kind.description()).collect();
        let lines: Vec<_> = kinds.iter().map(|kind| format!("`{}`: {}", kind.slug, kind.meaning)).collect();
        let example = |kind: &Description| {
            (kind.slug.to_owned(), json!({"$ref": format!("#/components/examples/{}", kind.slug)}))
        };
        let examples: Map<_, _> = kinds.iter().map(example).collect();
        let uris: Vec<&str> = kinds.iter().map(|kind| kind.uri).collect();
        let mut response = json!({
            "description": lines.join("\n\n"),
            "content": {"application/problem+json": {
                "schema": {"allOf": [
                    {"$ref": "#/components/schemas/Problem"},
                    {"type": "object", "required": ["type"], "properties": {"type": {"type": "string", "enum": uris}}},
                ]},
                "examples": examples,
            }},
        });
        // A page of the function itself, such as "this link has ended".
        let Described { is_for_browsers, takes_form, .. } = self.described;
        if (status == 404 && *is_for_browsers) || ([404, 429].contains(&status) && *takes_form) {
            response["content"][PAGE] = components::page();
        }
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
        let is_shared = self.is_for_nobody() && self.is_get() && status < 400;
        if !is_of_gateway_too && !is_shared {
            add("Cache-Control");
        }
        if (self.has_tag() && status < 400) || self.successes(status).any(|success| success.has_version) {
            add("ETag");
        }
        if self.successes(status).any(|success| success.has_location) {
            add("Location");
        }
        if is_shared {
            response["headers"]["Cache-Control"] = json!({"$ref": "#/components/headers/SharedCacheControl"});
        }
        if status == 302 {
            response["headers"]["Location"] = json!({"$ref": "#/components/headers/Address"});
        }
        components::add_headers(response, status);
    }
}

/// Returns the fields of a form of a page.
fn fields_of_form(text: &str) -> Option<Value> {
    let fields = text.split('&').map(|field| field.split_once('='));
    fields
        .map(|field| field.map(|(name, value)| (name.to_owned(), value.into())))
        .collect::<Option<Map<_, _>>>()
        .map(Value::from)
}
