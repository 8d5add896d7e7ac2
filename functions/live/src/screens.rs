//! The item of a user's screens, as the functions read and write it.

use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::{Delete, Put};
use shared::dynamodb::entity;
use shared::entities::{Key, Screen, Screens, Watcher};
use shared::values::{PhotoReference, ScreenId, Username};
use shared::{Error, Table};

/// Returns the screens of a user by a consistent `GetItem`.
pub(crate) async fn get(feed: &Table, user: &Username) -> Result<Screens, Error> {
    let get = feed.client.get_item().table_name(&feed.name).set_key(Some(Key::screens(user).into()));
    let output = get.consistent_read(true).send().await?;
    Ok(output.item.map(entity::from_item).transpose()?.unwrap_or_default())
}

/// Returns the put of the screens of a user, on the condition that they have not changed since they
/// were read.
pub(crate) fn put(feed: &Table, user: &Username, screens: Screens) -> Result<Put, Error> {
    let put = Put::builder().table_name(&feed.name);
    let put = match screens.revision {
        0 => put.condition_expression("attribute_not_exists(pk)"),
        revision => put
            .condition_expression("revision = :revision")
            .expression_attribute_values(":revision", N(revision.to_string())),
    };
    let ttl = screens.screens.values().map(Screen::ttl).max().unwrap_or(screens.ttl);
    let next = Screens { revision: screens.revision + 1, ttl, ..screens };
    Ok(put.set_item(Some(entity::to_item(Key::screens(user), &next)?)).build()?)
}

/// Returns the put of the watcher that a screen is.
pub(crate) fn put_watcher(
    feed: &Table,
    photo: &PhotoReference,
    user: &Username,
    id: &ScreenId,
    ttl: u64,
) -> Result<Put, Error> {
    let watcher = Watcher { username: user.clone(), screen: id.clone(), ttl };
    let item = entity::to_item(Key::watcher(photo, user, id), &watcher)?;
    Ok(Put::builder().table_name(&feed.name).set_item(Some(item)).build()?)
}

/// Returns the delete of the watcher that a screen was.
pub(crate) fn delete_watcher(
    feed: &Table,
    photo: &PhotoReference,
    user: &Username,
    id: &ScreenId,
) -> Result<Delete, Error> {
    let key = Key::watcher(photo, user, id);
    Ok(Delete::builder().table_name(&feed.name).set_key(Some(key.into())).build()?)
}
