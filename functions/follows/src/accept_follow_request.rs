//! One `TransactWriteItems` replaces the request with the friendship, increments the counts of both
//! users and decrements their counts of requests, on the conditions that the follower
//! follows fewer than [`MAX_FOLLOWING`] users and that the caller's profile is of the caller's
//! account. A repeated request changes nothing and returns the friendship.
//!
//! The follower may have muted the caller meanwhile. Unless the follower's count says that they
//! mute nobody, a consistent `GetItem` reads the mute, and another `TransactWriteItems` checks it
//! and puts a friendship that says so. There is no block between the two, because it would have
//! deleted the request.
//!
//! Whether the caller still approves followers does not matter: a request that was made before
//! stays until it is answered.

use crate::follower::Follower;
use aws_sdk_dynamodb::types::AttributeValue::{Bool, N};
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Put, ReturnValuesOnConditionCheckFailure, Update};
use shared::dynamodb::entity;
use shared::dynamodb::transaction::{Outcome, Transaction, Write};
use shared::entities::account::{OF_ACCOUNT, refusal, subject_value};
use shared::entities::{ACCEPTED, Friendship, Key, MAX_FOLLOWING, MUTES, has_any, mark_muted};
use shared::http::answer;
use shared::http::extract::Owner;
use shared::http::request::Caller;
use shared::show::ListedUser;
use shared::values::{Timestamp, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The writes of the transaction, by which its failed conditions are known.
struct Writes {
    friendship: Write,
    request: Write,
    follower: Write,
    followed_user: Write,
    /// The check of the mute, if the follower mutes anybody.
    mute: Option<Write>,
}

/// The retry budget: the maximum number of attempts. More than two are needed only if the follower
/// mutes the caller, or stops to, between two of them.
const MAX_ATTEMPTS: usize = 5;

/// The route.
pub struct AcceptFollowRequest {
    table: Table,
}

impl Route for AcceptFollowRequest {
    const NAME: &'static str = "accept-follow-request";
    const ROUTE: &'static str = "PUT /users/{username}/requests/{follower}";
    const SUMMARY: &'static str = "Accepts a request to follow the caller.";
    const SUCCESSES: &'static [Success] = &[Success::OK, Success::CREATED];
    const ERRORS: &'static [ErrorKind] = &[
        ErrorKind::FollowerAtMaximum,
        ErrorKind::NoFollowRequest,
        ErrorKind::NoProfile,
        ErrorKind::NoUser,
        ErrorKind::OtherAccount,
    ];

    type Input = (Follower, Owner);
    type Body = ListedUser;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(&self, (Follower(follower), Owner(caller)): Self::Input) -> Result<Response<ListedUser>, Error> {
        let Self { table } = self;
        let username = &caller.username;
        if follower == *username {
            return Err(no_request(&follower));
        }

        let friendship = Friendship {
            followed_user: username.clone(),
            following_user: follower.clone(),
            timestamp: Timestamp::now(),
        };
        let mut mute = Mute::None;
        for _ in 0..MAX_ATTEMPTS {
            let (transaction, writes) = build(table, &caller, &friendship, mute)?;
            let failed = match transaction.write(&table.client).await? {
                Outcome::Committed => return answer::created(&ListedUser::follower(friendship)),
                Outcome::ConditionFailed(failed) => failed,
            };
            if failed.contains(writes.followed_user)
                && let Some(refusal) = refusal(failed.item(writes.followed_user), username, &caller.subject)
            {
                return Err(refusal);
            }
            // A repeated request gets the existing friendship.
            if let Some(existing) = failed.item(writes.friendship) {
                return answer::ok(&ListedUser::follower(entity::from_item(existing.clone())?));
            }
            // The requests of a deleted user disappear a little later.
            if failed.contains(writes.request) {
                return Err(no_request(&follower));
            }
            let user = failed.item(writes.follower);
            let has_mutes = mute == Mute::None && user.is_some_and(|user| has_any(user, MUTES));
            if !has_mutes && !failed.contains(writes.mute) {
                let exists = user.is_some_and(|user| user.contains_key("username"));
                return Err(if exists { follows_too_many(&follower) } else { Error::no_user(&follower) });
            }
            mute = read_mute(table, &friendship).await?;
        }
        Err(Error::Busy("the follower muted the caller, or stopped to, during each attempt".into()))
    }
}

/// The mute of the caller by the follower, who may have put it while the request was waiting.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mute {
    /// The follower mutes nobody. The count of the follower says so.
    None,
    /// The mute as it was read. The transaction checks it.
    Read { is_muted: bool },
}

/// Reads whether the follower has muted the caller, by a consistent `GetItem`.
async fn read_mute(table: &Table, friendship: &Friendship) -> Result<Mute, Error> {
    let key = Key::block(&friendship.following_user, &friendship.followed_user);
    let get = table.client.get_item().table_name(&table.name).set_key(Some(key.into())).consistent_read(true);
    Ok(Mute::Read { is_muted: get.send().await?.item.is_some() })
}

/// Returns the transaction that replaces the request with the friendship.
fn build(table: &Table, caller: &Caller, friendship: &Friendship, mute: Mute) -> Result<(Transaction, Writes), Error> {
    let Friendship { followed_user: username, following_user: follower, .. } = friendship;
    let mut item = entity::to_item(Key::friendship(username, follower), friendship)?;
    item.insert(ACCEPTED.to_owned(), Bool(true));
    if let Mute::Read { is_muted: true } = mute {
        item = mark_muted(item);
    }
    let put = Put::builder()
        .table_name(&table.name)
        .set_item(Some(item))
        .condition_expression("attribute_not_exists(PK)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let delete = Delete::builder()
        .table_name(&table.name)
        .set_key(Some(Key::follow_request(username, follower).into()))
        .condition_expression("attribute_exists(PK)")
        .build()?;
    let increment_followers = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(username).into()))
        .condition_expression(OF_ACCOUNT)
        .update_expression("ADD followers :one, requestsReceived :minus_one")
        .expression_attribute_values(":subject", subject_value(&caller.subject))
        .expression_attribute_values(":one", N("1".to_owned()))
        .expression_attribute_values(":minus_one", N("-1".to_owned()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let mut transaction = Transaction::new();
    let mut writes = Writes {
        friendship: transaction.put(put),
        request: transaction.delete(delete),
        follower: transaction.update(increment_following(table, follower, mute)?),
        followed_user: transaction.update(increment_followers),
        mute: None,
    };
    if let Mute::Read { is_muted } = mute {
        let check = ConditionCheck::builder()
            .table_name(&table.name)
            .set_key(Some(Key::block(follower, username).into()))
            .condition_expression(if is_muted { "attribute_exists(PK)" } else { "attribute_not_exists(PK)" })
            .build()?;
        writes.mute = Some(transaction.condition_check(check));
    }
    Ok((transaction, writes))
}

fn increment_following(table: &Table, follower: &Username, mute: Mute) -> Result<Update, Error> {
    let condition = "attribute_exists(username) AND (attribute_not_exists(following) OR following < :max)";
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(follower).into()))
        .update_expression("ADD following :one, requestsSent :minus_one")
        .expression_attribute_values(":one", N("1".to_owned()))
        .expression_attribute_values(":minus_one", N("-1".to_owned()))
        .expression_attribute_values(":max", N(MAX_FOLLOWING.to_string()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let update = if mute == Mute::None {
        update
            .condition_expression(format!("{condition} AND NOT mutes > :zero"))
            .expression_attribute_values(":zero", N("0".to_owned()))
    } else {
        update.condition_expression(condition)
    };
    Ok(update.build()?)
}

fn no_request(follower: &Username) -> Error {
    Error::refused(ErrorKind::NoFollowRequest, format!("{follower} does not ask to follow you any more."))
}

fn follows_too_many(follower: &Username) -> Error {
    let detail = format!("{follower} follows {MAX_FOLLOWING} users already, which is the maximum.");
    Error::refused(ErrorKind::FollowerAtMaximum, detail)
}
