//! Stream of quick-photos: finishes what delete-photo and delete-user began.
//!
//! - A photo was removed: deletes the reactions to it, and takes it away from where its owner pinned it.
//! - A `Deletion` was put in a user's place, or touched: deletes the user's photos, both directions of friendship and the
//!   reactions they gave, and takes them off the counts of others; and the favorites and tags that they kept. A pass that found something touches the `Deletion`,
//!   whose new record in the stream is the next pass; one that found nothing deletes it, and the name is free.
//!
//! Every step may be repeated, and a pass asks the table what is left, so it can end anywhere and begin again. The records
//! of one partition come one after the other: those of the photos that a pass removed are through before the next pass.

use std::time::Duration;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::{Delete, Update};
use futures_util::{StreamExt, TryStreamExt, stream};
use shared::dynamodb::Item;
use shared::dynamodb::{batch, transaction};
use shared::model::entity;
use shared::model::favorites;
use shared::model::favorites::{favorites_pk, histories_pk, tag_count_pk, tag_names_pk, tags_of_favorite_pk, tags_pk};
use shared::model::photos::{
    Deletion, FRIEND_PREFIX, Friendship, INVERTED_INDEX, Key, PK, Photo, REACTION_PREFIX, Reaction, SK, USER_PREFIX,
    friend_sk, is_photo, photo_sk, photo_sk_prefix, reaction_pk, user_pk,
};
use shared::runtime::stream::{Change, Record};
use shared::values::{DataId, ReactionType, Username};
use shared::{Error, Table};
use tokio::time::Instant;

#[cfg(test)]
mod tests;

/// Items of one Query, and how many of them are deleted at the same time.
const PAGE: i32 = 500;
const AT_ONCE: usize = 16;
/// How long before its deadline a pass begins no more pages.
const PAGE_TIME: Duration = Duration::from_mins(1);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    let favorites = std::env::var("FAVORITE_TABLE_NAME").map_err(|_| "FAVORITE_TABLE_NAME is not set")?;
    shared::runtime::stream::run(|table: Table, record| {
        let favorites = Table { client: table.client.clone(), name: favorites.clone() };
        finish_deletion(table, favorites, record)
    })
    .await
}

async fn finish_deletion(table: Table, favorites: Table, record: Record) -> Result<(), Error> {
    record.indexes_have_followed().await;
    match record.change {
        Change::Remove if is_photo(&record.keys) => clear_photo(&table, &entity::from_item(record.old_image)?).await,
        Change::Modify if record.new_image.contains_key("erasing") => {
            clear_user(&table, &favorites, &entity::from_item(record.new_image)?, record.deadline).await
        }
        _ => Ok(()),
    }
}

/// Deletes the reactions to a photo that is gone. It counts them no more, so no count changes.
async fn clear_photo(table: &Table, photo: &Photo) -> Result<(), Error> {
    let sk = photo_sk(&photo.username, &photo.timestamp);
    let mut reactions = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :photo AND begins_with(PK, :reactions)")
        .expression_attribute_values(":photo", S(sk.clone()))
        .expression_attribute_values(":reactions", S(REACTION_PREFIX.to_owned()))
        .limit(PAGE)
        .into_paginator()
        .send();
    while let Some(page) = reactions.try_next().await? {
        let deletes = page.items.into_iter().flatten().map(|reaction| batch::delete(key_of(reaction)));
        batch::write(table, deletes.collect::<Result<_, _>>()?).await?;
    }

    let unpin = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(Key::user(&photo.username).into()))
        .condition_expression("pinnedImage = :photo")
        .update_expression("REMOVE pinnedImage")
        .expression_attribute_values(":photo", S(sk))
        .send()
        .await;
    done_or_needless(unpin)
}

/// One pass over all that names a user who is being deleted.
async fn clear_user(table: &Table, favorites: &Table, deletion: &Deletion, deadline: Instant) -> Result<(), Error> {
    let key = Key::user(&deletion.erasing);
    let since = S(deletion.since.to_string());
    // Consistently: who has taken the name just now must not be taken for who had it.
    let current = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(key.clone().into()))
        .consistent_read(true)
        .send()
        .await?;
    // This deletion came to its end before, and the name may be somebody else's by now.
    if current.item.is_none_or(|item| item.get("since") != Some(&since)) {
        return Ok(());
    }

    let last_page = deadline.checked_sub(PAGE_TIME).unwrap_or(deadline);
    let mut found = delete_photos(table, deletion, last_page).await?;
    found |= delete_followers(table, deletion, last_page).await?;
    found |= delete_following(table, deletion, last_page).await?;
    for &reaction_type in ReactionType::ALL {
        found |= delete_reactions(table, deletion, reaction_type, last_page).await?;
    }
    found |= delete_favorites(favorites, &deletion.erasing, last_page).await?;

    if found {
        let touch = table
            .client
            .update_item()
            .table_name(&table.name)
            .set_key(Some(key.into()))
            .condition_expression("since = :since")
            .update_expression("ADD passes :one")
            .expression_attribute_values(":since", since)
            .expression_attribute_values(":one", N("1".to_owned()))
            .send()
            .await;
        done_or_needless(touch)
    } else {
        let free_the_name = table
            .client
            .delete_item()
            .table_name(&table.name)
            .set_key(Some(key.into()))
            .condition_expression("since = :since")
            .expression_attribute_values(":since", since)
            .send()
            .await;
        done_or_needless(free_the_name)
    }
}

/// The reactions to each are deleted when its own record comes through the stream.
async fn delete_photos(table: &Table, deletion: &Deletion, last_page: Instant) -> Result<bool, Error> {
    let photos = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :user AND begins_with(SK, :photos)")
        .expression_attribute_values(":user", S(user_pk(&deletion.erasing)))
        .expression_attribute_values(":photos", S(photo_sk_prefix(&deletion.erasing)))
        .projection_expression("PK, SK");
    each(photos, last_page, async |photo| {
        table.client.delete_item().table_name(&table.name).set_key(Some(photo)).send().await?;
        Ok(())
    })
    .await
}

async fn delete_followers(table: &Table, deletion: &Deletion, last_page: Instant) -> Result<bool, Error> {
    let followers = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :user AND begins_with(SK, :friends)")
        .expression_attribute_values(":user", S(user_pk(&deletion.erasing)))
        .expression_attribute_values(":friends", S(FRIEND_PREFIX.to_owned()));
    each(followers, last_page, async |item| {
        let friendship: Friendship = entity::from_item(item.clone())?;
        let follower = Key::user(&friendship.following_user);
        let follows_one_fewer = one_fewer(table, follower, "following")?;
        transaction::delete_counted(&table.client, vec![(delete(table, item)?, vec![follows_one_fewer])]).await
    })
    .await
}

async fn delete_following(table: &Table, deletion: &Deletion, last_page: Instant) -> Result<bool, Error> {
    let following = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :friend")
        .expression_attribute_values(":friend", S(friend_sk(&deletion.erasing)));
    each(following, last_page, async |item| {
        let friendship: Friendship = entity::from_item(item.clone())?;
        let followed = Key::user(&friendship.followed_user);
        let one_follower_fewer = one_fewer(table, followed, "followers")?;
        transaction::delete_counted(&table.client, vec![(delete(table, item)?, vec![one_follower_fewer])]).await
    })
    .await
}

async fn delete_reactions(
    table: &Table,
    deletion: &Deletion,
    reaction_type: ReactionType,
    last_page: Instant,
) -> Result<bool, Error> {
    let reactions = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :reactions")
        .expression_attribute_values(":reactions", S(reaction_pk(&deletion.erasing, reaction_type)));
    each(reactions, last_page, async |item| {
        let reaction: Reaction = entity::from_item(item.clone())?;
        // A reaction has no attribute for the owner of its photo, whom the photo's key needs: the photo itself says it.
        let photo = table
            .client
            .query()
            .table_name(&table.name)
            .index_name(INVERTED_INDEX)
            .key_condition_expression("SK = :photo AND begins_with(PK, :users)")
            .expression_attribute_values(":photo", S(reaction.photo))
            .expression_attribute_values(":users", S(USER_PREFIX.to_owned()))
            .send()
            .await?;
        let photos: Vec<Photo> = entity::from_items(photo.items.unwrap_or_default())?;
        let counts = photos.iter().map(|photo| {
            Update::builder()
                .table_name(&table.name)
                .set_key(Some(Key::photo(&photo.username, &photo.timestamp).into()))
                .condition_expression("reactions.#type > :zero")
                .update_expression("SET reactions.#type = reactions.#type - :one")
                .expression_attribute_names("#type", reaction_type.as_ref())
                .expression_attribute_values(":zero", N("0".to_owned()))
                .expression_attribute_values(":one", N("1".to_owned()))
                .build()
        });
        let counts = counts.collect::<Result<_, _>>()?;
        transaction::delete_counted(&table.client, vec![(delete(table, item)?, counts)]).await
    })
    .await
}

/// All that a user kept, and their tags. The terms of each favorite are deleted by index-favorite.
async fn delete_favorites(table: &Table, owner: &Username, last_page: Instant) -> Result<bool, Error> {
    let partition = |pk: String| {
        let query = table.client.query().table_name(&table.name).key_condition_expression("pk = :partition");
        query.expression_attribute_values(":partition", S(pk)).projection_expression("pk, sk")
    };
    let delete = async |key: Item| {
        table.client.delete_item().table_name(&table.name).set_key(Some(key)).send().await?;
        Ok(())
    };
    let mut found = each(partition(favorites_pk(owner)), last_page, async |key| {
        let data_id: DataId = key[favorites::SK]
            .as_s()
            .ok()
            .and_then(|id| id.parse().ok())
            .ok_or_else(|| Error::internal("a favorite without an id"))?;
        // Before the favorite itself, by which they are found.
        each(partition(tags_of_favorite_pk(owner, &data_id)), last_page, delete).await?;
        delete(key).await
    })
    .await?;
    for pk in [histories_pk(owner), tags_pk(owner), tag_names_pk(owner), tag_count_pk(owner)] {
        found |= each(partition(pk), last_page, delete).await?;
    }
    Ok(found)
}

/// Gives every item that a query finds to `delete`, some at a time. Whether there were any, or no time to look.
async fn each(
    query: QueryFluentBuilder,
    last_page: Instant,
    delete: impl AsyncFn(Item) -> Result<(), Error>,
) -> Result<bool, Error> {
    let mut pages = query.limit(PAGE).into_paginator().send();
    let mut found = false;
    loop {
        if Instant::now() >= last_page {
            return Ok(true);
        }
        let Some(page) = pages.try_next().await? else {
            return Ok(found);
        };
        let items = page.items.unwrap_or_default();
        found |= !items.is_empty();
        stream::iter(items).map(|item| delete(item)).buffer_unordered(AT_ONCE).try_collect::<()>().await?;
    }
}

/// Deletes an item of the table, if it is there.
fn delete(table: &Table, item: Item) -> Result<Delete, Error> {
    let delete = Delete::builder().table_name(&table.name).set_key(Some(key_of(item)));
    Ok(delete.condition_expression("attribute_exists(PK)").build()?)
}

/// Takes one off a user's count, if the user is there and there is one to take off.
fn one_fewer(table: &Table, user: Key, count: &str) -> Result<Update, Error> {
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(user.into()))
        .condition_expression("attribute_exists(username) AND #count > :zero")
        .update_expression("SET #count = #count - :one")
        .expression_attribute_names("#count", count)
        .expression_attribute_values(":zero", N("0".to_owned()))
        .expression_attribute_values(":one", N("1".to_owned()));
    Ok(update.build()?)
}

fn key_of(mut item: Item) -> Item {
    item.retain(|attribute, _| attribute == PK || attribute == SK);
    item
}

/// A condition that fails says that it was done before, or that there is nothing to do.
fn done_or_needless<T, E>(result: Result<T, SdkError<E>>) -> Result<(), Error>
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    match result {
        Err(error) if error.code() != Some("ConditionalCheckFailedException") => Err(error.into()),
        _ => Ok(()),
    }
}
