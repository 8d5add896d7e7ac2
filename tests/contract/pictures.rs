//! Tests that a photo of ten pictures costs what a photo of one does, where it has to.

use local::sample::QUICK_PHOTOS;
use testing::runner::Runner;
use tests::costs::patterns;

use crate::contract::{import, rules};

const ID: &str = "2024-01-01T00:00:00";

/// A reaction writes the photo, which has a copy of the first picture alone.
#[tokio::test]
async fn a_reaction_costs_the_same_however_many_pictures_the_photo_has() {
    let runner = Runner::new().await.unwrap();
    let pictures = vec![testing::ready(b"file"); 10];
    let items = [vec![testing::user("tess"), testing::user("otto")], testing::several("tess", ID, pictures).into()];
    import(&runner, QUICK_PHOTOS, items.concat());
    runner.harness.snapshot().unwrap();
    let patterns = patterns();
    let uri = format!("/users/tess/photos/{ID}/reactions/heart");
    let (function, event) = runner.request("PUT", "otto", &uri).unwrap();
    assert_eq!(function.name, "add-reaction");
    let run = runner.run(function, &event).await.unwrap();
    let pattern = &patterns["add-reaction"];
    assert_eq!((pattern.costs.writes, rules::failure("ten pictures", pattern, &pattern.costs, &run)), (11.0, None));
}
