//! `GET /users/{username}/photos/{timestamp}`: a photo and the reactions to it, by one `Query` on the inverted index,
//! where both have the photo's sort key as their partition key.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Serialize;
use shared::items;
use shared::page::Page;
use shared::photos::{INVERTED_INDEX, Key, PK, Photo, ReactionToPhoto, photo_sk, user_pk};
use shared::request::{Caller, path};
use shared::values::{ReactionType, Timestamp, Username};
use shared::{Error, Request, Response, Table, answer};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(fetch_photo_and_reactions).await
}

/// The photo stands on the first page only.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhotoAndReactions {
    #[serde(skip_serializing_if = "Option::is_none")]
    photo: Option<Photo>,
    reactions: Vec<ReactionToPhoto>,
    next_cursor: Option<String>,
}

async fn fetch_photo_and_reactions(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let timestamp: Timestamp = path(&request, "timestamp")?;
    Caller::of(&request)?;
    let page: Page<(Username, ReactionType)> = Page::of(&request, "reactions", format_args!("{username}/{timestamp}"))?;
    let first_page = page.after.is_none();

    let output = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :photo")
        .expression_attribute_values(":photo", S(photo_sk(&username, &timestamp)))
        // `USER#` sorts after `REACTION#`: backward, the photo comes first.
        .scan_index_forward(false)
        .set_exclusive_start_key(
            page.after
                .as_ref()
                .map(|(reacting, reaction)| Key::reaction(reacting, *reaction, &username, &timestamp).into()),
        )
        .limit(page.limit + i32::from(first_page))
        .send()
        .await?;

    let mut items = output.items.unwrap_or_default();
    let photo = if first_page {
        let is_photo = items.first().is_some_and(|item| item.get(PK) == Some(&S(user_pk(&username))));
        if !is_photo {
            return Err(Error::no_photo(&username, &timestamp));
        }
        Some(items::entity(items.remove(0))?)
    } else {
        None
    };
    let reactions: Vec<ReactionToPhoto> = items::entities(items)?;
    let last = reactions.last().map(|last| (last.reacting_user.clone(), last.reaction_type));
    let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
    answer::ok(&PhotoAndReactions { photo, reactions, next_cursor })
}

#[cfg(test)]
mod tests {
    use super::*;
    use local::testing::{Fixture, ask, reaction};
    use serde_json::json;

    const URI: &str = "/users/ada/photos/2024-05-30T15:42:38";

    #[tokio::test]
    async fn shows_the_photo_and_who_reacted() {
        let fixture = Fixture::new("fetch-photo-and-reactions").await;
        let answer = fixture.call_with_sample_event(fetch_photo_and_reactions).await;
        assert_eq!(answer.status, 200);
        assert_eq!(
            answer.body,
            json!({
                "photo": {
                    "username": "ada", "timestamp": "2024-05-30T15:42:38",
                    "location": "s3://quick-photos/photos/ada/2024-05-30T15:42:38.png",
                    "reactions": {"+1": 0, "heart": 1, "smiley": 0, "sunglasses": 0},
                },
                "reactions": [
                    {"reactingUser": "cara", "reactionType": "heart", "timestamp": "2024-06-02T09:30:00"},
                ],
                "nextCursor": null,
            })
        );
    }

    #[tokio::test]
    async fn shows_a_photo_without_reactions() {
        let fixture = Fixture::new("fetch-photo-and-reactions").await;
        let uri = "/users/ada/photos/2024-06-09T13:49:13";
        let answer = fixture.call(fetch_photo_and_reactions, ask("GET", uri).by("cara")).await;
        assert_eq!(answer.body["photo"]["timestamp"], "2024-06-09T13:49:13");
        assert_eq!(answer.body["reactions"], json!([]));
    }

    #[tokio::test]
    async fn pages_while_others_write() {
        let fixture = Fixture::new("fetch-photo-and-reactions").await;
        fixture.put(reaction("ben", "+1", "ada", "2024-05-30T15:42:38")).await;
        fixture.put(reaction("ben", "smiley", "ada", "2024-05-30T15:42:38")).await;
        let reactions = fixture
            .pages(fetch_photo_and_reactions, URI, "reactions", async |fixture: &Fixture| {
                fixture.put(reaction("zoe", "heart", "ada", "2024-05-30T15:42:38")).await;
                fixture.put(reaction("bob", "heart", "ada", "2024-06-09T13:49:13")).await;
                fixture.put(reaction("bob", "heart", "ben", "2024-06-26T03:59:33")).await;
            })
            .await;
        let mut seen: Vec<_> = reactions
            .iter()
            .map(|reaction| (reaction["reactingUser"].as_str().unwrap(), reaction["reactionType"].as_str().unwrap()))
            .filter(|(reacting, _)| *reacting != "zoe")
            .collect();
        seen.sort_unstable();
        assert_eq!(seen, [("ben", "+1"), ("ben", "smiley"), ("cara", "heart")]);
    }

    #[tokio::test]
    async fn says_which_photo_is_not_there() {
        let fixture = Fixture::new("fetch-photo-and-reactions").await;
        fixture.put(reaction("ben", "heart", "ada", "2020-01-01T00:00:00")).await;
        for (user, timestamp) in
            [("ada", "2020-01-01T00:00:00"), ("ben", "2024-05-30T15:42:38"), ("nobody", "2024-05-30T15:42:38")]
        {
            let uri = format!("/users/{user}/photos/{timestamp}");
            let answer = fixture.call(fetch_photo_and_reactions, ask("GET", uri).by("ada")).await;
            assert_eq!(answer.status, 404);
            assert_eq!(answer.body["detail"], format!("There is no photo {timestamp} of {user}."));
        }
    }

    #[tokio::test]
    async fn refuses_bad_input() {
        let fixture = Fixture::new("fetch-photo-and-reactions").await;
        fixture.put(reaction("ben", "+1", "ada", "2024-05-30T15:42:38")).await;
        fixture.needs_a_caller(fetch_photo_and_reactions, ask("GET", URI)).await;
        fixture
            .refuses_bad_usernames(fetch_photo_and_reactions, "username", |name| {
                ask("GET", format!("/users/{name}/photos/2024-05-30T15:42:38"))
            })
            .await;
        fixture
            .refuses_bad_timestamps(fetch_photo_and_reactions, |timestamp| {
                ask("GET", format!("/users/ada/photos/{timestamp}"))
            })
            .await;
        fixture.refuses_bad_pages(fetch_photo_and_reactions, URI).await;
    }
}
