//! The content of a decision about a report.

use std::collections::BTreeSet;

use shared::entities::Decision;
use shared::values::{DecisionKind, PictureNumber, SensitiveReason};

/// The content of a decision, as far as the report repeats it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::audit) struct Said {
    pub(super) decision: DecisionKind,
    /// The pictures of a removal that leaves others.
    pub(super) pictures: BTreeSet<PictureNumber>,
    /// The mark of the photo after it.
    pub(super) sensitive: Option<SensitiveReason>,
}

impl Said {
    pub(super) fn of(decision: &Decision) -> Self {
        let Decision { decision, pictures, sensitive, .. } = decision;
        Self { decision: *decision, pictures: pictures.iter().copied().collect(), sensitive: *sensitive }
    }
}
