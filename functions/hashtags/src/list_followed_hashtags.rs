//! One `GetItem` reads all hashtags that the caller follows, which are one item.

use serde::Serialize;
use shared::dynamodb::entity;
use shared::entities::{FollowedHashtags, Key};
use shared::http::answer;
use shared::http::extract::Owner;
use shared::values::Hashtag;
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The hashtags that the caller follows.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct Followed {
    /// The hashtags, sorted by name and without the `#`. There are at most 20.
    hashtags: Vec<Hashtag>,
}

/// The route.
pub struct ListFollowedHashtags {
    table: Table,
}

impl Route for ListFollowedHashtags {
    const NAME: &'static str = "list-followed-hashtags";
    const ROUTE: &'static str = "GET /users/{username}/hashtags";
    const SUMMARY: &'static str = "Returns the hashtags that the caller follows.";

    type Input = (Owner,);
    type Body = Followed;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(&self, (Owner(caller),): Self::Input) -> Result<Response<Followed>, Error> {
        let Self { table } = self;
        let get = table.client.get_item().table_name(&table.name);
        let item = get.set_key(Some(Key::followed_hashtags(&caller.username).into())).send().await?.item;
        let followed: FollowedHashtags = item.map(entity::from_item).transpose()?.unwrap_or_default();
        answer::private(&Followed { hashtags: followed.hashtags.into_iter().collect() })
    }
}
