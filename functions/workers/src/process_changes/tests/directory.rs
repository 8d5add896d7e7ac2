use super::*;
use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use shared::entities::EVERYBODY;
use std::collections::BTreeSet;
use testing::{FEED, Fault, deletion, user};

/// A fixture whose directory has only ada, who has the name `Ada Marsh` and no follower.
struct Directory {
    fixture: Fixture,
}

/// Returns the item of a user with a display name and a number of followers.
fn person(username: &str, name: &str, followers: u64) -> Item {
    let mut item = user(username);
    item.extend([("name".to_owned(), S(name.to_owned())), ("followers".to_owned(), N(followers.to_string()))]);
    item
}

/// Returns the keys of entries with this sort key in the lists.
fn keys(lists: &[&str], sort_key: &str) -> BTreeSet<String> {
    lists.iter().map(|list| format!("People#{list} {sort_key}")).collect()
}

const ADAS_LISTS: &[&str] = &["a", "ad", "ada", "m", "ma", "mar", "mars", "marsh"];

impl Directory {
    async fn new() -> Self {
        let fixture = Fixture::new("process-changes").await;
        let directory = Self { fixture };
        for username in ["ben", "cara"] {
            let seed = directory.fixture.unrecorded_table(testing::QUICK_PHOTOS);
            let key = shared::entities::Key::user(&username.parse().unwrap());
            let old = seed.client.get_item().table_name(&seed.name).set_key(Some(key.clone().into()));
            let old = old.send().await.unwrap().item.unwrap();
            directory.fixture.delete(key).await;
            assert!(directory.deliver(&[record(old, Item::new())]).await.is_empty());
        }
        directory.change(person("ada", "Ada Marsh", 1), person("ada", "Ada Marsh", 0)).await;
        assert_eq!(directory.keys().await, keys(ADAS_LISTS, "9#ada-marsh#ada"));
        let _ = directory.fixture.operations();
        directory
    }

    async fn deliver(&self, records: &[Record]) -> Vec<String> {
        deliver_to(Job::Directory, &self.fixture, records).await
    }

    /// Puts an item in the place of another one, and delivers the record of it.
    async fn change(&self, old: Item, new: Item) {
        self.fixture.put(new.clone()).await;
        assert!(self.deliver(&[record(old, new)]).await.is_empty());
    }

    /// Returns the keys of the entries of the directory.
    async fn keys(&self) -> BTreeSet<String> {
        self.fixture.all_items_of(FEED).await.into_keys().filter(|key| key.starts_with("People#")).collect()
    }
}

#[tokio::test]
async fn a_new_user_is_listed_once_however_often_the_record_comes() {
    let directory = Directory::new().await;
    let ben = person("ben", "Ben Okafor", 12);
    let expected = &keys(ADAS_LISTS, "9#ada-marsh#ada")
        | &keys(&[EVERYBODY, "b", "be", "ben", "o", "ok", "oka", "okaf", "okafo"], "7#ben-okafor#ben");
    for _ in 0..2 {
        directory.change(Item::new(), ben.clone()).await;
        assert_eq!(directory.fixture.operations(), ["GetItem", "BatchWriteItem", "GetItem"]);
        assert_eq!(directory.keys().await, expected);
    }
    let entry = &directory.fixture.all_items_of(FEED).await["People#okafo 7#ben-okafor#ben"];
    let attributes: Vec<_> = entry.as_object().unwrap().keys().collect();
    assert_eq!(attributes, ["name", "pk", "rank", "sk", "username"], "nothing private");
}

#[tokio::test]
async fn a_new_name_takes_the_place_of_the_old_one() {
    let directory = Directory::new().await;
    directory.change(person("ada", "Ada Marsh", 0), person("ada", "Nova", 0)).await;
    assert_eq!(directory.keys().await, keys(&["a", "ad", "ada", "n", "no", "nov", "nova"], "9#nova#ada"));
    directory.change(person("ada", "Nova", 0), person("ada", "Ada Marsh", 0)).await;
    assert_eq!(directory.keys().await, keys(ADAS_LISTS, "9#ada-marsh#ada"));
}

#[tokio::test]
async fn only_another_number_of_digits_of_the_followers_costs_requests() {
    let directory = Directory::new().await;
    for (old, new, rank) in [(0, 1, 8), (9, 10, 7), (100, 99, 7), (10, 9, 8), (1, 0, 9)] {
        directory.change(person("ada", "Ada Marsh", old), person("ada", "Ada Marsh", new)).await;
        let lists: Vec<&str> = ADAS_LISTS.iter().copied().chain((new > 0).then_some(EVERYBODY)).collect();
        assert_eq!(directory.keys().await, keys(&lists, &format!("{rank}#ada-marsh#ada")), "{old} -> {new}");
    }
    let _ = directory.fixture.operations();
    let mut with_status = person("ada", "Ada Marsh", 10);
    with_status.insert("status".to_owned(), S("Counting".to_owned()));
    for new in [person("ada", "Ada Marsh", 99), person("ada", "ada  MARSH!", 10), with_status] {
        directory.change(person("ada", "Ada Marsh", 10), new).await;
        assert!(directory.fixture.operations().is_empty());
    }
}

#[tokio::test]
async fn a_deleted_user_is_in_no_list() {
    for is_removed in [false, true] {
        let directory = Directory::new().await;
        let ada = person("ada", "Ada Marsh", 0);
        if is_removed {
            directory.fixture.delete(shared::entities::Key::user(&"ada".parse().unwrap())).await;
        } else {
            directory.fixture.put(deletion("ada")).await;
        }
        let new = if is_removed { Item::new() } else { deletion("ada") };
        for _ in 0..2 {
            assert!(directory.deliver(&[record(ada.clone(), new.clone())]).await.is_empty());
            assert_eq!(directory.keys().await, BTreeSet::new());
        }
        let _ = directory.fixture.operations();
        assert!(directory.deliver(&[record(deletion("ada"), deletion("ada"))]).await.is_empty());
        assert!(directory.fixture.operations().is_empty());
    }
}

#[tokio::test]
async fn records_that_are_late_or_out_of_order_lead_to_the_user_as_it_is() {
    let names = ["Ada Marsh", "Nova", "Ida Berg"].map(|name| person("ada", name, 0));
    let records = [record(names[0].clone(), names[1].clone()), record(names[1].clone(), names[2].clone())];
    for order in [[0, 1], [1, 0]] {
        let directory = Directory::new().await;
        directory.fixture.put(names[2].clone()).await;
        for index in order {
            assert!(directory.deliver(&[records[index].clone()]).await.is_empty());
        }
        let expected = keys(&["a", "ad", "ada", "b", "be", "ber", "berg", "i", "id", "ida"], "9#ida-berg#ada");
        assert_eq!(directory.keys().await, expected, "{order:?}");

        directory.fixture.put(deletion("ada")).await;
        assert!(directory.deliver(&[record(names[2].clone(), deletion("ada"))]).await.is_empty());
        for record in &records {
            assert!(directory.deliver(std::slice::from_ref(record)).await.is_empty());
        }
        assert_eq!(directory.keys().await, BTreeSet::new());
    }
}

/// An invocation stalls after it has read the user. Meanwhile another one serves the next records.
#[tokio::test]
async fn a_write_that_is_late_is_corrected() {
    let directory = Directory::new().await;
    let (ada, nova) = (person("ada", "Ada Marsh", 0), person("ada", "Nova", 0));
    directory.fixture.put(nova.clone()).await;
    directory.fixture.write_concurrently(1, vec![ada.clone()], vec![]);
    assert!(directory.deliver(&[record(ada.clone(), nova.clone())]).await.is_empty());
    assert_eq!(directory.keys().await, keys(ADAS_LISTS, "9#ada-marsh#ada"));
    let again = ["GetItem", "BatchWriteItem", "GetItem", "BatchWriteItem", "GetItem"];
    assert_eq!(directory.fixture.operations(), again);

    directory.fixture.put(nova.clone()).await;
    directory.fixture.write_concurrently(2, vec![deletion("ada")], vec![]);
    assert!(directory.deliver(&[record(ada, nova)]).await.is_empty());
    assert_eq!(directory.keys().await, BTreeSet::new());
}

#[tokio::test]
async fn a_record_that_cannot_write_the_directory_fails_and_comes_again() {
    let directory = Directory::new().await;
    let (ada, nova) = (person("ada", "Ada Marsh", 0), person("ada", "Nova", 0));
    directory.fixture.put(nova.clone()).await;
    let renamed = record(ada, nova);
    for position in 0..3 {
        let faults = [Fault::Error("ThrottlingException"); 5];
        directory.fixture.inject([Fault::None].into_iter().cycle().take(position).chain(faults));
        assert_eq!(directory.deliver(std::slice::from_ref(&renamed)).await, ["1"], "{position}");
    }
    directory.fixture.inject([Fault::None, Fault::AnswerLost]);
    assert!(directory.deliver(&[renamed]).await.is_empty());
    assert_eq!(directory.keys().await, keys(&["a", "ad", "ada", "n", "no", "nov", "nova"], "9#nova#ada"));
}
