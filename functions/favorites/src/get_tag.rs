//! One `GetItem` reads the tag.

use shared::dynamodb::entity;
use shared::entities::{Key, Tag};
use shared::http::answer;
use shared::http::extract::{Owner, Path};
use shared::http::request::Caller;
use shared::values::TagId;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct GetTag {
    table: Table,
}

impl Route for GetTag {
    const NAME: &'static str = "get-tag";
    const ROUTE: &'static str = "GET /users/{username}/tags/{tagId}";
    const SUMMARY: &'static str = "Returns a tag.";
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoTag];

    type Input = (Owner, Path<TagId>);
    type Body = Tag;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Owner(Caller { username, .. }), Path(tag_id)): Self::Input,
    ) -> Result<Response<Tag>, Error> {
        let Self { table } = self;
        let output = table
            .client
            .get_item()
            .table_name(&table.name)
            .set_key(Some(Key::tag(&username, &tag_id).into()))
            .send()
            .await?;

        let item = output.item.ok_or_else(|| Error::no_tag(&tag_id))?;
        answer::private(&entity::from_item::<Tag>(item)?)
    }
}
