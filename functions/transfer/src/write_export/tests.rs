mod archive;
mod interruptions;
mod large;
mod zip64;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use shared::entities::Kind;
use shared::entities::object::{Size, export_key, picture_key};
use shared::values::ExportId;
use testing::archive::unzip;
use testing::{FEED, Fixture, Messages, Object, photo_with, ready};

use super::*;

/// Photos of ada with a picture.
const TIMES: [&str; 3] = ["2025-02-01T10:00:00.000Z", "2025-02-02T10:00:00.000Z", "2025-02-03T10:00:00.000Z"];

/// The tables, the bucket and the queue.
struct Setup {
    fixture: Fixture,
    messages: Messages,
    export: Export,
}

impl Setup {
    /// Returns the seed data with three photos of ada, whose pictures have so many bytes, and an
    /// export that she has asked for.
    async fn new(bytes: usize) -> Self {
        let setup = Self {
            fixture: Fixture::with_s3("write-export").await,
            messages: Messages::start(),
            export: Export::new("ada".parse().unwrap()),
        };
        setup.messages.connect(&setup.fixture);
        for (index, time) in TIMES.iter().enumerate() {
            setup.put_photo(time, &picture(index, bytes)).await;
        }
        setup.put_export(&setup.export).await;
        setup
    }

    async fn put_photo(&self, time: &str, file: &[u8]) {
        let mut picture = ready(file);
        let shared::entities::Picture::Ready(sizes) = &mut picture else { panic!() };
        sizes.bytes = file.len() as u64;
        let key = picture_key(&ada(), &time.parse().unwrap(), None, &sizes.id, Size::Large);
        self.fixture.put(photo_with("ada", time, picture)).await;
        let object =
            Object { content_type: Some("image/jpeg".to_owned()), cache_control: None, bytes: file.to_vec().into() };
        self.fixture.put_object(&key, object).await;
    }

    async fn put_export(&self, export: &Export) {
        self.fixture.put_in(FEED, entity::to_item(Key::export(&ada()), export).unwrap()).await;
    }

    fn function(&self) -> WriteExport {
        self.fixture.handler(WriteExport::start)
    }

    /// Delivers a message with this id, in an invocation that ends after `time`.
    async fn deliver(&self, id: &str, claimed: u32, time: Duration) -> Result<(), Error> {
        let body = ExportMessage { username: ada(), id: self.export.id.clone(), claimed };
        self.function().handle(Message { id: id.to_owned(), body, deadline: Instant::now() + time }).await
    }

    async fn stored(&self) -> Value {
        self.fixture.all_items_of(FEED).await.remove("Export#ada Export").unwrap_or_default()
    }

    async fn zip(&self) -> Vec<u8> {
        let mut objects = self.fixture.objects().await;
        let zip = objects.remove(&export_key(&ada(), &self.export.id)).expect("the file of the export");
        assert_eq!(zip.content_type.as_deref(), Some("application/zip"));
        zip.bytes.to_vec()
    }

    /// Returns the keys of the objects that are not pictures.
    async fn objects(&self) -> Vec<String> {
        let keys = self.fixture.objects().await.into_keys();
        keys.filter(|key| !key.starts_with("photos/")).collect()
    }
}

/// The time of a whole invocation.
const LONG: Duration = Duration::from_mins(15);

fn ada() -> Username {
    "ada".parse().unwrap()
}

/// Returns a file that differs from those with another index.
fn picture(index: usize, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|position| u8::try_from((position / 7 + index) % 251).unwrap()).collect()
}

fn json(files: &BTreeMap<String, Vec<u8>>, name: &str) -> Value {
    serde_json::from_slice(&files[name]).unwrap()
}

/// Returns the sections of the archive that have what the items of a kind say about their user. There
/// are none for items that only repeat what others say, and for items of no user.
fn sections_of(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::User | Kind::Welcome | Kind::Seen => &["profile"],
        Kind::Photo | Kind::Pictures => &["photos"],
        Kind::Link => &["links"],
        Kind::Reaction => &["reactions"],
        Kind::Comment => &["comments"],
        Kind::Like => &["likes"],
        Kind::Friendship => &["followers", "following"],
        Kind::FollowRequest => &["requests-received", "requests-sent"],
        Kind::Block => &["blocks"],
        Kind::FollowedHashtags => &["followed-hashtags"],
        Kind::Complaint => &["reports"],
        Kind::Favorite | Kind::FavoriteTag => &["favorites"],
        Kind::History => &["deleted-favorites"],
        Kind::Tag => &["tags"],
        // The notifications have what an alert says.
        Kind::Alert | Kind::Notification => &["notifications"],
        Kind::Devices => &["devices"],
        // A screen expires two hours after its last use.
        // A report has the complaints of others. Its user does not learn who has made them. A decision is
        // the record of the operator.
        Kind::Report
        | Kind::Decision
        | Kind::LinkTarget
        | Kind::Screens
        | Kind::Watcher
        | Kind::Told
        | Kind::Visitor
        | Kind::PictureDeletion
        | Kind::HiddenHashtag
        | Kind::HashtagDecision
        | Kind::Rest
        | Kind::TagName
        | Kind::TagCount
        | Kind::FavoriteCount
        | Kind::Term
        | Kind::IdempotencyRecord
        | Kind::Pull
        | Kind::PullCount
        | Kind::PulledHashtags
        | Kind::FeedEntry
        | Kind::Latest
        | Kind::Exception
        | Kind::Import
        | Kind::Export
        | Kind::Listing
        | Kind::HashtagEntry
        | Kind::HashtagSummary
        | Kind::HashtagListing
        | Kind::PopularPhoto
        | Kind::Ranking
        | Kind::Engagement
        | Kind::Vector
        | Kind::Song
        | Kind::Person => &[],
    }
}

#[test]
fn each_section_has_the_items_of_a_kind() {
    let of_kinds: BTreeSet<&str> = Kind::ALL.into_iter().flat_map(sections_of).copied().collect();
    let sections: BTreeSet<&str> = source::SECTIONS.iter().map(|section| section.name).chain(["profile"]).collect();
    assert_eq!(of_kinds, sections);
}

#[tokio::test]
async fn answers_the_sample_event() {
    let setup = Setup::new(10).await;
    assert!(setup.fixture.receive(WriteExport::start, setup.fixture.sample_event()).await.is_empty());
    let ben = setup.fixture.all_items_of(FEED).await.remove("Export#ben Export").unwrap();
    assert_eq!((&ben["state"], &ben["of"]), (&json!("ready"), &json!(2)));
    let id: ExportId = serde_json::from_value(ben["id"].clone()).unwrap();
    let zip = setup.fixture.objects().await.remove(&export_key(&"ben".parse().unwrap(), &id)).unwrap();
    assert_eq!(ben["bytes"], zip.bytes.len());
    assert_eq!(json(&unzip(&zip.bytes), "profile.json")["user"]["email"], "ben@example.com");
    // The same message again has nothing to do.
    let _ = setup.fixture.operations();
    assert!(setup.fixture.receive(WriteExport::start, setup.fixture.sample_event()).await.is_empty());
    assert_eq!(setup.fixture.operations(), ["GetItem"]);
}
