//! Search terms.

use shared::dynamodb::Item;
use shared::entities::{self, FAVORITE_PK, FAVORITE_SK, Favorite, term_items};
use shared::values::DataType;

use super::fixtures::{
    HERON, SUNSET, TRAM, favorite, favorite_count_key, parsed, sample_favorite, sample_table, term_key,
};
use crate::audited_table::{number, text};

#[tokio::test]
async fn puts_missing_terms_and_overwrites_wrong_ones() {
    let table = sample_table().await;
    let (sunset, heron) = (sample_favorite(SUNSET, DataType::Image), sample_favorite(HERON, DataType::Image));
    let long: String = ('一'..).take(120).collect();
    let long = favorite("long", DataType::Note, &long, 1_717_000_000_000);
    table.put([long.item(&parsed("ben"))]).await;
    table.set(favorite_count_key("ben"), "favorites", Some(number(6))).await;
    table.put(term_items(&parsed("ben"), &long)).await;
    let expected = table.all_items().await;

    let (sunset_id, _, sunset_at) = SUNSET;
    table.delete(term_key("ada", "lis", sunset_at, sunset_id)).await;
    table.delete(term_key("ada", "suns", sunset_at, sunset_id)).await;
    let (tram_id, _, tram_at) = TRAM;
    table.set(term_key("ada", "tram", tram_at, tram_id), "dataType", Some(text("NOTE"))).await;
    let (heron_id, _, heron_at) = HERON;
    table.set(term_key("ben", "grey", heron_at, heron_id), "title", Some(text("Grey, grey"))).await;
    for item in term_items(&parsed("ben"), &long) {
        let key: Item = item.into_iter().filter(|(name, _)| [FAVORITE_PK, FAVORITE_SK].contains(&&**name)).collect();
        table.delete(key).await;
    }
    let of = |owner: &str, favorite: &Favorite| term_items(&parsed(owner), favorite).len();
    let tram = sample_favorite(TRAM, DataType::Video);
    table
        .assert_repaired(
            &[
                &format!("favorite heron of ben: 1 of {} terms are missing or wrong", of("ben", &heron)),
                "favorite long of ben: 60 of 60 terms are missing or wrong",
                &format!("favorite sunset of ada: 2 of {} terms are missing or wrong", of("ada", &sunset)),
                &format!("favorite tram of ada: 1 of {} terms are missing or wrong", of("ada", &tram)),
            ],
            &expected,
        )
        .await;
}

#[tokio::test]
async fn deletes_orphaned_terms() {
    let table = sample_table().await;
    let expected = table.all_items().await;
    let (sunset_id, sunset_title, sunset_at) = SUNSET;
    let long: String = ('一'..).take(120).collect();
    let mut orphans = [
        term_items(&parsed("ben"), &favorite("gone", DataType::Note, &long, 1_717_000_000_000)),
        // The first favorite is one of ada's, and the second a removed one of hers.
        term_items(&parsed("ben"), &sample_favorite(SUNSET, DataType::Image)),
        term_items(&parsed("ada"), &favorite("old-map", DataType::Image, "Old map", 1_717_203_000_000)),
        // The favorite was clipped at another time.
        term_items(&parsed("ada"), &favorite(sunset_id, DataType::Image, sunset_title, 1_000_000_000_000)),
        // The favorite had another title. Terms of this title that the present title has too belong
        // to the favorite.
        term_items(&parsed("ada"), &favorite(sunset_id, DataType::Image, "Sunrise over Rome", sunset_at)),
    ]
    .concat();
    // The title in the term does not have this term.
    let (heron_id, _, heron_at) = HERON;
    let mut other_term = term_items(&parsed("ben"), &sample_favorite(HERON, DataType::Image)).pop().unwrap();
    other_term.extend(Item::from(term_key("ben", "stork", heron_at, heron_id)));
    orphans.push(other_term);
    table.put(orphans).await;
    // The favorite's own terms overwrite those that both titles have, such as `sun` and `over`.
    table.put(term_items(&parsed("ada"), &sample_favorite(SUNSET, DataType::Image))).await;
    let lines = [
        "1 terms of favorite heron of ben, clipped 1717206600000: the favorite has other terms",
        "12 terms of favorite sunset of ada, clipped 1000000000000: the favorite has other terms",
        "12 terms of favorite sunset of ben, clipped 1717206000000: the favorite does not exist",
        "5 terms of favorite sunset of ada, clipped 1717206000000: the favorite has other terms",
        "6 terms of favorite old-map of ada, clipped 1717203000000: the favorite does not exist",
        "60 terms of favorite gone of ben, clipped 1717000000000: the favorite does not exist",
    ];
    table.assert_repaired(&lines, &expected).await;

    // Now the terms that both titles have are left with the attributes of the other title.
    table.put(term_items(&parsed("ada"), &favorite(sunset_id, DataType::Image, "Sunrise over Rome", sunset_at))).await;
    let lines = [
        "5 terms of favorite sunset of ada, clipped 1717206000000: the favorite has other terms",
        "favorite sunset of ada: 7 of 12 terms are missing or wrong",
    ];
    table.assert_repaired(&lines, &expected).await;
}

/// Another program has written all prefixes and every pair of characters.
#[tokio::test]
async fn deletes_more_terms_than_a_title_has() {
    let table = sample_table().await;
    let long: String = ('一'..).take(120).collect();
    let long = favorite("long", DataType::Note, &long, 1_717_000_000_000);
    table.put([long.item(&parsed("ben"))]).await;
    table.set(favorite_count_key("ben"), "favorites", Some(number(6))).await;
    table.put(term_items(&parsed("ben"), &long)).await;
    let expected = table.all_items().await;

    let foreign = |owner: &str, item: &Item, term: &str| {
        let mut item = item.clone();
        item.insert(FAVORITE_PK.to_owned(), text(&entities::term_pk(&parsed(owner), term)));
        item
    };
    let sunset = term_items(&parsed("ada"), &sample_favorite(SUNSET, DataType::Image)).swap_remove(0);
    table.put(["sunse", "sunset", "lisbo", "lisbon"].map(|term| foreign("ada", &sunset, term))).await;
    // The title had more terms than one transaction can delete.
    let characters: Vec<char> = long.title.chars().collect();
    let pairs = characters.windows(2).skip(60).map(String::from_iter);
    let terms = pairs.chain(characters.iter().map(char::to_string));
    let of_long = term_items(&parsed("ben"), &long).swap_remove(0);
    table.put(terms.map(|term| foreign("ben", &of_long, &term)).collect::<Vec<_>>()).await;
    let lines = [
        "179 terms of favorite long of ben, clipped 1717000000000: the favorite has other terms",
        "4 terms of favorite sunset of ada, clipped 1717206000000: the favorite has other terms",
    ];
    table.assert_repaired(&lines, &expected).await;
}
