//! Deletes the reports about a deleted user with the complaints of others, and the complaints of a
//! deleted user. finish-deletion finds both, beside other items, and deletes the decisions itself.
//!
//! - A `Query` of `InvertedIndex` finds the complaints of a report, `TransactWriteItems` deletes up
//!   to 99 of them, and a `DeleteItem` deletes the report.
//! - A `TransactWriteItems` deletes a complaint of the user and updates its report. If there is no
//!   report any more, a second transaction deletes the complaint alone.

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::Update;
use shared::dynamodb::counter::{self, Decrement};
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::dynamodb::{Item, entity, unless_condition_failed};
use shared::entities::{Complaint, INVERTED_INDEX, Key, Report, complaint_sk};
use shared::erasure::{delete_existing, delete_in_transactions, for_each_page, key_of};
use shared::{Error, Table};
use tokio::time::Instant;

/// The maximum number of complaints of one transaction, which has the report besides.
const MAX_TRANSACTION_COMPLAINTS: usize = 99;

/// Deletes a report about the user, after the complaints that it counts. Fails with
/// [`Error::Busy`], so that the next attempt continues, if there is no time left, or if the index
/// does not show all of them.
///
/// No complaint is added any more, because create-report requires that the user exists.
pub async fn delete_report(table: &Table, report: Item, page_deadline: Instant) -> Result<(), Error> {
    let key = key_of(report.clone());
    let Report { id, .. } = entity::from_item(report)?;
    let complaints = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :complaint")
        .expression_attribute_values(":complaint", S(complaint_sk(&id)));
    let decrement = Decrement::new(&table.name, Key::report(&id), "complaints");
    for_each_page(complaints, page_deadline, async |page| {
        let deletes = page.into_iter().map(|item| Ok((delete_existing(table, item)?, vec![decrement.clone()])));
        let deletes = deletes.collect::<Result<_, Error>>()?;
        delete_in_transactions(deletes, MAX_TRANSACTION_COMPLAINTS, async |deletes| {
            counter::delete_and_decrement(&table.client, deletes, None).await.map(drop)
        })
        .await
    })
    .await?;
    let deleted = table
        .client
        .delete_item()
        .table_name(&table.name)
        .set_key(Some(key))
        .condition_expression("NOT complaints > :zero")
        .expression_attribute_values(":zero", N("0".to_owned()))
        .send()
        .await;
    match unless_condition_failed(deleted)? {
        Some(_) => Ok(()),
        None => Err(Error::Busy("complaints about the user are left; the next attempt continues".into())),
    }
}

/// Deletes a complaint of the user, with what the report has of it. There may be no report any
/// more, because the reported user is deleted too.
pub async fn delete_complaint(table: &Table, complaint: Item) -> Result<(), Error> {
    let delete = delete_existing(table, complaint.clone())?;
    let Complaint { reporter, about, reason, .. } = entity::from_item(complaint)?;
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::report(&about).into()))
        .condition_expression("attribute_exists(PK)")
        .update_expression(
            "SET complaints = complaints - :one, reasons.#reason = reasons.#reason - :one REMOVE texts.#reporter",
        )
        .expression_attribute_names("#reporter", reporter.to_string())
        .expression_attribute_names("#reason", reason.as_ref())
        .expression_attribute_values(":one", N("1".to_owned()))
        .build()?;
    let mut both = Transaction::new();
    let complaint = both.delete(delete.clone());
    both.update(update);
    if let Outcome::ConditionFailed(failed) = both.write(&table.client).await?
        && !failed.contains(complaint)
    {
        let mut alone = Transaction::new();
        alone.delete(delete);
        alone.write(&table.client).await?;
    }
    Ok(())
}
