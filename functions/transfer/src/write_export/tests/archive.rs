//! Tests of the content of the archive.

use aws_sdk_dynamodb::types::AttributeValue::{self, S};
use shared::dynamodb::Item;
use shared::entities::{
    Device, Event, FollowedHashtags, Key, Notification, Picture, Position, Topic, Welcome, mark_alerts,
};
use shared::values::{Level, NotificationKind};
use testing::{block, comment, complaint, follow_request, friendship, like, numbered, phone, reaction, reply, several};

use super::*;
use crate::write_export::archive::SCHEMA;
use crate::write_export::source::SECTIONS;

fn with_extension<'a>(files: &'a BTreeMap<String, Vec<u8>>, extension: &'a str) -> impl Iterator<Item = &'a String> {
    files.keys().filter(move |name| name.rsplit_once('.').is_some_and(|(_, end)| end == extension))
}

/// Checks the JSON files by the schema in the archive.
fn check_schema(files: &BTreeMap<String, Vec<u8>>) {
    let (mut compiler, mut schemas) = (boon::Compiler::new(), boon::Schemas::new());
    let schema: Value = serde_json::from_slice(&files["schema.json"]).unwrap();
    compiler.add_resource("https://example.com/schema.json", schema).unwrap();
    for name in with_extension(files, "json").filter(|name| *name != "schema.json") {
        let definition = name.split(['/', '.']).next().unwrap();
        for part in [format!("#/$defs/{definition}"), String::new()] {
            let location = format!("https://example.com/schema.json{part}");
            let index = compiler.compile(&location, &mut schemas).unwrap();
            let value = json(files, name);
            if let Err(error) = schemas.validate(&value, index) {
                panic!("{name} {part}: {error:#}\n{value:#}");
            }
        }
    }
}

/// Returns the entries of the first page of a section.
fn entries(files: &BTreeMap<String, Vec<u8>>, section: &str) -> Vec<Value> {
    json(files, &format!("{section}/1.json"))["entries"].as_array().unwrap().clone()
}

/// The last page of a type ends at the maximum, or begins the page of the next type.
#[tokio::test]
async fn a_page_of_reactions_goes_on_with_the_next_type() {
    for (plus_ones, hearts, pages) in [(500, 1, &[500, 1][..]), (499, 3, &[500, 2]), (501, 1, &[500, 2]), (0, 2, &[2])]
    {
        let setup = Setup::new(1000).await;
        let time = |number: usize| format!("2025-01-01T00:{:02}:{:02}", number / 60, number % 60);
        let photos = (0..plus_ones.max(hearts)).map(|number| photo_with("ben", &time(number), ready(b"file")));
        let items = photos.chain((0..plus_ones).map(|number| reaction("ada", "+1", "ben", &time(number))));
        let items = items.chain((0..hearts).map(|number| reaction("ada", "heart", "ben", &time(number))));
        setup.fixture.put_all(items.collect());
        setup.deliver("a", 0, LONG).await.unwrap();
        let files = unzip(&setup.zip().await);
        check_schema(&files);
        let page = |number: usize| json(&files, &format!("reactions/{number}.json"));
        let of_type = |page: &Value, name: &str| {
            page["entries"].as_array().unwrap().iter().filter(|entry| entry["reactionType"] == name).count()
        };
        let found: Vec<Value> = (1..=pages.len()).map(page).collect();
        let lengths: Vec<usize> = found.iter().map(|page| page["entries"].as_array().unwrap().len()).collect();
        assert_eq!(lengths, pages);
        let all = |name: &str| found.iter().map(|page| of_type(page, name)).sum::<usize>();
        assert_eq!((all("+1"), all("heart")), (plus_ones, hearts));
        assert_eq!(found.last().unwrap()["next"], Value::Null);
    }
}

#[tokio::test]
async fn has_everything_that_is_kept_of_the_user() {
    let setup = Setup::new(1000).await;
    let fixture = &setup.fixture;
    for item in [
        mark_alerts(friendship("cara", "ada"), &"cara".parse().unwrap()),
        follow_request("ada", "dora"),
        follow_request("emil", "ada"),
        block("ada", "uma", Level::Mute),
        complaint("ada", "ben~2024-06-26T03:59:33", "spam"),
        reaction("ada", "+1", "ben", "2024-06-26T03:59:33"),
        photo_with("ada", "2025-03-01T10:00:00.000Z", testing::rejected()),
        photo_with("ada", "2025-03-02T10:00:00.000Z", Picture::Pending),
        testing::expired_photo("ada", "2025-03-03T10:00:00.000Z"),
        testing::photo_deletion("ada", "2025-03-04T10:00:00.000Z", 0),
    ] {
        fixture.put(item).await;
    }
    let mut favorites = testing::Collection::new("ada");
    favorites.tag("blue", "Blue & green", 1_717_200_600_000, 1_717_200_600_000);
    favorites.clip("tagged", shared::values::DataType::Image, "Sea", 1_717_206_000_000, &["blue"]);
    favorites.unclip("gone", shared::values::DataType::Image, "Map", 1_717_203_000_000, &["blue"]);
    for item in favorites.into_items() {
        fixture.put_in(testing::FAVORITE, item).await;
    }
    let [until, over] = [2096, 2024].map(|year| Some(format!("{year}-01-01T00:00:00.000Z").parse().unwrap()));
    fixture.put_all(testing::link_until("ada", Some(TIMES[0]), "bGluay1vZi1hLXBob3RvMQ", until));
    fixture.put_all(testing::link_until("ada", Some(TIMES[1]), "bGluay10aGF0LWlzLW92ZQ", over));
    fixture.put_all(testing::link("ada", None, "bGluay1vZi1hLXByb2ZpbA"));
    fixture.put_all(testing::link("ben", None, "bGluay1vZi1iZW4tYWdhaQ"));
    let welcome = Welcome { welcomed: "2025-01-01T00:00:00".parse().unwrap(), ..Welcome::now("ada".parse().unwrap()) };
    fixture.put(entity::to_item(Key::welcome(&welcome.subject), &welcome).unwrap()).await;
    let tablet = Device { app_version: Some("1.2".parse().unwrap()), ..phone("token-of-the-tablet") };
    fixture.put_in(FEED, testing::devices("ada", &[("phone", phone("token-of-the-phone")), ("tablet", tablet)])).await;
    fixture.put_in(FEED, testing::devices("ben", &[("other", phone("token-of-ben"))])).await;
    for (name, value) in [
        ("pushOff", json!(["reaction"])),
        ("quietHours", json!({"from": "22:00", "to": "07:00", "timeZone": "Europe/Berlin"})),
        ("lockScreen", json!("people")),
        ("sensitivePhotos", json!("show")),
    ] {
        let table = fixture.unrecorded_table(testing::QUICK_PHOTOS);
        let update = table.client.update_item().table_name(&table.name).set_key(Some(Key::user(&ada()).into()));
        let update = update.update_expression("SET #name = :value").expression_attribute_names("#name", name);
        let value = serde_dynamo::to_attribute_value(value).unwrap();
        update.expression_attribute_values(":value", value).send().await.unwrap();
    }

    let of_ben = "2024-06-02T18:05:41.250Z~ben";
    let answer = reply("ada", "2024-06-03T10:00:00.000Z", of_ben, "ada", "2024-05-30T15:42:38");
    let answer = ["likes", "replies"].into_iter().fold(answer, |answer, count| testing::with_count(answer, count, 2));
    let pinned = comment("ada", "2025-01-01T00:00:00.000Z", "ben", "2024-06-26T03:59:33");
    let pinned = testing::with(pinned, "pinned", "2025-01-02T00:00:00.000Z");
    setup.fixture.put_all(vec![answer, pinned, like("ada", of_ben, "ada", "2024-05-30T15:42:38")]);

    setup.deliver("a", 0, LONG).await.unwrap();
    let files = unzip(&setup.zip().await);
    check_schema(&files);
    assert_eq!(entries(&files, "likes")[0]["comment"], of_ben);
    let profile = json(&files, "profile.json");
    let user = &profile["user"];
    assert_eq!((&user["email"], &user["birthdate"]), (&json!("ada@example.com"), &json!("1992-03-14")));
    assert_eq!((&user["pushOff"], &user["lockScreen"]), (&json!(["reaction"]), &json!("people")));
    assert_eq!((&user["quietHours"]["timeZone"], &user["sensitivePhotos"]), (&json!("Europe/Berlin"), &json!("show")));
    assert_eq!((&profile["account"], &profile["welcomed"]), (&json!("ada"), &json!("2025-01-01T00:00:00Z")));
    let number_of = |section: &str| entries(&files, section).len();
    for (section, number) in [
        ("photos", 7),
        ("links", 2),
        ("comments", 3),
        ("reactions", 1),
        ("likes", 1),
        ("followers", 1),
        ("following", 1),
        ("requests-received", 1),
        ("requests-sent", 1),
        ("blocks", 1),
        ("reports", 1),
        ("deleted-favorites", 2),
        ("notifications", 3),
        ("devices", 2),
    ] {
        assert_eq!(number_of(section), number, "{section}: {:#?}", entries(&files, section));
    }
    assert_eq!(entries(&files, "comments")[0]["photo"], json!({"username": "ada", "id": "2024-05-30T15:42:38"}));
    assert!(entries(&files, "comments").iter().any(|comment| comment["pinned"] == true));
    assert_eq!(entries(&files, "requests-sent")[0]["username"], "emil");
    let followed = &entries(&files, "following")[0];
    assert_eq!((&followed["username"], &followed["alerts"]), (&json!("cara"), &json!(true)));
    let links = entries(&files, "links");
    let [profile, of_photo] = links.as_slice() else { panic!("{links:#?}") };
    assert_eq!((&profile["token"], profile.get("photo")), (&json!("bGluay1vZi1hLXByb2ZpbA"), None));
    assert_eq!(of_photo["photo"], json!({"username": "ada", "id": TIMES[0]}));
    assert_eq!((&of_photo["until"], &of_photo["indexed"]), (&json!("2096-01-01T00:00:00.000Z"), &json!(false)));
    let favorites = entries(&files, "favorites");
    let tagged = favorites.iter().find(|favorite| favorite["dataId"] == "tagged").unwrap();
    assert_eq!(tagged["tags"], json!(["blue"]));
    assert!(entries(&files, "tags").iter().any(|tag| tag["tagName"] == "Blue & green"));
    let devices = entries(&files, "devices");
    let tablet = devices.iter().find(|device| device["id"] == "tablet").unwrap();
    assert_eq!((&tablet["kind"], &tablet["appVersion"]), (&json!("fcm"), &json!("1.2")));
    assert!(!json!(devices).to_string().contains("token"), "nobody else may send to a device");
    let counts = &json(&files, "export.json")["entries"];
    assert!(SECTIONS.iter().all(|section| counts[section.name] == number_of(section.name)), "{counts}");
}

/// They have the digits that the API shows.
#[tokio::test]
async fn has_the_attributes_of_the_profile_with_all_digits_of_numbers() {
    const DIGITS: &str = "12345678901234567890123456789012345678";
    let setup = Setup::new(10).await;
    let mut user = testing::user("ada");
    let list = AttributeValue::L(vec![AttributeValue::N(DIGITS.to_owned()), AttributeValue::Bool(true)]);
    let attributes = [("list".to_owned(), list), ("a <b>".to_owned(), S("\"c\"\n".to_owned()))];
    user.insert("attributes".to_owned(), AttributeValue::M(attributes.into()));
    setup.fixture.put(user).await;
    setup.deliver("a", 0, LONG).await.unwrap();
    let files = unzip(&setup.zip().await);
    check_schema(&files);
    let text = |name: &str| String::from_utf8(files[name].clone()).unwrap();
    let attributes = format!("{{\"a <b>\":\"\\\"c\\\"\\n\",\"list\":[{DIGITS},true]}}");
    assert!(text("profile.json").contains(&attributes), "{}", text("profile.json"));
    let attributes = format!(
        "<dt>attributes</dt><dd><dl>\n<dt>a &lt;b&gt;</dt><dd>&quot;c&quot;<br></dd>\n\
         <dt>list</dt><dd><ul><li>{DIGITS}</li><li>true</li></ul></dd>\n</dl>\n</dd>"
    );
    assert!(text("profile.html").contains(&attributes), "{}", text("profile.html"));
}

#[tokio::test]
async fn leaves_out_a_reaction_of_another_program_to_something_that_is_no_photo() {
    let setup = Setup::new(10).await;
    let to_a_photo = reaction("ada", "+1", "ben", "2024-06-26T03:59:33");
    let to_a_song = ["SK", "photo"].iter().fold(to_a_photo.clone(), |item, name| testing::with(item, name, "SONG#1"));
    setup.fixture.put_all(vec![to_a_photo, to_a_song]);
    setup.deliver("a", 0, LONG).await.unwrap();
    let reactions = entries(&unzip(&setup.zip().await), "reactions");
    let photos: Vec<&Value> = reactions.iter().map(|reaction| &reaction["photo"]).collect();
    assert_eq!(photos, [&json!({"username": "ben", "id": "2024-06-26T03:59:33"})]);
}

#[tokio::test]
async fn has_the_hashtags_that_the_user_follows() {
    let setup = Setup::new(1000).await;
    for (user, hashtags) in [("ada", json!(["dawn", "cafe"])), ("ben", json!(["dusk"]))] {
        let hashtags = FollowedHashtags { hashtags: serde_json::from_value(hashtags).unwrap() };
        let key = Key::followed_hashtags(&user.parse().unwrap());
        setup.fixture.put(entity::to_item(key, &hashtags).unwrap()).await;
    }
    setup.deliver("a", 0, LONG).await.unwrap();
    let files = unzip(&setup.zip().await);
    check_schema(&files);
    assert_eq!(json!(entries(&files, "followed-hashtags")), json!([{"hashtag": "cafe"}, {"hashtag": "dawn"}]));
}

#[tokio::test]
async fn has_the_pictures_as_they_are_stored() {
    let setup = Setup::new(1000).await;
    setup.deliver("a", 0, LONG).await.unwrap();
    let files = unzip(&setup.zip().await);
    for (index, time) in TIMES.iter().enumerate() {
        let photo = entries(&files, "photos").into_iter().find(|photo| photo["id"] == *time).unwrap();
        let name = photo["picture"].as_str().unwrap();
        assert_eq!(
            (name, photo["urls"].is_null()),
            (format!("pictures/{}.jpg", time.replace(':', "-")).as_str(), true)
        );
        assert_eq!(files[name], picture(index, 1000));
    }
    // The pictures of the seed data are not in the bucket, as if their photos had been deleted
    // meanwhile.
    assert_eq!(setup.stored().await["photos"], 3);
    assert_eq!(json(&files, "export.json")["pictures"], 3);
}

#[tokio::test]
async fn has_every_picture_of_a_photo_of_several() {
    const TIME: &str = "2025-02-02T11:00:00.000Z";
    let setup = Setup::new(1000).await;
    let reason = shared::values::ReportReason::Spam;
    let removed = Picture::Removed { reason, sizes: ready(b"3").sizes().cloned() };
    let pictures = [ready(b"1"), testing::rejected(), removed, ready(b"4")];
    for (number, file) in [(1, b"1"), (3, b"3"), (4, b"4")] {
        let shared::entities::Picture::Ready(sizes) = numbered(ready(file), number) else { panic!() };
        let key = picture_key(&ada(), &TIME.parse().unwrap(), sizes.number, &sizes.id, Size::Large);
        let object = Object { content_type: None, cache_control: None, bytes: file.to_vec().into() };
        setup.fixture.put_object(&key, object).await;
    }
    setup.fixture.put_all(several("ada", TIME, pictures).into());
    setup.deliver("a", 0, LONG).await.unwrap();
    let files = unzip(&setup.zip().await);
    check_schema(&files);
    let photo = entries(&files, "photos").into_iter().find(|photo| photo["id"] == TIME).unwrap();
    assert!(photo.get("picture").is_none() && photo["status"] == "pending", "{photo}");
    let pictures = photo["pictures"].as_array().unwrap();
    let found: Vec<_> = pictures.iter().map(|one| (one["status"].as_str().unwrap(), one["picture"].as_str())).collect();
    let name = |number: u32| format!("pictures/{}-{number}.jpg", TIME.replace(':', "-"));
    assert_eq!(
        found,
        [
            ("ready", Some(name(1).as_str())),
            ("rejected", None),
            ("removed", Some(name(3).as_str())),
            ("ready", Some(name(4).as_str()))
        ]
    );
    assert_eq!(pictures[3]["altText"], "Picture 4");
    for (number, file) in [(1, b"1"), (3, b"3"), (4, b"4")] {
        assert_eq!(files[&name(number)], file, "{number}");
    }
    assert_eq!((&setup.stored().await["photos"], &json(&files, "export.json")["pictures"]), (&json!(4), &json!(6)));
    let page = String::from_utf8(files["photos/1.html"].clone()).unwrap();
    assert!(page.contains(&format!("src=\"../{}\" alt=\"Picture 3\"", name(3))), "{page}");
}

#[tokio::test]
async fn has_pages_that_a_browser_shows_without_a_network() {
    let setup = Setup::new(10).await;
    setup.fixture.put(testing::with(testing::photo("ada", "2025-04-01T10:00:00.000Z"), "caption", "<b>\n\"&")).await;
    setup.deliver("a", 0, LONG).await.unwrap();
    let files = unzip(&setup.zip().await);
    let text = |name: &str| String::from_utf8(files[name].clone()).unwrap();
    assert!(text("photos/1.html").contains("<dd>&lt;b&gt;<br>&quot;&amp;</dd>"));
    for name in with_extension(&files, "html") {
        let page = text(name);
        assert!(!page.contains("<script") && !page.contains("//fonts"), "{name}");
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let links = page.split("href=\"").skip(1).chain(page.split("src=\"").skip(1));
        for link in links.map(|rest| rest.split('"').next().unwrap()) {
            let target = link.strip_prefix("../").map_or_else(
                || if folder.is_empty() { link.to_owned() } else { format!("{folder}/{link}") },
                str::to_owned,
            );
            let is_missing_picture = target.starts_with("pictures/2024");
            assert!(files.contains_key(&target) || is_missing_picture, "{name} leads to {link}");
        }
    }
}

/// Puts a notification of ada about a photo or none, of these people.
async fn tell(setup: &Setup, kind: NotificationKind, photo: Option<Position>, people: &[&str]) {
    let time: Timestamp = "2026-01-01T00:00:00.000Z".parse().unwrap();
    let event = |person: &&str| (Event::new(&time, &person.parse().unwrap(), ""), time.clone());
    let events = people.iter().map(event).collect();
    let notification = Notification::default().merge(events, &BTreeSet::new()).unwrap();
    let key = Key::notification(&ada(), &Topic::new(kind, photo, &time));
    setup.fixture.put_in(FEED, notification.item(key, 4_000_000_000).unwrap()).await;
}

/// An export leaves out what a user may not see any more.
#[tokio::test]
async fn has_nothing_that_a_block_a_mute_or_an_audience_hides() {
    const BENS: &str = "2024-06-26T03:59:33";
    let position = || Some(Position { author: "ben".parse().unwrap(), id: BENS.parse().unwrap() });
    let photo = || testing::photo("ben", BENS);
    let seven = ["ben", "u1", "u2", "u3", "u4", "u5", "u6"];
    for (name, items, sees_photo, sees_ben) in [
        ("nothing", vec![], true, true),
        ("a block of ben", vec![block("ben", "ada", Level::Block)], false, false),
        ("a block of ada", vec![block("ada", "ben", Level::Block)], true, false),
        ("a mute of ada", vec![block("ada", "ben", Level::Mute)], true, false),
        ("a mute of ben", vec![block("ben", "ada", Level::Mute)], true, true),
        ("an audience of followers", vec![testing::with(photo(), "audience", "followers")], false, true),
        (
            "followers, among whom is ada",
            vec![testing::with(photo(), "audience", "followers"), friendship("ben", "ada")],
            true,
            true,
        ),
        ("an audience of nobody", vec![testing::with(photo(), "audience", "me")], false, true),
        (
            "a removal",
            vec![photo_with("ben", BENS, Picture::Removed { reason: shared::values::ReportReason::Spam, sizes: None })],
            false,
            true,
        ),
        ("a deletion", vec![testing::photo_deletion("ben", BENS, 0)], false, true),
    ] {
        let setup = Setup::new(10).await;
        for key in setup.fixture.all_items_of(FEED).await.into_keys().filter(|key| key.starts_with("Inbox#ada ")) {
            let (pk, sk) = key.split_once(' ').unwrap();
            let key: Item = [("pk", pk), ("sk", sk)].map(|(name, key)| (name.to_owned(), S(key.to_owned()))).into();
            let table = setup.fixture.unrecorded_table(FEED);
            table.client.delete_item().table_name(&table.name).set_key(Some(key)).send().await.unwrap();
        }
        let counted = ["blocks", "mutes", "blockedBy"]
            .into_iter()
            .fold(testing::user("ada"), |user, count| testing::with_count(user, count, 1));
        setup.fixture.put_all(vec![
            counted,
            photo(),
            reaction("ada", "+1", "ben", BENS),
            like("ada", "2025-01-01T00:00:00.000Z~ben", "ada", "2024-05-30T15:42:38"),
            like("ada", "2025-01-01T00:00:00.000Z~ada", "ben", BENS),
            comment("ada", "2025-01-01T00:00:00.000Z", "ben", BENS),
        ]);
        setup.fixture.put_all(items);
        tell(&setup, NotificationKind::Mention, position(), &["uma"]).await;
        tell(&setup, NotificationKind::Follower, None, &["ben"]).await;
        tell(&setup, NotificationKind::Request, None, &seven).await;
        setup.deliver("a", 0, LONG).await.unwrap();
        let files = unzip(&setup.zip().await);
        check_schema(&files);

        let reactions = entries(&files, "reactions");
        assert_eq!(reactions.len(), usize::from(sees_photo), "{name}");
        let likes = entries(&files, "likes");
        let likes: Vec<&str> = likes.iter().map(|like| &like["comment"].as_str().unwrap()[25..]).collect();
        let has_block = name.starts_with("a block");
        assert_eq!((likes.contains(&"ben"), likes.contains(&"ada")), (!has_block, sees_photo), "{name}");
        let comments = entries(&files, "comments");
        let comment = comments.iter().find(|comment| comment["timestamp"] == "2025-01-01T00:00:00.000Z").unwrap();
        assert_eq!((comment["text"].is_string(), comment["photo"].is_object()), (true, sees_photo), "{name}");
        let notifications = entries(&files, "notifications");
        let people = |kind: &str| {
            let notification = notifications.iter().find(|notification| notification["kind"] == kind)?;
            Some(
                notification["events"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|event| event["username"].clone())
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(people("mention").is_some(), sees_photo, "{name}");
        assert_eq!(people("follower").is_some(), sees_ben, "{name}");
        assert_eq!(people("request").unwrap(), &seven.map(Value::from)[usize::from(!sees_ben)..], "{name}");
        let counts = &json(&files, "export.json")["entries"];
        assert_eq!(counts["notifications"], notifications.len(), "{name}");
    }
}

/// Comments of others are personal data of those who wrote them.
#[tokio::test]
async fn has_no_words_of_others() {
    let setup = Setup::new(10).await;
    let words = "SECRET-OF-BEN";
    let mut item = comment("ben", "2025-01-01T00:00:00.000Z", "ada", "2024-05-30T15:42:38");
    item.insert("text".to_owned(), S(words.to_owned()));
    setup.fixture.put(item).await;
    let mut report = testing::report("ada", "2025-01-01T00:00:00.000Z", &[("spam", 1)]);
    report.insert("texts".to_owned(), AttributeValue::M([("ben".to_owned(), S(words.to_owned()))].into()));
    setup.fixture.put(report).await;
    setup.deliver("a", 0, LONG).await.unwrap();
    let zip = setup.zip().await;
    assert!(!zip.windows(words.len()).any(|window| window == words.as_bytes()));
    let photos = entries(&unzip(&zip), "photos");
    assert!(photos.iter().any(|photo| photo["comments"] == 2), "{photos:#?}");
}

#[tokio::test]
async fn a_section_has_as_many_pages_as_it_needs() {
    let setup = Setup::new(10).await;
    let followers: Vec<Item> = (0..1001).map(|number| friendship("ada", &format!("user-{number}"))).collect();
    setup.fixture.put_all(followers);
    let comments = (0..250)
        .map(|number| comment("ada", &format!("2025-01-01T00:00:00.{number:03}Z"), "ben", "2024-06-26T03:59:33"));
    setup.fixture.put_all(comments.collect());
    setup.deliver("a", 0, LONG).await.unwrap();
    let files = unzip(&setup.zip().await);
    check_schema(&files);
    let sizes = |section: &str, pages: usize| {
        let size = |page| json(&files, &format!("{section}/{page}.json"))["entries"].as_array().unwrap().len();
        assert!(!files.contains_key(&format!("{section}/{}.json", pages + 1)));
        (1..=pages).map(size).collect::<Vec<_>>()
    };
    assert_eq!(sizes("followers", 3), [500, 500, 2]);
    assert_eq!(sizes("comments", 3), [100, 100, 51]);
    assert_eq!(json(&files, "followers/2.json")["next"], "followers/3.json");
    let page = String::from_utf8(files["followers/2.html"].clone()).unwrap();
    assert!(page.contains("href=\"1.html\"") && page.contains("href=\"3.html\""));
}

#[tokio::test]
async fn an_account_without_a_profile_has_an_archive_too() {
    let setup = Setup::new(10).await;
    setup.fixture.delete(shared::entities::Key::user(&ada())).await;
    setup.deliver("a", 0, LONG).await.unwrap();
    let files = unzip(&setup.zip().await);
    check_schema(&files);
    assert_eq!(json(&files, "profile.json")["user"], Value::Null);
}

#[test]
fn the_schema_describes_every_section_and_kind_of_notification() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    assert_eq!(schema["$defs"]["notificationKind"]["enum"], json!(NotificationKind::ALL));
    for section in SECTIONS {
        assert!(schema["$defs"][section.name].is_object(), "{}", section.name);
    }
}
