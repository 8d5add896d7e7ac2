//! What has changed since it was found is not mended.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::str::FromStr;

use shared::model::favorites::{Favorite, FavoriteTag, Tag, history_item, tag_name_reservation, term_items};
use shared::values::{DataType, TagName};

use super::*;
use crate::audit::favorites::Favorites;
use crate::audit::favorites::finding::Suspect;
use crate::audit::settle::Check;
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

fn entry(favorite: &Favorite, tag_id: &str) -> Item {
    FavoriteTag::new(favorite, parsed(tag_id)).item(&parsed("ada"))
}

fn name(name: &str, tag_id: &str) -> Item {
    tag_name_reservation(&parsed("ada"), &parsed::<TagName>(name), &parsed(tag_id))
}

fn with(mut item: Item, name: &str, value: AttributeValue) -> Item {
    item.insert(name.to_owned(), value);
    item
}

/// A suspect on a table of `items` is found wrong. It is mended as it stands, but not after any one of the changes, nor a
/// second time.
async fn is_mended_as_found(items: Vec<Item>, suspect: Suspect, puts: Vec<Item>, deletes: Vec<Item>) {
    let fixture = Fixture::new("list-favorites").await;
    let favorites = Favorites { table: fixture.unrecorded_table(sample::FAVORITE) };
    fixture.put_all(items.clone());
    let right = fixture.all_items().await;
    let finding = favorites.look(&suspect).await.unwrap().unwrap();
    for put in puts {
        fixture.put(put.clone()).await;
        let changed = fixture.all_items().await;
        assert_ne!(changed, right, "{put:?} is no change");
        assert!(!favorites.mend(&finding).await.unwrap(), "{finding} after {put:?}");
        assert_eq!(fixture.all_items().await, changed, "{finding} after {put:?}");
        fixture.delete(key_of(&put)).await;
        fixture.put_all(items.clone());
    }
    for delete in deletes {
        fixture.delete(key_of(&delete)).await;
        let changed = fixture.all_items().await;
        assert_ne!(changed, right, "{delete:?} is not there");
        assert!(!favorites.mend(&finding).await.unwrap(), "{finding} without {delete:?}");
        assert_eq!(fixture.all_items().await, changed, "{finding} without {delete:?}");
        fixture.put_all(items.clone());
    }
    assert_eq!(fixture.all_items().await, right);
    assert!(favorites.mend(&finding).await.unwrap(), "{finding}");
    assert_eq!(favorites.look(&suspect).await.unwrap(), None);
}

fn key_of(item: &Item) -> Item {
    [favorites::PK, favorites::SK].map(|name| (name.to_owned(), item[name].clone())).into()
}

#[tokio::test]
async fn index_keys() {
    let ada = parsed("ada");
    let wrong = |item: Item| with(item, "lsiOneSk", S("wrong".into()));
    let lake_item = lake().item(&ada);
    is_mended_as_found(
        vec![wrong(lake_item.clone())],
        Suspect::Favorite(parsed("ada"), parsed("lake")),
        vec![
            with(lake_item.clone(), "lsiOneSk", S("other".into())),
            wrong(with(lake_item.clone(), "clipTime", S("6".into()))),
            wrong(with(lake_item.clone(), "dataType", S("NOTE".into()))),
        ],
        vec![lake_item.clone()],
    )
    .await;

    let history = history_item(&ada, &lake(), lake_item, &[], 9);
    is_mended_as_found(
        vec![wrong(history.clone())],
        Suspect::History(parsed("ada"), parsed("lake")),
        vec![wrong(with(history.clone(), "clipTime", S("6".into()))), history.clone()],
        vec![history],
    )
    .await;

    let work = tag("1", "Work");
    is_mended_as_found(
        vec![wrong(work.clone())],
        Suspect::Tag(parsed("ada"), parsed("1")),
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
async fn tags_on_favorites() {
    let (item, on_lake) = (lake().item(&parsed("ada")), entry(&lake(), "1"));
    let suspect = || Suspect::Entry(parsed("ada"), parsed("lake"), parsed("1"));
    is_mended_as_found(
        vec![on_lake.clone()],
        suspect(),
        vec![item.clone(), with(key_of(&item), "dataType", S("unreadable".into()))],
        vec![on_lake.clone()],
    )
    .await;

    let work = tag("1", "Work");
    is_mended_as_found(vec![item.clone(), on_lake.clone()], suspect(), vec![work.clone()], vec![on_lake.clone()]).await;

    let other = entry(&favorite("lake", DataType::Note, "", 5, None), "1");
    is_mended_as_found(
        vec![item.clone(), work.clone(), other.clone()],
        suspect(),
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

/// A count is taken off if there is one; a favorite that is gone by now doesn't matter.
#[tokio::test]
async fn what_a_tag_that_is_gone_was_counted_by() {
    for (before, after) in [(Some(3), Some(2)), (Some(0), Some(0)), (None, None)] {
        let fixture = Fixture::new("list-favorites").await;
        let favorites = Favorites { table: fixture.unrecorded_table(sample::FAVORITE) };
        let lake = Favorite { tag_count: before, ..lake() };
        fixture.put_all(vec![lake.item(&parsed("ada")), entry(&lake, "1"), entry(&lake, "2")]);
        for (tag_id, after) in [("1", after), ("2", None)] {
            let suspect = Suspect::Entry(parsed("ada"), parsed("lake"), parsed(tag_id));
            let finding = favorites.look(&suspect).await.unwrap().unwrap();
            if tag_id == "2" {
                fixture.delete(Key::favorite(&parsed("ada"), &parsed("lake"))).await;
            }
            assert!(favorites.mend(&finding).await.unwrap());
            assert_eq!(favorites.look(&suspect).await.unwrap(), None);
            let item = fixture.item(Key::favorite(&parsed("ada"), &parsed("lake"))).await;
            assert_eq!(item["tagCount"].as_u64(), after, "{before:?}");
            assert_eq!(item.is_null(), tag_id == "2");
        }
    }
}

#[tokio::test]
async fn names() {
    let (work, kept) = (tag("1", "Work"), name("Work", "1"));
    is_mended_as_found(
        vec![work.clone()],
        Suspect::NoName(parsed("ada"), parsed("1")),
        vec![tag("1", "work"), name("WORK", "2")],
        vec![work.clone()],
    )
    .await;
    let suspect = || Suspect::TagName(parsed("ada"), "work".to_owned());
    is_mended_as_found(vec![kept.clone()], suspect(), vec![work.clone(), name("Work", "2")], vec![kept.clone()]).await;
    let play = tag("1", "Play");
    is_mended_as_found(
        vec![play.clone(), kept.clone()],
        suspect(),
        vec![work, tag("1", "Plays"), name("Work", "2")],
        vec![play, kept],
    )
    .await;
}

#[tokio::test]
async fn terms() {
    let ada = parsed("ada");
    let item = lake().item(&ada);
    let changes = || {
        vec![
            with(item.clone(), "title", S("Lakes".into())),
            with(item.clone(), "clipTime", S("6".into())),
            with(item.clone(), "dataType", S("NOTE".into())),
        ]
    };
    let suspect = Suspect::Terms(parsed("ada"), parsed("lake"));
    is_mended_as_found(vec![item.clone()], suspect, changes(), vec![item.clone()]).await;

    let titled = |title: &str, clip_time: u64| favorite("lake", DataType::Image, title, clip_time, None);
    let strays = |terms: &[&str]| {
        let terms: BTreeSet<_> = terms.iter().map(ToString::to_string).collect();
        Suspect::Strays(parsed("ada"), parsed("lake"), 5.into(), terms)
    };
    is_mended_as_found(term_items(&ada, &titled("Sea", 5)), strays(&["sea"]), vec![item.clone()], vec![]).await;
    let of_both = [vec![item.clone()], term_items(&ada, &titled("Sea", 5))].concat();
    let changes = changes().into_iter().take(2).collect();
    is_mended_as_found(of_both, strays(&["s", "se", "sea"]), changes, vec![item]).await;
}

#[tokio::test]
async fn counts() {
    let item = lake().item(&parsed("ada"));
    is_mended_as_found(
        vec![item.clone()],
        Suspect::TagCount(parsed("ada"), parsed("lake")),
        vec![with(item.clone(), "tagCount", number(2)), with(item.clone(), "clipTime", S("6".into()))],
        vec![item],
    )
    .await;

    // Ada has five in the sample.
    let count = with(Key::tag_count(&parsed("ada")).into(), "tags", number(7));
    let others = vec![with(count.clone(), "tags", number(6)), key_of(&count)];
    is_mended_as_found(vec![count.clone()], Suspect::Tags(parsed("ada")), others, vec![count]).await;
}

#[tokio::test]
async fn the_same_names_are_left() {
    let fixture = Fixture::new("list-favorites").await;
    let favorites = Favorites { table: fixture.unrecorded_table(sample::FAVORITE) };
    fixture.put_all(vec![tag("1", "Work"), tag("2", "work")]);
    let suspect = Suspect::SameName(parsed("ada"), [parsed("1"), parsed("2"), parsed("3")].into());
    let finding = favorites.look(&suspect).await.unwrap().unwrap();
    assert!(Favorites::needs_a_person(&finding));
    let before = fixture.all_items().await;
    assert!(!favorites.mend(&finding).await.unwrap());
    assert_eq!(fixture.all_items().await, before);
    fixture.put(tag("2", "Play")).await;
    assert_eq!(favorites.look(&suspect).await.unwrap(), None);
}
