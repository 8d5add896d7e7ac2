//! The layout of the table of feeds and the entities that its items hold.

use std::collections::BTreeSet;

use anyhow::{Context, anyhow, bail};
use shared::dynamodb::{Item, expiry};
use shared::entities::{
    Bell, DEVICE_IDS, DIRECTORY_PREFIX, DirectoryEntry, Engagement, Export, FEED_PK, FEED_SK, HASHTAG, HIDDEN_VECTOR,
    HashtagEntry, HashtagListing, HashtagSummary, Import, InFeed, Key, Kind, Latest, MAX_DEVICES, MAX_SCREENS,
    PopularPhoto, Position, Pushed, Ranking, Screens, Topic, VECTOR, WATCH_PREFIX, Watcher, all_devices,
    photo_of_hashtag_entry, photo_of_vector,
};
use shared::values::{EpochMillis, Hashtag, PhotoReference, Timestamp, Username};

use crate::audit::finding::{Engaged, PictureOf};
use crate::audit::layout::{Keys, Layout, check_key, keys, parse, take_attribute};

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
    PulledHashtags {
        reader: Username,
        hashtags: BTreeSet<Hashtag>,
    },
    Latest(Latest),
    Exception {
        reader: Username,
        author: Username,
    },
    Engagement {
        engaged: Engaged,
        engagement: Engagement,
    },
    Listed(DirectoryEntry),
    HashtagEntry(HashtagEntry),
    HashtagSummary {
        hashtag: Hashtag,
        summary: HashtagSummary,
    },
    /// A listing of this hashtag, with its key.
    HashtagListing {
        hashtag: Hashtag,
        key: Keys,
    },
    PopularPhoto(PopularPhoto),
    /// The vector of a picture. The audit does not compare its elements.
    Vector {
        of: PictureOf,
        /// Whether it is in the index.
        is_indexed: bool,
    },
    Notification {
        user: Username,
        topic: Topic,
        /// The time at which it changed. A notification without events has none.
        changed: Option<EpochMillis>,
    },
    Bell {
        user: Username,
        bell: Bell,
    },
    /// An item of this user that is compared with nothing, and goes with the user.
    OfUser(Username),
    /// An item of this user that is compared with nothing, and may outlast the profile because it soon expires.
    Expiring(Username),
    /// An item of no user that is compared with nothing, because it soon expires.
    Uncompared,
}

impl Layout for Entity {
    const KEY: [&'static str; 2] = [FEED_PK, FEED_SK];
    const INDEXES: &'static [&'static str] = &[];

    fn parse(item: Item) -> anyhow::Result<Self> {
        parse_entity(item)
    }
}

pub(super) fn parse_entity(mut item: Item) -> anyhow::Result<Entity> {
    let keys = keys::<Entity>(&item);
    let (pk, sk) = &keys;
    // The username that follows the prefix of most partition keys.
    let user = || username(pk.split_once('#').map_or("", |(_, user)| user));
    match Kind::of(&item) {
        Some(Kind::PullCount) => {
            let reader = user()?;
            check_key::<Entity>(&keys, Key::pull_count(&reader), "pull count")?;
            let pulls = take_attribute(&mut item, "pulls")?.context("pulls is missing")?;
            Ok(Entity::PullCount { reader, pulls })
        }
        Some(Kind::FeedEntry | Kind::Pull | Kind::PulledHashtags) => {
            let reader = user()?;
            match InFeed::from_item(&item) {
                Ok(InFeed::Entry(position)) => {
                    take_attribute::<u64>(&mut item, "ttl")?.context("it never expires, because ttl is missing")?;
                    Ok(Entity::Entry { reader, position })
                }
                Ok(InFeed::Pull(author)) => Ok(Entity::Pull { reader, author }),
                Ok(InFeed::Hashtags(hashtags)) => Ok(Entity::PulledHashtags { reader, hashtags }),
                Err(_) => bail!("it is neither an entry nor a pull nor the hashtags of a feed"),
            }
        }
        Some(Kind::Exception) => Ok(Entity::Exception { author: user()?, reader: username(sk)? }),
        Some(Kind::Latest) => {
            let author = user()?;
            check_key::<Entity>(&keys, Key::latest(&author), "Latest")?;
            let latest: Latest = parse(item)?;
            if latest.author != author {
                bail!("its author is not that of its key");
            }
            Ok(Entity::Latest(latest))
        }
        Some(Kind::Engagement) => {
            let caller = user()?;
            let (Position { id: photo, author: owner }, engagement) =
                Engagement::from_item(item).map_err(|_| anyhow!("it is no engagement with a photo"))?;
            Ok(Entity::Engagement { engaged: Engaged { caller, owner, photo }, engagement })
        }
        Some(Kind::Listing) => {
            let list = pk.strip_prefix(DIRECTORY_PREFIX).unwrap_or_default().to_owned();
            let entry = DirectoryEntry { list, listing: parse(item)? };
            check_key::<Entity>(&keys, entry.key(), "listing")?;
            Ok(Entity::Listed(entry))
        }
        Some(Kind::HashtagEntry | Kind::HashtagSummary | Kind::HashtagListing) => hashtag_entity(item, keys),
        Some(Kind::PopularPhoto | Kind::Ranking) => popular_entity(item, &keys),
        Some(Kind::Vector) => {
            let (photo, number) =
                photo_of_vector(&item).map_err(|_| anyhow!("its key is not that of a vector of a photo"))?;
            let is_indexed = item.contains_key(VECTOR);
            if is_indexed == item.contains_key(HIDDEN_VECTOR) {
                bail!("it has both or neither of the attributes {VECTOR} and {HIDDEN_VECTOR}");
            }
            Ok(Entity::Vector { of: PictureOf { photo, number }, is_indexed })
        }
        Some(Kind::Notification) => {
            let user = user()?;
            let topic = Topic::parse(sk).context("its sort key is not that of a notification")?;
            let changed: Option<Timestamp> = take_attribute(&mut item, "changed")?;
            take_attribute::<Pushed>(&mut item, "pushed")?;
            Ok(Entity::Notification { user, topic, changed: changed.as_ref().map(Timestamp::millis) })
        }
        Some(Kind::Seen) => {
            let user = user()?;
            check_key::<Entity>(&keys, Key::seen(&user), "bell")?;
            Ok(Entity::Bell { user, bell: parse(item)? })
        }
        Some(Kind::Devices) => {
            let user = user()?;
            check_key::<Entity>(&keys, Key::devices(&user), "user's devices")?;
            check_devices(item)?;
            Ok(Entity::OfUser(user))
        }
        Some(Kind::Screens) => {
            let user = user()?;
            check_key::<Entity>(&keys, Key::screens(&user), "user's screens")?;
            let screens: Screens = parse(item)?;
            if screens.screens.len() > MAX_SCREENS {
                bail!("it has {} screens, but the maximum is {MAX_SCREENS}", screens.screens.len());
            }
            Ok(Entity::OfUser(user))
        }
        Some(Kind::Watcher | Kind::Told) => watched(item, &keys),
        Some(Kind::Export) => {
            let user = user()?;
            check_key::<Entity>(&keys, Key::export(&user), "user's export")?;
            parse::<Export>(item)?;
            Ok(Entity::Expiring(user))
        }
        Some(Kind::Import) => {
            let user = user()?;
            check_key::<Entity>(&keys, Key::import(&user), "user's import")?;
            parse::<Import>(item)?;
            Ok(Entity::Expiring(user))
        }
        _ => bail!("its key matches no entity"),
    }
}

/// Checks that an item of devices has exactly the devices of its set of ids.
fn check_devices(mut item: Item) -> anyhow::Result<()> {
    take_attribute::<u64>(&mut item, "ttl")?.context("it never expires, because ttl is missing")?;
    let ids: BTreeSet<String> = take_attribute(&mut item, DEVICE_IDS)?.unwrap_or_default();
    // The cause could have a token, which nobody may read in a report.
    let devices = all_devices(item).map_err(|_| anyhow!("one of its devices is malformed"))?;
    if devices.len() > MAX_DEVICES {
        bail!("it has {} devices, but the maximum is {MAX_DEVICES}", devices.len());
    }
    if devices.iter().map(|(id, _)| id.to_string()).collect::<BTreeSet<_>>() != ids {
        bail!("{DEVICE_IDS} does not have exactly the ids of its devices");
    }
    Ok(())
}

/// Reads what is derived from the hashtags of photos.
fn hashtag_entity(mut item: Item, keys: Keys) -> anyhow::Result<Entity> {
    let (kind, has_expired) = (Kind::of(&item), expiry::has_expired(&item));
    if kind == Some(Kind::HashtagListing) {
        let listing: HashtagListing = parse(item)?;
        if !listing.keys().into_iter().any(|key| keys == self::keys::<Entity>(&key.into())) {
            bail!("its key is not that of a listing of its hashtag");
        }
        let listing = Entity::HashtagListing { hashtag: listing.hashtag, key: keys };
        return Ok(if has_expired { Entity::Uncompared } else { listing });
    }
    take_attribute::<u64>(&mut item, "ttl")?.context("it never expires, because ttl is missing")?;
    let hashtag: Hashtag = take_attribute(&mut item, HASHTAG)?.context("hashtag is missing")?;
    if kind == Some(Kind::HashtagSummary) {
        check_key::<Entity>(&keys, Key::hashtag_summary(&hashtag), "summary of its hashtag")?;
        let summary = Entity::HashtagSummary { hashtag, summary: parse(item)? };
        return Ok(if has_expired { Entity::Uncompared } else { summary });
    }
    let photo = photo_of_hashtag_entry(&item).map_err(|_| anyhow!("its sort key is not that of a photo"))?;
    let entry = HashtagEntry { hashtag, photo };
    check_key::<Entity>(&keys, entry.key(), "entry of its hashtag")?;
    Ok(Entity::HashtagEntry(entry))
}

/// Reads a popular photo or a ranking.
fn popular_entity(mut item: Item, keys: &Keys) -> anyhow::Result<Entity> {
    if Kind::Ranking.is_of(&item) {
        let ranking: Ranking = parse(item)?;
        check_key::<Entity>(keys, Key::ranking(&ranking.minute), "ranking")?;
        return Ok(Entity::Uncompared);
    }
    take_attribute::<u64>(&mut item, "ttl")?.context("it never expires, because ttl is missing")?;
    let popular = PopularPhoto::from_item(&item).map_err(|_| anyhow!("its sort key is not that of a popular photo"))?;
    check_key::<Entity>(keys, Key::popular_photo(&popular), "popular photo")?;
    Ok(Entity::PopularPhoto(popular))
}

/// Reads a watcher of a photo, or the time at which the watchers were last told.
fn watched(mut item: Item, keys: &Keys) -> anyhow::Result<Entity> {
    let photo = keys.0.strip_prefix(WATCH_PREFIX).and_then(|photo| photo.split_once('#'));
    let (owner, id) = photo.context("its partition key is not that of a photo")?;
    let photo = PhotoReference {
        username: username(owner)?,
        id: id.parse().ok().with_context(|| format!("{id:?} is not the id of a photo"))?,
    };
    if Kind::Watcher.is_of(&item) {
        let Watcher { username, screen, .. } = parse(item)?;
        check_key::<Entity>(keys, Key::watcher(&photo, &username, &screen), "watcher")?;
    } else {
        check_key::<Entity>(keys, Key::told(&photo), "photo that was told")?;
        take_attribute::<u64>(&mut item, "ttl")?.context("it never expires, because ttl is missing")?;
    }
    Ok(Entity::Expiring(photo.username))
}

fn username(text: &str) -> anyhow::Result<Username> {
    text.parse().ok().with_context(|| format!("{text:?} is not a username"))
}
