//! The generated part of the sample data: what 20 users have done in the weeks before the start of
//! the stack.

use std::collections::HashSet;
use std::time::{Duration as StdDuration, SystemTime};

use shared::entities::{
    Comment, Complaint, FollowRequest, Friendship, Key, Like, Mark, Ranking, User, photo_sk, ranked_days,
};
use shared::values::{
    Audience, EpochMillis, MarkedBy, ReactionType, ReportId, ReportReason, SensitiveReason, Timestamp, Username,
};
use time::{Duration, OffsetDateTime};

use super::pictures::Subject;
use super::random::Random;
use super::texts::TEXTS;
use super::world::{
    PhotoKey, World, alerting, blocks, comment, complaints, decisions, devices, followed_hashtags, hidden_hashtag,
    like, links, mark_by_ada, pair, parsed, pending, saved, screens, timestamp, user, usernames,
};

/// The numbers of users, photos, reactions, comments and friendships in the sample data, those of a
/// small app.
pub(super) const USERS: usize = 20;
pub(super) const PHOTOS: usize = 200;
pub(super) const REACTIONS: usize = 640;
pub(super) const COMMENTS: usize = 240;
pub(super) const FRIENDSHIPS: usize = 171;
/// The number of requests to follow ben.
pub(super) const REQUESTS: usize = 3;
/// The types of the reactions. A new type would change whatever is drawn after the first reaction.
const REACTION_TYPES: [ReactionType; 4] =
    [ReactionType::PlusOne, ReactionType::Heart, ReactionType::Smiley, ReactionType::Sunglasses];
/// The number of photos that each of the first three users has saved.
pub(super) const SAVED: usize = 9;

/// A photo and the time at which it was taken.
type Taken = (PhotoKey, OffsetDateTime);

impl World {
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
        world.like(&active, start);
        world.befriend(&active, start, &mut random);
        world.alert();
        world.save(&names[..3], &taken, start, &mut random);
        world.ask(&names, start, &mut random);
        world.blocks = blocks();
        world.complaints = complaints();
        world.decisions = decisions();
        world.links = links();
        world.hidden_hashtags.push(hidden_hashtag());
        // A moderator sees the picture of the photo that is reported.
        world.without_picture.pop();
        world.saved.push(saved());
        world.restrict(&names);
        world.mark_photos(&names, start);
        world.add_pictures(&names);
        world.pending = Some(pending());
        world.devices = devices(start);
        world.screens = screens();
        world.followed_hashtags = followed_hashtags();
        world.rank(start);
        world
    }

    /// Ranks the photos of the last days, as rank-photos does.
    fn rank(&mut self, start: OffsetDateTime) {
        let (now, mut popular) = (Timestamp::from(start), self.popular());
        let days = ranked_days(&now);
        popular.retain(|one| days.iter().any(|day| one.photo.id.as_ref().starts_with(day)));
        self.ranking = Some(Ranking::new(popular, &now));
    }

    /// Adds a portrait of each user but ada, who has one, and photos of all scenes. Returns them.
    fn take_photos(
        &mut self,
        names: &[Username],
        active: &[Username],
        start: OffsetDateTime,
        random: &mut Random,
    ) -> Vec<Taken> {
        let mut taken: Vec<Taken> = names[1..]
            .iter()
            .map(|name| {
                let at = start - Duration::days(31) - Duration::seconds(random.below(60 * 24 * 3600));
                ((name.clone(), timestamp(at).into()), at)
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
                if !known.contains(&(owner, None, Some(at)))
                    && known.insert((owner, Some(Subject::of_photo(index)), None))
                {
                    known.insert((owner, None, Some(at)));
                    break owner;
                }
            };
            taken.push(((owner.clone(), timestamp(at).into()), at));
        }
        self.photos.extend(taken.iter().map(|(photo, _)| photo.clone()));
        taken
    }

    /// Adds the other users, and pins the portrait of each user.
    fn add_people(&mut self, names: &[Username], taken: &[Taken], random: &mut Random) {
        for (username, name) in names[3..].iter().zip(&TEXTS.names) {
            let mut interests: Vec<String> = (0..3).map(|_| random.one_of(&TEXTS.interests).clone()).collect();
            interests.sort();
            interests.dedup();
            let birthdate =
                format!("{}-{:02}-{:02}", 1950 + random.below(58), 1 + random.below(12), 1 + random.below(28));
            let house = 1 + random.below(99);
            let address = format!("{house} {}\n{}", random.one_of(&TEXTS.streets), random.one_of(&TEXTS.towns));
            let status = random.one_of(&TEXTS.statuses);
            self.users.push(User { interests, ..user(username, name, &birthdate, &address, status) });
        }
        for (user, ((owner, portrait), _)) in self.users[1..].iter_mut().zip(taken) {
            user.pinned_image = Some(photo_sk(owner, portrait));
        }
    }

    fn react(&mut self, active: &[Username], taken: &[Taken], start: OffsetDateTime, random: &mut Random) {
        let mut known = HashSet::new();
        while self.reactions.len() < REACTIONS {
            let ((owner, name), at) = random.one_of(taken);
            let (reacting, reaction) = (random.one_of(active), *random.one_of(&REACTION_TYPES));
            if reacting != owner && known.insert(Key::reaction(reacting, reaction, owner, name)) {
                let at = timestamp(between(random, *at, start));
                self.reactions.push((reacting.clone(), reaction, (owner.clone(), name.clone()), at));
            }
        }
    }

    /// Adds comments. The owners of the photos answer some of them.
    fn comment(&mut self, active: &[Username], taken: &[Taken], start: OffsetDateTime, random: &mut Random) {
        let indexed: Vec<_> = taken.iter().enumerate().collect();
        let mut known = HashSet::new();
        while self.comments.len() < COMMENTS {
            let (index, ((owner, name), at)) = random.one_of(&indexed);
            // The portraits come first.
            let texts = if *index < USERS - 1 { &TEXTS.comments_on_portraits } else { &TEXTS.comments_on_scenes };
            let (author, text) = (random.one_of(active), random.one_of(texts));
            if author == owner || !known.insert((owner, name, text)) {
                continue;
            }
            let at = between(random, *at, start);
            let photo = (owner.clone(), name.clone());
            let comment = comment(author, Timestamp::from(at).as_ref(), text);
            let id = comment.id();
            self.comments.push((photo.clone(), comment));
            if random.below(3) == 0 && self.comments.len() < COMMENTS {
                let text = random.one_of(&TEXTS.answers).replace("{}", author.as_ref());
                let at = between(random, at, start.min(at + Duration::hours(5)));
                self.comments.push((photo, Comment::new(id.reply(Timestamp::from(at), owner.clone()), text)));
            }
        }
    }

    /// Lets up to three people like one in three comments.
    fn like(&mut self, active: &[Username], start: OffsetDateTime) {
        // Draws for itself, so that what is drawn after it is what it was without likes.
        let mut random = Random(2026);
        self.likes.push(like());
        let liked = self.comments.iter().skip(World::seed().comments.len()).step_by(3);
        for (photo, comment) in liked {
            let mut known = HashSet::from([&comment.author]);
            for _ in 0..=random.below(3) {
                let liking_user = random.one_of(active);
                if known.insert(liking_user) {
                    let written = SystemTime::UNIX_EPOCH + StdDuration::from_secs(comment.timestamp.seconds());
                    let timestamp = timestamp(between(&mut random, written.into(), start));
                    let like = Like { liking_user: liking_user.clone(), timestamp };
                    self.likes.push((photo.clone(), comment.id(), like));
                }
            }
        }
    }

    fn befriend(&mut self, active: &[Username], start: OffsetDateTime, random: &mut Random) {
        let mut known: HashSet<(Username, Username)> =
            self.friendships.iter().map(|known| (known.followed_user.clone(), known.following_user.clone())).collect();
        // The events of follow-user and accept-follow-request create these friendships. One has alerts.
        known.insert((parsed("ada"), parsed("cara")));
        known.insert((parsed("ben"), parsed("ada")));
        known.insert(pair(&alerting()));
        while self.friendships.len() < FRIENDSHIPS - 1 {
            let (followed_user, following_user) = (random.one_of(active).clone(), random.one_of(active).clone());
            if followed_user != following_user && known.insert((followed_user.clone(), following_user.clone())) {
                let age = Duration::days(31) + Duration::seconds(random.below(300 * 24 * 3600));
                let timestamp = timestamp(start - age);
                self.friendships.push(Friendship { followed_user, following_user, timestamp });
            }
        }
    }

    /// Lets one in 50 friendships have alerts. Adds the friendship of the events, which has alerts.
    fn alert(&mut self) {
        self.friendships.insert(1, alerting());
        let others = self.friendships.iter().skip(1).step_by(50);
        self.alerts = others.map(pair).chain([pair(&alerting())]).collect();
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

    /// Restricts the audience of some photos, but none of the seed data, no portraits, and none of
    /// ada and elif, all of whose photos everyone sees.
    fn restrict(&mut self, names: &[Username]) {
        let portraits = Self::seed().photos.len() + USERS - 1;
        let audience = |(index, (owner, _)): (usize, &PhotoKey)| match index {
            _ if index < portraits || *owner == names[0] || *owner == names[3] => Audience::Everyone,
            _ if index % 8 == 3 => Audience::Followers,
            _ if index % 20 == 6 => Audience::Me,
            _ => Audience::Everyone,
        };
        self.audiences = self.photos.iter().enumerate().map(audience).collect();
    }

    /// Returns the scenes of a user that everyone sees, with their indexes.
    fn scenes_for_everyone(&self, owner: &Username) -> impl Iterator<Item = (usize, &PhotoKey)> {
        let scenes = self.photos.iter().enumerate().skip(Self::seed().photos.len() + USERS - 1);
        scenes.filter(move |(index, (of, _))| of == owner && self.audience(*index).is_everyone())
    }

    /// Marks two photos as sensitive: one by its owner, and one by ada, a moderator, after a complaint.
    fn mark_photos(&mut self, names: &[Username], start: OffsetDateTime) {
        let oldest_of = |owner: &Username| {
            let photos = self.scenes_for_everyone(owner).map(|(_, photo)| photo);
            photos.min_by_key(|(_, id)| id.clone()).cloned().expect("the user has a photo for everyone")
        };
        let (by_owner, by_moderator) = (oldest_of(&names[2]), oldest_of(&names[4]));
        let about = ReportId::Photo(by_moderator.0.clone(), by_moderator.1.clone());
        let reason = SensitiveReason::Medical;
        let time = timestamp(start - Duration::hours(2));
        self.complaints.push(Complaint {
            reporter: names[5].clone(),
            about: about.clone(),
            reason: ReportReason::Other,
            text: Some("I do not want to see this".to_owned()),
            timestamp: timestamp(start - Duration::hours(3)),
        });
        self.decisions.push(mark_by_ada(about, reason, time));
        let marks =
            [(by_owner, SensitiveReason::Spoiler, MarkedBy::Owner), (by_moderator, reason, MarkedBy::Moderator)];
        self.marks = marks.into_iter().map(|(photo, reason, by)| (photo, Mark { reason, by })).collect();
    }

    /// Gives the newest photos of cara, greta and leo that everyone sees further pictures.
    fn add_pictures(&mut self, names: &[Username]) {
        let owners = names.iter().filter(|name| ["cara", "greta", "leo"].contains(&name.as_ref()));
        let newest = owners.filter_map(|owner| self.scenes_for_everyone(owner).next());
        self.several = newest.map(|(index, _)| index).collect();
    }

    fn save(&mut self, names: &[Username], taken: &[Taken], start: OffsetDateTime, random: &mut Random) {
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
