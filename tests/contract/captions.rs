//! Tests what the caption of a photo makes of the costs of the patterns that write or read the
//! photo.

use local::costs::Caption;
use shared::dynamodb::Item;
use shared::values::Timestamp;
use testing::runner::Runner;
use tests::costs::patterns;

use crate::contract::{import, rules};

/// The owner of the photos.
const OWNER: &str = "tess";
/// The number of photos, which one page shows.
const PHOTOS: i64 = 20;

/// Returns the time of a photo.
fn time(number: i64) -> Timestamp {
    Timestamp::from_epoch_millis(1_700_000_000_000 + number).unwrap()
}

/// Returns photos whose pictures are ready, with captions of this length.
fn photos(characters: usize) -> Vec<Item> {
    let photos = (0..PHOTOS).map(|number| {
        let mut photo = testing::photo_with(OWNER, time(number).as_ref(), testing::ready(b"file"));
        if characters > 0 {
            photo.insert("caption".to_owned(), aws_sdk_dynamodb::types::AttributeValue::S("x".repeat(characters)));
        }
        photo
    });
    photos.collect()
}

#[tokio::test]
async fn a_caption_costs_what_its_entry_says_and_a_usual_one_nothing_to_a_reaction() {
    let runner = Runner::new().await.unwrap();
    let patterns = patterns();
    let captions = patterns.iter().flat_map(|(name, pattern)| {
        pattern.captions.iter().map(move |Caption { characters, costs }| (name, pattern, *characters, costs))
    });
    let mut failures = vec![];
    for (name, pattern, characters, costs) in captions {
        // Without the reaction of the entry before.
        runner.harness.restore().unwrap();
        import(&runner, local::sample::QUICK_PHOTOS, photos(characters));
        runner.harness.snapshot().unwrap();
        let photos = format!("/users/{OWNER}/photos");
        let (method, path) = match name.as_str() {
            "add-reaction" => ("PUT", format!("{photos}/{}/reactions/heart", time(0))),
            "list-recent-photos" => ("GET", format!("{photos}?limit={PHOTOS}")),
            other => panic!("another pattern has captions: {other}"),
        };
        let (function, event) = runner.request(method, "ben", &path).unwrap();
        assert_eq!(function.name, *name);
        let run = runner.run(function, &event).await.unwrap();
        failures.extend(rules::failure(&format!("{name}, {characters}"), pattern, costs, &run));
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    let [none, usual, long] = &patterns["add-reaction"].captions[..] else { panic!("other captions") };
    assert_eq!((none.characters, usual.characters, long.characters), (0, 150, 1_000));
    assert_eq!(none.costs, usual.costs);
    assert_eq!(patterns["list-recent-photos"].captions.len(), 3);
}
