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
use shared::favorites::{self, favorites_pk, histories_pk, tag_count_pk, tag_names_pk, tags_of_favorite_pk, tags_pk};
use shared::items::{self, Item};
use shared::photos::{
    Deletion, FRIENDS_BEGIN, Friendship, INVERTED_INDEX, Key, PK, Photo, REACTIONS_BEGIN, Reaction, SK, USERS_BEGIN,
    friend_sk, is_photo, photo_sk, photo_sk_prefix, reaction_pk, user_pk,
};
use shared::stream::{Change, Record};
use shared::values::{DataId, ReactionType, Username};
use shared::{Error, Table, batch, transaction};
use tokio::time::Instant;

/// Items of one Query, and how many of them are deleted at the same time.
const PAGE: i32 = 500;
const AT_ONCE: usize = 16;
/// How long before its deadline a pass begins no more pages.
const PAGE_TIME: Duration = Duration::from_mins(1);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let favorites = std::env::var("FAVORITE_TABLE_NAME").map_err(|_| "FAVORITE_TABLE_NAME is not set")?;
    shared::stream::run(|table: Table, record| {
        let favorites = Table { client: table.client.clone(), name: favorites.clone() };
        finish_deletion(table, favorites, record)
    })
    .await
}

async fn finish_deletion(table: Table, favorites: Table, record: Record) -> Result<(), Error> {
    record.indexes_have_followed().await;
    match record.change {
        Change::Remove if is_photo(&record.keys) => clear_photo(&table, &items::entity(record.old_image)?).await,
        Change::Modify if record.new_image.contains_key("erasing") => {
            clear_user(&table, &favorites, &items::entity(record.new_image)?, record.deadline).await
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
        .expression_attribute_values(":reactions", S(REACTIONS_BEGIN.to_owned()))
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
        .expression_attribute_values(":friends", S(FRIENDS_BEGIN.to_owned()));
    each(followers, last_page, async |item| {
        let friendship: Friendship = items::entity(item.clone())?;
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
        let friendship: Friendship = items::entity(item.clone())?;
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
        let reaction: Reaction = items::entity(item.clone())?;
        // A reaction has no attribute for the owner of its photo, whom the photo's key needs: the photo itself says it.
        let photo = table
            .client
            .query()
            .table_name(&table.name)
            .index_name(INVERTED_INDEX)
            .key_condition_expression("SK = :photo AND begins_with(PK, :users)")
            .expression_attribute_values(":photo", S(reaction.photo))
            .expression_attribute_values(":users", S(USERS_BEGIN.to_owned()))
            .send()
            .await?;
        let photos: Vec<Photo> = items::entities(photo.items.unwrap_or_default())?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::types::AttributeValue;
    use local::sample::FAVORITE;
    use local::testing::{Fault, Fixture, deletion, friendship, photo, reaction, user};
    use serde_json::Value;
    use shared::stream::INDEX_LAG;
    use std::time::SystemTime;

    /// A record of a change that the inverted index has caught up with.
    fn record(change: Change, old_image: Item, new_image: Item) -> Record {
        Record {
            change,
            keys: key_of(if new_image.is_empty() { old_image.clone() } else { new_image.clone() }),
            new_image,
            old_image,
            sequence_number: "1".to_owned(),
            at: SystemTime::now() - 2 * INDEX_LAG,
            deadline: Instant::now() + Duration::from_mins(5),
        }
    }

    fn removed(photo: Item) -> Record {
        record(Change::Remove, photo, Item::new())
    }

    fn marked(deletion: &Item) -> Record {
        record(Change::Modify, user("ada"), deletion.clone())
    }

    fn favorites(fixture: &Fixture) -> Table {
        Table { client: fixture.table.client.clone(), name: fixture.backstage(FAVORITE).name }
    }

    async fn finish(fixture: &Fixture, record: Record) {
        finish_deletion(fixture.table.clone(), favorites(fixture), record).await.expect("the record is through");
    }

    fn count(number: u32) -> AttributeValue {
        N(number.to_string())
    }

    /// Ada follows ben, reacted to one of his photos, and had her photos reacted to by others: all of it counted.
    async fn ada_takes_part(fixture: &Fixture) -> Item {
        let mut ben = user("ben");
        ben.extend([("followers".into(), count(1)), ("following".into(), count(1))]);
        fixture.put(ben).await;
        fixture.put(friendship("ben", "ada")).await;
        let mut of_ben = photo("ben", "2024-06-26T03:59:33");
        of_ben.insert("reactions".into(), AttributeValue::M([("smiley".into(), count(2))].into()));
        fixture.put(of_ben).await;
        fixture.put(reaction("ada", "smiley", "ben", "2024-06-26T03:59:33")).await;
        fixture.put(reaction("cara", "smiley", "ben", "2024-06-26T03:59:33")).await;
        fixture.put(reaction("ada", "heart", "ada", "2024-05-30T15:42:38")).await;
        let deletion = deletion("ada");
        fixture.put(deletion.clone()).await;
        deletion
    }

    /// All that comes through the stream until nothing more does: what the function removed and touched.
    async fn run_to_the_end(fixture: &Fixture, deletion: &Item) -> usize {
        let photos = ["2024-05-30T15:42:38", "2024-06-09T13:49:13"].map(|timestamp| photo("ada", timestamp));
        let mut passes = 0;
        while !fixture.item(Key::user(&"ada".parse().unwrap())).await.is_null() {
            finish(fixture, marked(deletion)).await;
            for photo in photos.clone() {
                finish(fixture, removed(photo)).await;
            }
            passes += 1;
            assert!(passes < 10, "it comes to no end");
        }
        passes
    }

    fn naming_ada(everything: &std::collections::BTreeMap<String, Value>) -> Vec<&String> {
        everything.keys().filter(|key| key.contains("#ada")).collect()
    }

    #[tokio::test]
    async fn nothing_names_a_deleted_user_and_every_count_is_right() {
        let fixture = Fixture::new("finish-deletion").await;
        let deletion = ada_takes_part(&fixture).await;
        let passes = run_to_the_end(&fixture, &deletion).await;
        assert_eq!(passes, 2, "one that finds something, and one that finds nothing");

        let everything = fixture.everything().await;
        assert_eq!(naming_ada(&everything), Vec::<&String>::new());
        let ben = fixture.item(Key::user(&"ben".parse().unwrap())).await;
        assert_eq!((&ben["followers"], &ben["following"]), (&Value::from(0), &Value::from(0)));
        let bens = fixture.item(Key::photo(&"ben".parse().unwrap(), &"2024-06-26T03:59:33".parse().unwrap())).await;
        assert_eq!(bens["reactions"]["smiley"], 1, "cara's is left");
        let left: Vec<_> = everything.values().map(|item| format!("{} {}", item[PK], item[SK])).collect();
        assert_eq!(left.len(), 5, "ben, cara, two photos and a reaction: {left:?}");
    }

    #[tokio::test]
    async fn it_may_end_anywhere_and_begin_again() {
        // What a pass asks for one after the other; each time it loses its connection four requests later.
        for requests in (0..150).step_by(4) {
            let fixture = Fixture::new("finish-deletion").await;
            let deletion = ada_takes_part(&fixture).await;
            let cut = std::iter::repeat_n(Fault::None, requests).chain([Fault::Dead; 200]);
            fixture.befall(cut);
            let ended = finish_deletion(fixture.table.clone(), favorites(&fixture), marked(&deletion)).await;
            fixture.calm();
            run_to_the_end(&fixture, &deletion).await;
            assert_eq!(naming_ada(&fixture.everything().await), Vec::<&String>::new(), "after {requests} requests");
            let ben = fixture.item(Key::user(&"ben".parse().unwrap())).await;
            assert_eq!((&ben["followers"], &ben["following"]), (&Value::from(0), &Value::from(0)));
            let bens = fixture.item(Key::photo(&"ben".parse().unwrap(), &"2024-06-26T03:59:33".parse().unwrap())).await;
            assert_eq!(bens["reactions"]["smiley"], 1);
            if ended.is_ok() {
                assert!(requests > 10, "a pass asks for more than {requests} things");
                return;
            }
        }
        panic!("a pass never came to its end");
    }

    #[tokio::test]
    async fn favorites_and_tags_go_and_those_of_others_stay() {
        let fixture = Fixture::new("finish-deletion").await;
        let deletion = ada_takes_part(&fixture).await;
        let others = async || {
            let items = fixture.everything_in(FAVORITE).await;
            items.into_iter().filter(|(key, _)| !key.contains("#ada")).collect::<std::collections::BTreeMap<_, _>>()
        };
        let before = others().await;
        run_to_the_end(&fixture, &deletion).await;
        let left = fixture.everything_in(FAVORITE).await;
        let of_ada: Vec<&String> = left.keys().filter(|key| key.contains("#ada")).collect();
        assert!(!before.is_empty() && of_ada.iter().all(|key| key.starts_with("FavoriteDataTerm#")), "{of_ada:?}");
        assert_eq!(others().await, before);
    }

    #[tokio::test]
    async fn a_record_of_an_earlier_deletion_leaves_the_new_owner_of_the_name_alone() {
        let fixture = Fixture::new("finish-deletion").await;
        let before = fixture.everything().await;
        finish(&fixture, marked(&deletion("ada"))).await;
        assert_eq!(fixture.asked(), ["GetItem"]);
        assert_eq!(fixture.everything().await, before, "ada is there again");

        fixture.put(deletion("ada")).await;
        let mut earlier = deletion("ada");
        earlier.insert("since".into(), S("2020-01-01T00:00:00.000Z".into()));
        let before = fixture.everything().await;
        finish(&fixture, marked(&earlier)).await;
        assert_eq!(fixture.everything().await, before);
    }

    #[tokio::test]
    async fn a_removed_photo_takes_its_reactions_and_its_pin_along() {
        let fixture = Fixture::new("finish-deletion").await;
        let pinned = fixture.item(Key::user(&"ada".parse().unwrap())).await["pinnedImage"].take();
        let timestamp = pinned.as_str().unwrap().trim_start_matches("PHOTO#ada#");
        for number in 0..60 {
            fixture.put(reaction(&format!("u{number}"), "heart", "ada", timestamp)).await;
        }
        fixture.delete(Key::photo(&"ada".parse().unwrap(), &timestamp.parse().unwrap())).await;
        finish(&fixture, removed(photo("ada", timestamp))).await;
        assert_eq!(fixture.asked(), ["Query", "BatchWriteItem", "BatchWriteItem", "BatchWriteItem", "UpdateItem"]);
        let everything = fixture.everything().await;
        assert!(everything.keys().all(|key| !key.contains(timestamp)), "{everything:?}");
        assert!(everything.values().all(|item| item["pinnedImage"] != pinned));

        finish(&fixture, removed(photo("ada", timestamp))).await;
        assert_eq!(fixture.everything().await, everything);
    }

    #[tokio::test]
    async fn the_sample_event_may_be_repeated() {
        let fixture = Fixture::new("finish-deletion").await;
        fixture.put(reaction("cara", "heart", "ada", "2024-06-09T13:49:13")).await;
        let before = fixture.everything().await;
        let mut after = vec![];
        for _ in 0..2 {
            let handler = |table, record| finish_deletion(table, favorites(&fixture), record);
            let failures = fixture.deliver(handler, fixture.sample_event()).await;
            assert_eq!(failures, Vec::<String>::new());
            after.push(fixture.everything().await);
        }
        assert_eq!(after[0].len(), before.len() - 1);
        assert_eq!(after[0], after[1]);
    }

    #[tokio::test]
    async fn another_photos_reactions_and_pin_stay() {
        let fixture = Fixture::new("finish-deletion").await;
        fixture.put(reaction("cara", "heart", "ben", "2024-07-14T10:21:01")).await;
        let before = fixture.everything().await;
        finish(&fixture, removed(photo("ben", "2024-07-14T10:21:02"))).await;
        assert_eq!(fixture.everything().await, before);
    }

    #[tokio::test]
    async fn other_records_are_none_of_its_business() {
        let fixture = Fixture::new("finish-deletion").await;
        for record in [
            record(Change::Insert, Item::new(), photo("ada", "2024-05-30T15:42:38")),
            record(Change::Modify, user("ada"), user("ada")),
            record(Change::Remove, user("ada"), Item::new()),
            record(Change::Remove, deletion("ada"), Item::new()),
            record(Change::Remove, reaction("cara", "heart", "ada", "2024-05-30T15:42:38"), Item::new()),
        ] {
            finish(&fixture, record).await;
        }
        assert!(fixture.asked().is_empty());
    }

    #[tokio::test]
    async fn unprocessed_deletes_are_sent_again() {
        let fixture = Fixture::new("finish-deletion").await;
        fixture.befall([Fault::None, Fault::Unprocessed]);
        finish(&fixture, removed(photo("ada", "2024-05-30T15:42:38"))).await;
        assert_eq!(fixture.asked(), ["Query", "BatchWriteItem", "BatchWriteItem", "UpdateItem"]);
        assert!(fixture.everything().await.values().all(|item| !item[PK].as_str().unwrap().starts_with("REACTION#")));
    }

    #[tokio::test]
    async fn two_who_follow_each_other_are_deleted_at_the_same_time() {
        let fixture = Fixture::new("finish-deletion").await;
        let ada = ada_takes_part(&fixture).await;
        let ben = deletion("ben");
        fixture.put(ben.clone()).await;
        for _ in 0..2 {
            finish(&fixture, marked(&ada)).await;
            finish(&fixture, record(Change::Modify, user("ben"), ben.clone())).await;
        }
        for photo in [photo("ada", "2024-05-30T15:42:38"), photo("ben", "2024-06-26T03:59:33")] {
            finish(&fixture, removed(photo)).await;
        }
        let everything = fixture.everything().await;
        assert_eq!(everything.len(), 1, "cara is left: {everything:?}");
    }

    #[tokio::test]
    async fn five_thousand_followers_take_five_thousand_and_thirty_eight_requests() {
        let fixture = Fixture::new("finish-deletion").await;
        let mut items = vec![];
        for number in 0..5000 {
            let name = format!("u{number}");
            let mut follower = user(&name);
            follower.insert("following".into(), count(1));
            items.extend([follower, friendship("zoe", &name)]);
        }
        fixture.put_all(items);
        let deletion = deletion("zoe");
        fixture.put(deletion.clone()).await;

        finish(&fixture, record(Change::Modify, user("zoe"), deletion.clone())).await;
        finish(&fixture, record(Change::Modify, deletion.clone(), deletion)).await;
        let asked = fixture.asked();
        let everything = fixture.everything().await;
        assert!(everything.keys().all(|key| !key.contains("zoe")));
        assert!(
            everything.values().all(|item| item["PK"] == "USER#ben" || item["following"].as_u64().unwrap_or(0) == 0)
        );
        let of = |operation: &str| asked.iter().filter(|asked| *asked == operation).count();
        assert_eq!((of("TransactWriteItems"), of("Query"), asked.len()), (5000, 34, 5038));
    }
}
