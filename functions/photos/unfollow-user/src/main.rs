//! `DELETE /users/{username}/followers/{follower}`: makes the caller stop following a user.
//!
//! One `TransactWriteItems` deletes the friendship and decrements the counts of both users. If a count has
//! nothing to decrement, because the user is deleted or the count is zero, a second one checks that instead. A repeated
//! request changes nothing.

use aws_sdk_dynamodb::types::Delete;
use shared::dynamodb::transaction::{self, Decrement};
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::model::photos::{Key, decrement_followers, decrement_following};
use shared::values::Username;
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(unfollow_user).await
}

async fn unfollow_user(table: Table, request: Request) -> Result<Response<()>, Error> {
    let username: Username = path(&request, "username")?;
    let follower: Username = path(&request, "follower")?;
    let caller = Caller::of(&request)?;
    caller.must_be(&follower)?;

    let delete_friendship = Delete::builder()
        .table_name(&table.name)
        .set_key(Some(Key::friendship(&username, &follower).into()))
        .condition_expression("attribute_exists(PK)")
        .build()?;
    // Users cannot follow themselves any more, but some old friendships say that they do. Both counts are then on one
    // item, and a transaction must not contain the same item twice.
    let decrements = if follower == username {
        vec![decrement_both_counts(&table, &username)]
    } else {
        vec![decrement_followers(&table.name, &username), decrement_following(&table.name, &follower)]
    };
    transaction::delete_and_decrement(&table.client, vec![(delete_friendship, decrements)]).await?;
    Ok(answer::no_content())
}

/// Returns the decrement of both counts of a user, if both are greater than zero.
fn decrement_both_counts(table: &Table, username: &Username) -> Decrement {
    Decrement {
        table_name: table.name.clone(),
        key: Key::user(username).into(),
        condition: "followers >= :n AND following >= :n",
        update: "SET followers = followers - :n, following = following - :n",
        otherwise: None,
        names: None,
    }
}
