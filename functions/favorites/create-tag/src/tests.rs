use super::*;
use serde_json::{Value, json};
use shared::dynamodb::Item;
use std::sync::Arc;
use testing::{Answer, Collection, Fault, Fixture, TestRequest, request};
use tokio::task::JoinSet;

fn post(owner: &str, name: &str) -> TestRequest {
    request("POST", format!("/users/{owner}/tags")).by(owner).json(&json!({ "tagName": name }))
}

/// A user with so many tags.
fn cara(tags: u64) -> Collection {
    let mut cara = Collection::of("cara");
    for tag in 0..tags {
        cara.tag(&format!("t{tag}"), &format!("Tag {tag}"), 1_700_000_000_000 + tag, 1_700_000_000_000);
    }
    cara
}

/// What counts a user's tags.
async fn count(fixture: &Fixture, owner: &str) -> Value {
    fixture.item(Key::tag_count(&owner.parse().unwrap())).await
}

fn count_item(owner: &str, attributes: &[(&str, u32)]) -> Item {
    let mut count = Item::from(Key::tag_count(&owner.parse().unwrap()));
    count.extend(attributes.iter().map(|&(name, number)| (name.to_owned(), N(number.to_string()))));
    count
}

fn name_item(owner: &str, name: &str, tag_id: &str) -> Item {
    tag_name_reservation(&owner.parse().unwrap(), &name.parse().unwrap(), &tag_id.parse().unwrap())
}

fn tag_item(owner: &str, tag_id: &str, name: &str) -> Item {
    let (create_time, last_access_time) = (1_700_000_000_000.into(), 1_700_000_000_000.into());
    Tag { tag_id: tag_id.parse().unwrap(), tag_name: name.into(), create_time, last_access_time }
        .item(&owner.parse().unwrap())
}

#[track_caller]
fn conflicts(answer: &Answer, detail: &str) {
    assert_eq!((answer.status, &answer.body["detail"]), (409, &json!(detail)));
}

const TOO_MANY: &str = "There are 1000 tags already, and there may not be more.";

#[tokio::test]
async fn creates_a_tag_with_its_name_and_counts_it() {
    let fixture = Fixture::new("create-tag").await;
    let mut expected = fixture.all_items().await;
    let before = EpochMillis::now();
    let answer = fixture.call_with_sample_event(create_tag).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let (tag_id, now) = (answer.body["tagId"].as_str().unwrap(), answer.body["createTime"].as_u64().unwrap());
    assert!((before..=EpochMillis::now()).contains(&now.into()));
    assert_eq!(answer.headers["location"], format!("/users/ben/tags/{tag_id}").as_str());
    assert_eq!(
        answer.body,
        json!({"tagId": tag_id, "tagName": "To see again", "createTime": now, "lastAccessTime": now})
    );

    expected.insert(
        format!("Tag#ben {tag_id}"),
        json!({
            "pk": "Tag#ben", "sk": tag_id, "lsiOneSk": "To see again", "lsiTwoSk": now.to_string(),
            "lsiThreeSk": now.to_string(), "tagName": "To see again", "createTime": now, "lastAccessTime": now,
        }),
    );
    expected
        .insert("TagName#ben to see again".into(), json!({"pk": "TagName#ben", "sk": "to see again", "tagId": tag_id}));
    expected.get_mut("TagCount#ben TagCount").unwrap()["tags"] = json!(4);
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn the_first_tag_of_a_user_begins_the_count() {
    let fixture = Fixture::new("create-tag").await;
    let answer = fixture.call(create_tag, post("cara", "First")).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(fixture.operations(), ["TransactWriteItems", "Query", "TransactWriteItems"]);
    assert_eq!(count(&fixture, "cara").await, json!({"pk": "TagCount#cara", "sk": "TagCount", "tags": 1}),);
    assert_eq!(fixture.call(create_tag, post("cara", "Second")).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    assert_eq!(count(&fixture, "cara").await["tags"], 2);
}

#[tokio::test]
async fn a_repetition_is_harmless() {
    let fixture = Fixture::new("create-tag").await;
    let first = fixture.call(create_tag, post("ben", "Café")).await;
    let before = fixture.all_items().await;
    let _ = fixture.operations();
    let second = fixture.call(create_tag, post("ben", "Café")).await;
    assert_eq!((first.status, second.status), (201, 200));
    assert_eq!(first.body, second.body);
    assert_eq!(fixture.operations(), ["TransactWriteItems", "GetItem"]);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn another_form_of_a_name_is_a_conflict() {
    let fixture = Fixture::new("create-tag").await;
    assert_eq!(fixture.call(create_tag, post("ada", "Café")).await.status, 201);
    let before = fixture.all_items().await;
    for (form, name) in [("TRAVEL", "Travel"), ("ｔravel", "Travel"), ("Cafe\u{301}", "Café")] {
        let _ = fixture.operations();
        let answer = fixture.call(create_tag, post("ada", form)).await;
        conflicts(&answer, &format!("There is a tag {name} already."));
        assert_eq!(fixture.operations(), ["TransactWriteItems", "GetItem"]);
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn the_names_of_one_user_are_free_for_another() {
    let fixture = Fixture::new("create-tag").await;
    let mut expected = fixture.all_items().await;
    assert_eq!(fixture.call(create_tag, post("ben", "Travel")).await.status, 201);
    let mut after = fixture.all_items().await;
    expected.retain(|key, _| !key.contains("#ben"));
    after.retain(|key, _| !key.contains("#ben"));
    assert_eq!(after, expected);
}

#[tokio::test]
async fn a_lost_answer_creates_one() {
    let fixture = Fixture::new("create-tag").await;
    let before = fixture.all_items().await.len();
    fixture.inject([Fault::AnswerLost]);
    let answer = fixture.call(create_tag, post("ben", "Work trips")).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
    assert_eq!(count(&fixture, "ben").await["tags"], 4);
    assert_eq!(fixture.all_items().await.len(), before + 2);
}

#[tokio::test]
async fn a_conflict_is_tried_again() {
    let fixture = Fixture::new("create-tag").await;
    fixture.inject([
        Fault::TransactionCanceled(&["None", "None", "TransactionConflict"]),
        Fault::TransactionCanceled(&["None", "TransactionConflict", "None"]),
    ]);
    assert_eq!(fixture.call(create_tag, post("ben", "Work trips")).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 3]);
    assert_eq!(count(&fixture, "ben").await["tags"], 4);
}

#[tokio::test]
async fn there_may_be_a_thousand() {
    let fixture = Fixture::new("create-tag").await;
    fixture.put_all(cara(999).into_items());
    assert_eq!(fixture.call(create_tag, post("cara", "The last")).await.status, 201);
    assert_eq!(count(&fixture, "cara").await["tags"], 1000);
    let before = fixture.all_items().await;
    let _ = fixture.operations();
    conflicts(&fixture.call(create_tag, post("cara", "One more")).await, TOO_MANY);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    assert_eq!(fixture.call(create_tag, post("cara", "The last")).await.status, 200, "a repetition");
    conflicts(&fixture.call(create_tag, post("cara", "the last")).await, "There is a tag The last already.");
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn tags_of_another_program_are_counted_once() {
    let fixture = Fixture::new("create-tag").await;
    fixture.put_all(cara(998).into_foreign_items());
    for (name, status) in [("One", 201), ("Two", 201), ("Three", 409)] {
        assert_eq!(fixture.call(create_tag, post("cara", name)).await.status, status, "{name}");
    }
    assert_eq!(
        fixture.operations(),
        ["TransactWriteItems", "Query", "TransactWriteItems", "TransactWriteItems", "TransactWriteItems"]
    );
    assert_eq!(count(&fixture, "cara").await["tags"], 1000);
}

#[tokio::test]
async fn another_programs_thousand_leave_no_room() {
    let fixture = Fixture::new("create-tag").await;
    for tags in [1000, 1200] {
        fixture.put_all(cara(tags).into_foreign_items());
        let before = fixture.all_items().await;
        conflicts(&fixture.call(create_tag, post("cara", "One more")).await, TOO_MANY);
        assert_eq!(fixture.all_items().await, before);
    }
}

#[tokio::test]
async fn tags_of_several_pages_are_all_counted() {
    let fixture = Fixture::new("create-tag").await;
    let mut items = cara(700).into_foreign_items();
    for item in &mut items {
        item.insert("note".into(), S("x".repeat(2000)));
    }
    fixture.put_all(items);
    assert_eq!(fixture.call(create_tag, post("cara", "One more")).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems", "Query", "Query", "TransactWriteItems"]);
    assert_eq!(count(&fixture, "cara").await["tags"], 701);
}

#[tokio::test]
async fn a_count_of_deletions_alone_is_kept() {
    let fixture = Fixture::new("create-tag").await;
    fixture.put_all(cara(3).into_foreign_items());
    fixture.put(count_item("cara", &[("deletions", 7)])).await;
    assert_eq!(fixture.call(create_tag, post("cara", "One more")).await.status, 201);
    let expected = json!({"pk": "TagCount#cara", "sk": "TagCount", "tags": 4, "deletions": 7});
    assert_eq!(count(&fixture, "cara").await, expected);
}

#[tokio::test]
async fn what_others_do_while_it_counts_is_counted_too() {
    // Another tag is created after the Query, and has the count begun.
    let fixture = Fixture::new("create-tag").await;
    fixture.put_all(cara(3).into_foreign_items());
    let theirs = vec![tag_item("cara", "theirs", "Theirs"), count_item("cara", &[("tags", 4)])];
    fixture.write_concurrently(2, theirs, vec![]);
    assert_eq!(fixture.call(create_tag, post("cara", "Mine")).await.status, 201);
    assert_eq!(count(&fixture, "cara").await["tags"], 5);

    // So it has taken the last place.
    let fixture = Fixture::new("create-tag").await;
    fixture.put_all(cara(999).into_foreign_items());
    fixture.write_concurrently(2, vec![count_item("cara", &[("tags", 1000)])], vec![]);
    conflicts(&fixture.call(create_tag, post("cara", "Mine")).await, TOO_MANY);

    // A tag that was in the number is deleted: the first that ever was, and another.
    for deletions in [0, 5] {
        let fixture = Fixture::new("create-tag").await;
        fixture.put_all(cara(3).into_foreign_items());
        if deletions > 0 {
            fixture.put(count_item("cara", &[("deletions", deletions)])).await;
        }
        let count_of_deletions = count_item("cara", &[("deletions", deletions + 1)]);
        fixture.write_concurrently(2, vec![count_of_deletions], vec![tag_item("cara", "t1", "Tag 1")]);
        assert_eq!(fixture.call(create_tag, post("cara", "Mine")).await.status, 201);
        let count = count(&fixture, "cara").await;
        assert_eq!((&count["tags"], &count["deletions"]), (&json!(3), &json!(deletions + 1)));
    }
}

#[tokio::test]
async fn a_name_that_no_tag_has_any_more_is_free() {
    // Deleted here just before the answer, deleted by another program, renamed by another program.
    let tag = |name| tag_item("ben", "work", name);
    let name = || name_item("ben", "work", "work");
    for (left, puts, deletes) in [
        (vec![tag("work"), name()], vec![], vec![tag("work"), name()]),
        (vec![name()], vec![], vec![]),
        (vec![name(), tag("Labour")], vec![], vec![]),
        (vec![name(), tag("work")], vec![tag(" ")], vec![]),
    ] {
        let fixture = Fixture::new("create-tag").await;
        fixture.delete(Key::tag(&"ben".parse().unwrap(), &"work".parse().unwrap())).await;
        fixture.put_all(left);
        fixture.write_concurrently(1, puts, deletes);
        let answer = fixture.call(create_tag, post("ben", "Work")).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        assert_eq!(fixture.operations(), ["TransactWriteItems", "GetItem", "TransactWriteItems"]);
        let everything = fixture.all_items().await;
        assert_eq!(everything["TagName#ben work"]["tagId"], answer.body["tagId"]);
        assert_eq!(everything["TagCount#ben TagCount"]["tags"], 4);
    }
}

#[tokio::test]
async fn a_name_that_another_tag_takes_meanwhile_is_taken() {
    let fixture = Fixture::new("create-tag").await;
    fixture.put(name_item("ben", "Owls", "gone")).await;
    fixture.write_concurrently(2, vec![name_item("ben", "Owls", "o"), tag_item("ben", "o", "OWLS")], vec![]);
    conflicts(&fixture.call(create_tag, post("ben", "Owls")).await, "There is a tag OWLS already.");
    assert_eq!(fixture.all_items().await["TagName#ben owls"]["tagId"], "o");
}

#[tokio::test]
async fn an_id_that_is_there_already_is_left_alone() {
    let fixture = Fixture::new("create-tag").await;
    fixture.inject([Fault::TransactionCanceled(&["ConditionalCheckFailed", "None", "None"])]);
    assert_eq!(fixture.call(create_tag, post("ben", "Owls")).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
}

#[tokio::test]
async fn it_gives_up_where_others_never_rest() {
    let fixture = Fixture::new("create-tag").await;
    fixture.inject([Fault::TransactionCanceled(&["ConditionalCheckFailed", "None", "None"]); 100]);
    let answer = fixture.call(create_tag, post("ben", "Owls")).await;
    assert_eq!((answer.status, &answer.headers["retry-after"]), (503, &"1".parse().unwrap()));
    assert_eq!(fixture.operations(), ["TransactWriteItems"; MAX_ATTEMPTS]);
}

#[tokio::test]
async fn of_many_at_once_one_gets_the_name_and_one_the_last_place() {
    let fixture = Arc::new(Fixture::new("create-tag").await);
    let statuses = async |name: fn(usize) -> String| {
        let mut all = JoinSet::new();
        for number in 0..20 {
            let fixture = fixture.clone();
            all.spawn(async move { fixture.call(create_tag, post("cara", &name(number))).await.status });
        }
        let mut statuses = all.join_all().await;
        statuses.sort_unstable();
        statuses
    };
    let same = statuses(|_| "Owls".to_owned()).await;
    assert_eq!(same, [&[200; 19][..], &[201]].concat());
    assert_eq!(count(&fixture, "cara").await["tags"], 1);

    fixture.put(count_item("cara", &[("tags", 999)])).await;
    let others = statuses(|number| format!("Tag {number}")).await;
    assert_eq!(others, [&[201][..], &[409; 19]].concat());
    assert_eq!(count(&fixture, "cara").await["tags"], 1000);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("create-tag").await;
    fixture.needs_a_caller(create_tag, post("ben", "Owls")).await;
    fixture.refuses_other_users(create_tag, post("ben", "Owls")).await;
    fixture
        .refuses_bad_usernames(create_tag, "username", |name| {
            request("POST", format!("/users/{name}/tags")).json(&json!({"tagName": "Owls"}))
        })
        .await;
    let own = request("POST", "/users/ben/tags").by("ben");
    fixture.refuses_bad_bodies(create_tag, own.clone()).await;
    fixture.refuses_field(create_tag, own.clone(), "tagName").await;
    let long = "ü".repeat(65);
    for bad in [
        json!(""),
        json!(" "),
        json!(" Owls"),
        json!("Owls "),
        json!("a\nb"),
        json!("a\u{0}"),
        json!("\u{ad}"),
        json!(long),
        json!("\u{fdfa}".repeat(64)),
        json!(7),
        json!(["Owls"]),
        Value::Null,
    ] {
        fixture.refuses_field(create_tag, own.clone().json(&json!({ "tagName": bad })), "tagName").await;
    }
    let ours = own.json(&json!({"tagName": "Owls", "tagId": "owls"}));
    fixture.refuses_field(create_tag, ours, "tagId").await;
}

#[tokio::test]
async fn takes_as_much_as_the_rules_allow() {
    let fixture = Fixture::new("create-tag").await;
    for name in ["😀".repeat(64), "#1 / Übung".to_owned()] {
        let answer = fixture.call(create_tag, post("ben", &name)).await;
        assert_eq!((answer.status, &answer.body["tagName"]), (201, &json!(name)));
    }
}
