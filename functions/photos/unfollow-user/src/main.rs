//! `DELETE /users/{username}/followers/{follower}`: makes the caller stop following a user, or
//! removes a follower of the caller, who is not told.
//!
//! One `TransactWriteItems` deletes the friendship and decrements the counts of both users, that of
//! the caller on the condition that the name is not that of another account. If a count has nothing
//! to decrement, because the user is deleted or the count is zero, a second one checks that
//! instead. If the count of the followed user does not include the friendship yet, because it has
//! the mark `uncounted`, a second one deletes it and decrements the follower's count alone. A
//! repeated request changes nothing.

use shared::dynamodb::counter::Decrement;
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::photos::account::Account;
use shared::photos::{CountedItem, Key, delete_counted};
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
    let caller = Caller::from_request(&request)?;
    caller.must_be_either(&follower, &username)?;

    // Users cannot follow themselves any more, but some old friendships say that they do. Both
    // counts are then on one item, and a transaction must not contain the same item twice.
    let followers = Decrement::new(&table.name, Key::user(&username), "followers");
    let (if_counted, always) = if follower == username {
        (followers.and("following"), None)
    } else {
        (followers, Some(Decrement::new(&table.name, Key::user(&follower), "following")))
    };
    let key = Key::friendship(&username, &follower).into();
    let account = Account { table_name: &table.name, username: &caller.username, subject: &caller.subject };
    let friendship = CountedItem { key, if_counted: Some(if_counted), always };
    delete_counted(&table, vec![friendship], Some(&account.guard())).await?;
    Ok(answer::no_content())
}
