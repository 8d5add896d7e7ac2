//! Exports as answers show them.

use serde::Serialize;

use super::signer::Signer;
use crate::entities::Export;
use crate::entities::object::export_key;
use crate::values::{ExportId, ExportState, Time, Username};

/// An export as answers show it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Export"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownExport {
    /// The id.
    pub id: ExportId,
    /// The state.
    pub state: ExportState,
    /// The time at which the user asked for it.
    pub created: Time,
    /// The time from which on it does not exist any more.
    pub expires: Time,
    /// The content of the file so far.
    pub progress: ExportProgress,
    /// The reason why it has failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The URL of the file, a zip archive, if it is ready. It is valid until the export expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// The content of the file of an export so far.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ExportProgress {
    /// The number of photos whose pictures the file has.
    pub photos: u64,
    /// The number of photos that the user had when the work began. Some may have no picture.
    pub of: u64,
    /// The size of the file in bytes.
    pub bytes: u64,
}

impl Signer {
    /// Returns an export as its user sees it.
    #[must_use]
    pub fn show_export(&self, user: &Username, export: Export) -> ShownExport {
        let Export { id, state, created, ttl, photos, of, bytes, reason, .. } = export;
        let url = (state == ExportState::Ready).then(|| self.url_until(&export_key(user, &id), ttl));
        let (created, expires) = (created.into(), Time::from_epoch_seconds(ttl));
        ShownExport { id, state, created, expires, progress: ExportProgress { photos, of, bytes }, reason, url }
    }
}
