//! `GET /local/patterns`: what each function does and costs, from docs/access-patterns.md and from
//! the documentation of the function itself, and the partitions that it touches, from
//! docs/results/partitions.md. The units of each operation say how the costs grow with a page.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};

use super::answer::answer;
use super::context::Page;
use super::contract::{self, Cells};
use crate::template::{Route, Template};

/// The document with the partitions of each function, relative to the root of the project.
const PARTITIONS: &str = "docs/results/partitions.md";

/// Answers with all patterns in the order of the document.
pub(super) async fn list(State(page): State<Arc<Page>>) -> Response {
    answer(move || {
        let operations = contract::read(&page.root, contract::DOCUMENT, "operation")?;
        Ok(json!({"patterns": patterns(&page.root, &page.template)?, "operations": operations}))
    })
    .await
}

fn patterns(root: &Path, template: &Template) -> Result<Vec<Value>> {
    let partitions = contract::read(root, PARTITIONS, "partition")?;
    let read = |column: &str| contract::read(root, contract::DOCUMENT, column);
    let variants =
        [variants(&read("with include")?, "with include"), variants(&read("with a key")?, "with a key")].concat();
    read("function")?.iter().map(|row| pattern(root, template, row, &partitions, &variants)).collect()
}

/// Returns the costs of requests that ask for more than the sample event: the function, and the
/// costs with the query, or else the header, that the event has besides.
fn variants(rows: &[Cells], column: &str) -> Vec<(String, Value)> {
    let variant = |row: &Cells| {
        let (function, query) = cell(row, column).split_once('?').unwrap_or((cell(row, column), ""));
        let header = query.is_empty().then_some("idempotency-key");
        let mut variant = costs(row);
        variant["query"] = json!(query);
        variant["header"] = json!(header);
        (function.to_owned(), variant)
    };
    rows.iter().map(variant).collect()
}

fn costs(row: &Cells) -> Value {
    json!({"requests": number(row, "requests"), "read": number(row, "reads"), "write": number(row, "writes")})
}

/// Describes the function of a row.
fn pattern(
    root: &Path,
    template: &Template,
    row: &Cells,
    partitions: &[Cells],
    variants: &[(String, Value)],
) -> Result<Value> {
    let function = cell(row, "function");
    let source = source(root, function)?;
    let path = root.join(&source);
    let code = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let (title, explanation) = documentation(&code);
    let known = template.functions.iter().find(|known| known.name == function);
    let partitions = partitions.iter().filter(|row| cell(row, "function") == function);
    let variants = variants.iter().filter(|(name, _)| name == function).map(|(_, variant)| variant);
    let costs = costs(row);
    Ok(json!({
        "function": function,
        "route": known.and_then(|known| known.routes.first()).map(Route::key),
        "title": title,
        "explanation": explanation,
        "description": plain(cell(row, "DynamoDB request")),
        "requests": costs["requests"],
        "read": costs["read"],
        "write": costs["write"],
        "source": source,
        "partitions": partitions.map(|row| partition(template, row)).collect::<Vec<_>>(),
        "variants": variants.collect::<Vec<_>>(),
    }))
}

/// Describes the partitions of a row, with the name of their table or index as it is in DynamoDB.
fn partition(template: &Template, row: &Cells) -> Value {
    let place = cell(row, "table or index");
    let is_place = |name: &&str| place.strip_prefix("<stage>").map_or(*name == place, |end| name.ends_with(end));
    let name = template.tables.iter().map(|table| table.name.as_str()).find(is_place);
    json!({
        "place": name.unwrap_or(place),
        "key": cell(row, "partition"),
        "read": number(row, "reads of one"),
        "write": number(row, "writes of one"),
    })
}

fn cell<'a>(row: &'a Cells, name: &str) -> &'a str {
    row.get(name).map_or("", String::as_str)
}

fn number(row: &Cells, name: &str) -> f64 {
    cell(row, name).parse().unwrap_or_default()
}

/// Returns the path of a function's main file, relative to the root of the project.
fn source(root: &Path, function: &str) -> Result<PathBuf> {
    let file = format!("src/{}.rs", function.replace('-', "_"));
    for noun in fs::read_dir(root.join("functions")).context("cannot read functions")? {
        let source = Path::new("functions").join(noun?.file_name()).join(&file);
        if root.join(&source).is_file() {
            return Ok(source);
        }
    }
    anyhow::bail!("functions has no file {file}")
}

/// Returns the title and the explanation in the documentation of a function: its first paragraph
/// without the route, and its second one with the list that it introduces. The explanation is empty
/// if the first paragraph says everything.
fn documentation(code: &str) -> (String, String) {
    let lines = code.lines().map_while(|line| line.strip_prefix("//!"));
    let text = lines.map(str::trim).collect::<Vec<_>>().join("\n");
    let mut paragraphs = text.split("\n\n").map(|paragraph| {
        let lines = paragraph.lines().map(|line| line.strip_prefix("- ").unwrap_or(line));
        plain(&lines.collect::<Vec<_>>().join(" "))
    });
    let first = paragraphs.next().unwrap_or_default();
    let title = first.split_once(": ").map_or(first.as_str(), |(_, title)| title);
    let mut letters = title.chars();
    let title = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    let mut explanation = paragraphs.next().unwrap_or_default();
    if explanation.ends_with(':') {
        explanation.extend(paragraphs.next().map(|list| format!(" {list}")));
    }
    (title, explanation)
}

/// Replaces the links of a Markdown text by what they show.
fn plain(markdown: &str) -> String {
    let (mut text, mut rest) = (String::new(), markdown);
    while let Some((before, link)) = rest.split_once('[') {
        text.push_str(before);
        let Some((shown, after)) = link.split_once(']') else {
            rest = &rest[before.len()..];
            break;
        };
        text.push_str(shown);
        rest = match after.strip_prefix('(').and_then(|address| address.split_once(')')) {
            Some((_, after)) => after,
            None => after,
        };
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_of_a_function_has_a_title_and_an_explanation() {
        let code = "//! `GET /a/{b}`: returns\n//! a user.\n//!\n//! - One [`GetItem`] reads\n//!   it.\n//! - No other.\n//!\n\
                    //! More.\n\nuse x;\n//! no";
        let (title, explanation) = documentation(code);
        assert_eq!(title, "Returns a user.");
        assert_eq!(explanation, "One `GetItem` reads it. No other.");
        let code = "//! `GET /`: x.\n//!\n//! There are two:\n//!\n//! - One.\n//! - Another.\n//!\n//! More.";
        assert_eq!(documentation(code).1, "There are two: One. Another.");
    }

    #[test]
    fn every_function_is_explained() {
        let path = Template::find().unwrap();
        let template = Template::read(&path).unwrap();
        let patterns = patterns(path.parent().unwrap(), &template).unwrap();
        assert_eq!(patterns.len(), template.functions.len());
        for pattern in &patterns {
            for name in ["function", "title", "explanation", "description", "source"] {
                let text = pattern[name].as_str().unwrap();
                let has_text = !text.is_empty() || name == "explanation";
                assert!(has_text && !text.contains("]("), "{name}: {pattern}");
                assert_eq!(text.matches('`').count() % 2, 0, "{name} has a backtick without another one: {text}");
                assert!(!text.ends_with(':'), "{name} ends before what it introduces: {text}");
            }
            assert!(pattern["title"].as_str().unwrap().starts_with(char::is_uppercase), "{pattern}");
        }
        let follow = patterns.iter().find(|pattern| pattern["function"] == "follow-user").unwrap();
        assert_eq!(follow["route"], "PUT /users/{username}/followers/{follower}");
        assert_eq!(follow["title"], "Makes the caller follow a user, or asks the user for it.");
        assert_eq!((&follow["read"], &follow["write"]), (&json!(0.0), &json!(7.0)));
        assert_eq!(follow["source"], "functions/follows/src/follow_user.rs");
        let feed = patterns.iter().find(|pattern| pattern["function"] == "read-feed").unwrap();
        let own = json!({"place": "dev.Feed", "key": "Feed#<username>", "read": 0.5, "write": 0.0});
        let with_include =
            json!({"query": "include=viewer", "header": null, "requests": 2.0, "read": 3.5, "write": 0.0});
        assert_eq!(feed["variants"], json!([with_include]));
        assert!(feed["partitions"].as_array().unwrap().contains(&own), "{feed}");
        let of_table = json!({"place": "quick-photos", "key": "USER#<username>", "read": 0.0, "write": 4.0});
        assert!(follow["partitions"].as_array().unwrap().contains(&of_table), "{follow}");
        let stream = patterns.iter().find(|pattern| pattern["function"] == "process-changes").unwrap();
        assert_eq!(stream["route"], Value::Null);
    }
}
