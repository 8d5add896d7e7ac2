//! A `Query` reads the newest decisions about the report. At the same time, a `BatchGetItem` reads the
//! report, and the photo or the comment that it is about. If the photo was made with several pictures, another
//! `BatchGetItem` reads them.
//!
//! Of a report about the caller, the answer does not tell whether it exists.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Serialize;
use shared::dynamodb::{batch, entity};
use shared::entities::{Decision, Key, MAX_DECISIONS, decision_sk_prefix, user_pk};
use shared::http::answer;
use shared::http::extract::{Moderator, Path};
use shared::show::Signer;
use shared::values::{
    DecisionKind, DecisionNote, PictureNumber, ReportId, ReportReason, SensitiveReason, Time, Username,
};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

use crate::content::{ReportWithContent, must_not_be_about, read_pictures};

#[cfg(test)]
mod tests;

/// A report with its history.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct ReportWithDecisions {
    #[serde(flatten)]
    report: ReportWithContent,
    /// The decisions of the last 365 days, the newest first, at most 100.
    #[cfg_attr(feature = "schema", schemars(extend("maxItems" = MAX_DECISIONS)))]
    decisions: Vec<ShownDecision>,
}

/// A decision of a moderator about a report.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct ShownDecision {
    /// The decision.
    decision: DecisionKind,
    /// The reason of a removal.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<ReportReason>,
    /// The numbers of the pictures of a removal that leaves others. Left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pictures: Vec<PictureNumber>,
    /// The reason of a mark.
    #[serde(skip_serializing_if = "Option::is_none")]
    sensitive: Option<SensitiveReason>,
    /// The moderator's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<DecisionNote>,
    /// The username of the moderator at the time of the decision.
    moderator: Username,
    timestamp: Time,
}

impl From<Decision> for ShownDecision {
    fn from(Decision { decision, reason, pictures, sensitive, note, moderator, timestamp, .. }: Decision) -> Self {
        Self { decision, reason, pictures, sensitive, note, moderator, timestamp: timestamp.into() }
    }
}

/// The route.
pub struct GetReport {
    table: Table,
    signer: Signer,
}

impl Route for GetReport {
    const NAME: &'static str = "get-report";
    const ROUTE: &'static str = "GET /reports/{id}";
    const SUMMARY: &'static str = "Returns a report with the newest 100 decisions about it. Only members of the group `moderators` \
         may read it.";
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoReport, ErrorKind::ReportAboutYou];

    type Input = (Path<ReportId>, Moderator);
    type Body = ReportWithDecisions;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, signer: Signer::from_process(process)? })
    }

    async fn answer(&self, (Path(id), Moderator(caller)): Self::Input) -> Result<Response<ReportWithDecisions>, Error> {
        let Self { table, signer } = self;
        must_not_be_about(&caller, &id)?;

        let decisions = table
            .client
            .query()
            .table_name(&table.name)
            .key_condition_expression("PK = :user AND begins_with(SK, :decisions)")
            .expression_attribute_values(":user", S(user_pk(id.reported_user())))
            .expression_attribute_values(":decisions", S(decision_sk_prefix(&id)))
            .scan_index_forward(false)
            .limit(MAX_DECISIONS)
            .send();
        let (report, content) = (Key::report(&id), Key::reported(&id));
        let keys = [&report].into_iter().chain(&content).cloned().collect();
        let (decisions, mut found) = tokio::try_join!(async { Ok(decisions.await?) }, batch::get(table, keys, false))?;

        let mut pictures = read_pictures(table, &found).await?;
        let report = batch::take(&mut found, report).map(entity::from_item).transpose()?;
        let report = report.ok_or_else(|| Error::no_report(&id))?;
        let content = content.and_then(|key| batch::take(&mut found, key));
        let report = ReportWithContent::new(report, content, &mut pictures, signer)?;
        let decisions: Vec<Decision> = entity::from_items(decisions.items.unwrap_or_default())?;
        let decisions = decisions.into_iter().filter(|decision| !decision.is_over()).map(ShownDecision::from).collect();
        answer::private(&ReportWithDecisions { report, decisions })
    }
}
