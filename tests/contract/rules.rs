//! What a function may ask.

use testing::recorder::Request;

use crate::bed::Run;
use crate::readme::{Costs, Row};

/// What it asked, and what that took.
pub(crate) fn costs(asked: &[Request]) -> Costs {
    Costs {
        requests: asked.len(),
        reads: asked.iter().map(|request| request.units.read).sum(),
        writes: asked.iter().map(|request| request.units.write).sum(),
    }
}

/// In what it doesn't do as its row of README.md says, and in what it asks for more than it needs.
pub(crate) fn broken(row: &Row, run: &Run) -> Vec<String> {
    let mut broken = vec![];
    broken.extend(row.costs.against(&costs(&run.asked)));
    for request in &run.asked {
        let named = [Some(request.operation.as_str()), request.index()];
        for name in named.into_iter().flatten().filter(|name| !row.words.contains(name)) {
            broken.push(format!("README.md doesn't say that it uses {name}"));
        }
        let (read, returned) = (request.evaluated(), request.items().len());
        if read > returned {
            broken.push(format!("a {} reads {read} items to return {returned}", request.operation));
        }
        // A local index that lacks an attribute has it fetched from the table, for half a unit for each item.
        if let Some(index) = request.index()
            && request.units.indexes.get(index) != Some(&request.units.read)
        {
            broken.push(format!("{index} lacks what it reads there"));
        }
    }
    let consistent = run.asked.iter().filter(|request| is_consistent(request)).count();
    let said = row.words.matches("consistent ").count();
    if consistent != said {
        broken.push(format!("{consistent} of its reads are consistent, of which README.md says {said}"));
    }
    if run.is_list() {
        broken.extend(reads_more_than_it_shows(run));
    }
    broken
}

/// Each read of several items is for all entries of the page, and for nothing else.
pub(crate) fn reads_more_than_it_shows(run: &Run) -> Vec<String> {
    let shows = run.entries() + run.heads();
    let of_several = |request: &&Request| matches!(request.operation.as_str(), "Query" | "BatchGetItem");
    let reads = run.asked.iter().filter(of_several).filter(|request| request.items().len() != shows);
    reads
        .map(|request| format!("a {} reads {} items to show {shows}", request.operation, request.items().len()))
        .collect()
}

/// A Query for more than the page may have would find no more where the list is at its end.
pub(crate) fn asks_for_more_than(limit: usize, run: &Run) -> Vec<String> {
    let most = limit + run.heads();
    let limits = run.asked.iter().filter(|request| request.operation == "Query").map(|query| &query.body["Limit"]);
    limits
        .filter(|limit| **limit != most)
        .map(|limit| format!("a Query is for {limit} items, and {most} are wanted"))
        .collect()
}

/// What it asked, one request to a line.
pub(crate) fn listed(run: &Run) -> String {
    let lines: Vec<String> = run.asked.iter().map(line).collect();
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
    let indexes = request.units.indexes.iter().map(|(index, units)| format!("{units} of them in {index}"));
    let parts: Vec<String> = parts.into_iter().flatten().chain(indexes).collect();
    format!("    {}: {}", request.operation, parts.join(", "))
}

fn is_read(request: &Request) -> bool {
    matches!(request.operation.as_str(), "GetItem" | "BatchGetItem" | "Query" | "Scan")
}

fn is_consistent(request: &Request) -> bool {
    let of_tables = request.body["RequestItems"].as_object().into_iter().flatten().map(|(_, keys)| keys);
    of_tables.chain([&request.body]).any(|asked| asked["ConsistentRead"] == true)
}
