//! Tests what the caption of a photo makes of the costs of the patterns that write or read the
//! photo.

use shared::dynamodb::Item;
use shared::values::Timestamp;
use testing::access_patterns;
use testing::runner::Runner;

use crate::contract::{import, rules, sizes};

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
async fn a_caption_costs_what_its_row_says_and_a_usual_one_nothing_to_a_reaction() {
    let runner = Runner::new().await.unwrap();
    let rows = access_patterns::with_captions();
    let mut failures = vec![];
    for (characters, name, costs) in &rows {
        // Without the reaction of the row before.
        runner.harness.restore().unwrap();
        import(&runner, local::sample::QUICK_PHOTOS, photos(*characters));
        runner.harness.snapshot().unwrap();
        let photos = format!("/users/{OWNER}/photos");
        let (method, path) = match name.as_str() {
            "add-reaction" => ("PUT", format!("{photos}/{}/reactions/heart", time(0))),
            "list-recent-photos" => ("GET", format!("{photos}?limit={PHOTOS}")),
            other => panic!("the table of captions has another pattern: {other}"),
        };
        let (function, event) = sizes::request(&runner, method, "ben", &path);
        assert_eq!(function.name, *name);
        let run = runner.run(function, &event).await.unwrap();
        let difference = costs.difference(&rules::costs(&run.operations));
        failures.extend(difference.map(|text| format!("{name}, {characters}: {text}\n{}", rules::listed(&run))));
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    let costs =
        |of: usize| &rows.iter().find(|(characters, name, _)| *characters == of && name == "add-reaction").unwrap().2;
    assert_eq!(costs(0), costs(150));
}
