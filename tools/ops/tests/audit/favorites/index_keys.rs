//! Index keys.

use shared::entities::Key;

use super::fixtures::{favorite_key, parsed, sample_table, tag_key};
use crate::audited_table::text;

#[tokio::test]
async fn sets_wrong_index_keys() {
    let table = sample_table().await;
    let expected = table.all_items().await;
    table.set(favorite_key("ada", "tram"), "gsiOnePk", Some(text("FavoriteData#ada#image"))).await;
    table.set(favorite_key("ada", "tram"), "lsiOneSk", None).await;
    table.set(favorite_key("ben", "heron"), "gsiOneSk", Some(text("1#heron"))).await;
    table.set(Key::history(&parsed("ada"), &parsed("old-map")), "gsiOnePk", Some(text("FavoriteData#ada#image"))).await;
    table.set(tag_key("ada", "travel"), "lsiOneSk", Some(text("travel"))).await;
    table.set(tag_key("ben", "birds"), "lsiTwoSk", Some(text("1"))).await;
    table.set(tag_key("ben", "birds"), "lsiThreeSk", None).await;
    let lines = [
        "favorite heron of ben: wrong index keys gsiOneSk",
        "favorite tram of ada: wrong index keys lsiOneSk, gsiOnePk",
        "history of favorite old-map of ada: wrong index keys gsiOnePk",
        "tag birds of ben: wrong index keys lsiTwoSk, lsiThreeSk",
        "tag travel of ada: wrong index keys lsiOneSk",
    ];
    table.assert_repaired(&lines, &expected).await;
}
