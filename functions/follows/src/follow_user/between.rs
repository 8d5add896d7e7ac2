//! Reads and checks the request to follow, the mute and the blocks between the caller and the user.

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::{ConditionCheck, Delete};
use shared::access::no_block;
use shared::dynamodb::transaction::{Transaction, Write};
use shared::dynamodb::{Item, batch, entity};
use shared::entities::{BLOCKED_BY, BLOCKS, Block, Friendship, Key, Kind, MUTES, REQUESTS_SENT, has_any};
use shared::values::Level;
use shared::{Error, ErrorKind, Table};

/// The counts of the caller. Without them, nothing of this kind is between the caller and anybody.
const COUNTS: [&str; 4] = [REQUESTS_SENT, BLOCKS, MUTES, BLOCKED_BY];

/// The request, the mute and the blocks between the caller and the user.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Between {
    /// Nothing. The counts of the caller say so, which a transaction updates anyway.
    Nothing,
    /// The items as they were read. A transaction checks them with items of its own.
    Read {
        /// Whether the caller has asked the user, who has stopped to approve followers since. The
        /// friendship replaces the request.
        is_asked: bool,
        /// Whether the caller has muted the user. The friendship says so too.
        is_muted: bool,
    },
}

impl Between {
    /// Reads what is between the caller and the user by a consistent `BatchGetItem`. Fails if one
    /// of them blocks the other.
    pub(crate) async fn read(
        table: &Table,
        Friendship { followed_user: user, following_user: caller, .. }: &Friendship,
    ) -> Result<Self, Error> {
        let keys = [Key::follow_request(user, caller), Key::block(user, caller), Key::block(caller, user)];
        let (mut is_asked, mut is_muted) = (false, false);
        for item in batch::get(table, keys.into(), true).await? {
            if !Kind::Block.is_of(&item) {
                is_asked = true;
                continue;
            }
            let Block { blocking_user, level, .. } = entity::from_item(item)?;
            match (blocking_user == *caller, level) {
                (true, Level::Block) => {
                    let detail = format!("You block {user}. Remove the block before you follow them.");
                    return Err(Error::refused(ErrorKind::YouBlock, detail));
                }
                // Those whom a user blocks see no such user.
                (false, Level::Block) => return Err(Error::no_user(user)),
                (true, Level::Mute) => is_muted = true,
                (false, Level::Mute) => {}
            }
        }
        Ok(Self::Read { is_asked, is_muted })
    }

    /// Returns whether the friendship replaces a request.
    pub(crate) fn is_asked(self) -> bool {
        matches!(self, Self::Read { is_asked: true, .. })
    }

    /// Returns whether there may be something that was not read, according to the caller's counts.
    pub(crate) fn may_be_outdated(self, caller: Option<&Item>) -> bool {
        self == Self::Nothing && caller.is_some_and(|caller| COUNTS.iter().any(|count| has_any(caller, count)))
    }

    /// Adds the delete of the request or the check that there is none, the check of the mute or that
    /// there is none, and the check that the user does not block the caller.
    pub(crate) fn resolve(
        self,
        table: &Table,
        Friendship { followed_user: user, following_user: caller, .. }: &Friendship,
        transaction: &mut Transaction,
    ) -> Result<Vec<Write>, Error> {
        let Self::Read { is_asked, is_muted } = self else { return Ok(vec![]) };
        let request = Item::from(Key::follow_request(user, caller));
        let request = if is_asked {
            let delete = Delete::builder().table_name(&table.name).set_key(Some(request));
            let delete = delete.condition_expression("attribute_exists(PK)").build()?;
            transaction.delete(delete)
        } else {
            let check = ConditionCheck::builder().table_name(&table.name).set_key(Some(request));
            let check = check.condition_expression("attribute_not_exists(PK)").build()?;
            transaction.condition_check(check)
        };
        let mute = ConditionCheck::builder().table_name(&table.name).set_key(Some(Key::block(caller, user).into()));
        let mute = if is_muted {
            mute.condition_expression("#level = :mute")
                .expression_attribute_names("#level", "level")
                .expression_attribute_values(":mute", S(Level::Mute.to_string()))
        } else {
            mute.condition_expression("attribute_not_exists(PK)")
        };
        let mute = transaction.condition_check(mute.build()?);
        Ok(vec![request, mute, transaction.condition_check(no_block(&table.name, user, caller)?)])
    }

    /// Adds the checks that neither of the two blocks the other.
    pub(crate) fn check_blocks(
        self,
        table: &Table,
        Friendship { followed_user: user, following_user: caller, .. }: &Friendship,
        transaction: &mut Transaction,
    ) -> Result<Vec<Write>, Error> {
        if self == Self::Nothing {
            return Ok(vec![]);
        }
        Ok(vec![
            transaction.condition_check(no_block(&table.name, user, caller)?),
            transaction.condition_check(no_block(&table.name, caller, user)?),
        ])
    }
}
