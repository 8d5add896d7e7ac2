//! Tables, items and keys for the tests of `<stage>.Favorite`.

use local::sample::favorites::Collection;
use local::sample::{FAVORITE, seed};
use serde_json::Value;
use shared::dynamodb::Item;
use shared::entities::{ClipPosition, FAVORITE_PK, FAVORITE_SK, Favorite, FavoriteTag, Key, Tag};
use shared::values::DataType;

use crate::audited_table::{AuditedTable, Items};

/// Creates the table with the sample data.
pub(crate) async fn sample_table() -> AuditedTable {
    AuditedTable::favorites(seed(FAVORITE))
}

pub(crate) fn parsed<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

pub(crate) fn favorite_key(owner: &str, data_id: &str) -> Key {
    Key::favorite(&parsed(owner), &parsed(data_id))
}

pub(crate) fn favorite_tag_key(owner: &str, data_id: &str, tag_id: &str) -> Key {
    Key::favorite_tag(&parsed(owner), &parsed(data_id), &parsed(tag_id))
}

pub(crate) fn tag_key(owner: &str, tag_id: &str) -> Key {
    Key::tag(&parsed(owner), &parsed(tag_id))
}

pub(crate) fn reservation_key(owner: &str, name: &str) -> Key {
    Key::tag_name_reservation(&parsed(owner), &parsed(name))
}

pub(crate) fn term_key(owner: &str, term: &str, clip_time: u64, data_id: &str) -> Key {
    Key::term(&parsed(owner), term, &ClipPosition { clip_time: clip_time.into(), data_id: parsed(data_id) })
}

pub(crate) fn tag_count_key(owner: &str) -> Key {
    Key::tag_count(&parsed(owner))
}

pub(crate) fn favorite_count_key(owner: &str) -> Key {
    Key::favorite_count(&parsed(owner))
}

/// Returns a favorite without a count.
pub(crate) fn favorite(data_id: &str, data_type: DataType, title: &str, clip_time: u64) -> Favorite {
    Favorite {
        data_id: parsed(data_id),
        data_type,
        title: title.to_owned(),
        creator_id: None,
        thumbnail_url: None,
        content_url: None,
        clip_time: clip_time.into(),
        tag_count: None,
        tag_ids: [].into(),
    }
}

/// Returns the item of a tag on a favorite.
pub(crate) fn favorite_tag(owner: &str, favorite: &Favorite, tag_id: &str) -> Item {
    FavoriteTag::new(favorite, parsed(tag_id)).item(&parsed(owner))
}

pub(crate) fn tag_item(owner: &str, tag_id: &str, name: &str) -> Item {
    let (create_time, last_access_time) = (7.into(), 8.into());
    Tag { tag_id: parsed(tag_id), tag_name: name.to_owned(), create_time, last_access_time }.item(&parsed(owner))
}

/// The id, the title and the time of the clip of a favorite.
type Clip = (&'static str, &'static str, u64);

// Favorites of the sample data.
pub(crate) const SUNSET: Clip = ("sunset", "Sunset over Lisbon", 1_717_206_000_000);
pub(crate) const TRAM: Clip = ("tram", "Tram 28, uphill", 1_717_212_000_000);
pub(crate) const HERON: Clip = ("heron", "Grey heron at dawn", 1_717_206_600_000);

/// Returns the attributes of a favorite that determine its tags and terms.
pub(crate) fn sample_favorite((data_id, title, clip_time): Clip, data_type: DataType) -> Favorite {
    favorite(data_id, data_type, title, clip_time)
}

pub(crate) fn item_mut(items: &mut Items, key: Key) -> &mut Value {
    let key = Item::from(key);
    let [pk, sk] = [FAVORITE_PK, FAVORITE_SK].map(|name| key[name].as_s().unwrap().clone());
    items.get_mut(&(pk, sk)).unwrap()
}

/// Returns favorites and tags of two users.
pub(crate) fn collections() -> [Collection; 2] {
    let mut ada = Collection::new("ada");
    let mut ben = Collection::new("ben");
    for collection in [&mut ada, &mut ben] {
        collection.tag("1", "Travel", 1, 2);
        collection.tag("2", "읽을 것", 3, 4);
        collection.clip("lake", DataType::Image, "Lake at night", 10, &["1"]);
        collection.clip("list", DataType::Note, "我的收藏夹", 20, &["1", "2"]);
        collection.unclip("lost", DataType::Link, "Lost and found", 30, &["2"]);
    }
    ben.clip("late", DataType::Music, "Late", 40, &[]);
    [ada, ben]
}

/// Returns the items of [`collections`] as another program writes them: without counts,
/// reservations and terms.
pub(crate) fn items_of_another_program() -> Vec<Item> {
    collections().map(Collection::into_foreign_items).concat()
}
