//! The result of the two Scans: the newest photos and the followers of each author, and what the
//! feeds have of them.

use std::collections::{BTreeSet, HashMap, HashSet};

use shared::entities::{
    BACKFILL, Bell, Delivery, HashtagEntry, Latest, Listing, MAX_LATEST, MAX_UNSEEN, Photo, Picture, PopularPhoto,
    Position, Topic, User, photo_of_sk,
};
use shared::values::{EpochMillis, Hashtag, PhotoId, PictureNumber, ReactionType, Timestamp, Username};

use super::candidate::Candidate;
use super::entity::Entity as FeedEntity;
use super::hashtags::listings;
use super::required::{Times, required};
use crate::audit::agreement::Share;
use crate::audit::finding::{Engaged, HashtagSummaries, PictureOf, UserCount, UserCounts};
use crate::audit::layout::Keys;
use crate::audit::photos::entity::Entity;

/// The state that is kept of each author and each friendship.
#[derive(Debug, Default)]
pub(in crate::audit::photos) struct Expected {
    authors: HashMap<Username, Author>,
    /// The difference of each pull count: the count in the item minus the number of pulls.
    pulls: HashMap<Username, i64>,
    /// The hashtags of each user of whom the feed has no copy.
    followed_hashtags: HashMap<Username, BTreeSet<Hashtag>>,
    /// The pulls and exceptions without their friendship, the other copies of hashtags, the entries of the directory
    /// that are not those of a user, and the popular photos and entries of hashtags of which only one of themselves and
    /// the photo has been found.
    pub(super) candidates: BTreeSet<Candidate>,
    /// The types of reactions of which only one of the engagement and the reaction has been found,
    /// a bit for each.
    engagements: HashMap<Engaged, u8>,
    /// The pictures of which only one of themselves and the vector has been found, with whether
    /// everyone may see them, or whether the vector is in the index.
    vectors: HashSet<(PictureOf, bool)>,
    /// The photos that were made with several pictures and of which only one half has been found.
    several: HashMap<Position, HalfOfSeveral>,
    /// The bell of each user, and the newest notifications in the inbox.
    bells: HashMap<Username, (Bell, BTreeSet<(EpochMillis, Topic)>)>,
    /// The listing of each user, and the number of its entries in the directory.
    listings: HashMap<Username, (Listing, usize)>,
    hashtags: HashMap<Hashtag, FoundHashtag>,
    /// The users who have items and do not exist.
    absent: BTreeSet<Username>,
    /// The number of items, and of those whose user exists.
    pub(in crate::audit::photos) items: Share,
}

/// One half of a photo that was made with several pictures.
#[derive(Debug)]
enum HalfOfSeveral {
    /// Whether everyone may see the photo.
    Photo(bool),
    /// The pictures that have a file, with whether they are shown.
    Pictures(Vec<(PictureNumber, bool)>),
}

/// The summary and the listings of a hashtag that the Scans find.
#[derive(Debug, Default)]
struct FoundHashtag {
    summaries: HashtagSummaries,
    /// The keys of the listings.
    listings: BTreeSet<Keys>,
}

#[derive(Debug, Default)]
struct Author {
    /// The newest photos that followers can see, at most [`MAX_LATEST`].
    photos: BTreeSet<PhotoId>,
    followers: HashMap<Username, Follower>,
    latest: Option<Latest>,
}

#[derive(Debug)]
struct Follower {
    since: Timestamp,
    has_pull: bool,
    has_exception: bool,
    /// The newest photos of the author of which the feed has an entry, a bit for each. The newest
    /// one has the lowest bit.
    entries: u32,
}

const _: () = assert!(BACKFILL <= u32::BITS as usize, "`Follower::entries` has a bit for each photo");

impl Expected {
    /// Adds an item of `quick-photos`.
    pub(in crate::audit::photos) fn add(&mut self, entity: &Entity) {
        self.add_pictures(entity);
        match entity {
            Entity::Photo { photo, .. } => self.add_photo(photo),
            Entity::Friendship { followed, following, since, .. } => {
                let follower = Follower { since: since.clone(), has_pull: false, has_exception: false, entries: 0 };
                self.authors.entry(followed.clone()).or_default().followers.insert(following.clone(), follower);
            }
            Entity::Reaction { reacting: caller, reaction, photo, .. } => {
                if let Ok((owner, photo)) = photo_of_sk(photo) {
                    self.toggle(Engaged { caller: caller.clone(), owner, photo }, bit(*reaction));
                }
            }
            Entity::FollowedHashtags { user, hashtags } if !hashtags.is_empty() => {
                self.followed_hashtags.insert(user.clone(), hashtags.clone());
            }
            Entity::User { user, counts } => {
                self.listings.insert(user.username.clone(), (listing_of(user, counts), 0));
            }
            _ => {}
        }
    }

    fn add_photo(&mut self, photo: &Photo) {
        if let Some(popular) = photo.popular() {
            self.add_popular(popular);
        }
        for entry in photo.hashtag_entries().into_iter().filter(|entry| !entry.has_expired()) {
            let found = self.hashtags.entry(entry.hashtag.clone()).or_default();
            found.summaries.derived = found.summaries.derived.with(&entry, true);
            self.add_hashtag_entry(entry);
        }
        if photo.reaches_followers() {
            let photos = &mut self.authors.entry(photo.username.clone()).or_default().photos;
            photos.insert(photo.id.clone());
            if photos.len() > MAX_LATEST {
                photos.pop_first();
            }
        }
    }

    /// Adds the pictures that have vectors. The Scan returns the two halves of a photo of several in any order.
    fn add_pictures(&mut self, entity: &Entity) {
        let (photo, half) = match entity {
            Entity::Photo { photo, .. } => {
                let position = Position { author: photo.username.clone(), id: photo.id.clone() };
                match photo.picture.as_ref().and_then(Picture::sizes) {
                    _ if photo.pictures.is_some() => (position, HalfOfSeveral::Photo(photo.is_public())),
                    Some(_) => {
                        return self.toggle_vector(PictureOf { photo: position, number: None }, photo.is_public());
                    }
                    None => return,
                }
            }
            Entity::Pictures { username, pictures } => {
                let entries = pictures.entries.iter().filter(|entry| entry.picture.sizes().is_some());
                let entries = entries.map(|entry| (entry.number, entry.shown().is_some()));
                let photo = Position { author: username.clone(), id: pictures.id.clone() };
                (photo, HalfOfSeveral::Pictures(entries.collect()))
            }
            _ => return,
        };
        let (is_public, pictures) = match (self.several.remove(&photo), half) {
            (Some(HalfOfSeveral::Photo(is_public)), HalfOfSeveral::Pictures(pictures))
            | (Some(HalfOfSeveral::Pictures(pictures)), HalfOfSeveral::Photo(is_public)) => (is_public, pictures),
            (_, half) => return drop(self.several.insert(photo, half)),
        };
        for (number, is_shown) in pictures {
            self.toggle_vector(PictureOf { photo: photo.clone(), number: Some(number) }, is_public && is_shown);
        }
    }

    fn add_popular(&mut self, popular: PopularPhoto) {
        if !popular.has_expired() {
            self.toggle_candidate(Candidate::PopularPhoto(popular));
        }
    }

    fn add_hashtag_entry(&mut self, entry: HashtagEntry) {
        if !entry.has_expired() {
            self.toggle_candidate(Candidate::HashtagEntry(entry));
        }
    }

    fn toggle_candidate(&mut self, candidate: Candidate) {
        if !self.candidates.remove(&candidate) {
            self.candidates.insert(candidate);
        }
    }

    fn toggle_vector(&mut self, of: PictureOf, is_public: bool) {
        let vector = (of, is_public);
        if !self.vectors.remove(&vector) {
            self.vectors.insert(vector);
        }
    }

    fn toggle(&mut self, engaged: Engaged, bits: u8) {
        *self.engagements.entry(engaged).or_default() ^= bits;
    }

    /// Adds an item of the table of feeds. All items of `quick-photos` must have been added before.
    pub(super) fn add_to_feeds(&mut self, entity: FeedEntity, has_user: impl Fn(&Username) -> bool) {
        let entity = match entity {
            FeedEntity::HashtagSummary { hashtag, summary } => {
                self.hashtags.entry(hashtag).or_default().summaries.stored = summary;
                return;
            }
            FeedEntity::HashtagListing { hashtag, key } => {
                self.hashtags.entry(hashtag).or_default().listings.insert(key);
                return;
            }
            entity => entity,
        };
        let Some(owner) = owner(&entity) else { return };
        self.items.add(has_user(owner));
        // An account, which may have no profile, can save photos.
        let outlasts_user = matches!(
            &entity,
            FeedEntity::Listed(_) | FeedEntity::HashtagEntry(_) | FeedEntity::PopularPhoto(_) | FeedEntity::Expiring(_)
        ) || matches!(&entity, FeedEntity::Engagement { engagement, .. } if engagement.reactions.is_empty());
        if !has_user(owner) && !outlasts_user {
            self.absent.insert(owner.clone());
            return;
        }
        match entity {
            FeedEntity::Entry { reader, position } => {
                let Some(author) = self.authors.get_mut(&position.author) else { return };
                let Some(follower) = author.followers.get_mut(&reader) else { return };
                let newest = author.photos.iter().rev().take(BACKFILL);
                if let Some((index, _)) = newest.enumerate().find(|(_, photo)| **photo == position.id) {
                    follower.entries |= 1 << index;
                }
            }
            FeedEntity::Pull { reader, author } => {
                *self.pulls.entry(reader.clone()).or_default() -= 1;
                match self.follower(&author, &reader) {
                    Some(follower) => follower.has_pull = true,
                    None => drop(self.candidates.insert(Candidate::Pull { reader, author })),
                }
            }
            FeedEntity::Exception { reader, author } => match self.follower(&author, &reader) {
                Some(follower) => follower.has_exception = true,
                None => drop(self.candidates.insert(Candidate::Exception { reader, author })),
            },
            FeedEntity::PullCount { reader, pulls } => {
                let difference = self.pulls.entry(reader).or_default();
                *difference = difference.wrapping_add(pulls);
            }
            FeedEntity::PulledHashtags { reader, hashtags } => {
                if self.followed_hashtags.remove(&reader).unwrap_or_default() != hashtags {
                    self.candidates.insert(Candidate::PulledHashtags(reader));
                }
            }
            FeedEntity::Engagement { engaged, engagement } => {
                self.toggle(engaged, engagement.reactions.into_iter().map(bit).sum());
            }
            FeedEntity::Latest(latest) => {
                let author = self.authors.entry(latest.author.clone()).or_default();
                author.latest = Some(latest);
            }
            FeedEntity::Notification { user, topic, changed } => {
                let newest = &mut self.bells.entry(user).or_default().1;
                newest.extend(changed.map(|changed| (changed, topic)));
                if newest.len() > MAX_UNSEEN + 1 {
                    newest.pop_first();
                }
            }
            FeedEntity::Bell { user, bell } => self.bells.entry(user).or_default().0 = bell,
            FeedEntity::HashtagSummary { .. }
            | FeedEntity::HashtagListing { .. }
            | FeedEntity::OfUser(_)
            | FeedEntity::Expiring(_)
            | FeedEntity::Uncompared => {}
            FeedEntity::HashtagEntry(entry) => self.add_hashtag_entry(entry),
            FeedEntity::PopularPhoto(popular) => self.add_popular(popular),
            FeedEntity::Vector { of, is_indexed } => self.toggle_vector(of, is_indexed),
            FeedEntity::Listed(entry) => match self.listings.get_mut(&entry.listing.username) {
                Some((listing, found)) if listing.entries().contains(&entry) => *found += 1,
                _ => drop(self.candidates.insert(Candidate::Entry(entry))),
            },
        }
    }

    fn follower(&mut self, author: &Username, reader: &Username) -> Option<&mut Follower> {
        self.authors.get_mut(author)?.followers.get_mut(reader)
    }

    /// Returns the users who have items and do not exist.
    pub(in crate::audit::photos) fn names_without_user(&self) -> impl Iterator<Item = Username> {
        self.absent.iter().cloned()
    }

    /// Returns the engagements that do not have the reactions.
    pub(super) fn engagements(&self) -> impl Iterator<Item = Candidate> {
        let wrong = self.engagements.iter().filter(|(_, bits)| **bits != 0);
        wrong.map(|(engaged, _)| Candidate::Engagement(engaged.clone()))
    }

    /// Returns the users whose bell does not name the new notifications of the inbox.
    pub(super) fn bells(&self) -> impl Iterator<Item = Candidate> {
        let wrong = self.bells.iter().filter(|(user, (bell, newest))| {
            let seen = bell.seen.as_ref().map(Timestamp::millis);
            let is_new = |changed: EpochMillis| seen.is_none_or(|seen| seen < changed);
            let new: BTreeSet<&Topic> = newest
                .iter()
                .filter(|(changed, topic)| is_new(*changed) && !topic.has_expired())
                .map(|(_, topic)| topic)
                .collect();
            let named = bell.topics(user);
            let is_cut = bell.evicted.is_some_and(|evicted| is_new(evicted.into()));
            !is_cut && new != named.iter().collect()
        });
        wrong.map(|(user, _)| Candidate::Bell(user.clone()))
    }

    /// Returns the pictures of which only one of themselves and the vector was found, or the vector
    /// in the wrong place.
    pub(super) fn vectors(&self) -> impl Iterator<Item = Candidate> {
        let pictures: HashSet<&PictureOf> = self.vectors.iter().map(|(of, _)| of).collect();
        pictures.into_iter().cloned().map(Candidate::Vector)
    }

    /// Returns the users who are missing in lists of the directory.
    pub(super) fn directory(&self) -> impl Iterator<Item = Candidate> {
        let missing = self.listings.iter().filter(|(_, (listing, found))| listing.entries().len() > *found);
        missing.map(|(username, _)| Candidate::Listing(username.clone()))
    }

    /// Returns the hashtags whose summary or listings are not those of their photos. `candidates` are those of this.
    pub(super) fn hashtags(&self, candidates: &BTreeSet<Candidate>) -> impl Iterator<Item = Candidate> {
        let mut disputed: HashMap<Hashtag, Vec<HashtagEntry>> = HashMap::new();
        for candidate in candidates {
            if let Candidate::HashtagEntry(entry) = candidate {
                disputed.entry(entry.hashtag.clone()).or_default().push(entry.clone());
            }
        }
        let wrong = self.hashtags.iter().filter(
            |(hashtag, FoundHashtag { summaries: HashtagSummaries { stored, derived }, listings: found })| {
                !stored.agrees_with(derived) || *found != listings(hashtag, stored)
            },
        );
        wrong.map(move |(hashtag, found)| Candidate::Hashtag {
            hashtag: hashtag.clone(),
            summaries: Box::new(found.summaries.clone()),
            disputed: disputed.remove(hashtag).unwrap_or_default(),
        })
    }

    /// Returns the users whose feed has no copy of the hashtags that they follow.
    pub(super) fn pulled_hashtags(&self) -> impl Iterator<Item = Candidate> {
        self.followed_hashtags.keys().cloned().map(Candidate::PulledHashtags)
    }

    /// Returns the pull counts that are not the number of pulls.
    pub(super) fn wrong_counts(&self) -> impl Iterator<Item = Candidate> {
        let wrong = self.pulls.iter().filter(|(_, difference)| **difference != 0);
        wrong.map(|(reader, _)| Candidate::PullCount(reader.clone()))
    }

    /// Returns the followers who lack a pull or entries.
    pub(super) fn followers(&self, times: &Times) -> impl Iterator<Item = Candidate> {
        self.authors.iter().flat_map(move |(name, author)| {
            let lacking = author.followers.iter().filter(move |(_, follower)| author.lacks(follower, times));
            lacking.map(|(reader, _)| Candidate::Follower { reader: reader.clone(), author: name.clone() })
        })
    }

    /// Returns the authors whose `Latest` does not have the newest photos.
    pub(super) fn wrong_latest(&self, times: &Times) -> impl Iterator<Item = Candidate> {
        let wrong = self.authors.iter().filter(move |(_, Author { photos, latest, .. })| match latest {
            Some(latest) => latest.photos != *photos,
            None => photos.first().is_some_and(|photo| photo.time() <= times.settled),
        });
        wrong.map(|(name, _)| Candidate::Latest(name.clone()))
    }

    /// Returns the authors who are being converted since their last photo, which is not a new one.
    pub(super) fn conversions(&self, times: &Times) -> impl Iterator<Item = Candidate> {
        let conversions = self.authors.iter().filter(move |(_, Author { photos, latest, .. })| {
            latest.as_ref().is_some_and(|latest| latest.delivery == Delivery::Converting)
                && photos.last().is_none_or(|photo| photo.time() <= times.settled)
        });
        conversions.map(|(name, _)| Candidate::Conversion(name.clone()))
    }
}

/// Returns the bit of a type of reaction.
fn bit(reaction: ReactionType) -> u8 {
    1 << reaction as u8
}

/// Returns the user whom an item is about, if it is about one.
fn owner(entity: &FeedEntity) -> Option<&Username> {
    Some(match entity {
        FeedEntity::HashtagSummary { .. } | FeedEntity::HashtagListing { .. } | FeedEntity::Uncompared => return None,
        FeedEntity::HashtagEntry(entry) => &entry.photo.author,
        FeedEntity::PopularPhoto(popular) => &popular.photo.author,
        FeedEntity::Entry { reader, .. }
        | FeedEntity::Pull { reader, .. }
        | FeedEntity::PullCount { reader, .. }
        | FeedEntity::PulledHashtags { reader, .. } => reader,
        FeedEntity::Latest(Latest { author, .. }) | FeedEntity::Exception { author, .. } => author,
        FeedEntity::Engagement { engaged, .. } => &engaged.caller,
        FeedEntity::Listed(entry) => &entry.listing.username,
        FeedEntity::Notification { user, .. }
        | FeedEntity::Bell { user, .. }
        | FeedEntity::OfUser(user)
        | FeedEntity::Expiring(user) => user,
        FeedEntity::Vector { of, .. } => &of.photo.author,
    })
}

/// Returns the listing of a user. A missing count of followers is 0, and so is a negative one.
pub(super) fn listing_of(user: &User, counts: &UserCounts) -> Listing {
    let followers = counts.get(&UserCount::Followers).copied().unwrap_or(0);
    Listing::new(&user.username, &user.name, followers.try_into().unwrap_or(0))
}

impl Author {
    /// Returns whether a follower lacks a pull or an entry.
    fn lacks(&self, follower: &Follower, times: &Times) -> bool {
        let delivery = self.latest.as_ref().map(|latest| latest.delivery).unwrap_or_default();
        if follower.has_pull || delivery == Delivery::Converting {
            return false;
        }
        if delivery == Delivery::Pull && !follower.has_exception {
            return follower.since <= times.settled;
        }
        required(self.photos.iter().rev(), self.latest.as_ref(), &follower.since, times)
            .any(|(index, _)| follower.entries & (1 << index) == 0)
    }
}
