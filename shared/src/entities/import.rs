//! The import of photos, favorites and tags from the file of an [`Export`](super::Export).

use serde::{Deserialize, Serialize};

use super::key::Key;
use crate::values::{EpochMillis, ImportId, ImportState, Subject, Timestamp, Username};

/// The prefix of the partition keys of imports. The user follows.
pub const IMPORT_PREFIX: &str = "Import#";
/// The time for which an import is kept after it was asked for, in seconds: a day. Until then,
/// there is no other import of the user, unless this one has failed before its first write.
pub const IMPORT_LIFETIME_SECONDS: u64 = 24 * 60 * 60;
/// The maximum number of things that were left out, of which an import says why.
pub const MAX_LEFT_OUT: usize = 50;

/// An import. read-import updates it after each page of the file, so that another attempt continues
/// there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Import {
    /// The id.
    pub id: ImportId,
    /// The state.
    pub state: ImportState,
    /// The time at which the user asked for it.
    pub created: Timestamp,
    /// The time at which it expires, in seconds since 1970.
    pub ttl: u64,
    /// The account of the user, on which every write of the import has a condition.
    pub subject: Subject,
    /// The id of the attempt that reads the file. Each write of an import has the condition that no
    /// other attempt has begun since, and an attempt recognizes by it what it has written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<String>,
    /// The costs of the import so far.
    pub work: ImportWork,
    /// The `ETag` of the file that is being read. One that is uploaded later is read from its
    /// beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The number of photos that were put or were there already.
    pub photos: u64,
    /// The number of favorites that were put or were there already.
    pub favorites: u64,
    /// The number of tags that were put or were there already.
    pub tags: u64,
    /// The number of things that were left out.
    pub left_out: u64,
    /// The first of them.
    pub reasons: Vec<LeftOut>,
    /// The reason why it has failed, for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The position of the work: the section, and the page of it that comes next.
    pub section: String,
    /// The page.
    pub page: u32,
}

/// The costs of an import so far, with all files that were uploaded for it. Each number has a
/// maximum in read-import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportWork {
    /// The number of attempts.
    pub attempts: u64,
    /// The number of transactions that make things. An import that fails without any may be
    /// repeated at once.
    pub writes: u64,
    /// The number of pictures for process-photo.
    pub pictures: u64,
}

impl Key {
    /// Returns the key of the [`Import`](super::Import) of a user. A user has one at most.
    #[must_use]
    pub fn import(user: &Username) -> Self {
        Self::of_feed(format!("{IMPORT_PREFIX}{user}"), "Import".to_owned())
    }
}

/// A thing that an import has left out.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The thing, such as `photo 2026-11-22T15:40:38.123Z`.
    pub what: String,
    /// The reason.
    pub reason: String,
}

impl Import {
    /// Returns a new import of an account, whose file has not been uploaded.
    #[must_use]
    pub fn new(subject: Subject) -> Self {
        Self {
            id: ImportId::new(),
            state: ImportState::Waiting,
            created: Timestamp::now(),
            ttl: EpochMillis::now().seconds() + IMPORT_LIFETIME_SECONDS,
            subject,
            attempt: None,
            work: ImportWork::default(),
            etag: None,
            photos: 0,
            favorites: 0,
            tags: 0,
            left_out: 0,
            reasons: vec![],
            reason: None,
            section: "tags".to_owned(),
            page: 1,
        }
    }

    /// Returns the import at the beginning of the file with this `ETag`.
    #[must_use]
    pub fn of_file(&self, etag: &str) -> Self {
        let Self { id, created, ttl, attempt, work, .. } = self.clone();
        let etag = Some(etag.to_owned());
        Self { id, created, ttl, attempt, work, etag, ..Self::new(self.subject.clone()) }
    }

    /// Returns whether its file is still to be read.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        matches!(self.state, ImportState::Waiting | ImportState::Running)
    }

    /// Notes that a thing is left out.
    pub fn leave_out(&mut self, what: String, reason: impl Into<String>) {
        self.left_out += 1;
        if self.reasons.len() < MAX_LEFT_OUT {
            self.reasons.push(LeftOut { what, reason: reason.into() });
        }
    }
}
