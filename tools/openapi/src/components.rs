//! The components of the document: schemas, headers, and the responses of API Gateway itself.

use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use shared::ErrorKind;
use shared::http::describe::schemas;
use shared::http::problems::Description;

/// Returns the schemas to which the document refers.
pub(crate) fn schemas(generator: &mut SchemaGenerator) -> Map<String, Value> {
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
        join_constants(schema);
        describe_cursor(schema);
    }
    components
}

/// Removes `null` from the types of fields that are not required: an answer leaves such a field
/// out.
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

/// Turns the alternatives of a choice, each a constant with a description, into an `enum`, which
/// generated clients know as a type.
fn join_constants(schema: &mut Value) {
    let Some(alternatives) = schema.get("oneOf").and_then(Value::as_array) else { return };
    let constants: Option<Vec<Value>> = alternatives.iter().map(|one| one.get("const").cloned()).collect();
    let Some(constants) = constants else { return };
    let meaning = |one: &Value| Some(format!("`{}`: {}", one["const"].as_str()?, one["description"].as_str()?));
    let meanings: Vec<String> = alternatives.iter().filter_map(meaning).collect();
    let description = [schema["description"].as_str().unwrap_or_default(), &meanings.join(" ")].join(" ");
    *schema = json!({"type": "string", "enum": constants, "description": description.trim()});
}

/// Describes the cursor of a page, which is the same in all lists.
fn describe_cursor(schema: &mut Value) {
    if let Some(cursor) = schema.pointer_mut("/properties/nextCursor")
        && cursor.get("description").is_none()
    {
        cursor["description"] = "The cursor of the next page, or null at the end of the list.".into();
    }
}

/// Shortens the descriptions, which are doc comments, to their first sentence, and removes the
/// markup of links to other items of the code.
fn shorten_descriptions(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(text)) = members.get_mut("description") {
                let paragraph = text.split("\n\n").next().unwrap_or_default();
                // A full stop in a list of characters ends no sentence.
                let mut ends = paragraph.match_indices(". ").map(|(end, _)| end);
                let end = ends.find(|end| paragraph[end + 2..].starts_with(char::is_uppercase));
                let sentence = without_links(&paragraph[..end.unwrap_or(paragraph.len())]);
                *text = sentence.replace(['[', ']', '`'], "").split_whitespace().collect::<Vec<_>>().join(" ");
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

/// Returns a text in Markdown with the texts of its links alone.
fn without_links(text: &str) -> String {
    let mut parts = text.split("](");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once(')').map_or("", |(_, rest)| rest))
}

/// Returns an example of each kind of problem. Its sentence for the user depends on the request.
pub(crate) fn problems() -> Map<String, Value> {
    let example = |kind: &ErrorKind| {
        let Description { uri, slug, title, .. } = kind.description();
        let problem = json!({"type": uri, "title": title, "status": kind.status().as_u16(), "detail": "…"});
        (slug.to_owned(), json!({"value": problem}))
    };
    ErrorKind::ALL.iter().map(example).collect()
}

/// Returns the headers of answers.
pub(crate) fn headers() -> Value {
    let header =
        |description: &str, schema: Value| json!({"description": description, "required": true, "schema": schema});
    let text = |pattern: &str| json!({"type": "string", "pattern": pattern});
    json!({
        "CacheControl": header(
            "`private, no-cache`: the browser may keep the answer for its user and asks before it shows it again. \
             `no-store`: nobody keeps it, because it is an error, the answer of a write, or what only the caller may see.",
            json!({"type": "string", "enum": ["private, no-cache", "no-store"]}),
        ),
        "SharedCacheControl": header(
            "CloudFront may keep the answer for a minute, also for others. A browser asks again.",
            json!({"type": "string", "enum": ["public, max-age=0, s-maxage=60"]}),
        ),
        "ETag": header(
            "The entity tag of the answer, for If-None-Match, and of a thing with a version for If-Match.",
            text("^(W/)?\"[!#-~]+\"$"),
        ),
        "Location": header("The path of the new thing. A GET returns it.", text("^/")),
        "Address": header("The address to go to. It is valid for two hours.", text("^https?://")),
        "RetryAfter": {
            "description": "The number of seconds to wait before the request is repeated. API Gateway itself sends none.",
            "schema": text("^[0-9]+$"),
        },
        "WWWAuthenticate": header("The scheme of the token, and what is wrong with it.", text("^Bearer")),
    })
}

/// Returns the content of a page of HTML.
pub(crate) fn page() -> Value {
    json!({"schema": {"type": "string", "description": "A page of HTML."}})
}

/// Returns the answers of API Gateway itself, which any route may give.
pub(crate) fn gateway_responses() -> Value {
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
/// Gateway](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html)
/// answers itself.
pub(crate) const GATEWAY: [(u16, &str); 8] = [
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
pub(crate) fn add_headers(response: &mut Value, status: u16) {
    let reference = |name: &str| json!({"$ref": format!("#/components/headers/{name}")});
    match status {
        401 => response["headers"]["WWW-Authenticate"] = reference("WWWAuthenticate"),
        503 => response["headers"]["Retry-After"] = reference("RetryAfter"),
        _ => {}
    }
}
