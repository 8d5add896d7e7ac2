//! The tables of docs/problems.md: all kinds of problems, from the rows in `shared`.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use shared::ErrorKind;
use shared::http::problems::{Description, PictureProblem};

use crate::text::replace_part;

/// The document with the kinds of problems.
pub(crate) const DOCUMENT: &str = "docs/problems.md";

/// Returns docs/problems.md with all kinds in its tables.
pub(crate) fn text(document: &str) -> Result<String> {
    let mut answers = "| `type` | status | meaning | what a client does |\n|---|---|---|---|\n".to_owned();
    for kind in ErrorKind::ALL {
        let Description { slug, meaning, remedy, .. } = kind.description();
        let _ = writeln!(answers, "| {slug} | {} | {meaning} | {remedy} |", kind.status().as_u16());
    }
    let mut pictures = "| `type` | meaning | what a client does |\n|---|---|---|\n".to_owned();
    for problem in PictureProblem::ALL {
        let Description { slug, meaning, remedy, .. } = problem.description();
        let _ = writeln!(pictures, "| {slug} | {meaning} | {remedy} |");
    }
    let text = replace_part(document, "answers", &answers).context(DOCUMENT)?;
    replace_part(&text, "pictures", &pictures).context(DOCUMENT)
}
