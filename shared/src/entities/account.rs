//! The account to which a username belongs: the claim `sub` of the token that created the user.
//!
//! A username is a person's name in the API, and the account identifies the person to the issuer. A
//! user pool gives the name of a deleted account to the next person who signs up with it, while a
//! token of the deleted account may be valid for a day. So every write of a caller has the
//! condition that the name does not belong to another account.
//!
//! A user without `subject`, whom another program wrote, belongs to every account with the name. So does each user if the issuer writes no `sub`: the account is then the username
//! ([`Caller`](crate::http::request::Caller)).

use aws_sdk_dynamodb::types::AttributeValue::{self, S};
use aws_sdk_dynamodb::types::ConditionCheck;

use super::key::Key;
use crate::dynamodb::Item;
use crate::dynamodb::counter::Guard;
use crate::dynamodb::transaction::{FailedConditions, Write};
use crate::values::{Subject, Username};
use crate::{Error, ErrorKind};

/// The condition that an item is the user of the account `:subject`. An item that is no user has no
/// `username`.
pub const OF_ACCOUNT: &str = "attribute_exists(username) AND (attribute_not_exists(subject) OR subject = :subject)";
/// The condition that an item is neither the user of another account than `:subject` nor a
/// [`Deletion`](super::Deletion).
pub const FREE_FOR_ACCOUNT: &str =
    "attribute_not_exists(erasing) AND (attribute_not_exists(subject) OR subject = :subject)";

/// Returns the value of `:subject` in the conditions.
#[must_use]
pub fn subject_value(subject: &Subject) -> AttributeValue {
    S(subject.to_string())
}

/// Returns the error for a caller if the item of their name does not meet [`OF_ACCOUNT`]: it is the
/// user of another account, or no user.
#[must_use]
pub fn refusal(item: Option<&Item>, username: &Username, subject: &Subject) -> Option<Error> {
    match item {
        Some(item) if item.get("subject").is_some_and(|of| *of != subject_value(subject)) => {
            let detail = format!("The username {username} belongs to another account. Sign in with that account.");
            let hint = "The claim `sub` of the token is not that of the account that created the profile.";
            Some(Error::refused(ErrorKind::OtherAccount, detail).with_hint(hint))
        }
        Some(item) if item.contains_key("username") => None,
        _ => Some(Error::no_profile()),
    }
}

/// A caller, by the username and the account in the token.
#[derive(Debug, Clone, Copy)]
pub struct Account<'a> {
    /// The name of the table `quick-photos`.
    pub table_name: &'a str,
    /// The username in the token.
    pub username: &'a Username,
    /// The account in the token.
    pub subject: &'a Subject,
}

impl<'a> Account<'a> {
    /// Returns [`FREE_FOR_ACCOUNT`] as a condition of
    /// [`delete_and_decrement`](crate::dynamodb::counter::delete_and_decrement).
    #[must_use]
    pub fn guard(self) -> Guard<'a> {
        Guard {
            table_name: self.table_name,
            key: Key::user(self.username).into(),
            condition: FREE_FOR_ACCOUNT,
            value: Some((":subject", subject_value(self.subject))),
            // The condition holds where there is no item.
            refusal: Box::new(move |item| item.and_then(|item| refusal(Some(item), self.username, self.subject))),
        }
    }

    /// Returns the check of [`FREE_FOR_ACCOUNT`], for a transaction that writes what needs no
    /// profile: favorites, tags, exports.
    pub fn check(self) -> Result<ConditionCheck, Error> {
        self.guard().check()
    }

    /// Returns the check of [`OF_ACCOUNT`], for a transaction that writes what needs a profile.
    pub fn check_profile(self) -> Result<ConditionCheck, Error> {
        Guard { condition: OF_ACCOUNT, ..self.guard() }.check()
    }

    /// Fails if the condition of `write` failed. It must be the write whose condition is
    /// [`FREE_FOR_ACCOUNT`] or [`OF_ACCOUNT`].
    pub fn require(self, failed: &FailedConditions, write: Write) -> Result<(), Error> {
        if !failed.contains(write) {
            return Ok(());
        }
        refusal(failed.item(write), self.username, self.subject).map_or(Ok(()), Err)
    }
}
