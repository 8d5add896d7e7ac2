//! One `PutItem` puts the decision, on the condition that there is none, so that a repeated request
//! leaves the time of the first one. Lists and searches read the decision, so it counts at once.

use shared::dynamodb::unless_condition_failed;
use shared::entities::HiddenHashtag;
use shared::http::answer;
use shared::http::extract::{Moderator, Path};
use shared::values::{Hashtag, Timestamp};
use shared::{Error, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct HideHashtag {
    table: Table,
}

impl Route for HideHashtag {
    const NAME: &'static str = "hide-hashtag";
    const ROUTE: &'static str = "PUT /tags/{tag}/hidden";
    const SUMMARY: &'static str = "A moderator hides a hashtag: no search finds it, and its list of photos is empty. Captions stay as they \
         are. Only members of the group `moderators` may do this.";
    const SUCCESSES: &'static [Success] = &[Success::no_content("The hashtag is hidden.")];

    type Input = (Path<Hashtag>, Moderator);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(&self, (Path(hashtag), Moderator(_)): Self::Input) -> Result<Response<()>, Error> {
        let Self { table } = self;

        let put = table
            .client
            .put_item()
            .table_name(&table.name)
            .set_item(Some(HiddenHashtag { hashtag, timestamp: Timestamp::now() }.item()))
            .condition_expression("attribute_not_exists(PK)");
        unless_condition_failed(put.send().await)?;
        Ok(answer::no_content())
    }
}
