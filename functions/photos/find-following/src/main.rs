//! `GET /users/{username}/following`: whom a user follows, by one `Query` on the inverted index. Reads friendships and
//! nothing else, so a user who isn't there follows nobody.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::items;
use shared::page::Page;
use shared::photos::{INVERTED_INDEX, Key, friend_sk};
use shared::request::{Caller, path};
use shared::values::{Timestamp, Username};
use shared::{Error, Request, Response, Table, answer};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(find_following).await
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Following {
    following: Vec<Followed>,
    next_cursor: Option<String>,
}

/// A friendship, seen from the one who follows.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Followed {
    followed_user: Username,
    timestamp: Timestamp,
}

async fn find_following(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    Caller::of(&request)?;
    let page: Page<Username> = Page::of(&request, "following", &username)?;

    let output = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :friend")
        .expression_attribute_values(":friend", S(friend_sk(&username)))
        .set_exclusive_start_key(page.after.as_ref().map(|last| Key::friendship(last, &username).into()))
        .limit(page.limit)
        .send()
        .await?;

    let following: Vec<Followed> = items::entities(output.items.unwrap_or_default())?;
    let last = following.last().map(|friendship| friendship.followed_user.clone());
    let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
    answer::ok(&Following { following, next_cursor })
}

#[cfg(test)]
mod tests {
    use super::*;
    use local::testing::{Fixture, ask, friendship};
    use serde_json::json;

    #[tokio::test]
    async fn shows_whom_a_user_follows() {
        let fixture = Fixture::new("find-following").await;
        let answer = fixture.call_with_sample_event(find_following).await;
        assert_eq!(answer.status, 200);
        assert_eq!(
            answer.body,
            json!({"following": [{"followedUser": "ada", "timestamp": "2024-06-01T08:00:00"}], "nextCursor": null})
        );
    }

    #[tokio::test]
    async fn following_nobody_is_an_empty_list() {
        let fixture = Fixture::new("find-following").await;
        for name in ["ada", "nobody"] {
            let answer = fixture.call(find_following, ask("GET", format!("/users/{name}/following")).by("ada")).await;
            assert_eq!((answer.status, answer.body), (200, json!({"following": [], "nextCursor": null})));
        }
    }

    #[tokio::test]
    async fn pages_while_others_write() {
        let fixture = Fixture::new("find-following").await;
        fixture.put(friendship("cara", "ben")).await;
        fixture.put(friendship("dora", "ben")).await;
        let following = fixture
            .pages(find_following, "/users/ben/following", "following", async |fixture: &Fixture| {
                fixture.put(friendship("aaron", "ben")).await;
                fixture.put(friendship("cleo", "benny")).await;
                fixture.put(friendship("cleo", "cara")).await;
            })
            .await;
        let names: Vec<_> = following.iter().map(|followed| followed["followedUser"].as_str().unwrap()).collect();
        assert_eq!(names, ["ada", "cara", "dora"]);
    }

    #[tokio::test]
    async fn refuses_bad_input() {
        let fixture = Fixture::new("find-following").await;
        fixture.put(friendship("cara", "ben")).await;
        fixture.needs_a_caller(find_following, ask("GET", "/users/ben/following")).await;
        fixture
            .refuses_bad_usernames(find_following, "username", |name| ask("GET", format!("/users/{name}/following")))
            .await;
        fixture.refuses_bad_pages(find_following, "/users/ben/following").await;
    }
}
