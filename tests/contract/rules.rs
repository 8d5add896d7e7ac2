//! The rules that every invocation is checked against.

use std::collections::BTreeSet;

use local::costs::{self, Costs, Pattern};
use local::template::Function;
use serde_json::Value;
use testing::recorder::Request;
use testing::runner::Run;
use tests::stack::root;

/// Describes how measured costs differ from those of an entry.
pub(crate) fn difference(stated: &Costs, measured: &Costs) -> Option<String> {
    let more = measured.requests > stated.requests || measured.reads > stated.reads || measured.writes > stated.writes;
    let verdict = if more { "more" } else { "less" };
    (measured != stated).then(|| {
        format!(
            "it costs {verdict} than its entry says: {measured} instead of {stated}. Change the function, or the entry if \
             the cost is intended"
        )
    })
}

/// Describes an invocation that costs something else than an entry says, or that asks for something
/// that its entry does not name.
pub(crate) fn failure(request: &str, pattern: &Pattern, stated: &Costs, run: &Run) -> Option<String> {
    let difference = difference(stated, &run.costs());
    let broken: Vec<String> = difference.into_iter().chain(not_allowed(pattern, run)).collect();
    (!broken.is_empty()).then(|| format!("{request}: {}.\n{}", broken.join("; "), listed(run)))
}

/// Returns the name of a request in an entry: `Query InvertedIndex`, `consistent GetItem`.
fn name(request: &Request) -> String {
    let consistent = is_consistent(request).then_some("consistent");
    let parts = [consistent, Some(request.operation.as_str()), request.index()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Reports each request that an entry does not name.
pub(crate) fn not_allowed(pattern: &Pattern, run: &Run) -> Vec<String> {
    let names: BTreeSet<String> = run.operations.iter().map(name).collect();
    let others = names.into_iter().filter(|name| !pattern.allows(name));
    others
        .map(|name| format!("its entry does not name {name}: add it to `sometimes`, or change the function"))
        .collect()
}

/// Describes the entry that a function without one needs, with what was measured.
pub(crate) fn missing_entry(function: &Function, run: &Run) -> String {
    let Function { name, routes, .. } = function;
    let (root, program) = (root(), format!("src/bin/{name}.rs"));
    let nouns = std::fs::read_dir(root.join("functions")).unwrap().map(|noun| noun.unwrap());
    let noun = nouns.into_iter().find(|noun| noun.path().join(&program).is_file());
    let noun = noun.map_or_else(|| "NOUN".to_owned(), |noun| noun.file_name().to_string_lossy().into_owned());
    let answers = match routes.first().map(|route| route.method.as_str()) {
        None => "summary = \"…\"\n",
        Some("GET" | "PATCH") => "who = \"…\"\nanswers = [200, 200]\n",
        Some("DELETE") => "who = \"…\"\nanswers = [204, 204]\n",
        Some(_) => "who = \"…\"\nanswers = [201, 200]\n",
    };
    let mut requests: Vec<String> = vec![];
    for request in run.operations.iter().map(self::name) {
        if !requests.contains(&request) {
            requests.push(request);
        }
    }
    let Costs { requests: number, reads, writes } = run.costs();
    let units = |name, units: f64| if units == 0.0 { String::new() } else { format!(", {name} = {units}") };
    format!(
        "{name}: {} has no entry for it. Add this one, with the callers, and run `cargo run --bin scale` for the price:\n\n\
         [{name}]\n{answers}requests = {requests:?}\ncosts = {{ requests = {number}{}{} }}\n",
        costs::file(&noun),
        units("reads", reads),
        units("writes", writes),
    )
}

/// Returns the rules that an invocation breaks: the differences from its entry, and requests for
/// more than it needs.
pub(crate) fn broken(pattern: &Pattern, run: &Run) -> Vec<String> {
    let mut broken = vec![];
    broken.extend(difference(&pattern.costs, &run.costs()));
    let made: BTreeSet<String> = run.operations.iter().map(name).collect();
    let stated: BTreeSet<String> = pattern.requests.iter().cloned().collect();
    if made != stated {
        broken.push(format!("it makes the requests {made:?}, and its entry says {stated:?}"));
    }
    for request in &run.operations {
        let (read, returned) = (request.evaluated(), request.items().len());
        if read > returned {
            broken.push(format!("a {} reads {read} items and returns {returned}", request.operation));
        }
        // DynamoDB fetches an attribute that a local index lacks from the table, for half a read
        // unit for each item. A search consumes bytes instead of units, and a vector index has no
        // attributes but those that it projects.
        if let Some(index) = request.index()
            && request.operation != "SearchVectors"
            && !request.units.indexes().any(|of_index| of_index == (index, request.units.read))
        {
            broken.push(format!("{index} does not project an attribute that it reads there"));
        }
    }
    if run.is_list() {
        broken.extend(reads_more_than_it_shows(run));
    }
    broken
}

/// Reports each Query and BatchGetItem that returns other items than the page shows.
///
/// A page of a feed also reads the authors and the friendships of its photos, and a page of
/// reactions the caller, which are not counted. The reads of the table of feeds are not either:
/// they are references, a few bytes each, of which a feed reads some ahead. A page of comments also
/// reads the photo and the caller, which say what the caller may see, an inbox the photos and what
/// the caller has seen, and a page of a hashtag, before its photos, the caller and whether it is
/// hidden. A page of people also reads the caller. A page of links reads the photos of those that are
/// not of the profile.
pub(crate) fn reads_more_than_it_shows(run: &Run) -> Vec<String> {
    let shown = run.entries() + run.heads();
    let has_photos = run.body.get("photos").is_some();
    let has_others = ["comments", "notifications", "links"].iter().any(|list| run.body.get(*list).is_some());
    let of_several = |request: &&Request| match request.operation.as_str() {
        "Query" => true,
        "BatchGetItem" => !has_others,
        _ => false,
    };
    let is_photo = |item: &Value| item["SK"]["S"].as_str().is_some_and(|sk| sk.starts_with("PHOTO#"));
    let is_caller = |item: &Value| item["username"]["S"] == run.caller && item["name"].is_object();
    let has_people_alone = run.body.get("users").is_some();
    let counted = |request: &Request| {
        let is_batch = request.operation == "BatchGetItem";
        let is_counted =
            |item: &&Value| !is_batch || ((!has_photos || is_photo(item)) && !(has_people_alone && is_caller(item)));
        request.items().into_iter().filter(is_counted).count()
    };
    let is_before_photos = |request: &Request| {
        has_photos && request.operation == "BatchGetItem" && !request.items().into_iter().any(is_photo)
    };
    let reads = run.operations.iter().filter(of_several).filter(|request| !is_of_feed(request));
    reads
        .filter(|request| !is_before_photos(request))
        .map(|request| (request, counted(request)))
        .filter(|(_, items)| *items != shown)
        .map(|(request, items)| format!("a {} reads {items} items, and the page shows {shown}", request.operation))
        .collect()
}

/// Returns whether a request reads the table of feeds.
fn is_of_feed(request: &Request) -> bool {
    request.table().is_some_and(|table| table.ends_with(".Feed"))
}

/// Reports each Query whose `Limit` is not the size of the page. At the end of a list it would find
/// no more items, so its answer alone does not show the mistake.
pub(crate) fn requests_more_than(limit: usize, run: &Run) -> Vec<String> {
    let wanted = limit + run.heads();
    let queries = run.operations.iter().filter(|request| request.operation == "Query" && !is_of_feed(request));
    let limits = queries.map(|query| &query.body["Limit"]);
    limits
        .filter(|limit| **limit != wanted)
        .map(|limit| format!("a Query has the limit {limit}, and the page has room for {wanted} items"))
        .collect()
}

/// Lists the requests of an invocation, one to a line.
pub(crate) fn listed(run: &Run) -> String {
    let lines: Vec<String> = run.operations.iter().map(line).collect();
    lines.join("\n")
}

fn line(request: &Request) -> String {
    let read = is_read(request).then(|| format!("{} items", request.items().len()));
    let parts = [
        request.index().map(ToOwned::to_owned),
        request.table().map(ToOwned::to_owned),
        request.body["Limit"].as_u64().map(|limit| format!("limit {limit}")),
        is_consistent(request).then(|| "consistent".to_owned()),
        read,
        Some(format!("reads {}, writes {}", request.units.read, request.units.write)),
        (request.status != 200).then(|| format!("refused with {}", request.answer["__type"])),
    ];
    let indexes = request.units.indexes().map(|(index, units)| format!("{units} of them in {index}"));
    let parts: Vec<String> = parts.into_iter().flatten().chain(indexes).collect();
    format!("    {}: {}", request.operation, parts.join(", "))
}

fn is_read(request: &Request) -> bool {
    matches!(request.operation.as_str(), "GetItem" | "BatchGetItem" | "Query" | "Scan")
}

fn is_consistent(request: &Request) -> bool {
    let of_tables = request.body["RequestItems"].as_object().into_iter().flatten().map(|(_, keys)| keys);
    of_tables.chain([&request.body]).any(|request| request["ConsistentRead"] == true)
}
