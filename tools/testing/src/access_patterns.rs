//! The tables of docs/access-patterns.md: the callers and the answers of each function, and the
//! requests and capacity units that each function and each page may use.

use std::collections::BTreeMap;
use std::fmt;

use local::page::contract::{self, Cells};
use local::template::Template;

pub use local::page::contract::DOCUMENT;

/// The number of requests to DynamoDB and the capacity units that they consume.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Costs {
    /// The number of requests.
    pub requests: usize,
    /// The read units.
    pub reads: f64,
    /// The write units.
    pub writes: f64,
}

impl Costs {
    /// Compares the costs of a row with the costs that were measured, and describes the difference.
    #[must_use]
    pub fn difference(&self, measured: &Self) -> Option<String> {
        let more = measured.requests > self.requests || measured.reads > self.reads || measured.writes > self.writes;
        let verdict = if more { "more" } else { "less" };
        (measured != self).then(|| format!("it costs {verdict} than its row says: {measured} instead of {self}. Change the function, or the row if the cost is intended"))
    }
}

impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "requests {}, reads {}, writes {}", self.requests, self.reads, self.writes)
    }
}

/// The callers that a route admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callers {
    /// Every caller with a valid token: `any`.
    Any,
    /// The user that the request names: `self`.
    Owner,
    /// Two users that the request names: `either`.
    Either,
    /// The members of a group: `editors` or `moderators`.
    Members,
}

/// The row of an access pattern.
#[derive(Debug)]
pub struct Pattern {
    /// The route as API Gateway names it, or `stream` or `trigger`.
    pub route: String,
    /// The callers that the route admits; none for a function without a route.
    pub callers: Option<Callers>,
    /// The statuses of the first answer and of the answer to a repetition; none for a function
    /// without a route.
    pub statuses: Vec<u16>,
    /// The operations and indexes that the function uses, in words.
    pub description: String,
    /// The costs of the sample event.
    pub costs: Costs,
}

/// Returns the rows of the access patterns by the names of their functions.
#[must_use]
pub fn patterns() -> BTreeMap<String, Pattern> {
    let mut patterns = BTreeMap::new();
    for cells in rows("function") {
        let route = cells["route"].replace('…', "/users/{username}");
        let pattern = Pattern {
            route: route.split('?').next().unwrap_or_default().to_owned(),
            callers: callers(&cells),
            statuses: cells["answers"].split(", ").filter_map(|status| status.parse().ok()).collect(),
            description: cells["DynamoDB request"].clone(),
            costs: costs(&cells),
        };
        let function = &cells["function"];
        assert!(patterns.insert(function.clone(), pattern).is_none(), "{DOCUMENT} has two rows for {function}");
    }
    patterns
}

fn callers(cells: &Cells) -> Option<Callers> {
    match cells["who"].split([' ', ';']).next()? {
        "any" => Some(Callers::Any),
        "self" => Some(Callers::Owner),
        "either" => Some(Callers::Either),
        "editors" | "moderators" => Some(Callers::Members),
        "–" => None,
        other => {
            let groups = "editors, moderators";
            panic!("{DOCUMENT}: the column `who` begins with any, self, either, {groups} or –, and not with {other:?}")
        }
    }
}

/// Returns the pages whose costs do not grow with their lists: the path of each, and its costs.
#[must_use]
pub fn pages() -> Vec<(String, Costs)> {
    rows("page").into_iter().map(|cells| (cells["page"].clone(), costs(&cells))).collect()
}

/// Returns the costs of the functions that take an idempotency key, for their sample events with
/// such a key.
#[must_use]
pub fn with_idempotency_key() -> Vec<(String, Costs)> {
    rows("with a key").into_iter().map(|cells| (cells["with a key"].clone(), costs(&cells))).collect()
}

/// Returns the costs of requests with `include`: the function and the query that is added to its
/// sample event, such as `get-user?include=viewer`, and the costs.
#[must_use]
pub fn with_include() -> Vec<(String, Costs)> {
    rows("with include").into_iter().map(|cells| (cells["with include"].clone(), costs(&cells))).collect()
}

/// Returns the costs of patterns for photos with captions: the number of characters of each
/// caption, the function, and its costs.
#[must_use]
pub fn with_captions() -> Vec<(usize, String, Costs)> {
    let characters = |cells: &Cells| cells["characters"].replace(',', "").parse().expect("a number of characters");
    rows("characters").into_iter().map(|cells| (characters(&cells), cells["of"].clone(), costs(&cells))).collect()
}

/// Returns the costs of functions in cases that their sample events do not have: the case, the
/// function, which may have a query behind it, and its costs.
#[must_use]
pub fn in_cases() -> Vec<(String, String, Costs)> {
    rows("case").into_iter().map(|cells| (cells["case"].clone(), cells["of"].clone(), costs(&cells))).collect()
}

/// Describes the row that a function without one needs, with the costs that were measured.
#[must_use]
pub fn missing_row(function: &str, route: &str, measured: &Costs) -> String {
    let units = |units: f64| if units == 0.0 { String::new() } else { format!("{units} ") };
    let answers = match route.split(' ').next() {
        Some("GET" | "PATCH") => "200, 200",
        Some("DELETE") => "204, 204",
        Some("stream" | "trigger" | "upload") => "–",
        _ => "201, 200",
    };
    format!(
        "{function}: {DOCUMENT} has no row for it. Add this one to the table of its group, with `any`, `self = …` or a group in \
         the column `who`, and with its operations and indexes in words, and run `cargo run --bin scale` for the column `$`:\n    | {route} | {function} | … | {answers} | {} | {}| {}| | … |",
        measured.requests,
        units(measured.reads),
        units(measured.writes),
    )
}

/// Describes a row whose function does not exist.
#[must_use]
pub fn needless_row(function: &str) -> String {
    format!("{function}: {DOCUMENT} has a row for it, but template.yaml has no such function. Delete the row")
}

/// Returns the rows of all tables that have a column of this name.
fn rows(column: &str) -> Vec<Cells> {
    let template = Template::find().expect("template.yaml");
    let root = template.parent().expect("a folder");
    contract::read(root, DOCUMENT, column).unwrap_or_else(|error| panic!("{error:#}"))
}

fn costs(cells: &Cells) -> Costs {
    let number = |column: &str| -> f64 {
        let cell = cells.get(column).unwrap_or_else(|| panic!("{DOCUMENT}: a row has no column {column}: {cells:?}"));
        if cell.is_empty() {
            return 0.0;
        }
        cell.parse().unwrap_or_else(|_| panic!("{DOCUMENT}: {cell:?} is not a number, in {cells:?}"))
    };
    let requests = cells["requests"].parse();
    let requests = requests.unwrap_or_else(|_| panic!("{DOCUMENT}: a row has no number of requests: {cells:?}"));
    Costs { requests, reads: number("reads"), writes: number("writes") }
}
