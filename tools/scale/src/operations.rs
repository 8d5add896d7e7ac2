//! The tables of docs/operating.md, docs/deploying.md and docs/privacy.md that come from the
//! templates: alarms, parameters, and the times for which data is kept.

mod alarms;
mod parameters;
pub mod retention;
pub(crate) mod yaml;

use std::path::Path;

use anyhow::Result;

use crate::operations::retention::Retention;
use crate::text::Part;

/// Returns the tables.
pub(crate) fn parts(root: &Path) -> Result<[Part; 4]> {
    let read = |template: &str| yaml::read(&root.join(template));
    let (template, monitoring) = (read("template.yaml")?, read("monitoring.yaml")?);
    let retention = Retention::read(root)?;
    let parts = [
        ("docs/operating.md", "alarms", alarms::table(&monitoring)?),
        ("docs/operating.md", "retention", retention.table()?),
        ("docs/deploying.md", "parameters", parameters::table(&template)?),
        ("docs/privacy.md", "deletion", retention.after_deletion()?),
    ];
    Ok(parts.map(|(document, name, part)| (document.to_owned(), name, part)))
}
