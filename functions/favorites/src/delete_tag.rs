//! One consistent `GetItem` reads the tag, and one `TransactWriteItems` deletes it, releases its
//! name and takes it off the count.
//!
//! The transaction also checks that the name is not that of another account
//! ([`account`](shared::entities::account)).
//!
//! Lists hide the tag at once. It may be on more favorites than one transaction can write, so
//! purge-deleted-tag takes it off them, from the table's stream.

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::Delete;
use shared::dynamodb::counter::Decrement;
use shared::dynamodb::entity;
use shared::dynamodb::transaction::{Outcome, Transaction, Write};
use shared::entities::account::Account;
use shared::entities::{Key, Tag, tag_name};
use shared::http::answer;
use shared::http::extract::{Owner, Path};
use shared::values::{TagId, TagName, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts, each of which reads the tag and sends a
/// transaction. Another attempt follows if a concurrent request, or a write of another program,
/// made a condition fail.
const MAX_ATTEMPTS: usize = 10;

/// The writes of the transaction, by which its failed conditions are known.
struct Writes {
    count: Write,
    /// The reservation of the name, if the name can be reserved.
    reservation: Option<Write>,
}

/// Carried between attempts: whether the tag is counted, and a name that is reserved for another
/// tag. The first attempt assumes that the tag was written here. If another program wrote it, a
/// failed condition reveals the difference.
struct Carried {
    /// Whether the user's tag count includes this tag.
    is_counted: bool,
    /// A name whose reservation belongs to another tag and must stay.
    reserved_for_another: Option<TagName>,
}

/// The route.
pub struct DeleteTag {
    table: Table,
    photos: String,
}

impl Route for DeleteTag {
    const NAME: &'static str = "delete-tag";
    const ROUTE: &'static str = "DELETE /users/{username}/tags/{tagId}";
    const SUMMARY: &'static str = "Deletes a tag. A repeated request changes nothing.";
    const SUCCESSES: &'static [Success] =
        &[Success::no_content("The caller has no such tag. Favorites lose it within seconds.")];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Owner, Path<TagId>);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, photos: process.variable("PHOTOS_TABLE_NAME")? })
    }

    async fn answer(&self, (Owner(caller), Path(tag_id)): Self::Input) -> Result<Response<()>, Error> {
        let Self { table, photos } = self;
        let username = &caller.username;
        let account = Account { table_name: photos, username, subject: &caller.subject };

        let mut carried = Carried { is_counted: true, reserved_for_another: None };
        for _ in 0..MAX_ATTEMPTS {
            // A stale read could miss a tag that was created a moment ago and report it as deleted, so
            // the read is consistent.
            let output = table
                .client
                .get_item()
                .table_name(&table.name)
                .set_key(Some(Key::tag(username, &tag_id).into()))
                .consistent_read(true)
                .send()
                .await?;
            let Some(item) = output.item else {
                return Ok(answer::no_content());
            };
            let tag: Tag = entity::from_item(item)?;
            // Another program may have given the tag a name that is invalid here, for which no
            // reservation can exist.
            let name: Option<TagName> = tag.tag_name.parse().ok();

            let (mut transaction, writes) = build_transaction(table, username, &tag, name.as_ref(), &carried)?;
            let check = transaction.condition_check(account.check()?);
            match transaction.write(&table.client).await? {
                Outcome::Committed => return Ok(answer::no_content()),
                Outcome::ConditionFailed(failed) => {
                    account.require(&failed, check)?;
                    if failed.contains(writes.count) {
                        carried.is_counted = !carried.is_counted;
                    }
                    if failed.contains(writes.reservation) {
                        carried.reserved_for_another = if carried.reserved_for_another == name { None } else { name };
                    }
                }
            }
        }
        Err(Error::Busy("the tag keeps changing".into()))
    }
}

/// Builds the transaction that deletes the tag, takes it off the count and releases its name.
fn build_transaction(
    table: &Table,
    owner: &Username,
    tag: &Tag,
    name: Option<&TagName>,
    carried: &Carried,
) -> Result<(Transaction, Writes), Error> {
    let delete_tag = Delete::builder()
        .table_name(&table.name)
        .set_key(Some(Key::tag(owner, &tag.tag_id).into()))
        .condition_expression("tagName = :name")
        .expression_attribute_values(":name", S(tag.tag_name.clone()))
        .build()?;
    // Every deletion increments `deletions`, so restore-favorite can tell that a tag which it read
    // may be deleted.
    let count = Decrement::new(&table.name, Key::tag_count(owner), "tags").with_tally("deletions");
    let mut transaction = Transaction::new();
    transaction.delete(delete_tag);
    let count = if carried.is_counted {
        transaction.update(count.update(1)?)
    } else {
        transaction.add(count.check_nothing_to_decrement()?)
    };
    let mut writes = Writes { count, reservation: None };
    if let Some(name) = name {
        let is_of_another = carried.reserved_for_another.as_ref() == Some(name);
        let release = tag_name::release(&table.name, owner, &tag.tag_id, name, is_of_another)?;
        writes.reservation = Some(transaction.add(release));
    }
    Ok((transaction, writes))
}
