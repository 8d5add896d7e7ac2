//! A repair writes nothing if the table has changed since the inspection.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::str::FromStr;

use shared::entities::{Favorite, FavoriteTag, Tag, history_item, tag_name_reservation, term_items};
use shared::values::{DataType, TagName};

use super::*;
use crate::audit::favorites::candidate::Candidate;
use crate::audit::favorites::inspect::inspect;
use crate::audit::finding::{Action, Finding};
use local::sample;
use testing::Fixture;

fn parsed<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

fn favorite(data_id: &str, data_type: DataType, title: &str, clip_time: u64, tag_count: Option<u64>) -> Favorite {
    Favorite {
        data_id: parsed(data_id),
        data_type,
        title: title.to_owned(),
        creator_id: None,
        thumbnail_url: None,
        content_url: None,
        clip_time: clip_time.into(),
        tag_count,
        tag_ids: BTreeSet::new(),
    }
}

fn lake() -> Favorite {
    favorite("lake", DataType::Image, "Lake", 5, Some(3))
}

fn tag(tag_id: &str, name: &str) -> Item {
    let tag =
        Tag { tag_id: parsed(tag_id), tag_name: name.to_owned(), create_time: 1.into(), last_access_time: 2.into() };
    tag.item(&parsed("ada"))
}

fn favorite_tag(favorite: &Favorite, tag_id: &str) -> Item {
    FavoriteTag::new(favorite, parsed(tag_id)).item(&parsed("ada"))
}

fn reservation(name: &str, tag_id: &str) -> Item {
    tag_name_reservation(&parsed("ada"), &parsed::<TagName>(name), &parsed(tag_id))
}

fn with(mut item: Item, name: &str, value: AttributeValue) -> Item {
    item.insert(name.to_owned(), value);
    item
}

/// Asserts that a candidate in a table with `items` has a defect, and that the defect is repaired,
/// but not after any one of the items `puts` is put or any one of the items `deletes` is deleted.
async fn assert_repaired_unless_changed(items: Vec<Item>, candidate: Candidate, puts: Vec<Item>, deletes: Vec<Item>) {
    let fixture = Fixture::new("list-favorites").await;
    let table = fixture.unrecorded_table(sample::FAVORITE);
    fixture.put_all(items.clone());
    let before = fixture.all_items().await;
    let finding = inspect(&table, &candidate).await.unwrap().unwrap();
    for put in puts {
        fixture.put(put.clone()).await;
        let changed = fixture.all_items().await;
        assert_ne!(changed, before, "{put:?} changes nothing");
        assert!(!repair(&table, &finding).await.unwrap(), "{finding} after {put:?}");
        assert_eq!(fixture.all_items().await, changed, "{finding} after {put:?}");
        fixture.delete(key_of(&put)).await;
        fixture.put_all(items.clone());
    }
    for delete in deletes {
        fixture.delete(key_of(&delete)).await;
        let changed = fixture.all_items().await;
        assert_ne!(changed, before, "{delete:?} does not exist");
        assert!(!repair(&table, &finding).await.unwrap(), "{finding} without {delete:?}");
        assert_eq!(fixture.all_items().await, changed, "{finding} without {delete:?}");
        fixture.put_all(items.clone());
    }
    assert_eq!(fixture.all_items().await, before);
    assert!(repair(&table, &finding).await.unwrap(), "{finding}");
    assert_eq!(inspect(&table, &candidate).await.unwrap(), None);
}

fn key_of(item: &Item) -> Item {
    [FAVORITE_PK, FAVORITE_SK].map(|name| (name.to_owned(), item[name].clone())).into()
}

#[tokio::test]
async fn sets_index_keys_of_an_unchanged_item() {
    let ada = parsed("ada");
    let wrong = |item: Item| with(item, "lsiOneSk", S("wrong".into()));
    let lake_item = lake().item(&ada);
    assert_repaired_unless_changed(
        vec![wrong(lake_item.clone())],
        Candidate::IndexKeys(Key::favorite(&parsed("ada"), &parsed("lake"))),
        vec![
            with(lake_item.clone(), "lsiOneSk", S("other".into())),
            wrong(with(lake_item.clone(), "clipTime", S("6".into()))),
            wrong(with(lake_item.clone(), "dataType", S("NOTE".into()))),
        ],
        vec![lake_item.clone()],
    )
    .await;

    let history = history_item(&ada, &lake(), lake_item, &[].into(), 9);
    assert_repaired_unless_changed(
        vec![wrong(history.clone())],
        Candidate::IndexKeys(Key::history(&parsed("ada"), &parsed("lake"))),
        vec![wrong(with(history.clone(), "clipTime", S("6".into()))), history.clone()],
        vec![history],
    )
    .await;

    let work = tag("1", "Work");
    assert_repaired_unless_changed(
        vec![wrong(work.clone())],
        Candidate::IndexKeys(Key::tag(&parsed("ada"), &parsed("1"))),
        vec![
            wrong(with(work.clone(), "tagName", S("Play".into()))),
            wrong(with(work.clone(), "createTime", number(9))),
            wrong(with(work.clone(), "lastAccessTime", number(9))),
        ],
        vec![work],
    )
    .await;
}

#[tokio::test]
async fn repairs_an_unchanged_tag_on_a_favorite() {
    let (item, on_lake) = (lake().item(&parsed("ada")), favorite_tag(&lake(), "1"));
    let candidate = || Candidate::FavoriteTag(parsed("ada"), parsed("lake"), parsed("1"));
    assert_repaired_unless_changed(
        vec![on_lake.clone()],
        candidate(),
        vec![item.clone(), with(key_of(&item), "dataType", S("unreadable".into()))],
        vec![on_lake.clone()],
    )
    .await;

    let work = tag("1", "Work");
    assert_repaired_unless_changed(
        vec![item.clone(), on_lake.clone()],
        candidate(),
        vec![work.clone()],
        vec![on_lake.clone()],
    )
    .await;

    let other = favorite_tag(&favorite("lake", DataType::Note, "", 5, None), "1");
    assert_repaired_unless_changed(
        vec![item.clone(), work.clone(), other.clone()],
        candidate(),
        vec![
            with(item.clone(), "clipTime", S("6".into())),
            with(item.clone(), "dataType", S("NOTE".into())),
            with(other.clone(), "dataType", S("IMAGE".into())),
            with(other.clone(), "gsiOneSk", S("6#lake".into())),
        ],
        vec![item, work, other],
    )
    .await;
}

/// The tag "2" is repaired after its favorite is deleted.
#[tokio::test]
async fn lowers_the_count_of_a_favorite_with_a_missing_tag_if_there_is_one() {
    for (before, after) in [(Some(3), Some(2)), (Some(0), Some(0)), (None, None)] {
        let fixture = Fixture::new("list-favorites").await;
        let table = fixture.unrecorded_table(sample::FAVORITE);
        let tag_ids = if before == Some(3) { [parsed("1"), parsed("3")].into() } else { BTreeSet::new() };
        let lake = Favorite { tag_count: before, tag_ids, ..lake() };
        fixture.put_all(vec![lake.item(&parsed("ada")), favorite_tag(&lake, "1"), favorite_tag(&lake, "2")]);
        for (tag_id, after) in [("1", after), ("2", None)] {
            let candidate = Candidate::FavoriteTag(parsed("ada"), parsed("lake"), parsed(tag_id));
            let finding = inspect(&table, &candidate).await.unwrap().unwrap();
            if tag_id == "2" {
                fixture.delete(Key::favorite(&parsed("ada"), &parsed("lake"))).await;
            }
            assert!(repair(&table, &finding).await.unwrap());
            assert_eq!(inspect(&table, &candidate).await.unwrap(), None);
            let item = fixture.item(Key::favorite(&parsed("ada"), &parsed("lake"))).await;
            assert_eq!(item["tagCount"].as_u64(), after, "{before:?}");
            let left = if after == Some(2) { serde_json::json!(["3"]) } else { serde_json::Value::Null };
            assert_eq!(item["tagIds"], left, "{before:?}");
            assert_eq!(item.is_null(), tag_id == "2");
        }
    }
}

#[tokio::test]
async fn makes_and_deletes_reservations_of_unchanged_tags() {
    let (work, kept) = (tag("1", "Work"), reservation("Work", "1"));
    assert_repaired_unless_changed(
        vec![work.clone()],
        Candidate::MissingReservation(parsed("ada"), parsed("1")),
        vec![tag("1", "work"), reservation("WORK", "2")],
        vec![work.clone()],
    )
    .await;
    let candidate = || Candidate::Reservation(parsed("ada"), "work".to_owned());
    assert_repaired_unless_changed(
        vec![kept.clone()],
        candidate(),
        vec![work.clone(), reservation("Work", "2")],
        vec![kept.clone()],
    )
    .await;
    let play = tag("1", "Play");
    assert_repaired_unless_changed(
        vec![play.clone(), kept.clone()],
        candidate(),
        vec![work, tag("1", "Plays"), reservation("Work", "2")],
        vec![play, kept],
    )
    .await;
}

#[tokio::test]
async fn puts_and_deletes_terms_of_an_unchanged_favorite() {
    let ada = parsed("ada");
    let item = lake().item(&ada);
    let changes = || {
        vec![
            with(item.clone(), "title", S("Lakes".into())),
            with(item.clone(), "clipTime", S("6".into())),
            with(item.clone(), "dataType", S("NOTE".into())),
        ]
    };
    let candidate = Candidate::Terms(parsed("ada"), parsed("lake"));
    assert_repaired_unless_changed(vec![item.clone()], candidate, changes(), vec![item.clone()]).await;

    let titled = |title: &str, clip_time: u64| favorite("lake", DataType::Image, title, clip_time, None);
    let orphan_terms = |terms: &[&str]| {
        let terms: BTreeSet<_> = terms.iter().map(ToString::to_string).collect();
        Candidate::OrphanTerms(parsed("ada"), parsed("lake"), 5.into(), terms)
    };
    assert_repaired_unless_changed(
        term_items(&ada, &titled("Sea", 5)),
        orphan_terms(&["sea"]),
        vec![item.clone()],
        vec![],
    )
    .await;
    let of_both = [vec![item.clone()], term_items(&ada, &titled("Sea", 5))].concat();
    let changes = changes().into_iter().take(2).collect();
    assert_repaired_unless_changed(of_both, orphan_terms(&["s", "se", "sea"]), changes, vec![item]).await;
}

#[tokio::test]
async fn sets_unchanged_counts() {
    let item = with(lake().item(&parsed("ada")), "tagVersion", number(4));
    assert_repaired_unless_changed(
        vec![item.clone()],
        Candidate::FavoriteTags(parsed("ada"), parsed("lake")),
        vec![
            with(item.clone(), "tagCount", number(2)),
            with(item.clone(), "tagIds", Ss(vec!["2".into()])),
            with(item.clone(), "tagVersion", number(5)),
            with(item.clone(), "clipTime", S("6".into())),
        ],
        vec![item],
    )
    .await;

    // In the sample data ada has five tags.
    let count = with(Key::tag_count(&parsed("ada")).into(), "tags", number(7));
    let others =
        vec![with(count.clone(), "tags", number(6)), with(count.clone(), "deletions", number(1)), key_of(&count)];
    assert_repaired_unless_changed(vec![count.clone()], Candidate::UserTagCount(parsed("ada")), others, vec![count])
        .await;
}

#[tokio::test]
async fn does_not_rename_tags_with_the_same_name() {
    let fixture = Fixture::new("list-favorites").await;
    let table = fixture.unrecorded_table(sample::FAVORITE);
    fixture.put_all(vec![tag("1", "Work"), tag("2", "work")]);
    let candidate = Candidate::DuplicateName(parsed("ada"), [parsed("1"), parsed("2"), parsed("3")].into());
    let finding = inspect(&table, &candidate).await.unwrap().unwrap();
    assert_eq!(Finding::of(finding.clone()).action(), Action::Leave);
    let before = fixture.all_items().await;
    assert!(!repair(&table, &finding).await.unwrap());
    assert_eq!(fixture.all_items().await, before);
    fixture.put(tag("2", "Play")).await;
    assert_eq!(inspect(&table, &candidate).await.unwrap(), None);
}
