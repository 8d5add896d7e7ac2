use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use shared::dynamodb::Item;
use shared::entities::object::{exported_name, import_key};
use shared::entities::{ImportWork, Picture};
use shared::values::{DataType, ImportId};
use testing::archive::zip;
use testing::{FAVORITE, FEED, Fault, Fixture, Messages, Object};

use super::*;

/// Times of photos in the archive.
const TIMES: [&str; 2] = ["2020-02-01T10:00:00.000Z", "2020-02-02T10:00:00.000Z"];
/// The names of their pictures.
const PICTURES: [&str; 2] = ["pictures/2020-02-01T10-00-00.000Z.jpg", "pictures/2020-02-02T10-00-00.000Z.jpg"];

struct Setup {
    fixture: Fixture,
    messages: Messages,
    import: Import,
}

impl Setup {
    async fn new() -> Self {
        let import = Import::new("cara".parse().unwrap());
        let fixture = Fixture::with_s3("read-import").await;
        let setup = Self { fixture, messages: Messages::start(), import };
        setup.messages.connect(&setup.fixture);
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
        let upload = Upload { key: self.key(), sequencer: "1".to_owned(), receives: None };
        self.fixture.handler(ReadImport::start).handle(upload).await
    }

    /// Returns the keys of the messages that were sent.
    async fn sent(&self) -> Vec<String> {
        let sent = self.messages.take().await.into_iter();
        sent.map(|(queue, body)| {
            assert_eq!(queue, "ImportedPicturesQueue");
            body["key"].as_str().unwrap().to_owned()
        })
        .collect()
    }

    /// Reads the file of these pages of photos, and returns the import.
    async fn read_photos(&self, pages: &[Value]) -> Value {
        let names: Vec<String> = (1..=pages.len()).map(|number| format!("photos/{number}.json")).collect();
        let mut files = export();
        files.retain(|(name, _)| !name.starts_with("photos/"));
        files.extend(names.iter().zip(pages).map(|(name, entries)| (name.as_str(), page(entries))));
        self.upload(zip(&files)).await;
        self.read().await.unwrap();
        self.stored().await
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
        json!({"username": "ada", "id": TIMES[index], "timestamp": TIMES[index], "status": "ready", "caption": "A pier", "altText": "A pier",
            "audience": if index == 0 { "followers" } else { "everyone" }, "reactions": {"heart": 7}, "comments": 3,
            "picture": PICTURES[index]})
    };
    vec![
        ("export.json", about()),
        ("profile.json", json!({"user": {"status": "Back again", "interests": ["street"]}}).to_string().into_bytes()),
        (
            "tags/1.json",
            page(
                &json!([{"tagId": "blue", "tagName": "Blue", "createTime": "1970-01-01T00:00:00.001Z", "lastAccessTime": "1970-01-01T00:00:00.002Z"}]),
            ),
        ),
        (
            "favorites/1.json",
            page(
                &json!([{"dataId": "sea", "dataType": "image", "title": "Sea", "clipTime": "2024-06-01T01:40:00.000Z", "tags": ["blue", "gone"]}]),
            ),
        ),
        ("photos/1.json", page(&json!([photo(0)]))),
        ("photos/2.json", page(&json!([photo(1)]))),
        (PICTURES[0], testing::PNG.to_vec()),
        (PICTURES[1], testing::PNG.to_vec()),
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
    assert_eq!((&photo["reactions"]["heart"], &photo["imported"]), (&json!(0), &json!(true)));
    let cara = &items["USER#cara #METADATA#cara"];
    assert_eq!((&cara["photos"], &cara["uploads"]), (&json!(0), &json!(2)), "they are pending");
    assert_eq!(cara["status"], "Here to look", "she has a status");
    let keys = TIMES.map(|time| format!("imported/cara/{time}"));
    assert_eq!((objects, setup.sent().await), (keys.to_vec(), keys.to_vec()));
    let sea = &favorites["FavoriteData#cara sea"];
    assert_eq!((&sea["tagCount"], &sea["clipTime"]), (&json!(1), &json!("1717206000000")));
    assert_eq!(sea["tagIds"], json!(["blue"]));
    let blue = &favorites["Tag#cara blue"];
    assert_eq!((&blue["createTime"], &blue["lastAccessTime"]), (&json!(1), &json!(2)));
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
    let profile = |id: &str| json!({"user": {"pinnedImage": {"username": "ada", "id": id}}}).to_string().into_bytes();
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
        assert_eq!(setup.sent().await, [format!("imported/cara/{}", TIMES[0])], "the pinned one is an upload");
        assert!(setup.fixture.objects().await.contains_key(&format!("incoming/cara/{time}")));
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

#[tokio::test]
async fn pins_no_photo_that_a_moderator_removes_meanwhile() {
    let time = TIMES[1];
    let ready = testing::photo_with("cara", time, testing::ready(b"file"));
    let Picture::Ready(sizes) = testing::ready(b"file") else { unreachable!() };
    let removed = Picture::Removed { reason: shared::values::ReportReason::Spam, sizes: Some(sizes) };
    let removed = testing::photo_with("cara", time, removed);
    let profile = json!({"user": {"pinnedImage": {"username": "ada", "id": time}}}).to_string().into_bytes();
    let files = [("export.json", about()), ("profile.json", profile)];
    let mut before_pin = None;
    for expected in [Value::from(format!("PHOTO#cara#{time}")), Value::Null] {
        let setup = Setup::new().await;
        let cara = testing::with_count(testing::user("cara"), "photos", 1);
        setup.fixture.put_all(vec![testing::with(cara, "_version", "of a patch"), ready.clone()]);
        setup.upload(zip(&files)).await;
        if let Some(requests) = before_pin {
            setup.fixture.write_concurrently(requests, vec![removed.clone()], vec![]);
        }
        setup.read().await.unwrap();
        let cara = &setup.fixture.all_items().await["USER#cara #METADATA#cara"];
        assert_eq!(cara.get("pinnedImage").unwrap_or(&Value::Null), &expected);
        let operations = setup.fixture.operations();
        before_pin = operations.iter().rposition(|operation| operation == "TransactWriteItems");
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
            let keys: BTreeSet<String> = setup.sent().await.into_iter().collect();
            assert_eq!(keys.len(), 2, "{request} {fault:?}");
        }
    }
}

/// The SDK repeats each request, and a condition fails on what the first one has written.
#[tokio::test]
async fn a_lost_answer_ends_no_import() {
    let whole = Setup::new().await;
    whole.upload(zip(&export())).await;
    whole.read().await.unwrap();
    let (operations, expected) = (whole.fixture.operations(), whole.everything().await);
    for (request, operation) in operations.iter().enumerate() {
        for fault in [Fault::AnswerLost, Fault::Unparsable] {
            if matches!(fault, Fault::Unparsable) && operation != "PutItem" {
                continue;
            }
            let setup = Setup::new().await;
            setup.upload(zip(&export())).await;
            setup.fixture.inject(std::iter::repeat_n(Fault::None, request).chain([fault]));
            setup.read().await.unwrap();
            let stored = setup.stored().await;
            assert_eq!(stored["state"], "done", "{request} {operation} {fault:?}: {stored}");
            assert_eq!(setup.everything().await, expected, "{request} {operation} {fault:?}");
        }
    }
}

#[tokio::test]
async fn each_picture_of_the_archive_is_that_of_one_photo_at_most() {
    let setup = Setup::new().await;
    let entry = |time: &str| json!({"id": time, "picture": PICTURES[0]});
    let others: Vec<Value> = (0..300).map(|day| entry(&format!("2019-01-01T00:00:00.{day:03}Z"))).collect();
    let pages = [json!([entry(TIMES[0]), entry(TIMES[0])]), json!(others), json!([entry(TIMES[0])])];
    let stored = setup.read_photos(&pages).await;
    assert_eq!((&stored["photos"], &stored["leftOut"]), (&json!(1), &json!(302)), "{stored}");
    let reasons = stored["reasons"].as_array().unwrap();
    assert!(reasons[0]["reason"].as_str().unwrap().contains("another entry"), "{reasons:?}");
    assert!(reasons[1]["reason"].as_str().unwrap().contains("another name than pictures/2019-01-01"), "{reasons:?}");
    let photos = setup.fixture.all_items().await;
    assert_eq!(photos.keys().filter(|key| key.starts_with("USER#cara PHOTO#cara#")).count(), 1);
    assert_eq!(setup.sent().await, [format!("imported/cara/{}", TIMES[0])]);
}

/// Returns the entry of a photo with these pictures: the number, and whether there is a file.
fn of_several(time: &str, pictures: &[(u32, bool)]) -> Value {
    let picture = |(number, has_file): &(u32, bool)| {
        let name = has_file.then(|| exported_name(&time.parse().unwrap(), number.to_string().parse().ok()));
        json!({"number": number, "status": "ready", "altText": format!("Picture {number}"), "picture": name})
    };
    let pictures: Vec<Value> = pictures.iter().map(picture).collect();
    json!({"id": time, "status": "ready", "caption": "Several", "pictureCount": 2, "pictures": pictures})
}

/// Returns an export of this photo with these files.
fn export_of(photo: &Value, files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut all = export();
    all.retain(|(name, _)| !name.starts_with("photos/") && !name.starts_with("pictures/"));
    all.push(("photos/1.json", page(&json!([photo]))));
    all.extend(files.iter().map(|(name, file)| (name.as_str(), file.clone())));
    zip(&all)
}

fn files_of(time: &str, numbers: &[u32]) -> Vec<(String, Vec<u8>)> {
    let name = |number: &u32| exported_name(&time.parse().unwrap(), number.to_string().parse().ok());
    numbers.iter().map(|number| (name(number), testing::PNG.to_vec())).collect()
}

#[tokio::test]
async fn makes_a_photo_of_several_pictures_without_those_that_have_no_file() {
    let time = TIMES[0];
    let pictures = [(2, true), (3, false), (5, true)];
    let setup = Setup::new().await;
    for repetition in 0..2 {
        setup.put_import(&setup.import).await;
        setup.upload(export_of(&of_several(time, &pictures), &files_of(time, &[2, 5]))).await;
        setup.read().await.unwrap();
        let stored = setup.stored().await;
        assert_eq!((&stored["photos"], &stored["leftOut"]), (&json!(1), &json!(0)), "{repetition}: {stored}");
        let items = setup.fixture.all_items().await;
        let photo = &items[&format!("USER#cara PHOTO#cara#{time}")];
        assert_eq!((&photo["pictures"], &photo["altText"]), (&json!(2), &json!("Picture 2")), "{photo}");
        assert_eq!((&photo["picture"]["status"], &photo["caption"]), (&json!("pending"), &json!("Several")));
        let pictures = &items[&format!("USER#cara PICTURES#cara#{time}")];
        let entries: Vec<_> = pictures["entries"].as_array().unwrap().iter().collect();
        let of =
            |entry: &Value| (entry["number"].clone(), entry["altText"].clone(), entry["picture"]["status"].clone());
        let pending = |number: u32, text: &str| (json!(number), json!(text), json!("pending"));
        assert_eq!(entries.into_iter().map(of).collect::<Vec<_>>(), [pending(1, "Picture 2"), pending(2, "Picture 5")]);
        let keys = [1, 2].map(|number| format!("imported/cara/{time}/{number}"));
        assert_eq!(setup.sent().await, keys);
        let objects: Vec<String> = setup.fixture.objects().await.into_keys().collect();
        assert_eq!(objects, keys, "each under its own number");
    }
}

#[tokio::test]
async fn leaves_out_a_photo_of_which_a_moderator_has_removed_pictures() {
    for state in ["partly-removed", "open"] {
        let setup = Setup::new().await;
        let mut report = testing::report(&format!("cara~{}", TIMES[0]), TIMES[1], &[("spam", 1)]);
        report.insert("pictures".to_owned(), serde_dynamo::to_attribute_value([1]).unwrap());
        setup.fixture.put(testing::with(report, "reportState", state)).await;
        let photo = of_several(TIMES[0], &[(1, true), (2, true)]);
        setup.upload(export_of(&photo, &files_of(TIMES[0], &[1, 2]))).await;
        setup.read().await.unwrap();
        let stored = setup.stored().await;
        assert_eq!((&stored["photos"], &stored["leftOut"]), (&json!(0), &json!(1)), "{stored}");
        assert_eq!(stored["reasons"][0]["reason"], "a moderator has removed pictures of it", "{state}");
    }
}

#[tokio::test]
async fn leaves_out_a_photo_of_several_whose_pictures_break_a_rule() {
    let time = TIMES[0];
    let eleven: Vec<(u32, bool)> = (1..=11).map(|number| (number, true)).collect();
    let large = |name: String| (name, vec![0; 11 * 1024 * 1024]);
    let [first, second] = &files_of(time, &[1, 2])[..] else { panic!() };
    let with_name = |name: &str| {
        let mut entry = of_several(time, &[(1, true), (2, true)]);
        entry["pictures"][1]["picture"] = json!(name);
        entry
    };
    for (entry, files, reason) in [
        (of_several(time, &[]), vec![], "it has no picture"),
        (of_several(time, &[(1, false), (2, false)]), vec![], "it has no picture"),
        (of_several(time, &eleven), files_of(time, &[1, 2]), "more than 10 pictures"),
        (of_several(time, &[(1, true), (2, true)]), files_of(time, &[1]), "there is no picture"),
        (of_several(time, &[(1, true), (1, true)]), files_of(time, &[1]), "there is no picture"),
        (with_name(PICTURES[0]), files_of(time, &[1]), "another name than pictures/2020-02-01"),
        (
            of_several(time, &[(1, true), (2, true)]),
            vec![large(first.0.clone()), large(second.0.clone())],
            "bytes together",
        ),
        (of_several(time, &[(0, true)]), vec![], "from 1 to 4294967295"),
    ] {
        let setup = Setup::new().await;
        setup.upload(export_of(&entry, &files)).await;
        setup.read().await.unwrap();
        let stored = setup.stored().await;
        assert_eq!((&stored["photos"], &stored["leftOut"]), (&json!(0), &json!(1)), "{reason}: {stored}");
        assert!(stored["reasons"][0]["reason"].as_str().unwrap().contains(reason), "{reason}: {stored}");
        assert_eq!(stored["work"]["pictures"].as_u64().unwrap_or_default(), 0, "{reason}: {stored}");
        assert!(setup.fixture.objects().await.is_empty() && setup.sent().await.is_empty(), "{reason}");
    }
}

/// The first file of the archive contains the second one.
#[tokio::test]
async fn no_byte_of_the_archive_is_in_two_files() {
    let mut files = export();
    files.swap(0, 6);
    files.swap(1, 7);
    let mut whole = zip(&files);
    let record = |name: &str, content: &[u8]| 30 + name.len() + content.len();
    let second = record(files[1].0, &files[1].1);
    let begin = 30 + files[0].0.len();
    let content = whole[begin..begin + files[0].1.len() + second].to_vec();
    let directory = whole.windows(4).position(|bytes| bytes == [0x50, 0x4b, 1, 2]).unwrap();
    let size = u32::try_from(content.len()).unwrap().to_le_bytes();
    whole[directory + 16..directory + 20].copy_from_slice(&crc32fast::hash(&content).to_le_bytes());
    whole[directory + 20..directory + 24].copy_from_slice(&size);
    whole[directory + 24..directory + 28].copy_from_slice(&size);
    let setup = Setup::new().await;
    setup.upload(whole).await;
    setup.read().await.unwrap();
    let stored = setup.stored().await;
    assert_eq!((&stored["state"], &stored["photos"]), (&json!("failed"), &json!(0)), "{stored}");
}

#[tokio::test]
async fn leaves_out_a_photo_whose_picture_is_damaged() {
    let setup = Setup::new().await;
    let mut whole = zip(&export());
    let at = whole.windows(8).position(|bytes| bytes == &testing::PNG[..8]).unwrap();
    whole[at + 20] ^= 1;
    setup.upload(whole).await;
    setup.read().await.unwrap();
    let stored = setup.stored().await;
    assert_eq!((&stored["state"], &stored["photos"], &stored["leftOut"]), (&json!("done"), &json!(1), &json!(1)));
    assert!(!setup.everything().await.0.contains_key(&format!("USER#cara PHOTO#cara#{}", TIMES[0])), "{stored}");
}

/// The largest size of a tall picture can have more bytes than an upload.
#[tokio::test]
async fn leaves_out_a_photo_whose_picture_is_larger_than_an_upload() {
    let setup = Setup::new().await;
    let mut files = export();
    files[6].1 = vec![0; usize::try_from(shared::values::MAX_UPLOAD_BYTES).unwrap() + 1];
    setup.upload(zip(&files)).await;
    setup.read().await.unwrap();
    let stored = setup.stored().await;
    assert_eq!((&stored["state"], &stored["photos"], &stored["leftOut"]), (&json!("done"), &json!(1), &json!(1)));
    assert_eq!(stored["reasons"][0]["what"], format!("photo {}", TIMES[0]), "{stored}");
    assert_eq!(setup.sent().await, [format!("imported/cara/{}", TIMES[1])]);
}

/// After the last full page of photos, a `Query` has a page without any, and traces are among the photos.
#[tokio::test]
async fn reads_an_export_of_the_maximum_of_photos_and_of_traces() {
    let setup = Setup::new().await;
    let mut pages = vec![json!([]); usize::try_from(MAX_PHOTOS / 100).unwrap() + 1];
    pages.push(json!([{"id": TIMES[0], "picture": PICTURES[0]}]));
    let stored = setup.read_photos(&pages).await;
    assert_eq!((&stored["state"], &stored["photos"]), (&json!("done"), &json!(1)), "{stored}");
}

/// They would be the newest ones for ever.
#[tokio::test]
async fn leaves_out_favorites_and_tags_of_the_future() {
    let later = |time: &str| {
        let [favorite, tag] = ["favorite", "tag"].map(|kind| format!("{kind}-{time}"));
        let favorite = json!({"dataId": favorite, "dataType": "image", "title": "x", "clipTime": time, "tags": []});
        let of = |name: &str, create: &str, access: &str| json!({"tagId": format!("{tag}-{name}"), "tagName": format!("{tag}-{name}"), "createTime": create, "lastAccessTime": access});
        let now = "2024-06-01T01:40:00.000Z";
        (favorite, [of("created", time, now), of("used", now, time)])
    };
    let times = ["2999-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "253402300800000", "18446744073709551615"];
    let (favorites, tags): (Vec<Value>, Vec<[Value; 2]>) = times.into_iter().map(later).unzip();
    let setup = Setup::new().await;
    let mut files = export();
    files[2].1 = page(&json!(tags.concat()));
    files[3].1 = page(&json!(favorites));
    setup.upload(zip(&files)).await;
    setup.read().await.unwrap();
    let stored = setup.stored().await;
    assert_eq!((&stored["favorites"], &stored["tags"], &stored["leftOut"]), (&json!(0), &json!(0), &json!(12)));
    assert_eq!(stored["reasons"][0]["reason"], "it is of the future", "{stored}");
}

/// The favorite of the user has another type than that of the file, and the same time.
#[tokio::test]
async fn puts_no_favorite_under_a_tag_with_the_type_of_the_file() {
    for (data_type, ids) in [(DataType::Image, json!(["blue"])), (DataType::Video, Value::Null)] {
        let setup = Setup::new().await;
        let mut favorites = testing::Collection::new("cara");
        favorites.clip("sea", data_type, "Sea", 1_717_206_000_000, &[]);
        for item in favorites.into_items() {
            setup.fixture.put_in(FAVORITE, item).await;
        }
        setup.upload(zip(&export())).await;
        setup.read().await.unwrap();
        let favorites = setup.fixture.all_items_of(FAVORITE).await;
        assert_eq!(favorites["FavoriteData#cara sea"]["tagIds"], ids);
        let entry = favorites.get("FavoriteDataTag#cara#sea blue");
        assert_eq!(entry.is_some(), ids != Value::Null, "{entry:?}");
    }
}

#[tokio::test]
async fn an_import_that_has_cost_enough_leaves_out_the_rest() {
    let (all_pictures, all_writes) = (writes::MAX_PICTURES, writes::MAX_WRITES);
    for (writes, pictures, photos, favorites) in
        [(0, all_pictures - 1, 1, 1), (0, all_pictures, 0, 1), (all_writes - 1, 0, 0, 0), (all_writes, 0, 0, 0)]
    {
        let mut setup = Setup::new().await;
        setup.import.work = ImportWork { attempts: 1, writes, pictures };
        setup.put_import(&setup.import).await;
        setup.upload(zip(&export())).await;
        setup.read().await.unwrap();
        let stored = setup.stored().await;
        assert_eq!((&stored["photos"], &stored["favorites"]), (&json!(photos), &json!(favorites)), "{stored:#}");
        assert!(stored["reasons"][0]["reason"].as_str().unwrap().contains("import"), "{stored:#}");
        assert_eq!(stored["state"], "done");
        let work = &stored["work"];
        assert_eq!(work["pictures"], pictures + photos, "{stored:#}");
        assert!(work["writes"].as_u64().unwrap() <= all_writes, "{stored:#}");
    }
}

/// Of all entries over a maximum, only those that are sent at the same time have a request.
#[tokio::test]
async fn entries_over_a_maximum_of_the_user_cost_no_request() {
    let setup = Setup::new().await;
    setup.fixture.put(testing::with_count(testing::user("cara"), "uploads", MAX_PHOTOS)).await;
    let times: Vec<String> = (0..100).map(|number| format!("2019-01-01T00:00:00.{number:03}Z")).collect();
    let names: Vec<String> = times.iter().map(|time| exported_name(&time.parse().unwrap(), None)).collect();
    let entries: Vec<Value> =
        times.iter().zip(&names).map(|(time, name)| json!({"id": time, "picture": name})).collect();
    let mut files = export();
    files.retain(|(name, _)| ["export.json", "profile.json"].contains(name));
    files.push(("photos/1.json", page(&json!(entries))));
    files.extend(names.iter().map(|name| (name.as_str(), testing::PNG.to_vec())));
    setup.upload(zip(&files)).await;
    setup.read().await.unwrap();
    let stored = setup.stored().await;
    assert_eq!((&stored["state"], &stored["leftOut"]), (&json!("done"), &json!(100)), "{stored}");
    let operations = setup.fixture.operations();
    let transactions = operations.iter().filter(|operation| *operation == "TransactWriteItems").count();
    assert!((1..=CONCURRENT_WRITES).contains(&transactions), "{transactions}");
    assert!(setup.sent().await.is_empty());
}

#[tokio::test]
async fn pages_that_no_export_has_end_the_import() {
    let entry = |number: usize| json!({"tagId": format!("t{number}"), "tagName": format!("T{number}")});
    let many = page(&(0..=MAX_ENTRIES).map(entry).collect());
    let large = [page(&json!([])), vec![b' '; 8 * 1024 * 1024]].concat();
    let deep = [b"{\"entries\": [".to_vec(), b"[".repeat(100_000)].concat();
    for (name, content) in [
        ("tags/1.json", many),
        ("tags/1.json", large.clone()),
        ("tags/1.json", deep),
        ("tags/1.json", b"{}".to_vec()),
        (&format!("photos/{}.json", MAX_PAGES + 1), page(&json!([]))),
        ("export.json", [about(), large[20..].to_vec()].concat()),
    ] {
        let setup = Setup::new().await;
        let mut files = export();
        files.retain(|(other, _)| *other != name);
        files.push((name, content));
        setup.upload(zip(&files)).await;
        let before = setup.everything().await;
        setup.read().await.unwrap();
        let stored = setup.stored().await;
        assert_eq!((&stored["state"], &stored["work"]["writes"]), (&json!("failed"), &json!(0)), "{name}: {stored}");
        assert_eq!((setup.everything().await.0, setup.everything().await.1), (before.0, before.1), "nothing is made");
    }
}

/// A tree of the values of such a page would take 90 times its size.
#[tokio::test]
async fn a_page_of_junk_is_read_without_a_tree_of_its_values() {
    let peak = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let setup = Setup::new().await;
    let junk = format!("{{\"id\": 5, \"a\": [{}{{}}]}}", "{\"a\":0},".repeat(1900));
    let entries = format!("{{\"entries\": [{}{junk}]}}", format!("{junk},").repeat(MAX_ENTRIES - 1));
    assert!(entries.len() > 7 * 1024 * 1024);
    let mut files = export();
    files.retain(|(name, _)| *name != "photos/1.json");
    files.push(("photos/1.json", entries.into_bytes()));
    setup.upload(zip(&files)).await;
    let before = peak();
    setup.read().await.unwrap();
    let stored = setup.stored().await;
    assert_eq!((&stored["state"], &stored["leftOut"]), (&json!("done"), &json!(MAX_ENTRIES)));
    let kilobytes = peak() - before;
    assert!(kilobytes < 200_000, "{kilobytes} kB");
}

/// It counts for its day, because it has made something.
#[tokio::test]
async fn an_import_that_fails_later_says_that_it_has_made_something() {
    let setup = Setup::new().await;
    let mut files = export();
    files[5].1 = b"{".to_vec();
    setup.upload(zip(&files)).await;
    setup.read().await.unwrap();
    let stored = setup.stored().await;
    assert_eq!((&stored["state"], &stored["photos"]), (&json!("failed"), &json!(1)), "{stored}");
    assert!(stored["work"]["writes"].as_u64().unwrap() >= 4, "{stored}");

    // So does one whose attempt before has ended without saying what it has made.
    let mut setup = Setup::new().await;
    setup.import.state = ImportState::Running;
    setup.put_import(&setup.import).await;
    setup.upload(b"text".repeat(100)).await;
    setup.read().await.unwrap();
    assert_eq!(setup.stored().await["work"]["writes"], 1);
}

#[tokio::test]
async fn an_import_ends_after_some_attempts() {
    let mut setup = Setup::new().await;
    for (attempts, state) in [(MAX_ATTEMPTS - 1, "done"), (MAX_ATTEMPTS, "failed")] {
        setup.import.work.attempts = attempts;
        setup.put_import(&setup.import).await;
        setup.upload(zip(&export())).await;
        setup.read().await.unwrap();
        assert_eq!(setup.stored().await["state"], state, "{attempts}");
    }
}

#[tokio::test]
async fn leaves_out_what_breaks_a_rule_with_the_reason() {
    let setup = Setup::new().await;
    let bad_photos = json!([
        {"id": "yesterday", "picture": PICTURES[0]},
        {"id": "2999-01-01T00:00:00.000Z", "picture": PICTURES[0]},
        {"id": "2020-01-01T00:00:00.000Z", "picture": "pictures/2020-01-01T00-00-00.000Z.jpg"},
        {"id": "2020-01-01T00:00:00.000Z"},
        {"id": TIMES[0], "picture": PICTURES[0], "caption": "x".repeat(5000)},
        {"id": 5},
        5,
    ]);
    let bad_favorites = json!([
        {"dataId": "a#b", "dataType": "image", "title": "x", "clipTime": "1970-01-01T00:00:00.001Z", "tags": []},
        {"dataId": "ok", "dataType": "image", "title": "", "clipTime": "1970-01-01T00:00:00.001Z", "tags": []},
        {"dataId": "photo~ada~2024-05-30T15:42:38", "dataType": "image", "title": "x", "clipTime": "1970-01-01T00:00:00.001Z", "tags": []},
    ]);
    let bad_tags = json!([{"tagId": "blue", "tagName": "", "createTime": "1970-01-01T00:00:00.001Z", "lastAccessTime": "1970-01-01T00:00:00.002Z"}]);
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
    assert_eq!(stored["leftOut"], 11, "{stored:#}");
    let named = |what: &str| stored["reasons"].as_array().unwrap().iter().any(|reason| reason["what"] == what);
    for what in ["photo yesterday", "photo without an id", "favorite a#b", "tag "] {
        assert!(named(what), "{what}: {stored:#}");
    }
}

#[tokio::test]
async fn leaves_out_a_photo_that_a_moderator_has_removed_or_that_was_deleted() {
    let id = format!("cara~{}", TIMES[0]);
    let report = |state: &str| testing::with(testing::report(&id, TIMES[1], &[("spam", 1)]), "reportState", state);
    let deletion = testing::photo_deletion("cara", TIMES[0], 0);
    let trace = entity::to_item(
        shared::entities::Key::photo(&cara(), &TIMES[0].parse().unwrap()),
        &shared::entities::PhotoDeletion::trace(&cara(), &TIMES[0].parse().unwrap()),
    );
    // One that an earlier import left without its picture.
    let mut expired = testing::expired_photo("cara", TIMES[0]);
    expired.insert("imported".to_owned(), aws_sdk_dynamodb::types::AttributeValue::Bool(true));
    let all = [(report("removed"), 1), (deletion, 1), (trace.unwrap(), 1), (expired, 1), (report("dismissed"), 0)];
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
    other[2].1 = page(
        &json!([{"tagId": "red", "tagName": "Red", "createTime": "1970-01-01T00:00:00.001Z", "lastAccessTime": "1970-01-01T00:00:00.002Z"}]),
    );
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
    begun.attempt = Some("another".to_owned());
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
    let messages = Messages::start();
    // The file of the event has not come, or another attempt has deleted it.
    messages.connect(&fixture);
    fixture.upload(ReadImport::start, fixture.sample_event()).await.unwrap();
    let item: Item = Key::import(&"ben".parse().unwrap()).into();
    let feed = fixture.unrecorded_table(FEED);
    let ben = feed.client.get_item().table_name(feed.name).set_key(Some(item)).send().await.unwrap().item.unwrap();
    assert_eq!(ben["state"].as_s().unwrap(), "waiting");
}

/// The owner keeps the own mark, and does not get rid of that of a moderator by a copy without it.
#[tokio::test]
async fn a_photo_keeps_its_mark_and_gets_that_of_a_moderator() {
    let id = format!("cara~{}", TIMES[0]);
    let report = testing::report(&id, TIMES[1], &[("spam", 1)]);
    let marked =
        |state: &str| testing::with(testing::with(report.clone(), "reportState", state), "sensitive", "nudity");
    let of_owner = json!({"reason": "spoiler", "by": "owner"});
    let of_moderator = json!({"reason": "spoiler", "by": "moderator"});
    for (existing, mark, expected) in [
        (report.clone(), Value::Null, [None, None, None]),
        (report.clone(), of_owner.clone(), [Some("spoiler"), None, None]),
        // Nobody here has decided so.
        (report.clone(), of_moderator, [Some("spoiler"), None, None]),
        (marked("marked"), Value::Null, [Some("nudity"), Some("moderator"), None]),
        (marked("open"), of_owner, [Some("nudity"), Some("moderator"), Some("spoiler")]),
    ] {
        let setup = Setup::new().await;
        setup.fixture.put(existing).await;
        let entry = json!({"id": TIMES[0], "picture": PICTURES[0], "sensitive": mark});
        let stored = setup.read_photos(&[json!([entry])]).await;
        assert_eq!((&stored["photos"], &stored["leftOut"]), (&json!(1), &json!(0)), "{stored:#}");
        let photo = setup.fixture.all_items().await[&format!("USER#cara PHOTO#cara#{}", TIMES[0])].clone();
        let found = ["sensitive", "sensitiveBy", "sensitiveBefore"].map(|name| photo[name].as_str());
        assert_eq!(found, expected, "{photo}");
    }
    // A mark of another kind.
    let setup = Setup::new().await;
    let entry = json!({"id": TIMES[0], "picture": PICTURES[0], "sensitive": {"reason": "ugly"}});
    assert_eq!(setup.read_photos(&[json!([entry])]).await["leftOut"], 1);
}

/// A moderator marks the photo between two attempts, and takes the mark back.
#[tokio::test]
async fn a_photo_has_the_mark_that_its_report_has_when_it_is_put() {
    let report = testing::report(&format!("cara~{}", TIMES[0]), TIMES[1], &[("spam", 1)]);
    let marked = testing::with(testing::with(report.clone(), "reportState", "marked"), "sensitive", "nudity");
    let page = [json!([{"id": TIMES[0], "picture": PICTURES[0]}])];
    let mut puts = vec![];
    for (first, then, sensitive) in [(marked.clone(), None, "nudity"), (marked.clone(), Some(report), "")] {
        let setup = Setup::new().await;
        setup.fixture.put(first).await;
        if let Some(then) = then {
            // After the first attempt.
            setup.fixture.write_concurrently(puts[0] + 1, vec![then], vec![]);
        }
        setup.read_photos(&page).await;
        let operations = setup.fixture.operations();
        puts =
            operations.iter().enumerate().filter(|(_, name)| *name == "TransactWriteItems").map(|(at, _)| at).collect();
        let photo = setup.fixture.all_items().await[&format!("USER#cara PHOTO#cara#{}", TIMES[0])].clone();
        assert_eq!(photo["sensitive"].as_str().unwrap_or_default(), sensitive, "{photo} {operations:?}");
    }
}
