//! Reservations of tag names, which keep a user from having two tags with the same folded name.

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, TransactWriteItem};
use serde::Deserialize;

use super::key::Key;
use super::tag::{self, Tag};
use crate::dynamodb::{Item, entity};
use crate::values::{TagId, TagName, Username};
use crate::{Error, ErrorKind, Table};

/// The prefix of the partition keys of the reservations of tag names. The owner follows.
pub const TAG_NAMES_PREFIX: &str = "TagName#";

/// The reservation of a name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TagNameReservation {
    /// The id of the tag that has the name.
    pub tag_id: TagId,
}

impl Key {
    /// Returns the key of a [`TagNameReservation`](super::TagNameReservation).
    #[must_use]
    pub fn tag_name_reservation(owner: &Username, name: &TagName) -> Self {
        Self::of_favorite(tag_names_pk(owner), name.folded())
    }
}

/// Returns the partition key of all tag name reservations of a user.
#[must_use]
pub fn tag_names_pk(owner: &Username) -> String {
    format!("{TAG_NAMES_PREFIX}{owner}")
}

/// Returns the item of the [`TagNameReservation`] of `name` for the tag `tag_id`.
#[must_use]
pub fn tag_name_reservation(owner: &Username, name: &TagName, tag_id: &TagId) -> Item {
    let mut item = Item::from(Key::tag_name_reservation(owner, name));
    item.insert("tagId".to_owned(), S(tag_id.to_string()));
    item
}

/// The tag behind a reservation of a name, as one read found it.
#[derive(Debug)]
pub enum Holder {
    /// The tag has the reserved name.
    Tag(Tag),
    /// The tag is deleted or has another name, so another tag may take the reservation over.
    Stale(StaleReservation),
}

/// A reservation of a name that its tag did not have when it was read.
#[derive(Debug)]
pub struct StaleReservation {
    /// The id of the tag that the reservation refers to.
    pub tag_id: TagId,
    /// The name that the tag had instead. `None` if there was no such tag.
    other_name: Option<String>,
}

impl StaleReservation {
    /// Returns the check that the reservation is still stale, because its tag still does not exist
    /// or still has the other name. A transaction that takes the reservation over must contain it.
    ///
    /// A condition on the reservation is not enough. If its tag takes the name back, the
    /// reservation is as it was, and overwriting it would give one name to two tags.
    pub fn check(&self, table_name: &str, owner: &Username) -> Result<ConditionCheck, Error> {
        let check =
            ConditionCheck::builder().table_name(table_name).set_key(Some(Key::tag(owner, &self.tag_id).into()));
        let check = match &self.other_name {
            None => check.condition_expression("attribute_not_exists(pk)"),
            Some(name) => check
                .condition_expression("tagName = :otherName")
                .expression_attribute_values(":otherName", S(name.clone())),
        };
        Ok(check.build()?)
    }
}

/// Returns the tag that holds a reservation of `name`, by one consistent `GetItem`, or the evidence
/// that the reservation is stale.
///
/// An eventually consistent read could report the reservation of a new tag as stale, over and over,
/// so the read is consistent.
pub async fn holder(
    table: &Table,
    owner: &Username,
    name: &TagName,
    reservation: TagNameReservation,
) -> Result<Holder, Error> {
    let TagNameReservation { tag_id } = reservation;
    let item = tag::get_item(table, owner, &tag_id).await?;
    let tag: Option<Tag> = item.map(entity::from_item).transpose()?;
    Ok(match tag {
        Some(tag) if tag.has_name(name) => Holder::Tag(tag),
        other => Holder::Stale(StaleReservation { tag_id, other_name: other.map(|tag| tag.tag_name) }),
    })
}

/// Returns the part of a transaction that releases the name of a tag: the delete of its
/// reservation, on the condition that it is the tag's own or does not exist.
///
/// If `is_of_another`, it is the check of the opposite instead: the reservation belongs to another
/// tag and must stay. Only another program can have given both tags this name. A transaction that
/// left out the check could leave the tag's own reservation behind, if the tag got it after the
/// delete failed.
pub fn release(
    table_name: &str,
    owner: &Username,
    tag_id: &TagId,
    name: &TagName,
    is_of_another: bool,
) -> Result<TransactWriteItem, Error> {
    let key = Key::tag_name_reservation(owner, name).into();
    let tag_id = S(tag_id.to_string());
    if is_of_another {
        let check = ConditionCheck::builder()
            .table_name(table_name)
            .set_key(Some(key))
            .condition_expression("attribute_exists(pk) AND tagId <> :tagId")
            .expression_attribute_values(":tagId", tag_id)
            .build()?;
        return Ok(TransactWriteItem::builder().condition_check(check).build());
    }
    let delete = Delete::builder()
        .table_name(table_name)
        .set_key(Some(key))
        .condition_expression("attribute_not_exists(pk) OR tagId = :tagId")
        .expression_attribute_values(":tagId", tag_id)
        .build()?;
    Ok(TransactWriteItem::builder().delete(delete).build())
}

/// Returns the error for a name that another tag of the user holds.
#[must_use]
pub fn taken(holder: &Tag) -> Error {
    let detail = format!("Your tag {} has this name already. Choose another name.", holder.tag_name);
    Error::refused(ErrorKind::TagNameTaken, detail)
}
