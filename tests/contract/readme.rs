//! The tables of README.md that say what functions ask for.

use std::collections::BTreeMap;
use std::fmt;

use local::template::Template;

/// A row, by the names of its columns.
type Cells = BTreeMap<String, String>;

/// How often DynamoDB is asked, and how many capacity units that takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Costs {
    pub(crate) requests: usize,
    pub(crate) reads: f64,
    pub(crate) writes: f64,
}

impl Costs {
    /// What is wrong if these are stated, and those are found.
    pub(crate) fn against(&self, found: &Self) -> Option<String> {
        let more = found.requests > self.requests || found.reads > self.reads || found.writes > self.writes;
        let verdict = if more { "more" } else { "less" };
        (found != self).then(|| format!("it asks for {verdict} than README.md says: {found} instead of {self}"))
    }
}

impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "requests {}, reads {}, writes {}", self.requests, self.reads, self.writes)
    }
}

/// The row of an access pattern.
pub(crate) struct Row {
    /// What it asks, in words.
    pub(crate) words: String,
    pub(crate) costs: Costs,
}

/// The access patterns, by the names of their functions.
pub(crate) fn patterns() -> BTreeMap<String, Row> {
    let mut patterns = BTreeMap::new();
    for cells in rows("function") {
        let row = Row { words: cells["DynamoDB request"].clone(), costs: costs(&cells) };
        let function = &cells["function"];
        assert!(patterns.insert(function.clone(), row).is_none(), "README.md has {function} twice");
    }
    patterns
}

/// The pages whose costs don't grow with their lists, each a path.
pub(crate) fn pages() -> Vec<(String, Costs)> {
    rows("page").into_iter().map(|cells| (cells["page"].clone(), costs(&cells))).collect()
}

/// All rows of the tables with a column of this name.
fn rows(column: &str) -> Vec<Cells> {
    let readme = std::fs::read_to_string(Template::find().unwrap().with_file_name("README.md")).unwrap();
    let mut rows: Vec<Cells> = vec![];
    let mut columns: Option<Vec<&str>> = None;
    for line in readme.lines() {
        let Some(cells) = line.strip_prefix('|').and_then(|line| line.strip_suffix('|')) else {
            columns = None;
            continue;
        };
        let cells: Vec<&str> = cells.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        match &columns {
            None => columns = Some(cells),
            Some(columns) if columns.contains(&column) && !cells[0].starts_with("--") => {
                assert_eq!(columns.len(), cells.len(), "the columns of README.md's {line}");
                let named = columns.iter().zip(cells);
                rows.push(named.map(|(name, cell)| ((*name).to_owned(), cell.to_owned())).collect());
            }
            Some(_) => {}
        }
    }
    assert!(!rows.is_empty(), "README.md has no table with a column {column}");
    rows
}

fn costs(cells: &Cells) -> Costs {
    let number = |column: &str| -> f64 {
        let cell = cells.get(column).unwrap_or_else(|| panic!("README.md's {cells:?} has no column {column}"));
        if cell.is_empty() { 0.0 } else { cell.parse().unwrap_or_else(|_| panic!("README.md's {cell} in {cells:?}")) }
    };
    let requests = cells["requests"].parse().unwrap_or_else(|_| panic!("README.md's {cells:?} has no requests"));
    Costs { requests, reads: number("reads"), writes: number("writes") }
}
