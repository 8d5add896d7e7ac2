//! The description of the operation of a route, which its [input](super::extract) and the route
//! itself add up. The generator of docs/openapi.json reads it.

use std::collections::BTreeSet;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::escape::{ESCAPE_PATTERN, ESCAPE_RULE};
use super::problems::ErrorKind;
use crate::values::Username;

pub mod schemas;

/// The callers that a route admits.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Callers {
    /// Every caller with a valid token.
    #[default]
    Any,
    /// The user whom the request names.
    Owner,
    /// Two users whom the request names.
    Either,
    /// Everybody, without a token.
    Nobody,
    /// The members of a group.
    Group(&'static str),
}

/// Whether a field of a body must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// The field must be there.
    Required,
    /// The field may be absent.
    Optional,
    /// The field may be absent or `null`.
    Nullable,
    /// The field may be absent, `null` or an empty text.
    Empty,
}

impl Presence {
    /// Returns the presence of an optional field with this value.
    pub(crate) fn nullable<T: crate::values::Value>() -> Self {
        if T::IS_FREE_TEXT { Self::Empty } else { Self::Nullable }
    }
}

type MakeSchema = fn(&mut SchemaGenerator) -> Schema;

/// The content of a field.
#[derive(Debug)]
enum Content {
    /// A value.
    One(MakeSchema),
    /// A list of objects with these fields, and the fewest and the most of them.
    List(Fields, [usize; 2]),
}

/// The fields of a body.
#[derive(Debug, Default)]
pub struct Fields {
    fields: Vec<(&'static str, Presence, Content)>,
    exclusion: Option<(&'static str, &'static [&'static str])>,
}

impl Fields {
    pub(crate) fn add<T: JsonSchema>(&mut self, name: &'static str, presence: Presence) {
        self.fields.push((name, presence, Content::One(SchemaGenerator::subschema_for::<T>)));
    }

    pub(crate) fn document(&mut self, name: &'static str) {
        self.fields.push((name, Presence::Nullable, Content::One(|_| schemas::document())));
    }

    pub(crate) fn list(&mut self, name: &'static str, items: Self, size: [usize; 2]) {
        self.fields.push((name, Presence::Optional, Content::List(items, size)));
    }

    /// Says that none of `others` may be given together with `field`.
    pub(crate) fn excludes(&mut self, field: &'static str, others: &'static [&'static str]) {
        self.exclusion = Some((field, others));
    }

    fn schema(&self, generator: &mut SchemaGenerator) -> Value {
        let mut schema = json!({"type": "object", "additionalProperties": false});
        let mut properties = Map::new();
        for (name, presence, field) in &self.fields {
            let field: Value = match field {
                Content::One(schema) => schema(generator).into(),
                Content::List(items, [min, max]) => {
                    json!({"type": "array", "minItems": min, "maxItems": max, "items": items.schema(generator)})
                }
            };
            let field = match presence {
                Presence::Required | Presence::Optional => field,
                Presence::Nullable => json!({"anyOf": [field, {"type": "null"}]}),
                Presence::Empty => json!({"anyOf": [field, {"enum": ["", null]}]}),
            };
            properties.insert((*name).to_owned(), field);
        }
        if !properties.is_empty() {
            schema["properties"] = properties.into();
            let required = self.fields.iter().filter(|(_, presence, _)| *presence == Presence::Required);
            let required: Vec<&str> = required.map(|(name, ..)| *name).collect();
            if !required.is_empty() {
                schema["required"] = json!(required);
            }
        }
        if let Some((field, others)) = self.exclusion {
            let given = |name: &str| json!({"required": [name], "properties": {name: {"not": {"enum": ["", null]}}}});
            let others: Vec<Value> = others.iter().map(|other| given(other)).collect();
            schema["not"] = json!({"allOf": [given(field), {"anyOf": others}]});
        }
        schema
    }
}

/// The description of an operation in progress.
#[derive(Debug)]
pub struct Operation<'a> {
    generator: &'a mut SchemaGenerator,
    route: &'static str,
    /// The parameters of the path, the query string and the headers, as OpenAPI has them.
    pub parameters: Vec<Value>,
    /// The schema of the body, and its maximum size in bytes. `None` if the route reads no body.
    pub body: Option<(Value, usize)>,
    /// The callers.
    pub callers: Callers,
    /// Whether a browser gets the answers as pages of HTML.
    pub is_for_browsers: bool,
    /// Whether the body may also be the form of a page.
    pub takes_form: bool,
    /// The errors.
    pub errors: BTreeSet<ErrorKind>,
}

impl<'a> Operation<'a> {
    /// Returns the description of an operation that takes nothing. Every function may be busy or
    /// fail, and refuses parameters that it does not know.
    #[must_use]
    pub fn new(generator: &'a mut SchemaGenerator) -> Self {
        let errors = BTreeSet::from([ErrorKind::Invalid, ErrorKind::Busy, ErrorKind::Internal]);
        Self {
            generator,
            route: "",
            parameters: vec![],
            body: None,
            callers: Callers::default(),
            is_for_browsers: false,
            takes_form: false,
            errors,
        }
    }

    /// Returns the description of the operation of a route, such as `GET /users/{username}`.
    #[must_use]
    pub fn of_route(self, route: &'static str) -> Self {
        Self { route, ..self }
    }

    /// Returns the schema of a type.
    pub fn schema<T: JsonSchema>(&mut self) -> Schema {
        self.generator.subschema_for::<T>()
    }

    /// Adds a parameter unless it is known. A list has its elements in one value, separated by
    /// commas.
    pub(super) fn parameter(&mut self, place: &str, name: &str, required: bool, description: &str, schema: &Schema) {
        let is_known = |known: &Value| known["in"] == place && known["name"] == name;
        if !self.parameters.iter().any(is_known) {
            let mut parameter = json!({
                "name": name, "in": place, "required": required, "description": description, "schema": schema,
            });
            if self.is_list(schema) {
                parameter["style"] = "form".into();
                parameter["explode"] = false.into();
            }
            self.parameters.push(parameter);
        }
    }

    fn is_list(&self, schema: &Schema) -> bool {
        let name = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
        let schema = name.map_or(schema.as_value(), |name| &self.generator.definitions()[name]);
        schema["type"] == "array"
    }

    /// Adds a parameter of the path.
    pub fn path<T: JsonSchema>(&mut self, name: &str, description: &str) {
        let schema = self.schema::<T>();
        self.parameter("path", name, true, description, &schema);
    }

    /// Adds the parameter of the path that names the user whose things the path is about.
    pub fn username(&mut self) {
        let description = if self.route.contains("/photos/{") {
            "The owner of the photo. `me` is the caller."
        } else {
            "The user. `me` is the caller."
        };
        self.path::<Username>("username", description);
    }

    /// Adds a parameter of the path that a person typed, in its escaped form.
    pub fn escaped_path<T: crate::values::Value>(&mut self, name: &str, description: &str) {
        let description = format!("{description} Must be {ESCAPE_RULE}. The text must be {}.", T::RULE);
        let schema = json_schema!({"type": "string", "pattern": ESCAPE_PATTERN});
        self.parameter("path", name, true, &description, &schema);
    }

    /// Adds a parameter of the query string, and its default value if it has one.
    pub fn query<T: JsonSchema>(&mut self, name: &str, description: &str, default: Option<&str>) {
        let mut schema = self.schema::<T>();
        if let Some(default) = default {
            schema.insert("default".to_owned(), default.into());
        }
        self.parameter("query", name, false, description, &schema);
    }

    /// Adds a parameter of the query string that must be given.
    pub fn required_query<T: JsonSchema>(&mut self, name: &str, description: &str) {
        let schema = self.schema::<T>();
        self.parameter("query", name, true, description, &schema);
    }

    pub(super) fn idempotency_key(&mut self) {
        let schema = schemas::idempotency_key(self.generator);
        let description = "Marks the repetitions of this request. A repetition with the same body answers 200 with \
                           what the first request created, for 24 hours. The key may be in double quotes.";
        self.parameter("header", "Idempotency-Key", false, description, &schema);
        self.error(ErrorKind::IdempotencyKeyReused);
    }

    pub(super) fn object(&mut self, fields: &Fields, max_bytes: usize) {
        self.body = Some((fields.schema(self.generator), max_bytes));
        self.body_errors();
    }

    pub(super) fn document(&mut self, max_bytes: usize) {
        self.body = Some((schemas::document().into(), max_bytes));
        self.body_errors();
    }

    fn body_errors(&mut self) {
        self.errors.extend([ErrorKind::Malformed, ErrorKind::NotJson, ErrorKind::TooLarge]);
    }

    /// Says who may call.
    pub fn callers(&mut self, callers: Callers) {
        self.callers = callers;
        match callers {
            Callers::Any | Callers::Nobody => {}
            Callers::Owner | Callers::Either => self.error(ErrorKind::NotYours),
            Callers::Group(_) => self.error(ErrorKind::GroupNeeded),
        }
    }

    /// Adds an error.
    pub fn error(&mut self, error: ErrorKind) {
        self.errors.insert(error);
    }
}
