//! Others write to the table of favorites and tags while the audit runs, or it is killed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aws_sdk_dynamodb::types::{Delete, Put, TransactWriteItem, Update};
use local::sample::FAVORITE;
use ops::audit;
use ops::audit::{Event, Options, Outcome};
use shared::Table;
use shared::dynamodb::Item;
use shared::dynamodb::transaction;
use shared::model::favorites::{Key, tag_name_reservation, term_items};
use shared::values::DataType;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::bed::{Bed, Everything, number};
use crate::favorites::{
    HERON, SUNSET, at, clip, count, entry, favorite, foreign_items, like, name, sample, tag, tag_item, tagged, term,
};
use crate::meanwhile::audit_with_changes;

#[tokio::test]
async fn a_difference_that_goes_away_is_no_finding() {
    let bed = sample().await;
    let right = bed.all_items().await;
    let (sunset, gone) = (like(SUNSET, DataType::Image), clip("gone", DataType::Note, "Gone", 1));
    let (sunset_id, _, sunset_at) = SUNSET;
    bed.put([tagged("ada", &gone, "travel"), tagged("ada", &sunset, "late"), tag_item("ada", "new", "New")]).await;
    bed.put(term_items(&"ben".parse().unwrap(), &gone)).await;
    bed.delete(term("ada", "lisbon", sunset_at, sunset_id)).await;
    bed.set(favorite("ada", "sunset"), "tagCount", Some(number(2))).await;
    bed.set(favorite("ben", "heron"), "tagCount", Some(number(9))).await;
    let new_name = tag_name_reservation(&"ada".parse().unwrap(), &"New".parse().unwrap(), &"new".parse().unwrap());
    let lisbon = term_items(&"ada".parse().unwrap(), &sunset);
    let report = audit_with_changes(&bed, true, async |_| {
        bed.put(lisbon.clone()).await;
        bed.put([gone.item(&"ada".parse().unwrap()), gone.item(&"ben".parse().unwrap())]).await;
        bed.put(term_items(&"ada".parse().unwrap(), &gone)).await;
        bed.put([new_name.clone(), tag_item("ada", "late", " late")]).await;
        bed.set(count("ada"), "tags", Some(number(7))).await;
        bed.set(favorite("ben", "heron"), "tagCount", Some(number(1))).await;
    })
    .await;
    assert_eq!((report.findings, report.unsettled), (vec![], 0));
    assert_eq!(bed.found().await, [""; 0]);
    assert!(bed.all_items().await.len() > right.len());
}

#[tokio::test]
async fn what_keeps_changing_is_left_alone() {
    let bed = sample().await;
    bed.set(favorite("ben", "heron"), "tagCount", Some(number(2))).await;
    let report = audit_with_changes(&bed, true, async |n| {
        bed.set(favorite("ben", "heron"), "tagCount", Some(number(i64::try_from(n).unwrap() + 10))).await;
    })
    .await;
    assert_eq!((report.findings, report.unsettled), (vec![], 1));
    assert_eq!(at(&mut bed.all_items().await, favorite("ben", "heron"))["tagCount"], 16);
}

/// Wherever a repair ends, the next one goes on, and all is as after one that came to its end.
#[tokio::test]
async fn killed_and_repeated() {
    let (sunset, heron) = (like(SUNSET, DataType::Image), like(HERON, DataType::Image));
    let long: String = ('一'..).take(120).collect();
    let long = clip("long", DataType::Note, &long, 1_717_000_000_000);
    let wrong = [
        foreign_items(),
        vec![
            tagged("ada", &heron, "1"),
            tagged("ben", &clip("lake", DataType::Image, "", 10), "gone"),
            tagged("ada", &clip("list", DataType::Note, "", 19), "1"),
            long.item(&"ada".parse().unwrap()),
            tag_name_reservation(&"ada".parse().unwrap(), &"travel".parse().unwrap(), &"gone".parse().unwrap()),
        ],
        term_items(&"ben".parse().unwrap(), &sunset),
        term_items(&"ben".parse().unwrap(), &long),
    ]
    .concat();
    let planted = async || {
        let bed = Bed::of(FAVORITE, wrong.clone()).await;
        bed.set(favorite("ben", "lake"), "tagCount", Some(number(7))).await;
        bed.set(favorite("ben", "list"), "tagCount", Some(number(1))).await;
        bed.set(favorite("ada", "lake"), "lsiOneSk", None).await;
        bed
    };
    let whole = planted().await;
    let findings = whole.repaired().await.len();
    let right = whole.all_items().await;
    assert!(findings > 15, "{findings}");

    for last in (1..findings).step_by(3) {
        let bed = planted().await;
        let killed = Notify::new();
        let mut found = 0;
        let options = Options { repair: true, between_looks: Duration::from_millis(1), ..Options::default() };
        let audit = audit::run(&bed.client, &bed.table, options, |event| {
            if let Event::Found(_, Outcome::Repaired) = event {
                found += 1;
                if found == last {
                    killed.notify_one();
                }
            }
        });
        tokio::select! {
            biased;
            () = killed.notified() => {}
            // The last ones come all at once.
            report = audit => assert!(report.unwrap().findings.len() >= last),
        }
        bed.repaired().await;
        assert_eq!(bed.all_items().await, right, "killed after {last}");
    }
}

/// A user who creates and deletes tags and puts them on favorites, each time in one transaction with what counts.
struct Writer {
    table: Table,
    owner: &'static str,
    number: usize,
}

impl Writer {
    async fn transact(&self, parts: Vec<TransactWriteItem>) {
        let transaction = self.table.client.transact_write_items().set_transact_items(Some(parts));
        assert!(matches!(transaction::write(transaction).await.unwrap(), transaction::Outcome::Committed));
    }

    fn put(&self, item: Item) -> TransactWriteItem {
        let put = Put::builder().table_name(&self.table.name).set_item(Some(item));
        let put = put.condition_expression("attribute_not_exists(pk)").build().unwrap();
        TransactWriteItem::builder().put(put).build()
    }

    fn delete(&self, key: Key) -> TransactWriteItem {
        let delete = Delete::builder().table_name(&self.table.name).set_key(Some(key.into()));
        let delete = delete.condition_expression("attribute_exists(pk)").build().unwrap();
        TransactWriteItem::builder().delete(delete).build()
    }

    fn add(&self, key: Key, attribute: &str, one: i64) -> TransactWriteItem {
        let update = Update::builder().table_name(&self.table.name).set_key(Some(key.into()));
        let update = update
            .condition_expression("attribute_exists(pk)")
            .update_expression(format!("ADD {attribute} :one"))
            .expression_attribute_values(":one", number(one));
        TransactWriteItem::builder().update(update.build().unwrap()).build()
    }

    /// Begins and ends without a tag.
    async fn write(&self, stop: &AtomicBool) -> usize {
        let (owner, id) = (self.owner, format!("of-{}", self.number));
        let on = match owner {
            "ada" => SUNSET,
            _ => HERON,
        };
        let tag_name = format!("Tag {}", self.number);
        let kept = tag_name_reservation(&owner.parse().unwrap(), &tag_name.parse().unwrap(), &id.parse().unwrap());
        let pause = || tokio::time::sleep(Duration::from_millis(7 * self.number.pow(3) as u64));
        let mut rounds = 0;
        while !stop.load(Ordering::Relaxed) {
            rounds += 1;
            let tag_item = tag_item(owner, &id, &tag_name);
            self.transact(vec![self.put(tag_item), self.put(kept.clone()), self.add(count(owner), "tags", 1)]).await;
            let item = tagged(owner, &like(on, DataType::Image), &id);
            self.transact(vec![self.put(item), self.add(favorite(owner, on.0), "tagCount", 1)]).await;
            pause().await;
            self.transact(vec![self.delete(entry(owner, on.0, &id)), self.add(favorite(owner, on.0), "tagCount", -1)])
                .await;
            pause().await;
            self.transact(vec![
                self.delete(tag(owner, &id)),
                self.delete(name(owner, &tag_name)),
                self.add(count(owner), "tags", -1),
            ])
            .await;
        }
        rounds
    }
}

fn keys(everything: &Everything) -> BTreeSet<&(String, String)> {
    everything.keys().collect()
}

/// It mends what nobody touches at once, takes nothing away from what is right, and what it leaves of the rest, a repair
/// at rest mends.
#[tokio::test]
async fn others_write_while_it_repairs() {
    let bed = sample().await;
    let right = bed.all_items().await;
    let stop = Arc::new(AtomicBool::new(false));
    let mut writing = JoinSet::new();
    for (number, owner) in ["ada", "ben", "ada", "ben", "ada", "ben"].into_iter().enumerate() {
        let table = Table { client: bed.client.clone(), name: bed.table.clone() };
        let (writer, stop) = (Writer { table, owner, number }, stop.clone());
        writing.spawn(async move { writer.write(&stop).await });
    }

    let (sunset, heron) = (like(SUNSET, DataType::Image), like(HERON, DataType::Image));
    bed.put([tagged("ada", &clip("gone", DataType::Note, "", 1), "travel"), tagged("ben", &heron, "gone")]).await;
    bed.put(term_items(&"ben".parse().unwrap(), &sunset)).await;
    bed.delete(name("ada", "Küche")).await;
    bed.set(entry("ada", "tram", "travel"), "gsiTwoPk", None).await;
    bed.set(favorite("ada", "viewpoint"), "tagCount", Some(number(9))).await;
    let repair = Options { repair: true, between_looks: Duration::from_millis(300), ..Options::default() };
    let report = audit::run(&bed.client, &bed.table, repair, |_| {}).await.unwrap();
    stop.store(true, Ordering::Relaxed);
    let rounds: usize = writing.join_all().await.into_iter().sum();
    assert!(rounds > 12, "{rounds}");

    let repaired: BTreeSet<String> = report.findings.iter().map(|(finding, _)| finding.to_string()).collect();
    for line in [
        "tag travel on favorite gone of ada: the favorite is gone",
        "tag gone on favorite heron of ben: the tag is gone",
        "16 terms of favorite sunset of ben, clipped 1717206000000: the favorite is gone",
        r#"tag recipes of ada: its name "Küche" is not kept for it"#,
        "tag travel on favorite tram of ada: not as the favorite says",
        "favorite viewpoint of ada: tagCount is 9, but there are 2",
    ] {
        assert!(repaired.contains(line), "{line} {repaired:#?}");
    }
    // What took the tag that is gone off ben's favorite took it off the count, and the count was right before.
    assert_eq!(keys(&bed.all_items().await), keys(&right));
    bed.repaired().await;
    assert_eq!(bed.all_items().await, right);
}
