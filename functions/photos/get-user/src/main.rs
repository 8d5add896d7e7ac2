//! `GET /users/{username}`: returns a user.
//!
//! One `GetItem` reads the user.

use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::photos::{Key, Profile, existing_user};
use shared::values::Username;
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(get_user).await
}

async fn get_user(table: Table, request: Request) -> Result<Response<Profile>, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::from_request(&request)?;

    let output =
        table.client.get_item().table_name(&table.name).set_key(Some(Key::user(&username).into())).send().await?;

    let user = existing_user(output.item, &username)?;
    answer::seen_by(&caller.username, &username, &user.seen_by(&caller.username, &caller.subject))
}
