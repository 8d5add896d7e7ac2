//! The position of a photo in a feed.

use serde::{Deserialize, Serialize};

use crate::values::{PhotoId, Username};

/// The position of a photo in a feed. Positions are in the order of the sort keys of entries.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// The id of the photo.
    pub id: PhotoId,
    /// The owner of the photo.
    pub author: Username,
}
