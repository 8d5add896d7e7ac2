//! The count of a user's favorites. The transactions that create and delete a favorite change it.
//! If another program wrote the favorites and nothing has counted them since, there is nothing to
//! decrement.

use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::Update;

use super::key::Key;
use crate::values::Username;
use crate::{Error, ErrorKind};

/// The prefix of the partition keys of the counts of favorites. The owner follows.
pub const FAVORITE_COUNT_PREFIX: &str = "FavoriteCount#";

/// The maximum number of favorites of a user. purge-deleted-tag reads all of them, 1 MB in a
/// request, which is about a hundred requests.
pub const MAX_FAVORITES: u64 = 100_000;

impl Key {
    /// Returns the key of the item that counts the favorites of a user, in its attribute
    /// `favorites`.
    ///
    /// If another program wrote the favorites, there is no such item until this one clips a
    /// favorite. It then counts only newer favorites, until the audit has counted all.
    #[must_use]
    pub fn favorite_count(owner: &Username) -> Self {
        Self::of_favorite(favorite_count_pk(owner), "FavoriteCount".to_owned())
    }
}

/// Returns the partition key of the favorite count of a user.
#[must_use]
pub fn favorite_count_pk(owner: &Username) -> String {
    format!("{FAVORITE_COUNT_PREFIX}{owner}")
}

/// Returns the update that increments the count, on the condition that the user has
/// fewer than [`MAX_FAVORITES`] favorites.
pub fn increment(table_name: &str, owner: &Username) -> Result<Update, Error> {
    let update = Update::builder()
        .table_name(table_name)
        .set_key(Some(Key::favorite_count(owner).into()))
        .condition_expression("attribute_not_exists(favorites) OR favorites < :max")
        .update_expression("ADD favorites :one")
        .expression_attribute_values(":max", N(MAX_FAVORITES.to_string()))
        .expression_attribute_values(":one", N("1".to_owned()))
        .build()?;
    Ok(update)
}

/// Returns the error for a user who has the maximum.
#[must_use]
pub fn too_many() -> Error {
    let detail = format!("You have reached the maximum of {MAX_FAVORITES} favorites. Delete a favorite first.");
    Error::refused(ErrorKind::TooManyFavorites, detail)
}
