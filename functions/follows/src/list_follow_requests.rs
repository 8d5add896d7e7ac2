//! `GET /users/{username}/requests`: returns a page of the requests to follow the caller, by the
//! names of those who ask.
//!
//! One `Query` reads them, which sort before the followers. With `include`, one `BatchGetItem`
//! reads the profiles of those who ask, or the friendships between them and the caller, or both.
//! The page then has at most as many requests as one `BatchGetItem` has room for.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::dynamodb::{batch, entity};
use shared::http::answer;
use shared::http::page::Page;
use shared::http::request::{Caller, path, query};
use shared::photos::{ASK_PREFIX, Key, People, Relation, Relations, user_pk};
use shared::pictures::Signer;
use shared::values::{PageParts, Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    let signer = Signer::from_environment()?;
    shared::run_with_query(&["include", "limit", "cursor"], |table, request| {
        list_follow_requests(table, request, &signer)
    })
    .await
}

/// The body of the answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FollowRequests {
    requests: Vec<ReceivedRequest>,
    /// Those who ask, by username, without those who have been deleted. Only with `include=people`.
    #[serde(skip_serializing_if = "Option::is_none")]
    people: Option<People>,
    next_cursor: Option<String>,
}

/// A request to follow, as the asked user sees it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReceivedRequest {
    asking_user: Username,
    timestamp: Timestamp,
    /// The relation of the caller and the user who asks. Only with `include=viewer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    viewer: Option<Relation>,
}

async fn list_follow_requests(
    table: Table,
    request: Request,
    signer: &Signer,
) -> Result<Response<FollowRequests>, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::from_request(&request)?;
    caller.must_be(&username)?;
    let include = query::<PageParts>(&request, "include")?.unwrap_or_default();
    let mut page: Page<Username> = Page::from_request(&request, "requests", &username)?;
    page.limit = page.limit.min(include.max_people(0));

    let output = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :user AND begins_with(SK, :asks)")
        .expression_attribute_values(":user", S(user_pk(&username)))
        .expression_attribute_values(":asks", S(ASK_PREFIX.to_owned()))
        .set_exclusive_start_key(page.after.as_ref().map(|last| Key::follow_request(&username, last).into()))
        .limit(page.limit)
        .send()
        .await?;
    let mut requests: Vec<ReceivedRequest> = entity::from_items(output.items.unwrap_or_default())?;

    let names = requests.iter().map(|request| &request.asking_user);
    let found = batch::get(&table, include.keys(&username, names), false).await?;
    let people = include.people.then(|| signer.cards(&found)).transpose()?;
    if include.viewer {
        let mut relations = Relations::new(&username);
        relations.add(&found)?;
        for request in &mut requests {
            request.viewer = Some(relations.between(&request.asking_user));
        }
    }
    let last = requests.last().map(|request| request.asking_user.clone());
    let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
    answer::private(&FollowRequests { requests, people, next_cursor })
}
