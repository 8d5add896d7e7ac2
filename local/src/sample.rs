//! The sample data of all tables. It is the same in every run, but for its dates, and every count in
//! it is correct by construction.
//!
//! A small part of it is the seed data: a few fixed items that README, events and tests refer to by
//! name. Everything else has happened in the weeks before the start of the stack.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Debug;
use std::hash::Hash;
use std::str::FromStr;

use aws_sdk_dynamodb::types::AttributeValue::N;
use shared::Error;
use shared::dynamodb::{Item, entity};
use shared::feed::{Engagement, Listing};
use shared::photos::{
    COMMENTS_WRITTEN, Comment, FollowRequest, Friendship, Key, Photo, Picture, PinnedPicture, REQUESTS_SENT, Reaction,
    User, photo_sk,
};
use shared::values::{CommentId, EpochMillis, PhotoReference, ReactionType, Timestamp, Username};
use time::macros::{datetime, format_description};
use time::{Duration, OffsetDateTime};

use self::favorites::Collection;
use self::pictures::{NUMBER_OF_SCENES, Subject};
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
const REACTIONS: usize = 640;
const COMMENTS: usize = 240;
const FRIENDSHIPS: usize = 170;
/// The number of requests to follow ben.
const REQUESTS: usize = 3;
/// The number of photos that each of the first three users has saved.
const SAVED: usize = 9;

/// The start of the stack in tests.
pub const TEST_START: OffsetDateTime = datetime!(2025-01-01 12:00 UTC);

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

/// What people write below a scene.
const COMMENT_TEXTS: [&str; 32] = [
    "Wow",
    "Where is this?",
    "What a light!",
    "I was there last week, and it rained all day",
    "The colors!",
    "Take me with you next time",
    "❤️",
    "Que maravilha!",
    "Which lens is that?",
    "きれい！",
    "Straight onto my wall, if I may",
    "Wie gemalt",
    "This made my Monday",
    "Красота какая",
    "I can hear this picture",
    "Magnifique 👏",
    "How early did you get up for this?",
    "رائع جدا",
    "Second one from the left, obviously",
    "Qué envidia",
    "Nobody tell the tourists",
    "Ne güzel bir ışık",
    "You have to print this one",
    "Zoom in. It is worth it",
    "대박",
    "My grandmother grew up near there",
    "Bellissima!",
    "So that is where you were",
    "I would have walked straight past it",
    "बहुत सुंदर",
    "Is there a bigger version?",
    "真美",
];
/// What people write below a portrait.
const COMMENTS_ON_PORTRAITS: [&str; 8] = [
    "There you are!",
    "Looking good",
    "¡Guapa gente!",
    "That smile 😄",
    "Finally a face to the name",
    "Coucou !",
    "Nice shirt",
    "お元気そう",
];
/// What the owner of a photo answers. `{}` is the author of the comment.
const ANSWERS: [&str; 12] = [
    "Thank you, @{}!",
    "@{} come along next time",
    "Half an hour from the station, @{}",
    "Danke, @{} 😊",
    "@{} a 35 mm, and patience",
    "You should have seen it an hour before, @{}",
    "@{} obrigado!",
    "Ha, @{}, I thought of you",
    "@{} ありがとう",
    "I will send it to you, @{}",
    "@{} pure luck, I promise",
    "Sağ ol @{}",
];

/// The times of the photos of ben that have no pictures.
const PHOTOS_WITHOUT_PICTURES: [&str; 2] = ["2024-06-26T03:59:33", "2024-07-14T10:21:01"];

/// The id of a photo: its owner and its timestamp.
pub type PhotoId = (Username, Timestamp);

/// Users, photos, reactions, comments and friendships without their counts, which [`World::items`] computes.
#[derive(Debug, Default)]
pub struct World {
    /// The users. Their `followers` and `following` are 0, and they have no count of photos.
    pub users: Vec<User>,
    /// The photos. Two of ben have no picture, like photos that are older than the processing of
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
    /// The requests to follow ben, who approves followers.
    pub requests: Vec<FollowRequest>,
    /// The photos that users have saved: the user, the index of the photo and the time.
    pub saved: Vec<(Username, usize, EpochMillis)>,
}

/// Returns the sample data of the table with this logical id, for a stack that starts at this time.
#[must_use]
pub fn items(table: &str, start: OffsetDateTime) -> Vec<Item> {
    World::sample(start).items_of(table)
}

/// Returns the seed data of the table with this logical id. For the catalogues, that is all sample
/// data.
#[must_use]
pub fn seed(table: &str) -> Vec<Item> {
    World::seed().items_of(table)
}

/// Returns the photo whose file lies in the bucket, and that process-photo has not processed. Its
/// owner is not in the seed data.
#[must_use]
pub fn pending() -> PhotoId {
    (parsed("uma"), parsed("2024-12-01T09:00:00.000Z"))
}

/// Returns the request of ada to follow ben, which events name. It is not in the seed data.
#[must_use]
pub fn request() -> FollowRequest {
    FollowRequest { asked_user: parsed("ben"), asking_user: parsed("ada"), timestamp: parsed("2024-06-08T07:15:00") }
}

/// Returns the users of the sample data. The first three have and do more than the others.
#[must_use]
pub fn usernames() -> Vec<Username> {
    let generated = NAMES.iter().map(|name| parsed(&name[..name.find(' ').unwrap_or(name.len())].to_lowercase()));
    World::seed().users.into_iter().map(|user| user.username).chain(generated).collect()
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
            photo(&ben, PHOTOS_WITHOUT_PICTURES[0]),
            photo(&ben, PHOTOS_WITHOUT_PICTURES[1]),
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
            requests: vec![],
            saved: vec![],
        }
    }

    /// Returns the sample data of a stack that starts at this time: the seed data, and 17 further
    /// users. The photos of the seed data get no further reactions and comments.
    #[must_use]
    pub fn sample(start: OffsetDateTime) -> Self {
        let start = start.replace_nanosecond(0).unwrap_or(start);
        let mut world = Self::seed();
        let mut random = Random(2024);
        let names = usernames();
        // The page suggests to sign in as one of the first three, so they do twice as much.
        let active = [&names[..], &names[..3]].concat();
        let taken = world.take_photos(&names, &active, start, &mut random);
        world.add_people(&names, &taken, &mut random);
        world.react(&active, &taken, start, &mut random);
        world.comment(&active, &taken, start, &mut random);
        world.befriend(&active, start, &mut random);
        world.save(&names[..3], &taken, start, &mut random);
        world.ask(&names, start, &mut random);
        world.pending = Some(pending());
        world
    }

    /// Adds a portrait of each user but ada, who has one, and photos of all scenes. Returns them with
    /// their times.
    fn take_photos(
        &mut self,
        names: &[Username],
        active: &[Username],
        start: OffsetDateTime,
        random: &mut Random,
    ) -> Vec<(PhotoId, OffsetDateTime)> {
        let mut taken: Vec<(PhotoId, OffsetDateTime)> = names[1..]
            .iter()
            .map(|name| {
                let at = start - Duration::days(31) - Duration::seconds(random.below(60 * 24 * 3600));
                ((name.clone(), timestamp(at)), at)
            })
            .collect();
        // From new to old, so that the photos of one page show different scenes.
        let scenes = self.photos.len() + taken.len()..PHOTOS;
        let mut ages: Vec<i64> = scenes.clone().map(|_| 15 * 60 + recent(random, 30 * 24 * 3600)).collect();
        ages.sort_unstable();
        let mut known = HashSet::new();
        for (index, age) in scenes.zip(ages) {
            let at = start - Duration::seconds(age);
            let owner = loop {
                let owner = random.one_of(active);
                // Nobody takes a photo of the same scene again, or two at the same time.
                if !known.contains(&(owner, None, Some(at))) && known.insert((owner, Some(subject(index)), None)) {
                    known.insert((owner, None, Some(at)));
                    break owner;
                }
            };
            taken.push(((owner.clone(), timestamp(at)), at));
        }
        self.photos.extend(taken.iter().map(|(photo, _)| photo.clone()));
        taken
    }

    /// Adds the other users, and pins the portrait of each user.
    fn add_people(&mut self, names: &[Username], taken: &[(PhotoId, OffsetDateTime)], random: &mut Random) {
        for (username, name) in names[3..].iter().zip(NAMES) {
            let mut interests: Vec<String> = (0..3).map(|_| (*random.one_of(&INTERESTS)).to_owned()).collect();
            interests.sort();
            interests.dedup();
            let birthdate =
                format!("{}-{:02}-{:02}", 1950 + random.below(58), 1 + random.below(12), 1 + random.below(28));
            let address = format!("{} {}\n{}", 1 + random.below(99), random.one_of(&STREETS), random.one_of(&TOWNS));
            let status: &str = random.one_of::<&str>(&STATUSES);
            self.users.push(User { interests, ..user(username, name, &birthdate, &address, status) });
        }
        for (user, ((owner, portrait), _)) in self.users[1..].iter_mut().zip(taken) {
            user.pinned_image = Some(photo_sk(owner, portrait));
        }
    }

    fn react(
        &mut self,
        active: &[Username],
        taken: &[(PhotoId, OffsetDateTime)],
        start: OffsetDateTime,
        random: &mut Random,
    ) {
        let mut known = HashSet::new();
        while self.reactions.len() < REACTIONS {
            let ((owner, name), at) = random.one_of(taken);
            let (reacting, reaction) = (random.one_of(active), *random.one_of(ReactionType::ALL));
            if reacting != owner && known.insert(Key::reaction(reacting, reaction, owner, name)) {
                let at = timestamp(between(random, *at, start));
                self.reactions.push((reacting.clone(), reaction, (owner.clone(), name.clone()), at));
            }
        }
    }

    /// Adds comments. The owners of the photos answer some of them.
    fn comment(
        &mut self,
        active: &[Username],
        taken: &[(PhotoId, OffsetDateTime)],
        start: OffsetDateTime,
        random: &mut Random,
    ) {
        let indexed: Vec<_> = taken.iter().enumerate().collect();
        let mut known = HashSet::new();
        while self.comments.len() < COMMENTS {
            let (index, ((owner, name), at)) = random.one_of(&indexed);
            // The portraits come first.
            let texts = if *index < USERS - 1 { &COMMENTS_ON_PORTRAITS[..] } else { &COMMENT_TEXTS };
            let (author, text) = (random.one_of(active), *random.one_of(texts));
            if author == owner || !known.insert((owner, name, text)) {
                continue;
            }
            let at = between(random, *at, start);
            let photo = (owner.clone(), name.clone());
            self.comments.push((photo.clone(), comment(author, Timestamp::from(at).as_ref(), text)));
            if random.below(3) == 0 && self.comments.len() < COMMENTS {
                let text = random.one_of::<&str>(&ANSWERS).replace("{}", author.as_ref());
                let at = between(random, at, start.min(at + Duration::hours(5)));
                self.comments.push((photo, comment(owner, Timestamp::from(at).as_ref(), &text)));
            }
        }
    }

    fn befriend(&mut self, active: &[Username], start: OffsetDateTime, random: &mut Random) {
        let mut known: HashSet<(Username, Username)> =
            self.friendships.iter().map(|known| (known.followed_user.clone(), known.following_user.clone())).collect();
        // The events of follow-user and accept-follow-request create these friendships.
        known.insert((parsed("ada"), parsed("cara")));
        known.insert((parsed("ben"), parsed("ada")));
        while self.friendships.len() < FRIENDSHIPS {
            let (followed_user, following_user) = (random.one_of(active).clone(), random.one_of(active).clone());
            if followed_user != following_user && known.insert((followed_user.clone(), following_user.clone())) {
                let age = Duration::days(31) + Duration::seconds(random.below(300 * 24 * 3600));
                let timestamp = timestamp(start - age);
                self.friendships.push(Friendship { followed_user, following_user, timestamp });
            }
        }
    }

    /// Lets ben approve followers, and some who do not follow ben ask for it.
    fn ask(&mut self, names: &[Username], start: OffsetDateTime, random: &mut Random) {
        self.users[1].approves_followers = true;
        let ben = &names[1];
        let follows = |name: &Username| {
            self.friendships.iter().any(|known| known.followed_user == *ben && known.following_user == *name)
        };
        for asking_user in names.iter().filter(|name| *name != ben && !follows(name)).take(REQUESTS) {
            let timestamp = timestamp(start - Duration::seconds(recent(random, 7 * 24 * 3600)));
            self.requests.push(FollowRequest { asked_user: ben.clone(), asking_user: asking_user.clone(), timestamp });
        }
    }

    fn save(
        &mut self,
        names: &[Username],
        taken: &[(PhotoId, OffsetDateTime)],
        start: OffsetDateTime,
        random: &mut Random,
    ) {
        let indexed: Vec<_> = taken.iter().enumerate().collect();
        let first = self.photos.len() - taken.len();
        for name in names {
            let mut known = HashSet::new();
            while known.len() < SAVED {
                let (index, ((owner, _), at)) = random.one_of(&indexed);
                if owner != name && known.insert(*index) {
                    let at = between(random, *at, start).unix_timestamp();
                    let at = EpochMillis::from(u64::try_from(at * 1000).unwrap_or(0));
                    self.saved.push((name.clone(), first + index, at));
                }
            }
        }
    }

    /// Returns the caption and the description of the photo at this index.
    fn texts(&self, index: usize) -> (Option<String>, Option<String>) {
        if self.picture(index).is_none() || index == 0 {
            return (None, None);
        }
        let (subject, captions) = (subject(index), subject(index).captions());
        let caption = match subject {
            Subject::Scene(_) => captions[index / NUMBER_OF_SCENES % captions.len()],
            Subject::Portrait(_) => captions[index % captions.len()],
        };
        // Not every photo has a caption.
        let has_caption = index == 1 || !index.is_multiple_of(8);
        (has_caption.then(|| caption.to_owned()), Some(subject.alt_text().to_owned()))
    }

    /// Returns the picture of the photo at this index.
    fn picture(&self, index: usize) -> Option<Picture> {
        let (owner, timestamp) = &self.photos[index];
        let has_none = owner.as_ref() == "ben" && PHOTOS_WITHOUT_PICTURES.contains(&timestamp.as_ref());
        (!has_none).then(|| subject(index).picture())
    }

    fn pinned_picture(&self, user: &User) -> Option<PinnedPicture> {
        let pinned = (user.username.clone(), user.pinned_timestamp()?);
        match self.picture(self.photos.iter().position(|photo| *photo == pinned)?)? {
            Picture::Ready(sizes) => Some(sizes.into()),
            _ => None,
        }
    }

    /// Returns the items of the table with this logical id.
    #[must_use]
    pub fn items_of(&self, table: &str) -> Vec<Item> {
        match table {
            QUICK_PHOTOS => self.items(),
            FAVORITE => self.favorites(),
            FEED => self.feeds(),
            MUSIC => catalogue::songs(),
            PEOPLE => catalogue::people(),
            _ => vec![],
        }
    }

    /// Returns the objects of the bucket of the photos by key. The first call of a process draws the
    /// pictures, unless an earlier process has.
    #[must_use]
    pub fn objects(&self) -> Vec<(String, Object)> {
        let photos = self.photos.iter().enumerate().filter(|(index, _)| self.picture(*index).is_some());
        photos
            .flat_map(|(index, id)| subject(index).objects(id))
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
        for (caller, index, _) in &self.saved {
            engagements.entry((caller, &self.photos[*index])).or_default().saved = true;
        }
        let engagements = engagements
            .into_iter()
            .map(|((caller, (owner, timestamp)), engagement)| engagement.item(caller, owner, timestamp));
        let feeds = feed::items(&self.photos, &self.friendships, FAR_FUTURE);
        feeds.into_iter().chain(engagements).chain(self.directory()).collect()
    }

    /// Returns the items of the table of the favorites: those of the seed data, and the saved photos.
    fn favorites(&self) -> Vec<Item> {
        let mut collections: BTreeMap<Username, Collection> =
            [parsed("ada"), parsed("ben")].into_iter().zip(favorites::seed()).collect();
        for (caller, index, at) in &self.saved {
            let (username, timestamp) = self.photos[*index].clone();
            let collection = collections.entry(caller.clone()).or_insert_with(|| Collection::new(caller.as_ref()));
            collection.save(&PhotoReference { username, timestamp }, subject(*index).alt_text(), *at);
        }
        collections.into_values().flat_map(Collection::into_items).collect()
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
        let asked = counts(self.requests.iter().map(|request| &request.asking_user));
        let users = self.users.iter().map(|user| -> Result<Item, Error> {
            let user = User {
                followers: followers.get(&user.username).copied().unwrap_or_default(),
                following: following.get(&user.username).copied().unwrap_or_default(),
                photos: Some(photos.get(&user.username).copied().unwrap_or_default()),
                pinned_picture: self.pinned_picture(user),
                ..user.clone()
            };
            let mut item = entity::to_item(Key::user(&user.username), &user)?;
            for (counts, name) in [(&written, COMMENTS_WRITTEN), (&asked, REQUESTS_SENT)] {
                if let Some(number) = counts.get(&user.username) {
                    item.insert(name.to_owned(), N(number.to_string()));
                }
            }
            Ok(item)
        });
        let commented = counts(self.comments.iter().map(|(photo, _)| photo));
        let reacted = counts(self.reactions.iter().map(|(_, reaction, photo, _)| (photo, *reaction)));
        let content = (0..self.photos.len()).map(|index| (self.picture(index), self.texts(index)));
        let content = content.chain([(Some(Picture::Pending), (None, None))]);
        let photos =
            self.photos.iter().chain(&self.pending).zip(content).map(|(id, (picture, (caption, alt_text)))| {
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
        let requests = self
            .requests
            .iter()
            .map(|request| entity::to_item(Key::follow_request(&request.asked_user, &request.asking_user), request));
        users
            .chain(photos)
            .chain(reactions)
            .chain(comments)
            .chain(friendships)
            .chain(requests)
            .map(|item| item.expect("an entity can be written as an item"))
            .collect()
    }
}

/// Returns what the photo at this index shows: portraits of the users, and between and after them
/// scenes.
fn subject(index: usize) -> Subject {
    match index {
        1 => Subject::Portrait(0),
        4..23 => Subject::Portrait(index - 3),
        _ => Subject::Scene(index % NUMBER_OF_SCENES),
    }
}

/// Returns a random number below a maximum, more often a small one.
fn recent(random: &mut Random, end: i64) -> i64 {
    let part = random.below(1 << 12);
    end * part * part / (1 << 24)
}

/// Returns a time after one time and before another one, more often soon after the first.
fn between(random: &mut Random, first: OffsetDateTime, last: OffsetDateTime) -> OffsetDateTime {
    let milliseconds = i64::try_from((last - first).whole_milliseconds()).unwrap_or(0);
    first + Duration::milliseconds(1000 + recent(random, milliseconds - 2000))
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
        approves_followers: false,
        creation_id: None,
        subject: None,
        attributes: None,
    }
}

fn parsed<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().expect("the sample data is valid")
}

fn timestamp(at: OffsetDateTime) -> Timestamp {
    parsed(
        &at.format(format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]"))
            .expect("a date has these parts"),
    )
}

#[cfg(test)]
mod tests;
