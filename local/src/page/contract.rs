//! The tables of the documents, which the page shows and the tests check.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

/// The cells of a row by the names of their columns.
pub type Cells = BTreeMap<String, String>;

/// Returns the rows of all tables in a document of the project that have a column of this name.
pub fn read(root: &Path, document: &str, column: &str) -> Result<Vec<Cells>> {
    let text = fs::read_to_string(root.join(document)).with_context(|| format!("cannot read {document}"))?;
    rows(&text, column).with_context(|| document.to_owned())
}

/// Returns the rows of all tables in the text of a document that have a column of this name.
fn rows(document: &str, column: &str) -> Result<Vec<Cells>> {
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
                ensure!(columns.len() == cells.len(), "a row has too few or too many cells: {line}");
                let named = columns.iter().zip(cells);
                rows.push(named.map(|(name, cell)| ((*name).to_owned(), cell.to_owned())).collect());
            }
            Some(_) => {}
        }
    }
    ensure!(!rows.is_empty(), "there is no table with a column {column}");
    Ok(rows)
}

/// Returns the text of a cell. A cell that is one piece of code loses its backticks.
fn text(cell: &str) -> &str {
    let code = cell.trim().strip_prefix('`').and_then(|cell| cell.strip_suffix('`'));
    code.filter(|code| !code.contains('`')).unwrap_or(cell.trim())
}
