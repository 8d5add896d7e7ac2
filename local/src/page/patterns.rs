//! `GET /local/patterns`: what each function does, from docs/openapi.json, its costs, from
//! `costs.toml`, and the kinds of items that it reads and writes, from docs/results/kinds.json.
//! The prices are in dollars for a million units. The units of each operation say how the costs grow with a page.

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

/// The file with the kinds of each function, relative to the root of the project.
const KINDS: &str = "docs/results/kinds.json";
/// The file with the sentences about each route, relative to the root of the project.
const OPENAPI: &str = "docs/openapi.json";

/// The file with the prices, relative to the root of the project.
const PRICES: &str = "tools/scale/prices.toml";

/// Answers with all patterns in the order of template.yaml.
pub(super) async fn list(State(page): State<Arc<Page>>) -> Response {
    answer(move || {
        let patterns = patterns(&page.root, &page.template)?;
        Ok(json!({"patterns": patterns, "rules": costs::rules()?, "prices": prices(&page.root)?}))
    })
    .await
}

/// Returns the prices of a million units of DynamoDB on demand, which have no tiers, and of a million
/// live messages in the first tier.
fn prices(root: &Path) -> Result<Value> {
    let text = fs::read_to_string(root.join(PRICES)).context(PRICES)?;
    let prices = toml::from_str::<Value>(&text).context(PRICES)?;
    let price = |name: &str| prices["price"][name]["tiers"][0][1].as_f64().context(PRICES);
    let [read, write, live] = ["dynamodb_reads", "dynamodb_writes", "live_messages"].map(price);
    Ok(json!({"read": read?, "write": write?, "live": live?}))
}

fn patterns(root: &Path, template: &Template) -> Result<Vec<Value>> {
    let kinds = fs::read(root.join(KINDS)).context(KINDS)?;
    let kinds: BTreeMap<String, Value> = serde_json::from_slice(&kinds).context(KINDS)?;
    let (patterns, summaries) = (costs::read(root)?, summaries(root)?);
    let known = template.functions.iter().filter_map(|function| Some((function, patterns.get(&function.name)?)));
    known.map(|(function, costs)| pattern(function, costs, kinds.get(&function.name), &summaries)).collect()
}

/// Describes a function.
fn pattern(
    function: &Function,
    pattern: &Pattern,
    kinds: Option<&Value>,
    summaries: &BTreeMap<String, String>,
) -> Result<Value> {
    let Function { name, routes, .. } = function;
    let summary = summaries.get(&name.replace('-', "")).or(pattern.summary.as_ref());
    let summary =
        summary.with_context(|| format!("the entry of {name} in {} has no summary", costs::file(&pattern.noun)))?;
    let with_query = pattern.with_query.iter().map(|(query, costs)| variant(query, None, None, costs));
    let with_key = pattern.with_idempotency_key.iter().map(|costs| variant("", Some("idempotency-key"), None, costs));
    let with_field = pattern.with_field.iter().map(|(field, with)| variant("", None, Some(field), &with.costs));
    Ok(json!({
        "function": name,
        "route": routes.first().map(Route::key),
        "summary": summary,
        "asks": pattern.requests,
        "sometimes": pattern.sometimes,
        "requests": pattern.costs.requests,
        "read": pattern.costs.reads,
        "write": pattern.costs.writes,
        "source": format!("functions/{}/src/{}.rs", pattern.noun, name.replace('-', "_")),
        "kinds": kinds.unwrap_or(&json!({"reads": [], "writes": []})),
        "variants": with_query.chain(with_key).chain(with_field).collect::<Vec<_>>(),
    }))
}

/// Returns the costs of a request that asks for more than the sample event, by a query or a header.
fn variant(query: &str, header: Option<&str>, field: Option<&str>, Costs { requests, reads, writes }: &Costs) -> Value {
    json!({"query": query, "header": header, "field": field, "requests": requests, "read": reads, "write": writes})
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

/// Replaces the links of a Markdown text by what they show.
fn plain(markdown: &str) -> String {
    let (mut text, mut rest) = (String::new(), markdown);
    while let Some((before, link)) = rest.split_once('[') {
        let Some((shown, address)) = link.split_once("](") else { break };
        text = text + before + shown;
        rest = address.split_once(')').map_or("", |(_, after)| after);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use shared::entities::Kind;

    use super::*;

    #[test]
    fn a_write_unit_costs_as_much_as_five_read_units() {
        let prices = prices(Template::find().unwrap().parent().unwrap()).unwrap();
        assert_eq!((&prices["read"], &prices["write"]), (&json!(0.125), &json!(0.625)));
    }

    #[test]
    fn every_function_is_explained() {
        let path = Template::find().unwrap();
        let template = Template::read(&path).unwrap();
        let patterns = patterns(path.parent().unwrap(), &template).unwrap();
        assert_eq!(patterns.len(), template.functions.len());
        for pattern in &patterns {
            let [summary, source] = [&pattern["summary"], &pattern["source"]].map(|text| text.as_str().unwrap());
            assert!(
                summary.starts_with(char::is_uppercase) && summary.ends_with('.') && !summary.contains("]("),
                "{pattern}"
            );
            assert!(path.with_file_name(source).is_file(), "{pattern}");
        }
        let follow = patterns.iter().find(|pattern| pattern["function"] == "follow-user").unwrap();
        assert_eq!(follow["route"], "PUT /users/{username}/followers/{follower}");
        assert_eq!(follow["summary"], "Makes the caller follow a user, or asks the user for it.");
        assert_eq!((&follow["read"], &follow["write"]), (&json!(0.0), &json!(7.0)));
        assert_eq!(follow["asks"], json!(["TransactWriteItems"]));
        assert_eq!(follow["source"], "functions/follows/src/follow_user.rs");
        let feed = patterns.iter().find(|pattern| pattern["function"] == "list-feed").unwrap();
        let with_include =
            json!({"query": "include=viewer", "header": null, "field": null, "requests": 2, "read": 3.5, "write": 0.0});
        assert_eq!(feed["variants"], json!([with_include]));
        let stream = patterns.iter().find(|pattern| pattern["function"] == "process-changes").unwrap();
        assert_eq!(stream["route"], Value::Null);
        let has = |pattern: &Value, of: &str, kind: Kind| {
            pattern["kinds"][of].as_array().unwrap().contains(&json!(kind.name()))
        };
        for (pattern, of, kind) in [
            (feed, "reads", Kind::FeedEntry),
            (stream, "writes", Kind::FeedEntry),
            (follow, "writes", Kind::Friendship),
        ] {
            assert!(has(pattern, of, kind), "{of} {kind:?} {pattern}");
        }
        // Conditions of writes are the readers of Rest and IdempotencyRecord. None of the sample events reads a feed of
        // famous authors, tells a follower with alerts of a photo, tells a screen, changes a caption with a hashtag,
        // reacts to a new photo, or is about several pictures.
        let several = [Kind::Pictures, Kind::PictureDeletion];
        let conditions = [Kind::Alert, Kind::Rest, Kind::IdempotencyRecord];
        let unread = [Kind::Pull, Kind::PullCount, Kind::Exception, Kind::Told, Kind::PopularPhoto];
        let unread = [&several[..], &conditions, &unread].concat();
        let hashtags = [Kind::HashtagEntry, Kind::HashtagSummary, Kind::HashtagListing];
        let unwritten = [&several[1..], &[Kind::Alert, Kind::Told], &hashtags, &[Kind::PopularPhoto]].concat();
        for (of, missing) in [("reads", unread), ("writes", unwritten)] {
            let is_missing = |kind: &Kind| !patterns.iter().any(|pattern| has(pattern, of, *kind));
            assert_eq!(Kind::ALL.into_iter().filter(is_missing).collect::<Vec<_>>(), missing, "{of}");
        }
        let costs = costs::read(path.parent().unwrap()).unwrap();
        let has_summary = |function: &&Function| costs[&function.name].summary.is_some();
        let without_route = |function: &&Function| function.routes.is_empty();
        let with_summary: Vec<&str> = template.functions.iter().filter(has_summary).map(|f| f.name.as_str()).collect();
        let expected: Vec<&str> = template.functions.iter().filter(without_route).map(|f| f.name.as_str()).collect();
        assert_eq!(with_summary, expected, "functions without a route have a summary in costs.toml");
    }
}
