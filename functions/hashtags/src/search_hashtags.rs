//! The requests:
//!
//! - A `Query` of `<stage>.Feed` reads a page of the list of the first five characters of the query.
//!   The list is in the order of the answer: the hashtags with the most photos in powers of ten
//!   first, then by name. A longer query is compared with the listings, and a page reads up to 4
//!   times 250 of them.
//! - One `BatchGetItem` reads the summaries of the hashtags found, which have the counts, and from
//!   `quick-photos` the decisions by which hashtags are hidden.
//!
//! process-changes writes listings about a second after the photos. So a page shows only hashtags
//! whose summary still has photos, and it can be shorter than `limit`.

use std::collections::HashSet;

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Serialize;
use shared::dynamodb::{Item, batch, entity};
use shared::entities::{HashtagListing, HashtagSummary, Key, hashtag_listings_pk};
use shared::http::answer;
use shared::http::extract::RequiredQuery;
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::values::{Hashtag, HashtagQuery};
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The maximum number of requests in which a page reads a list.
const MAX_ROUNDS: usize = 4;
/// The number of listings that such a request reads if the query does not find the whole list.
const LISTINGS_OF_ROUND: i32 = 250;
/// The maximum number of hashtags on a page: one `BatchGetItem` reads two items of each.
const MAX_HASHTAGS_OF_PAGE: i32 = 50;

/// A page of the hashtags that a query finds.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundHashtags {
    /// The hashtags, those with the most photos first. There are at most 50.
    hashtags: Vec<FoundHashtag>,
    next_cursor: Option<String>,
}

/// A hashtag that a query finds.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct FoundHashtag {
    /// The hashtag, without the `#`.
    hashtag: Hashtag,
    /// The number of photos that everyone may see, rounded down to a power of ten. It is an estimate above 40.
    count: u64,
}

/// The route.
pub struct SearchHashtags {
    table: Table,
    feed: Table,
}

impl Route for SearchHashtags {
    const NAME: &'static str = "search-hashtags";
    const ROUTE: &'static str = "GET /tags";
    const SUMMARY: &'static str = "Finds hashtags by their beginning.";

    type Input = (Caller, RequiredQuery<HashtagQuery>, PageParameters);
    type Body = FoundHashtags;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, feed: process.table("FEED_TABLE_NAME")? })
    }

    async fn answer(&self, (_, RequiredQuery(wanted), page): Self::Input) -> Result<Response<FoundHashtags>, Error> {
        let Self { table, feed } = self;
        let mut page: Page<HashtagListing> = page.of("hashtags", &wanted)?;

        let limit = usize::try_from(page.limit.min(MAX_HASHTAGS_OF_PAGE)).map_err(Error::internal)?;
        let (found, end) = read_list(feed, &wanted, page.after.take(), limit).await?;
        let summaries = found.iter().map(Key::hashtag_summary).collect();
        let hidden = found.iter().map(Key::hidden_hashtag).collect();
        let [mut summaries, hidden] = batch::get_from_tables([(feed, summaries), (table, hidden)], false).await?;

        let mut hashtags = vec![];
        for hashtag in found {
            let summary = HashtagSummary::from_item(batch::take(&mut summaries, Key::hashtag_summary(&hashtag)))?;
            if let Some(count) = summary.count()
                && batch::find(&hidden, Key::hidden_hashtag(&hashtag)).is_none()
            {
                hashtags.push(FoundHashtag { hashtag, count });
            }
        }
        answer::ok(&FoundHashtags { hashtags, next_cursor: page.cursor(end)? })
    }
}

/// Returns the hashtags after `start` that the query finds, at most `limit`. Also returns the listing
/// after which the list goes on, or `None` at its end.
async fn read_list(
    feed: &Table,
    query: &HashtagQuery,
    mut start: Option<HashtagListing>,
    limit: usize,
) -> Result<(Vec<Hashtag>, Option<HashtagListing>), Error> {
    // A hashtag whose listings are being written may be in the list twice.
    let (mut found, mut known) = (vec![], HashSet::new());
    for _ in 0..MAX_ROUNDS {
        let listings = if query.finds_whole_list() {
            i32::try_from(limit - found.len()).map_err(Error::internal)?
        } else {
            LISTINGS_OF_ROUND
        };
        let output = feed
            .client
            .query()
            .table_name(&feed.name)
            .key_condition_expression("pk = :list")
            .expression_attribute_values(":list", S(hashtag_listings_pk(query.list())))
            .set_exclusive_start_key(start.as_ref().map(|start| Item::from(start.key(query.list()))))
            .limit(listings)
            .send()
            .await?;
        for item in output.items.unwrap_or_default() {
            let listing: HashtagListing = entity::from_item(item)?;
            if query.matches(&listing.hashtag) && !known.contains(&listing.hashtag) {
                if found.len() == limit {
                    return Ok((found, start));
                }
                known.insert(listing.hashtag.clone());
                found.push(listing.hashtag.clone());
            }
            start = Some(listing);
        }
        if output.last_evaluated_key.is_none() {
            return Ok((found, None));
        }
        if found.len() == limit {
            break;
        }
    }
    Ok((found, start))
}
