//! The assumptions of the computations, from assumptions.toml.

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
    #[cfg(test)]
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
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn an_assumption_whose_source_is_a_constant_has_its_value() {
        let expected = BTreeMap::from([
            ("pushed_at_once", workers::process_changes::MAX_PUSHED_AT_ONCE.to_string()),
            ("count_batch", shared::changes::counts::MAX_MARKS.to_string()),
            ("reaction_shards", shared::entities::REACTION_SHARDS.to_string()),
            ("remembered_feed", feed::list_feed::OFTEN.to_string()),
            ("remembered_view", reactions::fetch_photo_and_reactions::OFTEN.to_string()),
        ]);
        let assumptions = Assumptions::read().unwrap().assumption;
        let is_constant = |assumption: &&Assumption| assumption.source.as_ref().is_some_and(|it| it.contains(".rs: "));
        let stated = assumptions.iter().filter(is_constant);
        let stated: BTreeMap<_, _> = stated.map(|it| (it.name.as_str(), it.value.to_string())).collect();
        assert_eq!(stated, expected);
    }
}
