//! One `TransactWriteItems` deletes the request, decrements the counts of requests of both users,
//! that of the caller on the condition that the name is not that of another account. If there is
//! nothing to decrement, because a user is deleted, a second one checks that instead. A repeated request
//! changes nothing.

use crate::follower::Follower;
use aws_sdk_dynamodb::types::Delete;
use shared::dynamodb::counter::{Decrement, delete_and_decrement};
use shared::entities::account::Account;
use shared::entities::{Key, REQUESTS_RECEIVED, REQUESTS_SENT};
use shared::http::answer;
use shared::http::extract::Owner;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct DeclineFollowRequest {
    table: Table,
}

impl Route for DeclineFollowRequest {
    const NAME: &'static str = "decline-follow-request";
    const ROUTE: &'static str = "DELETE /users/{username}/requests/{follower}";
    const SUMMARY: &'static str = "Declines a request to follow the caller. The user who asks is not told.";
    const SUCCESSES: &'static [Success] =
        &[Success::no_content("There is no request of the user to follow the caller.")];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Follower, Owner);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(&self, (Follower(follower), Owner(caller)): Self::Input) -> Result<Response<()>, Error> {
        let Self { table } = self;
        let username = &caller.username;
        // Nobody asks themselves. Both counts would be on one item, which a transaction must not
        // contain twice.
        if follower == *username {
            return Ok(answer::no_content());
        }

        let delete = Delete::builder()
            .table_name(&table.name)
            .set_key(Some(Key::follow_request(username, &follower).into()))
            .condition_expression("attribute_exists(PK)")
            .build()?;
        let sent = Decrement::new(&table.name, Key::user(&follower), REQUESTS_SENT);
        let received = Decrement::new(&table.name, Key::user(username), REQUESTS_RECEIVED);
        let account = Account { table_name: &table.name, username: &caller.username, subject: &caller.subject };
        delete_and_decrement(&table.client, vec![(delete, vec![sent, received])], Some(&account.guard())).await?;
        Ok(answer::no_content())
    }
}
