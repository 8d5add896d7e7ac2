//! Tags on favorites.

use aws_sdk_dynamodb::types::AttributeValue::Ss;
use shared::values::DataType;

use super::fixtures::{
    HERON, SUNSET, favorite, favorite_key, favorite_tag, favorite_tag_key, sample_favorite, sample_table,
};
use crate::audited_table::{number, text};

#[tokio::test]
async fn deletes_tags_on_missing_favorites() {
    let table = sample_table().await;
    let expected = table.all_items().await;
    table
        .put([
            favorite_tag("ada", &favorite("gone", DataType::Image, "", 1), "travel"),
            // This favorite is one of ben's, and the next is a removed one of ada's.
            favorite_tag("ada", &sample_favorite(HERON, DataType::Image), "travel"),
            favorite_tag("ada", &favorite("old-map", DataType::Image, "", 1), "travel"),
            // Neither the favorite nor the tag exists.
            favorite_tag("ben", &favorite("gone", DataType::Image, "", 1), "gone"),
        ])
        .await;
    let lines = [
        "tag gone on favorite gone of ben: the favorite does not exist",
        "tag travel on favorite gone of ada: the favorite does not exist",
        "tag travel on favorite heron of ada: the favorite does not exist",
        "tag travel on favorite old-map of ada: the favorite does not exist",
    ];
    table.assert_repaired(&lines, &expected).await;
}

#[tokio::test]
async fn deletes_missing_tags_from_favorites() {
    let table = sample_table().await;
    table.set(favorite_key("ben", "heron"), "tagCount", None).await;
    let expected = table.all_items().await;
    let (sunset, heron) = (sample_favorite(SUNSET, DataType::Image), sample_favorite(HERON, DataType::Image));
    // The second tag is one of ben's.
    table
        .put([
            favorite_tag("ada", &sunset, "gone"),
            favorite_tag("ada", &sunset, "birds"),
            favorite_tag("ben", &heron, "gone"),
        ])
        .await;
    table.set(favorite_key("ada", "sunset"), "tagCount", Some(number(3))).await;
    let ids = ["birds", "gone", "travel"].map(str::to_owned).into();
    table.set(favorite_key("ada", "sunset"), "tagIds", Some(Ss(ids))).await;
    let lines = [
        // These ids are right when the missing tag is deleted.
        "favorite heron of ben: tagIds are not the ids of its tags",
        "tag birds on favorite sunset of ada: the tag does not exist",
        "tag gone on favorite heron of ben: the tag does not exist",
        "tag gone on favorite sunset of ada: the tag does not exist",
    ];
    table.assert_repaired(&lines, &expected).await;
}

/// The count does not include the missing tag. Deleting that tag lowers the count, and it is
/// corrected afterwards.
#[tokio::test]
async fn repairs_a_count_that_does_not_include_a_missing_tag() {
    let table = sample_table().await;
    let expected = table.all_items().await;
    table.put([favorite_tag("ada", &sample_favorite(SUNSET, DataType::Image), "gone")]).await;
    let dinner = favorite("dinner", DataType::Chat, "", 1_717_236_000_000);
    table.put([favorite_tag("ada", &dinner, "gone")]).await;
    assert_eq!(
        table.repair().await,
        [
            // This count is right when the missing tag is deleted.
            "favorite dinner of ada: tagCount is 0, but should be 1",
            "favorite sunset of ada: tagCount is 0, but should be 1",
            "tag gone on favorite dinner of ada: the tag does not exist",
            "tag gone on favorite sunset of ada: the tag does not exist",
        ]
    );
    assert_eq!(table.all_items().await, expected);
}

#[tokio::test]
async fn overwrites_tags_that_differ_from_their_favorite() {
    let table = sample_table().await;
    let expected = table.all_items().await;
    let (_, _, heron_at) = HERON;
    let (_, title, _) = SUNSET;
    // The index keys of these two match their attributes, but the attributes do not match the
    // favorite.
    table
        .put([
            favorite_tag("ben", &favorite("heron", DataType::Video, "", heron_at), "birds"),
            favorite_tag("ada", &favorite("sunset", DataType::Image, title, 1_700_000_000_000), "travel"),
        ])
        .await;
    table.set(favorite_tag_key("ada", "tram", "travel"), "gsiTwoPk", None).await;
    table
        .set(favorite_tag_key("ada", "viewpoint", "family"), "gsiOnePk", Some(text("FavoriteDataTag#ben#family")))
        .await;
    table.set(favorite_tag_key("ben", "waders", "work"), "dataType", Some(text("PICTURE"))).await;
    table.set(favorite_tag_key("ben", "waders", "birds"), "clipTime", None).await;
    table.set(favorite_tag_key("ben", "kestrel", "birds"), "gsiTwoSk", Some(text("1#kestrel"))).await;
    let lines = [
        "tag birds on favorite heron of ben: differs from the favorite",
        "tag birds on favorite kestrel of ben: differs from the favorite",
        "tag birds on favorite waders of ben: differs from the favorite",
        "tag family on favorite viewpoint of ada: differs from the favorite",
        "tag travel on favorite sunset of ada: differs from the favorite",
        "tag travel on favorite tram of ada: differs from the favorite",
        "tag work on favorite waders of ben: differs from the favorite",
    ];
    table.assert_repaired(&lines, &expected).await;
}
