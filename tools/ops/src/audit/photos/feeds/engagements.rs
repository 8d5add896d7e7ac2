//! Inspects and repairs engagements: what callers did to photos.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::{S, Ss};
use shared::dynamodb::batch;
use shared::entities::{Engagement, Key};
use shared::values::ReactionType;

use super::entity::Entity;
use super::feeds_check::FeedsCheck;
use crate::audit::error::Error;
use crate::audit::finding::{Engaged, FeedsFinding};
use crate::audit::layout::keys;
use crate::audit::photos::entity::Entity as PhotosEntity;
use crate::audit::photos::user_state::{UserState, user_state};
use crate::audit::read;
use crate::audit::write::{check, check_part, update, update_part, write};

impl FeedsCheck {
    /// Returns the defect of an engagement: it does not have the reactions of the caller to the
    /// photo, or one of them has both of its keys. While the caller or the photo is being deleted,
    /// it has none.
    pub(super) async fn engagement(&self, engaged: &Engaged) -> Result<Option<FeedsFinding>, Error> {
        let stored = match read::entity(&self.feed, engaged.key()).await? {
            Some(Ok(Entity::Engagement { engagement: Engagement { reactions, .. }, .. })) => reactions,
            // It is malformed.
            Some(_) => return Ok(None),
            None => BTreeSet::new(),
        };
        let reactions = self.reactions(engaged).await?;
        let actual = present(&reactions);

        let photo = read::get(&self.table, Key::photo(&engaged.owner, &engaged.photo));
        // Reactions without their photo are findings of their own.
        let is_settled = photo.await?.is_some() || actual.is_empty();
        let is_wrong =
            stored != actual && is_settled && user_state(&self.table, &engaged.caller).await? == UserState::Present;
        let of = engaged.clone();
        let twice = reactions.chunks(2).find(|keys| keys.iter().all(|(_, _, exists)| *exists));
        if let Some([(reaction, ..), ..]) = twice {
            return Ok(Some(FeedsFinding::TwoReactions { of, reaction: *reaction }));
        }
        Ok(is_wrong.then_some(FeedsFinding::Engagement { of, stored, actual }))
    }

    /// Reads the reactions of the caller to the photo: the keys that they can have, and whether
    /// there is an item.
    async fn reactions(&self, engaged: &Engaged) -> Result<Vec<(ReactionType, Key, bool)>, Error> {
        let all = ReactionType::ALL.iter();
        let all: Vec<_> = all.flat_map(|kind| engaged.reaction(*kind).map(|key| (*kind, key))).collect();
        let found = batch::get(&self.table, all.iter().map(|(_, key)| key.clone()).collect(), true).await?;
        let found: Vec<_> = found.iter().map(keys::<PhotosEntity>).collect();
        let exists = |key: &Key| found.contains(&keys::<PhotosEntity>(&key.clone().into()));
        Ok(all.into_iter().map(|(kind, key)| (kind, key.clone(), exists(&key))).collect())
    }

    /// Gives an engagement the reactions that there are, if neither has changed.
    pub(super) async fn correct_engagement(
        &self,
        engaged: &Engaged,
        stored: &BTreeSet<ReactionType>,
        actual: &BTreeSet<ReactionType>,
    ) -> Result<bool, Error> {
        let set = |reactions: &BTreeSet<ReactionType>| Ss(reactions.iter().map(ToString::to_string).collect());
        let mut change = update(&self.feed, engaged.key());
        change = if stored.is_empty() {
            change.condition_expression("attribute_not_exists(reactions)")
        } else {
            change.condition_expression("reactions = :stored").expression_attribute_values(":stored", set(stored))
        };
        change = if actual.is_empty() {
            change.update_expression("REMOVE reactions")
        } else {
            change.update_expression("SET reactions = :actual").expression_attribute_values(":actual", set(actual))
        };
        let caller = check(&self.table, Key::user(&engaged.caller));
        let mut parts =
            vec![update_part(change)?, check_part(caller.condition_expression("attribute_exists(username)"))?];
        let reactions = self.reactions(engaged).await?;
        if present(&reactions) != *actual {
            return Ok(false);
        }
        for (_, key, exists) in reactions {
            let item = check(&self.table, key);
            parts.push(check_part(if exists {
                item.condition_expression("reactingUser = :caller")
                    .expression_attribute_values(":caller", S(engaged.caller.to_string()))
            } else {
                item.condition_expression("attribute_not_exists(PK)")
            })?);
        }
        write(&self.feed, parts).await
    }
}

impl Engaged {
    fn key(&self) -> Key {
        Key::engagement(&self.caller, &self.owner, &self.photo)
    }

    /// Returns the keys that the reaction can have.
    fn reaction(&self, reaction: ReactionType) -> [Key; 2] {
        let key = Key::reaction(&self.caller, reaction, &self.owner, &self.photo);
        [key.clone(), key.sharded()]
    }
}

/// Returns the types of the reactions that exist.
fn present(reactions: &[(ReactionType, Key, bool)]) -> BTreeSet<ReactionType> {
    reactions.iter().filter(|(_, _, exists)| *exists).map(|(reaction, _, _)| *reaction).collect()
}
