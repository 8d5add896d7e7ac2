//! The record of the welcome e-mail of an account.

use serde::{Deserialize, Serialize};

use super::key::Key;
use crate::values::{EpochMillis, Subject, Timestamp};

/// The prefix of the partition keys of the records of welcome e-mails. The account follows.
pub const WELCOME_PREFIX: &str = "SUBJECT#";

/// The time for which an account gets no second e-mail, in days.
///
/// Without the [`Welcome`], a token that creates and deletes its user in a loop could have an
/// e-mail sent to one address after the other, as often as a deleted name can be taken again. With
/// it, these are four e-mails a year. A record that is delivered again comes within [24
/// hours](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html).
pub const WELCOME_LIFETIME_DAYS: u64 = 90;

/// The item that says that an account got its welcome e-mail. It survives the deletion of the user,
/// so that a user who is created again gets no second e-mail. It holds no name and no address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// The account.
    pub subject: Subject,
    /// The time after Amazon SES had accepted the e-mail.
    pub welcomed: Timestamp,
    /// The time at which the item expires, in seconds since 1970: [`WELCOME_LIFETIME_DAYS`] after
    /// the e-mail. Until DynamoDB has deleted it, it counts.
    pub ttl: u64,
}

impl Welcome {
    /// Returns the item of an account whose e-mail was accepted now.
    #[must_use]
    pub fn now(subject: Subject) -> Self {
        let ttl = EpochMillis::now().seconds() + WELCOME_LIFETIME_DAYS * 24 * 60 * 60;
        Self { subject, welcomed: Timestamp::now(), ttl }
    }
}

impl Key {
    /// Returns the key of a [`Welcome`](super::Welcome). It is in no partition of a user, so no
    /// deletion finds it.
    #[must_use]
    pub fn welcome(subject: &Subject) -> Self {
        Self::of_photos(format!("{WELCOME_PREFIX}{subject}"), format!("#WELCOME#{subject}"))
    }
}
