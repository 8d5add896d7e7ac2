//! One `TransactWriteItems` deletes the entry, decrements the favorite's `tagCount` and takes the id
//! of the tag out of its `tagIds`. If there is no count to decrement, because the favorite is deleted or another program wrote it, a second one
//! deletes the entry and checks that there is none.
//!
//! The transaction also checks that the name is not that of another account
//! ([`account`](shared::entities::account)).

use aws_sdk_dynamodb::types::Delete;
use shared::dynamodb::counter::{self, Decrement};
use shared::entities::Key;
use shared::entities::account::Account;
use shared::http::answer;
use shared::http::extract::{Owner, Path};
use shared::values::{DataId, TagId};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct UntagFavorite {
    table: Table,
    photos: String,
}

impl Route for UntagFavorite {
    const NAME: &'static str = "untag-favorite";
    const ROUTE: &'static str = "DELETE /users/{username}/favorites/{dataId}/tags/{tagId}";
    const SUMMARY: &'static str = "Takes a tag off a favorite. A repeated request changes nothing.";
    const SUCCESSES: &'static [Success] = &[Success::no_content("The favorite does not carry the tag.")];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Owner, Path<DataId>, Path<TagId>);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, photos: process.variable("PHOTOS_TABLE_NAME")? })
    }

    async fn answer(&self, (Owner(caller), Path(data_id), Path(tag_id)): Self::Input) -> Result<Response<()>, Error> {
        let Self { table, photos } = self;
        let username = &caller.username;
        let account = Account { table_name: photos, username, subject: &caller.subject };

        let delete_entry = Delete::builder()
            .table_name(&table.name)
            .set_key(Some(Key::favorite_tag(username, &data_id, &tag_id).into()))
            .condition_expression("attribute_exists(pk)")
            .build()?;
        let decrement = Decrement::new(&table.name, Key::favorite(username, &data_id), "tagCount")
            .with_member("tagIds", tag_id.as_ref());
        let guard = account.guard();
        counter::delete_and_decrement(&table.client, vec![(delete_entry, vec![decrement])], Some(&guard)).await?;
        Ok(answer::no_content())
    }
}
