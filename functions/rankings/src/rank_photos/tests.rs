use super::*;
use serde_json::{Value, json};
use shared::entities::Position;
use testing::{FEED, Fault, Fixture};

/// The minute of the sample event.
const RANKING: &str = "Ranking 2025-01-01T12:00";

fn popular(level: u32, id: &str, owner: &str) -> PopularPhoto {
    PopularPhoto { level, photo: Position { id: id.parse().unwrap(), author: owner.parse().unwrap() } }
}

/// Returns a fixture with photos of four days.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("rank-photos").await;
    for one in [
        popular(3, "2025-01-01T11:00:00.000Z", "zoe"),
        popular(1, "2025-01-01T10:00:00.000Z", "yan"),
        popular(4, "2024-12-31T10:00:00.000Z", "yan"),
        popular(10, "2024-12-30T00:00:00.000Z", "ben"),
        popular(20, "2024-12-29T23:59:59.999Z", "ada"),
    ] {
        fixture.put_in(FEED, one.item()).await;
    }
    fixture
}

/// Returns the photos of the ranking of the sample event, each with its owner and its day.
async fn ranked(fixture: &Fixture) -> Vec<(String, String)> {
    let ranking = fixture.all_items_of(FEED).await.remove(RANKING).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let photos = ranking["photos"].as_array().into_iter().flatten();
    photos.map(|photo| (text(&photo["author"]), text(&photo["id"])[..10].to_owned())).collect()
}

fn expected() -> Vec<(String, String)> {
    let expected = [("ben", "2024-12-30"), ("zoe", "2025-01-01"), ("yan", "2024-12-31"), ("yan", "2025-01-01")];
    expected.map(|(owner, day)| (owner.to_owned(), day.to_owned())).into()
}

#[tokio::test]
async fn ranks_the_photos_of_the_last_three_days() {
    let fixture = fixture().await;
    fixture.tick(RankPhotos::start, fixture.sample_event()).await.unwrap();
    assert_eq!(fixture.operations(), ["Query", "Query", "Query", "PutItem"]);
    assert_eq!(ranked(&fixture).await, expected());
    let ranking = &fixture.all_items_of(FEED).await[RANKING];
    assert_eq!((&ranking["minute"], &ranking["ttl"]), (&json!("2025-01-01T12:00"), &json!(1_735_736_400)));
}

#[tokio::test]
async fn an_event_that_comes_twice_leaves_the_ranking_as_it_is() {
    let fixture = fixture().await;
    fixture.tick(RankPhotos::start, fixture.sample_event()).await.unwrap();
    fixture.put_in(FEED, popular(15, "2025-01-01T11:30:00.000Z", "dan").item()).await;
    let mut late = fixture.sample_event();
    late["time"] = json!("2025-01-01T12:00:59Z");
    for event in [fixture.sample_event(), late] {
        fixture.tick(RankPhotos::start, event).await.unwrap();
        assert_eq!(ranked(&fixture).await, expected());
    }
    let mut next = fixture.sample_event();
    next["time"] = json!("2025-01-01T12:01:00Z");
    fixture.tick(RankPhotos::start, next).await.unwrap();
    assert_eq!(ranked(&fixture).await, expected());
    let next = &fixture.all_items_of(FEED).await["Ranking 2025-01-01T12:01"]["photos"];
    assert_eq!((next.as_array().unwrap().len(), &next[0]["author"]), (5, &json!("dan")));
}

#[tokio::test]
async fn without_popular_photos_the_ranking_is_empty() {
    let fixture = Fixture::new("rank-photos").await;
    fixture.tick(RankPhotos::start, fixture.sample_event()).await.unwrap();
    assert_eq!(fixture.all_items_of(FEED).await[RANKING]["photos"], json!([]));
}

#[tokio::test]
async fn an_event_that_is_interrupted_anywhere_writes_all_or_nothing() {
    for position in 0..4 {
        let fixture = fixture().await;
        let before = [Fault::None].into_iter().cycle().take(position);
        // The SDK repeats each of the three Queries.
        fixture.inject(before.clone().chain([Fault::Error("ThrottlingException"); 30]));
        fixture.tick(RankPhotos::start, fixture.sample_event()).await.unwrap_err();
        fixture.clear_faults();
        assert_eq!(ranked(&fixture).await, []);
        fixture.inject(before.chain([Fault::AnswerLost]));
        fixture.tick(RankPhotos::start, fixture.sample_event()).await.unwrap();
        assert_eq!(ranked(&fixture).await, expected(), "{position}");
    }
}
