//! The count of a user's favorites, which the transactions that create and delete a favorite change.

use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::{TransactWriteItem, Update};

use super::{Key, MAX_FAVORITES};
use crate::Error;
use crate::dynamodb::transaction::Decrement;
use crate::values::Username;

/// Returns the part of a transaction that increments the count, on the condition that the user has fewer than
/// [`MAX_FAVORITES`] favorites.
pub fn increment(table_name: &str, owner: &Username) -> Result<TransactWriteItem, Error> {
    let update = Update::builder()
        .table_name(table_name)
        .set_key(Some(Key::favorite_count(owner).into()))
        .condition_expression("attribute_not_exists(favorites) OR favorites < :max")
        .update_expression("ADD favorites :one")
        .expression_attribute_values(":max", N(MAX_FAVORITES.to_string()))
        .expression_attribute_values(":one", N("1".to_owned()))
        .build()?;
    Ok(TransactWriteItem::builder().update(update).build())
}

/// Returns the decrement of the count. There is nothing to decrement if another program wrote the favorites and nothing
/// has counted them since.
#[must_use]
pub fn decrement(table_name: &str, owner: &Username) -> Decrement {
    Decrement {
        table_name: table_name.to_owned(),
        key: Key::favorite_count(owner).into(),
        condition: "favorites >= :n",
        update: "SET favorites = favorites - :n",
        otherwise: None,
        names: None,
    }
}

/// Returns the error for a user who has the maximum.
#[must_use]
pub fn too_many() -> Error {
    Error::Conflict(format!("You have the maximum of {MAX_FAVORITES} favorites or more. Delete a favorite first."))
}
