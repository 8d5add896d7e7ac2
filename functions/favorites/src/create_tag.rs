//! One `TransactWriteItems` puts the tag, reserves its name and counts it.
//!
//! The transaction also checks that the name is not that of another account
//! ([`account`](shared::entities::account)).
//!
//! If the name is reserved, one consistent `GetItem` reads the tag that holds the reservation
//! ([`tag_name::holder`]). If no tag holds it, the transaction takes it over and checks that this
//! is still so ([`StaleReservation::check`]). If another program wrote the user's tags and left no
//! count, one paged `Query` counts them before the first tag is created here.

use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};
use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure, Select, Update};
use shared::dynamodb::entity;
use shared::dynamodb::transaction::{FailedConditions, Outcome, Transaction, Write};
use shared::entities::account::Account;
use shared::entities::tag_name::{self, Holder, StaleReservation};
use shared::entities::{Key, MAX_TAGS_PER_USER, Tag, tag_name_reservation, tags_pk};
use shared::http::answer;
use shared::http::extract::{Body, FromFields, Owner};
use shared::http::fields::Fields;
use shared::values::{EpochMillis, TagId, TagName, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts, each of which sends a transaction. Another
/// attempt follows if a concurrent request, or a write of another program, made a condition fail.
const MAX_ATTEMPTS: usize = 10;

/// The writes of the transaction, by which its failed conditions are known.
struct Writes {
    reservation: Write,
    count: Write,
    /// The check of the tag of a stale reservation, if there is one.
    stale_reservation: Option<Write>,
}

/// Carried between attempts: a stale name reservation, and the tag count to initialise. A failed
/// condition reveals each of them, and the next attempt takes it into account.
#[derive(Default)]
struct Carried {
    /// A reservation of the name that no tag holds, so the new tag may take it over.
    stale_reservation: Option<StaleReservation>,
    /// The number of tags that another program wrote without counting them.
    initial_count: Option<InitialCount>,
}

/// The number of a user's tags at a time when the count item had no `tags`.
struct InitialCount {
    number: usize,
    /// The count item's `deletions` at that time. If they have changed since, `number` is too high.
    deletions: Option<AttributeValue>,
}

/// The route.
pub struct CreateTag {
    table: Table,
    photos: String,
}

impl Route for CreateTag {
    const NAME: &'static str = "create-tag";
    const ROUTE: &'static str = "POST /users/{username}/tags";
    const SUMMARY: &'static str = "Creates a tag. A repeated request with the same name returns the existing tag with status 200 and \
         changes nothing.";
    const SUCCESSES: &'static [Success] = &[Success::OK, Success::CREATED_AT];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NoProfile, ErrorKind::OtherAccount, ErrorKind::TagNameTaken, ErrorKind::TooManyTags];

    type Input = (Owner, Body<NewName>);
    type Body = Tag;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, photos: process.variable("PHOTOS_TABLE_NAME")? })
    }

    async fn answer(&self, (Owner(caller), Body(NewName(name))): Self::Input) -> Result<Response<Tag>, Error> {
        let Self { table, photos } = self;
        let username = &caller.username;
        let account = Account { table_name: photos, username, subject: &caller.subject };

        let mut carried = Carried::default();
        for _ in 0..MAX_ATTEMPTS {
            let now = EpochMillis::now();
            let tag = Tag { tag_id: TagId::new(), tag_name: name.to_string(), create_time: now, last_access_time: now };
            let (mut transaction, writes) = build_transaction(table, username, &tag, &name, &carried)?;
            let check = transaction.condition_check(account.check()?);
            match transaction.write(&table.client).await? {
                Outcome::Committed => {
                    return answer::created_at(&format!("/users/{username}/tags/{}", tag.tag_id), &tag);
                }
                Outcome::ConditionFailed(failed) => {
                    account.require(&failed, check)?;
                    if let Some(existing) = interpret(table, username, &name, &failed, &writes, &mut carried).await? {
                        return answer::ok(&existing);
                    }
                }
            }
        }
        Err(Error::Busy("the user's tags keep changing".into()))
    }
}

/// Builds the transaction that puts the tag, reserves its name and counts it.
fn build_transaction(
    table: &Table,
    owner: &Username,
    tag: &Tag,
    name: &TagName,
    carried: &Carried,
) -> Result<(Transaction, Writes), Error> {
    let put_tag = Put::builder()
        .table_name(&table.name)
        .set_item(Some(tag.item(owner)))
        .condition_expression("attribute_not_exists(pk)")
        .build()?;
    let reserve_name = Put::builder()
        .table_name(&table.name)
        .set_item(Some(tag_name_reservation(owner, name, &tag.tag_id)))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let reserve_name = match &carried.stale_reservation {
        None => reserve_name.condition_expression("attribute_not_exists(pk)"),
        Some(stale) => reserve_name
            .condition_expression("attribute_not_exists(pk) OR tagId = :stale")
            .expression_attribute_values(":stale", S(stale.tag_id.to_string())),
    };
    let count_tag = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::tag_count(owner).into()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let count_tag = match &carried.initial_count {
        None => count_tag
            .condition_expression("tags < :max")
            .update_expression("SET tags = tags + :one")
            .expression_attribute_values(":max", N(MAX_TAGS_PER_USER.to_string()))
            .expression_attribute_values(":one", N("1".to_owned())),
        Some(InitialCount { number, deletions: None }) => count_tag
            .condition_expression("attribute_not_exists(tags) AND attribute_not_exists(deletions)")
            .update_expression("SET tags = :tags")
            .expression_attribute_values(":tags", N((number + 1).to_string())),
        Some(InitialCount { number, deletions: Some(deletions) }) => count_tag
            .condition_expression("attribute_not_exists(tags) AND deletions = :deletions")
            .update_expression("SET tags = :tags")
            .expression_attribute_values(":tags", N((number + 1).to_string()))
            .expression_attribute_values(":deletions", deletions.clone()),
    };
    let mut transaction = Transaction::new();
    transaction.put(put_tag);
    let reservation = transaction.put(reserve_name.build()?);
    let count = transaction.update(count_tag.build()?);
    let stale_check = carried.stale_reservation.as_ref().map(|stale| stale.check(&table.name, owner)).transpose()?;
    let stale_reservation = stale_check.map(|check| transaction.condition_check(check));
    Ok((transaction, Writes { reservation, count, stale_reservation }))
}

/// Interprets the failed conditions. Returns the tag that an earlier, equal request created, or
/// `None` if the transaction should be sent again with what `carried` now holds.
async fn interpret(
    table: &Table,
    owner: &Username,
    name: &TagName,
    failed: &FailedConditions,
    writes: &Writes,
    carried: &mut Carried,
) -> Result<Option<Tag>, Error> {
    if failed.contains(writes.stale_reservation) {
        // The tag of the reservation has been renamed, perhaps to this very name.
        carried.stale_reservation = None;
    }
    if failed.contains(writes.reservation) {
        let reservation = entity::from_item(failed.item(writes.reservation).cloned().unwrap_or_default())?;
        match tag_name::holder(table, owner, name, reservation).await? {
            // The client may have lost the answer to the first request.
            Holder::Tag(holder) if holder.tag_name == name.as_ref() => return Ok(Some(holder)),
            Holder::Tag(holder) => return Err(tag_name::taken(&holder)),
            Holder::Stale(stale) => carried.stale_reservation = Some(stale),
        }
    } else if failed.contains(writes.count) {
        let mut count = failed.item(writes.count).cloned().unwrap_or_default();
        if !count.contains_key("tags") {
            let number = count_tags(table, owner).await?;
            if number >= MAX_TAGS_PER_USER {
                return Err(too_many_tags());
            }
            carried.initial_count = Some(InitialCount { number, deletions: count.remove("deletions") });
        } else if carried.initial_count.take().is_none() {
            return Err(too_many_tags());
        }
        // Otherwise a concurrent request has initialised the count, and the next attempt adds to
        // it.
    }
    Ok(None)
}

fn too_many_tags() -> Error {
    let detail = format!("You have reached the maximum of {MAX_TAGS_PER_USER} tags. Delete a tag first.");
    Error::refused(ErrorKind::TooManyTags, detail)
}

/// Returns how many tags a user has. It reads page after page, because another program may have
/// written any number, and consistently, because the count continues from this number.
async fn count_tags(table: &Table, owner: &Username) -> Result<usize, Error> {
    let mut pages = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("pk = :tags")
        .expression_attribute_values(":tags", S(tags_pk(owner)))
        .select(Select::Count)
        .consistent_read(true)
        .into_paginator()
        .send();
    let mut tags = 0;
    while let Some(page) = pages.try_next().await? {
        tags += usize::try_from(page.count).map_err(Error::internal)?;
    }
    Ok(tags)
}

/// The name of the tag.
pub struct NewName(TagName);

impl FromFields for NewName {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        let name = fields.required("tagName");
        fields.finish()?;
        name.map(Self)
    }
}
