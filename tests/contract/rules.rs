//! The rules that every invocation is checked against.

use serde_json::Value;
use testing::access_patterns::{Costs, Pattern};
use testing::recorder::Request;
use testing::runner::Run;

/// Returns the number of requests and the capacity units that they consumed.
pub(crate) fn costs(operations: &[Request]) -> Costs {
    Costs {
        requests: operations.len(),
        reads: operations.iter().map(|request| request.units.read).sum(),
        writes: operations.iter().map(|request| request.units.write).sum(),
    }
}

/// Returns the rules that an invocation breaks: the differences from its row, and requests for more
/// than it needs.
pub(crate) fn broken(row: &Pattern, run: &Run) -> Vec<String> {
    let mut broken = vec![];
    broken.extend(row.costs.difference(&costs(&run.operations)));
    for request in &run.operations {
        let named = [Some(request.operation.as_str()), request.index()];
        for name in named.into_iter().flatten().filter(|name| !row.description.contains(name)) {
            broken.push(format!(
                "its row does not name {name}: add it to the column `DynamoDB request`, or change the function"
            ));
        }
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
    let consistent = run.operations.iter().filter(|request| is_consistent(request)).count();
    let stated = row.description.matches("consistent ").count();
    if consistent != stated {
        broken
            .push(format!("{consistent} of its reads are consistent, and its row says \"consistent\" {stated} times"));
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
/// reads the photo and the caller, which say what the caller may see, and an inbox the photos and
/// what the caller has seen.
pub(crate) fn reads_more_than_it_shows(run: &Run) -> Vec<String> {
    let shown = run.entries() + run.heads();
    let has_photos = run.body.get("photos").is_some();
    let has_comments = ["comments", "notifications"].iter().any(|list| run.body.get(*list).is_some());
    let of_several = |request: &&Request| match request.operation.as_str() {
        "Query" => true,
        "BatchGetItem" => !has_comments,
        _ => false,
    };
    let is_photo = |item: &Value| item["SK"]["S"].as_str().is_some_and(|sk| sk.starts_with("PHOTO#"));
    let counted = |request: &Request| {
        let photos_alone = has_photos && request.operation == "BatchGetItem";
        request.items().into_iter().filter(|item| !photos_alone || is_photo(item)).count()
    };
    let reads = run.operations.iter().filter(of_several).filter(|request| !is_of_feed(request));
    reads
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
