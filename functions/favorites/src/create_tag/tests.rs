use super::*;
use serde_json::{Value, json};
use shared::dynamodb::Item;
use std::sync::Arc;
use testing::{Answer, Collection, Fault, Fixture, TestRequest, request};
use tokio::task::JoinSet;

fn post(owner: &str, name: &str) -> TestRequest {
    request("POST", format!("/users/{owner}/tags")).by(owner).json(&json!({ "tagName": name }))
}

/// Cara with this number of tags, "Tag 0", "Tag 1" and so on.
fn cara(tags: u64) -> Collection {
    let mut cara = Collection::new("cara");
    for tag in 0..tags {
        cara.tag(&format!("t{tag}"), &format!("Tag {tag}"), 1_700_000_000_000 + tag, 1_700_000_000_000);
    }
    cara
}

/// The item that counts a user's tags.
async fn count(fixture: &Fixture, owner: &str) -> Value {
    fixture.item(Key::tag_count(&owner.parse().unwrap())).await
}

fn count_item(owner: &str, attributes: &[(&str, u32)]) -> Item {
    let mut count = Item::from(Key::tag_count(&owner.parse().unwrap()));
    count.extend(attributes.iter().map(|&(name, number)| (name.to_owned(), N(number.to_string()))));
    count
}

fn reservation(owner: &str, name: &str, tag_id: &str) -> Item {
    tag_name_reservation(&owner.parse().unwrap(), &name.parse().unwrap(), &tag_id.parse().unwrap())
}

fn tag_item(owner: &str, tag_id: &str, name: &str) -> Item {
    let (create_time, last_access_time) = (1_700_000_000_000.into(), 1_700_000_000_000.into());
    Tag { tag_id: tag_id.parse().unwrap(), tag_name: name.into(), create_time, last_access_time }
        .item(&owner.parse().unwrap())
}

#[track_caller]
fn assert_conflict(answer: &Answer, detail: &str) {
    let problem = if detail == TOO_MANY { "too-many-tags" } else { "tag-name-taken" };
    assert_eq!((answer.status, answer.problem(), &answer.body["detail"]), (409, problem, &json!(detail)));
}

const TOO_MANY: &str = "You have reached the maximum of 1000 tags. Delete a tag first.";

#[tokio::test]
async fn creates_and_counts_a_tag_and_reserves_its_name() {
    let fixture = Fixture::new("create-tag").await;
    let mut expected = fixture.all_items().await;
    let before = EpochMillis::now();
    let answer = fixture.call_with_sample_event(CreateTag::start).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let (tag_id, time) = (answer.body["tagId"].as_str().unwrap(), &answer.body["createTime"]);
    let now: EpochMillis = serde_json::from_value(time.clone()).unwrap();
    assert!((before..=EpochMillis::now()).contains(&now));
    assert_eq!(answer.headers["location"], format!("/users/ben/tags/{tag_id}").as_str());
    assert_eq!(
        answer.body,
        json!({"tagId": tag_id, "tagName": "To see again", "createTime": time, "lastAccessTime": time})
    );
    let now = u64::from(now);

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
async fn the_first_tag_of_a_user_initialises_the_count() {
    let fixture = Fixture::new("create-tag").await;
    let answer = fixture.call(CreateTag::start, post("cara", "First")).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(fixture.operations(), ["TransactWriteItems", "Query", "TransactWriteItems"]);
    assert_eq!(count(&fixture, "cara").await, json!({"pk": "TagCount#cara", "sk": "TagCount", "tags": 1}),);
    assert_eq!(fixture.call(CreateTag::start, post("cara", "Second")).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    assert_eq!(count(&fixture, "cara").await["tags"], 2);
}

#[tokio::test]
async fn a_repeated_request_changes_nothing() {
    let fixture = Fixture::new("create-tag").await;
    let first = fixture.call(CreateTag::start, post("ben", "Café")).await;
    let before = fixture.all_items().await;
    let _ = fixture.operations();
    let second = fixture.call(CreateTag::start, post("ben", "Café")).await;
    assert_eq!((first.status, second.status), (201, 200));
    assert_eq!(first.body, second.body);
    assert_eq!(fixture.operations(), ["TransactWriteItems", "GetItem"]);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn returns_409_for_a_name_that_differs_only_in_form() {
    let fixture = Fixture::new("create-tag").await;
    assert_eq!(fixture.call(CreateTag::start, post("ada", "Café")).await.status, 201);
    let before = fixture.all_items().await;
    for (variant, name) in [("TRAVEL", "Travel"), ("ｔravel", "Travel"), ("Cafe\u{301}", "Café")] {
        let _ = fixture.operations();
        let answer = fixture.call(CreateTag::start, post("ada", variant)).await;
        assert_conflict(&answer, &format!("Your tag {name} has this name already. Choose another name."));
        assert_eq!(fixture.operations(), ["TransactWriteItems", "GetItem"]);
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn two_users_can_give_the_same_name() {
    let fixture = Fixture::new("create-tag").await;
    let mut expected = fixture.all_items().await;
    assert_eq!(fixture.call(CreateTag::start, post("ben", "Travel")).await.status, 201);
    let mut after = fixture.all_items().await;
    expected.retain(|key, _| !key.contains("#ben"));
    after.retain(|key, _| !key.contains("#ben"));
    assert_eq!(after, expected);
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_creates_one_tag() {
    let fixture = Fixture::new("create-tag").await;
    let before = fixture.all_items().await.len();
    fixture.inject([Fault::AnswerLost]);
    let answer = fixture.call(CreateTag::start, post("ben", "Work trips")).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
    assert_eq!(count(&fixture, "ben").await["tags"], 4);
    assert_eq!(fixture.all_items().await.len(), before + 2);
}

#[tokio::test]
async fn retries_after_a_transaction_conflict() {
    let fixture = Fixture::new("create-tag").await;
    fixture
        .inject([Fault::TransactionCanceled("TransactionConflict"), Fault::TransactionCanceled("TransactionConflict")]);
    assert_eq!(fixture.call(CreateTag::start, post("ben", "Work trips")).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 3]);
    assert_eq!(count(&fixture, "ben").await["tags"], 4);
}

#[tokio::test]
async fn a_user_can_have_1000_tags_and_no_more() {
    let fixture = Fixture::new("create-tag").await;
    fixture.put_all(cara(999).into_items());
    assert_eq!(fixture.call(CreateTag::start, post("cara", "The last")).await.status, 201);
    assert_eq!(count(&fixture, "cara").await["tags"], 1000);
    let before = fixture.all_items().await;
    let _ = fixture.operations();
    assert_conflict(&fixture.call(CreateTag::start, post("cara", "One more")).await, TOO_MANY);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    assert_eq!(fixture.call(CreateTag::start, post("cara", "The last")).await.status, 200, "a repeated request");
    let answer = fixture.call(CreateTag::start, post("cara", "the last")).await;
    assert_conflict(&answer, "Your tag The last has this name already. Choose another name.");
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn counts_the_tags_of_another_program_once() {
    let fixture = Fixture::new("create-tag").await;
    fixture.put_all(cara(998).into_foreign_items());
    for (name, status) in [("One", 201), ("Two", 201), ("Three", 409)] {
        assert_eq!(fixture.call(CreateTag::start, post("cara", name)).await.status, status, "{name}");
    }
    assert_eq!(
        fixture.operations(),
        ["TransactWriteItems", "Query", "TransactWriteItems", "TransactWriteItems", "TransactWriteItems"]
    );
    assert_eq!(count(&fixture, "cara").await["tags"], 1000);
}

#[tokio::test]
async fn returns_409_if_another_program_wrote_1000_tags_or_more() {
    let fixture = Fixture::new("create-tag").await;
    for tags in [1000, 1200] {
        fixture.put_all(cara(tags).into_foreign_items());
        let before = fixture.all_items().await;
        assert_conflict(&fixture.call(CreateTag::start, post("cara", "One more")).await, TOO_MANY);
        assert_eq!(fixture.all_items().await, before);
    }
}

#[tokio::test]
async fn counts_every_page_of_the_tags_of_another_program() {
    let fixture = Fixture::new("create-tag").await;
    let mut items = cara(700).into_foreign_items();
    for item in &mut items {
        item.insert("note".into(), S("x".repeat(2000)));
    }
    fixture.put_all(items);
    assert_eq!(fixture.call(CreateTag::start, post("cara", "One more")).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems", "Query", "Query", "TransactWriteItems"]);
    assert_eq!(count(&fixture, "cara").await["tags"], 701);
}

#[tokio::test]
async fn initialising_the_count_keeps_the_number_of_deletions() {
    let fixture = Fixture::new("create-tag").await;
    fixture.put_all(cara(3).into_foreign_items());
    fixture.put(count_item("cara", &[("deletions", 7)])).await;
    assert_eq!(fixture.call(CreateTag::start, post("cara", "One more")).await.status, 201);
    let expected = json!({"pk": "TagCount#cara", "sk": "TagCount", "tags": 4, "deletions": 7});
    assert_eq!(count(&fixture, "cara").await, expected);
}

#[tokio::test]
async fn a_concurrent_creation_or_deletion_keeps_the_initial_count_correct() {
    // A concurrent request creates a tag after the Query and initialises the count.
    let fixture = Fixture::new("create-tag").await;
    fixture.put_all(cara(3).into_foreign_items());
    let concurrent = vec![tag_item("cara", "theirs", "Theirs"), count_item("cara", &[("tags", 4)])];
    fixture.write_concurrently(2, concurrent, vec![]);
    assert_eq!(fixture.call(CreateTag::start, post("cara", "Mine")).await.status, 201);
    assert_eq!(count(&fixture, "cara").await["tags"], 5);

    // The tag that is created concurrently is the last one allowed.
    let fixture = Fixture::new("create-tag").await;
    fixture.put_all(cara(999).into_foreign_items());
    fixture.write_concurrently(2, vec![count_item("cara", &[("tags", 1000)])], vec![]);
    assert_conflict(&fixture.call(CreateTag::start, post("cara", "Mine")).await, TOO_MANY);

    // A tag that the Query counted is deleted concurrently. It is the first deletion of all, or the
    // sixth.
    for deletions in [0, 5] {
        let fixture = Fixture::new("create-tag").await;
        fixture.put_all(cara(3).into_foreign_items());
        if deletions > 0 {
            fixture.put(count_item("cara", &[("deletions", deletions)])).await;
        }
        let count_of_deletions = count_item("cara", &[("deletions", deletions + 1)]);
        fixture.write_concurrently(2, vec![count_of_deletions], vec![tag_item("cara", "t1", "Tag 1")]);
        assert_eq!(fixture.call(CreateTag::start, post("cara", "Mine")).await.status, 201);
        let count = count(&fixture, "cara").await;
        assert_eq!((&count["tags"], &count["deletions"]), (&json!(3), &json!(deletions + 1)));
    }
}

#[tokio::test]
async fn replaces_a_reservation_that_no_tag_holds() {
    // The tag is deleted here concurrently, was deleted by another program, was renamed by another
    // program, or is renamed by another program concurrently.
    let tag = |name| tag_item("ben", "work", name);
    let reserved = || reservation("ben", "work", "work");
    for (initial, puts, deletes) in [
        (vec![tag("work"), reserved()], vec![], vec![tag("work"), reserved()]),
        (vec![reserved()], vec![], vec![]),
        (vec![reserved(), tag("Labour")], vec![], vec![]),
        (vec![reserved(), tag("work")], vec![tag(" ")], vec![]),
    ] {
        let fixture = Fixture::new("create-tag").await;
        fixture.delete(Key::tag(&"ben".parse().unwrap(), &"work".parse().unwrap())).await;
        fixture.put_all(initial);
        fixture.write_concurrently(1, puts, deletes);
        let answer = fixture.call(CreateTag::start, post("ben", "Work")).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        assert_eq!(fixture.operations(), ["TransactWriteItems", "GetItem", "TransactWriteItems"]);
        let items = fixture.all_items().await;
        assert_eq!(items["TagName#ben work"]["tagId"], answer.body["tagId"]);
        assert_eq!(items["TagCount#ben TagCount"]["tags"], 4);
    }
}

#[tokio::test]
async fn does_not_replace_a_reservation_whose_tag_takes_the_name_back() {
    // The tag has another name, or does not exist, when it is read. Then it is renamed back, or
    // another program puts it back. Its reservation is the same before and after.
    for before in [vec![tag_item("ben", "o", "Hawks")], vec![]] {
        let fixture = Fixture::new("create-tag").await;
        fixture.put_all([&before[..], &[reservation("ben", "Owls", "o")]].concat());
        fixture.write_concurrently(2, vec![tag_item("ben", "o", "OWLS")], vec![]);
        let answer = fixture.call(CreateTag::start, post("ben", "Owls")).await;
        assert_conflict(&answer, "Your tag OWLS has this name already. Choose another name.");
        let transaction = "TransactWriteItems";
        assert_eq!(fixture.operations(), [transaction, "GetItem", transaction, transaction, "GetItem"]);
        assert_eq!(fixture.all_items().await["TagName#ben owls"]["tagId"], "o");
        assert_eq!(count(&fixture, "ben").await["tags"], 3);
    }
}

#[tokio::test]
async fn replaces_a_stale_reservation_whose_tag_gets_a_third_name() {
    let fixture = Fixture::new("create-tag").await;
    fixture.put_all(vec![tag_item("ben", "o", "Hawks"), reservation("ben", "Owls", "o")]);
    fixture.write_concurrently(2, vec![tag_item("ben", "o", "Eagles")], vec![]);
    let answer = fixture.call(CreateTag::start, post("ben", "Owls")).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(fixture.all_items().await["TagName#ben owls"]["tagId"], answer.body["tagId"]);
}

#[tokio::test]
async fn returns_409_for_a_name_that_is_reserved_concurrently() {
    let fixture = Fixture::new("create-tag").await;
    fixture.put(reservation("ben", "Owls", "deleted")).await;
    fixture.write_concurrently(2, vec![reservation("ben", "Owls", "o"), tag_item("ben", "o", "OWLS")], vec![]);
    let answer = fixture.call(CreateTag::start, post("ben", "Owls")).await;
    assert_conflict(&answer, "Your tag OWLS has this name already. Choose another name.");
    assert_eq!(fixture.all_items().await["TagName#ben owls"]["tagId"], "o");
}

#[tokio::test]
async fn chooses_another_id_if_its_id_exists() {
    let fixture = Fixture::new("create-tag").await;
    fixture.inject([Fault::ConditionFailed("Put Tag#ben")]);
    assert_eq!(fixture.call(CreateTag::start, post("ben", "Owls")).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
}

#[tokio::test]
async fn returns_503_when_the_retry_budget_is_used_up() {
    let fixture = Fixture::new("create-tag").await;
    fixture.inject([Fault::ConditionFailed("Put Tag#ben"); 100]);
    let answer = fixture.call(CreateTag::start, post("ben", "Owls")).await;
    assert_eq!((answer.status, &answer.headers["retry-after"]), (503, &"1".parse().unwrap()));
    assert_eq!(fixture.operations(), ["TransactWriteItems"; MAX_ATTEMPTS]);
}

#[tokio::test]
async fn concurrent_requests_create_one_tag_per_name_and_respect_the_maximum() {
    let fixture = Arc::new(Fixture::new("create-tag").await);
    let statuses = async |name: fn(usize) -> String| {
        let mut all = JoinSet::new();
        for number in 0..20 {
            let fixture = fixture.clone();
            all.spawn(async move { fixture.call(CreateTag::start, post("cara", &name(number))).await.status });
        }
        let mut statuses = all.join_all().await;
        statuses.sort_unstable();
        statuses
    };
    let same_name = statuses(|_| "Owls".to_owned()).await;
    assert_eq!(same_name, [&[200; 19][..], &[201]].concat());
    assert_eq!(count(&fixture, "cara").await["tags"], 1);

    fixture.put(count_item("cara", &[("tags", 999)])).await;
    let last_tag = statuses(|number| format!("Tag {number}")).await;
    assert_eq!(last_tag, [&[201][..], &[409; 19]].concat());
    assert_eq!(count(&fixture, "cara").await["tags"], 1000);
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("create-tag").await;
    fixture.needs_a_caller(CreateTag::start, post("ben", "Owls")).await;
    fixture.refuses_other_users(CreateTag::start, post("ben", "Owls")).await;
    fixture.refuses_other_accounts(CreateTag::start).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("create-tag").await;
    fixture
        .refuses_bad_usernames(CreateTag::start, "username", |name| {
            request("POST", format!("/users/{name}/tags")).json(&json!({"tagName": "Owls"}))
        })
        .await;
    let own = request("POST", "/users/ben/tags").by("ben");
    fixture.refuses_bad_bodies(CreateTag::start, own.clone()).await;
    fixture.refuses_field(CreateTag::start, own.clone(), "tagName").await;
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
        fixture.refuses_field(CreateTag::start, own.clone().json(&json!({ "tagName": bad })), "tagName").await;
    }
    let unknown_field = own.json(&json!({"tagName": "Owls", "tagId": "owls"}));
    fixture.refuses_field(CreateTag::start, unknown_field, "tagId").await;
}

#[tokio::test]
async fn accepts_names_up_to_the_limits() {
    let fixture = Fixture::new("create-tag").await;
    for name in ["😀".repeat(64), "#1 / Übung".to_owned()] {
        let answer = fixture.call(CreateTag::start, post("ben", &name)).await;
        assert_eq!((answer.status, &answer.body["tagName"]), (201, &json!(name)));
    }
}
