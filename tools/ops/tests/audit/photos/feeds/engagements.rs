//! The audit of the engagements of callers with photos.

use super::*;
use testing::{engagement, reaction};

use crate::audited_table::photo;

const ADAS_OLDEST: &str = "2024-05-30T15:42:38";

#[tokio::test]
async fn gives_engagements_the_reactions_that_there_are() {
    let feeds = Feeds::seed();
    feeds.table.put([reaction("ben", "smiley", "ada", ADAS_OLDEST)]).await;
    let reactions = [("heart", 1), ("smiley", 1)].map(|(name, count)| (name.to_owned(), number(count)));
    let reactions = AttributeValue::M(reactions.into());
    feeds.table.set(photo("ada", ADAS_OLDEST), "reactions", Some(reactions)).await;
    feeds.put(engagement("ben", "ada", ADAS_OLDEST, &["smiley"])).await;
    feeds.put(engagement("cara", "ben", "2024-06-26T03:59:33", &[])).await;
    let expected = feeds.all_items().await;

    feeds.put(engagement("ben", "ada", ADAS_OLDEST, &["+1", "smiley"])).await;
    feeds.put(engagement("cara", "ada", ADAS_OLDEST, &[])).await;
    feeds.put(engagement("cara", "ben", "2024-06-26T03:59:33", &["heart"])).await;
    let lines = [
        "engagement of ben with photo 2024-05-30T15:42:38 of ada: the reactions are +1, smiley, but should be smiley",
        "engagement of cara with photo 2024-05-30T15:42:38 of ada: the reactions are none, but should be heart",
        "engagement of cara with photo 2024-06-26T03:59:33 of ben: the reactions are heart, but should be none",
    ];
    feeds.assert_repairs(&lines, &expected).await;
}

#[tokio::test]
async fn finds_a_reaction_that_has_both_of_its_keys() {
    let feeds = Feeds::seed();
    feeds.table.put([testing::in_shard(reaction("cara", "heart", "ada", ADAS_OLDEST))]).await;
    feeds.table.set(photo("ada", ADAS_OLDEST), "reactions.heart", Some(number(2))).await;
    let finding = "reaction heart of cara to photo 2024-05-30T15:42:38 of ada: it exists twice";
    assert_eq!(feeds.findings().await, [finding]);
}

#[tokio::test]
async fn an_engagement_has_the_reactions_that_are_left_of_a_deleted_photo() {
    let feeds = Feeds::seed();
    feeds.table.put([testing::photo_deletion("ada", ADAS_OLDEST, 1)]).await;
    feeds.put(engagement("ben", "ada", ADAS_OLDEST, &["smiley"])).await;
    let mut findings = feeds.findings().await;
    findings.retain(|finding| finding.starts_with("engagement"));
    let expected =
        "engagement of ben with photo 2024-05-30T15:42:38 of ada: the reactions are smiley, but should be none";
    assert_eq!(findings, [expected]);
}
