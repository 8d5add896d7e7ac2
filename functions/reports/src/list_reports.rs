//! One `Query` on the index of the reports reads them. One `BatchGetItem` reads the photos and the
//! comments that they are about, and with `include=people` the profiles of the reported users. Another one reads the
//! pictures of the photos that were made with several, if there are any. The
//! page has at most as many reports as one `BatchGetItem` has room for.
//!
//! Reports about the caller are left out, so a page may be shorter than `limit`, or empty. The
//! cursor goes on after them.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::dynamodb::{Item, batch, entity};
use shared::entities::{Key, REPORTS_BY_STATE, Report};
use shared::http::answer;
use shared::http::extract::{Moderator, Query};
use shared::http::page::{Page, PageParameters};
use shared::show::{People, Signer};
use shared::values::{PeopleParts, ReportId, ReportState, Timestamp};
use shared::{Error, Process, Response, Route, StartError, Table};

use crate::content::{ReportWithContent, read_pictures};

#[cfg(test)]
mod tests;

/// The maximum number of reports on a page. One `BatchGetItem` has room for 100 keys: for each
/// report, the photo or the comment, and the reported user.
const MAX_REPORTS: i32 = 50;

/// A page of the reports in one state.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportsInState {
    /// The reports, those that have waited longest first.
    reports: Vec<ReportWithContent>,
    /// The cards of the reported users by username, without those who have been deleted. Empty
    /// without `include=people`.
    people: People,
    next_cursor: Option<String>,
}

/// The end of a page: the sort key of the index, and the id.
#[derive(Serialize, Deserialize)]
pub struct Position {
    timestamp: Timestamp,
    id: ReportId,
}

/// The route.
pub struct ListReports {
    table: Table,
    signer: Signer,
}

impl Route for ListReports {
    const NAME: &'static str = "list-reports";
    const ROUTE: &'static str = "GET /reports";
    const SUMMARY: &'static str = "Returns a page of the reports in one state, those that have waited longest first. Only members of \
         the group `moderators` may read them.";

    type Input = (Query<ReportState>, Query<PeopleParts>, Moderator, PageParameters);
    type Body = ReportsInState;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, signer: Signer::from_process(process)? })
    }

    async fn answer(
        &self,
        (Query(state), Query(include), Moderator(caller), page): Self::Input,
    ) -> Result<Response<ReportsInState>, Error> {
        let Self { table, signer } = self;
        let mut page: Page<Position> = page.of("reports", state)?;
        page.limit = page.limit.min(MAX_REPORTS);

        let output = table
            .client
            .query()
            .table_name(&table.name)
            .index_name(REPORTS_BY_STATE)
            .key_condition_expression("reportState = :state")
            .expression_attribute_values(":state", S(state.to_string()))
            .set_exclusive_start_key(page.after.as_ref().map(|last| start_after(state, last)))
            .limit(page.limit)
            .send()
            .await?;
        let mut reports: Vec<Report> = entity::from_items(output.items.unwrap_or_default())?;
        let last = reports.last().map(|last| Position { timestamp: last.timestamp.clone(), id: last.id.clone() });
        reports.retain(|report| *report.id.reported_user() != caller.username);

        let users = reports.iter().filter(|_| include.people).map(|report| Key::user(report.id.reported_user()));
        let keys = reports.iter().filter_map(|report| Key::reported(&report.id)).chain(users);
        let mut found = batch::get(table, keys.collect(), false).await?;
        let mut pictures = read_pictures(table, &found).await?;
        let people = if include.people { signer.cards(&found)? } else { People::new() };
        let show = |report: Report| {
            let content = Key::reported(&report.id).and_then(|key| batch::take(&mut found, key));
            ReportWithContent::new(report, content, &mut pictures, signer)
        };
        let reports = reports.into_iter().map(show).collect::<Result<_, Error>>()?;
        let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
        answer::private(&ReportsInState { reports, people, next_cursor })
    }
}

/// Returns the `ExclusiveStartKey` of the page after a report.
fn start_after(state: ReportState, last: &Position) -> Item {
    let mut key = Item::from(Key::report(&last.id));
    key.insert("reportState".to_owned(), S(state.to_string()));
    key.insert("timestamp".to_owned(), S(last.timestamp.to_string()));
    key
}
