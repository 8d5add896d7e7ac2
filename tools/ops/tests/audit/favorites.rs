//! Each kind of finding in the table of favorites and tags: planted, found, mended, and nothing else changed.

use local::sample::FAVORITE;
use local::sample::favorites::{Collection, items};
use ops::audit;
use ops::audit::{Event, Options, Outcome};
use serde_json::Value;
use shared::dynamodb::Item;
use shared::model::favorites;
use shared::model::favorites::{ClipPosition, Favorite, FavoriteTag, Key, Tag, tag_name_reservation, term_items};
use shared::values::DataType;

use crate::bed::{Bed, Everything, number, text};

pub(crate) async fn sample() -> Bed {
    Bed::of(FAVORITE, items()).await
}

fn parsed<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

pub(crate) fn favorite(owner: &str, data_id: &str) -> Key {
    Key::favorite(&parsed(owner), &parsed(data_id))
}

pub(crate) fn entry(owner: &str, data_id: &str, tag_id: &str) -> Key {
    Key::favorite_tag(&parsed(owner), &parsed(data_id), &parsed(tag_id))
}

pub(crate) fn tag(owner: &str, tag_id: &str) -> Key {
    Key::tag(&parsed(owner), &parsed(tag_id))
}

pub(crate) fn name(owner: &str, name: &str) -> Key {
    Key::tag_name_reservation(&parsed(owner), &parsed(name))
}

pub(crate) fn term(owner: &str, term: &str, clip_time: u64, data_id: &str) -> Key {
    Key::term(&parsed(owner), term, &ClipPosition { clip_time: clip_time.into(), data_id: parsed(data_id) })
}

pub(crate) fn count(owner: &str) -> Key {
    Key::tag_count(&parsed(owner))
}

/// A favorite that was clipped at this time, without anything that belongs to it.
pub(crate) fn clip(data_id: &str, data_type: DataType, title: &str, clip_time: u64) -> Favorite {
    Favorite {
        data_id: parsed(data_id),
        data_type,
        title: title.to_owned(),
        creator_id: None,
        thumbnail_url: None,
        content_url: None,
        clip_time: clip_time.into(),
        tag_count: None,
    }
}

/// A tag on it.
pub(crate) fn tagged(owner: &str, favorite: &Favorite, tag_id: &str) -> Item {
    FavoriteTag::new(favorite, parsed(tag_id)).item(&parsed(owner))
}

pub(crate) fn tag_item(owner: &str, tag_id: &str, name: &str) -> Item {
    let (create_time, last_access_time) = (7.into(), 8.into());
    Tag { tag_id: parsed(tag_id), tag_name: name.to_owned(), create_time, last_access_time }.item(&parsed(owner))
}

/// The sample's favorites, as far as their tags and terms tell.
pub(crate) const SUNSET: (&str, &str, u64) = ("sunset", "Sunset over Lisbon", 1_717_206_000_000);
pub(crate) const TRAM: (&str, &str, u64) = ("tram", "Tram 28, uphill", 1_717_212_000_000);
pub(crate) const HERON: (&str, &str, u64) = ("heron", "Grey heron at dawn", 1_717_206_600_000);

pub(crate) fn like((data_id, title, clip_time): (&str, &str, u64), data_type: DataType) -> Favorite {
    clip(data_id, data_type, title, clip_time)
}

pub(crate) fn at(everything: &mut Everything, key: Key) -> &mut Value {
    let key = Item::from(key);
    let [pk, sk] = [favorites::PK, favorites::SK].map(|name| key[name].as_s().unwrap().clone());
    everything.get_mut(&(pk, sk)).unwrap()
}

/// The audit finds these lines, and a repair mends just that.
async fn is_mended(bed: &Bed, lines: &[&str], right: &Everything) {
    assert_eq!(bed.found().await, lines);
    assert_eq!(bed.repaired().await, lines);
    assert_eq!(&bed.all_items().await, right);
}

#[tokio::test]
async fn the_sample_is_clean() {
    let bed = sample().await;
    assert_eq!(bed.found().await, [""; 0]);
    assert_eq!(bed.audit(true).await.to_string(), format!("{} items, 0 findings", items().len()));
    for segments in [1, 7] {
        let options = Options { segments, ..Options::default() };
        let watch = |event: Event<'_>| assert!(matches!(event, Event::Scanned { .. }), "nothing is suspected");
        let report = audit::run(&bed.client, &bed.table, options, watch).await.unwrap();
        assert_eq!(report.to_string(), format!("{} items, 0 findings", items().len()));
    }
}

#[tokio::test]
async fn what_is_no_finding() {
    let bed = sample().await;
    let history = |data_id: &str, ttl: u64| {
        let favorite = clip(data_id, DataType::Image, "Once more", 5);
        let item = favorite.item(&parsed("ada"));
        favorites::history_item(&parsed("ada"), &favorite, item, &[parsed("travel"), parsed("gone")], ttl)
    };
    let mut foreign = tag_item("ada", "numbers-as-text", " no name of ours");
    foreign.insert("createTime".into(), text("7"));
    let mut untitled = clip("untitled", DataType::Link, "", 9).item(&parsed("ben"));
    untitled.remove("title");
    untitled.insert("dataType".into(), text("link"));
    untitled.insert("clipTime".into(), number(9));
    let mut on_untitled = tagged("ben", &clip("untitled", DataType::Link, "", 9), "work");
    on_untitled.insert("clipTime".into(), text("9"));
    bed.put([
        history("sunset", 4_102_444_800),
        history("long-gone", 1),
        foreign,
        tag_item("ada", "twin", " no name of ours"),
        untitled,
        on_untitled,
    ])
    .await;
    bed.set(count("ada"), "tags", Some(number(7))).await;
    bed.set(count("ada"), "deletions", Some(number(99))).await;
    bed.set(count("ben"), "tags", None).await;
    bed.set(favorite("ben", "heron"), "tagCount", None).await;
    assert_eq!(bed.found().await, [""; 0]);
}

#[tokio::test]
async fn tags_on_favorites_that_are_gone() {
    let bed = sample().await;
    let right = bed.all_items().await;
    bed.put([
        tagged("ada", &clip("gone", DataType::Image, "", 1), "travel"),
        // It is ben's favorite, and once was one of ada's.
        tagged("ada", &like(HERON, DataType::Image), "travel"),
        tagged("ada", &clip("old-map", DataType::Image, "", 1), "travel"),
        // Neither is there.
        tagged("ben", &clip("gone", DataType::Image, "", 1), "gone"),
    ])
    .await;
    is_mended(
        &bed,
        &[
            "tag gone on favorite gone of ben: the favorite is gone",
            "tag travel on favorite gone of ada: the favorite is gone",
            "tag travel on favorite heron of ada: the favorite is gone",
            "tag travel on favorite old-map of ada: the favorite is gone",
        ],
        &right,
    )
    .await;
}

#[tokio::test]
async fn tags_that_are_gone_from_favorites() {
    let bed = sample().await;
    bed.set(favorite("ben", "heron"), "tagCount", None).await;
    let right = bed.all_items().await;
    let (sunset, heron) = (like(SUNSET, DataType::Image), like(HERON, DataType::Image));
    // The second is a tag of ben's.
    bed.put([tagged("ada", &sunset, "gone"), tagged("ada", &sunset, "birds"), tagged("ben", &heron, "gone")]).await;
    bed.set(favorite("ada", "sunset"), "tagCount", Some(number(3))).await;
    is_mended(
        &bed,
        &[
            "tag birds on favorite sunset of ada: the tag is gone",
            "tag gone on favorite heron of ben: the tag is gone",
            "tag gone on favorite sunset of ada: the tag is gone",
        ],
        &right,
    )
    .await;
}

/// What was not counted is taken off all the same, and the count is right after both.
#[tokio::test]
async fn a_count_that_is_wrong_beside_a_tag_that_is_gone() {
    let bed = sample().await;
    let right = bed.all_items().await;
    bed.put([tagged("ada", &like(SUNSET, DataType::Image), "gone")]).await;
    let dinner = clip("dinner", DataType::Chat, "", 1_717_236_000_000);
    bed.put([tagged("ada", &dinner, "gone")]).await;
    assert_eq!(
        bed.repaired().await,
        [
            "favorite sunset of ada: tagCount is 0, but there are 1",
            "tag gone on favorite dinner of ada: the tag is gone",
            "tag gone on favorite sunset of ada: the tag is gone",
        ]
    );
    assert_eq!(bed.all_items().await, right);
}

#[tokio::test]
async fn tags_that_say_something_else_than_their_favorite() {
    let bed = sample().await;
    let right = bed.all_items().await;
    let (_, _, heron_at) = HERON;
    let (_, title, _) = SUNSET;
    // In itself as it should be.
    bed.put([
        tagged("ben", &clip("heron", DataType::Video, "", heron_at), "birds"),
        tagged("ada", &clip("sunset", DataType::Image, title, 1_700_000_000_000), "travel"),
    ])
    .await;
    bed.set(entry("ada", "tram", "travel"), "gsiTwoPk", None).await;
    bed.set(entry("ada", "viewpoint", "family"), "gsiOnePk", Some(text("FavoriteDataTag#ben#family"))).await;
    bed.set(entry("ben", "waders", "work"), "dataType", Some(text("PICTURE"))).await;
    bed.set(entry("ben", "waders", "birds"), "clipTime", None).await;
    bed.set(entry("ben", "kestrel", "birds"), "gsiTwoSk", Some(text("1#kestrel"))).await;
    is_mended(
        &bed,
        &[
            "tag birds on favorite heron of ben: not as the favorite says",
            "tag birds on favorite kestrel of ben: not as the favorite says",
            "tag birds on favorite waders of ben: not as the favorite says",
            "tag family on favorite viewpoint of ada: not as the favorite says",
            "tag travel on favorite sunset of ada: not as the favorite says",
            "tag travel on favorite tram of ada: not as the favorite says",
            "tag work on favorite waders of ben: not as the favorite says",
        ],
        &right,
    )
    .await;
}

#[tokio::test]
async fn counts_of_tags_on_favorites() {
    let bed = sample().await;
    let right = bed.all_items().await;
    bed.set(favorite("ada", "viewpoint"), "tagCount", Some(number(5))).await;
    bed.set(favorite("ada", "dinner"), "tagCount", Some(number(-1))).await;
    bed.set(favorite("ben", "waders"), "tagCount", Some(number(0))).await;
    is_mended(
        &bed,
        &[
            "favorite dinner of ada: tagCount is -1, but there are 0",
            "favorite viewpoint of ada: tagCount is 5, but there are 2",
            "favorite waders of ben: tagCount is 0, but there are 2",
        ],
        &right,
    )
    .await;
}

#[tokio::test]
async fn counts_of_tags_of_users() {
    let bed = sample().await;
    let right = bed.all_items().await;
    bed.set(count("ada"), "tags", Some(number(6))).await;
    bed.set(count("ben"), "tags", Some(number(-2))).await;
    is_mended(
        &bed,
        &["tags of ada: the count is 6, but there are 5", "tags of ben: the count is -2, but there are 3"],
        &right,
    )
    .await;
}

#[tokio::test]
async fn tags_whose_name_is_not_kept() {
    let bed = sample().await;
    let right = bed.all_items().await;
    bed.delete(name("ada", "Küche")).await;
    bed.delete(name("ben", "나중에")).await;
    is_mended(
        &bed,
        &[
            r#"tag later of ben: its name "나중에" is not kept for it"#,
            r#"tag recipes of ada: its name "Küche" is not kept for it"#,
        ],
        &right,
    )
    .await;
}

#[tokio::test]
async fn names_that_are_kept_for_nothing() {
    let bed = sample().await;
    let right = bed.all_items().await;
    let kept =
        |owner: &str, name: &str, tag_id: &str| tag_name_reservation(&parsed(owner), &parsed(name), &parsed(tag_id));
    let mut not_folded = kept("ada", "Travel", "travel");
    not_folded.insert(favorites::SK.into(), text("Travel"));
    bed.put([
        kept("ada", "Nothing", "gone"),
        // A name and a tag of ben's.
        kept("ada", "Birds", "birds"),
        // It has another name.
        kept("ben", "Birds of Europe", "birds"),
        not_folded,
    ])
    .await;
    is_mended(
        &bed,
        &[
            r#"tag name "Travel" of ada: tag travel is called "Travel""#,
            r#"tag name "birds of europe" of ben: tag birds is called "Birds""#,
            r#"tag name "birds" of ada: tag birds is gone"#,
            r#"tag name "nothing" of ada: tag gone is gone"#,
        ],
        &right,
    )
    .await;

    // Given free, it is kept for the tag that has it.
    bed.put([kept("ada", "Küche", "gone"), kept("ben", "Birds", "work")]).await;
    assert_eq!(
        bed.repaired().await,
        [
            r#"tag birds of ben: its name "Birds" is not kept for it"#,
            r#"tag name "birds" of ben: tag work is called "work""#,
            r#"tag name "küche" of ada: tag gone is gone"#,
            r#"tag recipes of ada: its name "Küche" is not kept for it"#,
        ]
    );
    assert_eq!(bed.all_items().await, right);
}

#[tokio::test]
async fn tags_with_the_same_name_are_for_a_person() {
    let bed = sample().await;
    // Another of ben's is called so too, and is none of ada's.
    bed.put([tag_item("ada", "travels", "TRAVEL"), tag_item("ada", "kitchen", "kU\u{308}che")]).await;
    bed.put([
        tag_item("ben", "travels", "travel"),
        tag_name_reservation(&parsed("ben"), &parsed("travel"), &parsed("travels")),
    ])
    .await;
    bed.set(count("ada"), "tags", Some(number(7))).await;
    bed.set(count("ben"), "tags", Some(number(4))).await;
    let mut right = bed.all_items().await;
    let lines = [
        r#"tags kitchen, recipes of ada: all are called "küche""#,
        r#"tags travel, travels of ada: all are called "travel""#,
    ];
    assert_eq!(bed.found().await, lines);
    let report = bed.audit(true).await;
    assert_eq!(report.to_string(), format!("{} items, 2 findings, 2 left as they are", right.len()));
    assert_eq!(bed.all_items().await, right);

    // Whichever has it, the name is kept.
    bed.delete(name("ada", "Küche")).await;
    let report = bed.audit(true).await;
    assert_eq!(report.to_string(), format!("{} items, 3 findings, 1 repaired, 2 left as they are", right.len() - 1));
    let mut after = bed.all_items().await;
    let kept_for = at(&mut after, name("ada", "Küche"))["tagId"].take();
    assert!(kept_for == "kitchen" || kept_for == "recipes", "{kept_for}");
    at(&mut right, name("ada", "Küche"))["tagId"] = Value::Null;
    assert_eq!(after, right);
}

#[tokio::test]
async fn favorites_without_all_of_their_terms() {
    let bed = sample().await;
    let (sunset, heron) = (like(SUNSET, DataType::Image), like(HERON, DataType::Image));
    // More than one transaction takes.
    let long: String = ('一'..).take(120).collect();
    let long = clip("long", DataType::Note, &long, 1_717_000_000_000);
    bed.put([long.item(&parsed("ben"))]).await;
    bed.put(term_items(&parsed("ben"), &long)).await;
    let right = bed.all_items().await;

    let (sunset_id, _, sunset_at) = SUNSET;
    bed.delete(term("ada", "lis", sunset_at, sunset_id)).await;
    bed.delete(term("ada", "sunset", sunset_at, sunset_id)).await;
    let (tram_id, _, tram_at) = TRAM;
    bed.set(term("ada", "tram", tram_at, tram_id), "dataType", Some(text("NOTE"))).await;
    let (heron_id, _, heron_at) = HERON;
    bed.set(term("ben", "grey", heron_at, heron_id), "title", Some(text("Grey, grey"))).await;
    for item in term_items(&parsed("ben"), &long) {
        let key: Item =
            item.into_iter().filter(|(name, _)| [favorites::PK, favorites::SK].contains(&&**name)).collect();
        bed.delete(key).await;
    }
    let of = |owner: &str, favorite: &Favorite| term_items(&parsed(owner), favorite).len();
    let tram = like(TRAM, DataType::Video);
    is_mended(
        &bed,
        &[
            &format!("favorite heron of ben: 1 of {} terms are missing or wrong", of("ben", &heron)),
            "favorite long of ben: 239 of 239 terms are missing or wrong",
            &format!("favorite sunset of ada: 2 of {} terms are missing or wrong", of("ada", &sunset)),
            &format!("favorite tram of ada: 1 of {} terms are missing or wrong", of("ada", &tram)),
        ],
        &right,
    )
    .await;
}

#[tokio::test]
async fn terms_of_no_favorite() {
    let bed = sample().await;
    let right = bed.all_items().await;
    let (sunset_id, sunset_title, sunset_at) = SUNSET;
    let long: String = ('一'..).take(120).collect();
    let mut planted = [
        term_items(&parsed("ben"), &clip("gone", DataType::Note, &long, 1_717_000_000_000)),
        // It is ada's, and one that she took out.
        term_items(&parsed("ben"), &like(SUNSET, DataType::Image)),
        term_items(&parsed("ada"), &clip("old-map", DataType::Image, "Old map", 1_717_203_000_000)),
        // It was clipped at another time.
        term_items(&parsed("ada"), &clip(sunset_id, DataType::Image, sunset_title, 1_000_000_000_000)),
        // It had another title; what is in both is the favorite's.
        term_items(&parsed("ada"), &clip(sunset_id, DataType::Image, "Sunrise over Rome", sunset_at)),
    ]
    .concat();
    // Not even its own title has this term.
    let (heron_id, _, heron_at) = HERON;
    let mut odd = term_items(&parsed("ben"), &like(HERON, DataType::Image)).pop().unwrap();
    odd.extend(Item::from(term("ben", "stork", heron_at, heron_id)));
    planted.push(odd);
    bed.put(planted).await;
    // Of the favorite's own terms, `sun`, `over` and others say something else now.
    bed.put(term_items(&parsed("ada"), &like(SUNSET, DataType::Image))).await;
    is_mended(
        &bed,
        &[
            "1 terms of favorite heron of ben, clipped 1717206600000: the favorite has others",
            "16 terms of favorite sunset of ada, clipped 1000000000000: the favorite has others",
            "16 terms of favorite sunset of ben, clipped 1717206000000: the favorite is gone",
            "239 terms of favorite gone of ben, clipped 1717000000000: the favorite is gone",
            "6 terms of favorite old-map of ada, clipped 1717203000000: the favorite is gone",
            "8 terms of favorite sunset of ada, clipped 1717206000000: the favorite has others",
        ],
        &right,
    )
    .await;

    // The same, with terms that both have left as those of the other title.
    bed.put(term_items(&parsed("ada"), &clip(sunset_id, DataType::Image, "Sunrise over Rome", sunset_at))).await;
    is_mended(
        &bed,
        &[
            "8 terms of favorite sunset of ada, clipped 1717206000000: the favorite has others",
            "favorite sunset of ada: 7 of 16 terms are missing or wrong",
        ],
        &right,
    )
    .await;
}

#[tokio::test]
async fn index_keys_that_attributes_do_not_say() {
    let bed = sample().await;
    let right = bed.all_items().await;
    bed.set(favorite("ada", "tram"), "gsiOnePk", Some(text("FavoriteData#ada#image"))).await;
    bed.set(favorite("ada", "tram"), "lsiOneSk", None).await;
    bed.set(favorite("ben", "heron"), "gsiOneSk", Some(text("1#heron"))).await;
    bed.set(Key::history(&parsed("ada"), &parsed("old-map")), "gsiOnePk", Some(text("FavoriteData#ada#image"))).await;
    bed.set(tag("ada", "travel"), "lsiOneSk", Some(text("travel"))).await;
    bed.set(tag("ben", "birds"), "lsiTwoSk", Some(text("1"))).await;
    bed.set(tag("ben", "birds"), "lsiThreeSk", None).await;
    is_mended(
        &bed,
        &[
            "favorite heron of ben: gsiOneSk not as its attributes say",
            "favorite tram of ada: lsiOneSk, gsiOnePk not as its attributes say",
            "history of favorite old-map of ada: gsiOnePk not as its attributes say",
            "tag birds of ben: lsiTwoSk, lsiThreeSk not as its attributes say",
            "tag travel of ada: lsiOneSk not as its attributes say",
        ],
        &right,
    )
    .await;
}

/// The item with this key that has these attributes and nothing else.
fn item<const N: usize>(pk: &str, sk: &str, attributes: [(&str, &str); N]) -> Item {
    let keys = [(favorites::PK, pk), (favorites::SK, sk)];
    keys.into_iter().chain(attributes).map(|(name, value)| (name.to_owned(), text(value))).collect()
}

#[tokio::test]
async fn items_of_no_known_shape() {
    let bed = sample().await;
    let (sunset, mut moved) = (like(SUNSET, DataType::Image), like(HERON, DataType::Image));
    moved.data_id = parsed("stork");
    let mut term_of_another = term_items(&parsed("ben"), &moved).pop().unwrap();
    term_of_another.extend(Item::from(term("ben", "dawn", HERON.2, HERON.0)));
    let mut without_tag = tagged("ada", &sunset, "travel");
    without_tag.insert(favorites::SK.into(), text("a tag"));
    bed.put([
        item("anything", "at all", []),
        item("Visit#ada", "x", []),
        item("Tag#ADA", "x", []),
        item("Tag#ada#x", "x", []),
        item("TagCount#ada", "x", []),
        // They are there all the same: a favorite with a tag, and a tag on a favorite.
        item("FavoriteData#ada", "without-time", [("dataType", "IMAGE")]),
        tagged("ada", &clip("without-time", DataType::Image, "", 1), "travel"),
        item("Tag#ben", "without-times", [("tagName", "Something")]),
        tagged("ben", &like(HERON, DataType::Image), "without-times"),
        item("Tag#ben", "without-name", [("tagName", ""), ("createTime", "1"), ("lastAccessTime", "1")]),
        item("TagName#ada", "nobody's", []),
        item("FavoriteDataHistory#ada", "broken", [("dataType", "IMAGE"), ("clipTime", "1"), ("ttl", "soon")]),
        term_of_another,
        without_tag,
    ])
    .await;
    bed.set(favorite("ada", "dinner"), "tagCount", Some(text("none"))).await;
    bed.set(favorite("ada", "sunset"), "tagCount", Some(number(2))).await;
    bed.set(favorite("ben", "heron"), "tagCount", Some(number(2))).await;
    bed.set(count("ben"), "tags", Some(number(5))).await;
    let found = bed.found().await;
    let starts = [
        r#"item "FavoriteData#ada" "dinner": tagCount: "#,
        r#"item "FavoriteData#ada" "without-time": missing field `clipTime`"#,
        r#"item "FavoriteDataHistory#ada" "broken": "#,
        r#"item "FavoriteDataTag#ada#sunset" "a tag": the tagId in its key must be "#,
        r#"item "FavoriteDataTerm#ben#dawn" "1717206600000#heron": it is a term by its attributes, but not by its key"#,
        r#"item "Tag#ADA" "x": the username in its key must be "#,
        r#"item "Tag#ada#x" "x": its key is that of no entity"#,
        r#"item "Tag#ben" "without-name": tagName can't be a sort key"#,
        r#"item "Tag#ben" "without-times": missing field "#,
        r#"item "TagCount#ada" "x": it is a count of tags by its attributes, but not by its key"#,
        r#"item "TagName#ada" "nobody's": it has no tagId"#,
        r#"item "Visit#ada" "x": its key is that of no entity"#,
        r#"item "anything" "at all": its key is that of no entity"#,
    ];
    // In the place of the term that was there.
    let heron = ["favorite heron of ben: 1 of 15 terms are missing or wrong"];
    assert_eq!(found.len(), starts.len() + heron.len(), "{found:#?}");
    for (line, start) in found.iter().zip(heron.iter().chain(&starts)) {
        assert!(line.starts_with(start), "{line}");
    }

    let mut right = bed.all_items().await;
    let report = bed.audit(true).await;
    assert!(report.findings.iter().filter(|(_, outcome)| *outcome == Outcome::Left).count() == starts.len());
    assert_eq!(report.to_string(), format!("{} items, 14 findings, 1 repaired, 13 left as they are", right.len()));
    at(&mut right, term("ben", "dawn", HERON.2, HERON.0))["dataId"] = HERON.0.into();
    assert_eq!(bed.all_items().await, right);
}

/// Functions count what is in a partition, whatever it is.
#[tokio::test]
async fn what_has_no_shape_counts() {
    let bed = sample().await;
    bed.put([item("Tag#ben", "shapeless", []), item("FavoriteDataTag#ada#tram", "no tag", [])]).await;
    let report = bed.audit(true).await;
    let lines: Vec<_> = report.findings[2..].iter().map(|(finding, _)| finding.to_string()).collect();
    assert_eq!(
        lines,
        ["favorite tram of ada: tagCount is 1, but there are 2", "tags of ben: the count is 3, but there are 4"]
    );
    let mut after = bed.all_items().await;
    assert_eq!(at(&mut after, favorite("ada", "tram"))["tagCount"], 2);
    assert_eq!(at(&mut after, count("ben"))["tags"], 4);
    assert_eq!(bed.audit(true).await.findings.len(), 2);
}

pub(crate) fn collections() -> [Collection; 2] {
    let mut ada = Collection::of("ada");
    let mut ben = Collection::of("ben");
    for collection in [&mut ada, &mut ben] {
        collection.tag("1", "Travel", 1, 2);
        collection.tag("2", "읽을 것", 3, 4);
        collection.clip("lake", DataType::Image, "Lake at night", 10, &["1"]);
        collection.clip("list", DataType::Note, "我的收藏夹", 20, &["1", "2"]);
        collection.unclip("lost", DataType::Link, "Lost and found", 30, &["2"]);
    }
    ben.clip("late", DataType::Music, "Late", 40, &[]);
    [ada, ben]
}

pub(crate) fn foreign_items() -> Vec<Item> {
    collections().map(Collection::into_foreign_items).concat()
}

#[tokio::test]
async fn a_table_that_another_program_wrote_lacks_names_and_terms() {
    let bed = Bed::of(FAVORITE, foreign_items()).await;
    let before = bed.all_items().await;
    let lines = [
        "favorite lake of ada: 11 of 11 terms are missing or wrong",
        "favorite lake of ben: 11 of 11 terms are missing or wrong",
        "favorite late of ben: 4 of 4 terms are missing or wrong",
        "favorite list of ada: 9 of 9 terms are missing or wrong",
        "favorite list of ben: 9 of 9 terms are missing or wrong",
        r#"tag 1 of ada: its name "Travel" is not kept for it"#,
        r#"tag 1 of ben: its name "Travel" is not kept for it"#,
        r#"tag 2 of ada: its name "읽을 것" is not kept for it"#,
        r#"tag 2 of ben: its name "읽을 것" is not kept for it"#,
    ];
    assert_eq!(bed.found().await, lines);
    assert_eq!(bed.repaired().await, lines);
    // As if it had been ours, but for counts.
    let ours = Bed::of(FAVORITE, collections().map(Collection::into_items).concat()).await;
    let mut right = ours.all_items().await;
    right.retain(|(pk, _), _| !pk.starts_with("TagCount#"));
    for (key, item) in &before {
        right.insert(key.clone(), item.clone());
    }
    assert_eq!(bed.all_items().await, right);
}

/// More than a page of a Scan has, more than are mended at once, and more keys than one BatchGetItem takes.
#[tokio::test]
async fn many_at_once() {
    let bed = sample().await;
    let right = bed.all_items().await;
    let padding = "x".repeat(4000);
    let orphans = (0..300).map(|number| {
        let mut orphan = tagged("ada", &like(SUNSET, DataType::Image), &format!("gone-{number}"));
        orphan.insert("padding".into(), text(&padding));
        orphan
    });
    local::services::dynamodb::import(bed.engine.database(), &bed.table, orphans.collect()).unwrap();
    bed.set(favorite("ada", "sunset"), "tagCount", Some(number(301))).await;
    assert_eq!(bed.repaired().await.len(), 300);
    assert_eq!(bed.all_items().await, right);
}
