use std::collections::BTreeMap;

use serde_json::{Value, json};
use shared::Bucket;
use shared::dynamodb::Item;
use shared::pictures::keys::import_key;
use shared::values::ImportId;
use testing::archive::zip;
use testing::{FAVORITE, FEED, Fault, Fixture, Object};

use super::*;

/// Times of photos in the archive.
const TIMES: [&str; 2] = ["2020-02-01T10:00:00.000Z", "2020-02-02T10:00:00.000Z"];

struct Setup {
    fixture: Fixture,
    import: Import,
}

impl Setup {
    async fn new() -> Self {
        let import = Import::new("cara".parse().unwrap());
        let fixture = Fixture::with_s3("read-import").await;
        let setup = Self { fixture, import };
        setup.put_import(&setup.import).await;
        setup
    }

    async fn put_import(&self, import: &Import) {
        self.fixture.put_in(FEED, entity::to_item(Key::import(&cara()), import).unwrap()).await;
    }

    async fn upload(&self, zip: Vec<u8>) {
        let object = Object { content_type: None, cache_control: None, bytes: zip.into() };
        self.fixture.put_object(&self.key(), object).await;
    }

    fn key(&self) -> String {
        import_key(&cara(), &self.import.id)
    }

    async fn read(&self) -> Result<(), Error> {
        let table = self.fixture.table.clone();
        let (favorites, feed) = (table.other("dev.Favorite"), table.other("dev.Feed"));
        let bucket = Bucket { client: self.fixture.s3(), name: self.fixture.bucket().to_owned() };
        let upload = Upload { key: self.key(), sequencer: "1".to_owned() };
        read_import(Stores { table, favorites, feed, bucket }, upload).await
    }

    async fn stored(&self) -> Value {
        self.fixture.all_items_of(FEED).await.remove("Import#cara Import").unwrap_or_default()
    }

    /// Returns everything that an import writes.
    async fn everything(&self) -> (BTreeMap<String, Value>, BTreeMap<String, Value>, Vec<String>) {
        let mut photos = self.fixture.all_items().await;
        for photo in photos.values_mut().filter_map(Value::as_object_mut) {
            photo.remove("ttl");
            photo.remove("responsesSince");
        }
        let objects = self.fixture.objects().await.into_keys().collect();
        (photos, self.fixture.all_items_of(FAVORITE).await, objects)
    }
}

fn cara() -> Username {
    "cara".parse().unwrap()
}

fn page(entries: &Value) -> Vec<u8> {
    json!({ "entries": entries }).to_string().into_bytes()
}

fn about() -> Vec<u8> {
    json!({"format": "quick-photos-export", "version": 1}).to_string().into_bytes()
}

/// Returns the files of an export with two photos, a tag, and a favorite with it.
fn export() -> Vec<(&'static str, Vec<u8>)> {
    let photo = |index: usize| {
        json!({"username": "ada", "timestamp": TIMES[index], "status": "ready", "caption": "A pier", "altText": "A pier",
            "audience": if index == 0 { "followers" } else { "everyone" }, "reactions": {"heart": 7}, "comments": 3,
            "picture": format!("pictures/{index}.jpg")})
    };
    vec![
        ("export.json", about()),
        ("profile.json", json!({"user": {"status": "Back again", "interests": ["street"]}}).to_string().into_bytes()),
        ("tags/1.json", page(&json!([{"tagId": "blue", "tagName": "Blue", "createTime": 1, "lastAccessTime": 2}]))),
        (
            "favorites/1.json",
            page(
                &json!([{"dataId": "sea", "dataType": "image", "title": "Sea", "clipTime": 1_717_206_000_000_u64, "tags": ["blue", "gone"]}]),
            ),
        ),
        ("photos/1.json", page(&json!([photo(0)]))),
        ("photos/2.json", page(&json!([photo(1)]))),
        ("pictures/0.jpg", testing::PNG.to_vec()),
        ("pictures/1.jpg", testing::PNG.to_vec()),
        ("comments/1.json", page(&json!([{"text": "Wow"}]))),
    ]
}

#[tokio::test]
async fn makes_photos_tags_and_favorites_and_nothing_that_concerns_others() {
    let setup = Setup::new().await;
    let before = setup.fixture.all_items().await;
    setup.upload(zip(&export())).await;
    setup.read().await.unwrap();
    let stored = setup.stored().await;
    assert_eq!(stored["state"], "done", "{stored}");
    assert_eq!((&stored["photos"], &stored["favorites"], &stored["tags"]), (&json!(2), &json!(1), &json!(1)));
    assert_eq!(stored["leftOut"], 0, "{stored}");
    let (items, favorites, objects) = setup.everything().await;
    let added: Vec<&String> = items.keys().filter(|key| !before.contains_key(*key)).collect();
    let key = |time: &str| format!("USER#cara PHOTO#cara#{time}");
    assert_eq!(added, [&key(TIMES[0]), &key(TIMES[1])]);
    let photo = &items[&key(TIMES[0])];
    assert_eq!((&photo["picture"]["status"], &photo["comments"]), (&json!("pending"), &json!(0)));
    assert_eq!((&photo["audience"], &photo["caption"]), (&json!("followers"), &json!("A pier")));
    assert_eq!(photo["reactions"]["heart"], 0);
    let cara = &items["USER#cara #METADATA#cara"];
    assert_eq!((&cara["photos"], &cara["status"]), (&json!(2), &json!("Here to look")), "she has a status");
    assert_eq!(objects, TIMES.map(|time| format!("incoming/cara/{time}")));
    assert_eq!(favorites["FavoriteData#cara sea"]["tagCount"], 1);
    assert!(favorites.contains_key("FavoriteDataTag#cara#sea blue") && favorites.contains_key("TagName#cara blue"));
    assert_eq!(
        (&favorites["TagCount#cara TagCount"]["tags"], &favorites["FavoriteCount#cara FavoriteCount"]["favorites"]),
        (&json!(1), &json!(1))
    );
}

#[tokio::test]
async fn sets_what_the_profile_does_not_have() {
    let setup = Setup::new().await;
    let mut user = testing::user("cara");
    user.remove("status");
    setup.fixture.put(user).await;
    setup.upload(zip(&export())).await;
    setup.read().await.unwrap();
    let cara = &setup.fixture.all_items().await["USER#cara #METADATA#cara"];
    assert_eq!(cara["status"], "Back again");
}

#[tokio::test]
async fn pins_the_photo_that_was_pinned_as_soon_as_it_is_ready() {
    let profile = |timestamp: &str| json!({"user": {"pinnedImage": timestamp}}).to_string().into_bytes();
    let time = TIMES[1];
    let ready = testing::photo_with("cara", time, testing::ready(b"file"));
    let removed = testing::with(ready.clone(), "audience", "followers");
    let pinned = Value::from(format!("PHOTO#cara#{time}"));
    for (other_pin, later, expected, left_out) in [
        (None, Some(ready.clone()), pinned.clone(), 0),
        (Some("PHOTO#cara#other"), Some(ready), "PHOTO#cara#other".into(), 0),
        (None, Some(removed), Value::Null, 1),
        (None, None, Value::Null, 1),
    ] {
        let setup = Setup::new().await;
        let mut cara = testing::with_count(testing::user("cara"), "photos", 2);
        if let Some(other) = other_pin {
            cara = testing::with(cara, "pinnedImage", other);
        }
        setup.fixture.put(testing::with(cara, "_version", "of a patch")).await;
        let mut files = export();
        files[1].1 = profile(time);
        setup.upload(zip(&files)).await;
        setup.read().await.unwrap();
        let requests = setup.fixture.operations().len();
        assert!(later.is_none() || requests > 20, "it waits");
        // Once more, and the photo changes while the function waits for it.
        let setup = Setup { import: Import { section: "end".to_owned(), ..setup.import.clone() }, ..setup };
        setup.put_import(&setup.import).await;
        setup.upload(zip(&files)).await;
        let changed = later.into_iter().collect();
        setup.fixture.write_concurrently(10, changed, vec![]);
        setup.read().await.unwrap();
        let cara = &setup.fixture.all_items().await["USER#cara #METADATA#cara"];
        assert_eq!(cara["pinnedImage"], expected, "{cara}");
        assert_eq!(setup.stored().await["leftOut"], left_out);
    }
}

/// The event comes again after an attempt that has ended at each of its requests.
#[tokio::test]
async fn an_attempt_may_end_at_any_request_and_the_event_may_come_twice() {
    let whole = Setup::new().await;
    whole.upload(zip(&export())).await;
    whole.read().await.unwrap();
    let requests = whole.fixture.operations().len();
    let expected = whole.everything().await;
    assert!(requests > 15, "{requests}");
    for fault in [Fault::Error("AccessDeniedException"), Fault::AnswerLost] {
        for request in 0..requests {
            let setup = Setup::new().await;
            setup.upload(zip(&export())).await;
            setup.fixture.inject(std::iter::repeat_n(Fault::None, request).chain([fault]));
            let first = setup.read().await;
            setup.fixture.clear_faults();
            setup.upload(zip(&export())).await;
            setup.read().await.unwrap_or_else(|error| panic!("{request}: {}", error.causes()));
            assert_eq!(setup.everything().await, expected, "{request} {fault:?} {first:?}");
        }
    }
}

#[tokio::test]
async fn leaves_out_what_breaks_a_rule_with_the_reason() {
    let setup = Setup::new().await;
    let bad_photos = json!([
        {"timestamp": "yesterday", "picture": "pictures/0.jpg"},
        {"timestamp": "2999-01-01T00:00:00.000Z", "picture": "pictures/0.jpg"},
        {"timestamp": "2020-01-01T00:00:00.000Z", "picture": "pictures/none.jpg"},
        {"timestamp": "2020-01-01T00:00:00.000Z", "picture": "pictures/0.jpg", "caption": "x".repeat(5000)},
        {"timestamp": 5},
        5,
    ]);
    let bad_favorites = json!([
        {"dataId": "a#b", "dataType": "image", "title": "x", "clipTime": 1, "tags": []},
        {"dataId": "ok", "dataType": "image", "title": "", "clipTime": 1, "tags": []},
        {"dataId": "photo:ada~2024-05-30T15:42:38", "dataType": "image", "title": "x", "clipTime": 1, "tags": []},
    ]);
    let bad_tags = json!([{"tagId": "blue", "tagName": "", "createTime": 1, "lastAccessTime": 2}]);
    let mut files = export();
    for (name, content) in &mut files {
        match *name {
            "photos/1.json" => *content = page(&bad_photos),
            "favorites/1.json" => *content = page(&bad_favorites),
            "tags/1.json" => *content = page(&bad_tags),
            _ => {}
        }
    }
    setup.upload(zip(&files)).await;
    setup.read().await.unwrap();
    let stored = setup.stored().await;
    assert_eq!((&stored["state"], &stored["photos"]), (&json!("done"), &json!(1)), "{stored:#}");
    assert!(stored["leftOut"].as_u64().unwrap() >= 9, "{stored:#}");
}

#[tokio::test]
async fn leaves_out_a_photo_that_a_moderator_has_removed_or_that_was_deleted() {
    let id = format!("cara~{}", TIMES[0]);
    let report = |state: &str| testing::with(testing::report(&id, TIMES[1], &[("spam", 1)]), "reportState", state);
    let deletion = testing::photo_deletion("cara", TIMES[0], 0);
    let trace = entity::to_item(
        shared::photos::Key::photo(&cara(), &TIMES[0].parse().unwrap()),
        &shared::photos::PhotoDeletion::trace(&cara(), &TIMES[0].parse().unwrap()),
    );
    let all = [(report("removed"), 1), (deletion, 1), (trace.unwrap(), 1), (report("dismissed"), 0)];
    for (existing, left_out) in all {
        let setup = Setup::new().await;
        setup.fixture.put(existing).await;
        setup.upload(zip(&export())).await;
        setup.read().await.unwrap();
        let stored = setup.stored().await;
        assert_eq!((&stored["leftOut"], &stored["photos"]), (&json!(left_out), &json!(2 - left_out)), "{stored:#}");
        let objects = setup.fixture.objects().await.into_keys();
        assert_eq!(objects.count(), 2 - left_out);
        if left_out == 1 {
            let reasons = stored["reasons"].to_string();
            assert!(["has removed it", "deleted within the last days"].iter().any(|reason| reasons.contains(reason)));
        }
    }
}

/// The file is replaced while it is being read.
#[tokio::test]
async fn begins_again_with_a_file_that_replaces_the_one_before() {
    let setup = Setup::new().await;
    setup.upload(zip(&export())).await;
    setup.fixture.inject(std::iter::repeat_n(Fault::None, 12).chain([Fault::Error("AccessDeniedException")]));
    setup.read().await.unwrap_err();
    setup.fixture.clear_faults();
    assert_eq!(setup.stored().await["tags"], 1, "it has read the tags");
    let mut other = export();
    other[2].1 = page(&json!([{"tagId": "red", "tagName": "Red", "createTime": 1, "lastAccessTime": 2}]));
    setup.upload(zip(&other)).await;
    setup.read().await.unwrap();
    let stored = setup.stored().await;
    assert_eq!((&stored["state"], &stored["tags"], &stored["photos"]), (&json!("done"), &json!(1), &json!(2)));
    let favorites = setup.fixture.all_items_of(FAVORITE).await;
    assert!(favorites.contains_key("TagName#cara red") && favorites.contains_key("TagName#cara blue"));
}

/// Two attempts meet: the other one has begun with another file, or has ended the import.
#[tokio::test]
async fn an_attempt_ends_when_another_one_has_gone_on() {
    let mut begun = Import::new("cara".parse().unwrap()).of_file("\"another\"");
    for (state, objects) in [(ImportState::Running, 1), (ImportState::Done, 0), (ImportState::Failed, 0)] {
        let setup = Setup::new().await;
        begun.id = setup.import.id.clone();
        begun.state = state;
        setup.upload(zip(&export())).await;
        let item = entity::to_item(Key::import(&cara()), &begun).unwrap();
        setup.fixture.put_concurrently(3, FEED, item);
        setup.read().await.unwrap();
        let stored = setup.stored().await;
        assert_eq!((&stored["state"], &stored["etag"]), (&json!(state), &json!("\"another\"")), "{stored}");
        assert_eq!(setup.fixture.objects().await.len(), objects, "{state}: the file of the other attempt stays");
    }
}

#[tokio::test]
async fn fails_for_a_file_that_is_no_export() {
    let whole = zip(&export());
    let mut files: Vec<(&str, Vec<u8>)> = vec![("empty", vec![]), ("text", b"Hello".repeat(100))];
    files.push(("cut", whole[..whole.len() - 1].to_vec()));
    files.push(("longer", [&whole[..], b"x"].concat()));
    files.push(("other", zip(&[("export.json", br#"{"format": "other", "version": 1}"#.to_vec())])));
    files.push(("no about", zip(&[("photos/1.json", page(&json!([])))])));
    let mut damaged = whole.clone();
    damaged[40] ^= 1;
    files.push(("damaged", damaged));
    for (what, file) in files {
        let setup = Setup::new().await;
        if file.is_empty() {
            continue;
        }
        setup.upload(file).await;
        setup.read().await.unwrap();
        let stored = setup.stored().await;
        assert_eq!(stored["state"], "failed", "{what}: {stored}");
        assert!(stored["reason"].as_str().unwrap().len() > 20);
        assert!(setup.fixture.objects().await.is_empty(), "{what}");
    }
}

/// No byte of the directory and of the records at the end can make the function fail or panic.
#[tokio::test]
async fn survives_any_change_of_a_byte_of_the_directory() {
    let whole = zip(&[("export.json", about()), ("photos/1.json", page(&json!([])))]);
    let begin = whole.len() - 22 - 2 * 46 - "export.jsonphotos/1.json".len();
    let setup = Setup::new().await;
    for at in begin..whole.len() {
        for change in [0xff, 0x01] {
            let mut file = whole.clone();
            file[at] ^= change;
            setup.put_import(&setup.import).await;
            setup.upload(file).await;
            setup.read().await.unwrap_or_else(|error| panic!("{at}: {}", error.causes()));
            assert!(["failed", "done"].contains(&setup.stored().await["state"].as_str().unwrap()), "{at}");
        }
    }
}

#[tokio::test]
async fn makes_nothing_for_an_import_that_is_over_or_a_user_who_is_deleted() {
    let setup = Setup::new().await;
    for over in [
        Import { ttl: 1, ..setup.import.clone() },
        Import { id: ImportId::new(), ..setup.import.clone() },
        Import { state: ImportState::Done, ..setup.import.clone() },
    ] {
        setup.put_import(&over).await;
        setup.upload(zip(&export())).await;
        let before = setup.fixture.all_items().await;
        setup.read().await.unwrap();
        assert_eq!(setup.fixture.all_items().await, before);
        assert!(setup.fixture.objects().await.is_empty());
    }
    setup.put_import(&setup.import).await;
    setup.fixture.put(testing::deletion("cara")).await;
    setup.upload(zip(&export())).await;
    let before: BTreeMap<String, Value> = setup.fixture.all_items().await;
    setup.read().await.unwrap();
    assert_eq!(setup.fixture.all_items().await, before);
    assert!(setup.fixture.objects().await.is_empty());
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::with_s3("read-import").await;
    let stores = || {
        let table = fixture.table.clone();
        let (favorites, feed) = (table.other("dev.Favorite"), table.other("dev.Feed"));
        Stores { table, favorites, feed, bucket: Bucket { client: fixture.s3(), name: fixture.bucket().to_owned() } }
    };
    // The file of the event has not come, or another attempt has deleted it.
    fixture.upload(|_, upload| read_import(stores(), upload), fixture.sample_event()).await.unwrap();
    let item: Item = Key::import(&"ben".parse().unwrap()).into();
    let feed = fixture.unrecorded_table(FEED);
    let ben = feed.client.get_item().table_name(feed.name).set_key(Some(item)).send().await.unwrap().item.unwrap();
    assert_eq!(ben["state"].as_s().unwrap(), "waiting");
}
