//! Imports as answers show them.

use serde::Serialize;

use crate::Error;
#[cfg(feature = "schema")]
use crate::entities::MAX_LEFT_OUT;
use crate::entities::{Import, LeftOut};
use crate::http::form::{FormSigner, UploadForm};
use crate::values::{ImportId, ImportState, Time, Username};

/// An import as answers show it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Import"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownImport {
    /// The id.
    pub id: ImportId,
    /// The state.
    pub state: ImportState,
    /// The time at which the user asked for it.
    pub created: Time,
    /// The time from which on it does not exist any more.
    pub expires: Time,
    /// The number of photos so far, of which each is ready after its picture was processed.
    pub photos: u64,
    /// The number of favorites so far.
    pub favorites: u64,
    /// The number of tags so far.
    pub tags: u64,
    /// The number of things that were left out.
    pub left_out: u64,
    /// The first of them.
    #[cfg_attr(feature = "schema", schemars(extend("maxItems" = MAX_LEFT_OUT)))]
    pub reasons: Vec<LeftOut>,
    /// The reason why it has failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The form for the file, while it has not come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upload: Option<UploadForm>,
}

impl ShownImport {
    /// Returns an import with this form.
    #[must_use]
    pub fn new(import: Import, upload: Option<UploadForm>) -> Self {
        let Import { id, state, created, ttl, photos, favorites, tags, left_out, reasons, reason, .. } = import;
        let (created, expires) = (created.into(), Time::from_epoch_seconds(ttl));
        Self { id, state, created, expires, photos, favorites, tags, left_out, reasons, reason, upload }
    }
}

impl FormSigner {
    /// Returns an import as its user sees it, with a form while its file has not come.
    pub fn show_import(&self, user: &Username, import: Import) -> Result<ShownImport, Error> {
        let form = (import.state == ImportState::Waiting).then(|| self.import_form(user, &import.id, import.ttl));
        let form = form.transpose()?;
        Ok(ShownImport::new(import, form))
    }
}
