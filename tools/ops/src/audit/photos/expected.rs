//! The result of the Scan: the users and photos that exist or are referred to, and the difference
//! of each count.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use shared::entities::object::{Size, photo_of_incoming_key, photo_of_picture_key, picture_key};
use shared::entities::{
    self, Key, Link, LinkTarget, Picture, PictureDeletion, PinnedPicture, Position, Rest, photo_sk,
};
use shared::values::{
    CommentId, Level, LinkToken, ReactionType, ReportId, ReportState, SensitiveReason, Timestamp, Username,
};

use super::candidate::Candidate;
use super::decisions::{Decided, Said};
use super::entity::{Entity, PictureState};
use super::objects::Object;
use super::several::{CopyOfFirst, Several};
use super::{decisions, ttl};
use crate::audit::agreement::Share;
use crate::audit::finding::{CommentCount, PhotoCount, UserCount};

/// The state that is kept of each user and each photo that exists or that another item refers to.
#[derive(Debug, Default)]
pub(super) struct Expected {
    users: HashMap<Username, User>,
    /// The photos by sort key, which is how reactions, comments and pins refer to them.
    photos: HashMap<String, Photo>,
    /// The photos that were made with several pictures.
    several: HashMap<Position, Several>,
    /// The reactions, comments and friendships that are not counted yet, with their times.
    uncounted: BTreeMap<Candidate, Timestamp>,
    /// The differences of the counts of comments.
    comment_counts: BTreeMap<(Position, CommentId, CommentCount), i64>,
    /// The comments that say that they are pinned, and those that photos say to be pinned. Those that both
    /// say are in none.
    pinned_comments: BTreeSet<(Position, CommentId)>,
    /// The blocks and mutes: who blocks or mutes, and whom.
    blocks: BTreeMap<(Username, Username), Level>,
    /// The friendships that say that they are muted: who follows, and whom.
    muted: BTreeSet<(Username, Username)>,
    /// The reports, with those of which only complaints were returned.
    reports: BTreeMap<ReportId, Report>,
    /// The decisions: about what, and when.
    decisions: BTreeMap<(ReportId, Timestamp), Decision>,
    /// The complaints: who complains, and about what.
    complaints: BTreeSet<(Username, ReportId)>,
    /// The links and the targets by token.
    links: BTreeMap<LinkToken, (Option<Link>, Option<LinkTarget>)>,
    /// The photos and comments that a moderator has removed.
    removed: BTreeSet<ReportId>,
    /// The photos that a moderator has marked, with the reasons.
    marked: BTreeMap<ReportId, SensitiveReason>,
    /// The items that are candidates whatever else there is: names that have a timer, deletions in progress, photos with
    /// a `ttl` that they should not have, or without one, and requests to follow, each of which may be beside a
    /// friendship or a block.
    pub(super) candidates: BTreeSet<Candidate>,
    /// The number of objects of photos, and of those whose photo the Scan has returned.
    pub(super) objects: Share,
}

/// A user.
#[derive(Debug, Default)]
struct User {
    state: UserState,
    /// The differences of the counts, in the order of [`UserCount::ALL`]: the count in the item
    /// minus the number of items that it counts. The Scan returns the items in any order, and each
    /// changes the difference.
    counts: [i64; UserCount::ALL.len()],
}

impl User {
    fn add(&mut self, count: UserCount, number: i64) {
        let difference = &mut self.counts[count as usize];
        *difference = difference.wrapping_add(number);
    }
}

#[derive(Debug, Default)]
enum UserState {
    /// An item refers to this user, but the Scan has not returned the user.
    #[default]
    Missing,
    User {
        /// The sort key of the pinned photo, and the picture that the user has of it.
        pinned: Option<(String, Option<PinnedPicture>)>,
    },
    Deletion,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum PhotoDeletionState {
    #[default]
    None,
    InProgress,
    /// Only the trace of the photo is left.
    Complete,
}

#[derive(Debug, Default)]
struct Photo {
    /// The owner and the id, or `None` if the Scan has not returned the photo.
    id: Option<Position>,
    deletion: PhotoDeletionState,
    picture: PictureState,
    may_be_pinned: bool,
    /// Whether the list of objects has each size of the picture, in the order of [`Size::ALL`].
    has_objects: [bool; Size::ALL.len()],
    has_responses: bool,
    /// The differences of the counts, in the order of [`ReactionType::ALL`].
    reactions: [i64; ReactionType::ALL.len()],
    /// The difference of the count of comments.
    comments: i64,
}

/// A report.
#[derive(Debug, Default)]
struct Report {
    /// The state and the last decision of the report, or `None` if the Scan has not returned it.
    decided: Option<Decided>,
    /// The difference of the count of complaints.
    complaints: i64,
}

/// A decision.
#[derive(Debug)]
struct Decision {
    said: Said,
    ttl: u64,
}

impl Expected {
    pub(super) fn add(&mut self, entity: Entity) {
        match entity {
            Entity::User { user, counts } => {
                let entities::User { username, pinned_image, pinned_picture, .. } = *user;
                let user = self.users.entry(username).or_default();
                user.state = UserState::User { pinned: pinned_image.map(|sk| (sk, pinned_picture)) };
                for (count, stored) in counts {
                    user.add(count, stored);
                }
            }
            Entity::Deletion { deletion, counts } => {
                let user = self.users.entry(deletion.erasing).or_default();
                user.state = UserState::Deletion;
                for (count, stored) in counts {
                    user.add(count, stored);
                }
            }
            Entity::Photo { photo, reactions, comments } => self.add_photo(*photo, reactions, comments),
            Entity::Pictures { username, pictures } => {
                self.user(&username);
                let photo = Position { id: pictures.id.clone(), author: username };
                self.several.entry(photo).or_default().pictures = Some(pictures);
            }
            Entity::PictureDeletion(PictureDeletion { erasing, id, number, .. }) => {
                self.user(&erasing);
                self.candidates.insert(Candidate::Deletion(Key::picture_deletion(&erasing, &id, number)));
            }
            // The trace of a photo, which no count has any more.
            Entity::PhotoDeletion { deletion, reactions, comments } if deletion.ttl.is_some() => {
                let photo = Position { id: deletion.id, author: deletion.erasing };
                self.photo(photo, reactions, comments).deletion = PhotoDeletionState::Complete;
            }
            Entity::PhotoDeletion { deletion, reactions, comments } => {
                self.user(&deletion.erasing).add(UserCount::Uploads, -1);
                self.user(&deletion.erasing).add(UserCount::Photos, -i64::from(!deletion.unready));
                self.user(&deletion.erasing).add(UserCount::Rejected, -i64::from(deletion.rejected));
                self.candidates.insert(Candidate::Deletion(Key::photo(&deletion.erasing, &deletion.id)));
                let photo = Position { id: deletion.id, author: deletion.erasing };
                self.photo(photo, reactions, comments).deletion = PhotoDeletionState::InProgress;
            }
            Entity::Reaction { reacting, reaction, photo, is_sharded, uncounted } => {
                self.user(&reacting);
                let counting = self.photos.entry(photo.clone()).or_default();
                counting.has_responses = true;
                match uncounted {
                    None => counting.reactions[reaction as usize] -= 1,
                    Some(time) => {
                        self.uncounted.insert(Candidate::Reaction { reacting, reaction, photo, is_sharded }, time);
                    }
                }
            }
            Entity::CommentDeletion { id, photo, counts, .. } => {
                self.add_counts(&photo, &id, counts);
                self.candidates.insert(Candidate::Deletion(Key::comment(&id, &photo.author, &photo.id)));
            }
            entity @ Entity::Comment { .. } => self.add_comment(entity),
            Entity::Like { liking, comment, photo } => {
                self.user(&liking);
                self.add_to_count(&photo, &comment, CommentCount::Likes, -1);
            }
            Entity::Friendship { followed, following, since, is_uncounted, is_muted } => {
                self.user(&following).add(UserCount::Following, -1);
                self.user(&followed).add(UserCount::Followers, -i64::from(!is_uncounted));
                if is_muted {
                    self.muted.insert((following.clone(), followed.clone()));
                }
                if is_uncounted {
                    self.uncounted.insert(Candidate::Friendship { followed, following }, since);
                }
            }
            Entity::FollowRequest { asked, asking } => {
                self.user(&asked).add(UserCount::ReceivedRequests, -1);
                self.user(&asking).add(UserCount::Requests, -1);
                self.candidates.insert(Candidate::FollowRequest { asked, asking });
            }
            // The photo of an alert and its owner may be gone, and the follower may not follow any more. The inbox
            // leaves the alert out then, and it expires.
            Entity::OfUser(user) | Entity::FollowedHashtags { user, .. } => drop(self.user(&user)),
            Entity::Block { blocking, blocked, level } => {
                let (own, of_other) = match level {
                    Level::Block => (UserCount::Blocks, -1),
                    Level::Mute => (UserCount::Mutes, 0),
                };
                self.user(&blocking).add(own, -1);
                self.user(&blocked).add(UserCount::BlockedBy, of_other);
                self.blocks.insert((blocking, blocked), level);
            }
            entity @ (Entity::Report { .. } | Entity::Decision { .. } | Entity::Complaint { .. }) => {
                self.add_of_moderation(entity);
            }
            Entity::Link(link) => {
                self.user(&link.owner).add(UserCount::Links, -1);
                let token = link.token.clone();
                self.links.entry(token).or_default().0 = Some(link);
            }
            Entity::LinkTarget { token, target } => self.links.entry(token).or_default().1 = Some(target),
            Entity::Alone => {}
            Entity::Rest(Rest { resting, .. }) => drop(self.candidates.insert(Candidate::Name(resting))),
        }
    }

    fn add_comment(&mut self, entity: Entity) {
        let Entity::Comment { id, photo, is_uncounted, is_removed, is_pinned, counts } = entity else { return };
        self.add_counts(&photo, &id, counts);
        if is_pinned {
            self.toggle_pinned((photo.clone(), id.clone()));
        }
        if let Some(answered) = &id.reply_to {
            self.add_to_count(&photo, answered, CommentCount::Replies, -1);
        }
        if is_removed {
            self.removed.insert(ReportId::Comment(photo.author.clone(), photo.id.clone(), id.clone()));
        }
        self.user(&id.author).add(UserCount::Comments, -1);
        let counting = self.photos.entry(photo_sk(&photo.author, &photo.id)).or_default();
        counting.has_responses = true;
        if is_uncounted {
            let time = id.timestamp.clone();
            self.uncounted.insert(Candidate::Comment(id, photo), time);
        } else {
            counting.comments -= 1;
        }
    }

    /// Takes note of the photo or the comment that says that the comment is pinned.
    fn toggle_pinned(&mut self, comment: (Position, CommentId)) {
        if !self.pinned_comments.remove(&comment) {
            self.pinned_comments.insert(comment);
        }
    }

    fn add_counts(&mut self, photo: &Position, id: &CommentId, counts: [i64; CommentCount::ALL.len()]) {
        for (count, number) in CommentCount::ALL.into_iter().zip(counts) {
            self.add_to_count(photo, id, count, number);
        }
    }

    fn add_to_count(&mut self, photo: &Position, id: &CommentId, count: CommentCount, number: i64) {
        if number != 0 {
            *self.comment_counts.entry((photo.clone(), id.clone(), count)).or_default() += number;
        }
    }

    fn add_of_moderation(&mut self, entity: Entity) {
        match entity {
            Entity::Report { report, complaints } => {
                self.user(report.id.reported_user());
                let kept = self.reports.entry(report.id.clone()).or_default();
                kept.complaints = kept.complaints.wrapping_add(complaints);
                kept.decided = Some(Decided::from(*report));
            }
            Entity::Decision(decision) => {
                self.user(decision.about.reported_user());
                let kept = Decision { said: Said::of(&decision), ttl: decision.ttl };
                self.decisions.insert((decision.about, decision.timestamp), kept);
            }
            Entity::Complaint { reporter, about } => {
                self.user(&reporter);
                self.reports.entry(about.clone()).or_default().complaints -= 1;
                self.complaints.insert((reporter, about));
            }
            _ => {}
        }
    }

    fn add_photo(&mut self, photo: entities::Photo, reactions: BTreeMap<ReactionType, i64>, comments: Option<i64>) {
        let position = Position { id: photo.id.clone(), author: photo.username.clone() };
        let report_id = || ReportId::Photo(photo.username.clone(), photo.id.clone());
        if matches!(photo.picture, Some(Picture::Removed { .. })) {
            self.removed.insert(report_id());
        }
        self.marked.extend(decisions::mark(&photo).map(|reason| (report_id(), reason)));
        if let Some(copy) = CopyOfFirst::of(&photo) {
            self.several.entry(position.clone()).or_default().copy = Some(copy);
        }
        self.user(&photo.username).add(UserCount::Uploads, -1);
        self.user(&photo.username).add(UserCount::Photos, -i64::from(!photo.unready));
        self.user(&photo.username).add(UserCount::Rejected, -i64::from(photo.rejected));
        if ttl::fault(&photo).is_some() {
            self.candidates.insert(Candidate::Ttl(position.clone()));
        }
        let may_be_pinned = photo.may_be_pinned();
        if let Some(comment) = photo.pinned_comment {
            self.toggle_pinned((position.clone(), comment));
        }
        let kept = self.photo(position, reactions, comments);
        kept.picture = photo.picture.into();
        kept.may_be_pinned = may_be_pinned;
    }

    /// Returns a user whom an item refers to.
    fn user(&mut self, username: &Username) -> &mut User {
        self.users.entry(username.clone()).or_default()
    }

    /// Adds a photo or the deletion in its place.
    fn photo(&mut self, id: Position, reactions: BTreeMap<ReactionType, i64>, comments: Option<i64>) -> &mut Photo {
        let photo = self.photos.entry(photo_sk(&id.author, &id.id)).or_default();
        for (reaction, count) in reactions {
            let difference = &mut photo.reactions[reaction as usize];
            *difference = difference.wrapping_add(count);
        }
        photo.comments = photo.comments.wrapping_add(comments.unwrap_or(0));
        photo.id = Some(id);
        photo
    }

    /// Compares an object with the photos. Returns the candidate if no photo needs the object.
    /// Finds objects in `incoming/` too whose photo is pending, because their event may be lost.
    ///
    /// An object that is not current is the earlier version of one that was deleted, and the
    /// bucket's own rules delete it.
    pub(super) fn add_object(&mut self, object: Object) -> Option<Candidate> {
        if !object.is_current {
            return None;
        }
        let picture = photo_of_picture_key(&object.key);
        let id = picture.as_ref().map(|(owner, photo, ..)| (owner.clone(), photo.clone()));
        let id = id.or_else(|| photo_of_incoming_key(&object.key).map(|(owner, photo, _)| (owner, photo)));
        if let Some((owner, photo)) = id {
            let found = self.photos.get(&photo_sk(&owner, &photo));
            self.objects.add(found.is_some_and(|found| found.id.is_some()));
        }
        if let Some((author, photo_id, number, id)) = picture {
            let position = Position { id: photo_id, author };
            if let Some(photo) = self.photos.get_mut(&photo_sk(&position.author, &position.id)) {
                // finish-deletion deletes the objects.
                if photo.deletion == PhotoDeletionState::InProgress {
                    return None;
                }
                let several = self.several.get_mut(&position);
                let state = match (number, &several) {
                    (Some(number), Some(several)) => several.state(number, &photo.picture).unwrap_or_default(),
                    (None, None) => photo.picture.clone(),
                    _ => PictureState::None,
                };
                match (state, number.zip(several)) {
                    // The picture is settled, or expires, and then its objects are deleted.
                    (PictureState::Pending, _) => return None,
                    (PictureState::Ready { id: shown, .. }, Some((number, several))) if shown == id => {
                        several.add_object(&position, (number, &id), &object.key);
                        return None;
                    }
                    (PictureState::Ready { id: shown, .. }, None) if shown == id => {
                        for (size, has_object) in Size::ALL.into_iter().zip(&mut photo.has_objects) {
                            *has_object |= object.key == picture_key(&position.author, &position.id, None, &id, size);
                        }
                        return None;
                    }
                    _ => {}
                }
            }
            return Some(Candidate::Object(object.key));
        }
        object.is_incoming().then_some(Candidate::Object(object.key))
    }

    /// Returns the photos of whose pictures the list of objects lacks a size.
    pub(super) fn missing_pictures(&self) -> impl Iterator<Item = Candidate> {
        let lacks_size = |photo: &Photo| match photo.picture {
            PictureState::Ready { width, .. } => {
                let sizes = Size::of_picture(width).count();
                photo.has_objects[..sizes].contains(&false)
            }
            _ => false,
        };
        let of_one = self.ids(lacks_size).filter(|id| !self.several.contains_key(id));
        let of_several = self.several.iter().filter(|(_, several)| several.lacks_object()).map(|(id, _)| id.clone());
        of_one.chain(of_several).map(Candidate::Picture)
    }

    /// Returns the photos that do not agree with their several pictures.
    pub(super) fn pictures(&self) -> impl Iterator<Item = Candidate> {
        let wrong = self.several.iter().filter(|(_, several)| several.fault().is_some());
        wrong.map(|(photo, _)| Candidate::Pictures(photo.clone()))
    }

    /// Returns the photos that have reactions or comments although their picture has never been
    /// ready.
    pub(super) fn early_reactions(&self) -> impl Iterator<Item = Candidate> {
        self.ids(|photo| photo.has_responses && matches!(photo.picture, PictureState::Pending | PictureState::Rejected))
            .map(Candidate::EarlyReactions)
    }

    fn ids(&self, is_wanted: impl Fn(&Photo) -> bool) -> impl Iterator<Item = Position> {
        self.photos.values().filter(move |photo| is_wanted(photo)).filter_map(|photo| photo.id.clone())
    }

    /// Returns whether the Scan has returned this user, or the deletion in their place.
    pub(super) fn has_user(&self, username: &Username) -> bool {
        self.users.get(username).is_some_and(|user| !matches!(user.state, UserState::Missing))
    }

    /// Returns the names that an item refers to and that belong to no user, those of deleted users
    /// among them.
    pub(super) fn names_without_user(&self) -> impl Iterator<Item = Candidate> {
        let without_user = self.users.iter().filter(|(_, user)| !matches!(user.state, UserState::User { .. }));
        without_user.map(|(username, _)| Candidate::Name(username.clone()))
    }

    /// Returns the sort keys of the photos that have reactions or comments, but that the Scan has
    /// not returned.
    pub(super) fn missing_photos(&self) -> impl Iterator<Item = &String> {
        self.photos.iter().filter(|(_, photo)| photo.id.is_none()).map(|(sk, _)| sk)
    }

    /// Returns the comments that only themselves or only their photos say to be pinned.
    pub(super) fn pinned_comments(&self) -> impl Iterator<Item = Candidate> {
        let comments = self.pinned_comments.iter().cloned();
        comments.map(|(photo, id)| Candidate::PinnedComment(id, photo))
    }

    /// Returns the wrong counts of comments, also of those that are gone and have replies or likes.
    pub(super) fn comment_counts(&self) -> impl Iterator<Item = Candidate> {
        let wrong = self.comment_counts.iter().filter(|(_, difference)| **difference != 0);
        wrong.map(|((photo, id, count), _)| Candidate::CommentCount(id.clone(), photo.clone(), *count))
    }

    /// Returns the users whose pinned image is not one of their photos, who do not have its
    /// picture, or who show it although not everyone can see the photo.
    pub(super) fn pins(&self) -> impl Iterator<Item = Candidate> {
        self.users.iter().filter_map(|(username, user)| {
            let UserState::User { pinned: Some((sk, pinned)) } = &user.state else {
                return None;
            };
            let photo = self.photos.get(sk);
            let owner = photo.and_then(|photo| Some(&photo.id.as_ref()?.author));
            let picture = photo.filter(|photo| photo.may_be_pinned).and_then(|photo| match &photo.picture {
                PictureState::Ready { number, id, .. } => Some((number, id)),
                _ => None,
            });
            (owner != Some(username) || picture != pinned.as_ref().map(|pinned| (&pinned.number, &pinned.id)))
                .then(|| Candidate::Pin(username.clone()))
        })
    }

    /// Returns the reactions, comments and friendships that were not counted before `time`.
    pub(super) fn uncounted_before(&self, time: &Timestamp) -> impl Iterator<Item = Candidate> {
        self.uncounted.iter().filter(|(_, since)| since.as_ref() <= time.as_ref()).map(|(item, _)| item.clone())
    }

    /// Returns the friendships that may be beside a block, or that may not say what the mutes say.
    /// The audit keeps no other friendships, so each block and most mutes have candidates.
    pub(super) fn friendships(&self) -> impl Iterator<Item = Candidate> {
        let is_block = |level: &Level| *level == Level::Block;
        let follows = |(following, followed): &(Username, Username)| Candidate::Friendship {
            followed: followed.clone(),
            following: following.clone(),
        };
        let wrong = self.blocks.iter().filter(move |(pair, level)| is_block(level) || !self.muted.contains(pair));
        let unmuted = self.muted.iter().filter(|pair| self.blocks.get(*pair) != Some(&Level::Mute));
        let of_blocked = self.blocks.iter().filter(move |(_, level)| is_block(level));
        let of_blocked = of_blocked.map(|((blocking, blocked), _)| (blocked.clone(), blocking.clone()));
        wrong.map(|(pair, _)| pair).chain(unmuted).map(follows).chain(of_blocked.map(move |pair| follows(&pair)))
    }

    /// Returns the reports with a wrong count, and those that may not agree with what they are
    /// about, or with their last decision.
    pub(super) fn reports(&self) -> impl Iterator<Item = Candidate> {
        let is_wrong = |id: &ReportId, Report { decided, complaints }: &Report| {
            let decided = decided.as_ref();
            *complaints != 0
                || decided.is_some_and(|decided| decided.state == ReportState::Removed) != self.removed.contains(id)
                || decided.and_then(|decided| decided.sensitive) != self.marked.get(id).copied()
                || self.several_of(id).is_some_and(|several| !several.agrees_with(decided))
                || decided.is_some_and(|decided| !decisions::agree(decided, self.last_of(id)))
        };
        let wrong = self.reports.iter().filter(move |(id, report)| is_wrong(id, report)).map(|(id, _)| id);
        let decided = self.removed.iter().chain(self.marked.keys());
        let unreported = decided.filter(|id| !self.reports.contains_key(*id)).cloned();
        let partly_removed = self.several.iter().filter(|(_, several)| !several.agrees_with(None));
        let partly_removed = partly_removed.map(|(photo, _)| ReportId::Photo(photo.author.clone(), photo.id.clone()));
        let partly_removed = partly_removed.filter(|id| !self.reports.contains_key(id));
        wrong.cloned().chain(unreported).chain(partly_removed).map(Candidate::Report)
    }

    /// Returns the several pictures of a reported photo.
    fn several_of(&self, id: &ReportId) -> Option<&Several> {
        let ReportId::Photo(author, id) = id else { return None };
        self.several.get(&Position { id: id.clone(), author: author.clone() })
    }

    /// Returns the last decision about a report, with its time.
    fn last_of(&self, id: &ReportId) -> Option<(&Timestamp, &Said)> {
        let from = (id.clone(), decisions::earliest());
        let of_report = self.decisions.range(from..).take_while(|((about, _), _)| about == id);
        of_report.last().map(|((_, time), decision)| (time, &decision.said))
    }

    /// Returns whether the Scan has returned a report.
    fn has_report(&self, id: &ReportId) -> bool {
        self.reports.get(id).is_some_and(|report| report.decided.is_some())
    }

    /// Returns the decisions whose report the Scan has not returned, and those that DynamoDB should have
    /// deleted.
    pub(super) fn decisions(&self) -> impl Iterator<Item = Candidate> {
        let wrong = self
            .decisions
            .iter()
            .filter(|((about, _), decision)| !self.has_report(about) || ttl::is_overdue(decision.ttl));
        wrong.map(|((about, time), _)| Candidate::Decision(about.clone(), time.clone()))
    }

    /// Returns the complaints whose report the Scan has not returned.
    pub(super) fn complaints(&self) -> impl Iterator<Item = Candidate> {
        let orphans = self.complaints.iter().filter(|(_, about)| !self.has_report(about));
        orphans.cloned().map(|(reporter, about)| Candidate::Complaint { reporter, about })
    }

    /// Returns the links that do not agree with their target, that have ended, or whose photo is gone,
    /// and the targets that no link has.
    pub(super) fn links(&self) -> impl Iterator<Item = Candidate> {
        self.links.iter().filter_map(|(token, pair)| match pair {
            (Some(link), target) => {
                let is_right = target.as_ref() == Some(&link.target()) && !link.is_over() && self.has_photo_of(link);
                (!is_right).then(|| Candidate::Link(link.owner.clone(), link.photo.clone()))
            }
            (None, _) => Some(Candidate::LinkTarget(token.clone())),
        })
    }

    /// Returns whether the photo of a link exists, or its deletion. A profile needs no photo.
    fn has_photo_of(&self, link: &Link) -> bool {
        let exists = |id| {
            self.photos
                .get(&photo_sk(&link.owner, id))
                .is_some_and(|photo| photo.id.is_some() && photo.deletion != PhotoDeletionState::Complete)
        };
        link.photo.as_ref().is_none_or(exists)
    }

    /// Returns the counts that differ from the number of items that they count.
    pub(super) fn wrong_counts(&self) -> impl Iterator<Item = Candidate> {
        let of_users = self.users.iter().flat_map(|(username, user)| {
            let has_count = |count: UserCount| match user.state {
                UserState::User { .. } => true,
                // The rest is deleted without a count.
                UserState::Deletion => count.is_kept_by_deletion(),
                UserState::Missing => false,
            };
            let counts = UserCount::ALL.into_iter().zip(user.counts);
            let wrong = counts.filter(move |(count, difference)| *difference != 0 && has_count(*count));
            wrong.map(|(count, _)| Candidate::UserCount(username.clone(), count))
        });
        let of_photos =
            self.photos.values().filter_map(|photo| Some((photo.id.as_ref()?, photo))).flat_map(|(id, photo)| {
                let reactions = ReactionType::ALL.iter().map(|&reaction| PhotoCount::Reaction(reaction));
                let counts = reactions.zip(photo.reactions).chain([(PhotoCount::Comments, photo.comments)]);
                counts
                    .filter(|(_, difference)| *difference != 0)
                    .map(|(count, _)| Candidate::PhotoCount(id.clone(), count))
            });
        of_users.chain(of_photos)
    }
}
