//! The relations of a caller to other users: what answers say about them, and which photos of theirs
//! the caller may see.

use std::collections::{BTreeSet, HashSet};

use super::block::{Block, has_blocks};
use super::comment::Comment;
use super::follow_request::FollowRequest;
use super::friendship::{Friendship, MUTED, Relation};
use super::keys::{Key, is_block, is_friendship};
use super::photo::Photo;
use super::user::{User, user_from_item};
use crate::dynamodb::{Item, batch, entity};
use crate::values::{Audience, Level, PageParts, Username};
use crate::{Error, Table};

impl PageParts {
    /// Returns the maximum number of people on a page, so that one `BatchGetItem` reads all parts.
    #[must_use]
    pub fn max_people(self) -> i32 {
        let keys_per_person = usize::from(self.people) + 2 * usize::from(self.viewer);
        i32::try_from(batch::MAX_GET_KEYS / keys_per_person.max(1)).unwrap_or(i32::MAX)
    }

    /// Returns the keys of the items that the parts need of these people: the user, and the
    /// friendships between the user and the caller in both directions.
    #[must_use]
    pub fn keys<'a>(self, caller: &Username, people: impl IntoIterator<Item = &'a Username>) -> Vec<Item> {
        let people: BTreeSet<&Username> = people.into_iter().collect();
        let keys = people.into_iter().flat_map(|person| {
            let user = self.people.then(|| Key::user(person));
            let friendships = if self.viewer { Relations::friendships(caller, person) } else { vec![] };
            user.into_iter().chain(friendships).map(Item::from)
        });
        keys.collect()
    }
}

/// The relations of a caller to other users, as far as they were read.
#[derive(Debug, Clone)]
pub struct Relations<'a> {
    caller: &'a Username,
    follows: HashSet<Username>,
    followers: HashSet<Username>,
    muted: HashSet<Username>,
    /// The users whom the caller has asked.
    asked: HashSet<Username>,
    /// The users whom the caller blocks.
    blocked: HashSet<Username>,
    /// The users whom the caller mutes.
    mutes: HashSet<Username>,
    /// The users who block the caller.
    blocked_by: HashSet<Username>,
    /// The owners of whom it was read whether the caller follows them.
    read: HashSet<Username>,
}

impl<'a> Relations<'a> {
    /// Returns the relations of a caller, of which nothing was read.
    #[must_use]
    pub fn of(caller: &'a Username) -> Self {
        let none = HashSet::new;
        let (follows, followers, muted, asked) = (none(), none(), none(), none());
        Self {
            caller,
            follows,
            followers,
            muted,
            asked,
            blocked: none(),
            mutes: none(),
            blocked_by: none(),
            read: none(),
        }
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

    /// Adds what the friendships and blocks among items say. Other items are left out.
    pub fn add(&mut self, items: &[Item]) -> Result<(), Error> {
        for item in items {
            if is_friendship(item) {
                let Friendship { followed_user, following_user, .. } = entity::from_item(item.clone())?;
                if following_user == *self.caller {
                    self.muted.extend(item.contains_key(MUTED).then(|| followed_user.clone()));
                    self.follows.insert(followed_user);
                } else {
                    self.followers.insert(following_user);
                }
            } else if is_block(item) {
                let Block { blocking_user, blocked_user, level, .. } = entity::from_item(item.clone())?;
                match level {
                    Level::Block if blocking_user == *self.caller => self.blocked.insert(blocked_user),
                    Level::Block => self.blocked_by.insert(blocking_user),
                    Level::Mute if blocking_user == *self.caller => self.mutes.insert(blocked_user),
                    Level::Mute => false,
                };
            }
        }
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
        let keys = others.map(|user| Key::follow_request(user, self.caller).into()).collect();
        for item in batch::get(table, keys, false).await? {
            self.asked.insert(entity::from_item::<FollowRequest>(item)?.asked_user);
        }
        Ok(())
    }

    /// Reads the blocks between the caller and these users, in both directions. One request reads
    /// those of 50 users. Without users, it sends none.
    pub async fn read_blocks<'u>(
        &mut self,
        table: &Table,
        users: impl IntoIterator<Item = &'u Username>,
    ) -> Result<(), Error> {
        let others: BTreeSet<&Username> = users.into_iter().filter(|user| *user != self.caller).collect();
        let keys = others.into_iter().flat_map(|user| [Key::block(user, self.caller), Key::block(self.caller, user)]);
        let keys: Vec<Item> = keys.map(Item::from).collect();
        for keys in keys.chunks(batch::MAX_GET_KEYS) {
            let found = batch::get(table, keys.to_vec(), false).await?;
            self.add(&found)?;
        }
        Ok(())
    }

    /// Reads the blocks between the caller and those of `users` who block anybody or whom anybody
    /// blocks, as their items say. For others, it sends no request.
    pub async fn read_blocks_of(&mut self, table: &Table, users: &[Item]) -> Result<(), Error> {
        let users = users.iter().filter(|item| has_blocks(item)).cloned().map(user_from_item);
        let users: Vec<Option<User>> = users.collect::<Result<_, _>>()?;
        self.read_blocks(table, users.iter().flatten().map(|user| &user.username)).await
    }

    /// Reads whether the caller follows the owners of those photos that only followers see. It sends
    /// a request only if there are such photos of owners of whom this is not known. There must be at
    /// most 100 owners.
    pub async fn read_audiences(&mut self, table: &Table, photos: &[Photo]) -> Result<(), Error> {
        let restricted = photos.iter().filter(|photo| photo.audience == Audience::Followers);
        let owners: BTreeSet<&Username> = restricted.map(|photo| &photo.username).collect();
        let owners = owners.into_iter().filter(|owner| *owner != self.caller && self.read.insert((*owner).clone()));
        let keys = owners.map(|owner| Key::friendship(owner, self.caller).into()).collect();
        let found = batch::get(table, keys, false).await?;
        self.add(&found)
    }

    /// Returns whether the caller may see a photo. The friendship with the owner has to be among the
    /// items that were [added](Self::add) if the photo has this audience, and so has a block.
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

    /// Returns whether the caller may see a comment on a photo that they may see.
    #[must_use]
    pub fn may_see_comment(&self, comment: &Comment) -> bool {
        comment.author == *self.caller || (comment.removed.is_none() && !self.hides(&comment.author))
    }

    /// Returns the relation of the caller and a user.
    #[must_use]
    pub fn between(&self, user: &Username) -> Relation {
        Relation {
            follows: self.follows.contains(user),
            follows_you: self.followers.contains(user),
            requested: self.asked.contains(user),
            muted: self.muted.contains(user),
            blocked: self.blocked.contains(user),
        }
    }
}
