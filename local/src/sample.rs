//! The sample data of all tables. It is the same in every run, and every count in it is correct by
//! construction.
//!
//! A small part of it is the seed data: a few fixed items that README, events and tests refer to by
//! name.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Debug;
use std::hash::Hash;
use std::str::FromStr;

use aws_sdk_dynamodb::types::AttributeValue::N;
use shared::Error;
use shared::dynamodb::{Item, entity};
use shared::feed::{Engagement, Listing};
use shared::photos::{
    COMMENTS_WRITTEN, Comment, Friendship, Key, Photo, Picture, PinnedPicture, Reaction, User, photo_sk,
};
use shared::values::{CommentId, ReactionType, Timestamp, Username};
use time::macros::{datetime, format_description};
use time::{Duration, PrimitiveDateTime};

use self::random::Random;
use crate::services::s3::Object;

mod catalogue;
pub mod favorites;
mod feed;
mod pictures;
mod random;

/// The numbers of users, photos, reactions, comments and friendships in the sample data, those of a
/// small app.
const USERS: usize = 20;
const PHOTOS: usize = 200;
const REACTIONS: usize = 584;
const COMMENTS: usize = 160;
const FRIENDSHIPS: usize = 163;

/// The logical id of the table of users, photos, reactions, comments and friendships.
pub const QUICK_PHOTOS: &str = "QuickPhotosTable";
/// The logical id of the table of favorites and tags.
pub const FAVORITE: &str = "FavoriteTable";
/// The logical id of the table of the home feeds.
pub const FEED: &str = "FeedTable";

/// The logical id of the bucket of the photos.
pub const PHOTOS_BUCKET: &str = "PhotosBucket";
/// The logical id of the catalogue of songs.
pub const MUSIC: &str = "MusicTable";
/// The logical id of the catalogue of people.
pub const PEOPLE: &str = "PeopleTable";

/// The name of the bucket of the photos, in the locations of the photos.
const BUCKET: &str = "quick-photos-123456789012";
/// The time at which the pending photo and the entries of feeds expire: the year 2100.
const FAR_FUTURE: u64 = 4_102_444_800;

const NAMES: [&str; USERS - 3] = [
    "Elif Aydin",
    "Femi Adeyemi",
    "Greta Holm",
    "Hiro Tanaka",
    "Ines Duarte",
    "Jonas Weber",
    "Kavya Nair",
    "Leo Rossi",
    "Maja Nowak",
    "Nils Berg",
    "Olga Petrova",
    "Pablo Reyes",
    "Quinn Murphy",
    "Rosa Lima",
    "Sami Haddad",
    "Tara Singh",
    "Uma Patel",
];
const STREETS: [&str; 6] = ["Mill Lane", "Station Road", "Harbour Street", "Park Avenue", "Church Hill", "River Walk"];
const TOWNS: [&str; 6] = ["Ashford", "Brookfield", "Fairview", "Greendale", "Lakeside", "Westbury"];
const STATUSES: [&str; 6] = [
    "Chasing the light",
    "On the road again",
    "Coffee first",
    "Back from the mountains",
    "Analogue only",
    "Away until Monday",
];
const INTERESTS: [&str; 8] = ["portraits", "street", "macro", "travel", "birds", "architecture", "film", "night"];

const CAPTIONS: [&str; 5] = [
    "The last light, and nobody else up here",
    "Worth getting up for.\nThe alarm was at four.",
    "Same place as last year, other weather",
    "On the way back",
    "Film, and a lot of luck",
];
const COMMENT_TEXTS: [&str; 8] = [
    "Wow",
    "Where is this?",
    "What a light!",
    "I was there last week, and it rained all day",
    "The colors!",
    "Is that the old harbour?",
    "Take me with you next time",
    "❤️",
];

/// The id of a photo: its owner and its timestamp.
pub type PhotoId = (Username, Timestamp);

/// Users, photos, reactions, comments and friendships without their counts, which [`World::items`] computes.
#[derive(Debug, Default)]
pub struct World {
    /// The users. Their `followers` and `following` are 0, and they have no count of photos.
    pub users: Vec<User>,
    /// The photos. Those of ben have no picture, like photos that are older than the processing of
    /// pictures.
    pub photos: Vec<PhotoId>,
    /// A photo whose file lies in the bucket, and that process-photo has not processed.
    pub pending: Option<PhotoId>,
    /// The reactions: the user who reacted, the type, the photo and the time.
    pub reactions: Vec<(Username, ReactionType, PhotoId, Timestamp)>,
    /// The comments with their photos.
    pub comments: Vec<(PhotoId, Comment)>,
    /// The friendships.
    pub friendships: Vec<Friendship>,
}

/// Returns the sample data of the table with this logical id.
#[must_use]
pub fn items(table: &str) -> Vec<Item> {
    match table {
        QUICK_PHOTOS => World::sample().items(),
        FAVORITE => favorites::items(),
        FEED => World::sample().feeds(),
        MUSIC => catalogue::songs(),
        PEOPLE => catalogue::people(),
        _ => vec![],
    }
}

/// Returns the objects of the bucket of the photos by key.
#[must_use]
pub fn objects() -> Vec<(String, Object)> {
    World::sample().objects()
}

/// Returns the seed data of the table with this logical id. In all tables but [`QUICK_PHOTOS`] and
/// [`FEED`] that is all sample data.
#[must_use]
pub fn seed(table: &str) -> Vec<Item> {
    match table {
        QUICK_PHOTOS => World::seed().items(),
        FEED => World::seed().feeds(),
        _ => items(table),
    }
}

impl World {
    /// Returns the seed data: the users ada, ben and cara. Ada and ben have two photos each, and ben
    /// follows ada. Cara, who has no photo, reacted with a heart to ada's first one. Ben has written
    /// a comment on it, and ada an answer.
    #[must_use]
    pub fn seed() -> Self {
        let (ada, ben, cara) = (parsed::<Username>("ada"), parsed::<Username>("ben"), parsed::<Username>("cara"));
        let photo = |username: &Username, timestamp| (username.clone(), parsed(timestamp));
        let photos = vec![
            photo(&ada, "2024-05-30T15:42:38"),
            photo(&ada, "2024-06-09T13:49:13"),
            photo(&ben, "2024-06-26T03:59:33"),
            photo(&ben, "2024-07-14T10:21:01"),
        ];
        let pinned = |(username, timestamp): &PhotoId| Some(photo_sk(username, timestamp));
        let mut users = vec![
            user(
                &ada,
                "Ada Marsh",
                "1992-03-14",
                "7 Orchard Row\nAshford, Kent TN24 8AB",
                "Looking for the last light",
            ),
            user(
                &ben,
                "Ben Okafor",
                "1988-11-02",
                "21 Station Road\nWestbury, Wiltshire BA13 3JD",
                "Up before the birds",
            ),
            user(&cara, "Cara Lindqvist", "1997-07-25", "3 Mill Lane\nLakeside, Cumbria LA12 8AT", "Here to look"),
        ];
        let interests = [&["street", "night"][..], &["birds", "travel", "film"], &["portraits"]];
        for (user, interests) in users.iter_mut().zip(interests) {
            user.interests = interests.iter().map(ToString::to_string).collect();
        }
        users[0].pinned_image = pinned(&photos[1]);
        users[1].pinned_image = pinned(&photos[2]);
        Self {
            users,
            reactions: vec![(cara, ReactionType::Heart, photos[0].clone(), parsed("2024-06-02T09:30:00"))],
            comments: vec![
                (photos[0].clone(), comment(&ben, "2024-06-02T18:05:41.250Z", "Where is this, @ada?")),
                (
                    photos[0].clone(),
                    Comment {
                        edited: Some(parsed("2024-06-02T18:31:00.000Z")),
                        ..comment(&ada, "2024-06-02T18:30:12.500Z", "On the pier, @ben, just after nine")
                    },
                ),
            ],
            photos,
            pending: None,
            friendships: vec![Friendship {
                followed_user: ada,
                following_user: ben,
                timestamp: parsed("2024-06-01T08:00:00"),
            }],
        }
    }

    /// Returns the sample data: the seed data and generated users. The generated users do not
    /// interact with those of the seed data, so that the counts of the latter stay the same.
    #[must_use]
    pub fn sample() -> Self {
        let mut world = Self::seed();
        let mut random = Random(2024);
        let generated: Vec<Username> =
            NAMES.iter().map(|name| parsed(&name[..name.find(' ').unwrap_or(name.len())].to_lowercase())).collect();

        let mut taken = Vec::new();
        let mut known = HashSet::new();
        for index in 0..PHOTOS - world.photos.len() {
            // Every user has at least one photo, to pin it.
            let owner = generated.get(index).unwrap_or_else(|| random.one_of(&generated));
            let at = loop {
                let at = datetime!(2024-01-01 06:00) + Duration::seconds(random.below(300 * 24 * 3600));
                if known.insert((owner, at)) {
                    break at;
                }
            };
            taken.push(((owner.clone(), timestamp(at)), at));
        }
        world.photos.extend(taken.iter().map(|(photo, _)| photo.clone()));

        let mut known = HashSet::new();
        while world.reactions.len() < REACTIONS {
            let ((owner, name), at) = random.one_of(&taken);
            let (reacting, reaction) = (random.one_of(&generated), *random.one_of(ReactionType::ALL));
            if reacting != owner && known.insert(Key::reaction(reacting, reaction, owner, name)) {
                let at = timestamp(*at + Duration::seconds(60 + random.below(40 * 24 * 3600)));
                world.reactions.push((reacting.clone(), reaction, (owner.clone(), name.clone()), at));
            }
        }

        let mut known = HashSet::new();
        while world.friendships.len() < FRIENDSHIPS {
            let (followed_user, following_user) =
                (random.one_of(&generated).clone(), random.one_of(&generated).clone());
            if followed_user != following_user && known.insert((followed_user.clone(), following_user.clone())) {
                let timestamp =
                    timestamp(datetime!(2024-01-01 06:00) + Duration::seconds(random.below(300 * 24 * 3600)));
                world.friendships.push(Friendship { followed_user, following_user, timestamp });
            }
        }

        world.pending = Some((parsed("uma"), parsed("2024-12-01T09:00:00.000Z")));
        for (index, (username, name)) in generated.iter().cloned().zip(NAMES).enumerate() {
            let (owner, pinned) = &taken[index].0;
            let mut interests: Vec<String> = (0..3).map(|_| (*random.one_of(&INTERESTS)).to_owned()).collect();
            interests.sort();
            interests.dedup();
            let birthdate =
                format!("{}-{:02}-{:02}", 1950 + random.below(58), 1 + random.below(12), 1 + random.below(28));
            let address = format!("{} {}\n{}", 1 + random.below(99), random.one_of(&STREETS), random.one_of(&TOWNS));
            let status: &str = random.one_of::<&str>(&STATUSES);
            let user = user(&username, name, &birthdate, &address, status);
            world.users.push(User { interests, pinned_image: Some(photo_sk(owner, pinned)), ..user });
        }

        let mut known = HashSet::new();
        while world.comments.len() < COMMENTS {
            let (photo, at) = random.one_of(&taken);
            let (author, text) = (random.one_of(&generated), *random.one_of::<&str>(&COMMENT_TEXTS));
            let at = *at + Duration::milliseconds(60_000 + random.below(5 * 24 * 3_600_000));
            if known.insert((photo, author, at)) {
                let at = Timestamp::from(at.assume_utc());
                world.comments.push((photo.clone(), comment(author, at.as_ref(), text)));
            }
        }
        world
    }

    /// Returns the caption and the description of the photo at this index. Every third one has them.
    fn texts(&self, index: usize) -> Option<(String, String)> {
        let has_texts = index % 3 == 1 && self.photos[index].0.as_ref() != "ben";
        has_texts.then(|| (CAPTIONS[index / 3 % CAPTIONS.len()].to_owned(), pictures::alt_text(index).to_owned()))
    }

    /// Returns the picture of the photo at this index.
    fn picture(&self, index: usize) -> Option<Picture> {
        (self.photos[index].0.as_ref() != "ben").then(|| pictures::picture(index))
    }

    fn pinned_picture(&self, user: &User) -> Option<PinnedPicture> {
        let pinned = (user.username.clone(), user.pinned_timestamp()?);
        match self.picture(self.photos.iter().position(|photo| *photo == pinned)?)? {
            Picture::Ready(sizes) => Some(sizes.into()),
            _ => None,
        }
    }

    /// Returns the objects of the bucket of the photos by key.
    #[must_use]
    pub fn objects(&self) -> Vec<(String, Object)> {
        let photos = self.photos.iter().enumerate().filter(|(index, _)| self.picture(*index).is_some());
        photos
            .flat_map(|(index, id)| pictures::objects(index, id))
            .chain(self.pending.iter().map(pictures::upload))
            .collect()
    }

    /// Returns the items of the table of the feeds.
    #[must_use]
    pub fn feeds(&self) -> Vec<Item> {
        let mut engagements: BTreeMap<(&Username, &PhotoId), Engagement> = BTreeMap::new();
        for (reacting, reaction, photo, _) in &self.reactions {
            engagements.entry((reacting, photo)).or_default().reactions.insert(*reaction);
        }
        let engagements = engagements
            .into_iter()
            .map(|((caller, (owner, timestamp)), engagement)| engagement.item(caller, owner, timestamp));
        let feeds = feed::items(&self.photos, &self.friendships, FAR_FUTURE);
        feeds.into_iter().chain(engagements).chain(self.directory()).collect()
    }

    /// Returns the items of the directory, in which people are searched.
    #[must_use]
    pub fn directory(&self) -> Vec<Item> {
        let followers = counts(self.friendships.iter().map(|friendship| &friendship.followed_user));
        let entries = self.users.iter().flat_map(|User { username, name, .. }| {
            let followers = followers.get(username).copied().unwrap_or_default();
            Listing::of(username, name, followers).entries()
        });
        entries.map(|entry| entry.item().expect("an entry can be written as an item")).collect()
    }

    /// Returns the items of the table, with their counts.
    #[must_use]
    pub fn items(&self) -> Vec<Item> {
        let followers = counts(self.friendships.iter().map(|friendship| &friendship.followed_user));
        let following = counts(self.friendships.iter().map(|friendship| &friendship.following_user));
        let photos = counts(self.photos.iter().chain(&self.pending).map(|(owner, _)| owner));
        let written = counts(self.comments.iter().map(|(_, comment)| &comment.author));
        let users = self.users.iter().map(|user| -> Result<Item, Error> {
            let user = User {
                followers: followers.get(&user.username).copied().unwrap_or_default(),
                following: following.get(&user.username).copied().unwrap_or_default(),
                photos: Some(photos.get(&user.username).copied().unwrap_or_default()),
                pinned_picture: self.pinned_picture(user),
                ..user.clone()
            };
            let mut item = entity::to_item(Key::user(&user.username), &user)?;
            if let Some(number) = written.get(&user.username) {
                item.insert(COMMENTS_WRITTEN.to_owned(), N(number.to_string()));
            }
            Ok(item)
        });
        let commented = counts(self.comments.iter().map(|(photo, _)| photo));
        let reacted = counts(self.reactions.iter().map(|(_, reaction, photo, _)| (photo, *reaction)));
        let content = (0..self.photos.len()).map(|index| (self.picture(index), self.texts(index)));
        let content = content.chain([(Some(Picture::Pending), None)]);
        let photos = self.photos.iter().chain(&self.pending).zip(content).map(|(id, (picture, texts))| {
            let (caption, alt_text) = texts.unzip();
            let of_type = |reaction| reacted.get(&(id, reaction)).copied().unwrap_or_default();
            let (username, timestamp) = id;
            let photo = Photo {
                username: username.clone(),
                timestamp: timestamp.clone(),
                location: match picture {
                    None => format!("s3://quick-photos/photos/{username}/{timestamp}.png"),
                    Some(_) => format!("s3://{BUCKET}/photos/{username}/{timestamp}"),
                },
                reactions: ReactionType::ALL.iter().map(|&reaction| (reaction, of_type(reaction))).collect(),
                comments: commented.get(id).copied().unwrap_or_default(),
                caption,
                alt_text,
                edited: None,
                ttl: (picture == Some(Picture::Pending)).then_some(FAR_FUTURE),
                picture,
            };
            entity::to_item(Key::photo(username, timestamp), &photo)
        });
        let reactions = self.reactions.iter().map(|(reacting, reaction, (owner, name), at)| {
            let entity = Reaction {
                reacting_user: reacting.clone(),
                reaction_type: *reaction,
                photo: photo_sk(owner, name),
                timestamp: at.clone(),
            };
            entity::to_item(Key::reaction(reacting, *reaction, owner, name), &entity)
        });
        let comments = self.comments.iter().map(|((owner, name), comment)| {
            let id = CommentId { timestamp: comment.timestamp.clone(), author: comment.author.clone() };
            entity::to_item(Key::comment(&id, owner, name), comment)
        });
        let friendships = self.friendships.iter().map(|friendship| {
            entity::to_item(Key::friendship(&friendship.followed_user, &friendship.following_user), friendship)
        });
        users
            .chain(photos)
            .chain(reactions)
            .chain(comments)
            .chain(friendships)
            .map(|item| item.expect("an entity can be written as an item"))
            .collect()
    }
}

fn comment(author: &Username, at: &str, text: &str) -> Comment {
    Comment { author: author.clone(), timestamp: parsed(at), text: text.to_owned(), edited: None }
}

/// Counts the occurrences of each value.
fn counts<T: Eq + Hash>(all: impl Iterator<Item = T>) -> HashMap<T, u64> {
    let mut counts = HashMap::new();
    for one in all {
        *counts.entry(one).or_default() += 1;
    }
    counts
}

fn user(username: &Username, name: &str, birthdate: &str, address: &str, status: &str) -> User {
    User {
        username: username.clone(),
        name: name.to_owned(),
        email: Some(format!("{username}@example.com")),
        birthdate: Some(birthdate.to_owned()),
        address: Some(address.to_owned()),
        status: Some(status.to_owned()),
        interests: vec![],
        pinned_image: None,
        pinned_picture: None,
        followers: 0,
        following: 0,
        photos: None,
        creation_id: None,
        subject: None,
        attributes: None,
    }
}

fn parsed<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().expect("the sample data is valid")
}

fn timestamp(at: PrimitiveDateTime) -> Timestamp {
    parsed(
        &at.format(format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]"))
            .expect("a date has these parts"),
    )
}

#[cfg(test)]
mod tests;
