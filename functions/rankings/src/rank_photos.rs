//! Schedule, each minute: ranks the photos that many have reacted to.
//!
//! The requests:
//!
//! - For each of the last three days, a `Query` reads the popular photos with the highest levels, at
//!   most [`MAX_RANKED`].
//! - One `PutItem` writes the [ranking](shared::entities::Ranking) of the minute, on the condition that
//!   there is none. So a page with a cursor continues in the ranking in which it began, also if an
//!   event comes twice.
//!
//! A ranking is one item, so no reader sees half of it.

use aws_sdk_dynamodb::types::AttributeValue::S;
use futures_util::future::try_join_all;
use shared::dynamodb::unless_condition_failed;
use shared::entities::{MAX_RANKED, PopularPhoto, Ranking, popular_pk, ranked_days};
use shared::runtime::schedule::Scheduled;
use shared::values::Timestamp;
use shared::{Error, Handler, Process, StartError, Table};

#[cfg(test)]
mod tests;

/// The function.
pub struct RankPhotos {
    feed: Table,
}

impl Handler for RankPhotos {
    const NAME: &'static str = "rank-photos";

    type Event = Scheduled;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { feed: process.table("TABLE_NAME")? })
    }

    async fn handle(&self, Scheduled { time }: Scheduled) -> Result<(), Error> {
        let Self { feed } = self;
        let now = Timestamp::from(time);
        let days = ranked_days(&now);
        let popular = try_join_all(days.iter().map(|day| read_day(feed, day))).await?;
        let ranking = Ranking::new(popular.concat(), &now);
        let put = feed
            .client
            .put_item()
            .table_name(&feed.name)
            .set_item(Some(ranking.item()?))
            .condition_expression("attribute_not_exists(pk)");
        unless_condition_failed(put.send().await)?;
        Ok(())
    }
}

/// Returns the photos that were uploaded on a day, those with the highest level first.
async fn read_day(feed: &Table, day: &str) -> Result<Vec<PopularPhoto>, Error> {
    let query = feed
        .client
        .query()
        .table_name(&feed.name)
        .key_condition_expression("pk = :day")
        .expression_attribute_values(":day", S(popular_pk(day)))
        .scan_index_forward(false)
        .limit(i32::try_from(MAX_RANKED).map_err(Error::internal)?);
    query.send().await?.items.unwrap_or_default().iter().map(PopularPhoto::from_item).collect()
}
