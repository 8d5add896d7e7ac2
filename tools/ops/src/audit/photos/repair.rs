//! Repairs the findings in `quick-photos`.

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::AttributeValue::{M, N, S};
use aws_sdk_dynamodb::types::TransactWriteItem;
use aws_sdk_dynamodb::types::builders::UpdateBuilder;
use shared::Table;
use shared::dynamodb::Item;
use shared::photos::{COMMENTS_WRITTEN, IS_UNCOUNTED, Key, PinnedPicture, REQUESTS_SENT, photo_of_sk, user_pk};
use shared::values::{EpochMillis, Timestamp, Username};

use super::entity::{PhotosLayout, reaction_key};
use super::uncounted;
use crate::audit::error::Error;
use crate::audit::finding::{PhotoCount, PhotosFinding, Remains, TtlFault};
use crate::audit::layout::key;
use crate::audit::write::{
    check, check_part, delete, delete_counted, delete_part, number, update, update_part, with_stored, write,
};

/// The time until a pending photo expires that had no `ttl`, in seconds: a day, as for a new one.
const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;

/// Repairs a finding. Returns false if the table has changed since the inspection and nothing was
/// written.
pub(super) async fn repair(table: &Table, finding: &PhotosFinding) -> Result<bool, Error> {
    match finding {
        PhotosFinding::Deletion { username, since } | PhotosFinding::Resting { username, since, .. } => {
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
            let item = delete(table, key)
                .condition_expression("#ttl = :ttl")
                .expression_attribute_names("#ttl", "ttl")
                .expression_attribute_values(":ttl", N(ttl.to_string()));
            write(table, vec![delete_part(item)?]).await
        }
        PhotosFinding::LostUser { username, remains, erase: true } => erase(table, username, remains).await,
        PhotosFinding::PhotoDeletion(deletion) => {
            let key = Key::photo(&deletion.erasing, &deletion.timestamp);
            write(table, vec![touch(table, key, &deletion.since)?]).await
        }
        PhotosFinding::Reaction { reacting, reaction, photo, is_uncounted } => {
            let mut parts = vec![delete_as_counted(table, reaction_key(reacting, *reaction, photo), *is_uncounted)?];
            // Another program may have written a reaction whose sort key is not that of a photo.
            if let Ok((username, timestamp)) = photo_of_sk(photo) {
                parts.push(absent(table, Key::photo(&username, &timestamp))?);
            }
            write(table, parts).await
        }
        PhotosFinding::Comment { id, username, timestamp, is_uncounted } => {
            let key = Key::comment(id, username, timestamp);
            let photo = absent(table, Key::photo(username, timestamp))?;
            let one_fewer = uncounted::one_fewer(table, &id.author, COMMENTS_WRITTEN);
            delete_counted(table, vec![delete_as_counted(table, key, *is_uncounted)?, photo], Some(one_fewer)).await
        }
        PhotosFinding::FollowRequest { asked, asking } => delete_request(table, asked, asking).await,
        PhotosFinding::PinnedPicture { username, photo, picture } => {
            write(table, set_pinned_picture(table, username, photo, picture.as_ref())?).await
        }
        PhotosFinding::Pin { username, photo } => {
            let unpin = update(table, Key::user(username))
                .condition_expression("pinnedImage = :photo")
                .update_expression("REMOVE pinnedImage, pinnedPicture")
                .expression_attribute_values(":photo", S(photo.clone()));
            let photo = absent(table, key::<PhotosLayout>((user_pk(username), photo.clone())))?;
            write(table, vec![update_part(unpin)?, photo]).await
        }
        PhotosFinding::UserCount { username, count, stored, actual } => {
            let set = update(table, Key::user(username))
                .condition_expression(match (count.is_kept_by_deletion(), stored) {
                    (true, Some(_)) => "#count = :stored",
                    (true, None) => "attribute_exists(PK) AND attribute_not_exists(#count)",
                    (_, Some(_)) => "attribute_exists(username) AND #count = :stored",
                    (_, None) => "attribute_exists(username) AND attribute_not_exists(#count)",
                })
                .update_expression("SET #count = :actual")
                .expression_attribute_names("#count", count.attribute())
                .expression_attribute_values(":actual", number(*actual));
            write(table, vec![update_part(with_stored(set, *stored))?]).await
        }
        PhotosFinding::PhotoCount { username, timestamp, count, stored, actual } => {
            let set = set_count(update(table, Key::photo(username, timestamp)), *count, stored.is_some());
            let set = set.expression_attribute_values(":actual", number(*actual));
            write(table, vec![update_part(with_stored(set, *stored))?]).await
        }
        PhotosFinding::UncountedReaction { reacting, reaction, username, timestamp, .. } => {
            uncounted::count_reaction(table, reacting, *reaction, username, timestamp).await
        }
        PhotosFinding::UncountedComment { id, username, timestamp } => {
            uncounted::count_comment(table, id, username, timestamp).await
        }
        PhotosFinding::UncountedFriendship { followed, following, .. } => {
            uncounted::count_friendship(table, followed, following).await
        }
        PhotosFinding::Ttl { username, timestamp, fault } => {
            write(table, vec![repair_ttl(table, Key::photo(username, timestamp), *fault)?]).await
        }
        // Repaired in the bucket, or left for manual repair.
        PhotosFinding::LostUser { erase: false, .. }
        | PhotosFinding::EarlyReactions { .. }
        | PhotosFinding::Object { .. }
        | PhotosFinding::Upload { .. }
        | PhotosFinding::MissingObjects { .. } => Ok(false),
    }
}

/// Puts a deletion in the place of a user who is lost, and starts it.
async fn erase(table: &Table, username: &Username, remains: &Remains) -> Result<bool, Error> {
    let (since, left) = (Timestamp::now(), |kind| number(remains.get(kind).copied().unwrap_or(0)));
    let deletion = update(table, Key::user(username))
        .condition_expression("attribute_not_exists(PK)")
        .update_expression(
            "SET erasing = :user, since = :now, following = :following, #comments = :comments, \
             #requests = :requests",
        )
        .expression_attribute_names("#comments", COMMENTS_WRITTEN)
        .expression_attribute_names("#requests", REQUESTS_SENT)
        .expression_attribute_values(":user", S(username.to_string()))
        .expression_attribute_values(":now", S(since.to_string()))
        .expression_attribute_values(":following", left("followed users"))
        .expression_attribute_values(":comments", left("comments"))
        .expression_attribute_values(":requests", left("requests"));
    // If the second write is lost, the next audit finds a deletion that is not finished.
    Ok(write(table, vec![update_part(deletion)?]).await?
        && write(table, vec![touch(table, Key::user(username), &since)?]).await?)
}

/// Deletes a request beside a friendship, and decrements the count of requests.
async fn delete_request(table: &Table, asked: &Username, asking: &Username) -> Result<bool, Error> {
    let request = delete(table, Key::follow_request(asked, asking));
    let friendship = check(table, Key::friendship(asked, asking));
    let parts = vec![
        delete_part(request.condition_expression("attribute_exists(PK)"))?,
        check_part(friendship.condition_expression("attribute_exists(PK)"))?,
    ];
    delete_counted(table, parts, Some(uncounted::one_fewer(table, asking, REQUESTS_SENT))).await
}

/// Sets or removes the picture of the pinned photo, if the photo still has this picture.
fn set_pinned_picture(
    table: &Table,
    username: &Username,
    photo: &str,
    picture: Option<&PinnedPicture>,
) -> Result<Vec<TransactWriteItem>, BuildError> {
    let user = update(table, Key::user(username))
        .condition_expression("pinnedImage = :photo")
        .expression_attribute_values(":photo", S(photo.to_owned()));
    let check = check(table, key::<PhotosLayout>((user_pk(username), photo.to_owned())));
    let Some(PinnedPicture { id, blurhash }) = picture else {
        let user = user.update_expression("REMOVE pinnedPicture");
        let check = check.condition_expression("attribute_not_exists(picture.sizes)");
        return Ok(vec![update_part(user)?, check_part(check)?]);
    };
    let id = S(id.to_string());
    let picture = [("id", id.clone()), ("blurhash", S(blurhash.clone()))];
    let picture = picture.map(|(name, value)| (name.to_owned(), value)).into();
    let user =
        user.update_expression("SET pinnedPicture = :picture").expression_attribute_values(":picture", M(picture));
    let check = check.condition_expression("picture.sizes.id = :id").expression_attribute_values(":id", id);
    Ok(vec![update_part(user)?, check_part(check)?])
}

/// Sets a count of a photo to `:actual`, if it still is `:stored` or still missing.
fn set_count(update: UpdateBuilder, count: PhotoCount, is_stored: bool) -> UpdateBuilder {
    match count {
        PhotoCount::Comments => update
            .condition_expression(if is_stored {
                "comments = :stored"
            } else {
                "attribute_exists(PK) AND attribute_not_exists(comments)"
            })
            .update_expression("SET comments = :actual"),
        PhotoCount::Reaction(reaction) => update
            .condition_expression(if is_stored {
                "reactions.#type = :stored"
            } else {
                "attribute_exists(reactions) AND attribute_not_exists(reactions.#type)"
            })
            .update_expression("SET reactions.#type = :actual")
            .expression_attribute_names("#type", reaction.as_ref()),
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

/// Touches the deletion of a user or a photo that began at `since`. The record of this update
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

/// Deletes a reaction or a comment if it is counted, or if it is not, as it was when it was inspected.
fn delete_as_counted(table: &Table, key: impl Into<Item>, is_uncounted: bool) -> Result<TransactWriteItem, BuildError> {
    let condition =
        if is_uncounted { IS_UNCOUNTED } else { "attribute_exists(PK) AND attribute_not_exists(uncounted)" };
    delete_part(delete(table, key).condition_expression(condition))
}

/// Checks that no item has this key, not even the marker of a deletion: finish-deletion may be
/// deleting the same items.
fn absent(table: &Table, key: impl Into<Item>) -> Result<TransactWriteItem, BuildError> {
    check_part(check(table, key).condition_expression("attribute_not_exists(PK)"))
}

#[cfg(test)]
mod tests;
