//! The table of who sees what, from `tests/api/audiences.toml`, as data and as a part of docs/api.md.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Deserialize;

/// The answers that callers get, by their relation to one user.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Audiences {
    /// The callers, which are the columns.
    pub callers: Vec<String>,
    /// The request of each row, and after it the cell of each caller.
    pub rows: Vec<Vec<String>>,
}

impl Audiences {
    /// Reads the file, below the root of the repository.
    pub fn read(root: &Path) -> Result<Self> {
        let path = root.join("tests/api/audiences.toml");
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let audiences: Self = toml::from_str(&text).with_context(|| path.display().to_string())?;
        let wrong = audiences.rows.iter().find(|row| row.len() != audiences.callers.len() + 1);
        anyhow::ensure!(wrong.is_none(), "{}: a row has too few or too many cells: {wrong:?}", path.display());
        Ok(audiences)
    }

    /// Returns the table, in which requests with the same cells share a row.
    pub(crate) fn table(&self) -> String {
        let mut groups: Vec<(&[String], Vec<&str>)> = vec![];
        for (request, cells) in self.rows.iter().filter_map(|row| row.split_first()) {
            match groups.iter_mut().find(|(shared, _)| *shared == cells) {
                Some((_, requests)) => requests.push(request),
                None => groups.push((cells, vec![request])),
            }
        }
        let head = self.callers.join(" | ");
        let mut text = format!("| request | {head} |\n|---{}|\n", "|---".repeat(self.callers.len()));
        for (cells, requests) in groups {
            let _ = writeln!(text, "| {} | {} |", requests.join("<br>"), cells.join(" | "));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_with_the_same_cells_share_a_row() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let audiences = Audiences {
            callers: vec!["owner".to_owned(), "stranger".to_owned()],
            rows: vec![row(["GET /a", "E", "–"]), row(["GET /b", "200", "404"]), row(["GET /c", "E", "–"])],
        };
        let table =
            "| request | owner | stranger |\n|---|---|---|\n| GET /a<br>GET /c | E | – |\n| GET /b | 200 | 404 |\n";
        assert_eq!(audiences.table(), table);
    }
}
