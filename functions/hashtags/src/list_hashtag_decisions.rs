//! A `Query` reads the partition of the hashtag, which has the decisions about it, and the
//! [`HiddenHashtag`](shared::entities::HiddenHashtag) after them.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Serialize;
use shared::dynamodb::{Item, entity};
use shared::entities::{HashtagDecision, Kind, MAX_DECISIONS, moderated_hashtag_pk};
use shared::http::answer;
use shared::http::extract::{Moderator, Path};
use shared::values::{DecisionNote, EpochMillis, Hashtag, HashtagDecisionKind, Time, Username};
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The history of a hashtag.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct HashtagDecisions {
    /// Whether the hashtag is hidden.
    hidden: bool,
    /// The decisions of the last 365 days, the newest first, at most 100.
    #[cfg_attr(feature = "schema", schemars(extend("maxItems" = MAX_DECISIONS)))]
    decisions: Vec<ShownHashtagDecision>,
}

/// A decision of a moderator about a hashtag.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct ShownHashtagDecision {
    /// The decision.
    decision: HashtagDecisionKind,
    /// The moderator's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<DecisionNote>,
    /// The username of the moderator at the time of the decision.
    moderator: Username,
    timestamp: Time,
}

impl From<HashtagDecision> for ShownHashtagDecision {
    fn from(HashtagDecision { decision, note, moderator, timestamp, .. }: HashtagDecision) -> Self {
        Self { decision, note, moderator, timestamp: timestamp.into() }
    }
}

/// The route.
pub struct ListHashtagDecisions {
    table: Table,
}

impl Route for ListHashtagDecisions {
    const NAME: &'static str = "list-hashtag-decisions";
    const ROUTE: &'static str = "GET /tags/{tag}/decisions";
    const SUMMARY: &'static str = "Returns whether a hashtag is hidden, and the newest 100 decisions about it. Only members of the group \
         `moderators` may read them.";

    type Input = (Path<Hashtag>, Moderator);
    type Body = HashtagDecisions;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(&self, (Path(hashtag), Moderator(_)): Self::Input) -> Result<Response<HashtagDecisions>, Error> {
        let Self { table } = self;

        let query = table
            .client
            .query()
            .table_name(&table.name)
            .key_condition_expression("PK = :hashtag")
            .expression_attribute_values(":hashtag", S(moderated_hashtag_pk(&hashtag)))
            .scan_index_forward(false)
            .limit(1 + MAX_DECISIONS);
        let found = query.send().await?.items.unwrap_or_default();
        let (mut decisions, hidden): (Vec<Item>, Vec<Item>) =
            found.into_iter().partition(|item| Kind::HashtagDecision.is_of(item));
        decisions.truncate(usize::try_from(MAX_DECISIONS).map_err(Error::internal)?);
        let decisions: Vec<HashtagDecision> = entity::from_items(decisions)?;
        // DynamoDB deletes an expired decision within some days.
        let now = EpochMillis::now().seconds();
        let decisions = decisions.into_iter().filter(|decision| decision.ttl > now).map(Into::into).collect();
        answer::private(&HashtagDecisions { hidden: !hidden.is_empty(), decisions })
    }
}
