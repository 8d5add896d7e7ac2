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
    /// The page of AWS, or the file and the constant. An assumption without a source is a guess.
    source: Option<String>,
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

    /// Returns the table of the guesses in Markdown.
    pub(crate) fn table(&self) -> String {
        let mut text = "| value | what |\n|--:|---|\n".to_owned();
        for Assumption { value, text: what, .. } in self.assumption.iter().filter(|guess| guess.source.is_none()) {
            let _ = writeln!(text, "| {value} | {what} |");
        }
        let activities = self.activity.iter().map(|Activity { function, per_day }| format!("{function} {per_day}"));
        let _ = writeln!(
            text,
            "| | invocations by an active user on a day: {} |",
            activities.collect::<Vec<_>>().join(", ")
        );
        text
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn an_assumption_whose_source_is_a_constant_has_its_value() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut compared = 0;
        for Assumption { name, value, source, .. } in Assumptions::read().unwrap().assumption {
            let Some((path, constant)) = source.as_deref().and_then(|source| source.split_once(": ")) else { continue };
            let code = fs::read_to_string(root.join(path)).unwrap();
            let (_, rest) = code.split_once(&format!("const {constant}: ")).unwrap();
            let stated = rest.split_once(" = ").unwrap().1.split_once(';').unwrap().0;
            assert_eq!(stated.replace('_', "").parse(), Ok(value), "{name}");
            compared += 1;
        }
        assert_eq!(compared, 5);
    }
}
