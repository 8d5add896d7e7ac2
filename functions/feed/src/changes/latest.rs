//! The item [`Latest`] of an author: the newest photos, and the way in which they reach the
//! followers.

use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::{S, Ss};
use aws_sdk_dynamodb::types::{ConditionCheck, Update};
use shared::access::IS_READY;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::dynamodb::{entity, unless_condition_failed};
use shared::entities::{Delivery, Key, Latest, MAX_LATEST, Position};
use shared::values::{Audience, Username};
use shared::{Error, Table};

/// Returns the `Latest` of an author, by a consistent `GetItem`.
pub(super) async fn get(feed: &Table, author: &Username) -> Result<Option<Latest>, Error> {
    let get = feed.client.get_item().table_name(&feed.name).consistent_read(true);
    let output = get.set_key(Some(Key::latest(author).into())).send().await?;
    output.item.map(entity::from_item).transpose()
}

/// Adds a photo, and returns the `Latest`, or `None` if the followers cannot see the photo any
/// more. Removes the oldest photos if there are too many.
///
/// The transaction checks that they can see it. Otherwise an attempt that arrives late would add a
/// photo that has been restricted, removed or deleted meanwhile.
pub(super) async fn add_photo(table: &Table, feed: &Table, photo: &Position) -> Result<Option<Latest>, Error> {
    let Position { author, id } = photo;
    let add = Update::builder()
        .table_name(&feed.name)
        .set_key(Some(Key::latest(author).into()))
        .update_expression("SET author = :author ADD photos :photo")
        .expression_attribute_values(":author", S(author.to_string()))
        .expression_attribute_values(":photo", Ss(vec![id.to_string()]))
        .build()?;
    let mut transaction = Transaction::new();
    let reaches_followers = format!("{IS_READY} AND NOT audience = :me AND attribute_not_exists(imported)");
    transaction.condition_check(check_photo(table, photo, reaches_followers)?);
    transaction.update(add);
    if let Outcome::ConditionFailed(_) = transaction.write(&feed.client).await? {
        return Ok(None);
    }
    let Some(latest) = get(feed, author).await? else { return Ok(None) };
    let surplus = latest.photos.len().saturating_sub(MAX_LATEST);
    if surplus > 0 {
        let oldest = latest.photos.iter().take(surplus).map(ToString::to_string).collect();
        remove_photos(feed, author, oldest).await?;
    }
    Ok(Some(latest))
}

/// Removes a photo that the followers cannot see any more. Changes nothing if there is no `Latest`.
///
/// The transaction checks that they cannot see it. Otherwise an attempt that arrives late would
/// remove a photo that has been shown again meanwhile.
pub(super) async fn hide_photo(table: &Table, feed: &Table, photo: &Position) -> Result<(), Error> {
    let Position { author, id } = photo;
    let remove = Update::builder()
        .table_name(&feed.name)
        .set_key(Some(Key::latest(author).into()))
        .condition_expression("attribute_exists(pk)")
        .update_expression("DELETE photos :photos")
        .expression_attribute_values(":photos", Ss(vec![id.to_string()]))
        .build()?;
    let mut transaction = Transaction::new();
    let reaches_nobody = format!("NOT ({IS_READY}) OR audience = :me OR attribute_exists(imported)");
    transaction.condition_check(check_photo(table, photo, reaches_nobody)?);
    transaction.update(remove);
    transaction.write(&feed.client).await?;
    Ok(())
}

/// Returns the check of a photo by a condition with the values `:ready` and `:me`.
fn check_photo(table: &Table, photo: &Position, condition: String) -> Result<ConditionCheck, Error> {
    let check = ConditionCheck::builder()
        .table_name(&table.name)
        .set_key(Some(Key::photo(&photo.author, &photo.id).into()))
        .condition_expression(condition)
        .expression_attribute_names("#status", "status")
        .expression_attribute_values(":ready", S("ready".to_owned()))
        .expression_attribute_values(":me", S(Audience::Me.to_string()))
        .build()?;
    Ok(check)
}

/// Removes photos that are too many. Changes nothing if there is no `Latest`.
async fn remove_photos(feed: &Table, author: &Username, photos: Vec<String>) -> Result<(), Error> {
    let removed = update(feed, author)
        .condition_expression("attribute_exists(pk)")
        .update_expression("DELETE photos :photos")
        .expression_attribute_values(":photos", Ss(photos))
        .send()
        .await;
    unless_condition_failed(removed)?;
    Ok(())
}

/// Returns the delivery of a photo of an author with this number of followers, and sets it for the
/// author if it changes.
///
/// Above `max_pushed` followers, delivery changes from fan-out on write to fan-out on read. It
/// changes back at half of this maximum. In between nothing changes, so that an author whose number
/// of followers goes up and down around the maximum is not converted each time.
pub(super) async fn next_delivery(
    feed: &Table,
    Latest { author, delivery, .. }: &Latest,
    followers: u64,
    max_pushed: u64,
) -> Result<Delivery, Error> {
    let next = match delivery {
        Delivery::Push | Delivery::PushAgain if followers > max_pushed => Delivery::Converting,
        Delivery::Pull if followers <= max_pushed / 2 => Delivery::PushAgain,
        unchanged => return Ok(*unchanged),
    };
    set_delivery(feed, author, *delivery, next).await?;
    Ok(next)
}

/// Changes the delivery, unless another invocation has changed it or the author has been deleted.
pub(super) async fn set_delivery(feed: &Table, author: &Username, from: Delivery, to: Delivery) -> Result<(), Error> {
    // The item has no delivery until the first change. If it has no author, finish-deletion has
    // deleted it meanwhile, and the update must not create another one.
    let condition = if from == Delivery::Push {
        "attribute_exists(author) AND attribute_not_exists(delivery)"
    } else {
        "delivery = :from"
    };
    let mut set = update(feed, author)
        .condition_expression(condition)
        .update_expression("SET delivery = :to REMOVE converted")
        .expression_attribute_values(":to", serde_dynamo::to_attribute_value(to)?);
    if from != Delivery::Push {
        set = set.expression_attribute_values(":from", serde_dynamo::to_attribute_value(from)?);
    }
    unless_condition_failed(set.send().await)?;
    Ok(())
}

/// Sets the follower up to whom the author is converted. Changes nothing if the author is not being
/// converted any more, so that a late attempt shortens no later conversion.
pub(super) async fn set_converted(feed: &Table, author: &Username, reader: &Username) -> Result<(), Error> {
    let set = update(feed, author)
        .condition_expression("delivery = :converting")
        .update_expression("SET converted = :reader")
        .expression_attribute_values(":converting", serde_dynamo::to_attribute_value(Delivery::Converting)?)
        .expression_attribute_values(":reader", S(reader.to_string()));
    unless_condition_failed(set.send().await)?;
    Ok(())
}

fn update(feed: &Table, author: &Username) -> UpdateItemFluentBuilder {
    feed.client.update_item().table_name(&feed.name).set_key(Some(Key::latest(author).into()))
}
