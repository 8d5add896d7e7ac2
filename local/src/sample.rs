//! The sample data: a small world whose counts are right by construction, the same in every run.

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::hash::Hash;
use std::str::FromStr;

use shared::dynamodb::Item;
use shared::model::entity;
use shared::model::photos::{Friendship, Key, Photo, Reaction, User, photo_sk};
use shared::values::{ReactionType, Timestamp, Username};
use time::macros::{datetime, format_description};
use time::{Duration, PrimitiveDateTime};

mod catalogue;
pub mod favorites;

/// The whole sample has as many users, photos, reactions and friendships as the table of a small app.
const USERS: usize = 20;
const PHOTOS: usize = 200;
const REACTIONS: usize = 584;
const FRIENDSHIPS: usize = 163;

/// The logical id of the table of users, photos, reactions and friendships.
pub const QUICK_PHOTOS: &str = "QuickPhotosTable";
/// The logical id of the table of favorites and tags.
pub const FAVORITE: &str = "FavoriteTable";

/// The logical id of the catalogue of songs.
pub const MUSIC: &str = "MusicTable";
/// The logical id of the catalogue of people.
pub const PEOPLE: &str = "PeopleTable";

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

/// A photo is named by its owner and its time.
pub type PhotoId = (Username, Timestamp);

/// Users and what they do. How often something was done is nowhere in here: [`World::items`] counts.
#[derive(Debug, Default)]
pub struct World {
    /// Their `followers` and `following` are 0.
    pub users: Vec<User>,
    /// Who has which photos.
    pub photos: Vec<PhotoId>,
    /// Who reacted to which photo, how and when.
    pub reactions: Vec<(Username, ReactionType, PhotoId, Timestamp)>,
    /// Who follows whom.
    pub friendships: Vec<Friendship>,
}

/// The items of the sample data in the table with this logical id.
#[must_use]
pub fn items(table: &str) -> Vec<Item> {
    match table {
        QUICK_PHOTOS => World::sample().items(),
        FAVORITE => favorites::items(),
        MUSIC => catalogue::songs(),
        PEOPLE => catalogue::people(),
        _ => vec![],
    }
}

/// Of those items, the ones that README, events and tests name.
#[must_use]
pub fn cast(table: &str) -> Vec<Item> {
    match table {
        QUICK_PHOTOS => World::cast().items(),
        _ => items(table),
    }
}

impl World {
    /// The three users that README, events and tests name: ada and ben have two photos each, ben follows ada, and cara, who has no
    /// photo, reacted with a heart to ada's first.
    #[must_use]
    pub fn cast() -> Self {
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
            photos,
            friendships: vec![Friendship {
                followed_user: ada,
                following_user: ben,
                timestamp: parsed("2024-06-01T08:00:00"),
            }],
        }
    }

    /// The cast, and generated users who keep to themselves, so that what is told of the cast stays true.
    #[must_use]
    pub fn sample() -> Self {
        let mut world = Self::cast();
        let mut random = Random(2024);
        let newcomers: Vec<Username> =
            NAMES.iter().map(|name| parsed(&name[..name.find(' ').unwrap_or(name.len())].to_lowercase())).collect();

        let mut taken = Vec::new();
        let mut known = HashSet::new();
        for index in 0..PHOTOS - world.photos.len() {
            // Everyone has one at least, to pin.
            let owner = newcomers.get(index).unwrap_or_else(|| random.one_of(&newcomers));
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
            let (reacting, reaction) = (random.one_of(&newcomers), *random.one_of(ReactionType::ALL));
            if reacting != owner && known.insert(Key::reaction(reacting, reaction, owner, name)) {
                let at = timestamp(*at + Duration::seconds(60 + random.below(40 * 24 * 3600)));
                world.reactions.push((reacting.clone(), reaction, (owner.clone(), name.clone()), at));
            }
        }

        let mut known = HashSet::new();
        while world.friendships.len() < FRIENDSHIPS {
            let (followed_user, following_user) =
                (random.one_of(&newcomers).clone(), random.one_of(&newcomers).clone());
            if followed_user != following_user && known.insert((followed_user.clone(), following_user.clone())) {
                let timestamp =
                    timestamp(datetime!(2024-01-01 06:00) + Duration::seconds(random.below(300 * 24 * 3600)));
                world.friendships.push(Friendship { followed_user, following_user, timestamp });
            }
        }

        for (index, (username, name)) in newcomers.into_iter().zip(NAMES).enumerate() {
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
        world
    }

    /// The world as items of the table, with each count being the number of what it counts.
    #[must_use]
    pub fn items(&self) -> Vec<Item> {
        let followers = counts(self.friendships.iter().map(|friendship| &friendship.followed_user));
        let following = counts(self.friendships.iter().map(|friendship| &friendship.following_user));
        let users = self.users.iter().map(|user| {
            let user = User {
                followers: followers.get(&user.username).copied().unwrap_or_default(),
                following: following.get(&user.username).copied().unwrap_or_default(),
                ..user.clone()
            };
            entity::to_item(Key::user(&user.username), &user)
        });
        let reacted = counts(self.reactions.iter().map(|(_, reaction, photo, _)| (photo, *reaction)));
        let photos = self.photos.iter().map(|id| {
            let of_type = |reaction| reacted.get(&(id, reaction)).copied().unwrap_or_default();
            let (username, timestamp) = id;
            let photo = Photo {
                username: username.clone(),
                timestamp: timestamp.clone(),
                location: format!("s3://quick-photos/photos/{username}/{timestamp}.png"),
                reactions: ReactionType::ALL.iter().map(|&reaction| (reaction, of_type(reaction))).collect(),
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
        let friendships = self.friendships.iter().map(|friendship| {
            entity::to_item(Key::friendship(&friendship.followed_user, &friendship.following_user), friendship)
        });
        users
            .chain(photos)
            .chain(reactions)
            .chain(friendships)
            .map(|item| item.expect("an entity is an item"))
            .collect()
    }
}

/// How often each comes up.
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
        followers: 0,
        following: 0,
        attributes: None,
    }
}

fn parsed<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().expect("the sample data follows the rules")
}

fn timestamp(at: PrimitiveDateTime) -> Timestamp {
    parsed(
        &at.format(format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]"))
            .expect("a date has these parts"),
    )
}

/// [SplitMix64](https://prng.di.unimi.it/splitmix64.c). What a library promises about its generators ends with its next release;
/// here only another seed, another list or another order of draws changes the data.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u32) -> i64 {
        (self.next() % u64::from(end)).cast_signed()
    }

    fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[usize::try_from(self.next() % all.len() as u64).unwrap_or(0)]
    }
}

#[cfg(test)]
mod tests;
