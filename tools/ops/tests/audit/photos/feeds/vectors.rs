//! The vectors of photos.

use std::net::Ipv4Addr;

use local::listener;
use local::services::s3::{Object, S3};
use ops::client;
use shared::Bucket;
use shared::entities::object::{Size, picture_key};
use shared::entities::{Picture, vector_item};
use shared::values::PictureId;
use testing::{PNG, deletion, hidden_vector, photo_deletion, photo_with, ready, several, vector, with};

use super::*;

const NEW: &str = "2025-01-01T00:00:00";

#[tokio::test]
async fn deletes_vectors_without_a_photo() {
    let feeds = Feeds::seed();
    let expected = feeds.all_items().await;
    feeds.put(vector("ada", NEW, 1)).await;
    let line = format!("vector of photo {NEW} of ada: the photo does not exist or has no picture");
    feeds.assert_repairs(&[&line], &expected).await;
}

#[tokio::test]
async fn leaves_the_vectors_that_finish_deletion_deletes() {
    let feeds = Feeds::seed();
    feeds.table.put([photo_deletion("ada", NEW, 0), deletion("dora")]).await;
    feeds.put(vector("ada", NEW, 1)).await;
    feeds.put(vector("dora", NEW, 1)).await;
    let findings = feeds.findings().await;
    assert!(findings.iter().all(|finding| !finding.starts_with("vector")), "{findings:?}");
}

#[tokio::test]
async fn makes_the_missing_vector_of_a_photo_from_its_small_size() {
    let feeds = Feeds::seed();
    feeds.table.put([photo_with("ada", NEW, ready(PNG))]).await;
    let (_s3, bucket) = bucket_with_small_size().await;
    let related = RelatedData { bucket: Some(&bucket), feed_table: Some(&feeds.feed), favorite_table: None };
    let client = &feeds.table.client;
    let report = audit::run_with(client, &feeds.table.name, related, options(true), |_| {}).await.unwrap();
    let line = format!("photo {NEW} of ada: it has no vector, so no similar photo finds it");
    assert!(report.findings.iter().any(|(finding, _)| finding.to_string() == line), "{report}");
    let item = feeds.all_items().await.into_iter().find(|((pk, sk), _)| pk == "Vector#ada" && sk == NEW);
    assert_eq!(item.unwrap().1["vector"], serde_json::json!(pictures::vector(PNG).unwrap().to_vec()));
}

#[tokio::test]
async fn moves_vectors_that_are_in_the_index_against_the_audience() {
    let removed = Picture::Removed { reason: shared::values::ReportReason::Spam, sizes: ready(PNG).sizes().cloned() };
    let ready = || photo_with("ada", NEW, ready(PNG));
    let (hidden, shown) = (hidden_vector("ada", NEW, 1), vector("ada", NEW, 1));
    let finds = format!("vector of photo {NEW} of ada: a search finds it, though not everyone may see the photo");
    let misses = format!("vector of photo {NEW} of ada: a search does not find it, though everyone may see the photo");
    for (photo, wrong, right, line) in [
        (with(ready(), "audience", "followers"), &shown, &hidden, &finds),
        (with(ready(), "audience", "me"), &shown, &hidden, &finds),
        (photo_with("ada", NEW, removed), &shown, &hidden, &finds),
        (ready(), &hidden, &shown, &misses),
    ] {
        let feeds = Feeds::seed();
        feeds.table.put([photo]).await;
        feeds.put(right.clone()).await;
        let of_vectors =
            |findings: Vec<String>| findings.into_iter().filter(|one| one.starts_with("vector")).collect::<Vec<_>>();
        assert_eq!(of_vectors(feeds.findings().await), Vec::<String>::new());
        feeds.put(wrong.clone()).await;
        assert_eq!(of_vectors(feeds.findings().await), std::slice::from_ref(line));
        feeds.audit(true).await;
        let item = feeds.all_items().await.remove(&("Vector#ada".to_owned(), NEW.to_owned())).unwrap();
        let (attribute, other) = if right.contains_key("hidden") { ("hidden", "vector") } else { ("vector", "hidden") };
        assert_eq!((&item[attribute][0], &item[other]), (&serde_json::json!(1), &serde_json::Value::Null));
    }
}

#[tokio::test]
async fn reports_a_vector_with_both_attributes_or_with_none() {
    let feeds = Feeds::seed();
    let both: shared::dynamodb::Item = vector("ada", NEW, 1).into_iter().chain(hidden_vector("ada", NEW, 1)).collect();
    feeds.put(both).await;
    let findings = feeds.findings().await;
    assert!(findings.iter().any(|finding| finding.contains("both or neither")), "{findings:?}");
}

/// Returns the vector of one of several pictures of ada's new photo.
fn vector_of(number: u32, is_public: bool) -> shared::dynamodb::Item {
    let vector = [1; pictures::DIMENSIONS];
    vector_item(&"ada".parse().unwrap(), &NEW.parse().unwrap(), number.to_string().parse().ok(), &vector, is_public)
}

#[tokio::test]
async fn compares_each_of_several_pictures_with_its_vector() {
    let removed =
        || Picture::Removed { reason: shared::values::ReportReason::Spam, sizes: ready(b"2").sizes().cloned() };
    let of_vectors =
        |findings: Vec<String>| findings.into_iter().filter(|one| one.contains("vector")).collect::<Vec<_>>();
    let feeds = Feeds::seed();
    feeds.table.put(several("ada", NEW, [ready(b"1"), removed(), ready(b"3")])).await;
    for (number, is_public) in [(1, true), (2, false), (3, true)] {
        feeds.put(vector_of(number, is_public)).await;
    }
    assert_eq!(of_vectors(feeds.findings().await), Vec::<String>::new());

    // The photo has no picture without a number, and no fourth one.
    feeds.put(vector("ada", NEW, 1)).await;
    feeds.put(vector_of(4, true)).await;
    feeds.put(vector_of(2, true)).await;
    feeds.put(vector_of(3, false)).await;
    let lines = [
        format!("vector of photo {NEW} of ada: the photo does not exist or has no picture"),
        format!("vector of picture 2 of photo {NEW} of ada: a search finds it, though not everyone may see the photo"),
        format!(
            "vector of picture 3 of photo {NEW} of ada: a search does not find it, though everyone may see the photo"
        ),
        format!("vector of picture 4 of photo {NEW} of ada: the photo does not exist or has no such picture"),
    ];
    assert_eq!(of_vectors(feeds.findings().await), lines);
    feeds.audit(true).await;
    assert_eq!(of_vectors(feeds.findings().await), Vec::<String>::new());
    let items = feeds.all_items().await;
    let of_photo = |(pk, sk): &&(String, String)| pk == "Vector#ada" && sk.starts_with(NEW);
    let left: Vec<&str> = items.keys().filter(of_photo).map(|(_, sk)| &sk[NEW.len()..]).collect();
    assert_eq!(left, ["#1", "#2", "#3"]);

    // While the photo is pending, no search finds a picture of it.
    feeds.table.put(several("ada", NEW, [ready(b"1"), Picture::Pending, ready(b"3")])).await;
    let findings = of_vectors(feeds.findings().await);
    let starts = |number| format!("vector of picture {number} of photo {NEW} of ada: ");
    let expected = [(1, "a search finds it"), (2, "the photo does not exist"), (3, "a search finds it")];
    for (finding, (number, text)) in findings.iter().zip(expected) {
        assert!(finding.starts_with(&format!("{}{text}", starts(number))), "{findings:?}");
    }
    assert_eq!(findings.len(), 3);
}

#[tokio::test]
async fn makes_the_missing_vector_of_one_of_several_pictures() {
    let feeds = Feeds::seed();
    feeds.table.put(several("ada", NEW, [ready(PNG), ready(PNG)])).await;
    feeds.put(vector_of(1, true)).await;
    let (s3, bucket) = bucket_with_small_size().await;
    let number = "2".parse().ok();
    let key =
        picture_key(&"ada".parse().unwrap(), &NEW.parse().unwrap(), number, &PictureId::from_file(PNG), Size::Small);
    let object = Object { content_type: None, cache_control: None, bytes: PNG.into() };
    s3.import(&bucket.name, vec![(key, object)]).await.unwrap();
    let related = RelatedData { bucket: Some(&bucket), feed_table: Some(&feeds.feed), favorite_table: None };
    let client = &feeds.table.client;
    let report = audit::run_with(client, &feeds.table.name, related, options(true), |_| {}).await.unwrap();
    let line = format!("picture 2 of photo {NEW} of ada: it has no vector, so no similar photo finds it");
    assert!(report.findings.iter().any(|(finding, _)| finding.to_string() == line), "{report}");
    let sk = format!("{NEW}#2");
    let item = feeds.all_items().await.remove(&("Vector#ada".to_owned(), sk)).unwrap();
    assert_eq!(item["vector"], serde_json::json!(pictures::vector(PNG).unwrap().to_vec()));
}

/// Returns a bucket that has the small size of ada's new photo, and not those of others.
async fn bucket_with_small_size() -> (S3, Bucket) {
    let listener = listener::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
    let s3 = S3::start(listener, &TEMPLATE.buckets, None, |_| {}).unwrap();
    let bucket = client::bucket(&TEMPLATE.buckets[0].name, Some(s3.endpoint())).await.unwrap();
    let key =
        picture_key(&"ada".parse().unwrap(), &NEW.parse().unwrap(), None, &PictureId::from_file(PNG), Size::Small);
    let object = Object { content_type: None, cache_control: None, bytes: PNG.into() };
    s3.import(&bucket.name, vec![(key, object)]).await.unwrap();
    (s3, bucket)
}
