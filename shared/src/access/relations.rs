//! The relations of a caller to other users: what answers say about them, and which photos of
//! theirs the caller may see.

use std::collections::{BTreeSet, HashSet};

use super::relation::Relation;
use crate::dynamodb::{Item, batch, entity};
use crate::entities::{
    ALERTS_OF, BLOCKED_BY, BLOCKS, Block, Comment, FollowRequest, Friendship, Key, Kind, MUTED, Photo,
    approves_followers, has_any, shows_sensitive, username_from_item,
};
use crate::values::{Audience, Level, PageParts, Username};
use crate::{Error, Table};

impl PageParts {
    /// Returns the maximum number of people on a page, so that one `BatchGetItem` reads all parts
    /// and as many `other_keys`.
    #[must_use]
    pub fn max_people(self, other_keys: usize) -> i32 {
        let keys_per_person = usize::from(self.people) + 2 * usize::from(self.viewer);
        let max = (batch::MAX_GET_KEYS - other_keys).checked_div(keys_per_person);
        max.map_or(i32::MAX, |max| i32::try_from(max).unwrap_or(i32::MAX))
    }

    /// Returns the keys of the items that the parts need of these people: the user, and the
    /// friendships between the user and the caller in both directions.
    #[must_use]
    pub fn keys<'a>(self, caller: &Username, people: impl IntoIterator<Item = &'a Username>) -> BTreeSet<Key> {
        let keys = people.into_iter().flat_map(|person| {
            let user = self.people.then(|| Key::user(person));
            let friendships = if self.viewer { Relations::friendships(caller, person) } else { vec![] };
            user.into_iter().chain(friendships)
        });
        keys.collect()
    }

    /// Returns the keys of the same items and of the block by which `owner`, whose list the people
    /// are in, keeps the caller away. Without parts or people there is nothing to read.
    #[must_use]
    pub fn keys_of_list<'a>(
        self,
        owner: &Username,
        caller: &Username,
        people: impl IntoIterator<Item = &'a Username>,
    ) -> BTreeSet<Key> {
        let mut keys = self.keys(caller, people);
        let has_block = !keys.is_empty() && owner != caller;
        keys.extend(has_block.then(|| Key::block(owner, caller)));
        keys
    }
}

/// The relations of a caller to other users, as far as they were read.
#[derive(Debug, Clone)]
pub struct Relations<'a> {
    caller: &'a Username,
    /// Whether the reads are consistent.
    is_consistent: bool,
    /// Whether lists show the caller sensitive photos, if that was [read](Self::read_settings).
    shows_sensitive: Option<bool>,
    follows: HashSet<Username>,
    followers: HashSet<Username>,
    muted: HashSet<Username>,
    /// The followed users of whose new photos the caller is told.
    alerts: HashSet<Username>,
    /// The users whom the caller has asked.
    asked: HashSet<Username>,
    /// The users whom the caller blocks.
    blocked: HashSet<Username>,
    /// The users whom the caller mutes.
    mutes: HashSet<Username>,
    /// The users who block the caller.
    blocked_by: HashSet<Username>,
    /// The keys of what was [read](Self::read), so that nothing is read twice.
    read: BTreeSet<Key>,
}

impl<'a> Relations<'a> {
    /// Returns the relations of a caller, of which nothing was read.
    #[must_use]
    pub fn new(caller: &'a Username) -> Self {
        let none = HashSet::new;
        let (follows, followers, muted, asked) = (none(), none(), none(), none());
        Self {
            caller,
            is_consistent: false,
            shows_sensitive: None,
            follows,
            followers,
            muted,
            asked,
            alerts: none(),
            blocked: none(),
            mutes: none(),
            blocked_by: none(),
            read: BTreeSet::new(),
        }
    }

    /// Makes all reads consistent, for work that follows from a change and has to see it.
    #[must_use]
    pub fn consistent(self) -> Self {
        Self { is_consistent: true, ..self }
    }

    /// Returns the keys of the friendships between a caller and another user, in both directions.
    /// Nobody follows themself, but for some old friendships, so for the caller there are none.
    #[must_use]
    pub fn friendships(caller: &Username, user: &Username) -> Vec<Key> {
        if caller == user {
            return vec![];
        }
        vec![Key::friendship(user, caller), Key::friendship(caller, user)]
    }

    /// Adds what the friendships, requests and blocks among items say. Other items are left out.
    pub fn add(&mut self, items: &[Item]) -> Result<(), Error> {
        for item in items {
            match Kind::of(item) {
                Some(Kind::Friendship) => {
                    let Friendship { followed_user, following_user, .. } = entity::from_item(item.clone())?;
                    if following_user == *self.caller {
                        self.muted.extend(item.contains_key(MUTED).then(|| followed_user.clone()));
                        self.alerts.extend(item.contains_key(ALERTS_OF).then(|| followed_user.clone()));
                        self.follows.insert(followed_user);
                    } else {
                        self.followers.insert(following_user);
                    }
                }
                Some(Kind::FollowRequest) => {
                    let FollowRequest { asked_user, asking_user, .. } = entity::from_item(item.clone())?;
                    self.asked.extend((asking_user == *self.caller).then_some(asked_user));
                }
                Some(Kind::Block) => {
                    let Block { blocking_user, blocked_user, level, .. } = entity::from_item(item.clone())?;
                    match level {
                        Level::Block if blocking_user == *self.caller => self.blocked.insert(blocked_user),
                        Level::Block => self.blocked_by.insert(blocking_user),
                        Level::Mute if blocking_user == *self.caller => self.mutes.insert(blocked_user),
                        Level::Mute => false,
                    };
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads friendships, requests and blocks, 100 in a request. It sends none for those that it
    /// has read before.
    pub async fn read(&mut self, table: &Table, keys: Vec<Key>) -> Result<(), Error> {
        let keys: BTreeSet<Key> = keys.into_iter().filter(|key| !self.read.contains(key)).collect();
        let found = batch::get(table, keys.clone(), self.is_consistent).await?;
        self.add(&found)?;
        self.read.extend(keys);
        Ok(())
    }

    /// Reads the requests of the caller to users who approve followers. It sends a request only if
    /// there are such users whom the caller does not follow.
    pub async fn read_requests<'u>(
        &mut self,
        table: &Table,
        approving: impl IntoIterator<Item = &'u Username>,
    ) -> Result<(), Error> {
        let others = approving.into_iter().filter(|user| *user != self.caller && !self.follows.contains(*user));
        let keys = others.map(|user| Key::follow_request(user, self.caller)).collect();
        self.read(table, keys).await
    }

    /// Reads the blocks between the caller and these users, in both directions. One request reads
    /// those of 50 users. Without users, it sends none.
    pub async fn read_blocks<'u>(
        &mut self,
        table: &Table,
        users: impl IntoIterator<Item = &'u Username>,
    ) -> Result<(), Error> {
        let caller = self.caller;
        let others = users.into_iter().filter(|user| *user != caller);
        let keys = others.flat_map(|user| [Key::block(user, caller), Key::block(caller, user)]).collect();
        self.read(table, keys).await
    }

    /// Reads the blocks between the caller and `users` that [there can be](Self::possible_blocks).
    pub async fn read_blocks_of(&mut self, table: &Table, users: &[Item]) -> Result<(), Error> {
        let blocks: Vec<Vec<Key>> = users.iter().map(|user| self.possible_blocks(user)).collect::<Result<_, _>>()?;
        self.read(table, blocks.concat()).await
    }

    /// Returns the keys of the blocks that there can be between the caller and a user, whose item
    /// says whether they block anybody, and whether anybody blocks them. For another item there are
    /// none.
    fn possible_blocks(&self, user: &Item) -> Result<Vec<Key>, Error> {
        let (blocks, is_blocked) = (has_any(user, BLOCKS), has_any(user, BLOCKED_BY));
        if !blocks && !is_blocked {
            return Ok(vec![]);
        }
        let other = username_from_item(user)?.filter(|user| user != self.caller);
        let keys = other.into_iter().flat_map(|other| {
            let by_other = blocks.then(|| Key::block(&other, self.caller));
            by_other.into_iter().chain(is_blocked.then(|| Key::block(self.caller, &other)))
        });
        Ok(keys.collect())
    }

    /// Returns the keys of what decides whether the caller sees a user and these photos of theirs:
    /// the block, if the item of the user says that they block anybody, and the friendship, if only
    /// followers see one of the photos. For most users there are none.
    #[must_use]
    pub fn deciding(&self, username: &Username, user: &Item, photos: &[Photo]) -> Vec<Key> {
        if username == self.caller {
            return vec![];
        }
        let block = has_any(user, BLOCKS).then(|| Key::block(username, self.caller));
        let is_restricted = photos.iter().any(|photo| photo.audience == Audience::Followers);
        let friendship = is_restricted.then(|| Key::friendship(username, self.caller));
        block.into_iter().chain(friendship).collect()
    }

    /// Returns the keys of what [`between`](Self::between) says of a user with this item, besides
    /// the [friendships](Self::friendships): the block of the caller, if anybody blocks the user,
    /// and the request, if the user approves followers and it is not known that the caller is one.
    #[must_use]
    pub fn block_and_request(&self, username: &Username, user: &Item) -> Vec<Key> {
        if username == self.caller {
            return vec![];
        }
        let block = has_any(user, BLOCKED_BY).then(|| Key::block(self.caller, username));
        let asks = approves_followers(user) && !self.follows.contains(username);
        let request = asks.then(|| Key::follow_request(username, self.caller));
        block.into_iter().chain(request).collect()
    }

    /// Reads whether the caller follows the owners of those photos that only followers see. It
    /// sends a request only if there are such photos of owners of whom this is not known.
    pub async fn read_audiences(&mut self, table: &Table, photos: &[Photo]) -> Result<(), Error> {
        let caller = self.caller;
        let restricted = photos.iter().filter(|photo| photo.audience == Audience::Followers);
        let owners = restricted.map(|photo| &photo.username).filter(|owner| *owner != caller);
        let keys = owners.map(|owner| Key::friendship(owner, caller)).collect();
        self.read(table, keys).await
    }

    /// Returns whether the caller may see a photo. The friendship with the owner has to be among
    /// the items that were [added](Self::add) if the photo has this audience, and so has a block.
    #[must_use]
    pub fn may_see(&self, photo: &Photo) -> bool {
        if photo.username == *self.caller {
            return !photo.has_expired();
        }
        let is_of_audience = match photo.audience {
            Audience::Everyone => true,
            Audience::Followers => self.follows.contains(&photo.username),
            Audience::Me => false,
        };
        is_of_audience && photo.is_ready() && !self.blocked_by.contains(&photo.username)
    }

    /// Adds the settings of the caller, whose item this is.
    pub fn add_caller(&mut self, caller: Option<&Item>) {
        self.shows_sensitive = Some(caller.is_some_and(shows_sensitive));
    }

    /// Reads the settings of the caller, if one of these photos is a sensitive one of somebody else and the
    /// settings are not known.
    pub async fn read_settings(&mut self, table: &Table, photos: &[Photo]) -> Result<(), Error> {
        let is_needed = |photo: &Photo| photo.sensitive.is_some() && photo.username != *self.caller;
        if self.shows_sensitive.is_none() && photos.iter().any(is_needed) {
            let caller = batch::get(table, [Key::user(self.caller)].into(), self.is_consistent).await?;
            self.add_caller(caller.first());
        }
        Ok(())
    }

    /// Returns whether lists show a photo to the caller without its picture, because it is sensitive.
    /// The caller's own photos have it, and those of others if the settings of the caller were
    /// [read](Self::read_settings) and say so.
    #[must_use]
    pub fn hides_picture(&self, photo: &Photo) -> bool {
        photo.sensitive.is_some() && photo.username != *self.caller && self.shows_sensitive != Some(true)
    }

    /// Returns whether the caller follows a user. The friendship has to be among the items that were
    /// [added](Self::add).
    #[must_use]
    pub fn follows(&self, user: &Username) -> bool {
        self.follows.contains(user)
    }

    /// Adds friendships of the caller that were read together with other items, so that they are not
    /// [read](Self::read) again.
    pub fn add_friendships(&mut self, items: &[Item]) -> Result<(), Error> {
        self.add(items)?;
        self.read.extend(self.follows.iter().map(|followed| Key::friendship(followed, self.caller)));
        Ok(())
    }

    /// Returns whether the user blocks the caller, who then sees no such user.
    #[must_use]
    pub fn is_blocked_by(&self, user: &Username) -> bool {
        self.blocked_by.contains(user)
    }

    /// Returns whether one of the two blocks the other, so that neither shows in what the other one
    /// sees of a third user.
    #[must_use]
    pub fn hides(&self, user: &Username) -> bool {
        self.blocked.contains(user) || self.blocked_by.contains(user)
    }

    /// Returns whether the inbox of the caller leaves out a user, because one of the two blocks the
    /// other, or because the caller mutes the user.
    #[must_use]
    pub fn silences(&self, user: &Username) -> bool {
        self.hides(user) || self.mutes.contains(user)
    }

    /// Returns the caller.
    #[must_use]
    pub fn caller(&self) -> &'a Username {
        self.caller
    }

    /// Returns whether a user may be suggested to the caller, who neither follows nor has asked them,
    /// and whose inbox would not leave them out.
    #[must_use]
    pub fn may_be_suggested(&self, user: &Username) -> bool {
        !self.follows.contains(user) && !self.asked.contains(user) && !self.silences(user)
    }

    /// Returns whether the caller may see a comment on a photo that they may see. A reply names the
    /// author of the comment that it answers, who must not be hidden either.
    #[must_use]
    pub fn may_see_comment(&self, comment: &Comment) -> bool {
        let hides_answered = comment.reply_to.as_ref().is_some_and(|answered| self.hides(&answered.author));
        let is_hidden = hides_answered || self.hides(&comment.author);
        comment.author == *self.caller || (comment.removed.is_none() && !is_hidden)
    }

    /// Returns the relation of the caller and a user.
    #[must_use]
    pub fn between(&self, user: &Username) -> Relation {
        Relation {
            follows: self.follows.contains(user),
            follows_you: self.followers.contains(user),
            requested: self.asked.contains(user),
            muted: self.muted.contains(user),
            alerts: self.alerts.contains(user),
            blocked: self.blocked.contains(user),
        }
    }
}
