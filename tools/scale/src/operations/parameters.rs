//! The table of the parameters.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use serde_json::Value;

/// Returns the table: the name, the default and the description of each parameter.
pub(crate) fn table(template: &Value) -> Result<String> {
    let mut table = "| parameter | default | meaning |\n|---|---|---|\n".to_owned();
    for (name, parameter) in template["Parameters"].as_object().context("no parameters")? {
        let description = parameter["Description"].as_str().with_context(|| format!("{name} has no Description"))?;
        let default = match &parameter["Default"] {
            Value::String(text) => text.clone(),
            Value::Null => anyhow::bail!("{name} has no Default"),
            number => number.to_string(),
        };
        writeln!(table, "| {name} | {default} | {} |", description.replace('<', "\\<").replace('|', "\\|"))?;
    }
    Ok(table)
}
