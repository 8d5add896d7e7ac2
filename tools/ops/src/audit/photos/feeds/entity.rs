//! The layout of the table of feeds and the entities that its items hold.

use anyhow::{Context, anyhow, bail};
use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::Item;
use shared::entities::{
    DIRECTORY_PREFIX, DirectoryEntry, ENGAGEMENTS_PREFIX, EXCEPTIONS_PREFIX, EXPORT_PREFIX, Engagement, Export,
    FEED_PK, FEED_PREFIX, FEED_SK, HIDDEN_VECTOR, IMPORT_PREFIX, INBOX_PREFIX, Import, InFeed, Key, LATEST_PREFIX,
    Latest, Position, SEEN, Topic, VECTOR, VECTORS_PREFIX, photo_of_vector,
};
use shared::values::Username;

use super::engaged::Engaged;
use crate::audit::layout::{Layout, check_key, key, keys, parse, take_attribute};

/// The layout of the table.
pub(in crate::audit) struct FeedLayout;

impl Layout for FeedLayout {
    const KEY: [&'static str; 2] = [FEED_PK, FEED_SK];
    const INDEXES: &'static [&'static str] = &[];
    const ATTRIBUTES: &'static [&'static str] = &[
        FEED_PK,
        FEED_SK,
        "ttl",
        "pulls",
        "author",
        "photos",
        "delivery",
        "converted",
        "rank",
        "name",
        "username",
        "reactions",
        "saved",
        "id",
        "state",
        "created",
        "updated",
        "of",
        "bytes",
        "reason",
        "claimed",
        "worker",
        "work",
        "subject",
        "favorites",
        "tags",
        "leftOut",
        "reasons",
        "section",
        "page",
        VECTOR,
        HIDDEN_VECTOR,
    ];
    type Entity = Entity;

    fn parse(item: Item) -> anyhow::Result<Entity> {
        parse_entity(item)
    }
}

/// A valid item.
#[derive(Debug)]
pub(in crate::audit) enum Entity {
    Entry {
        reader: Username,
        position: Position,
    },
    Pull {
        reader: Username,
        author: Username,
    },
    PullCount {
        reader: Username,
        pulls: i64,
    },
    Latest {
        latest: Latest,
        /// Whether the item lacks the attribute `author`, which the key tells.
        lacks_author: bool,
    },
    Exception {
        reader: Username,
        author: Username,
    },
    Engagement {
        engaged: Engaged,
        engagement: Engagement,
    },
    Listed(DirectoryEntry),
    /// The vector of a photo. The audit does not compare its elements.
    Vector {
        photo: Position,
        /// Whether it is in the index.
        is_indexed: bool,
    },
    /// A notification, or the time up to which the user has seen the inbox.
    Inbox {
        user: Username,
    },
    Export {
        user: Username,
    },
    Import {
        user: Username,
    },
}

pub(super) fn parse_entity(mut item: Item) -> anyhow::Result<Entity> {
    let keys = keys::<FeedLayout>(&item);
    let (pk, sk) = &keys;
    if let Some(reader) = pk.strip_prefix(FEED_PREFIX) {
        let reader = username(reader)?;
        if Item::from(Key::pull_count(&reader)) == key::<FeedLayout>(keys.clone()) {
            let pulls = take_attribute(&mut item, "pulls")?.context("pulls is missing")?;
            return Ok(Entity::PullCount { reader, pulls });
        }
        return match InFeed::from_item(&item) {
            Ok(InFeed::Entry(position)) => {
                take_attribute::<u64>(&mut item, "ttl")?.context("it never expires, because ttl is missing")?;
                Ok(Entity::Entry { reader, position })
            }
            Ok(InFeed::Pull(author)) => Ok(Entity::Pull { reader, author }),
            Err(_) => bail!("its sort key is neither that of an entry nor that of a pull"),
        };
    }
    if let Some(author) = pk.strip_prefix(EXCEPTIONS_PREFIX) {
        return Ok(Entity::Exception { author: username(author)?, reader: username(sk)? });
    }
    if let Some(author) = pk.strip_prefix(LATEST_PREFIX) {
        let author = username(author)?;
        check_key::<FeedLayout>(&keys, Key::latest(&author), "Latest")?;
        let lacks_author = !item.contains_key("author");
        item.entry("author".to_owned()).or_insert_with(|| S(author.to_string()));
        let latest: Latest = parse(item)?;
        if latest.author != author {
            bail!("its author is not that of its key");
        }
        return Ok(Entity::Latest { latest, lacks_author });
    }
    if let Some(caller) = pk.strip_prefix(ENGAGEMENTS_PREFIX) {
        let caller = username(caller)?;
        let (Position { timestamp, author: owner }, engagement) =
            Engagement::from_item(item).map_err(|_| anyhow!("it is no engagement with a photo"))?;
        return Ok(Entity::Engagement { engaged: Engaged { caller, owner, timestamp }, engagement });
    }
    if let Some(list) = pk.strip_prefix(DIRECTORY_PREFIX) {
        let entry = DirectoryEntry { list: list.to_owned(), listing: parse(item)? };
        check_key::<FeedLayout>(&keys, entry.key(), "listing")?;
        return Ok(Entity::Listed(entry));
    }
    if pk.starts_with(VECTORS_PREFIX) {
        let photo = photo_of_vector(&item).map_err(|_| anyhow!("its key is not that of a vector of a photo"))?;
        let is_indexed = item.contains_key(VECTOR);
        if is_indexed == item.contains_key(HIDDEN_VECTOR) {
            bail!("it has both or neither of the attributes {VECTOR} and {HIDDEN_VECTOR}");
        }
        return Ok(Entity::Vector { photo, is_indexed });
    }
    if let Some(user) = pk.strip_prefix(INBOX_PREFIX) {
        let user = username(user)?;
        if *sk != SEEN && Topic::parse(sk).is_none() {
            bail!("its sort key is not that of a notification");
        }
        return Ok(Entity::Inbox { user });
    }
    if let Some(user) = pk.strip_prefix(EXPORT_PREFIX) {
        let user = username(user)?;
        check_key::<FeedLayout>(&keys, Key::export(&user), "user's export")?;
        parse::<Export>(item)?;
        return Ok(Entity::Export { user });
    }
    if let Some(user) = pk.strip_prefix(IMPORT_PREFIX) {
        let user = username(user)?;
        check_key::<FeedLayout>(&keys, Key::import(&user), "user's import")?;
        parse::<Import>(item)?;
        return Ok(Entity::Import { user });
    }
    bail!("its key and its attributes match no entity")
}

fn username(text: &str) -> anyhow::Result<Username> {
    text.parse().ok().with_context(|| format!("{text:?} is not a username"))
}
