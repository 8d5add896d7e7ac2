//! The assumptions of the computations, from assumptions.toml.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use serde::Deserialize;

/// The file of the assumptions, which is part of the program.
const FILE: &str = include_str!("../assumptions.toml");

/// All assumptions.
#[derive(Deserialize)]
pub struct Assumptions {
    assumption: Vec<Assumption>,
    pub(crate) activity: Vec<Activity>,
}

#[derive(Deserialize)]
struct Assumption {
    name: String,
    value: f64,
    text: String,
    source: String,
}

/// A function that a user calls, or causes to run, on a day on which they open the app.
#[derive(Deserialize)]
pub(crate) struct Activity {
    pub(crate) function: String,
    pub(crate) per_day: f64,
}

impl Assumptions {
    /// Reads assumptions.toml.
    pub fn read() -> Result<Self> {
        toml::from_str(FILE).context("assumptions.toml cannot be read")
    }

    /// Returns the value of an assumption.
    ///
    /// # Panics
    /// If assumptions.toml has none of this name.
    #[must_use]
    pub fn value(&self, name: &str) -> f64 {
        let found = self.assumption.iter().find(|assumption| assumption.name == name);
        found.unwrap_or_else(|| panic!("assumptions.toml has no assumption {name}")).value
    }

    /// Returns the table of all assumptions in Markdown.
    pub(crate) fn table(&self) -> String {
        let mut text = "| value | what | source |\n|--:|---|---|\n".to_owned();
        for Assumption { value, text: what, source, .. } in &self.assumption {
            let source = if source.starts_with("https://") { format!("[AWS]({source})") } else { source.clone() };
            let _ = writeln!(text, "| {value} | {what} | {source} |");
        }
        for Activity { function, per_day } in &self.activity {
            let _ = writeln!(text, "| {per_day} | times that an active user causes {function} on a day | assumed |");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;
    use std::path::Path;

    use super::*;

    /// A source that is a constant is its name in code, with a link from docs/.
    #[test]
    fn an_assumption_whose_source_is_a_constant_has_its_value() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let mut compared = 0;
        for Assumption { name, value, source, .. } in Assumptions::read().unwrap().assumption {
            let Some((constant, link)) = source.strip_prefix('`').and_then(|rest| rest.split_once("` in [")) else {
                continue;
            };
            let path = link.split_once("](").unwrap().1.trim_end_matches(')');
            let code = fs::read_to_string(docs.join(path)).unwrap();
            let (_, rest) = code.split_once(&format!("const {constant}: ")).unwrap();
            let stated = rest.split_once(" = ").unwrap().1.split_once(';').unwrap().0;
            assert_eq!(stated.replace('_', "").parse(), Ok(value), "{name}");
            compared += 1;
        }
        assert_eq!(compared, 4);
    }
}
