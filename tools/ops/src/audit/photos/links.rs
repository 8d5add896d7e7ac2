//! Links and their targets.

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::Table;
use shared::dynamodb::counter::Decrement;
use shared::dynamodb::expiry::{self, TTL};
use shared::dynamodb::{Item, entity};
use shared::entities::{Key, LINKS, Link, LinkTarget};
use shared::values::{LinkToken, PhotoId, Timestamp, Username};

use super::entity::Entity;
use super::photos_check::PhotosCheck;
use super::ttl::is_overdue;
use super::user_state::{UserState, user_state};
use crate::audit::error::Error;
use crate::audit::finding::{LinkFault, PhotosFinding};
use crate::audit::read;
use crate::audit::write::{
    check, check_part, delete, delete_counted, delete_expired, delete_part, put, put_part, write,
};

/// Returns what is wrong with a link of a user who exists.
pub(super) async fn inspect(
    photos: &PhotosCheck<'_>,
    owner: &Username,
    photo: Option<&PhotoId>,
) -> Result<Option<PhotosFinding>, Error> {
    let table = &photos.table;
    let Some(Ok(Entity::Link(link))) = read::entity(table, Key::link(owner, photo)).await? else {
        return Ok(None);
    };
    if user_state(table, owner).await? != UserState::Present {
        return Ok(None);
    }
    let target = match read::entity(table, Key::link_target(&link.token)).await? {
        Some(Ok(Entity::LinkTarget { target, .. })) => Some(target),
        // Somebody can repair a malformed target.
        Some(_) => return Ok(None),
        None => None,
    };
    let fault = match ended(&link) {
        _ if is_without_photo(table, &link).await? => Some(LinkFault::NoPhoto),
        // finish-deletion may be about to delete the link.
        Some(until) if target.is_none() => {
            is_before(until, &photos.unfinished_before).then_some(LinkFault::Ended(until))
        }
        Some(until) => is_overdue(until).then_some(LinkFault::Overdue(until)),
        None => (target != Some(link.target())).then_some(LinkFault::Target),
    };
    Ok(fault.map(|fault| PhotosFinding::Link { link, fault }))
}

/// Returns a target that no link has. DynamoDB deletes one that has ended by its time, unless this is
/// long ago.
pub(super) async fn inspect_target(table: &Table, token: &LinkToken) -> Result<Option<PhotosFinding>, Error> {
    let Some(Ok(Entity::LinkTarget { token, target })) = read::entity(table, Key::link_target(token)).await? else {
        return Ok(None);
    };
    if target.ttl.is_some_and(|ttl| expiry::is_over(ttl) && !is_overdue(ttl)) {
        return Ok(None);
    }
    let link = read::entity(table, Key::link(&target.owner, target.photo.as_ref())).await?;
    let is_known = match link {
        Some(Ok(Entity::Link(link))) => link.token == token,
        // Somebody can repair a malformed link.
        link => link.is_some(),
    };
    Ok((!is_known).then_some(PhotosFinding::LinkTarget { token, target }))
}

/// Repairs a link, if it still is as it was when it was inspected.
pub(super) async fn repair(table: &Table, link: &Link, fault: LinkFault) -> Result<bool, Error> {
    let target = Key::link_target(&link.token);
    if fault == LinkFault::Target {
        let link_is_the_same = check(table, Key::link(&link.owner, link.photo.as_ref()))
            .condition_expression(unchanged(link))
            .expression_attribute_names("#token", "token")
            .expression_attribute_names("#until", "until")
            .set_expression_attribute_values(Some(values_of(link)));
        let put = put(table, entity::to_item(target, &link.target())?);
        return write(table, vec![check_part(link_is_the_same)?, put_part(put)?]).await;
    }
    if let LinkFault::Overdue(ttl) = fault {
        // finish-deletion deletes the link, as after a deletion by DynamoDB.
        return delete_expired(table, target, ttl).await;
    }
    let item = delete(table, Key::link(&link.owner, link.photo.as_ref()))
        .condition_expression(unchanged(link))
        .expression_attribute_names("#token", "token")
        .expression_attribute_names("#until", "until")
        .set_expression_attribute_values(Some(values_of(link)));
    let mut parts = vec![delete_part(item)?, delete_part(delete(table, target))?];
    if let (LinkFault::NoPhoto, Some(photo)) = (fault, &link.photo) {
        let photo = check(table, Key::photo(&link.owner, photo))
            .condition_expression("attribute_not_exists(PK) OR (attribute_exists(erasing) AND attribute_exists(#ttl))")
            .expression_attribute_names("#ttl", TTL);
        parts.push(check_part(photo)?);
    }
    delete_counted(table, parts, [Decrement::new(&table.name, Key::user(&link.owner), LINKS)]).await
}

/// Deletes a target, if it still is of this owner and no link has it.
pub(super) async fn delete_target(table: &Table, token: &LinkToken, target: &LinkTarget) -> Result<bool, Error> {
    let item = delete(table, Key::link_target(token))
        .condition_expression("#owner = :owner")
        .expression_attribute_names("#owner", "owner")
        .expression_attribute_values(":owner", S(target.owner.to_string()));
    let link = check(table, Key::link(&target.owner, target.photo.as_ref()))
        .condition_expression("attribute_not_exists(PK) OR #token <> :token")
        .expression_attribute_names("#token", "token")
        .expression_attribute_values(":token", S(token.to_string()));
    write(table, vec![delete_part(item)?, check_part(link)?]).await
}

/// Returns the time at which a link has ended, in seconds since 1970.
fn ended(link: &Link) -> Option<u64> {
    link.until.as_ref().filter(|_| link.is_over()).map(Timestamp::seconds)
}

fn is_before(seconds: u64, time: &Timestamp) -> bool {
    seconds <= time.seconds()
}

/// Returns whether the link is of a photo of which nothing is left. An unfinished deletion deletes the
/// link itself.
async fn is_without_photo(table: &Table, link: &Link) -> Result<bool, Error> {
    let Some(photo) = &link.photo else { return Ok(false) };
    Ok(match read::entity(table, Key::photo(&link.owner, photo)).await? {
        None => true,
        Some(Ok(Entity::PhotoDeletion { deletion, .. })) => deletion.ttl.is_some(),
        Some(_) => false,
    })
}

/// Returns the condition that a link still has its token and ends at the same time.
const fn unchanged(link: &Link) -> &'static str {
    match link.until {
        Some(_) => "#token = :token AND #until = :until",
        None => "#token = :token AND attribute_not_exists(#until)",
    }
}

fn values_of(link: &Link) -> Item {
    let until = link.until.as_ref().map(|until| (":until".to_owned(), S(until.to_string())));
    [(":token".to_owned(), S(link.token.to_string()))].into_iter().chain(until).collect()
}
