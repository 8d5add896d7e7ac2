//! The description of a function, which collects its parameters, its body, its answers and its
//! errors. `build/main.rs` generates the calls from the function's source.

use std::collections::BTreeSet;
use std::fmt::Display;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use shared::catalogue::document::MAX_DOCUMENT_BYTES;
use shared::http::escape::{ESCAPE_PATTERN, ESCAPE_RULE};
use shared::http::request::MAX_BODY_BYTES;

use crate::schemas;

/// The callers that a function admits.
#[derive(Debug, Default)]
pub(crate) enum Callers {
    /// Every caller with a valid token.
    #[default]
    Any,
    /// The user whom the request names.
    Owner,
    /// Two users whom the request names.
    Either,
    /// The members of a group.
    Group(&'static str),
}

/// The description of a function that has a route.
#[derive(Debug, Default)]
pub(crate) struct Described {
    /// The name of the function.
    pub(crate) name: &'static str,
    /// The sentences about the function at the top of its file.
    pub(crate) description: &'static str,
    /// The parameters of the path, the query string and the headers, as OpenAPI has them.
    pub(crate) parameters: Vec<Value>,
    /// The schema of the body, and its maximum size in bytes. `None` if the function reads no body.
    pub(crate) body: Option<(Value, usize)>,
    /// The callers.
    pub(crate) callers: Callers,
    /// The statuses of success.
    pub(crate) statuses: BTreeSet<u16>,
    /// Whether a 201 has a `Location`.
    pub(crate) has_location: bool,
    /// Whether the thing has a version, which a write returns as its entity tag.
    pub(crate) has_version: bool,
    /// The schema of the body of a success. `None` if there is no body.
    pub(crate) answer: Option<Schema>,
    /// The constructors of the errors.
    pub(crate) errors: BTreeSet<&'static str>,
}

/// A description in progress.
pub(crate) struct Operation<'a> {
    schemas: &'a mut SchemaGenerator,
    fields: Map<String, Value>,
    required: Vec<&'static str>,
    described: Described,
}

impl<'a> Operation<'a> {
    pub(crate) fn new(name: &'static str, description: &'static str, schemas: &'a mut SchemaGenerator) -> Self {
        let described = Described { name, description, ..Described::default() };
        Self { schemas, fields: Map::new(), required: vec![], described }
    }

    pub(crate) fn finish(mut self) -> Described {
        if let Some((schema, _)) = &mut self.described.body
            && !self.fields.is_empty()
        {
            schema["properties"] = Value::Object(self.fields);
            if !self.required.is_empty() {
                schema["required"] = json!(self.required);
            }
        }
        self.described
    }

    fn schema<T: JsonSchema>(&mut self) -> Schema {
        self.schemas.subschema_for::<T>()
    }

    fn parameter(&mut self, place: &str, name: &str, required: bool, description: &str, schema: &Schema) {
        let is_known = |known: &Value| known["in"] == place && known["name"] == name;
        if !self.described.parameters.iter().any(is_known) {
            let mut parameter = json!({"name": name, "in": place, "required": required, "schema": schema});
            if !description.is_empty() {
                parameter["description"] = description.into();
            }
            self.described.parameters.push(parameter);
        }
    }

    pub(crate) fn path<T: JsonSchema>(&mut self, name: &str) {
        let schema = self.schema::<T>();
        self.parameter("path", name, true, "", &schema);
    }

    /// Adds a parameter of the path that a person typed, in its escaped form.
    pub(crate) fn escaped_path<T: shared::values::Value>(&mut self, name: &str) {
        let rule = format!("Must be {ESCAPE_RULE}. The text must be {}.", T::RULE);
        let schema = json_schema!({"type": "string", "pattern": ESCAPE_PATTERN});
        self.parameter("path", name, true, &rule, &schema);
    }

    /// Adds a parameter of the query string. `default` holds its default value, or nothing if it
    /// has none.
    pub(crate) fn query<T: JsonSchema>(&mut self, name: &str, default: &[&dyn Display]) {
        let mut schema = self.schema::<T>();
        if let [default] = default {
            schema.insert("default".to_owned(), default.to_string().into());
        }
        self.parameter("query", name, false, "", &schema);
    }

    pub(crate) fn required_query<T: JsonSchema>(&mut self, name: &str) {
        let schema = self.schema::<T>();
        self.parameter("query", name, true, "", &schema);
    }

    pub(crate) fn page(&mut self) {
        let (limit, cursor) = (schemas::limit(), schemas::cursor());
        self.parameter("query", "limit", false, "The maximum number of entries of the page.", &limit);
        let description = "The `nextCursor` of the page before, of the same list with the same parameters. It is \
                           valid for a day at least, for the caller who read that page.";
        self.parameter("query", "cursor", false, description, &cursor);
    }

    pub(crate) fn precondition(&mut self) {
        let description = "Writes only if the thing has one of these entity tags, or with `*` if it exists.";
        self.parameter("header", "If-Match", false, description, &schemas::if_match());
        let description = "Writes only if the thing does not exist.";
        self.parameter("header", "If-None-Match", false, description, &schemas::if_none_match());
    }

    pub(crate) fn idempotency_key(&mut self) {
        let schema = schemas::idempotency_key(self.schemas);
        let description = "Marks the repetitions of this request. A repetition with the same body answers 200 with \
                           what the first request created, for 24 hours. The key may be in double quotes.";
        self.parameter("header", "Idempotency-Key", false, description, &schema);
    }

    pub(crate) fn object(&mut self) {
        let schema = json!({"type": "object", "additionalProperties": false});
        self.described.body = Some((schema, MAX_BODY_BYTES));
    }

    pub(crate) fn document(&mut self) {
        self.described.body = Some((schemas::document().into(), MAX_DOCUMENT_BYTES));
    }

    pub(crate) fn required_field<T: JsonSchema>(&mut self, name: &'static str) {
        self.required.push(name);
        self.optional_field::<T>(name);
    }

    pub(crate) fn optional_field<T: JsonSchema>(&mut self, name: &'static str) {
        let schema = self.schema::<T>();
        self.fields.insert(name.to_owned(), schema.into());
    }

    pub(crate) fn nullable_field<T: JsonSchema>(&mut self, name: &'static str) {
        let schema = self.schema::<T>();
        self.fields.insert(name.to_owned(), json!({"anyOf": [schema, {"type": "null"}]}));
    }

    pub(crate) fn document_field(&mut self, name: &'static str) {
        let schema = schemas::document();
        self.fields.insert(name.to_owned(), json!({"anyOf": [schema, {"type": "null"}]}));
    }

    /// Says that none of `others` may be given together with `field`.
    pub(crate) fn excludes(&mut self, field: &str, others: &[&str]) {
        if let Some((schema, _)) = &mut self.described.body {
            let given = |name: &str| json!({"required": [name], "properties": {name: {"not": {"type": "null"}}}});
            let others: Vec<Value> = others.iter().map(|other| given(other)).collect();
            schema["not"] = json!({"allOf": [given(field), {"anyOf": others}]});
        }
    }

    pub(crate) fn only_owner(&mut self) {
        self.described.callers = Callers::Owner;
    }

    pub(crate) fn only_either(&mut self) {
        self.described.callers = Callers::Either;
    }

    pub(crate) fn only_group(&mut self, group: &'static str) {
        self.described.callers = Callers::Group(group);
    }

    pub(crate) fn status(&mut self, status: u16) {
        self.described.statuses.insert(status);
    }

    pub(crate) fn version(&mut self, status: u16) {
        self.described.has_version = true;
        self.status(status);
    }

    pub(crate) fn location(&mut self) {
        self.described.has_location = true;
        self.status(201);
    }

    pub(crate) fn answer<T: JsonSchema>(&mut self) {
        let schema = self.schema::<T>();
        self.described.answer = Some(schema).filter(|schema| *schema != <()>::json_schema(self.schemas));
    }

    pub(crate) fn error(&mut self, constructor: &'static str) {
        self.described.errors.insert(constructor);
    }
}
