use super::*;
use shared::entities::{Alert, Position};

fn alert(follower: &str, author: &str) -> Item {
    let position = Position { author: author.parse().unwrap(), id: ADAS_PHOTO.parse().unwrap() };
    Alert::new(follower.parse().unwrap(), &position).item().unwrap()
}

#[tokio::test]
async fn deletes_the_alerts_of_the_user_and_no_others() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = deletion("zoe");
    fixture.put_all(vec![alert("zoe", "ada"), alert("zoe", "ben"), alert("ben", "ada"), deletion.clone()]);
    handle(&fixture, record(user("zoe"), deletion)).await;
    let everything = fixture.all_items().await;
    let alerts: Vec<_> = everything.keys().filter(|key| key.contains("#ALERT#")).collect();
    assert_eq!(alerts, [&format!("USER#ben #ALERT#ada#{ADAS_PHOTO}")]);
    assert_eq!(left_of(&everything, "zoe"), Vec::<&String>::new());
}
