//! The sample data of favorites and tags: favorites of all types, and tags in several scripts.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::N;
use shared::dynamodb::Item;
use shared::entities::{self, FAVORITE_PK, Favorite, FavoriteTag, Key, Tag};
use shared::values::{DataId, DataType, EpochMillis, PhotoReference, TagId, TagName, Username};

use super::world::parsed;

/// Returns a time in June 2024: the number of minutes after the beginning of the month, in epoch
/// milliseconds.
const fn at(minutes: u64) -> u64 {
    1_717_200_000_000 + minutes * 60_000
}

/// Returns the collections of ada and ben. Ada has tags in five scripts, favorites of all nine
/// types, and a removed favorite. Ben has some tags and favorites.
#[must_use]
pub fn seed() -> [Collection; 2] {
    let mut ada = Collection::new("ada");
    ada.tag("travel", "Travel", at(10), at(9000));
    ada.tag("recipes", "Küche", at(20), at(8000));
    ada.tag("reading", "読みたい", at(30), at(70));
    ada.tag("family", "Семья", at(40), at(7000));
    ada.tag("songs", "موسيقى", at(50), at(50));
    ada.clip("sunset", DataType::Image, "Sunset over Lisbon", at(100), &["travel"]);
    ada.clip("tram", DataType::Video, "Tram 28, uphill", at(200), &["travel"]);
    ada.clip("onion-tart", DataType::Link, "Zwiebelkuchen aus der Hauptstraße", at(300), &["recipes"]);
    ada.clip("packing-list", DataType::File, "Packing list.pdf", at(400), &["travel"]);
    ada.clip("fado", DataType::Music, "Fado às três", at(500), &["songs", "travel"]);
    ada.clip("dinner", DataType::Chat, "Dinner with Ben on Sunday?", at(600), &[]);
    ada.clip("grandmother", DataType::Voice, "Бабушка рассказывает", at(700), &["family"]);
    ada.clip("books", DataType::Note, "我的收藏夹：想读的书", at(800), &["reading"]);
    ada.clip("viewpoint", DataType::Position, "Miradouro da Graça", at(900), &["travel", "family"]);
    ada.unclip("old-map", DataType::Image, "Old map of Lisbon", at(50), &["travel"]);

    let mut ben = Collection::new("ben");
    ben.tag("birds", "Birds", at(15), at(6000));
    ben.tag("work", "work", at(25), at(25));
    ben.tag("later", "나중에", at(35), at(5000));
    ben.clip("heron", DataType::Image, "Grey heron at dawn", at(110), &["birds"]);
    ben.clip("kestrel", DataType::Image, "Kestrel over Station Road", at(210), &["birds", "later"]);
    ben.clip("waders", DataType::Link, "Field guide to waders", at(310), &["birds", "work"]);
    ben.clip("tokyo", DataType::Note, "東京の野鳥ノート", at(410), &["later"]);
    ben.clip("starlings", DataType::Video, "Starlings at dusk", at(510), &[]);

    [ada, ben]
}

/// The favorites and tags of a user.
#[derive(Debug)]
pub struct Collection {
    owner: Username,
    tags: u64,
    favorites: u64,
    items: Vec<Item>,
}

impl Collection {
    /// Creates an empty collection.
    #[must_use]
    pub fn new(owner: &str) -> Self {
        Self { owner: parsed(owner), tags: 0, favorites: 0, items: vec![] }
    }

    /// Adds a tag.
    pub fn tag(&mut self, tag_id: &str, name: &str, create_time: u64, last_access_time: u64) {
        let tag = Tag {
            tag_id: parsed(tag_id),
            tag_name: name.to_owned(),
            create_time: create_time.into(),
            last_access_time: last_access_time.into(),
        };
        self.items.push(entities::tag_name_reservation(&self.owner, &parsed::<TagName>(name), &tag.tag_id));
        self.items.push(tag.item(&self.owner));
        self.tags += 1;
    }

    /// Adds a favorite with these tags.
    pub fn clip(&mut self, data_id: &str, data_type: DataType, title: &str, clip_time: u64, tags: &[&str]) {
        let favorite = Favorite {
            tag_count: Some(tags.len() as u64),
            tag_ids: tags.iter().map(|tag| parsed(tag)).collect(),
            ..favorite(&self.owner, data_id, data_type, title, clip_time.into())
        };
        let tags = tags.iter().map(|tag| FavoriteTag::new(&favorite, parsed(tag)).item(&self.owner));
        self.items.extend(tags);
        self.items.extend(entities::term_items(&self.owner, &favorite));
        self.items.push(favorite.item(&self.owner));
        self.favorites += 1;
    }

    /// Adds a saved photo of the app.
    pub fn save(&mut self, photo: &PhotoReference, clip_time: EpochMillis) {
        let favorite = Favorite { clip_time, ..Favorite::of_photo(photo) };
        self.items.extend(entities::term_items(&self.owner, &favorite));
        self.items.push(favorite.item(&self.owner));
        self.favorites += 1;
    }

    /// Adds the history of a removed favorite. It expires in the year 2100.
    pub fn unclip(&mut self, data_id: &str, data_type: DataType, title: &str, clip_time: u64, tags: &[&str]) {
        let favorite = favorite(&self.owner, data_id, data_type, title, clip_time.into());
        let tags: BTreeSet<TagId> = tags.iter().map(|tag| parsed(tag)).collect();
        let item = favorite.item(&self.owner);
        self.items.push(entities::history_item(&self.owner, &favorite, item, &tags, 4_102_444_800));
    }

    /// Returns all items, with the counts.
    #[must_use]
    pub fn into_items(mut self) -> Vec<Item> {
        self.items.splice(0..0, self.favorite_count());
        if self.tags > 0 {
            let mut count = Item::from(Key::tag_count(&self.owner));
            count.insert("tags".to_owned(), N(self.tags.to_string()));
            count.insert("deletions".to_owned(), N("0".to_owned()));
            self.items.push(count);
        }
        self.items
    }

    /// Returns the count of the favorites, if there are any.
    #[must_use]
    pub fn favorite_count(&self) -> Option<Item> {
        let mut count = Item::from(Key::favorite_count(&self.owner));
        count.insert("favorites".to_owned(), N(self.favorites.to_string()));
        (self.favorites > 0).then_some(count)
    }

    /// Returns the items that another program would have written, which has only favorites, their
    /// tags and their histories: no terms for the search, no tag name reservations and no counts.
    #[must_use]
    pub fn into_foreign_items(self) -> Vec<Item> {
        let ours = [entities::tag_names_pk(&self.owner), entities::term_pk(&self.owner, "")];
        let is_ours = |item: &Item| {
            let pk = item[FAVORITE_PK].as_s().map(String::as_str).unwrap_or_default();
            ours.iter().any(|ours| pk.starts_with(ours))
        };
        let mut items = self.items;
        items.retain(|item| !is_ours(item));
        for item in &mut items {
            item.remove("tagCount");
            // The tags of a history are those of its favorite.
            if item.get("ttl").is_none() {
                item.remove("tagIds");
            }
        }
        items
    }
}

fn favorite(owner: &Username, data_id: &str, data_type: DataType, title: &str, clip_time: EpochMillis) -> Favorite {
    let data_id: DataId = parsed(data_id);
    Favorite {
        data_type,
        title: title.to_owned(),
        creator_id: Some(owner.to_string()),
        thumbnail_url: Some(format!("https://photos.example.com/{owner}/{data_id}.thumbnail.webp")),
        content_url: Some(format!("https://photos.example.com/{owner}/{data_id}")),
        clip_time,
        tag_count: None,
        tag_ids: BTreeSet::new(),
        data_id,
    }
}
