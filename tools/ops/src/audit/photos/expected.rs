//! The result of the Scan: the users and photos that exist or are referred to, and the difference
//! of each count.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use shared::photos::{Rest, photo_sk};
use shared::pictures::keys::{Size, photo_of_incoming_key, photo_of_picture_key, picture_key};
use shared::values::{PictureId, ReactionType, Timestamp, Username};

use super::candidate::Candidate;
use super::entity::{Entity, PictureState};
use super::objects::Object;
use super::ttl;
use crate::audit::agreement::Share;
use crate::audit::finding::{PhotoCount, UserCount};

/// The state that is kept of each user and each photo that exists or that another item refers to.
#[derive(Debug, Default)]
pub(super) struct Expected {
    users: HashMap<Username, User>,
    /// The photos by sort key, which is how reactions, comments and pins refer to them.
    photos: HashMap<String, Photo>,
    /// The reactions, comments and friendships that are not counted yet, with their times.
    uncounted: BTreeMap<Candidate, Timestamp>,
    /// The requests to follow: who is asked, and who asks.
    requests: BTreeSet<(Username, Username)>,
    /// The names that have a timer.
    resting: BTreeSet<Username>,
    /// The number of objects of photos, and of those whose photo the Scan has returned.
    pub(super) objects: Share,
}

/// A user. The counts are differences: the count in the item minus the number of friendships,
/// photos, comments or requests. The Scan returns the items in any order, and each changes the
/// difference.
#[derive(Debug, Default)]
struct User {
    state: UserState,
    followers: i64,
    following: i64,
    photos: i64,
    comments: i64,
    requests: i64,
}

#[derive(Debug, Default)]
enum UserState {
    /// An item refers to this user, but the Scan has not returned the user.
    #[default]
    Missing,
    User {
        /// The sort key of the pinned photo, and the id of the picture that the user has of it.
        pinned: Option<(String, Option<PictureId>)>,
    },
    Deletion,
}

#[derive(Debug, Default)]
struct Photo {
    /// The owner and the timestamp, or `None` if the Scan has not returned the photo.
    id: Option<(Username, Timestamp)>,
    is_being_deleted: bool,
    picture: PictureState,
    /// Whether the list of objects has the large and the small size of the picture.
    has_objects: [bool; 2],
    has_wrong_ttl: bool,
    has_responses: bool,
    /// The differences of the counts, in the order of [`ReactionType::ALL`].
    reactions: [i64; ReactionType::ALL.len()],
    /// The difference of the count of comments.
    comments: i64,
}

impl Expected {
    pub(super) fn add(&mut self, entity: Entity) {
        match entity {
            Entity::User {
                username, followers, following, photos, comments, requests, pinned, pinned_picture, ..
            } => {
                let user = self.users.entry(username).or_default();
                user.state =
                    UserState::User { pinned: pinned.map(|sk| (sk, pinned_picture.map(|picture| picture.id))) };
                user.followers = user.followers.wrapping_add(followers.unwrap_or(0));
                user.following = user.following.wrapping_add(following.unwrap_or(0));
                user.photos = user.photos.wrapping_add(photos.unwrap_or(0));
                user.comments = user.comments.wrapping_add(comments.unwrap_or(0));
                user.requests = user.requests.wrapping_add(requests.unwrap_or(0));
            }
            Entity::Deletion { username, following, comments, requests, .. } => {
                let user = self.users.entry(username).or_default();
                user.state = UserState::Deletion;
                user.following = user.following.wrapping_add(following.unwrap_or(0));
                user.comments = user.comments.wrapping_add(comments.unwrap_or(0));
                user.requests = user.requests.wrapping_add(requests.unwrap_or(0));
            }
            Entity::Photo { username, timestamp, reactions, comments, picture, ttl } => {
                self.users.entry(username.clone()).or_default().photos -= 1;
                let photo = self.photo(username, timestamp, reactions, comments);
                photo.has_wrong_ttl = ttl::fault(&picture, ttl).is_some();
                photo.picture = picture;
            }
            // The trace of an expired photo, which no count has any more.
            Entity::PhotoDeletion { deletion, reactions, comments } if deletion.ttl.is_some() => {
                self.photo(deletion.erasing, deletion.timestamp, reactions, comments);
            }
            Entity::PhotoDeletion { deletion, reactions, comments } => {
                self.users.entry(deletion.erasing.clone()).or_default().photos -= 1;
                self.photo(deletion.erasing, deletion.timestamp, reactions, comments).is_being_deleted = true;
            }
            Entity::Reaction { reacting, reaction, photo, uncounted } => {
                self.users.entry(reacting.clone()).or_default();
                let counting = self.photos.entry(photo.clone()).or_default();
                counting.has_responses = true;
                match uncounted {
                    None => counting.reactions[reaction as usize] -= 1,
                    Some(time) => {
                        self.uncounted.insert(Candidate::Reaction { reacting, reaction, photo }, time);
                    }
                }
            }
            Entity::Comment { id, photo: (username, timestamp), is_uncounted } => {
                self.users.entry(id.author.clone()).or_default().comments -= 1;
                let counting = self.photos.entry(photo_sk(&username, &timestamp)).or_default();
                counting.has_responses = true;
                if is_uncounted {
                    let time = id.timestamp.clone();
                    self.uncounted.insert(Candidate::Comment(id, username, timestamp), time);
                } else {
                    counting.comments -= 1;
                }
            }
            Entity::Friendship { followed, following, since, is_uncounted } => {
                self.users.entry(following.clone()).or_default().following -= 1;
                let counting = self.users.entry(followed.clone()).or_default();
                if is_uncounted {
                    self.uncounted.insert(Candidate::Friendship { followed, following }, since);
                } else {
                    counting.followers -= 1;
                }
            }
            Entity::FollowRequest { asked, asking } => {
                self.users.entry(asked.clone()).or_default();
                self.users.entry(asking.clone()).or_default().requests -= 1;
                self.requests.insert((asked, asking));
            }
            Entity::Welcome => {}
            Entity::Rest(Rest { resting, .. }) => drop(self.resting.insert(resting)),
        }
    }

    /// Adds a photo or the deletion in its place.
    fn photo(
        &mut self,
        username: Username,
        timestamp: Timestamp,
        reactions: BTreeMap<ReactionType, i64>,
        comments: Option<i64>,
    ) -> &mut Photo {
        let photo = self.photos.entry(photo_sk(&username, &timestamp)).or_default();
        for (reaction, count) in reactions {
            let difference = &mut photo.reactions[reaction as usize];
            *difference = difference.wrapping_add(count);
        }
        photo.comments = photo.comments.wrapping_add(comments.unwrap_or(0));
        photo.id = Some((username, timestamp));
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
        let id = picture.as_ref().map(|(owner, timestamp, _)| (owner.clone(), timestamp.clone()));
        if let Some((owner, timestamp)) = id.or_else(|| photo_of_incoming_key(&object.key)) {
            let photo = self.photos.get(&photo_sk(&owner, &timestamp));
            self.objects.add(photo.is_some_and(|photo| photo.id.is_some()));
        }
        if let Some((owner, timestamp, id)) = picture {
            if let Some(photo) = self.photos.get_mut(&photo_sk(&owner, &timestamp)) {
                match &photo.picture {
                    // The picture is settled, or expires, and then its objects are deleted.
                    PictureState::Pending => return None,
                    PictureState::Ready(shown) if *shown == id => {
                        let is_size = |size| object.key == picture_key(&owner, &timestamp, &id, size);
                        photo.has_objects[0] |= is_size(Size::Large);
                        photo.has_objects[1] |= is_size(Size::Small);
                        return None;
                    }
                    // finish-deletion deletes the objects.
                    _ if photo.is_being_deleted => return None,
                    _ => {}
                }
            }
            return Some(Candidate::Object(object.key));
        }
        object.is_incoming().then_some(Candidate::Object(object.key))
    }

    /// Returns the photos of whose pictures the list of objects lacks a size.
    pub(super) fn missing_pictures(&self) -> impl Iterator<Item = Candidate> {
        self.ids(|photo| matches!(photo.picture, PictureState::Ready(_)) && photo.has_objects != [true; 2])
            .map(|(username, timestamp)| Candidate::Picture(username, timestamp))
    }

    /// Returns the photos that have a `ttl` that they should not have, or lack one.
    pub(super) fn wrong_ttls(&self) -> impl Iterator<Item = Candidate> {
        self.ids(|photo| photo.has_wrong_ttl).map(|(username, timestamp)| Candidate::Ttl(username, timestamp))
    }

    /// Returns the photos that have reactions or comments although their picture has never been ready.
    pub(super) fn early_reactions(&self) -> impl Iterator<Item = Candidate> {
        self.ids(|photo| photo.has_responses && matches!(photo.picture, PictureState::Pending | PictureState::Rejected))
            .map(|(username, timestamp)| Candidate::EarlyReactions(username, timestamp))
    }

    fn ids(&self, is_wanted: impl Fn(&Photo) -> bool) -> impl Iterator<Item = (Username, Timestamp)> {
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
        without_user.map(|(username, _)| username).chain(&self.resting).cloned().map(Candidate::Name)
    }

    /// Returns the sort keys of the photos that have reactions or comments, but that the Scan has not
    /// returned.
    pub(super) fn missing_photos(&self) -> impl Iterator<Item = &String> {
        self.photos.iter().filter(|(_, photo)| photo.id.is_none()).map(|(sk, _)| sk)
    }

    /// Returns the photos whose deletion is in progress.
    pub(super) fn photo_deletions(&self) -> impl Iterator<Item = Candidate> {
        self.ids(|photo| photo.is_being_deleted)
            .map(|(username, timestamp)| Candidate::PhotoDeletion(username, timestamp))
    }

    /// Returns the users whose pinned image is not one of their photos, or who do not have its
    /// picture.
    pub(super) fn pins(&self) -> impl Iterator<Item = Candidate> {
        self.users.iter().filter_map(|(username, user)| {
            let UserState::User { pinned: Some((sk, id)) } = &user.state else {
                return None;
            };
            let photo = self.photos.get(sk);
            let owner = photo.and_then(|photo| Some(&photo.id.as_ref()?.0));
            let picture = photo.and_then(|photo| match &photo.picture {
                PictureState::Ready(id) => Some(id),
                _ => None,
            });
            (owner != Some(username) || picture != id.as_ref()).then(|| Candidate::Pin(username.clone()))
        })
    }

    /// Returns the reactions, comments and friendships that were not counted before `time`.
    pub(super) fn uncounted_before(&self, time: &Timestamp) -> impl Iterator<Item = Candidate> {
        self.uncounted.iter().filter(|(_, since)| since.as_ref() <= time.as_ref()).map(|(item, _)| item.clone())
    }

    /// Returns the requests to follow, each of which may be beside a friendship.
    pub(super) fn requests(&self) -> impl Iterator<Item = Candidate> {
        self.requests.iter().cloned().map(|(asked, asking)| Candidate::FollowRequest { asked, asking })
    }

    /// Returns the counts that differ from the number of items that they count.
    pub(super) fn wrong_counts(&self) -> impl Iterator<Item = Candidate> {
        let of_users = self.users.iter().flat_map(|(username, user)| {
            // A deletion keeps the counts of followed users, comments and requests.
            let (is_user, is_counted) = match user.state {
                UserState::User { .. } => (true, true),
                // Its followers and photos are deleted without a count.
                UserState::Deletion => (false, true),
                UserState::Missing => (false, false),
            };
            [
                (UserCount::Followers, is_user && user.followers != 0),
                (UserCount::Following, is_counted && user.following != 0),
                (UserCount::Photos, is_user && user.photos != 0),
                (UserCount::Comments, is_counted && user.comments != 0),
                (UserCount::Requests, is_counted && user.requests != 0),
            ]
            .into_iter()
            .filter(|(_, is_wrong)| *is_wrong)
            .map(|(count, _)| Candidate::UserCount(username.clone(), count))
        });
        let of_photos = self.photos.values().filter_map(|photo| Some((photo.id.as_ref()?, photo))).flat_map(
            |((username, timestamp), photo)| {
                let reactions = ReactionType::ALL.iter().map(|&reaction| PhotoCount::Reaction(reaction));
                let counts = reactions.zip(photo.reactions).chain([(PhotoCount::Comments, photo.comments)]);
                counts
                    .filter(|(_, difference)| *difference != 0)
                    .map(|(count, _)| Candidate::PhotoCount(username.clone(), timestamp.clone(), count))
            },
        );
        of_users.chain(of_photos)
    }
}
