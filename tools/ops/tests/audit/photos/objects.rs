//! The comparison of the photos with the objects of their pictures.

use std::collections::BTreeSet;
use std::fs;
use std::net::Ipv4Addr;
use std::slice::from_ref;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::testing;
use aws_sdk_s3::primitives::ByteStream;
use local::listener;
use local::sample::World;
use local::services::s3::{Created, Object, S3};
use local::template::Template;
use ops::audit::{self, Comparison, Options, RelatedData, Report, Resolution};
use ops::client;
use saphyr::{LoadableYamlNode as _, Yaml};
use shared::Bucket;
use shared::dynamodb::entity;
use shared::entities::object::{Size, picture_key};
use shared::entities::{Key, Picture, PictureDeletion};
use shared::values::PictureId;

use super::comments::LONG_AGO;
use super::several::partly_removed;
use crate::audited_table::{AuditedTable, TEMPLATE, number, options, photo, text, user};

/// The ids of ada's photos in these tests.
const READY: &str = "2025-01-01T00:00:00.001Z";
const PENDING: &str = "2025-01-01T00:00:00.002Z";
const REJECTED: &str = "2025-01-01T00:00:00.003Z";
const DELETED: &str = "2025-01-01T00:00:00.004Z";
const MALFORMED: &str = "2025-01-01T00:00:00.005Z";
const SEVERAL: &str = "2025-01-01T00:00:00.006Z";
const PENDING_SEVERAL: &str = "2025-01-01T00:00:00.007Z";
/// The id of no photo.
const NONE: &str = "2025-01-01T00:00:00.009Z";
/// The id of a photo of ben in the seed data, which has no picture.
const BENS_OLD: &str = "2024-07-14T10:21:01";

const SHOWN: &[u8] = b"shown";
const OTHER: &[u8] = b"other";

/// The table with the seed data and photos in every state, and the bucket.
struct Pictures {
    table: AuditedTable,
    s3: S3,
    bucket: Bucket,
    created: Arc<Mutex<Vec<Created>>>,
}

impl Pictures {
    async fn new() -> Self {
        let table = super::test_data().await;
        let rejected = testing::rejected();
        let mut malformed = testing::photo_with("ada", MALFORMED, Picture::Pending);
        malformed.insert("picture".to_owned(), text("large"));
        table
            .put([
                testing::photo_with("ada", READY, testing::ready(SHOWN)),
                testing::photo_with("ada", PENDING, Picture::Pending),
                testing::photo_with("ada", REJECTED, rejected),
                testing::photo_deletion("ada", DELETED, 0),
                malformed,
            ])
            .await;
        table.set_photos("ada", 4, 7).await;
        table.set(user("ada"), "rejectedPhotos", Some(number(1))).await;
        let created = Arc::<Mutex<Vec<Created>>>::default();
        let sent = Arc::clone(&created);
        let listener = listener::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
        let report = move |created: &Created| sent.lock().unwrap().push(created.clone());
        let s3 = S3::start(listener, &TEMPLATE.buckets, None, report).unwrap();
        let bucket = client::bucket(&TEMPLATE.buckets[0].name, Some(s3.endpoint())).await.unwrap();
        let pictures = Self { table, s3, bucket, created };
        pictures.import(World::seed().objects().unwrap()).await;
        for size in Size::ALL {
            pictures.put(&key(READY, SHOWN, size)).await;
        }
        pictures
    }

    async fn import(&self, objects: Vec<(String, Object)>) {
        self.s3.import(&self.bucket.name, objects).await.unwrap();
    }

    async fn put(&self, key: &str) {
        let put = self.bucket.client.put_object().bucket(&self.bucket.name).key(key);
        put.body(ByteStream::from_static(b"bytes")).send().await.unwrap();
    }

    async fn delete(&self, key: &str) {
        self.bucket.client.delete_object().bucket(&self.bucket.name).key(key).send().await.unwrap();
    }

    async fn keys(&self) -> BTreeSet<String> {
        self.s3.objects(&self.bucket.name).await.unwrap().into_keys().collect()
    }

    async fn audit(&self, repair: bool) -> Report {
        self.audit_with(repair, Duration::ZERO).await
    }

    async fn audit_with(&self, repair: bool, min_object_age: Duration) -> Report {
        let options = Options { min_object_age, ..options(repair) };
        let (client, table) = (&self.table.client, &self.table.name);
        let related = RelatedData { bucket: Some(&self.bucket), ..RelatedData::default() };
        audit::run_with(client, table, related, options, |_| {}).await.unwrap()
    }

    /// Audits without a repair, and returns the sorted findings but those of [`Pictures::new`].
    async fn findings(&self) -> Vec<String> {
        let (items, keys) = (self.table.all_items().await, self.keys().await);
        let report = self.audit(false).await;
        assert_eq!((self.table.all_items().await, self.keys().await), (items, keys));
        of_objects(&report)
    }
}

/// Returns the sorted findings but those of [`Pictures::new`]: the deletion and the malformed
/// photo.
fn of_objects(report: &Report) -> Vec<String> {
    assert_eq!(report.unconfirmed, 0);
    let mut lines: Vec<String> = report.findings.iter().map(|(finding, _)| finding.to_string()).collect();
    lines.retain(|line| !line.starts_with("deletion of photo") && !line.starts_with("item "));
    assert_eq!(lines.len() + 2, report.findings.len(), "{report:?}");
    lines.sort();
    lines
}

fn key(photo: &str, file: &[u8], size: Size) -> String {
    picture_key(&"ada".parse().unwrap(), &photo.parse().unwrap(), None, &PictureId::from_file(file), size)
}

fn incoming(photo: &str) -> String {
    format!("incoming/ada/{photo}")
}

#[tokio::test]
async fn finds_nothing_if_the_bucket_holds_what_the_photos_show() {
    let pictures = Pictures::new().await;
    // An interrupted process-photo has stored one size.
    pictures.put(&key(PENDING, OTHER, Size::Large)).await;
    // finish-deletion has not deleted these yet, and the other photo can be repaired.
    for photo in [DELETED, MALFORMED] {
        pictures.put(&key(photo, SHOWN, Size::Large)).await;
        pictures.put(&incoming(photo)).await;
    }
    // These are not the objects of a picture.
    for key in ["photos/ada/2024-05-30T15:42:38.png", "photos/Ada/x/y/large.jpg", "backup/incoming"] {
        pictures.put(key).await;
    }
    let before = pictures.keys().await;
    assert_eq!(pictures.findings().await, [""; 0]);
    let report = pictures.audit(true).await;
    // The keys `photos/Ada/…` and `backup/…` are in no prefix that is listed.
    assert_eq!(report.objects, Comparison::Compared(15));
    assert_eq!((of_objects(&report), pictures.keys().await), (vec![], before));
}

/// Returns the keys under which a repair keeps objects, besides those of the bucket before.
fn with_orphans(mut before: BTreeSet<String>, orphans: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    before.extend(orphans.into_iter().map(|key| format!("orphans/{key}")));
    before
}

#[tokio::test]
async fn moves_objects_that_no_photo_needs() {
    let pictures = Pictures::new().await;
    let before = pictures.keys().await;
    let orphans = [
        (key(READY, OTHER, Size::Small), "the photo shows another picture"),
        (key(REJECTED, SHOWN, Size::Large), "the picture was rejected"),
        (key(BENS_OLD, SHOWN, Size::Large).replace("ada", "ben"), "the photo has no picture"),
        (key(NONE, SHOWN, Size::Large), "the photo does not exist"),
        (incoming(READY), "the photo shows another picture"),
        (incoming(REJECTED), "the picture was rejected"),
        (incoming(BENS_OLD).replace("ada", "ben"), "the photo has no picture"),
        (incoming(NONE), "the photo does not exist"),
        ("incoming/something".to_owned(), "the photo does not exist"),
        (incoming(READY).replace("incoming", "imported"), "the photo shows another picture"),
    ];
    for (key, _) in &orphans {
        pictures.put(key).await;
    }
    let kept = with_orphans(before, orphans.iter().map(|(key, _)| key.clone()));
    let mut found = orphans.map(|(key, reason)| format!("object {key:?}: {reason}"));
    found.sort();
    assert_eq!(pictures.findings().await, found);
    assert_eq!(of_objects(&pictures.audit(true).await), found);
    let objects = pictures.s3.objects(&pictures.bucket.name).await.unwrap();
    assert_eq!(objects.keys().cloned().collect::<BTreeSet<_>>(), kept);
    assert_eq!(objects[&format!("orphans/{}", incoming(READY))].bytes, "bytes");
    assert_eq!(pictures.findings().await, [""; 0]);
}

/// Returns the key of a size of one of several pictures.
fn numbered_key(photo: &str, number: u32, file: &[u8], size: Size) -> String {
    let number = number.to_string().parse().ok();
    picture_key(&"ada".parse().unwrap(), &photo.parse().unwrap(), number, &PictureId::from_file(file), size)
}

/// Two photos of ada have several pictures: one is ready, and one is pending, because a file of it has not come.
async fn with_several() -> Pictures {
    let pictures = Pictures::new().await;
    let removed =
        Picture::Removed { reason: shared::values::ReportReason::Spam, sizes: testing::ready(OTHER).sizes().cloned() };
    pictures.table.put(testing::several("ada", SEVERAL, [testing::ready(SHOWN), removed])).await;
    let pending = [testing::ready(SHOWN), testing::rejected(), Picture::Pending];
    pictures.table.put(testing::several("ada", PENDING_SEVERAL, pending)).await;
    pictures.table.put(partly_removed(SEVERAL, &[2])).await;
    pictures.table.set_photos("ada", 5, 9).await;
    for size in Size::ALL {
        for (photo, number, file) in [(SEVERAL, 1, SHOWN), (SEVERAL, 2, OTHER), (PENDING_SEVERAL, 1, SHOWN)] {
            pictures.put(&numbered_key(photo, number, file, size)).await;
        }
    }
    pictures
}

#[tokio::test]
async fn compares_each_of_several_pictures_with_its_objects() {
    let pictures = with_several().await;
    // A process-photo that was interrupted, and an import.
    pictures.put(&numbered_key(PENDING_SEVERAL, 3, OTHER, Size::Small)).await;
    pictures.put(&format!("{}/3", incoming(PENDING_SEVERAL).replace("incoming", "imported"))).await;
    assert_eq!(pictures.findings().await, [""; 0]);

    let missing = numbered_key(SEVERAL, 2, OTHER, Size::Large);
    pictures.delete(&missing).await;
    let line = format!("photo {SEVERAL} of ada: the bucket lacks {missing}");
    assert_eq!(pictures.findings().await, from_ref(&line));
    pictures.put(&missing).await;
    let missing = numbered_key(PENDING_SEVERAL, 1, SHOWN, Size::Medium);
    pictures.delete(&missing).await;
    assert_eq!(pictures.findings().await, [format!("photo {PENDING_SEVERAL} of ada: the bucket lacks {missing}")]);
}

#[tokio::test]
async fn moves_objects_that_none_of_several_pictures_needs() {
    let pictures = with_several().await;
    let before = pictures.keys().await;
    let orphans = [
        (numbered_key(SEVERAL, 1, OTHER, Size::Small), "the photo shows another picture"),
        (numbered_key(SEVERAL, 3, SHOWN, Size::Small), "the photo shows another picture"),
        (numbered_key(READY, 1, SHOWN, Size::Small), "the photo shows another picture"),
        (key(SEVERAL, SHOWN, Size::Small), "the photo shows another picture"),
        (numbered_key(PENDING_SEVERAL, 2, SHOWN, Size::Small), "the picture was rejected"),
        (format!("{}/2", incoming(PENDING_SEVERAL)), "the picture was rejected"),
        (format!("{}/4", incoming(PENDING_SEVERAL)), "the photo shows another picture"),
        (incoming(SEVERAL), "the photo shows another picture"),
    ];
    for (key, _) in &orphans {
        pictures.put(key).await;
    }
    let kept = with_orphans(before, orphans.iter().map(|(key, _)| key.clone()));
    let mut found = orphans.map(|(key, reason)| format!("object {key:?}: {reason}"));
    found.sort();
    assert_eq!(pictures.findings().await, found);
    assert_eq!(of_objects(&pictures.audit(true).await), found);
    assert_eq!(pictures.keys().await, kept);
    assert_eq!(pictures.findings().await, [""; 0]);
}

/// A moderator has rejected the photo before each of its pictures was ready.
#[tokio::test]
async fn moves_the_objects_of_a_pending_picture_of_a_photo_that_was_rejected() {
    let pictures = with_several().await;
    let rejected = testing::photo_with("ada", PENDING_SEVERAL, testing::rejected());
    let rejected = testing::with(testing::with_count(rejected, "pictures", 3), "altText", "Picture 1");
    pictures.table.put([rejected]).await;
    pictures.table.set(user("ada"), "rejectedPhotos", Some(number(2))).await;
    let orphan = numbered_key(PENDING_SEVERAL, 3, OTHER, Size::Small);
    pictures.put(&orphan).await;
    assert_eq!(of_objects(&pictures.audit(true).await), [format!("object {orphan:?}: the picture was rejected")]);
    assert!(!pictures.keys().await.contains(&orphan));
}

#[tokio::test]
async fn leaves_the_objects_of_a_picture_that_its_owner_has_removed() {
    let pictures = with_several().await;
    let (ada, id, number) = ("ada".parse().unwrap(), SEVERAL.parse().unwrap(), "3".parse().unwrap());
    let key = Key::picture_deletion(&ada, &id, number);
    let deletion = PictureDeletion { erasing: ada, id, number, since: LONG_AGO.parse().unwrap() };
    pictures.table.put([entity::to_item(key, &deletion).unwrap()]).await;
    pictures.put(&numbered_key(SEVERAL, 3, SHOWN, Size::Small)).await;
    let report = pictures.audit(false).await;
    let line = format!("deletion of picture 3 of photo {SEVERAL} of ada: unfinished since {LONG_AGO}");
    assert!(report.findings.iter().any(|(finding, _)| finding.to_string() == line), "{report}");
    assert!(report.findings.iter().all(|(finding, _)| !finding.to_string().starts_with("object")), "{report}");
}

#[tokio::test]
async fn uploads_the_file_of_a_pending_one_of_several_again() {
    let pictures = with_several().await;
    let key = format!("{}/3", incoming(PENDING_SEVERAL));
    pictures.put(&key).await;
    let findings = pictures.findings().await;
    let start = format!("picture 3 of photo {PENDING_SEVERAL} of ada: pending, although its file was uploaded at ");
    assert!(findings.len() == 1 && findings[0].starts_with(&start), "{findings:?}");
    pictures.created.lock().unwrap().clear();
    assert_eq!(pictures.audit(true).await.findings.len(), 3, "with those of the setup");
    let created: Vec<String> = pictures.created.lock().unwrap().iter().map(|created| created.key.clone()).collect();
    assert_eq!(created, [key]);
}

/// The table is an empty one, and the bucket that of another table. All objects are so old that
/// they can be findings.
#[tokio::test]
async fn moves_nothing_of_the_bucket_of_another_table() {
    let mut pictures = Pictures::new().await;
    let objects = World::sample(local::sample::TEST_START).objects().unwrap();
    pictures.import(objects.into_iter().take(100).collect()).await;
    pictures.table = AuditedTable::photos(vec![]);
    let before = pictures.keys().await;
    assert!(before.len() > 60);
    let report = pictures.audit(false).await;
    assert_eq!(report.findings.len(), before.len());
    let options = Options { min_object_age: Duration::ZERO, delete_at_most: Some(1_000), ..options(true) };
    let related = RelatedData { bucket: Some(&pictures.bucket), ..RelatedData::default() };
    let audit = audit::run_with(&pictures.table.client, &pictures.table.name, related, options, |_| {});
    let error = audit.await.unwrap_err().to_string();
    let start = format!("nothing was changed: the bucket {} does not belong to the table", pictures.bucket.name);
    assert!(error.starts_with(&start), "{error}");
    assert_eq!(pictures.keys().await, before);
}

/// A table that was restored to an earlier time has most of the photos, and lacks the newest ones.
#[tokio::test]
async fn moves_only_few_objects_without_being_told() {
    let pictures = Pictures::new().await;
    let ids = (0..11_u32).map(|number| PictureId::from_file(&number.to_be_bytes()));
    let (ada, time) = ("ada".parse().unwrap(), READY.parse().unwrap());
    pictures
        .import(ids.map(|id| (picture_key(&ada, &time, None, &id, Size::Small), Object::default())).collect())
        .await;
    let before = pictures.keys().await;
    let repair = async |delete_at_most| {
        let options = Options { min_object_age: Duration::ZERO, delete_at_most, ..options(true) };
        let related = RelatedData { bucket: Some(&pictures.bucket), ..RelatedData::default() };
        audit::run_with(&pictures.table.client, &pictures.table.name, related, options, |_| {}).await
    };
    let error = repair(None).await.unwrap_err().to_string();
    let reason = format!("the repair would delete 11 of {} objects, which is more than 10: ", before.len());
    assert!(error.contains(&reason), "{error}");
    assert_eq!(pictures.keys().await, before);
    assert_eq!(of_objects(&repair(Some(11)).await.unwrap()).len(), 11);
    assert_eq!(pictures.keys().await.iter().filter(|key| key.starts_with("orphans/")).count(), 11);
}

/// Without the rule, the objects would stay for ever.
#[test]
fn the_bucket_of_the_template_deletes_what_a_repair_has_moved() {
    let template = fs::read_to_string(Template::find().unwrap()).unwrap();
    let template = Yaml::load_from_str(&template).unwrap().remove(0);
    let bucket = &template["Resources"]["PhotosBucket"]["Properties"];
    let rules = bucket["LifecycleConfiguration"]["Rules"].as_vec().unwrap();
    let rule = rules.iter().find(|rule| rule["Prefix"].as_str() == Some("orphans/")).unwrap();
    assert_eq!((rule["ExpirationInDays"].as_integer(), rule["Status"].as_str()), (Some(30), Some("Enabled")));
}

/// The trace of an expired photo stays for two days. finish-deletion deletes the objects before.
#[tokio::test]
async fn deletes_the_objects_of_an_expired_photo() {
    let pictures = Pictures::new().await;
    let before = pictures.keys().await;
    pictures.put(&key(DELETED, SHOWN, Size::Large)).await;
    pictures.table.set(photo("ada", DELETED), "ttl", Some(number(4_000_000_000))).await;
    pictures.table.set_photos("ada", 3, 6).await;
    let report = pictures.audit(true).await;
    let of_objects: Vec<String> = report.findings.iter().skip(1).map(|(finding, _)| finding.to_string()).collect();
    let found = format!("object {:?}: the photo does not exist", key(DELETED, SHOWN, Size::Large));
    let kept = with_orphans(before, [key(DELETED, SHOWN, Size::Large)]);
    assert_eq!((of_objects, pictures.keys().await), (vec![found], kept));
}

#[tokio::test]
async fn leaves_objects_of_which_an_event_may_still_be_delivered() {
    let pictures = Pictures::new().await;
    for photo in [READY, PENDING, NONE] {
        pictures.put(&key(photo, OTHER, Size::Large)).await;
        pictures.put(&incoming(photo)).await;
    }
    let before = pictures.keys().await;
    let report = pictures.audit_with(true, Options::default().min_object_age).await;
    assert_eq!((of_objects(&report), pictures.keys().await), (vec![], before));
}

#[tokio::test]
async fn reports_objects_that_are_missing() {
    let pictures = Pictures::new().await;
    for size in Size::ALL {
        pictures.delete(&key(READY, SHOWN, size)).await;
        let found = format!("photo {READY} of ada: the bucket lacks {}", key(READY, SHOWN, size));
        assert_eq!(pictures.findings().await, [found]);
        pictures.put(&key(READY, SHOWN, size)).await;
    }
    let [small, medium, large] = Size::ALL.map(|size| key(READY, SHOWN, size));
    for key in [&medium, &large] {
        pictures.delete(key).await;
    }
    let found = format!("photo {READY} of ada: the bucket lacks {medium} and {large}");
    assert_eq!(pictures.findings().await, from_ref(&found));
    // A narrow picture has the small size only.
    let mut narrow = testing::ready(SHOWN);
    if let Picture::Ready(sizes) = &mut narrow {
        sizes.width = 440;
    }
    pictures.table.put([testing::photo_with("ada", READY, narrow)]).await;
    assert_eq!(pictures.findings().await, [""; 0]);
    pictures.delete(&small).await;
    assert_eq!(pictures.findings().await, [format!("photo {READY} of ada: the bucket lacks {small}")]);
    pictures.table.put([testing::photo_with("ada", READY, testing::ready(SHOWN))]).await;
    pictures.put(&small).await;
    let items = pictures.table.all_items().await;
    let report = pictures.audit(true).await;
    let resolution = report.findings.iter().find(|(finding, _)| finding.to_string() == found).unwrap().1;
    assert_eq!(resolution, Resolution::NeedsManualRepair);
    assert_eq!(pictures.table.all_items().await[&id(READY)], items[&id(READY)]);
}

/// Returns the key of a photo of ada among the items.
fn id(photo: &str) -> (String, String) {
    ("USER#ada".to_owned(), format!("PHOTO#ada#{photo}"))
}

#[tokio::test]
async fn starts_process_photo_again_for_a_photo_that_stays_pending() {
    let pictures = Pictures::new().await;
    pictures.put(&incoming(PENDING)).await;
    let (items, keys) = (pictures.table.all_items().await, pictures.keys().await);
    let findings = pictures.findings().await;
    assert_eq!(findings.len(), 1);
    let start = format!("photo {PENDING} of ada: pending, although its file was uploaded at 2");
    assert!(findings[0].starts_with(&start), "{findings:?}");
    pictures.created.lock().unwrap().clear();
    assert_eq!(of_objects(&pictures.audit(true).await), findings);
    let created = std::mem::take(&mut *pictures.created.lock().unwrap());
    assert_eq!(
        created.iter().map(|created| (created.key.clone(), created.size)).collect::<Vec<_>>(),
        [(incoming(PENDING), 5)]
    );
    assert_eq!(pictures.keys().await, keys);
    assert_eq!(pictures.table.all_items().await[&id(PENDING)], items[&id(PENDING)]);
}

#[tokio::test]
async fn leaves_the_objects_of_a_user_who_is_lost_or_is_being_deleted() {
    let pictures = Pictures::new().await;
    pictures.table.put([testing::photo_with("gone", READY, testing::ready(SHOWN)), testing::deletion("dora")]).await;
    for owner in ["gone", "dora"] {
        for size in Size::ALL {
            pictures.put(&key(READY, SHOWN, size).replace("ada", owner)).await;
        }
    }
    let (items, keys) = (pictures.table.all_items().await, pictures.keys().await);
    let found = pictures.findings().await;
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("deletion of dora: unfinished since"), "{found:?}");
    assert_eq!(found[1], "user gone: does not exist, but there are 3 objects, 1 photos");
    assert_eq!(of_objects(&pictures.audit(true).await), found);
    assert_eq!(pictures.keys().await, keys);
    assert_eq!(pictures.table.all_items().await.len(), items.len());
}

/// The other objects, which the audit does not look at, fill the first page of the list.
#[tokio::test]
async fn finds_an_orphan_behind_a_page_of_other_objects() {
    let pictures = Pictures::new().await;
    pictures.import((0..1_000).map(|number| (format!("photos/a/{number}"), Object::default())).collect()).await;
    let before = pictures.keys().await;
    let orphan = format!("photos/ada/{NONE}/{:016x}/large.jpg", 1);
    pictures.import(vec![(orphan.clone(), Object::default())]).await;
    assert_eq!(of_objects(&pictures.audit(true).await).len(), 1);
    assert_eq!(pictures.keys().await, with_orphans(before, [orphan]));
}

#[tokio::test]
async fn an_error_names_the_bucket() {
    let pictures = Pictures::new().await;
    let bucket = Bucket { client: pictures.bucket.client.clone(), name: "nowhere".to_owned() };
    let (client, table) = (&pictures.table.client, &pictures.table.name);
    let related = RelatedData { bucket: Some(&bucket), ..RelatedData::default() };
    let audit = audit::run_with(client, table, related, Options::default(), |_| {});
    let error = audit.await.unwrap_err().to_string();
    assert!(error.starts_with("bucket nowhere: The specified bucket does not exist (NoSuchBucket)"), "{error}");
}
