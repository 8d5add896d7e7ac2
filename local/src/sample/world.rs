//! The users, photos and relations of the sample data, and its fixed part, the seed data.

use std::fmt::Debug;
use std::str::FromStr;

use shared::entities::{
    Address, Block, Comment, Complaint, Decision, Device, FollowRequest, FollowedHashtags, Friendship, HashtagDecision,
    Like, Link, Mark, Position, Ranking, Screen, Screens, User, photo_sk,
};
use shared::values::{
    Audience, CommentId, DecisionKind, DeviceId, EpochMillis, HashtagDecisionKind, Level, LockScreen, PhotoId, PushOff,
    ReactionType, ReportId, ReportReason, SensitivePhotos, SensitiveReason, Timestamp, Username,
};
use time::macros::format_description;
use time::{Duration, OffsetDateTime};

use super::texts::TEXTS;
use crate::services::identity::subject;

/// The time at which the pending photo, decisions and the entries of feeds expire: the year 2100.
pub(super) const FAR_FUTURE: u64 = 4_102_444_800;

/// The ids of the photos of ben in the seed data. Events name the second one in a report.
const PHOTOS_OF_BEN: [&str; 2] = ["2024-06-26T03:59:33", "2024-07-14T10:21:01"];

/// The owner and the id of a photo, which name it.
pub type PhotoKey = (Username, PhotoId);

/// Users, photos, reactions, comments and friendships without their counts, which [`World::items`]
/// computes.
#[derive(Debug, Default)]
pub struct World {
    /// The users. Their `followers` and `following` are 0, and they have no count of photos.
    pub users: Vec<User>,
    /// The photos.
    pub photos: Vec<PhotoKey>,
    /// The photos without a picture, like those that another program wrote.
    pub without_picture: Vec<PhotoKey>,
    /// The audiences of the photos, in their order. Those of further photos are for everyone.
    pub audiences: Vec<Audience>,
    /// The photos that are sensitive.
    pub marks: Vec<(PhotoKey, Mark)>,
    /// The indexes of the photos that have several pictures.
    pub several: Vec<usize>,
    /// A photo whose file lies in the bucket, and that process-photo has not processed.
    pub pending: Option<PhotoKey>,
    /// The reactions: the user who reacted, the type, the photo and the time.
    pub reactions: Vec<(Username, ReactionType, PhotoKey, Timestamp)>,
    /// The comments with their photos.
    pub comments: Vec<(PhotoKey, Comment)>,
    /// The friendships.
    pub friendships: Vec<Friendship>,
    /// The friendships whose follower is told of new photos: who is followed, and who follows.
    pub alerts: Vec<(Username, Username)>,
    /// The requests to follow ben, who approves followers.
    pub requests: Vec<FollowRequest>,
    /// The blocks and mutes.
    pub blocks: Vec<Block>,
    /// The complaints, whose reports are open unless there is a decision.
    pub complaints: Vec<Complaint>,
    /// The decisions about the reports, those about the same report in the order of time.
    pub decisions: Vec<Decision>,
    /// The likes of comments, each with the photo and the comment.
    pub likes: Vec<(PhotoKey, CommentId, Like)>,
    /// The links.
    pub links: Vec<Link>,
    /// The decisions that hide hashtags.
    pub hidden_hashtags: Vec<HashtagDecision>,
    /// The ranking of popular photos.
    pub ranking: Option<Ranking>,
    /// The photos that users have saved: the user, the index of the photo and the time.
    pub saved: Vec<(Username, usize, EpochMillis)>,
    /// The users who have asked for an export, whose message was lost. The next request sends it
    /// again.
    pub exports: Vec<Username>,
    /// The users who have asked for an import, and have uploaded no file.
    pub imports: Vec<Username>,
    /// The devices of ada.
    pub devices: Vec<(DeviceId, Device)>,
    /// The live screens of ada.
    pub screens: Screens,
    /// The hashtags that users follow.
    pub followed_hashtags: Vec<(Username, FollowedHashtags)>,
}

/// Returns the photo whose file lies in the bucket, and that process-photo has not processed. Its
/// owner is not in the seed data.
pub(super) fn pending() -> PhotoKey {
    (parsed("uma"), parsed("2024-12-01T09:00:00.000Z"))
}

/// Returns the request of ada to follow ben, which events name. It is not in the seed data.
pub(super) fn request() -> FollowRequest {
    FollowRequest { asked_user: parsed("ben"), asking_user: parsed("ada"), timestamp: parsed("2024-06-08T07:15:00") }
}

/// Returns the friendship of ada, who is told of new photos of rosa, which events name. It is not in the
/// seed data.
pub(super) fn alerting() -> Friendship {
    Friendship {
        followed_user: parsed("rosa"),
        following_user: parsed("ada"),
        timestamp: parsed("2024-06-07T18:20:00"),
    }
}

/// Returns the block and the mute of uma, which events name. They are not in the seed data.
pub(super) fn blocks() -> Vec<Block> {
    let block = |blocked, level, at| Block {
        blocking_user: parsed("uma"),
        blocked_user: parsed(blocked),
        level,
        timestamp: parsed(at),
    };
    vec![block("rosa", Level::Mute, "2024-06-09T20:10:00"), block("tara", Level::Block, "2024-06-10T21:45:00")]
}

/// Returns the complaints about a photo and a comment of ben, which events name. They are not in
/// the seed data.
pub(super) fn complaints() -> Vec<Complaint> {
    let complaint = |reporter, about: &str, reason, text: &str, at| Complaint {
        reporter: parsed(reporter),
        about: parsed(about),
        reason,
        text: Some(text.to_owned()),
        timestamp: parsed(at),
    };
    let photo = format!("ben~{}", PHOTOS_OF_BEN[1]);
    let comment = "ada~2024-05-30T15:42:38~2024-06-02T18:05:41.250Z~ben";
    vec![
        complaint("rosa", &photo, ReportReason::Spam, "He only sells prints", "2024-07-15T08:00:00.000Z"),
        complaint("uma", &photo, ReportReason::Spam, "The third one this week", "2024-07-15T19:20:00.000Z"),
        complaint("tara", comment, ReportReason::Harassment, "He asks everybody this", "2024-07-16T12:05:00.000Z"),
    ]
}

/// Returns the decisions about the photo of ben: it was dismissed, and the dismissal was taken back. They
/// do not expire, because the sample data is old. They are not in the seed data.
pub(super) fn decisions() -> Vec<Decision> {
    let decision = |decision, moderator, note: &str, at| Decision {
        about: parsed(&format!("ben~{}", PHOTOS_OF_BEN[1])),
        decision,
        reason: None,
        pictures: vec![],
        sensitive: None,
        note: Some(parsed(note)),
        moderator: parsed(moderator),
        moderator_account: parsed(&subject(moderator).to_string()),
        timestamp: parsed(at),
        ttl: FAR_FUTURE,
    };
    vec![
        decision(DecisionKind::Dismiss, "ada", "One photo is no advertising", "2024-07-15T12:00:00.000Z"),
        decision(DecisionKind::Reopen, "tara", "He offers them in the comments", "2024-07-16T09:30:00.000Z"),
    ]
}

/// Returns the like of cara for a comment of ada, which unlike-comment.json takes back. It is not in the
/// seed data.
pub(super) fn like() -> (PhotoKey, CommentId, Like) {
    let like = Like { liking_user: parsed("cara"), timestamp: parsed("2024-06-02T19:02:00.000Z") };
    ((parsed("ada"), parsed("2024-05-30T15:42:38")), parsed("2024-06-02T18:30:12.500Z~ada"), like)
}

/// Returns the decision of ada that a photo is sensitive, which does not expire.
pub(super) fn mark_by_ada(about: ReportId, reason: SensitiveReason, timestamp: Timestamp) -> Decision {
    Decision {
        about,
        decision: DecisionKind::Mark,
        reason: None,
        pictures: vec![],
        sensitive: Some(reason),
        note: None,
        moderator: parsed("ada"),
        moderator_account: parsed(&subject("ada").to_string()),
        timestamp,
        ttl: FAR_FUTURE,
    }
}

/// Returns the links of a photo of ada and of her profile, which events name. They are not in the seed
/// data.
pub(super) fn links() -> Vec<Link> {
    let link = |photo: Option<&str>, token| Link {
        owner: parsed("ada"),
        photo: photo.map(parsed),
        token: parsed(token),
        created: parsed("2024-07-10T09:00:00.000Z"),
        until: None,
        indexed: false,
    };
    vec![link(Some("2024-06-09T13:49:13"), "Zm9yLW9ubHktdGVzdGluZw"), link(None, "cHJvZmlsZS1vZi1hZGEtMQ")]
}

/// Returns the decision that hides a hashtag, which an event names. It does not expire, and is not in the
/// seed data.
pub(super) fn hidden_hashtag() -> HashtagDecision {
    HashtagDecision {
        hashtag: parsed("followback"),
        decision: HashtagDecisionKind::Hide,
        note: Some(parsed("Only people who trade follows use it")),
        moderator: parsed("tara"),
        moderator_account: parsed(&subject("tara").to_string()),
        timestamp: parsed("2024-07-16T08:30:00.000Z"),
        ttl: FAR_FUTURE,
    }
}

/// Returns the photo of ada that cara has saved, which events name. It is not in the seed data.
pub(super) fn saved() -> (Username, usize, EpochMillis) {
    (parsed("cara"), 0, 1_717_401_600_000.into())
}

/// Returns the phone and the tablet of ada, for a stack that starts at this time. None of them is a
/// browser, because nobody has the keys of one.
pub(super) fn devices(start: OffsetDateTime) -> Vec<(DeviceId, Device)> {
    let device = |id, address, locale, age: Duration| {
        let (locale, app_version) = (Some(parsed(locale)), Some(parsed("1.2")));
        (parsed(id), Device { address, locale, app_version, used: (start - age).into() })
    };
    let phone = Address::Apns { token: parsed("740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad") };
    let tablet = Address::Fcm { token: parsed("sample-of-a-token:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx") };
    vec![device("phone", phone, "en-GB", Duration::hours(2)), device("tablet", tablet, "de-AT", Duration::days(3))]
}

/// Returns the screens of ada, of which the second one has the ticket of connect-screen.json. They were used in
/// the future, so that the ticket is never too old. They are not in the seed data.
pub(super) fn screens() -> Screens {
    let screen = |ticket| Screen { ticket, connection: None, photo: None, used: parsed("2999-01-01T00:00:00.000Z") };
    let (first, second) = (screen(None), screen(Some(parsed("Zm9yLW9ubHktdGVzdGluZw"))));
    let ttl = first.ttl();
    Screens {
        screens: [(parsed("window-1"), first), (parsed("window-2"), second)].into(),
        revision: 1,
        ttl,
        told: None,
    }
}

/// Returns the hashtags that cara and tara follow. Events list the former and end one of them. They are not in the
/// seed data.
pub(super) fn followed_hashtags() -> Vec<(Username, FollowedHashtags)> {
    let follows = |user, hashtags: &[&str]| {
        (parsed(user), FollowedHashtags { hashtags: hashtags.iter().map(|hashtag| parsed(hashtag)).collect() })
    };
    vec![follows("cara", &["coffee", "selfie"]), follows("tara", &["selfie"])]
}

/// Returns a ranking of these photos that does not expire, because they are old. It is not in the seed data.
fn ranking(photos: &[PhotoKey]) -> Ranking {
    let position = |(author, id): &PhotoKey| Position { id: id.clone(), author: author.clone() };
    let photos = photos.iter().map(position).collect();
    Ranking { minute: "2024-07-20T06:30".to_owned(), photos, ttl: FAR_FUTURE }
}

/// Returns the users of the sample data. The first three have and do more than the others.
#[must_use]
pub fn usernames() -> Vec<Username> {
    let generated = TEXTS.names.iter().map(|name| parsed(&name[..name.find(' ').unwrap_or(name.len())].to_lowercase()));
    World::seed().users.into_iter().map(|user| user.username).chain(generated).collect()
}

impl World {
    /// Returns the seed data: the users ada, ben and cara. Ada and ben have two photos each, and
    /// ben follows ada. Cara, who has no photo, reacted with a heart to ada's first one. Ben has
    /// written a comment on it, and ada an answer.
    #[must_use]
    pub fn seed() -> Self {
        let (ada, ben, cara) = (parsed::<Username>("ada"), parsed::<Username>("ben"), parsed::<Username>("cara"));
        let photo = |username: &Username, timestamp| (username.clone(), parsed(timestamp));
        let photos = vec![
            photo(&ada, "2024-05-30T15:42:38"),
            photo(&ada, "2024-06-09T13:49:13"),
            photo(&ben, PHOTOS_OF_BEN[0]),
            photo(&ben, PHOTOS_OF_BEN[1]),
        ];
        let pinned = |(username, id): &PhotoKey| Some(photo_sk(username, id));
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
            without_picture: photos[2..].to_vec(),
            photos,
            exports: vec![ben.clone()],
            imports: vec![ben.clone()],
            devices: devices(OffsetDateTime::now_utc()),
            friendships: vec![Friendship {
                followed_user: ada,
                following_user: ben,
                timestamp: parsed("2024-06-01T08:00:00"),
            }],
            ..Self::default()
        }
    }
}

impl World {
    /// Returns the data that the events name: the seed data, and what else the sample data has of
    /// it.
    #[must_use]
    pub fn of_events() -> Self {
        let seed = Self::seed();
        let others = ["uma", "rosa", "tara"].map(|name| user(&parsed(name), name, "1990-01-01", "", ""));
        Self {
            users: seed.users.into_iter().chain(others).collect(),
            pending: Some(pending()),
            friendships: seed.friendships.into_iter().chain([alerting()]).collect(),
            alerts: vec![pair(&alerting())],
            requests: vec![request()],
            blocks: blocks(),
            complaints: complaints(),
            decisions: decisions(),
            likes: vec![like()],
            links: links(),
            hidden_hashtags: vec![hidden_hashtag()],
            ranking: Some(ranking(&seed.photos)),
            saved: vec![saved()],
            screens: screens(),
            followed_hashtags: followed_hashtags(),
            ..seed
        }
    }
}

/// Returns who is followed, and who follows.
pub(super) fn pair(friendship: &Friendship) -> (Username, Username) {
    (friendship.followed_user.clone(), friendship.following_user.clone())
}

/// Returns a comment.
pub(super) fn comment(author: &Username, at: &str, text: &str) -> Comment {
    Comment::new(CommentId::new(parsed(at), author.clone()), text.to_owned())
}

/// Returns a user without a count.
pub(super) fn user(username: &Username, name: &str, birthdate: &str, address: &str, status: &str) -> User {
    User {
        email: Some(format!("{username}@example.com")),
        birthdate: Some(birthdate.to_owned()),
        address: Some(address.to_owned()),
        status: Some(status.to_owned()),
        ..plain_user(username, name)
    }
}

/// Returns a user with nothing but a name.
#[must_use]
pub fn plain_user(username: &Username, name: &str) -> User {
    User {
        username: username.clone(),
        name: name.to_owned(),
        email: None,
        birthdate: None,
        address: None,
        status: None,
        interests: vec![],
        pinned_image: None,
        pinned_picture: None,
        followers: 0,
        following: 0,
        photos: None,
        uploads: None,
        approves_followers: false,
        default_audience: Audience::Everyone,
        push_off: PushOff::default(),
        quiet_hours: None,
        lock_screen: LockScreen::Everything,
        sensitive_photos: SensitivePhotos::default(),
        creation_id: None,
        subject: None,
        attributes: None,
    }
}

/// Parses a value of the sample data, which is valid.
pub(super) fn parsed<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().expect("the sample data is valid")
}

/// Returns the time in whole seconds.
pub(super) fn timestamp(at: OffsetDateTime) -> Timestamp {
    parsed(
        &at.format(format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]"))
            .expect("a date has these parts"),
    )
}
