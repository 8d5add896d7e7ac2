//! One `Query` reads them, which sort before the followers. With `include`, one `BatchGetItem`
//! reads the profiles of those who ask, or the friendships between them and the caller, or both.
//! The page then has at most as many requests as one `BatchGetItem` has room for.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Serialize;
use shared::access::Relations;
use shared::dynamodb::{batch, entity};
use shared::entities::{ASK_PREFIX, FollowRequest, Key, user_pk};
use shared::http::answer;
use shared::http::extract::{Owner, Query};
use shared::http::page::{Page, PageParameters};
use shared::show::{ListedUser, People, Signer};
use shared::values::{PageParts, Username};
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// A page of the requests to follow the caller.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FollowRequests {
    /// The users who ask.
    requests: Vec<ListedUser>,
    /// The cards of the users who ask, by username, without those who have been deleted. Empty
    /// without `include=people`.
    people: People,
    next_cursor: Option<String>,
}

/// The route.
pub struct ListFollowRequests {
    table: Table,
    signer: Signer,
}

impl Route for ListFollowRequests {
    const NAME: &'static str = "list-follow-requests";
    const ROUTE: &'static str = "GET /users/{username}/requests";
    const SUMMARY: &'static str = "Returns a page of the requests to follow the caller, by the names of those who ask.";

    type Input = (Owner, Query<PageParts>, PageParameters);
    type Body = FollowRequests;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, signer: Signer::from_process(process)? })
    }

    async fn answer(
        &self,
        (Owner(caller), Query(include), page): Self::Input,
    ) -> Result<Response<FollowRequests>, Error> {
        let Self { table, signer } = self;
        let username = &caller.username;
        let mut page: Page<Username> = page.of("requests", username)?;
        page.limit = page.limit.min(include.max_people(0));

        let output = table
            .client
            .query()
            .table_name(&table.name)
            .key_condition_expression("PK = :user AND begins_with(SK, :asks)")
            .expression_attribute_values(":user", S(user_pk(username)))
            .expression_attribute_values(":asks", S(ASK_PREFIX.to_owned()))
            .set_exclusive_start_key(page.after.as_ref().map(|last| Key::follow_request(username, last).into()))
            .limit(page.limit)
            .send()
            .await?;
        let requests: Vec<FollowRequest> = entity::from_items(output.items.unwrap_or_default())?;
        let mut requests: Vec<ListedUser> = requests.into_iter().map(ListedUser::asking).collect();

        let names = requests.iter().map(|request| &request.username);
        let found = batch::get(table, include.keys(username, names), false).await?;
        let people = if include.people { signer.cards(&found)? } else { People::new() };
        if include.viewer {
            let mut relations = Relations::new(username);
            relations.add(&found)?;
            for request in &mut requests {
                request.viewer = Some(relations.between(&request.username));
            }
        }
        let last = requests.last().map(|request| request.username.clone());
        let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
        answer::private(&FollowRequests { requests, people, next_cursor })
    }
}
