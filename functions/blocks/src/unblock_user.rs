//! A consistent `BatchGetItem` reads the block, which tells its level, and the caller's friendship
//! with the other user. Then one `TransactWriteItems` deletes the block and decrements the count of
//! the caller. For a block, it decrements that of the other user too. For a mute, it removes the
//! mark of the friendship. A repeated request changes nothing.
//!
//! The friendships and the requests to follow that the block has removed do not come back.

use crate::other::Other;
use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, ReturnValuesOnConditionCheckFailure, Update};
use shared::dynamodb::transaction::{Outcome, Transaction, Write};
use shared::dynamodb::{Item, batch, entity};
use shared::entities::account::{OF_ACCOUNT, refusal, subject_value};
use shared::entities::{BLOCKED_BY, Block, Key, Kind, count_of_level};
use shared::http::answer;
use shared::http::extract::Owner;
use shared::http::request::Caller;
use shared::values::Level;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts. More than one are needed only if another
/// request changes the block or the friendship between the read and the write.
const MAX_ATTEMPTS: usize = 5;

/// The route.
pub struct UnblockUser {
    table: Table,
}

impl Route for UnblockUser {
    const NAME: &'static str = "unblock-user";
    const ROUTE: &'static str = "DELETE /users/{username}/blocks/{other}";
    const SUMMARY: &'static str = "The caller ends a block or a mute. The other user is not told.";
    const SUCCESSES: &'static [Success] = &[Success::no_content("The caller neither blocks nor mutes the user.")];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Owner, Other);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(&self, (Owner(caller), Other(other)): Self::Input) -> Result<Response<()>, Error> {
        let Self { table } = self;
        let username = &caller.username;

        for _ in 0..MAX_ATTEMPTS {
            let keys = [Key::block(username, &other), Key::friendship(&other, username)].into();
            let (mut block, mut follows) = (None, false);
            for item in batch::get(table, keys, true).await? {
                if Kind::Block.is_of(&item) {
                    block = Some(entity::from_item::<Block>(item)?);
                } else {
                    follows = true;
                }
            }
            let Some(block) = block else { return Ok(answer::no_content()) };
            let (transaction, user) = build(table, &caller, &block, follows)?;
            match transaction.write(&table.client).await? {
                Outcome::Committed => return Ok(answer::no_content()),
                Outcome::ConditionFailed(failed) => {
                    if failed.contains(user)
                        && let Some(refusal) = refusal(failed.item(user), username, &caller.subject)
                    {
                        return Err(refusal);
                    }
                }
            }
        }
        Err(Error::Busy("another request changed the block during each attempt to end it".into()))
    }
}

/// Returns the transaction that ends a block or a mute, with the handle of the update of the caller.
/// `follows` says whether the caller follows the other user.
fn build(
    table: &Table,
    caller: &Caller,
    Block { blocking_user, blocked_user, level, .. }: &Block,
    follows: bool,
) -> Result<(Transaction, Write), Error> {
    let delete = Delete::builder()
        .table_name(&table.name)
        .set_key(Some(Key::block(blocking_user, blocked_user).into()))
        .condition_expression("#level = :level")
        .expression_attribute_names("#level", "level")
        .expression_attribute_values(":level", S(level.to_string()))
        .build()?;
    let count = count_of_level(*level);
    let decrement = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(blocking_user).into()))
        .condition_expression(OF_ACCOUNT)
        .update_expression(format!("ADD {count} :minus_one"))
        .expression_attribute_values(":minus_one", N("-1".to_owned()))
        .expression_attribute_values(":subject", subject_value(&caller.subject))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let mut transaction = Transaction::new();
    transaction.delete(delete);
    let caller = transaction.update(decrement);
    match level {
        Level::Block => {
            let decrement = Update::builder()
                .table_name(&table.name)
                .set_key(Some(Key::user(blocked_user).into()))
                // A tombstone keeps this count too.
                .condition_expression(format!("{BLOCKED_BY} > :zero"))
                .update_expression(format!("ADD {BLOCKED_BY} :minus_one"))
                .expression_attribute_values(":zero", N("0".to_owned()))
                .expression_attribute_values(":minus_one", N("-1".to_owned()))
                .build()?;
            transaction.update(decrement);
        }
        Level::Mute => {
            let friendship = Item::from(Key::friendship(blocked_user, blocking_user));
            if follows {
                let unmark = Update::builder()
                    .table_name(&table.name)
                    .set_key(Some(friendship))
                    .condition_expression("attribute_exists(PK)")
                    .update_expression("REMOVE muted")
                    .build()?;
                transaction.update(unmark);
            } else {
                let check = ConditionCheck::builder()
                    .table_name(&table.name)
                    .set_key(Some(friendship))
                    .condition_expression("attribute_not_exists(PK)")
                    .build()?;
                transaction.condition_check(check);
            }
        }
    }
    Ok((transaction, caller))
}
