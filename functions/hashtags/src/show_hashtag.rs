//! One `DeleteItem` deletes the decision by which a hashtag is hidden. Entries, summary and listings
//! have followed the photos meanwhile, so the hashtag is found again at once.

use shared::entities::Key;
use shared::http::answer;
use shared::http::extract::{Moderator, Path};
use shared::values::Hashtag;
use shared::{Error, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct ShowHashtag {
    table: Table,
}

impl Route for ShowHashtag {
    const NAME: &'static str = "show-hashtag";
    const ROUTE: &'static str = "DELETE /tags/{tag}/hidden";
    const SUMMARY: &'static str =
        "A moderator shows a hidden hashtag again. Only members of the group `moderators` may do this.";
    const SUCCESSES: &'static [Success] = &[Success::no_content("The hashtag is not hidden.")];

    type Input = (Path<Hashtag>, Moderator);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(&self, (Path(hashtag), Moderator(_)): Self::Input) -> Result<Response<()>, Error> {
        let Self { table } = self;

        let delete = table.client.delete_item().table_name(&table.name);
        delete.set_key(Some(Key::hidden_hashtag(&hashtag).into())).send().await?;
        Ok(answer::no_content())
    }
}
