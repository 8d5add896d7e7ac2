//! The tables of docs/operating.md, docs/deploying.md and docs/privacy.md that come from the
//! templates: alarms, parameters, and the times for which data is kept.

mod alarms;
mod parameters;
pub mod retention;
pub(crate) mod yaml;

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::operations::retention::Retention;
use crate::text;

/// Returns the three documents, as paths relative to the root of the repository and texts.
pub(crate) fn documents(root: &Path) -> Result<Vec<(String, String)>> {
    let read = |template: &str| yaml::read(&root.join(template));
    let (template, monitoring) = (read("template.yaml")?, read("monitoring.yaml")?);
    let retention = Retention::read(root)?;
    let parts = [
        ("docs/operating.md", "alarms", alarms::table(&monitoring)?),
        ("docs/operating.md", "retention", retention.table()?),
        ("docs/deploying.md", "parameters", parameters::table(&template)?),
        ("docs/privacy.md", "deletion", retention.after_deletion()?),
    ];
    let mut documents: Vec<(String, String)> = vec![];
    for (document, name, part) in parts {
        if documents.last().is_none_or(|(last, _)| last != document) {
            let text = std::fs::read_to_string(root.join(document));
            documents.push((document.to_owned(), text.with_context(|| format!("cannot read {document}"))?));
        }
        let (_, text) = documents.last_mut().context("the document was added above")?;
        *text = text::replace_part(text, name, &part).with_context(|| document.to_owned())?;
    }
    Ok(documents)
}
