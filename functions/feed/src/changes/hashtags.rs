//! Copies the hashtags that a user follows into the user's feed.

use aws_sdk_dynamodb::types::AttributeValue::Ss;
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Put};
use shared::Error;
use shared::changes::Context;
use shared::dynamodb::entity;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::{FOLLOWED_HASHTAGS, FollowedHashtags, Key, user_of_followed_hashtags};
use shared::runtime::stream::Record;
use shared::values::Username;

/// The retry budget: the maximum number of transactions. More than one are needed only if the user
/// follows or unfollows between the read and the write.
const MAX_ATTEMPTS: usize = 5;

/// Copies the hashtags that a user follows now, whatever the record says: it may be late.
///
/// The transaction checks that the copy is right. Otherwise an attempt that arrives late would bring
/// back what was unfollowed meanwhile, or the copy of a deleted user.
pub(super) async fn copy(context: &Context, Record { keys, old_image, new_image, .. }: &Record) -> Result<(), Error> {
    if old_image.get(FOLLOWED_HASHTAGS) == new_image.get(FOLLOWED_HASHTAGS) {
        return Ok(());
    }
    let reader = user_of_followed_hashtags(keys)?;
    for _ in 0..MAX_ATTEMPTS {
        let get = context.table.client.get_item().table_name(&context.table.name).consistent_read(true);
        let item = get.set_key(Some(keys.clone())).send().await?.item;
        let followed = item.map(entity::from_item).transpose()?.unwrap_or_default();
        let transaction = write(context, &reader, &followed)?;
        if let Outcome::Committed = transaction.write(&context.feed.client).await? {
            return Ok(());
        }
    }
    Err(Error::Busy("the user follows hashtags faster than they are copied".into()))
}

/// Returns the transaction that makes the copy of hashtags that were read.
fn write(context: &Context, reader: &Username, followed: &FollowedHashtags) -> Result<Transaction, Error> {
    let copy = Key::pulled_hashtags(reader);
    let check = ConditionCheck::builder()
        .table_name(&context.table.name)
        .set_key(Some(Key::followed_hashtags(reader).into()))
        .expression_attribute_names("#hashtags", FOLLOWED_HASHTAGS);
    let mut transaction = Transaction::new();
    if followed.hashtags.is_empty() {
        transaction.condition_check(check.condition_expression("attribute_not_exists(#hashtags)").build()?);
        transaction.delete(Delete::builder().table_name(&context.feed.name).set_key(Some(copy.into())).build()?);
    } else {
        let hashtags = Ss(followed.hashtags.iter().map(ToString::to_string).collect());
        let check = check.condition_expression("#hashtags = :hashtags");
        transaction.condition_check(check.expression_attribute_values(":hashtags", hashtags).build()?);
        let item = entity::to_item(copy, followed)?;
        transaction.put(Put::builder().table_name(&context.feed.name).set_item(Some(item)).build()?);
    }
    Ok(transaction)
}
