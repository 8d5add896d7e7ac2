//! The conditions of a write to a photo of somebody else, who may keep the caller away: a reaction,
//! a comment and a saved photo.
//!
//! For most photos and most callers, two conditions on items that the transaction writes or checks
//! anyway say that there is nothing to look for: everyone may see the photo, and nobody blocks the
//! caller. If one of them fails, the transaction is sent again with checks of the items that
//! decide: the friendship with the owner, the owner's block, and for a reply to a comment or a like
//! the block of its author.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};
use aws_sdk_dynamodb::types::builders::UpdateBuilder;
use aws_sdk_dynamodb::types::{ConditionCheck, ReturnValuesOnConditionCheckFailure, Update};

use crate::dynamodb::Item;
use crate::dynamodb::transaction::{Transaction, Write};
use crate::entities::account::subject_value;
use crate::entities::{BLOCKED_BY, Key, Photo, has_any, photo_from_item};
use crate::values::{Audience, CommentId, Level, PhotoId, Subject, Username};
use crate::{Error, Table};

/// The condition that a photo is ready. A `PhotoDeletion` has no `username`, and a photo of another
/// program has no `picture`. Its only name is `#status`, and its only value is `:ready`.
pub const IS_READY: &str = "attribute_exists(username) AND (attribute_not_exists(picture) OR picture.#status = :ready)";

/// The access of a caller to a photo, as far as it is known: it tells what a transaction checks.
///
/// [`new`](Self::new) supposes what holds for most. The caller of a transaction whose conditions
/// failed tells it the items for which they did, and sends the transaction again if this
/// [changes](Self::learn) it.
#[derive(Debug, Clone, Copy)]
pub struct Access<'a> {
    table_name: &'a str,
    caller: &'a Username,
    owner: &'a Username,
    photo: &'a PhotoId,
    /// The author of the comment that the write is about, and that of the comment that this answers.
    authors: [Option<&'a Username>; 2],
    /// The audience of the photo.
    audience: Audience,
    /// Whether anybody blocks the caller.
    is_blocked: bool,
}

impl<'a> Access<'a> {
    /// The condition on the item of the caller that nobody blocks them. Its only value is `:zero`.
    const NOT_BLOCKED: &'static str = "NOT blockedBy > :zero";

    /// Returns the access to the photo of `owner` with the id `photo`, in the table `quick-photos`.
    #[must_use]
    pub const fn new(table_name: &'a str, caller: &'a Username, owner: &'a Username, photo: &'a PhotoId) -> Self {
        Self { table_name, caller, owner, photo, authors: [None; 2], audience: Audience::Everyone, is_blocked: false }
    }

    /// Returns the access to a comment on the photo, whose author may keep the caller away too. So may
    /// the author of the comment that it answers.
    #[must_use]
    pub fn to_comment(self, id: &'a CommentId) -> Self {
        Self { authors: [Some(&id.author), id.reply_to.as_ref().map(|answered| &answered.author)], ..self }
    }

    /// Returns the users who may keep the caller away by a block.
    fn others(&self) -> impl Iterator<Item = &'a Username> {
        let [one, other] = self.authors;
        let one = one.filter(|author| *author != self.owner);
        let other = other.filter(|author| *author != self.owner && Some(*author) != one);
        [self.owner].into_iter().chain(one).chain(other).filter(|user| *user != self.caller)
    }

    /// Returns the key of the photo.
    #[must_use]
    pub fn photo(&self) -> Key {
        Key::photo(self.owner, self.photo)
    }

    /// Returns `condition`, on the item of the caller, with the condition that nobody blocks them,
    /// if that is what is known. Adds the value of the latter to `values`.
    #[must_use]
    pub fn caller_condition(&self, condition: &str, values: &mut HashMap<String, AttributeValue>) -> String {
        if self.is_blocked || self.others().next().is_none() {
            return condition.to_owned();
        }
        values.insert(":zero".to_owned(), N("0".to_owned()));
        format!("{condition} AND {}", Self::NOT_BLOCKED)
    }

    /// Returns the check of `condition` on the item of the caller of this account, as
    /// [`caller_condition`](Self::caller_condition) completes it. Its only value is `:subject`.
    pub fn check_caller(&self, condition: &str, subject: &Subject) -> Result<ConditionCheck, Error> {
        let mut values = HashMap::from([(":subject".to_owned(), subject_value(subject))]);
        let check = ConditionCheck::builder()
            .table_name(self.table_name)
            .set_key(Some(Key::user(self.caller).into()))
            .condition_expression(self.caller_condition(condition, &mut values))
            .set_expression_attribute_values(Some(values))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()?;
        Ok(check)
    }

    /// Returns the start of an update of the photo, on the condition that it is ready and has the
    /// known audience. Nobody but the owner sees a photo that is not ready, so nobody can respond
    /// to it.
    #[must_use]
    pub fn update_photo(&self) -> UpdateBuilder {
        let (condition, values) = self.photo_condition();
        Update::builder()
            .table_name(self.table_name)
            .set_key(Some(self.photo().into()))
            .condition_expression(condition)
            .expression_attribute_names("#status", "status")
            .set_expression_attribute_values(Some(values))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
    }

    /// Returns the check of the same condition.
    pub fn check_photo(&self) -> Result<ConditionCheck, Error> {
        let (condition, values) = self.photo_condition();
        let check = ConditionCheck::builder()
            .table_name(self.table_name)
            .set_key(Some(self.photo().into()))
            .condition_expression(condition)
            .expression_attribute_names("#status", "status")
            .set_expression_attribute_values(Some(values))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()?;
        Ok(check)
    }

    fn photo_condition(&self) -> (String, HashMap<String, AttributeValue>) {
        let mut values = HashMap::from([(":ready".to_owned(), S("ready".to_owned()))]);
        let audience = match self.audience {
            _ if self.caller == self.owner => "",
            Audience::Followers => {
                values.insert(":audience".to_owned(), S(self.audience.to_string()));
                " AND audience = :audience"
            }
            // A photo for its owner alone is for no other caller, whatever is known of it.
            Audience::Everyone | Audience::Me => " AND attribute_not_exists(audience)",
        };
        (format!("{IS_READY}{audience}"), values)
    }

    /// Adds the checks of the items that decide: of the friendship with the owner if only followers
    /// may see the photo, and of the blocks of the owner and of the authors if anybody blocks the
    /// caller. Returns those of the photo, and those of the authors, who do not hide the photo.
    pub fn add_checks(&self, transaction: &mut Transaction) -> Result<(Vec<Write>, Vec<Write>), Error> {
        let check = |key: Key| ConditionCheck::builder().table_name(self.table_name).set_key(Some(key.into()));
        let (mut of_photo, mut of_authors) = (vec![], vec![]);
        if self.audience == Audience::Followers && self.caller != self.owner {
            let friendship =
                check(Key::friendship(self.owner, self.caller)).condition_expression("attribute_exists(PK)");
            of_photo.push(transaction.condition_check(friendship.build()?));
        }
        for other in self.others().filter(|_| self.is_blocked) {
            let checks = if other == self.owner { &mut of_photo } else { &mut of_authors };
            checks.push(transaction.condition_check(no_block(self.table_name, other, self.caller)?));
        }
        Ok((of_photo, of_authors))
    }

    /// Takes note of the items for which the conditions on the caller and on the photo failed.
    /// Returns whether this changes what the transaction has to check, so that it has to be sent
    /// again.
    #[must_use]
    pub fn learn(&mut self, caller: Option<&Item>, photo: Option<&Item>) -> bool {
        let is_blocked = !self.is_blocked && caller.is_some_and(|caller| has_any(caller, BLOCKED_BY));
        self.is_blocked |= is_blocked;
        let photo = photo.and_then(|photo| photo_from_item(photo.clone()).ok().flatten());
        let audience = photo.filter(Photo::is_ready).map(|photo| photo.audience);
        let is_other_audience = audience.is_some_and(|audience| audience != self.audience && audience != Audience::Me);
        self.audience = audience.unwrap_or(self.audience);
        is_blocked || is_other_audience
    }

    /// Reads the photo, for a write that does not change its count. Returns whether it was ready a
    /// moment ago and the caller may be able to see it, and takes note of its audience.
    ///
    /// The read takes half a read unit, so that 5,000 of them a second fit into the [3,000 units of
    /// a
    /// partition](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html).
    /// If the photo has been deleted meanwhile, `process-changes` finds no photo that could count
    /// the item, and deletes it.
    pub async fn read_photo(&mut self, table: &Table) -> Result<bool, Error> {
        let found = table.client.get_item().table_name(&table.name).set_key(Some(self.photo().into())).send().await?;
        let Some(photo) = found.item.map(photo_from_item).transpose()?.flatten() else { return Ok(false) };
        self.audience = photo.audience;
        Ok(photo.is_ready() && (self.audience != Audience::Me || self.caller == self.owner))
    }
}

/// Returns the check that a user does not block another one.
pub fn no_block(table_name: &str, blocking: &Username, blocked: &Username) -> Result<ConditionCheck, Error> {
    let check = ConditionCheck::builder()
        .table_name(table_name)
        .set_key(Some(Key::block(blocking, blocked).into()))
        .condition_expression("attribute_not_exists(PK) OR #level = :mute")
        .expression_attribute_names("#level", "level")
        .expression_attribute_values(":mute", S(Level::Mute.to_string()))
        .build()?;
    Ok(check)
}
