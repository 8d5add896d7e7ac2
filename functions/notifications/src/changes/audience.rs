//! Updates the bells after a change that hides notifications or shows them again: a block or a mute,
//! the audience or the removal of a photo, or a friendship.
//!
//! - A block concerns the inboxes of both users, and a mute that of the user who mutes.
//! - A friendship decides whether the follower sees mentions on photos for followers.
//! - The audience or the removal of a photo concerns the users whom its comments mention or answer, and the
//!   authors of comments with likes and of the pinned one. A `Query` of `InvertedIndex` finds the comments, for half
//!   a read unit per 4 KB, and one the replies. Old ones too, because their likes may be new. Nobody can comment
//!   on a pending photo, so one that becomes ready needs none. The count of a photo may lack its comments. The
//!   index may lack a comment of this second, whose own record comes too.
//! - It also concerns the followers who were told of the photo. Another `Query` finds their alerts, unless
//!   the photo is older than the inbox keeps them. Up to 16 bells are updated at the same time.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::S;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use shared::Error;
use shared::changes::Context;
use shared::dynamodb::entity;
use shared::entities::{
    Block, COMMENT_PREFIX, Friendship, INVERTED_INDEX, Kind, Notice, Photo, Picture, Position, alert_sk, alert_topic,
    alerted_user, comment_from_item, from_inverted_index, notices, photo_from_item, photo_sk, replies_sk,
};
use shared::runtime::stream::{Change, Record};
use shared::values::{Level, NotificationKind, Username};

use super::bell::{self, About};

/// The maximum number of bells that are updated at the same time.
const MAX_CONCURRENT_BELLS: usize = 16;

/// Returns whether a record is of a change that may hide notifications or show them again.
pub(super) fn may_change(record: &Record) -> bool {
    match Kind::of(&record.keys) {
        Some(Kind::Block) => true,
        Some(Kind::Friendship) => record.change != Change::Modify,
        Some(Kind::Photo) => record.change == Change::Modify,
        _ => false,
    }
}

/// Updates the bells of the users whom a change concerns.
pub(super) async fn update_bells(context: &Context, record: &Record) -> Result<(), Error> {
    let images = [&record.old_image, &record.new_image].into_iter().filter(|image| !image.is_empty());
    match Kind::of(&record.keys) {
        Some(Kind::Block) => {
            let mut users = BTreeSet::new();
            for image in images {
                let Block { blocking_user, blocked_user, level, .. } = entity::from_item(image.clone())?;
                users.insert(blocking_user);
                users.extend((level == Level::Block).then_some(blocked_user));
            }
            for user in users {
                bell::update(context, &user, About::All).await?;
            }
        }
        Some(Kind::Friendship) => {
            for image in images {
                let Friendship { followed_user, following_user, .. } = entity::from_item(image.clone())?;
                bell::update(context, &following_user, About::PhotosOf(followed_user)).await?;
            }
        }
        Some(Kind::Photo) => {
            let (Some(before), Some(after)) =
                (photo_from_item(record.old_image.clone())?, photo_from_item(record.new_image.clone())?)
            else {
                // What belongs to a deleted photo goes with records of its own.
                return Ok(());
            };
            let is_same = (before.audience, before.is_ready()) == (after.audience, after.is_ready());
            if !is_same {
                let was_pending = before.picture == Some(Picture::Pending);
                let mut users = if was_pending { BTreeSet::new() } else { mentioned(context, &after).await? };
                users.extend(alerted(context, &after).await?);
                let about = || About::PhotosOf(after.username.clone());
                let updates = users.iter().map(|user| bell::update(context, user, about()));
                stream::iter(updates).buffer_unordered(MAX_CONCURRENT_BELLS).try_collect::<()>().await?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Returns the users whom the comments on a photo mention or answer, unless their inboxes do not show it any
/// more, and the authors of those with likes or a pin.
async fn mentioned(context: &Context, photo: &Photo) -> Result<BTreeSet<Username>, Error> {
    let mut users = BTreeSet::new();
    for sk in [photo_sk(&photo.username, &photo.id), replies_sk(&photo.username, &photo.id)] {
        let comments = context
            .table
            .client
            .query()
            .table_name(&context.table.name)
            .index_name(INVERTED_INDEX)
            .key_condition_expression("SK = :sk AND begins_with(PK, :comments)")
            .expression_attribute_values(":sk", S(sk))
            .expression_attribute_values(":comments", S(COMMENT_PREFIX.to_owned()));
        let mut comments = comments.into_paginator().items().send();
        while let Some(comment) = comments.try_next().await? {
            let comment = from_inverted_index(comment);
            let told = notices(&comment)?.into_iter().filter(|notice| notice.topic.kind != NotificationKind::Comment);
            let told = told.filter(|notice| !notice.topic.has_expired());
            users.extend(told.map(|Notice { user, .. }| user));
            let liked = comment_from_item(comment)?.filter(|comment| comment.likes > 0);
            users.extend(liked.map(|comment| comment.author));
        }
    }
    Ok(users)
}

/// Returns the followers who were told of a photo.
async fn alerted(context: &Context, photo: &Photo) -> Result<BTreeSet<Username>, Error> {
    let position = Position { id: photo.id.clone(), author: photo.username.clone() };
    let mut users = BTreeSet::new();
    if alert_topic(&position).has_expired() {
        return Ok(users);
    }
    let alerts = context
        .table
        .client
        .query()
        .table_name(&context.table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :alert")
        .expression_attribute_values(":alert", S(alert_sk(&position)));
    let mut alerts = alerts.into_paginator().items().send();
    while let Some(alert) = alerts.try_next().await? {
        users.insert(alerted_user(&alert)?);
    }
    Ok(users)
}
