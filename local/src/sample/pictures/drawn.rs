//! The attributes of the drawn pictures in the items, from drawn.json. A test computes them, and
//! prints the new file after a change of a picture.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use shared::values::PictureId;

/// The attributes of a picture in an item, besides its width and its height.
#[derive(Debug, PartialEq, Deserialize, Serialize)]
pub(super) struct Drawn {
    /// The id, which is made from the pixels.
    pub(super) id: PictureId,
    /// The bytes of both JPEGs.
    pub(super) bytes: u64,
    pub(super) blurhash: String,
    /// The vector, whose elements are each a byte, in Base64.
    pub(super) vector: String,
}

/// The scenes and then the portraits.
pub(super) static DRAWN: LazyLock<Vec<Drawn>> =
    LazyLock::new(|| serde_json::from_str(include_str!("drawn.json")).expect("drawn.json has these fields"));
