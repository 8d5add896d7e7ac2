//! Pre sign-up trigger of the user pool: refuses the name of a new account if it is reserved, or if
//! the tables hold something of that name.
//!
//! Favorites and tags belong to every account with the `username` in its token, and a profile
//! belongs to the account that created it. Cognito lets anybody take the name of an account that
//! was deleted there. Such a person would inherit the favorites and tags, and could not use the
//! profile. The name of a user who was deleted here rests, with a `Deletion` in the user's place.
//!
//! Four reads are sent at the same time: one consistent `GetItem` of the user, or of the `Deletion`
//! in its place, and one consistent `Query` each of the user's favorites, of the histories of
//! deleted favorites and of the tags, until there is one that has not expired. A user without a profile can have these three,
//! so the `GetItem` alone would miss them. All other items need a profile, and finish-deletion
//! deletes them before the `Deletion`.
//!
//! An administrator may give a name back to the person who had it, and then nothing is read.

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::Select;
use futures_util::future::{try_join, try_join_all};
use shared::entities::{Key, favorites_pk, histories_pk, tags_pk};
use shared::runtime::trigger::SignUp;
use shared::values::{EpochMillis, Username, Value};
use shared::{Error, ErrorKind, Handler, Process, StartError, Table};

#[cfg(test)]
mod tests;

/// The maximum number of items that a `Query` reads. The first one decides, unless it has expired.
const MAX_PAGE_ITEMS: i32 = 10;

/// The function.
pub struct RefuseUsedName {
    table: Table,
    favorites: Table,
}

impl Handler for RefuseUsedName {
    const NAME: &'static str = "refuse-used-name";

    type Event = SignUp;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, favorites: process.table("FAVORITE_TABLE_NAME")? })
    }

    async fn handle(&self, sign_up: SignUp) -> Result<(), Error> {
        let Self { table, favorites } = self;
        // The user pool ignores the case of a name, and a username of the API is lower case.
        let username: Username = sign_up
            .name
            .to_ascii_lowercase()
            .parse()
            .map_err(|_| Error::invalid("The username", format!("must be {}", Username::RULE)))?;
        if sign_up.returns_name {
            return Ok(());
        }
        if username.is_reserved() {
            let detail = format!("The username {username} is reserved. Choose another one.");
            return Err(Error::refused(ErrorKind::UsernameReserved, detail));
        }

        let user = table.client.get_item().table_name(&table.name).set_key(Some(Key::user(&username).into()));
        let has_user = async { Ok(user.consistent_read(true).send().await?.item.is_some()) };
        let partitions = [favorites_pk(&username), histories_pk(&username), tags_pk(&username)];
        let have_items = try_join_all(partitions.map(|pk| has_items(favorites, pk)));
        let (has_user, have_items) = try_join(has_user, have_items).await?;

        if has_user || have_items.contains(&true) {
            let detail = format!("The username {username} is taken. Choose another one.");
            return Err(Error::refused(ErrorKind::UsernameTaken, detail));
        }
        Ok(())
    }
}

/// Returns whether a partition of the table of favorites has an item that has not expired.
async fn has_items(favorites: &Table, pk: String) -> Result<bool, Error> {
    let mut pages = favorites
        .client
        .query()
        .table_name(&favorites.name)
        .consistent_read(true)
        .key_condition_expression("pk = :pk")
        .filter_expression("attribute_not_exists(#ttl) OR #ttl > :now")
        .expression_attribute_names("#ttl", "ttl")
        .expression_attribute_values(":pk", S(pk))
        .expression_attribute_values(":now", N(EpochMillis::now().seconds().to_string()))
        .select(Select::Count)
        .limit(MAX_PAGE_ITEMS)
        .into_paginator()
        .send();
    while let Some(page) = pages.try_next().await? {
        if page.count > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}
