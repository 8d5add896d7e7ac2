//! `PUT /users/{username}/favorites/{dataId}/tags/{tagId}`: the caller puts a tag on a favorite, by one `GetItem` of the
//! favorite, for where it is in lists, and one `TransactWriteItems` that puts the entry, counts it on the favorite, and
//! checks that there is such a tag. Repeated, it counts nothing. A favorite of another program has no count; a `Query`
//! of its entries begins it.

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::{
    ConditionCheck, Put, ReturnValuesOnConditionCheckFailure, Select, TransactWriteItem, Update,
};
use shared::favorites::{Favorite, FavoriteTag, Key, MOST_TAGS_OF_FAVORITE, tags_of_favorite_pk};
use shared::items;
use shared::request::{Caller, path};
use shared::transaction::{self, Outcome};
use shared::values::{DataId, TagId, Username};
use shared::{Error, Request, Response, Table, answer};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(tag_favorite).await
}

async fn tag_favorite(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let data_id: DataId = path(&request, "dataId")?;
    let tag_id: TagId = path(&request, "tagId")?;
    Caller::of(&request)?.must_be(&username)?;

    loop {
        // Consistently, so that what was clipped just now can be tagged.
        let output = table
            .client
            .get_item()
            .table_name(&table.name)
            .set_key(Some(Key::favorite(&username, &data_id).into()))
            .consistent_read(true)
            .send()
            .await?;
        let item = output.item.ok_or_else(|| Error::no_favorite(&data_id))?;
        let favorite: Favorite = items::entity(item.clone())?;

        let tags = if let Some(tags) = favorite.tag_count {
            tags
        } else {
            // One page has room for far more entries than a favorite may have. Consistently, as the count goes on from it.
            let output = table
                .client
                .query()
                .table_name(&table.name)
                .key_condition_expression("pk = :tags")
                .expression_attribute_values(":tags", S(tags_of_favorite_pk(&username, &data_id)))
                .select(Select::Count)
                .consistent_read(true)
                .send()
                .await?;
            u64::from(output.count.unsigned_abs())
        };
        let is_full = tags >= MOST_TAGS_OF_FAVORITE as u64;

        let entry = FavoriteTag::new(&favorite, tag_id.clone());
        let put_entry = Put::builder()
            .table_name(&table.name)
            .set_item(Some(entry.item(&username)))
            .condition_expression("attribute_not_exists(pk)")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()?;
        // The time tells this favorite from a later one of the same id. It is compared as it stands, since other
        // programs may have written it in another form.
        let count_it = Update::builder()
            .table_name(&table.name)
            .set_key(Some(Key::favorite(&username, &data_id).into()))
            .expression_attribute_values(":clipTime", item["clipTime"].clone());
        let count_it = if favorite.tag_count.is_none() && !is_full {
            count_it
                .condition_expression("attribute_not_exists(tagCount) AND clipTime = :clipTime")
                .update_expression("SET tagCount = :tags")
                .expression_attribute_values(":tags", N((tags + 1).to_string()))
        } else {
            count_it
                .condition_expression("tagCount < :most AND clipTime = :clipTime")
                .update_expression("SET tagCount = tagCount + :one")
                .expression_attribute_values(":most", N(MOST_TAGS_OF_FAVORITE.to_string()))
                .expression_attribute_values(":one", N("1".to_owned()))
        };
        let tag_is_there = ConditionCheck::builder()
            .table_name(&table.name)
            .set_key(Some(Key::tag(&username, &tag_id).into()))
            .condition_expression("attribute_exists(pk)")
            .build()?;
        let transaction = table
            .client
            .transact_write_items()
            .transact_items(TransactWriteItem::builder().put(put_entry).build())
            .transact_items(TransactWriteItem::builder().update(count_it.build()?).build())
            .transact_items(TransactWriteItem::builder().condition_check(tag_is_there).build());

        match transaction::write(transaction).await? {
            Outcome::Written => {
                return answer::created(&format!("/users/{username}/favorites/{data_id}/tags/{tag_id}"), &entry);
            }
            Outcome::Refused(refusal) if refusal.failed(2) => return Err(Error::no_tag(&tag_id)),
            Outcome::Refused(mut refusal) if refusal.failed(0) => {
                let there_already = refusal.found(0).unwrap_or_default();
                return answer::ok(&FavoriteTag::of(&username, there_already)?);
            }
            Outcome::Refused(_) if is_full => {
                return Err(Error::Conflict(format!(
                    "Favorite {data_id} has {MOST_TAGS_OF_FAVORITE} tags, and no more are allowed."
                )));
            }
            // It is not the favorite any more that was read.
            Outcome::Refused(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use local::testing::{Ask, Collection, Fault, Fixture, ask};
    use serde_json::json;
    use shared::items::Item;
    use shared::values::DataType;

    fn tag(data_id: &str, tag_id: &str) -> Ask {
        ask("PUT", format!("/users/ben/favorites/{data_id}/tags/{tag_id}")).by("ben")
    }

    fn favorite(data_id: &str) -> Key {
        Key::favorite(&"ben".parse().unwrap(), &data_id.parse().unwrap())
    }

    fn entry(data_id: &str, tag_id: &str) -> Key {
        Key::favorite_tag(&"ben".parse().unwrap(), &data_id.parse().unwrap(), &tag_id.parse().unwrap())
    }

    /// Ben's note "n" with the tags `t0`, `t1` and so on, and the tags `new` and `newer`, which it hasn't.
    fn note(clip_time: u64, tags: usize) -> Collection {
        let mut ben = Collection::of("ben");
        ben.tag("new", "New", 1_700_000_000_000, 1_700_000_000_000);
        ben.tag("newer", "Newer", 1_700_000_000_000, 1_700_000_000_000);
        let ids: Vec<String> = (0..tags).map(|tag| format!("t{tag}")).collect();
        for id in &ids {
            ben.tag(id, id, 1_700_000_000_000, 1_700_000_000_000);
        }
        ben.clip("n", DataType::Note, "Note", clip_time, &ids.iter().map(String::as_str).collect::<Vec<_>>());
        ben
    }

    fn only(items: Vec<Item>, key: Key) -> Vec<Item> {
        let key = Item::from(key);
        items.into_iter().filter(|item| key.iter().all(|(name, value)| item.get(name) == Some(value))).collect()
    }

    #[tokio::test]
    async fn puts_the_tag_on_and_counts_it() {
        let fixture = Fixture::new("tag-favorite").await;
        let mut expected = fixture.everything().await;
        let answer = fixture.call_with_sample_event(tag_favorite).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        assert_eq!(answer.headers["location"], "/users/ada/favorites/dinner/tags/family");
        assert_eq!(
            answer.body,
            json!({"dataId": "dinner", "tagId": "family", "dataType": "chat", "clipTime": 1_717_236_000_000_u64})
        );
        expected.get_mut("FavoriteData#ada dinner").unwrap()["tagCount"] = json!(1);
        expected.insert(
            "FavoriteDataTag#ada#dinner family".to_owned(),
            json!({
                "pk": "FavoriteDataTag#ada#dinner", "sk": "family",
                "gsiOnePk": "FavoriteDataTag#ada#family", "gsiOneSk": "1717236000000#dinner",
                "gsiTwoPk": "FavoriteDataTag#ada#family#chat", "gsiTwoSk": "1717236000000#dinner",
                "dataType": "CHAT", "clipTime": "1717236000000",
            }),
        );
        assert_eq!(fixture.everything().await, expected);
    }

    #[tokio::test]
    async fn twice_counts_once() {
        let fixture = Fixture::new("tag-favorite").await;
        let first = fixture.call(tag_favorite, tag("heron", "later")).await;
        let before = fixture.everything().await;
        let second = fixture.call(tag_favorite, tag("heron", "later")).await;
        assert_eq!((first.status, second.status), (201, 200));
        assert_eq!(first.body, second.body);
        assert_eq!(fixture.everything().await, before);
        assert_eq!(fixture.item(favorite("heron")).await["tagCount"], 2);
    }

    #[tokio::test]
    async fn a_lost_answer_counts_once() {
        let fixture = Fixture::new("tag-favorite").await;
        fixture.befall([Fault::None, Fault::LostAnswer]);
        let answer = fixture.call(tag_favorite, tag("heron", "later")).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        assert_eq!(fixture.asked(), ["GetItem", "TransactWriteItems", "TransactWriteItems"]);
        assert_eq!(fixture.item(favorite("heron")).await["tagCount"], 2);
    }

    #[tokio::test]
    async fn a_conflict_is_tried_again() {
        let fixture = Fixture::new("tag-favorite").await;
        fixture.befall([
            Fault::None,
            Fault::Cancelled(&["None", "TransactionConflict", "None"]),
            Fault::Cancelled(&["None", "None", "TransactionConflict"]),
        ]);
        assert_eq!(fixture.call(tag_favorite, tag("heron", "later")).await.status, 201);
        assert_eq!(fixture.asked()[1..], ["TransactWriteItems"; 3]);
        assert_eq!(fixture.item(favorite("heron")).await["tagCount"], 2);
    }

    #[tokio::test]
    async fn a_missing_favorite_or_a_missing_tag_creates_nothing() {
        let fixture = Fixture::new("tag-favorite").await;
        let before = fixture.everything().await;
        for (data_id, tag_id, detail) in [
            ("nothing", "birds", "There is no favorite nothing."),
            ("heron", "nothing", "There is no tag nothing."),
            ("nothing", "nothing", "There is no favorite nothing."),
            // These are ada's.
            ("sunset", "birds", "There is no favorite sunset."),
            ("heron", "travel", "There is no tag travel."),
        ] {
            let answer = fixture.call(tag_favorite, tag(data_id, tag_id)).await;
            assert_eq!((answer.status, answer.body["detail"].as_str()), (404, Some(detail)));
        }
        // Taken out, it can be restored, and is not a favorite.
        let old_map = ask("PUT", "/users/ada/favorites/old-map/tags/family").by("ada");
        assert_eq!(fixture.call(tag_favorite, old_map).await.status, 404);
        assert_eq!(fixture.everything().await, before);
    }

    #[tokio::test]
    async fn a_deleted_tag_is_gone_even_where_its_entry_is_still_there() {
        let fixture = Fixture::new("tag-favorite").await;
        fixture.delete(Key::tag(&"ben".parse().unwrap(), &"birds".parse().unwrap())).await;
        let before = fixture.everything().await;
        let answer = fixture.call(tag_favorite, tag("heron", "birds")).await;
        assert_eq!((answer.status, answer.body["detail"].as_str()), (404, Some("There is no tag birds.")));
        assert_eq!(fixture.everything().await, before);
    }

    #[tokio::test]
    async fn another_programs_favorite_is_counted_once() {
        let fixture = Fixture::new("tag-favorite").await;
        fixture.put_all(note(1_600_000_000_000, 3).into_foreign_items());
        let again = fixture.call(tag_favorite, tag("n", "t1")).await;
        assert_eq!(
            (again.status, again.body),
            (200, json!({"dataId": "n", "tagId": "t1", "dataType": "note", "clipTime": 1_600_000_000_000_u64}))
        );
        assert_eq!(fixture.item(favorite("n")).await["tagCount"], json!(null));

        let _ = fixture.asked();
        assert_eq!(fixture.call(tag_favorite, tag("n", "new")).await.status, 201);
        assert_eq!(fixture.asked(), ["GetItem", "Query", "TransactWriteItems"]);
        assert_eq!(fixture.item(favorite("n")).await["tagCount"], 4);
        assert_eq!(fixture.item(entry("n", "new")).await["gsiOneSk"], "1600000000000#n");

        assert_eq!(fixture.call(tag_favorite, tag("n", "newer")).await.status, 201);
        assert_eq!(fixture.asked(), ["GetItem", "TransactWriteItems"]);
        assert_eq!(fixture.item(favorite("n")).await["tagCount"], 5);
    }

    #[tokio::test]
    async fn another_programs_form_of_the_time_is_no_obstacle() {
        let fixture = Fixture::new("tag-favorite").await;
        for time in [N("1600000000000".to_owned()), S("99".to_owned())] {
            let mut items = note(1_600_000_000_000, 0).into_foreign_items();
            for item in &mut items {
                item.entry("clipTime".to_owned()).and_modify(|clip_time| *clip_time = time.clone());
            }
            fixture.put_all(items);
            fixture.delete(entry("n", "new")).await;
            assert_eq!(fixture.call(tag_favorite, tag("n", "new")).await.status, 201, "{time:?}");
        }
        assert_eq!(fixture.item(entry("n", "new")).await["gsiOneSk"], "0000000000099#n");
    }

    #[tokio::test]
    async fn a_favorite_has_50_tags_and_no_more() {
        for written in [Collection::into_items, Collection::into_foreign_items] {
            let fixture = Fixture::new("tag-favorite").await;
            fixture.put_all(written(note(1_600_000_000_000, 49)));
            assert_eq!(fixture.call(tag_favorite, tag("n", "new")).await.status, 201);
            assert_eq!(fixture.item(favorite("n")).await["tagCount"], 50);

            let fixture = Fixture::new("tag-favorite").await;
            fixture.put_all(written(note(1_600_000_000_000, 50)));
            let before = fixture.everything().await;
            let answer = fixture.call(tag_favorite, tag("n", "new")).await;
            assert_eq!(
                (answer.status, answer.body["detail"].as_str()),
                (409, Some("Favorite n has 50 tags, and no more are allowed."))
            );
            // It is still told which tags it has, and which there are not.
            assert_eq!(fixture.call(tag_favorite, tag("n", "t7")).await.status, 200);
            assert_eq!(fixture.call(tag_favorite, tag("n", "nothing")).await.status, 404);
            assert_eq!(fixture.everything().await, before);
        }
    }

    #[tokio::test]
    async fn what_is_taken_out_meanwhile_gets_no_tag() {
        for written in [Collection::into_items, Collection::into_foreign_items] {
            let fixture = Fixture::new("tag-favorite").await;
            fixture.put_all(written(note(1_600_000_000_000, 0)));
            fixture.meanwhile(1, vec![], vec![favorite("n").into()]);
            let answer = fixture.call(tag_favorite, tag("n", "new")).await;
            assert_eq!((answer.status, answer.body["detail"].as_str()), (404, Some("There is no favorite n.")));
            assert_eq!(fixture.item(entry("n", "new")).await, json!(null));
            assert_eq!(fixture.item(favorite("n")).await, json!(null));
        }
    }

    #[tokio::test]
    async fn what_is_clipped_anew_meanwhile_gets_the_tag_where_it_is_now() {
        for written in [Collection::into_items, Collection::into_foreign_items] {
            let fixture = Fixture::new("tag-favorite").await;
            fixture.put_all(written(note(1_600_000_000_000, 0)));
            let anew = only(written(note(1_700_000_000_000, 0)), favorite("n"));
            fixture.meanwhile(1, anew, vec![]);
            let answer = fixture.call(tag_favorite, tag("n", "new")).await;
            assert_eq!((answer.status, &answer.body["clipTime"]), (201, &json!(1_700_000_000_000_u64)));
            assert_eq!(fixture.item(entry("n", "new")).await["gsiTwoSk"], "1700000000000#n");
            assert_eq!(fixture.item(favorite("n")).await["tagCount"], 1);
        }
    }

    #[tokio::test]
    async fn the_last_place_may_be_taken_meanwhile() {
        let fixture = Fixture::new("tag-favorite").await;
        fixture.put_all(note(1_600_000_000_000, 49).into_items());
        fixture.meanwhile(1, note(1_600_000_000_000, 50).into_items(), vec![]);
        assert_eq!(fixture.call(tag_favorite, tag("n", "new")).await.status, 409);
        assert_eq!(fixture.item(entry("n", "new")).await, json!(null));
        assert_eq!(fixture.item(favorite("n")).await["tagCount"], 50);
    }

    #[tokio::test]
    async fn another_may_begin_the_count_meanwhile() {
        let fixture = Fixture::new("tag-favorite").await;
        fixture.put_all(note(1_600_000_000_000, 3).into_foreign_items());
        fixture.meanwhile(2, note(1_600_000_000_000, 4).into_items(), vec![]);
        assert_eq!(fixture.call(tag_favorite, tag("n", "new")).await.status, 201);
        assert_eq!(fixture.item(favorite("n")).await["tagCount"], 5);
    }

    #[tokio::test]
    async fn the_same_tag_may_be_put_on_meanwhile() {
        let fixture = Fixture::new("tag-favorite").await;
        fixture.put_all(note(1_600_000_000_000, 0).into_items());
        let mut ben = Collection::of("ben");
        ben.clip("n", DataType::Note, "Note", 1_600_000_000_000, &["new"]);
        fixture.meanwhile(1, ben.into_items(), vec![]);
        assert_eq!(fixture.call(tag_favorite, tag("n", "new")).await.status, 200);
        assert_eq!(fixture.item(favorite("n")).await["tagCount"], 1);
    }

    #[tokio::test]
    async fn the_tag_may_be_deleted_meanwhile() {
        let fixture = Fixture::new("tag-favorite").await;
        let birds = Key::tag(&"ben".parse().unwrap(), &"birds".parse().unwrap());
        fixture.meanwhile(1, vec![], vec![birds.into()]);
        let answer = fixture.call(tag_favorite, tag("tokyo", "birds")).await;
        assert_eq!((answer.status, answer.body["detail"].as_str()), (404, Some("There is no tag birds.")));
        assert_eq!(fixture.item(favorite("tokyo")).await["tagCount"], 1);
    }

    #[tokio::test]
    async fn refuses_bad_input() {
        let fixture = Fixture::new("tag-favorite").await;
        // On the heap, since a future of so many requests is large.
        let tag_favorite = |table, request| Box::pin(tag_favorite(table, request));
        fixture.needs_a_caller(tag_favorite, tag("heron", "later")).await;
        fixture.is_for_its_owner_alone(tag_favorite, tag("heron", "later")).await;
        fixture
            .refuses_bad_usernames(tag_favorite, "username", |name| {
                ask("PUT", format!("/users/{name}/favorites/heron/tags/later"))
            })
            .await;
        fixture.refuses_bad_ids(tag_favorite, "dataId", |id| tag(id, "later")).await;
        fixture.refuses_bad_ids(tag_favorite, "tagId", |id| tag("heron", id)).await;
    }
}
