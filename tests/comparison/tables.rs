//! The tables of a document.

use std::collections::BTreeMap;

/// The cells of a row by the names of their columns.
pub(super) type Cells = BTreeMap<String, String>;

/// Returns the rows of all tables in the text of a document that have a column of this name.
pub(super) fn rows(document: &str, column: &str) -> Vec<Cells> {
    let mut rows: Vec<Cells> = vec![];
    let mut columns: Option<Vec<&str>> = None;
    for line in document.lines() {
        let Some(cells) = line.strip_prefix('|').and_then(|line| line.strip_suffix('|')) else {
            columns = None;
            continue;
        };
        let cells: Vec<&str> = cells.split('|').map(text).collect();
        match &columns {
            None => columns = Some(cells),
            Some(columns) if columns.contains(&column) && !cells[0].starts_with("--") => {
                assert_eq!(columns.len(), cells.len(), "a row has too few or too many cells: {line}");
                let named = columns.iter().zip(cells);
                rows.push(named.map(|(name, cell)| ((*name).to_owned(), cell.to_owned())).collect());
            }
            Some(_) => {}
        }
    }
    assert!(!rows.is_empty(), "there is no table with a column {column}");
    rows
}

/// Returns the text of a cell. A cell that is one piece of code loses its backticks.
fn text(cell: &str) -> &str {
    let code = cell.trim().strip_prefix('`').and_then(|cell| cell.strip_suffix('`'));
    code.filter(|code| !code.contains('`')).unwrap_or(cell.trim())
}
