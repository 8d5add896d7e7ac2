//! One consistent `GetItem` reads the tag, and one `TransactWriteItems` writes the new name,
//! reserves it and releases the old one. If the names differ only in case or Unicode form, they
//! share a reservation, and the transaction writes the tag alone.
//!
//! The transaction also checks that the caller's username is not that of another account
//! ([`account`](shared::entities::account)).
//!
//! Favorites refer to a tag by its id, so none of them is written, however many carry the tag.
//!
//! If the new name is reserved, one more consistent `GetItem` reads the tag that holds the
//! reservation ([`tag_name::holder`]). If no tag holds it, the transaction takes it over and checks
//! that this is still so ([`StaleReservation::check`]).

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure, Update};
use shared::dynamodb::entity;
use shared::dynamodb::transaction::{FailedConditions, Outcome, Transaction, Write};
use shared::entities::account::Account;
use shared::entities::tag_name::{self, Holder, StaleReservation};
use shared::entities::{Key, Tag, tag_name_reservation};
use shared::http::answer;
use shared::http::extract::{Body, FromFields, Owner, Path};
use shared::http::fields::Fields;
use shared::values::{TagId, TagName, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts, each of which reads the tag and writes it.
/// Another attempt follows if a concurrent request, or a write of another program, made a condition
/// fail.
const MAX_ATTEMPTS: usize = 10;

/// The writes of the transaction, by which its failed conditions are known.
struct Writes {
    new_reservation: Write,
    /// The reservation of the old name, if that name can be reserved.
    old_reservation: Option<Write>,
}

/// Carried between attempts: a stale reservation of the new name, and an old name that is reserved
/// for another tag. A failed condition reveals each of them, and the next attempt takes it into
/// account.
#[derive(Default)]
struct Carried {
    /// A reservation of the new name that no tag holds, so the renamed tag may take it over. It
    /// refers to another tag: one that refers to the renamed tag needs no second look.
    stale_reservation: Option<StaleReservation>,
    /// An old name whose reservation belongs to another tag and must stay. Only another program can
    /// cause this.
    reserved_for_another: Option<TagName>,
}

/// The route.
pub struct RenameTag {
    table: Table,
    photos: String,
}

impl Route for RenameTag {
    const NAME: &'static str = "rename-tag";
    const ROUTE: &'static str = "PATCH /users/{username}/tags/{tagId}";
    const SUMMARY: &'static str = "Renames a tag.";
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NoProfile, ErrorKind::NoTag, ErrorKind::OtherAccount, ErrorKind::TagNameTaken];

    type Input = (Owner, Path<TagId>, Body<NewName>);
    type Body = Tag;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, photos: process.variable("PHOTOS_TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Owner(caller), Path(tag_id), Body(NewName(new_name))): Self::Input,
    ) -> Result<Response<Tag>, Error> {
        let Self { table, photos } = self;
        let username = &caller.username;
        let account = Account { table_name: photos, username, subject: &caller.subject };

        let mut carried = Carried::default();
        for _ in 0..MAX_ATTEMPTS {
            // The read is consistent, so a tag can be renamed as soon as it is created.
            let output = table
                .client
                .get_item()
                .table_name(&table.name)
                .set_key(Some(Key::tag(username, &tag_id).into()))
                .consistent_read(true)
                .send()
                .await?;
            let mut tag: Tag = entity::from_item(output.item.ok_or_else(|| Error::no_tag(&tag_id))?)?;
            if tag.tag_name == new_name.as_ref() {
                return answer::ok(&tag);
            }
            if tag.has_name(&new_name) {
                let mut change_case = Transaction::new();
                change_case.update(rename(table, username, &tag, &new_name)?);
                let check = change_case.condition_check(account.check()?);
                match change_case.write(&table.client).await? {
                    Outcome::Committed => {
                        tag.tag_name = new_name.into();
                        return answer::ok(&tag);
                    }
                    Outcome::ConditionFailed(failed) => account.require(&failed, check)?,
                }
                continue;
            }

            let (mut transaction, writes) = build_transaction(table, username, &tag, &new_name, &carried)?;
            let check = transaction.condition_check(account.check()?);
            match transaction.write(&table.client).await? {
                Outcome::Committed => {
                    tag.tag_name = new_name.into();
                    return answer::ok(&tag);
                }
                Outcome::ConditionFailed(failed) => {
                    account.require(&failed, check)?;
                    interpret(table, username, &tag, &new_name, &failed, &writes, &mut carried).await?;
                }
            }
        }
        Err(Error::Busy("the tag keeps changing".into()))
    }
}

/// Builds the update of the name, on the condition that the tag still has the name that was read.
fn rename(table: &Table, owner: &Username, tag: &Tag, new_name: &TagName) -> Result<Update, Error> {
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::tag(owner, &tag.tag_id).into()))
        .condition_expression("tagName = :old")
        .update_expression("SET tagName = :new, lsiOneSk = :new")
        .expression_attribute_values(":old", S(tag.tag_name.clone()))
        .expression_attribute_values(":new", S(new_name.to_string()))
        .build()?;
    Ok(update)
}

/// Returns the tag's name, if a reservation can exist for it. Another program may have given the
/// tag a name that is invalid here.
fn reservable_name(tag: &Tag) -> Option<TagName> {
    tag.tag_name.parse().ok()
}

/// Builds the transaction that writes the new name, reserves it and releases the old one.
fn build_transaction(
    table: &Table,
    owner: &Username,
    tag: &Tag,
    new_name: &TagName,
    carried: &Carried,
) -> Result<(Transaction, Writes), Error> {
    // The renamed tag may take over its own reservation: it does not have the new name, as the
    // first condition proves.
    let reserve_new_name = Put::builder()
        .table_name(&table.name)
        .set_item(Some(tag_name_reservation(owner, new_name, &tag.tag_id)))
        .expression_attribute_values(":tagId", S(tag.tag_id.to_string()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let reserve_new_name = match &carried.stale_reservation {
        None => reserve_new_name.condition_expression("attribute_not_exists(pk) OR tagId = :tagId"),
        Some(stale) => reserve_new_name
            .condition_expression("attribute_not_exists(pk) OR tagId IN (:tagId, :stale)")
            .expression_attribute_values(":stale", S(stale.tag_id.to_string())),
    };
    let mut transaction = Transaction::new();
    transaction.update(rename(table, owner, tag, new_name)?);
    let new_reservation = transaction.put(reserve_new_name.build()?);
    let mut writes = Writes { new_reservation, old_reservation: None };
    if let Some(old_name) = reservable_name(tag) {
        let is_of_another = carried.reserved_for_another.as_ref() == Some(&old_name);
        let release = tag_name::release(&table.name, owner, &tag.tag_id, &old_name, is_of_another)?;
        writes.old_reservation = Some(transaction.add(release));
    }
    if let Some(stale) = &carried.stale_reservation {
        transaction.condition_check(stale.check(&table.name, owner)?);
    }
    Ok((transaction, writes))
}

/// Interprets the failed conditions: returns the conflict with a tag that holds the new name, or
/// notes in `carried` what the next attempt has to take into account.
async fn interpret(
    table: &Table,
    owner: &Username,
    tag: &Tag,
    new_name: &TagName,
    failed: &FailedConditions,
    writes: &Writes,
    carried: &mut Carried,
) -> Result<(), Error> {
    // Whichever condition failed, the next attempt looks again whether a tag holds the new name.
    carried.stale_reservation = None;
    if failed.contains(writes.old_reservation) {
        let old_name = reservable_name(tag);
        carried.reserved_for_another = if carried.reserved_for_another == old_name { None } else { old_name };
    }
    if failed.contains(writes.new_reservation) {
        let reservation = entity::from_item(failed.item(writes.new_reservation).cloned().unwrap_or_default())?;
        match tag_name::holder(table, owner, new_name, reservation).await? {
            Holder::Tag(holder) => return Err(tag_name::taken(&holder)),
            Holder::Stale(stale) => carried.stale_reservation = Some(stale),
        }
    }
    Ok(())
}

/// The new name of the tag.
pub struct NewName(TagName);

impl FromFields for NewName {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        let new_name = fields.required("tagName");
        fields.finish()?;
        new_name.map(Self)
    }
}
