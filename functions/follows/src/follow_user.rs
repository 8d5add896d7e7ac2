//! One `TransactWriteItems` puts the friendship and increments the counts of both users, on the
//! conditions that the follower follows fewer than [`MAX_FOLLOWING`] users and that the followed
//! user does not approve followers. A repeated request changes nothing and returns the existing
//! friendship, also at the maximum.
//!
//! If the user approves followers, a second `TransactWriteItems` puts a request to follow instead,
//! and the answer is 202 (`requests.rs`).
//!
//! A follower may have something with this user: a request from the time when the user approved
//! followers, a mute, or a block in either direction. For most followers, the condition on their
//! own item says that they have nothing of this kind with anybody. Otherwise a consistent
//! `BatchGetItem` reads it, and the `TransactWriteItems` that puts the friendship also deletes the
//! request and checks the rest (`between.rs`).
//!
//! If the followed user takes more writes than one item can, the transaction conflicts or is
//! throttled each time. Then an eventually consistent `Query` of `InvertedIndex` reads the user,
//! and another `TransactWriteItems` puts the friendship without the followed user's count, with the
//! mark `uncounted`. `process-changes` adds it to the count. For ten seconds after that, this
//! process does so for each follow of the user at once.

use crate::follower::OwnFollower;
use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure, Update};
use serde::Serialize;
use shared::dynamodb::transaction::{Contended, FailedConditions, Outcome, Transaction, Write};
use shared::dynamodb::{Item, entity};
use shared::entities::account::{OF_ACCOUNT, refusal, subject_value};
use shared::entities::{
    Friendship, INVERTED_INDEX, Key, MAX_FOLLOWING, approves_followers, mark_muted, mark_uncounted, metadata_sk,
    user_pk,
};
use shared::http::answer;
use shared::http::extract::Path;
use shared::http::request::Caller;
use shared::show::ListedUser;
use shared::values::{Timestamp, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

use self::between::Between;
use self::requests::Asking;

mod between;
mod requests;
#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts. More than two are needed only if the followed
/// user begins or stops to approve followers, answers a request, or blocks the follower between two
/// transactions.
const MAX_ATTEMPTS: usize = 5;

/// The caller as a follower of the user, or as somebody who asks to follow the user.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct Follow {
    #[serde(flatten)]
    follower: ListedUser,
    /// Absent if the caller follows the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<FollowStatus>,
}

/// The state of a request to follow.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub enum FollowStatus {
    /// The user has to accept the request first.
    Requested,
}

/// The route.
pub struct FollowUser {
    table: Table,
    hot_users: Contended<Username>,
}

impl Route for FollowUser {
    const NAME: &'static str = "follow-user";
    const ROUTE: &'static str = "PUT /users/{username}/followers/{follower}";
    const SUMMARY: &'static str = "Makes the caller follow a user, or asks the user for it.";
    const SUCCESSES: &'static [Success] = &[Success::OK, Success::CREATED, Success::ACCEPTED];
    const ERRORS: &'static [ErrorKind] = &[
        ErrorKind::NoProfile,
        ErrorKind::NoUser,
        ErrorKind::OtherAccount,
        ErrorKind::TooManyFollowRequests,
        ErrorKind::TooManyFollowed,
        ErrorKind::YouBlock,
    ];

    type Input = (Path<Username>, OwnFollower);
    type Body = Follow;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, hot_users: Contended::default() })
    }

    async fn answer(&self, (Path(username), OwnFollower(caller)): Self::Input) -> Result<Response<Follow>, Error> {
        let Self { table, hot_users } = self;
        if caller.username == username {
            return Err(Error::invalid("follower", "must be another user, because users cannot follow themselves"));
        }

        let friendship = Friendship {
            followed_user: username,
            following_user: caller.username.clone(),
            timestamp: Timestamp::now(),
        };
        let mut between = Between::Nothing;
        for _ in 0..MAX_ATTEMPTS {
            match follow(table, hot_users, &caller, &friendship, between).await? {
                Followed::Created => return answer::created(&Follow::new(friendship)),
                Followed::Existing(friendship) => return answer::ok(&Follow::new(friendship)),
                Followed::ApprovesFollowers => match requests::ask(table, &caller, &friendship, between).await? {
                    Asking::Done(request) => {
                        let follower = ListedUser::asking(request);
                        return answer::accepted(&Follow { follower, status: Some(FollowStatus::Requested) });
                    }
                    Asking::Follows(friendship) => return answer::ok(&Follow::new(friendship)),
                    Asking::NeedsNoApproval | Asking::Unread => {}
                },
                Followed::Unread => {}
            }
            between = Between::read(table, &friendship).await?;
        }
        Err(Error::Busy("the followed user changed before each attempt to follow".into()))
    }
}

impl Follow {
    fn new(friendship: Friendship) -> Self {
        Self { follower: ListedUser::follower(friendship), status: None }
    }
}

/// The result of the transaction of a friendship.
enum Followed {
    /// The caller follows the user now.
    Created,
    /// The caller followed the user already.
    Existing(Friendship),
    /// The user approves followers.
    ApprovesFollowers,
    /// The user does not, and there may be something between the two that was not read, or has
    /// changed since.
    Unread,
}

/// The writes of a transaction that puts a friendship, by which its failed conditions are known.
struct Writes {
    friendship: Write,
    follower: Write,
    /// The state [between](Between) the two users, if it was read.
    between: Vec<Write>,
    /// The followed user, unless the transaction puts the friendship uncounted.
    followed_user: Option<Write>,
}

/// Puts the friendship, unless the user approves followers.
async fn follow(
    table: &Table,
    hot_users: &Contended<Username>,
    caller: &Caller,
    friendship: &Friendship,
    between: Between,
) -> Result<Followed, Error> {
    let Friendship { followed_user, following_user, .. } = friendship;
    let mut item = entity::to_item(Key::friendship(followed_user, following_user), friendship)?;
    if let Between::Read { is_muted: true, .. } = between {
        item = mark_muted(item);
    }
    let build = |item: Item, is_counted: bool| -> Result<(Transaction, Writes), Error> {
        let mut transaction = Transaction::new();
        let mut writes = Writes {
            friendship: transaction.put(put_friendship(table, item)?),
            follower: transaction.update(increment_following(table, caller, between)?),
            between: between.resolve(table, friendship, &mut transaction)?,
            followed_user: None,
        };
        if is_counted {
            writes.followed_user = Some(transaction.update(increment_followers(table, followed_user, between)?));
        }
        Ok((transaction, writes))
    };
    let (counted, writes) = build(item.clone(), true)?;
    let (outcome, writes) = match hot_users.write(followed_user, &table.client, &counted).await? {
        Some(outcome) => (outcome, writes),
        // A request that the friendship replaces is counted by the followed user too.
        None if !between.is_asked() && needs_no_approval(table, followed_user).await? => {
            let (uncounted, writes) = build(mark_uncounted(item), false)?;
            (uncounted.write(&table.client).await?, writes)
        }
        // The read may be out of date, so the condition of the transaction decides.
        None => (counted.write(&table.client).await?, writes),
    };
    match outcome {
        Outcome::Committed => Ok(Followed::Created),
        Outcome::ConditionFailed(failed) => interpret(&failed, writes, caller, friendship, between),
    }
}

/// Returns what the failed conditions mean.
fn interpret(
    failed: &FailedConditions,
    writes: Writes,
    caller: &Caller,
    friendship: &Friendship,
    between: Between,
) -> Result<Followed, Error> {
    let needs_approval = failed.contains(writes.followed_user);
    if needs_approval && !failed.item(writes.followed_user).is_some_and(approves_followers) {
        return Err(Error::no_user(&friendship.followed_user));
    }
    let follower = failed.item(writes.follower);
    if failed.contains(writes.follower)
        && let Some(refusal) = refusal(follower, &caller.username, &caller.subject)
    {
        return Err(refusal);
    }
    // A repeated request gets the existing friendship, also if the caller has the maximum.
    if let Some(existing) = failed.item(writes.friendship) {
        return Ok(Followed::Existing(entity::from_item(existing.clone())?));
    }
    if needs_approval {
        return Ok(Followed::ApprovesFollowers);
    }
    if between.may_be_outdated(follower) || failed.contains_any(writes.between) {
        return Ok(Followed::Unread);
    }
    Err(too_many_followed())
}

fn put_friendship(table: &Table, friendship: Item) -> Result<Put, Error> {
    let put = Put::builder()
        .table_name(&table.name)
        .set_item(Some(friendship))
        .condition_expression("attribute_not_exists(PK)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    Ok(put)
}

fn increment_following(table: &Table, follower: &Caller, between: Between) -> Result<Update, Error> {
    let condition = format!("{OF_ACCOUNT} AND (attribute_not_exists(following) OR following < :max)");
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(&follower.username).into()))
        .expression_attribute_values(":subject", subject_value(&follower.subject))
        .expression_attribute_values(":one", N("1".to_owned()))
        .expression_attribute_values(":max", N(MAX_FOLLOWING.to_string()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let update = match between {
        Between::Nothing => update
            .condition_expression(format!(
                "{condition} AND NOT (requestsSent > :zero OR blocks > :zero OR mutes > :zero OR blockedBy > :zero)"
            ))
            .expression_attribute_values(":zero", N("0".to_owned()))
            .update_expression("ADD following :one"),
        Between::Read { is_asked: false, .. } => {
            update.condition_expression(condition).update_expression("ADD following :one")
        }
        Between::Read { is_asked: true, .. } => update
            .condition_expression(condition)
            .update_expression("ADD following :one, requestsSent :minus_one")
            .expression_attribute_values(":minus_one", N("-1".to_owned())),
    };
    Ok(update.build()?)
}

fn increment_followers(table: &Table, username: &Username, between: Between) -> Result<Update, Error> {
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(username).into()))
        .condition_expression("attribute_exists(username) AND attribute_not_exists(approvesFollowers)")
        .expression_attribute_values(":one", N("1".to_owned()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let update = if between.is_asked() {
        update
            .update_expression("ADD followers :one, requestsReceived :minus_one")
            .expression_attribute_values(":minus_one", N("-1".to_owned()))
    } else {
        update.update_expression("ADD followers :one")
    };
    Ok(update.build()?)
}

/// Returns whether the user existed a moment ago, and did not approve followers.
///
/// The entry in the index is small, while the user may have 32 KB of attributes. So the read takes
/// half a read unit, and 5,000 of them a second fit into the [3,000 units of a
/// partition](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html).
/// If the user has been deleted meanwhile, `process-changes` finds no user who could count the
/// friendship, and deletes it.
async fn needs_no_approval(table: &Table, username: &Username) -> Result<bool, Error> {
    let found = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :metadata AND PK = :user")
        .expression_attribute_values(":metadata", S(metadata_sk(username)))
        .expression_attribute_values(":user", S(user_pk(username)))
        .send()
        .await?;
    Ok(found.items().iter().any(|item| item.contains_key("username") && !approves_followers(item)))
}

fn too_many_followed() -> Error {
    let detail = format!("You have reached the maximum of {MAX_FOLLOWING} followed users. Unfollow a user first.");
    Error::refused(ErrorKind::TooManyFollowed, detail)
}
