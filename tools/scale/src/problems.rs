//! The tables of docs/problems.md: all kinds of problems, from the rows in `shared`.

use std::fmt::Write as _;

use shared::ErrorKind;
use shared::http::problems::{Description, PictureProblem};

use crate::text::Part;

/// The document with the kinds of problems.
const DOCUMENT: &str = "docs/problems.md";

/// Returns the tables of all kinds.
pub(crate) fn parts() -> [Part; 2] {
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
    [("answers", answers), ("pictures", pictures)].map(|(name, part)| (DOCUMENT.to_owned(), name, part))
}
