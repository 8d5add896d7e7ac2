//! The subject of an engagement.

use shared::entities::Key;
use shared::values::{PhotoId, ReactionType, Username};

/// A caller and a photo.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::audit) struct Engaged {
    pub(super) caller: Username,
    pub(super) owner: Username,
    pub(super) photo: PhotoId,
}

impl Engaged {
    pub(super) fn key(&self) -> Key {
        Key::engagement(&self.caller, &self.owner, &self.photo)
    }

    /// Returns the keys that the reaction can have.
    pub(super) fn reaction(&self, reaction: ReactionType) -> [Key; 2] {
        let key = Key::reaction(&self.caller, reaction, &self.owner, &self.photo);
        [key.clone(), key.sharded()]
    }
}

/// Returns the bit of a type of reaction.
pub(super) fn bit(reaction: ReactionType) -> u8 {
    let position = ReactionType::ALL.iter().position(|other| *other == reaction).unwrap_or_default();
    1 << position
}
