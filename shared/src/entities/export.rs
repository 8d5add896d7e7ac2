//! The export of everything that is kept about a user, as one file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::key::Key;
use crate::dynamodb::expiry;
use crate::values::{EpochMillis, ExportId, ExportState, Subject, Timestamp, Username};

/// The prefix of the partition keys of exports. The user follows.
pub const EXPORT_PREFIX: &str = "Export#";
/// The time for which an export is kept after it was asked for, and again after its file is
/// complete, in seconds: a day. Until then, there is no other export of the user, unless this one
/// has failed.
pub const EXPORT_LIFETIME_SECONDS: u64 = 24 * 60 * 60;
/// The maximum size of the file in bytes. `CloudFront` serves no larger one:
/// <https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html>.
pub const MAX_EXPORT_BYTES: u64 = 50_000_000_000;
/// The time after which nobody works on an export any more that has not changed, in seconds. It is
/// the timeout of write-export.
const STALLED_SECONDS: u64 = 15 * 60;

/// An export. write-export replaces the whole item with each part of the file that it has written,
/// on the condition that no other attempt has claimed a part since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// The id.
    pub id: ExportId,
    /// The state.
    pub state: ExportState,
    /// The time at which the user asked for it.
    pub created: Timestamp,
    /// The time of the last change. It is not `changed`, which would put the item into the index of
    /// the notifications.
    pub updated: Timestamp,
    /// The time at which it expires, in seconds since 1970.
    pub ttl: u64,
    /// The account of the user, which alone may read it.
    pub subject: Subject,
    /// The number of photos whose pictures the file has.
    pub photos: u64,
    /// The number of photos of the user when the work began.
    pub of: u64,
    /// The number of bytes that the file has.
    pub bytes: u64,
    /// The reason why it has failed, for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The number of the last part of the file that an attempt has claimed. Each attempt writes
    /// parts with numbers of its own, so no attempt overwrites what another one has written.
    pub claimed: u32,
    /// The id of the message whose attempt has claimed it. The message may come again if the
    /// attempt has failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// The position of the work. There is none before the work begins, and after it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<ExportWork>,
}

/// The position of the work at an export.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExportWork {
    /// The id of the multipart upload.
    pub upload_id: String,
    /// The number of the last part that belongs to the file.
    pub written: u32,
    /// The numbers before it of parts that do not belong to the file, because their attempt ended.
    pub skipped: Vec<u32>,
    /// The section that comes next.
    pub section: String,
    /// The page of the section that comes next.
    pub page: u32,
    /// The last key of the page before it, which is the `ExclusiveStartKey` of the next `Query`.
    pub after: BTreeMap<String, String>,
    /// The number of files in the archive.
    pub files: u64,
    /// The number of entries of each section so far.
    pub counts: BTreeMap<String, u64>,
}

impl Key {
    /// Returns the key of the [`Export`](super::Export) of a user. A user has one at most, so the
    /// condition of its put limits how often there is a new one.
    #[must_use]
    pub fn export(user: &Username) -> Self {
        Self::of_feed(format!("{EXPORT_PREFIX}{user}"), "Export".to_owned())
    }
}

impl Export {
    /// Returns a new export of an account, which is asked for now.
    #[must_use]
    pub fn new(subject: Subject) -> Self {
        let now = Timestamp::now();
        Self {
            id: ExportId::new(),
            state: ExportState::Queued,
            created: now.clone(),
            updated: now,
            ttl: EpochMillis::now().seconds() + EXPORT_LIFETIME_SECONDS,
            subject,
            photos: 0,
            of: 0,
            bytes: 0,
            reason: None,
            claimed: 0,
            worker: None,
            work: None,
        }
    }

    /// Returns whether somebody still has to work at it.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        matches!(self.state, ExportState::Queued | ExportState::Running)
    }

    /// Returns whether it is unfinished and nobody works at it, or the message that starts the work
    /// may have been lost.
    #[must_use]
    pub fn needs_message(&self) -> bool {
        match self.state {
            ExportState::Queued => true,
            ExportState::Running => expiry::is_over(self.updated.seconds() + STALLED_SECONDS),
            ExportState::Ready | ExportState::Failed => false,
        }
    }
}

/// The message that lets write-export begin an export, or continue it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportMessage {
    /// The user.
    pub username: Username,
    /// The id of the export.
    pub id: ExportId,
    /// The number of the last part that was claimed when the message was sent. If another part has
    /// been claimed since, another attempt is under way, and the message has no effect.
    pub claimed: u32,
}
