//! The items and objects of the sample data, with their counts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;
use std::iter::successors;

use aws_sdk_dynamodb::types::AttributeValue::{M, N, Ss};
use serde::Serialize;
use shared::dynamodb::{Item, entity};
use shared::entities::{
    BLOCKED_BY, BLOCKS, Bell, COMMENTS_WRITTEN, COMPLAINTS_MADE, Comment, Complaint, DEVICE_IDS, Decision, Device,
    Engagement, Event, Export, Friendship, HashtagDecision, HashtagEntry, HashtagListing, HashtagSummary,
    HiddenHashtag, Import, InInbox, Key, Kind, LINKS, Listed, Listing, MUTES, Mark, Notice, Notification, Photo,
    Picture, Pictures, PinnedPicture, PopularPhoto, Position, REQUESTS_RECEIVED, REQUESTS_SENT, Reaction, Report,
    Topic, User, device_attribute, mark_alerts, mark_muted, notices, photo_from_item, photo_sk, vector_item,
};
use shared::values::{
    Audience, DecisionKind, DeviceId, Hashtag, Level, MarkedBy, PhotoReference, PictureNumber, ReactionType, ReportId,
    ReportState, Timestamp, Username,
};

use super::favorites::{self, Collection};
use super::ids::{FAVORITE, FEED, MUSIC, PEOPLE, QUICK_PHOTOS};
use super::pictures::{Jpegs, NUMBER_OF_SCENES, Subject};
use super::world::{FAR_FUTURE, PhotoKey, World, parsed};
use super::{catalogue, feed};
use crate::services::identity::subject;
use crate::services::s3::Object;

/// The name of the bucket of the photos, in the locations of the photos.
const BUCKET: &str = "quick-photos-123456789012";
/// The time up to which everybody has seen their inbox. Some of it is newer.
const SEEN_UNTIL: &str = "2024-06-02T00:00:00";

/// Returns the item of an entity of the sample data.
fn item(key: impl Into<Item>, entity: &impl Serialize) -> Item {
    entity::to_item(key, entity).expect("an entity can be written as an item")
}

/// Returns the item of an export of which nothing has been written.
fn export(user: &Username) -> Item {
    let created: Timestamp = parsed("2024-07-20T06:30:00.000Z");
    let export = Export {
        id: parsed("01942205-8a10-7c3e-9f52-6b1d0c7e4a93"),
        updated: created.clone(),
        created,
        ttl: FAR_FUTURE,
        ..Export::new(parsed(&subject(user.as_ref()).to_string()))
    };
    item(Key::export(user), &export)
}

/// Returns the item of the devices of a user, of whom there is one at least.
#[must_use]
pub fn devices(user: &Username, devices: &[(DeviceId, Device)]) -> Item {
    let mut all = Item::from(Key::devices(user));
    for (id, device) in devices {
        all.insert(device_attribute(id), M(item(Item::new(), device)));
    }
    all.insert(DEVICE_IDS.to_owned(), Ss(devices.iter().map(|(id, _)| id.to_string()).collect()));
    let ttl = devices.iter().map(|(_, device)| device.ttl()).max().unwrap_or_default();
    all.insert("ttl".to_owned(), N(ttl.to_string()));
    all
}

/// Returns the item of an import whose file has not come.
fn import(user: &Username) -> Item {
    let import = Import {
        id: parsed("01942205-9b21-7d4f-8a63-7c2e1d8f5ba4"),
        created: parsed("2024-07-20T06:30:00.000Z"),
        ttl: FAR_FUTURE,
        ..Import::new(parsed(&subject(user.as_ref()).to_string()))
    };
    item(Key::import(user), &import)
}

impl World {
    /// Returns the caption and the description of the photo at this index.
    fn texts(&self, index: usize) -> (Option<String>, Option<String>) {
        if self.picture(index).is_none() || index == 0 {
            return (None, None);
        }
        let (subject, captions) = (Subject::of_photo(index), Subject::of_photo(index).captions());
        let caption = match subject {
            Subject::Scene(_) => index / NUMBER_OF_SCENES % captions.len(),
            Subject::Portrait(_) => index % captions.len(),
        };
        // Not every photo has a caption.
        let has_caption = index == 1 || !index.is_multiple_of(8);
        (has_caption.then(|| captions[caption].clone()), Some(subject.alt_text().to_owned()))
    }

    /// Returns the pictures of the photo at this index, if it has one, and the numbers of several.
    fn subjects(&self, index: usize) -> Vec<(Option<PictureNumber>, Subject)> {
        let first = Subject::of_photo(index);
        if self.without_picture.contains(&self.photos[index]) {
            return vec![];
        }
        if !self.several.contains(&index) {
            return vec![(None, first)];
        }
        let numbers = successors(Some(PictureNumber::FIRST), |number| number.next());
        numbers.map(Some).zip([first].into_iter().chain(first.others())).collect()
    }

    /// Returns the picture of the photo at this index, of several the first one.
    pub(super) fn picture(&self, index: usize) -> Option<Picture> {
        self.subjects(index).first().map(|(number, subject)| subject.picture(*number))
    }

    /// Returns the pictures of the photo at this index, if it has several.
    fn pictures(&self, index: usize) -> Option<Pictures> {
        self.several.contains(&index).then(|| {
            let subjects = self.subjects(index);
            let alt_texts = subjects.iter().map(|(_, subject)| Some(subject.alt_text().to_owned()));
            let mut pictures = Pictures::pending(self.photos[index].1.clone(), alt_texts);
            for (entry, (number, subject)) in pictures.entries.iter_mut().zip(subjects) {
                entry.picture = subject.picture(number);
            }
            pictures
        })
    }

    /// Returns the number of pictures of the photo at this index, if it has several.
    fn number_of_pictures(&self, index: usize) -> Option<u32> {
        self.pictures(index).map(|pictures| pictures.count())
    }

    /// Returns the items of the pictures of the photos that have several.
    fn all_pictures(&self) -> impl Iterator<Item = Item> {
        let pictures = self.several.iter().filter_map(|index| Some((&self.photos[*index].0, self.pictures(*index)?)));
        pictures.map(|(owner, pictures)| item(Key::pictures(owner, &pictures.id), &pictures))
    }

    /// Returns the audience of the photo at this index.
    pub(super) fn audience(&self, index: usize) -> Audience {
        self.audiences.get(index).copied().unwrap_or_default()
    }

    /// Returns the mark of a photo.
    fn mark_of(&self, photo: &PhotoKey) -> Option<Mark> {
        self.marks.iter().find(|(marked, _)| marked == photo).map(|(_, mark)| *mark)
    }

    fn pinned_picture(&self, user: &User) -> Option<PinnedPicture> {
        let pinned = (user.username.clone(), user.pinned_photo()?);
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

    /// Returns the objects of the bucket of the photos with their keys. The pictures are files of the
    /// project.
    pub fn objects(&self) -> anyhow::Result<Vec<(String, Object)>> {
        let jpegs = Jpegs::read()?;
        let pictures = self
            .photos
            .iter()
            .enumerate()
            .flat_map(|(index, id)| self.subjects(index).into_iter().map(move |picture| (picture, id)));
        let ready = pictures.flat_map(|(picture, id)| jpegs.of_picture(picture, id));
        Ok(ready.chain(self.pending.iter().map(|id| jpegs.upload(id))).collect())
    }

    /// Returns the items of the table of the feeds.
    #[must_use]
    pub fn feeds(&self) -> Vec<Item> {
        let mut engagements: BTreeMap<(&Username, &PhotoKey), Engagement> = BTreeMap::new();
        for (reacting, reaction, photo, _) in &self.reactions {
            engagements.entry((reacting, photo)).or_default().reactions.insert(*reaction);
        }
        for (caller, index, _) in &self.saved {
            engagements.entry((caller, &self.photos[*index])).or_default().saved = true;
        }
        let engagements =
            engagements.into_iter().map(|((caller, (owner, photo)), engagement)| engagement.item(caller, owner, photo));
        let delivered = (0..self.photos.len()).filter(|index| self.audience(*index) != Audience::Me);
        let delivered: Vec<PhotoKey> = delivered.map(|index| self.photos[index].clone()).collect();
        let feeds = feed::items(&delivered, &self.friendships, FAR_FUTURE);
        let feeds = feeds.into_iter().chain(engagements).chain(self.directory()).chain(self.hashtags());
        let feeds = feeds.chain(self.rankings());
        let pulled = self.followed_hashtags.iter().map(|(user, hashtags)| item(Key::pulled_hashtags(user), hashtags));
        feeds
            .chain(pulled)
            .chain(self.inboxes())
            .chain(self.exports.iter().map(export))
            .chain(self.imports.iter().map(import))
            .chain((!self.devices.is_empty()).then(|| devices(&parsed("ada"), &self.devices)))
            .chain((!self.screens.screens.is_empty()).then(|| item(Key::screens(&parsed("ada")), &self.screens)))
            .chain(self.vectors())
            .collect()
    }

    /// Returns the vectors of the pictures.
    fn vectors(&self) -> Vec<Item> {
        let vectors = self.photos.iter().enumerate().flat_map(|(index, (owner, photo))| {
            let is_public = self.audience(index).is_everyone();
            let pictures = self.subjects(index).into_iter();
            pictures.map(move |(number, subject)| vector_item(owner, photo, number, &subject.vector(), is_public))
        });
        vectors.collect()
    }

    /// Returns the inboxes, as process-changes would have made them. If all notifications have expired, because the
    /// world is of 2024, they have days of 2096, which is a leap year too.
    fn inboxes(&self) -> Vec<Item> {
        let items = self.items();
        let told: Vec<Notice> =
            items.iter().flat_map(|item| notices(item).expect("an item of the sample data")).collect();
        let is_past = told.iter().all(|notice| notice.topic.has_expired());
        let mut inboxes: BTreeMap<(Username, Topic), BTreeMap<Event, Timestamp>> = BTreeMap::new();
        for Notice { user, mut topic, event } in told {
            let time = event.time().expect("an event has a time");
            if is_past {
                topic = Topic::new(topic.kind, topic.photo, &parsed(&format!("2096{}", &time.as_ref()[4..])));
            }
            if !topic.has_expired() {
                inboxes.entry((user, topic)).or_default().insert(event, time);
            }
        }
        let mut bells: BTreeMap<Username, Vec<(Topic, InInbox)>> = BTreeMap::new();
        let mut items = vec![];
        for ((user, topic), events) in inboxes {
            let notification = Notification::default().merge(events, &BTreeSet::new()).expect("events");
            let item = notification.item(Key::notification(&user, &topic), topic.expiry());
            items.push(item.expect("a notification can be written as an item"));
            let changed = notification.changed.as_ref().map_or(0.into(), Timestamp::millis);
            let is_shown = self.shows(&user, &topic, &notification.checked_people());
            let state = if is_shown { InInbox::Shown(changed) } else { InInbox::Hidden(changed) };
            bells.entry(user).or_default().push((topic, state));
        }
        items.extend(bells.into_iter().map(|(user, topics)| {
            let seen = SEEN_UNTIL.parse().ok();
            let bell = Bell { seen, ..Bell::default() };
            item(Key::seen(&user), &bell.after(&user, &topics).unwrap_or(bell))
        }));
        items
    }

    /// Returns whether the inbox of a user shows a notification of these people.
    fn shows(&self, user: &Username, topic: &Topic, people: &[Username]) -> bool {
        let has = |blocking: &Username, blocked: &Username, level: Level| {
            let mut blocks = self.blocks.iter().filter(|block| block.level == level);
            blocks.any(|block| block.blocking_user == *blocking && block.blocked_user == *blocked)
        };
        let silences = |person: &Username| {
            has(user, person, Level::Mute) || has(user, person, Level::Block) || has(person, user, Level::Block)
        };
        let sees = |photo: &Position| {
            let id = (photo.author.clone(), photo.id.clone());
            let index = self.photos.iter().position(|other| *other == id);
            let mut friendships = self.friendships.iter();
            photo.author == *user
                || index.is_some_and(|index| match self.audience(index) {
                    Audience::Everyone => !has(&photo.author, user, Level::Block),
                    Audience::Followers => {
                        friendships.any(|one| one.followed_user == photo.author && one.following_user == *user)
                    }
                    Audience::Me => false,
                })
        };
        topic.photo.as_ref().is_none_or(sees) && people.iter().any(|person| !silences(person))
    }

    /// Returns the items of the table of the favorites: those of the seed data, and the saved
    /// photos.
    fn favorites(&self) -> Vec<Item> {
        let mut collections: BTreeMap<Username, Collection> =
            [parsed("ada"), parsed("ben")].into_iter().zip(favorites::seed()).collect();
        for (caller, index, at) in &self.saved {
            let (username, id) = self.photos[*index].clone();
            let collection = collections.entry(caller.clone()).or_insert_with(|| Collection::new(caller.as_ref()));
            collection.save(&PhotoReference { username, id }, *at);
        }
        collections.into_values().flat_map(Collection::into_items).collect()
    }

    /// Returns the items of the directory, in which people are searched.
    #[must_use]
    pub fn directory(&self) -> Vec<Item> {
        let followers = counts(self.friendships.iter().map(|friendship| &friendship.followed_user));
        let entries = self.users.iter().flat_map(|User { username, name, .. }| {
            let followers = followers.get(username).copied().unwrap_or_default();
            Listing::new(username, name, followers).entries()
        });
        entries.map(|entry| entry.item().expect("an entry can be written as an item")).collect()
    }

    /// Returns what is derived from the hashtags of captions. It does not expire.
    fn hashtags(&self) -> Vec<Item> {
        let photos = self.items().into_iter().filter(|item| Kind::Photo.is_of(item));
        let photos = photos.filter_map(|item| photo_from_item(item).expect("a photo of the sample data"));
        let of_photo = |photo: Photo| photo.hashtag_entries().into_iter().map(move |entry| (entry, photo.imported));
        let entries: Vec<(HashtagEntry, bool)> = photos.flat_map(of_photo).collect();
        let mut summaries: BTreeMap<&Hashtag, HashtagSummary> = BTreeMap::new();
        for (entry, _) in &entries {
            let summary = summaries.entry(&entry.hashtag).or_default();
            *summary = summary.with(entry, true);
        }
        let mut items: Vec<Item> = entries.iter().map(|(entry, is_imported)| entry.item(*is_imported)).collect();
        for (hashtag, summary) in summaries {
            items.push(summary.item(hashtag).expect("a summary can be written as an item"));
            let Some(Listed { rank, month }) = summary.listed else { continue };
            let listing = HashtagListing { rank, hashtag: hashtag.clone() };
            items.extend(listing.items(&month).expect("a listing can be written as items"));
        }
        for item in &mut items {
            item.insert("ttl".to_owned(), N(FAR_FUTURE.to_string()));
        }
        items
    }

    /// Returns the popular photos of the photos.
    pub(super) fn popular(&self) -> Vec<PopularPhoto> {
        let photos = self.items().into_iter().filter(|item| Kind::Photo.is_of(item));
        let photos = photos.filter_map(|item| photo_from_item(item).expect("a photo of the sample data"));
        photos.filter_map(|photo| photo.popular()).collect()
    }

    /// Returns the popular photos that have not expired, and the ranking.
    fn rankings(&self) -> Vec<Item> {
        let popular = self.popular().into_iter().filter(|popular| !popular.has_expired());
        let ranking = self.ranking.iter().map(|ranking| ranking.item().expect("a ranking can be written as an item"));
        popular.map(|popular| popular.item()).chain(ranking).collect()
    }

    /// Returns the reports of the complaints, with their last decisions.
    fn reports(&self) -> Vec<Report> {
        let mut reports: BTreeMap<&ReportId, Report> = BTreeMap::new();
        for Complaint { reporter, about, reason, text, timestamp } in &self.complaints {
            let report = reports.entry(about).or_insert_with(|| Report::new(about.clone(), timestamp.clone()));
            report.complaints += 1;
            *report.reasons.entry(*reason).or_default() += 1;
            report.texts.extend(text.clone().map(|text| (reporter.clone(), text)));
        }
        for Decision { about, decision, reason, sensitive, timestamp, .. } in &self.decisions {
            let Some(report) = reports.get_mut(about) else { continue };
            report.report_state = match decision {
                DecisionKind::Remove => ReportState::Removed,
                DecisionKind::Mark => ReportState::Marked,
                DecisionKind::Dismiss => ReportState::Dismissed,
                DecisionKind::Reopen => ReportState::Open,
            };
            (report.removed_for, report.sensitive) = (*reason, *sensitive);
            report.decided = Some(timestamp.clone());
        }
        reports.into_values().collect()
    }

    /// Returns the items of the table, with their counts.
    #[must_use]
    pub fn items(&self) -> Vec<Item> {
        let followers = counts(self.friendships.iter().map(|friendship| &friendship.followed_user));
        let following = counts(self.friendships.iter().map(|friendship| &friendship.following_user));
        let photos = counts(self.photos.iter().map(|(owner, _)| owner));
        let uploads = counts(self.photos.iter().chain(&self.pending).map(|(owner, _)| owner));
        let written = counts(self.comments.iter().map(|(_, comment)| &comment.author));
        let asked = counts(self.requests.iter().map(|request| &request.asking_user));
        let were_asked = counts(self.requests.iter().map(|request| &request.asked_user));
        let of_level = |level| self.blocks.iter().filter(move |block| block.level == level);
        let blocks = counts(of_level(Level::Block).map(|block| &block.blocking_user));
        let blocked_by = counts(of_level(Level::Block).map(|block| &block.blocked_user));
        let mutes = counts(of_level(Level::Mute).map(|block| &block.blocking_user));
        let shared = counts(self.links.iter().map(|link| &link.owner));
        let complained = counts(self.complaints.iter().map(|complaint| &complaint.reporter));
        let users = self.users.iter().map(|user| {
            let user = User {
                followers: followers.get(&user.username).copied().unwrap_or_default(),
                following: following.get(&user.username).copied().unwrap_or_default(),
                photos: Some(photos.get(&user.username).copied().unwrap_or_default()),
                uploads: Some(uploads.get(&user.username).copied().unwrap_or_default()),
                pinned_picture: self.pinned_picture(user),
                ..user.clone()
            };
            let mut item = item(Key::user(&user.username), &user);
            for (counts, name) in [
                (&written, COMMENTS_WRITTEN),
                (&asked, REQUESTS_SENT),
                (&were_asked, REQUESTS_RECEIVED),
                (&blocks, BLOCKS),
                (&mutes, MUTES),
                (&blocked_by, BLOCKED_BY),
                (&complained, COMPLAINTS_MADE),
                (&shared, LINKS),
            ] {
                if let Some(number) = counts.get(&user.username) {
                    item.insert(name.to_owned(), N(number.to_string()));
                }
            }
            item
        });
        let commented = counts(self.comments.iter().map(|(photo, _)| photo));
        let answers = self.comments.iter().filter_map(|(photo, comment)| Some((photo, comment.reply_to.clone()?)));
        let answers = counts(answers);
        let likes_of = counts(self.likes.iter().map(|(photo, comment, _)| (photo, comment)));
        let reacted = counts(self.reactions.iter().map(|(_, reaction, photo, _)| (photo, *reaction)));
        let content = (0..self.photos.len()).map(|index| {
            ((self.picture(index), self.number_of_pictures(index)), self.texts(index), self.audience(index))
        });
        let content = content.chain([((Some(Picture::Pending), None), (None, None), Audience::Everyone)]);
        let photos = self.photos.iter().chain(&self.pending).zip(content).map(
            |(key, ((picture, pictures), (caption, alt_text), audience))| {
                let of_type = |reaction| reacted.get(&(key, reaction)).copied().unwrap_or_default();
                let (username, id) = key;
                let mark = self.mark_of(key);
                let location = match picture {
                    None => format!("s3://quick-photos/photos/{username}/{id}.png"),
                    Some(_) => format!("s3://{BUCKET}/photos/{username}/{id}"),
                };
                let photo = Photo {
                    reactions: ReactionType::ALL.iter().map(|&reaction| (reaction, of_type(reaction))).collect(),
                    comments: commented.get(key).copied().unwrap_or_default(),
                    caption,
                    alt_text,
                    audience,
                    sensitive: mark.map(|mark| mark.reason),
                    sensitive_by: mark.map(|mark| mark.by).filter(|by| *by == MarkedBy::Moderator),
                    pictures,
                    unready: picture == Some(Picture::Pending),
                    ttl: (picture == Some(Picture::Pending)).then_some(FAR_FUTURE),
                    picture,
                    ..Photo::pending(username.clone(), id.clone(), location)
                };
                item(Key::photo(username, id), &photo)
            },
        );
        let reactions = self.reactions.iter().map(|(reacting, reaction, (owner, name), at)| {
            let entity = Reaction {
                reacting_user: reacting.clone(),
                reaction_type: *reaction,
                photo: photo_sk(owner, name),
                timestamp: at.clone(),
            };
            item(Key::reaction(reacting, *reaction, owner, name), &entity)
        });
        let comments = self.comments.iter().map(|(photo, comment)| {
            let key = Key::comment(&comment.id(), &photo.0, &photo.1);
            let replies = answers.get(&(photo, comment.id())).copied().unwrap_or_default();
            let likes = likes_of.get(&(photo, &comment.id())).copied().unwrap_or_default();
            item(key, &Comment { replies, likes, ..comment.clone() })
        });
        let likes = self
            .likes
            .iter()
            .map(|((owner, photo), comment, like)| item(Key::like(&like.liking_user, comment, owner, photo), like));
        let photos = photos.chain(self.all_pictures());
        users.chain(photos).chain(reactions).chain(comments).chain(likes).chain(self.relations()).collect()
    }

    /// Returns the items between two users: friendships, requests, blocks, and reports with decisions, the
    /// links, and the hashtags that are hidden or followed.
    fn relations(&self) -> Vec<Item> {
        let friendships = self.friendships.iter().map(|friendship| {
            let Friendship { followed_user, following_user, .. } = friendship;
            let item = item(Key::friendship(followed_user, following_user), friendship);
            let mut mutes = self.blocks.iter().filter(|block| block.level == Level::Mute);
            let is_muted =
                mutes.any(|mute| mute.blocking_user == *following_user && mute.blocked_user == *followed_user);
            let item = if is_muted { mark_muted(item) } else { item };
            let has_alerts = self.alerts.contains(&(followed_user.clone(), following_user.clone()));
            if has_alerts { mark_alerts(item, followed_user) } else { item }
        });
        let blocks = self.blocks.iter().map(|one| item(Key::block(&one.blocking_user, &one.blocked_user), one));
        let requests =
            self.requests.iter().map(|one| item(Key::follow_request(&one.asked_user, &one.asking_user), one));
        let complaints = self.complaints.iter().map(|one| item(Key::complaint(&one.reporter, &one.about), one));
        let links = self.links.iter().flat_map(|link| {
            let target = item(Key::link_target(&link.token), &link.target());
            [item(Key::link(&link.owner, link.photo.as_ref()), link), target]
        });
        let reports = self.reports().into_iter().map(|report| item(Key::report(&report.id), &report));
        let decisions = self.decisions.iter().map(|one| item(Key::decision(&one.about, &one.timestamp), one));
        let hidden = self.hidden_hashtags.iter().flat_map(|decision| {
            let HashtagDecision { hashtag, timestamp, .. } = decision.clone();
            [HiddenHashtag { hashtag, timestamp }.item(), decision.item()]
        });
        let hidden = hidden.map(|item| item.expect("a decision can be written as items"));
        let hashtags = self.followed_hashtags.iter();
        let hashtags = hashtags.map(|(user, hashtags)| item(Key::followed_hashtags(user), hashtags));
        let relations = friendships.chain(requests).chain(blocks).chain(complaints).chain(hashtags);
        relations.chain(links).chain(hidden).chain(reports).chain(decisions).collect()
    }
}

/// Counts the occurrences of each value.
fn counts<T: Eq + Hash>(all: impl Iterator<Item = T>) -> HashMap<T, u64> {
    let mut counts = HashMap::new();
    for one in all {
        *counts.entry(one).or_default() += 1;
    }
    counts
}
