//! The requests that a large deletion takes.

use super::*;

#[tokio::test]
async fn five_thousand_followers_take_5040_requests() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let mut items = vec![];
    for number in 0..5000 {
        let name = format!("u{number}");
        let mut follower = user(&name);
        follower.insert("following".into(), count(1));
        items.extend([follower, friendship("zoe", &name)]);
    }
    fixture.put_all(items);
    let deletion = deletion("zoe");
    fixture.put(deletion.clone()).await;

    handle(&fixture, record(user("zoe"), deletion)).await;
    let operations = fixture.operations();
    let everything = fixture.all_items().await;
    assert_eq!(left_of(&everything, "zoe"), Vec::<&String>::new());
    assert!(everything.values().all(|item| item["PK"] == "USER#ben" || item["following"].as_u64().unwrap_or(0) == 0));
    let number_of = |name: &str| operations.iter().filter(|operation| *operation == name).count();
    assert_eq!((number_of("TransactWriteItems"), number_of("Query"), operations.len()), (5001, 33, 5040));
}

#[tokio::test]
async fn a_thousand_followed_users_take_50_transactions() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let mut items = vec![];
    for number in 0..1000 {
        let name = format!("u{number}");
        let mut followed = user(&name);
        followed.insert("followers".into(), count(1));
        items.extend([followed, friendship(&name, "zoe")]);
    }
    fixture.put_all(items);
    let mut deletion = deletion("zoe");
    deletion.insert("following".into(), count(1000));
    fixture.put(deletion.clone()).await;

    handle(&fixture, record(user("zoe"), deletion)).await;
    let transactions = fixture.operations().into_iter().filter(|operation| operation == "TransactWriteItems").count();
    assert_eq!(transactions, 51, "the last one puts the timer");
    let everything = fixture.all_items().await;
    assert_eq!(left_of(&everything, "zoe"), Vec::<&String>::new());
    assert!(everything.values().all(|item| item["PK"] == "USER#ada" || item["followers"].as_u64().unwrap_or(0) == 0));
}
