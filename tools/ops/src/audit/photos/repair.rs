//! Repairs the findings in `quick-photos`.

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::AttributeValue::{Bool, N, S};
use aws_sdk_dynamodb::types::TransactWriteItem;
use aws_sdk_dynamodb::types::builders::UpdateBuilder;
use shared::Table;
use shared::dynamodb::Item;
use shared::dynamodb::counter::{Decrement, Guard};
use shared::entities::{
    CountedItem, IS_UNCOUNTED, Key, PINNED, PINNED_COMMENT, PinnedPicture, Position, REQUESTS_RECEIVED, REQUESTS_SENT,
    counted_comment, photo_of_sk, user_pk,
};
use shared::values::{CommentId, EpochMillis, Level, ReportId, Timestamp, Username};

use super::entity::{Entity, reaction_key};
use super::{decisions, links, several, uncounted};
use crate::audit::error::Error;
use crate::audit::finding::{
    CommentCount, PhotoCount, PhotosFinding, PicturesFault, Remains, ReportFault, TtlFault, UserCount,
};
use crate::audit::layout::key;
use crate::audit::write::{
    check, check_part, delete, delete_counted, delete_expired, delete_part, number, set_count, update, update_part,
    write,
};

/// The time until a pending photo expires that had no `ttl`, in seconds: a day, as for a new one.
const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;

/// Repairs a finding. Returns false if the table has changed since the inspection and nothing was
/// written.
pub(super) async fn repair(table: &Table, finding: &PhotosFinding) -> Result<bool, Error> {
    match finding {
        PhotosFinding::Deletion { key, since, .. } => write(table, vec![touch(table, key.clone(), since)?]).await,
        PhotosFinding::Resting { username, since, .. } => {
            write(table, vec![touch(table, Key::user(username), since)?]).await
        }
        PhotosFinding::OrphanRest { username, since } => {
            let timer = delete(table, Key::rest(username))
                .condition_expression("since = :since")
                .expression_attribute_values(":since", S(since.to_string()));
            let deletion = check(table, Key::user(username))
                .condition_expression("attribute_not_exists(erasing) OR since <> :since")
                .expression_attribute_values(":since", S(since.to_string()));
            write(table, vec![delete_part(timer)?, check_part(deletion)?]).await
        }
        PhotosFinding::OverdueRest { username, is_deletion, ttl } => {
            let key = if *is_deletion { Key::user(username) } else { Key::rest(username) };
            delete_expired(table, key, *ttl).await
        }
        PhotosFinding::LostUser { username, remains, erase: true } => erase(table, username, remains).await,
        PhotosFinding::PinnedComment { id, photo, of_photo } => unpin_comment(table, id, photo, *of_photo).await,
        PhotosFinding::CommentCount { id, photo, count, stored, actual } => {
            let key = Key::comment(id, &photo.author, &photo.id);
            set_comment_count(table, key, &id.author, *count, *stored, *actual).await
        }
        PhotosFinding::Reaction { reacting, reaction, photo, is_sharded, is_uncounted } => {
            let key = reaction_key(reacting, *reaction, photo, *is_sharded);
            let mut parts = vec![delete_as_counted(table, key, *is_uncounted)?];
            // Another program may have written a reaction whose sort key is not that of a photo.
            if let Ok((username, photo)) = photo_of_sk(photo) {
                parts.push(absent(table, Key::photo(&username, &photo))?);
            }
            write(table, parts).await
        }
        PhotosFinding::Comment { id, photo } => delete_comment(table, id, photo).await,
        PhotosFinding::FollowRequest { asked, asking, blocking } => {
            delete_request(table, asked, asking, blocking.as_ref()).await
        }
        PhotosFinding::BlockedFriendship { followed, following, blocking, is_uncounted } => {
            delete_blocked_friendship(table, followed, following, blocking, *is_uncounted).await
        }
        PhotosFinding::MutedFriendship { followed, following, is_muted } => {
            mark_friendship(table, followed, following, *is_muted).await
        }
        PhotosFinding::Report { id, fault: ReportFault::Count { stored, actual } } => {
            let set = set_count(update(table, Key::report(id)), "complaints", Some(*stored), *actual);
            write(table, vec![update_part(set)?]).await
        }
        PhotosFinding::Decision { about, timestamp: at, fault } => decisions::repair(table, about, at, *fault).await,
        PhotosFinding::Complaint { reporter, about } => delete_complaint(table, reporter, about).await,
        PhotosFinding::Link { link, fault } => links::repair(table, link, *fault).await,
        PhotosFinding::LinkTarget { token, target } => links::delete_target(table, token, target).await,
        PhotosFinding::PinnedPicture { username, photo, picture } => {
            write(table, set_pinned_picture(table, username, photo, picture.as_ref())?).await
        }
        PhotosFinding::Pin { username, photo } => write(table, unpin(table, username, photo)?).await,
        PhotosFinding::UserCount { username, count, stored, actual } => {
            let exists =
                if count.is_kept_by_deletion() { "attribute_exists(PK)" } else { "attribute_exists(username)" };
            let user = update(table, Key::user(username))
                .condition_expression(exists)
                .expression_attribute_names("#count", count.attribute());
            write(table, vec![update_part(set_count(user, "#count", *stored, *actual))?]).await
        }
        PhotosFinding::PhotoCount { photo, count, stored, actual } => {
            let photo = update(table, Key::photo(&photo.author, &photo.id));
            write(table, vec![update_part(set_photo_count(photo, *count, *stored, *actual))?]).await
        }
        PhotosFinding::UncountedReaction { reacting, reaction, photo, is_sharded, since } => {
            let key = Key::reaction(reacting, *reaction, &photo.author, &photo.id);
            let key = if *is_sharded { key.sharded() } else { key };
            uncounted::count_reaction(table, key, *reaction, photo, since).await
        }
        PhotosFinding::UncountedComment { id, photo } => uncounted::count_comment(table, id, photo).await,
        PhotosFinding::UncountedFriendship { followed, following, since } => {
            uncounted::count_friendship(table, followed, following, since).await
        }
        PhotosFinding::Ttl { photo, fault } => {
            write(table, vec![repair_ttl(table, Key::photo(&photo.author, &photo.id), *fault)?]).await
        }
        PhotosFinding::Pictures { photo, fault: fault @ (PicturesFault::NoPhoto | PicturesFault::Copy) } => {
            several::repair(table, photo, *fault).await
        }
        // Repaired in the bucket, or left for manual repair.
        PhotosFinding::LostUser { erase: false, .. }
        | PhotosFinding::Report { .. }
        | PhotosFinding::EarlyReactions { .. }
        | PhotosFinding::Pictures { .. }
        | PhotosFinding::Object { .. }
        | PhotosFinding::Upload { .. }
        | PhotosFinding::MissingObjects { .. } => Ok(false),
    }
}

/// Deletes a comment without a photo as delete-comment does: a tombstone replaces one that has replies or likes.
async fn delete_comment(table: &Table, id: &CommentId, photo: &Position) -> Result<bool, Error> {
    let comment = CountedItem { if_counted: None, ..counted_comment(&table.name, id, &photo.author, &photo.id) };
    let without_photo = Guard {
        table_name: &table.name,
        key: Key::photo(&photo.author, &photo.id).into(),
        condition: "attribute_not_exists(PK)",
        value: None,
        refusal: Box::new(|photo| photo.map(|_| shared::Error::PreconditionFailed)),
    };
    match shared::entities::delete_counted(table, vec![comment], Some(&without_photo)).await {
        Err(shared::Error::PreconditionFailed) => Ok(false),
        deleted => Ok(deleted? > 0),
    }
}

/// Unpins a comment that only itself says to be pinned, or only its photo.
async fn unpin_comment(table: &Table, id: &CommentId, photo: &Position, of_photo: bool) -> Result<bool, Error> {
    let Position { author, id: photo } = photo;
    let (key_of_photo, key_of_comment) = (Key::photo(author, photo), Key::comment(id, author, photo));
    let parts = if of_photo {
        let unpin = update(table, key_of_photo)
            .condition_expression("#pinned = :comment")
            .update_expression("REMOVE #pinned")
            .expression_attribute_names("#pinned", PINNED_COMMENT)
            .expression_attribute_values(":comment", S(id.to_string()));
        let comment = check(table, key_of_comment)
            .condition_expression("attribute_not_exists(#pinned)")
            .expression_attribute_names("#pinned", PINNED);
        vec![update_part(unpin)?, check_part(comment)?]
    } else {
        let unpin = update(table, key_of_comment)
            .condition_expression("attribute_exists(author)")
            .update_expression("REMOVE #pinned")
            .expression_attribute_names("#pinned", PINNED);
        let photo = check(table, key_of_photo)
            .condition_expression("attribute_not_exists(#pinned) OR #pinned <> :comment")
            .expression_attribute_names("#pinned", PINNED_COMMENT)
            .expression_attribute_values(":comment", S(id.to_string()));
        vec![update_part(unpin)?, check_part(photo)?]
    };
    write(table, parts).await
}

/// Corrects a count of a comment. In place of one that is gone, it puts a tombstone, whose record starts
/// the deletion of what it counts.
async fn set_comment_count(
    table: &Table,
    key: Key,
    author: &Username,
    count: CommentCount,
    stored: Option<i64>,
    actual: i64,
) -> Result<bool, Error> {
    let update = update(table, key)
        .expression_attribute_names("#count", count.attribute())
        .expression_attribute_values(":actual", number(actual));
    let update = match stored {
        None => update
            .condition_expression("attribute_not_exists(PK)")
            .update_expression("SET #count = :actual, erasing = :author, since = :now")
            .expression_attribute_values(":author", S(author.to_string()))
            .expression_attribute_values(":now", S(Timestamp::now().to_string())),
        Some(0) => update
            .condition_expression("attribute_exists(PK) AND NOT #count > :zero")
            .update_expression("SET #count = :actual")
            .expression_attribute_values(":zero", number(0)),
        Some(stored) => update
            .condition_expression("#count = :stored")
            .update_expression("SET #count = :actual")
            .expression_attribute_values(":stored", number(stored)),
    };
    write(table, vec![update_part(update)?]).await
}

/// Deletes a friendship beside a block, and decrements the counts that include it.
async fn delete_blocked_friendship(
    table: &Table,
    followed: &Username,
    following: &Username,
    blocking: &Username,
    is_uncounted: bool,
) -> Result<bool, Error> {
    let blocked = if blocking == followed { following } else { followed };
    let parts = vec![
        delete_as_counted(table, Key::friendship(followed, following), is_uncounted)?,
        has_level(table, blocking, blocked, Level::Block)?,
    ];
    let followers = (!is_uncounted).then(|| Decrement::new(&table.name, Key::user(followed), "followers"));
    let following = Decrement::new(&table.name, Key::user(following), "following");
    delete_counted(table, parts, followers.into_iter().chain([following])).await
}

/// Marks a friendship as muted, or removes the mark.
async fn mark_friendship(
    table: &Table,
    followed: &Username,
    following: &Username,
    is_muted: bool,
) -> Result<bool, Error> {
    let friendship = update(table, Key::friendship(followed, following)).condition_expression("attribute_exists(PK)");
    let parts = if is_muted {
        let mark = friendship.update_expression("SET muted = :true").expression_attribute_values(":true", Bool(true));
        vec![update_part(mark)?, has_level(table, following, followed, Level::Mute)?]
    } else {
        let unmark = friendship.update_expression("REMOVE muted");
        vec![update_part(unmark)?, absent(table, Key::block(following, followed))?]
    };
    write(table, parts).await
}

/// Deletes a complaint, if there still is no report.
async fn delete_complaint(table: &Table, reporter: &Username, about: &ReportId) -> Result<bool, Error> {
    let complaint = delete(table, Key::complaint(reporter, about)).condition_expression("attribute_exists(PK)");
    write(table, vec![delete_part(complaint)?, absent(table, Key::report(about))?]).await
}

/// Puts a deletion in the place of a user who is lost, and starts it.
async fn erase(table: &Table, username: &Username, remains: &Remains) -> Result<bool, Error> {
    let since = Timestamp::now();
    let mut set = vec!["SET erasing = :user, since = :now".to_owned()];
    let mut deletion = update(table, Key::user(username))
        .condition_expression("attribute_not_exists(PK)")
        .expression_attribute_values(":user", S(username.to_string()))
        .expression_attribute_values(":now", S(since.to_string()));
    for count in UserCount::ALL.into_iter().filter(|count| count.is_kept_by_deletion()) {
        let (name, left) = (count.attribute(), remains.get(count.kind()).copied().unwrap_or(0));
        set.push(format!("{name} = :{name}"));
        deletion = deletion.expression_attribute_values(format!(":{name}"), number(left));
    }
    let deletion = deletion.update_expression(set.join(", "));
    // If the second write is lost, the next audit finds a deletion that is not finished.
    Ok(write(table, vec![update_part(deletion)?]).await?
        && write(table, vec![touch(table, Key::user(username), &since)?]).await?)
}

/// Deletes a request beside a friendship or a block, and decrements the counts of requests.
async fn delete_request(
    table: &Table,
    asked: &Username,
    asking: &Username,
    blocking: Option<&Username>,
) -> Result<bool, Error> {
    let request = delete(table, Key::follow_request(asked, asking)).condition_expression("attribute_exists(PK)");
    let reason = match blocking {
        None => check_part(check(table, Key::friendship(asked, asking)).condition_expression("attribute_exists(PK)"))?,
        Some(blocking) if blocking == asked => has_level(table, asked, asking, Level::Block)?,
        Some(blocking) => has_level(table, blocking, asked, Level::Block)?,
    };
    let parts = vec![delete_part(request)?, reason];
    let sent = Decrement::new(&table.name, Key::user(asking), REQUESTS_SENT);
    let received = Decrement::new(&table.name, Key::user(asked), REQUESTS_RECEIVED);
    delete_counted(table, parts, [sent, received]).await
}

/// Unpins a photo, if there still is none.
fn unpin(table: &Table, username: &Username, photo: &str) -> Result<Vec<TransactWriteItem>, BuildError> {
    let unpin = update(table, Key::user(username))
        .condition_expression("pinnedImage = :photo")
        .update_expression("REMOVE pinnedImage, pinnedPicture")
        .expression_attribute_values(":photo", S(photo.to_owned()));
    let photo = absent(table, key::<Entity>((user_pk(username), photo.to_owned())))?;
    Ok(vec![update_part(unpin)?, photo])
}

/// Sets or removes the picture of the pinned photo, if the photo still has this picture, or still
/// may not be pinned.
fn set_pinned_picture(
    table: &Table,
    username: &Username,
    photo: &str,
    picture: Option<&PinnedPicture>,
) -> Result<Vec<TransactWriteItem>, Error> {
    let user = update(table, Key::user(username))
        .condition_expression("pinnedImage = :photo")
        .expression_attribute_values(":photo", S(photo.to_owned()));
    let Some(picture) = picture else {
        let user = user.update_expression("REMOVE pinnedPicture");
        let check = check(table, key::<Entity>((user_pk(username), photo.to_owned())))
            .condition_expression(
                "NOT picture.#status = :ready OR attribute_exists(audience) OR attribute_exists(#sensitive)",
            )
            .expression_attribute_names("#status", "status")
            .expression_attribute_names("#sensitive", "sensitive")
            .expression_attribute_values(":ready", S("ready".to_owned()));
        return Ok(vec![update_part(user)?, check_part(check)?]);
    };
    let user = user
        .update_expression("SET pinnedPicture = :picture")
        .expression_attribute_values(":picture", serde_dynamo::to_attribute_value(picture)?);
    let (owner, photo) = photo_of_sk(photo)?;
    let check = PinnedPicture::check(Some(picture), &table.name, &owner, &photo)?;
    Ok(vec![update_part(user)?, TransactWriteItem::builder().condition_check(check).build()])
}

/// Sets a count of a photo or of its deletion.
fn set_photo_count(photo: UpdateBuilder, count: PhotoCount, stored: Option<i64>, actual: i64) -> UpdateBuilder {
    match count {
        PhotoCount::Comments => {
            set_count(photo.condition_expression("attribute_exists(PK)"), "comments", stored, actual)
        }
        PhotoCount::Reaction(reaction) => {
            let photo = photo
                .condition_expression("attribute_exists(reactions)")
                .expression_attribute_names("#type", reaction.as_ref());
            set_count(photo, "reactions.#type", stored, actual)
        }
    }
}

/// Gives a photo the `ttl` that its picture requires. Deletes a photo that DynamoDB should have
/// deleted, which makes the same record in the stream.
fn repair_ttl(table: &Table, key: Key, fault: TtlFault) -> Result<TransactWriteItem, BuildError> {
    let update = update(table, key.clone())
        .expression_attribute_names("#status", "status")
        .expression_attribute_names("#ttl", "ttl")
        .expression_attribute_values(":pending", S("pending".to_owned()));
    let seconds = |seconds: u64| N(seconds.to_string());
    match fault {
        TtlFault::Missing => update_part(
            update
                .condition_expression("picture.#status = :pending AND attribute_not_exists(#ttl)")
                .update_expression("SET #ttl = :tomorrow")
                .expression_attribute_values(":tomorrow", seconds(EpochMillis::now().seconds() + SECONDS_OF_A_DAY)),
        ),
        TtlFault::Unwanted(ttl) => update_part(
            update
                .condition_expression("#ttl = :ttl AND NOT picture.#status = :pending")
                .update_expression("REMOVE #ttl")
                .expression_attribute_values(":ttl", seconds(ttl)),
        ),
        TtlFault::Overdue(ttl) => delete_part(
            delete(table, key)
                .condition_expression("#ttl = :ttl AND picture.#status = :pending")
                .expression_attribute_names("#status", "status")
                .expression_attribute_names("#ttl", "ttl")
                .expression_attribute_values(":pending", S("pending".to_owned()))
                .expression_attribute_values(":ttl", seconds(ttl)),
        ),
    }
}

/// Touches a deletion that began at `since`. The record of this update
/// starts finish-deletion.
fn touch(table: &Table, key: Key, since: &Timestamp) -> Result<TransactWriteItem, BuildError> {
    update_part(
        update(table, key)
            .condition_expression("since = :since")
            .update_expression("ADD passes :one")
            .expression_attribute_values(":since", S(since.to_string()))
            .expression_attribute_values(":one", number(1)),
    )
}

/// Deletes a reaction or a friendship if it is counted, or if it is not, as it was when it was
/// inspected.
fn delete_as_counted(table: &Table, key: impl Into<Item>, is_uncounted: bool) -> Result<TransactWriteItem, BuildError> {
    let condition =
        if is_uncounted { IS_UNCOUNTED } else { "attribute_exists(PK) AND attribute_not_exists(uncounted)" };
    delete_part(delete(table, key).condition_expression(condition))
}

/// Checks that a user still blocks or still mutes another one.
fn has_level(
    table: &Table,
    blocking: &Username,
    blocked: &Username,
    level: Level,
) -> Result<TransactWriteItem, BuildError> {
    let block = check(table, Key::block(blocking, blocked)).condition_expression("#level = :level");
    let block = block.expression_attribute_names("#level", "level");
    check_part(block.expression_attribute_values(":level", S(level.to_string())))
}

/// Checks that no item has this key, not even the marker of a deletion: finish-deletion may be
/// deleting the same items.
fn absent(table: &Table, key: impl Into<Item>) -> Result<TransactWriteItem, BuildError> {
    check_part(check(table, key).condition_expression("attribute_not_exists(PK)"))
}

#[cfg(test)]
mod tests;
