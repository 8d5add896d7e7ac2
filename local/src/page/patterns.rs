//! `GET /local/patterns`: what each function does, from docs/openapi.json and its own documentation,
//! its costs, from `costs.toml`, and the partitions that it touches, from docs/results/partitions.json.
//! The units of each operation say how the costs grow with a page.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};

use super::answer::answer;
use super::context::Page;
use crate::costs::{self, Costs, Pattern};
use crate::template::{Function, Route, Template};

/// The file with the partitions of each function, relative to the root of the project.
const PARTITIONS: &str = "docs/results/partitions.json";
/// The file with the sentences about each route, relative to the root of the project.
const OPENAPI: &str = "docs/openapi.json";

/// Answers with all patterns in the order of template.yaml.
pub(super) async fn list(State(page): State<Arc<Page>>) -> Response {
    answer(move || Ok(json!({"patterns": patterns(&page.root, &page.template)?, "rules": costs::rules()?}))).await
}

fn patterns(root: &Path, template: &Template) -> Result<Vec<Value>> {
    let partitions = fs::read(root.join(PARTITIONS)).context(PARTITIONS)?;
    let partitions: BTreeMap<String, Value> = serde_json::from_slice(&partitions).context(PARTITIONS)?;
    let (patterns, summaries) = (costs::read(root)?, summaries(root)?);
    let known = template.functions.iter().filter_map(|function| Some((function, patterns.get(&function.name)?)));
    let described =
        known.map(|(function, costs)| pattern(root, function, costs, partitions.get(&function.name), &summaries));
    described.collect()
}

/// Describes a function.
fn pattern(
    root: &Path,
    function: &Function,
    pattern: &Pattern,
    partitions: Option<&Value>,
    summaries: &BTreeMap<String, String>,
) -> Result<Value> {
    let Function { name, routes, .. } = function;
    let source = format!("functions/{}/src/{}.rs", pattern.noun, name.replace('-', "_"));
    let code = fs::read_to_string(root.join(&source)).with_context(|| format!("cannot read {source}"))?;
    let [first, second] = documentation(&code);
    let (title, explanation) = match summaries.get(&(name.replace('-', ""))) {
        Some(summary) => (summary.clone(), first),
        None => (capitalized(first.split_once(": ").map_or(first.as_str(), |(_, title)| title)), second),
    };
    let with_query = pattern.with_query.iter().map(|(query, costs)| variant(query, None, costs));
    let with_key = pattern.with_idempotency_key.iter().map(|costs| variant("", Some("idempotency-key"), costs));
    Ok(json!({
        "function": name,
        "route": routes.first().map(Route::key),
        "title": title,
        "explanation": explanation,
        "asks": pattern.requests,
        "sometimes": pattern.sometimes,
        "requests": pattern.costs.requests,
        "read": pattern.costs.reads,
        "write": pattern.costs.writes,
        "source": source,
        "partitions": partitions.unwrap_or(&json!([])),
        "variants": with_query.chain(with_key).collect::<Vec<_>>(),
    }))
}

/// Returns the costs of a request that asks for more than the sample event, by a query or a header.
fn variant(query: &str, header: Option<&str>, Costs { requests, reads, writes }: &Costs) -> Value {
    json!({"query": query, "header": header, "requests": requests, "read": reads, "write": writes})
}

/// Returns the sentences about each route that docs/openapi.json has, without the last one, which
/// says who may call it. The name of a function is its key, without hyphens.
fn summaries(root: &Path) -> Result<BTreeMap<String, String>> {
    let document = fs::read(root.join(OPENAPI)).context(OPENAPI)?;
    let document: Value = serde_json::from_slice(&document).context(OPENAPI)?;
    let paths = document["paths"].as_object().into_iter().flatten();
    let operations = paths.flat_map(|(_, methods)| methods.as_object().into_iter().flatten());
    let summaries = operations.filter_map(|(_, operation)| {
        let name = operation["operationId"].as_str()?.to_lowercase();
        let (summary, _) = operation["description"].as_str()?.trim_end_matches('.').rsplit_once(". ")?;
        Some((name, plain(summary) + "."))
    });
    Ok(summaries.collect())
}

/// Returns the first two paragraphs of the documentation of a function, each with the list that it
/// introduces. One that is not there is empty.
fn documentation(code: &str) -> [String; 2] {
    let lines = code.lines().map_while(|line| line.strip_prefix("//!"));
    let text = lines.map(str::trim).collect::<Vec<_>>().join("\n");
    let mut paragraphs = text.split("\n\n").map(|paragraph| {
        let lines = paragraph.lines().map(|line| line.strip_prefix("- ").unwrap_or(line));
        plain(&lines.collect::<Vec<_>>().join(" "))
    });
    [(); 2].map(|()| {
        let mut paragraph = paragraphs.next().unwrap_or_default();
        if paragraph.ends_with(':') {
            paragraph.extend(paragraphs.next().map(|list| format!(" {list}")));
        }
        paragraph
    })
}

/// Returns a text with an upper-case letter at its beginning.
fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
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
        let code = "//! Stream: reads\n//! it.\n//!\n//! - One [`GetItem`] reads\n//!   it.\n//! - No other.\n//!\n\
                    //! More.\n\nuse x;\n//! no";
        assert_eq!(documentation(code), ["Stream: reads it.", "One `GetItem` reads it. No other."]);
        let code = "//! There are two:\n//!\n//! - One.\n//! - Another.\n";
        assert_eq!(documentation(code), ["There are two: One. Another.", ""]);
    }

    #[test]
    fn every_function_is_explained() {
        let path = Template::find().unwrap();
        let template = Template::read(&path).unwrap();
        let patterns = patterns(path.parent().unwrap(), &template).unwrap();
        assert_eq!(patterns.len(), template.functions.len());
        for pattern in &patterns {
            for name in ["function", "title", "explanation", "source"] {
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
        assert_eq!(follow["asks"], json!(["TransactWriteItems"]));
        assert_eq!(follow["source"], "functions/follows/src/follow_user.rs");
        let feed = patterns.iter().find(|pattern| pattern["function"] == "read-feed").unwrap();
        let own = json!({"place": "dev.Feed", "key": "Feed#<username>", "read": 0.5, "write": 0.0});
        let with_include = json!({"query": "include=viewer", "header": null, "requests": 2, "read": 3.5, "write": 0.0});
        assert_eq!(feed["variants"], json!([with_include]));
        assert!(feed["partitions"].as_array().unwrap().contains(&own), "{feed}");
        let of_table = json!({"place": "quick-photos", "key": "USER#<username>", "read": 0.0, "write": 4.0});
        assert!(follow["partitions"].as_array().unwrap().contains(&of_table), "{follow}");
        let stream = patterns.iter().find(|pattern| pattern["function"] == "process-changes").unwrap();
        assert_eq!(stream["route"], Value::Null);
    }
}
