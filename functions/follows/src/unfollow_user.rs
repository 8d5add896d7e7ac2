//! One `TransactWriteItems` deletes the friendship and decrements the counts of both users, that of
//! the caller on the condition that the name is not that of another account. If a count has nothing
//! to decrement, because the user is deleted or the count is zero, a second one checks that
//! instead. If the count of the followed user does not include the friendship yet, because it has
//! the mark `uncounted`, a second one deletes it and decrements the follower's count alone. A
//! repeated request changes nothing.
//!
//! If there is no friendship, there may be a request to follow. Another `TransactWriteItems`
//! deletes it and decrements the counts of requests of both users, on the condition that there is
//! still no friendship: the followed user may have accepted the request meanwhile. If the followed
//! user is deleted, who counts no requests, a third one leaves that count out.

use crate::follower::Either;
use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::builders::UpdateBuilder;
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, ReturnValuesOnConditionCheckFailure, Update};
use shared::dynamodb::counter::Decrement;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::account::{Account, FREE_FOR_ACCOUNT, refusal, subject_value};
use shared::entities::{CountedItem, Key, REQUESTS_RECEIVED, REQUESTS_SENT, delete_counted};
use shared::http::answer;
use shared::values::Username;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of times that the friendship and then the request are
/// looked for. A second time is needed only if the request is accepted in between.
const MAX_ATTEMPTS: usize = 3;

/// The route.
pub struct UnfollowUser {
    table: Table,
}

impl Route for UnfollowUser {
    const NAME: &'static str = "unfollow-user";
    const ROUTE: &'static str = "DELETE /users/{username}/followers/{follower}";
    const SUMMARY: &'static str =
        "Makes the caller stop following a user, or removes a follower of the caller, who is not told.";
    const SUCCESSES: &'static [Success] =
        &[Success::no_content("The user has no such follower, and no request of theirs.")];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Either,);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(&self, (Either { username, follower, caller },): Self::Input) -> Result<Response<()>, Error> {
        let Self { table } = self;

        // Users cannot follow themselves any more, but some old friendships say that they do. Both
        // counts are then on one item, and a transaction must not contain the same item twice.
        let followers = Decrement::new(&table.name, Key::user(&username), "followers");
        let (if_counted, always) = if follower == username {
            (followers.and("following"), vec![])
        } else {
            (followers, vec![Decrement::new(&table.name, Key::user(&follower), "following")])
        };
        let key = Key::friendship(&username, &follower).into();
        let account = Account { table_name: &table.name, username: &caller.username, subject: &caller.subject };
        let friendship = CountedItem { key, if_counted: Some(if_counted), always, dependents: &[] };
        for _ in 0..MAX_ATTEMPTS {
            let has_followed = delete_counted(table, vec![friendship.clone()], Some(&account.guard())).await? > 0;
            if has_followed || follower == username || withdraw(table, account, &username, &follower).await? {
                return Ok(answer::no_content());
            }
        }
        Err(Error::Busy("the user was followed and unfollowed during each attempt".into()))
    }
}

/// Deletes the request of the follower, if there is one. Returns `false` if there is a friendship
/// instead.
async fn withdraw(
    table: &Table,
    account: Account<'_>,
    username: &Username,
    follower: &Username,
) -> Result<bool, Error> {
    let follows_not = ConditionCheck::builder()
        .table_name(&table.name)
        .set_key(Some(Key::friendship(username, follower).into()))
        .condition_expression("attribute_not_exists(PK)")
        .build()?;
    let delete = Delete::builder()
        .table_name(&table.name)
        .set_key(Some(Key::follow_request(username, follower).into()))
        .condition_expression("attribute_exists(PK)")
        .build()?;
    let decrement = |user: &Username, count: &str| {
        Update::builder()
            .table_name(&table.name)
            .set_key(Some(Key::user(user).into()))
            .update_expression(format!("ADD {count} :minus_one"))
            .expression_attribute_values(":minus_one", N("-1".to_owned()))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
    };
    let of_account = |update: UpdateBuilder, condition: String| {
        update
            .condition_expression(condition)
            .expression_attribute_values(":subject", subject_value(account.subject))
            .build()
    };
    let is_of_follower = account.username == follower;
    for asked_user_counts in [true, false] {
        let mut transaction = Transaction::new();
        let friendship = transaction.condition_check(follows_not.clone());
        let request = transaction.delete(delete.clone());
        let sent = decrement(follower, REQUESTS_SENT);
        let sent = if is_of_follower { of_account(sent, FREE_FOR_ACCOUNT.to_owned())? } else { sent.build()? };
        let sent = transaction.update(sent);
        let exists = "attribute_exists(username)";
        let received = decrement(username, REQUESTS_RECEIVED);
        let received = match (asked_user_counts, is_of_follower) {
            (true, true) => Some(transaction.update(received.condition_expression(exists).build()?)),
            (true, false) => {
                Some(transaction.update(of_account(received, format!("{exists} AND {FREE_FOR_ACCOUNT}"))?))
            }
            (false, true) => None,
            (false, false) => Some(transaction.condition_check(account.check()?)),
        };
        let Outcome::ConditionFailed(failed) = transaction.write(&table.client).await? else { return Ok(true) };
        if is_of_follower {
            account.require(&failed, sent)?;
        } else if let Some(refusal) =
            failed.item(received).and_then(|item| refusal(Some(item), username, account.subject))
        {
            return Err(refusal);
        }
        if failed.contains(friendship) {
            return Ok(false);
        }
        if failed.contains(request) {
            return Ok(true);
        }
    }
    Err(Error::Busy("the followed user was deleted or created during each attempt".into()))
}
