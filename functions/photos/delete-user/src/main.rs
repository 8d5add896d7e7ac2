//! `DELETE /users/{username}`: the profile is gone at once, by one conditional `PutItem` that writes a `Deletion` in its
//! place. What hangs on it has no bound, so finish-deletion clears it, from the stream, and takes the `Deletion` away at
//! last; until then nobody can take the name. Repeated, it changes nothing.

use aws_sdk_dynamodb::operation::put_item::PutItemError;
use shared::items::item;
use shared::photos::{Deletion, Key};
use shared::request::{Caller, path};
use shared::values::{Timestamp, Username};
use shared::{Error, Request, Response, Table, answer};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(delete_user).await
}

async fn delete_user(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::of(&request)?;
    caller.must_be(&username)?;

    let deletion = Deletion { erasing: username.clone(), since: Timestamp::now() };
    let put = table
        .client
        .put_item()
        .table_name(&table.name)
        .set_item(Some(item(Key::user(&username), &deletion)?))
        .condition_expression("attribute_exists(username)")
        .send()
        .await;
    match put {
        Ok(_) => Ok(answer::gone()),
        Err(error) => match error.as_service_error() {
            // There is no such user, or not any more.
            Some(PutItemError::ConditionalCheckFailedException(_)) => Ok(answer::gone()),
            _ => Err(error.into()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use local::testing::{Ask, Fault, Fixture, ask};
    use serde_json::json;

    fn delete() -> Ask {
        ask("DELETE", "/users/ada").by("ada")
    }

    #[tokio::test]
    async fn a_deletion_takes_the_place_of_all_that_was_the_users() {
        let fixture = Fixture::new("delete-user").await;
        let before = fixture.everything().await;
        let answer = fixture.call(delete_user, delete()).await;
        assert_eq!((answer.status, answer.body), (204, json!(null)));
        assert_eq!(fixture.asked(), ["PutItem"]);
        let item = fixture.item(Key::user(&"ada".parse().unwrap())).await;
        assert_eq!(item, json!({"PK": "USER#ada", "SK": "#METADATA#ada", "erasing": "ada", "since": item["since"]}));
        assert!(item["since"].is_string());
        assert_eq!(fixture.everything().await.len(), before.len());
    }

    #[tokio::test]
    async fn may_be_repeated_and_the_first_deletion_stays() {
        let fixture = Fixture::new("delete-user").await;
        fixture.befall([Fault::LostAnswer]);
        assert_eq!(fixture.call_with_sample_event(delete_user).await.status, 204);
        let before = fixture.everything().await;
        assert_eq!(fixture.call_with_sample_event(delete_user).await.status, 204);
        assert_eq!(fixture.call(delete_user, ask("DELETE", "/users/nobody").by("nobody")).await.status, 204);
        assert_eq!(fixture.everything().await, before);
    }

    #[tokio::test]
    async fn nobody_deletes_another() {
        let fixture = Fixture::new("delete-user").await;
        fixture.needs_a_caller(delete_user, delete()).await;
        fixture.refuses(delete_user, delete().by("ben"), 403).await;
    }

    #[tokio::test]
    async fn refuses_bad_input() {
        let fixture = Fixture::new("delete-user").await;
        fixture.refuses_bad_usernames(delete_user, "username", |name| ask("DELETE", format!("/users/{name}"))).await;
    }

    #[tokio::test]
    async fn meets_a_transaction_and_waits_for_its_end() {
        let fixture = Fixture::new("delete-user").await;
        fixture.befall([Fault::Refused("TransactionConflictException"); 3]);
        assert_eq!(fixture.call(delete_user, delete()).await.status, 204);
        assert_eq!(fixture.asked(), ["PutItem"; 4]);
    }
}
