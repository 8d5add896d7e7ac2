//! Deletes the screens of a deleted user: a consistent `GetItem` reads them. If there are any, two
//! `BatchWriteItem` delete first the watchers that they are, and then the item.

use shared::dynamodb::batch;
use shared::entities::Key;
use shared::values::Username;
use shared::{Error, Table};

use crate::screens;

/// Deletes the screens of a user, and the watchers that they are.
pub async fn delete_of_user(feed: &Table, user: &Username) -> Result<(), Error> {
    let screens = screens::get(feed, user).await?;
    if screens.revision == 0 {
        return Ok(());
    }
    let watchers =
        screens.screens.iter().filter_map(|(id, screen)| Some(Key::watcher(screen.photo.as_ref()?, user, id)));
    let deletes = watchers.map(batch::delete).collect::<Result<_, _>>()?;
    batch::write(feed, deletes).await?;
    batch::write(feed, vec![batch::delete(Key::screens(user))?]).await
}
