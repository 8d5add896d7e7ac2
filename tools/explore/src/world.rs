//! The data with which every schedule begins, and the values that requests can name.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result};
use aws_sdk_dynamodb::types::AttributeValue;
use clap::ValueEnum;
use local::sample::favorites::Collection;
use local::sample::{self, FAVORITE, FEED, QUICK_PHOTOS};
use local::template::Template;
use local::template::cloudformation::Parameters;
use serde_json::Value;
use shared::document;
use shared::dynamodb::{Item, entity};
use shared::entities::{
    Address, Block, Comment, Complaint, Device, FollowRequest, Friendship, Key, Kind, Link, Pictures, Screen, Screens,
    User, Watcher, mark_alerts,
};
use shared::values::{
    CommentId, DataType, DocumentFormat, Level, PhotoId, PhotoReference, ReactionType, ReportReason, ScreenId,
    Timestamp, Username,
};

use crate::screen::TICKET;

/// The data with which a schedule begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum)]
pub(crate) enum World {
    /// Data that this program wrote.
    Own,
    /// The same, but another program wrote the favorites: without name reservations, and without
    /// counts of tags. The audit has counted the favorites themselves, because it reports a missing
    /// count of them in every state.
    Foreign,
    /// A photo of ada whose file has not been uploaded yet, a link of her profile that ends in 2096, and
    /// the user ben. There are no favorites, so that the deletion of a user is short.
    Pictures,
    /// The same as [`World::Pictures`], but the photo has two pictures, of which no file has been uploaded yet.
    Several,
    /// The same as [`World::Own`] without favorites, but photos and users take more writes than one
    /// item can: the transactions that add a reaction, a comment or a friendship with its count
    /// conflict, until the function gives up. Those of ben do not, so that both ways meet. Cara has
    /// given a reaction before that, which is counted.
    Hot,
    /// Ada has a photo that is ready, and one whose file has not been uploaded yet. The first one and her
    /// profile have a link. Cara follows her, and ben does not. There are no favorites.
    Feeds,
    /// The same as [`World::Feeds`] without links, but no author is pushed: with the first photo, ada becomes one
    /// whom her followers pull.
    Pulled,
    /// Ada approves followers. Cara follows her, and ben has asked to. There are no photos and no
    /// favorites.
    Asked,
    /// The same as [`World::Asked`] with a photo of ada, on which ben has commented. Cara blocks
    /// ben, and mutes ada.
    Blocked,
    /// Ada has deleted a photo, of which the report of ben is left. There are no favorites.
    Reported,
    /// Ada has a photo. She and ben have a phone each. There are no friendships and no favorites.
    Pushed,
    /// Cara follows ada and is told of new photos on her phone, and ben follows ada without alerts. Ada has
    /// a photo whose file has not been uploaded yet. Its id is in the future, so that it is new whenever a
    /// schedule runs. There are no favorites.
    Told,
    /// Ada has a photo to which ben has reacted, so it is popular with one more reaction. Its id is in the
    /// future, so that it is new whenever a schedule runs. There are no friendships and no favorites.
    Ranked,
    /// The same as [`World::Feeds`] without links, but it is ben who follows ada. She, ben and cara have
    /// a window each, which is connected, and those of ben and cara show the photo that is ready. Ben has
    /// a tab with a ticket too, and cara has eight screens more that are not connected.
    Live,
}

/// The values of path parameters and of the fields of bodies, by name. Requests with these values
/// meet on the items of the world.
const VALUES: &[(&str, &[&str])] = &[
    ("username", &["ada", "ben", "cara", "dora"]),
    ("follower", &["ada", "ben"]),
    ("other", &["ben"]),
    ("photo", &["2024-05-30T15:42:38"]),
    ("dataId", &["sunset", "old-map"]),
    ("tagId", &["travel", "family"]),
    ("tagName", &["Travel", "Trips"]),
];

impl World {
    /// Returns the items of all tables, by the name of the table.
    ///
    /// Ada has a photo with a reaction and a comment of ben. They follow each other. She has two
    /// tags, a favorite with one of them, and an unclipped favorite. Cara has an unclipped favorite
    /// and nothing else. Dora does not exist.
    pub(crate) fn items(self, template: &Template) -> Result<Vec<(String, Vec<Value>)>> {
        let with_feeds = |world: sample::World| (world.items(), world.feeds());
        // Without the newest photos of authors, a follow or an unfollow has nothing to do in the feeds.
        let (photos, feeds) = match self {
            Self::Own | Self::Foreign => (photo_of_ada().items(), vec![]),
            Self::Pictures => (pending_photo(), vec![]),
            Self::Several => (pending_photo_of_two(), vec![]),
            Self::Hot => (hot_photo().items(), engagements(&hot_photo())),
            Self::Feeds | Self::Pulled => followed_author(self),
            Self::Asked => (approving_user().items(), vec![]),
            Self::Blocked => (blocks_and_mutes().items(), vec![]),
            Self::Reported => (report_of_deleted_photo().items(), vec![]),
            Self::Pushed => {
                let (photos, feeds) = with_feeds(photo_without_responses());
                (photos, [feeds, vec![phone("ada"), phone("ben")]].concat())
            }
            Self::Told => (alerting_author(), vec![phone("cara")]),
            Self::Ranked => with_feeds(photo_with_a_reaction()),
            Self::Live => {
                let (photos, feeds) = followed_author(self);
                (photos, [feeds, screens()].concat())
            }
        };
        let favorites = match self {
            Self::Own => favorites().map(Collection::into_items).concat(),
            Self::Foreign => favorites()
                .map(|collection| {
                    let count = collection.favorite_count();
                    collection.into_foreign_items().into_iter().chain(count).collect::<Vec<_>>()
                })
                .concat(),
            _ => vec![],
        };
        let mut all = vec![];
        for table in &template.tables {
            let items = match table.logical_id.as_str() {
                QUICK_PHOTOS => photos.clone(),
                FEED => feeds.clone(),
                FAVORITE => favorites.clone(),
                other => sample::seed(other),
            };
            all.push((table.name.clone(), items.iter().map(json_of).collect::<Result<_>>()?));
        }
        Ok(all)
    }

    /// Returns the parameters of the template that have another value in the world.
    pub(crate) fn parameters(self) -> Parameters {
        let parameter = match self {
            Self::Pulled => Some(("MaxPushedFollowers", "0")),
            Self::Pushed | Self::Told => Some(("PushApplication", "0123456789abcdef0123456789abcdef")),
            _ => None,
        };
        parameter.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// Returns whether the pairs of requests that meet are derived. The scenarios of other worlds are written.
    pub(crate) fn is_derived(self) -> bool {
        matches!(self, Self::Own | Self::Foreign | Self::Asked | Self::Blocked)
    }
}

/// Writes the name of the world in a schedule, such as `own`.
impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_possible_value().map_or(Ok(()), |value| f.write_str(value.get_name()))
    }
}

/// Returns the values that a path parameter or a field of a body can have, if the world has any for
/// it.
pub(crate) fn values(name: &str) -> Option<&'static [&'static str]> {
    VALUES.iter().find(|(other, _)| *other == name).map(|(_, values)| *values)
}

/// Returns the users of the seed data, of whom none has pinned a photo.
fn users_without_pins() -> Vec<User> {
    let mut users = sample::World::seed().users;
    for user in &mut users {
        (user.pinned_image, user.pinned_picture) = (None, None);
    }
    users
}

fn friendship(followed: &str, following: &str) -> Friendship {
    Friendship {
        followed_user: username(followed),
        following_user: username(following),
        timestamp: timestamp("2024-06-01T08:00:00"),
    }
}

fn photo_of_ada() -> sample::World {
    let photo = (username("ada"), photo_id("2024-05-30T15:42:38"));
    sample::World {
        users: sample::World::seed().users,
        photos: vec![photo.clone()],
        reactions: vec![(username("ben"), ReactionType::Heart, photo.clone(), timestamp("2024-06-02T09:30:00"))],
        comments: vec![(photo, comment_of_ben())],
        friendships: vec![friendship("ada", "ben"), friendship("ben", "ada")],
        ..sample::World::default()
    }
}

fn hot_photo() -> sample::World {
    let mut world = photo_of_ada();
    let photo = world.photos[0].clone();
    world.reactions.push((username("cara"), ReactionType::Smiley, photo, timestamp("2024-06-02T09:31:00")));
    world
}

/// Returns what callers did to the photos, without the rest of the table of feeds.
fn engagements(world: &sample::World) -> Vec<Item> {
    let only =
        sample::World { photos: world.photos.clone(), reactions: world.reactions.clone(), ..sample::World::default() };
    only.feeds().into_iter().filter(|item| item.contains_key("reactions")).collect()
}

fn pending_photo() -> Vec<Item> {
    let mut users = sample::World::seed().users;
    users.retain(|user| ["ada", "ben"].contains(&user.username.as_ref()));
    let photo = (username("ada"), photo_id("2024-05-30T15:42:38"));
    let links = vec![link(None, PROFILE_TOKEN, Some("2096-10-02T07:06:40.000Z"))];
    let world = sample::World { users, photos: vec![photo.clone()], links, ..sample::World::default() };
    with_pending(world.items(), &photo)
}

fn pending_photo_of_two() -> Vec<Item> {
    let mut items = pending_photo();
    for photo in items.iter_mut().filter(|item| Kind::Photo.is_of(item)) {
        photo.insert("pictures".to_owned(), AttributeValue::N("2".to_owned()));
    }
    let pictures = Pictures::pending(photo_id("2024-05-30T15:42:38"), [None, None]);
    let key = Key::pictures(&username("ada"), &pictures.id);
    items.push(entity::to_item(key, &pictures).expect("an item"));
    items
}

fn approving_user() -> sample::World {
    let request = FollowRequest {
        asked_user: username("ada"),
        asking_user: username("ben"),
        timestamp: timestamp("2024-06-01T08:00:00"),
    };
    let mut world = sample::World {
        users: users_without_pins(),
        friendships: vec![friendship("ada", "cara")],
        requests: vec![request],
        ..sample::World::default()
    };
    world.users[0].approves_followers = true;
    world
}

fn blocks_and_mutes() -> sample::World {
    let photo = (username("ada"), photo_id("2024-05-30T15:42:38"));
    let block = |blocked, level| Block {
        blocking_user: username("cara"),
        blocked_user: username(blocked),
        level,
        timestamp: timestamp("2024-06-01T08:00:00"),
    };
    sample::World {
        photos: vec![photo.clone()],
        comments: vec![(photo, comment_of_ben())],
        blocks: vec![block("ben", Level::Block), block("ada", Level::Mute)],
        ..approving_user()
    }
}

fn report_of_deleted_photo() -> sample::World {
    let complaint = Complaint {
        reporter: username("ben"),
        about: "ada~2024-05-30T15:42:38".parse().expect("the id of a report"),
        reason: ReportReason::Spam,
        text: None,
        timestamp: timestamp("2024-06-02T09:30:00"),
    };
    sample::World { users: users_without_pins(), complaints: vec![complaint], ..sample::World::default() }
}

fn photo_without_responses() -> sample::World {
    sample::World {
        users: users_without_pins(),
        photos: vec![(username("ada"), photo_id("2024-04-01T12:00:00"))],
        ..sample::World::default()
    }
}

fn photo_with_a_reaction() -> sample::World {
    let photo = (username("ada"), photo_id(NEW_PHOTO));
    let reaction = (username("ben"), ReactionType::Heart, photo.clone(), timestamp("2024-06-02T09:30:00"));
    sample::World { photos: vec![photo], reactions: vec![reaction], ..photo_without_responses() }
}

/// Returns the phone of a user. A token begins with the device and its user.
fn phone(user: &str) -> Item {
    let address = Address::Fcm { token: format!("phone-of-{user}").parse().expect("a token") };
    let device = Device { address, locale: None, app_version: None, used: Timestamp::now() };
    sample::devices(&username(user), &[("phone".parse().expect("an id"), device)])
}

/// The new photo of ada, of which her followers are told, or to which others react.
const NEW_PHOTO: &str = "2999-05-30T15:42:38";

/// Returns the items of an author with two followers, of whom one has alerts.
fn alerting_author() -> Vec<Item> {
    let (ada, photo) = (username("ada"), photo_id(NEW_PHOTO));
    let world = sample::World {
        photos: vec![(ada.clone(), photo.clone())],
        friendships: vec![friendship("ada", "ben"), friendship("ada", "cara")],
        ..photo_without_responses()
    };
    let alerting = Item::from(Key::friendship(&ada, &username("cara")));
    let items = with_pending(world.items(), &(ada.clone(), photo)).into_iter().map(|item| {
        let has_alerts = alerting.iter().all(|(name, value)| item.get(name) == Some(value));
        if has_alerts { mark_alerts(item, &ada) } else { item }
    });
    items.collect()
}

/// Returns the screens of ada, ben and cara, and those among them that show a photo. None expires while
/// the explorer runs.
fn screens() -> Vec<Item> {
    let photo = PhotoReference { username: username("ada"), id: photo_id("2024-04-01T12:00:00") };
    // A ticket is used within a minute, and a window that is lost is forgotten if it was not used lately.
    let (later, lately) = (timestamp("2096-10-02T07:06:40.000Z"), SystemTime::now() - Duration::from_mins(10));
    let of = |user: &str, id: &str| -> (ScreenId, Screen) {
        let connection = (id == "window").then(|| format!("window-of-{user}"));
        let ticket = (id == "tab").then(|| TICKET.parse().expect("a ticket"));
        let photo = (user != "ada" && ["window", "tab"].contains(&id)).then(|| photo.clone());
        let used = if id == "window" { lately.into() } else { later.clone() };
        (id.parse().expect("an id"), Screen { ticket, connection, photo, used })
    };
    let more: Vec<String> = (1..=8).map(|number| format!("screen-{number}")).collect();
    let ids = ["window"].into_iter().chain(more.iter().map(String::as_str));
    let all = [("ada", vec!["window"]), ("ben", vec!["window", "tab"]), ("cara", ids.collect())];
    let items = all.map(|(user, ids)| {
        let screens: BTreeMap<ScreenId, Screen> = ids.into_iter().map(|id| of(user, id)).collect();
        let user = username(user);
        let ttl = screens.values().map(Screen::ttl).max().unwrap_or_default();
        let watchers = screens.iter().filter_map(|(id, screen)| {
            let watcher = Watcher { username: user.clone(), screen: id.clone(), ttl: screen.ttl() };
            Some(entity::to_item(Key::watcher(screen.photo.as_ref()?, &user, id), &watcher).expect("an item"))
        });
        let mut items: Vec<Item> = watchers.collect();
        let screens = Screens { screens, revision: 1, ttl, told: None };
        items.push(entity::to_item(Key::screens(&user), &screens).expect("an item"));
        items
    });
    items.concat()
}

/// The token of the link of ada's profile.
const PROFILE_TOKEN: &str = "cHJvZmlsZS1vZi1hZGEtMQ";

/// Returns a link of a photo of ada, or of her profile.
fn link(photo: Option<&PhotoId>, token: &str, until: Option<&str>) -> Link {
    Link {
        owner: username("ada"),
        photo: photo.cloned(),
        token: token.parse().expect("a token"),
        created: timestamp("2024-06-01T08:00:00"),
        until: until.map(timestamp),
        indexed: false,
    }
}

fn comment_of_ben() -> Comment {
    let id = CommentId::new(timestamp("2024-06-02T18:05:41.250Z"), username("ben"));
    Comment::new(id, "Where is this?".to_owned())
}

/// Returns the items of the tables of photos and of feeds.
fn followed_author(world: World) -> (Vec<Item>, Vec<Item>) {
    let follower = if world == World::Live { "ben" } else { "cara" };
    let ada = username("ada");
    let (pending, ready) = (photo_id("2024-05-30T15:42:38"), photo_id("2024-04-01T12:00:00"));
    let links = match world {
        World::Feeds => vec![link(Some(&ready), "Zm9yLW9ubHktdGVzdGluZw", None), link(None, PROFILE_TOKEN, None)],
        _ => vec![],
    };
    let mut world = sample::World {
        users: sample::World::seed().users,
        photos: vec![(ada.clone(), ready.clone())],
        friendships: vec![friendship("ada", follower)],
        links,
        ..sample::World::default()
    };
    let feeds = world.feeds();
    world.photos.push((ada.clone(), pending.clone()));
    (with_pending(world.items(), &(ada, pending)), feeds)
}

/// Returns items of which the picture of this photo, the only unready one, is pending.
fn with_pending(mut items: Vec<Item>, (owner, id): &sample::PhotoKey) -> Vec<Item> {
    let has_key = |item: &&mut Item, key: &Item| key.iter().all(|(name, value)| item.get(name) == Some(value));
    let user = Item::from(Key::user(owner));
    for item in items.iter_mut().filter(|item| has_key(item, &user)) {
        let uploads = item["uploads"].as_n().ok().and_then(|uploads| uploads.parse::<u64>().ok()).unwrap_or_default();
        item.insert("photos".to_owned(), AttributeValue::N(uploads.saturating_sub(1).to_string()));
    }
    let photo = Item::from(Key::photo(owner, id));
    for item in items.iter_mut().filter(|item| has_key(item, &photo)) {
        item.insert("unready".to_owned(), AttributeValue::Bool(true));
        let status = ("status".to_owned(), AttributeValue::S("pending".to_owned()));
        item.insert("picture".to_owned(), AttributeValue::M([status].into()));
        // In 2096, so that the photo is not overdue.
        item.insert("ttl".to_owned(), AttributeValue::N("4000000000".to_owned()));
    }
    items
}

fn favorites() -> [Collection; 2] {
    let mut ada = Collection::new("ada");
    ada.tag("travel", "Travel", 1_717_200_600_000, 1_717_200_600_000);
    ada.tag("family", "Family", 1_717_201_200_000, 1_717_201_200_000);
    ada.clip("sunset", DataType::Image, "Sunset", 1_717_206_000_000, &["travel"]);
    ada.unclip("old-map", DataType::Image, "Map", 1_717_203_000_000, &["travel"]);
    let mut cara = Collection::new("cara");
    cara.unclip("old-map", DataType::Image, "Map", 1_717_203_000_000, &[]);
    [ada, cara]
}

fn json_of(item: &Item) -> Result<Value> {
    let text = document::write(DocumentFormat::DynamoDb, item).ok().context("an item has a JSON form")?;
    Ok(serde_json::from_str(text.get())?)
}

fn username(text: &str) -> Username {
    text.parse().expect("a username")
}

fn photo_id(text: &str) -> PhotoId {
    text.parse().expect("an id")
}

fn timestamp(text: &str) -> Timestamp {
    text.parse().expect("a timestamp")
}
