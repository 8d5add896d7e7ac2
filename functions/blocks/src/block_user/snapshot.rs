//! A snapshot of the items between the caller and another user, and the transaction that blocks or
//! mutes the other user on the condition that they are still the same.

use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Put, Update};
use shared::access::no_block;
use shared::dynamodb::transaction::Transaction;
use shared::dynamodb::{Item, batch, entity};
use shared::entities::account::{OF_ACCOUNT, subject_value};
use shared::entities::{
    BLOCKED_BY, Block, Key, MAX_BLOCKS, REQUESTS_RECEIVED, REQUESTS_SENT, UNCOUNTED, count_of_level,
};
use shared::values::{Level, Subject, Username};
use shared::{Error, Table};

/// The items between two users, each as it was read. The first user is the caller.
pub(crate) struct Snapshot {
    /// The caller.
    pub(crate) user: Option<Item>,
    /// The other user.
    pub(crate) other: Option<Item>,
    /// The block or mute of before.
    pub(crate) block: Option<Block>,
    /// Whether the other user blocks the caller, who then sees no such user.
    pub(crate) is_blocked: bool,
    /// The friendships and requests in both directions.
    links: Vec<Link>,
}

/// A friendship or a request to follow between the two users.
struct Link {
    key: Key,
    /// The item, if there is one.
    item: Option<Item>,
    is_request: bool,
    /// Whether the caller is the one who follows or asks.
    is_of_caller: bool,
}

/// The changes of the counts of one user.
#[derive(Default)]
struct Counts(Vec<(&'static str, i64)>);

impl Snapshot {
    /// Reads the items by one consistent `BatchGetItem`.
    pub(crate) async fn read(table: &Table, username: &Username, other: &Username) -> Result<Self, Error> {
        let mut links: Vec<Link> = [
            (Key::friendship(other, username), false, true),
            (Key::friendship(username, other), false, false),
            (Key::follow_request(other, username), true, true),
            (Key::follow_request(username, other), true, false),
        ]
        .map(|(key, is_request, is_of_caller)| Link { key, item: None, is_request, is_of_caller })
        .into();
        let (user_key, other_key) = (Key::user(username), Key::user(other));
        let (block_key, opposite_key) = (Key::block(username, other), Key::block(other, username));
        let others = [&user_key, &other_key, &block_key, &opposite_key];
        let keys = links.iter().map(|link| &link.key).chain(others).cloned();
        let mut found = batch::get(table, keys.collect(), true).await?;
        for link in &mut links {
            link.item = batch::take(&mut found, link.key.clone());
        }
        let (user, other) = (batch::take(&mut found, user_key), batch::take(&mut found, other_key));
        let block = batch::take(&mut found, block_key).map(entity::from_item).transpose()?;
        let opposite: Option<Block> = batch::take(&mut found, opposite_key).map(entity::from_item).transpose()?;
        let is_blocked = opposite.is_some_and(|block| block.level == Level::Block);
        Ok(Self { user, other, block, is_blocked, links })
    }

    /// Returns the number of users whom the caller blocks or mutes.
    pub(crate) fn count(&self, level: Level) -> u64 {
        self.user.as_ref().map_or(0, |user| number(user, count_of_level(level))).unsigned_abs()
    }

    /// Returns the transaction that blocks or mutes the other user.
    pub(crate) fn transaction(&self, table: &Table, block: &Block, subject: &Subject) -> Result<Transaction, Error> {
        let (mut of_caller, mut of_other) = (Counts::default(), Counts::default());
        of_caller.0.push((count_of_level(block.level), 1));
        if let Some(before) = &self.block {
            of_caller.0.push((count_of_level(before.level), -1));
        }
        match (block.level, self.block.as_ref().map(|before| before.level)) {
            (Level::Block, _) => of_other.0.push((BLOCKED_BY, 1)),
            (Level::Mute, Some(Level::Block)) => of_other.0.push((BLOCKED_BY, -1)),
            (Level::Mute, _) => {}
        }
        let mut transaction = Transaction::new();
        transaction.put(self.put(table, block)?);
        for link in &self.links {
            match block.level {
                Level::Block => link.delete(table, &mut of_caller, &mut of_other, &mut transaction)?,
                Level::Mute if !link.is_request && link.is_of_caller => link.mute(table, &mut transaction)?,
                Level::Mute => {}
            }
        }
        let (caller, other) = (Key::user(&block.blocking_user), Key::user(&block.blocked_user));
        of_caller.change(table, caller, self.user.as_ref(), Some(subject), &mut transaction)?;
        of_other.change(table, other, self.other.as_ref(), None, &mut transaction)?;
        if !self.is_blocked {
            transaction.condition_check(no_block(&table.name, &block.blocked_user, &block.blocking_user)?);
        }
        Ok(transaction)
    }

    fn put(&self, table: &Table, block: &Block) -> Result<Put, Error> {
        let item = entity::to_item(Key::block(&block.blocking_user, &block.blocked_user), block)?;
        let put = Put::builder().table_name(&table.name).set_item(Some(item));
        let put = match &self.block {
            None => put.condition_expression("attribute_not_exists(PK)"),
            Some(before) => put
                .condition_expression("#level = :before")
                .expression_attribute_names("#level", "level")
                .expression_attribute_values(":before", S(before.level.to_string())),
        };
        Ok(put.build()?)
    }
}

impl Link {
    /// Adds the delete of the item, and the decrements of the counts that include it; or the check
    /// that there is none.
    fn delete(
        &self,
        table: &Table,
        of_caller: &mut Counts,
        of_other: &mut Counts,
        transaction: &mut Transaction,
    ) -> Result<(), Error> {
        let Some(item) = &self.item else { return self.check_absence(table, transaction) };
        let is_uncounted = item.contains_key(UNCOUNTED);
        let (following, followed) = if self.is_of_caller { (of_caller, of_other) } else { (of_other, of_caller) };
        if self.is_request {
            following.0.push((REQUESTS_SENT, -1));
            followed.0.push((REQUESTS_RECEIVED, -1));
        } else {
            following.0.push(("following", -1));
            if !is_uncounted {
                followed.0.push(("followers", -1));
            }
        }
        let delete = Delete::builder()
            .table_name(&table.name)
            .set_key(Some(self.key.clone().into()))
            .condition_expression(if is_uncounted {
                "attribute_exists(uncounted)"
            } else {
                "attribute_exists(PK) AND attribute_not_exists(uncounted)"
            })
            .build()?;
        transaction.delete(delete);
        Ok(())
    }

    /// Adds the update that marks the friendship as muted, or the check that there is none.
    fn mute(&self, table: &Table, transaction: &mut Transaction) -> Result<(), Error> {
        if self.item.is_none() {
            return self.check_absence(table, transaction);
        }
        let update = Update::builder()
            .table_name(&table.name)
            .set_key(Some(self.key.clone().into()))
            .condition_expression("attribute_exists(PK)")
            .update_expression("SET muted = :true")
            .expression_attribute_values(":true", AttributeValue::Bool(true))
            .build()?;
        transaction.update(update);
        Ok(())
    }

    fn check_absence(&self, table: &Table, transaction: &mut Transaction) -> Result<(), Error> {
        let check = ConditionCheck::builder()
            .table_name(&table.name)
            .set_key(Some(self.key.clone().into()))
            .condition_expression("attribute_not_exists(PK)")
            .build()?;
        transaction.condition_check(check);
        Ok(())
    }
}

impl Counts {
    /// Adds the update of a user, or the check that the user exists if no count changes. A count
    /// that has nothing to decrement, such as that of a user whom another program wrote, stays as
    /// it is; the condition says that this is still so. `subject` is the account of the caller.
    fn change(
        self,
        table: &Table,
        key: Key,
        user: Option<&Item>,
        subject: Option<&Subject>,
        transaction: &mut Transaction,
    ) -> Result<(), Error> {
        let mut conditions = vec![if subject.is_some() { OF_ACCOUNT } else { "attribute_exists(username)" }.to_owned()];
        let mut additions = vec![];
        for (count, change) in self.0 {
            if change > 0 {
                if subject.is_some() {
                    conditions.push(format!("NOT {count} >= :max"));
                }
                additions.push(format!("{count} :one"));
            } else if user.is_some_and(|user| number(user, count) > 0) {
                conditions.push(format!("{count} >= :one"));
                additions.push(format!("{count} :minus_one"));
            } else {
                conditions.push(format!("NOT {count} >= :one"));
            }
        }
        let has = |placeholder: &str| conditions.iter().chain(&additions).any(|text| text.ends_with(placeholder));
        let numbers = [(":one", "1".to_owned()), (":minus_one", "-1".to_owned()), (":max", MAX_BLOCKS.to_string())];
        let values = numbers.into_iter().filter(|(placeholder, _)| has(placeholder));
        let values = values.map(|(placeholder, number)| (placeholder.to_owned(), N(number)));
        let subject = subject.map(|subject| (":subject".to_owned(), subject_value(subject)));
        let values: Vec<(String, AttributeValue)> = values.chain(subject).collect();
        let values = (!values.is_empty()).then(|| values.into_iter().collect());
        if additions.is_empty() {
            let check = ConditionCheck::builder()
                .table_name(&table.name)
                .set_key(Some(key.into()))
                .condition_expression(conditions.join(" AND "))
                .set_expression_attribute_values(values)
                .build()?;
            transaction.condition_check(check);
            return Ok(());
        }
        let update = Update::builder()
            .table_name(&table.name)
            .set_key(Some(key.into()))
            .condition_expression(conditions.join(" AND "))
            .update_expression(format!("ADD {}", additions.join(", ")))
            .set_expression_attribute_values(values)
            .build()?;
        transaction.update(update);
        Ok(())
    }
}

/// Returns a count of a user, which is 0 if the user has none.
fn number(user: &Item, count: &str) -> i64 {
    user.get(count).and_then(|number| number.as_n().ok()?.parse().ok()).unwrap_or(0)
}
