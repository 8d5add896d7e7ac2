//! Alerts, and the friendships that have them.

use ::testing;
use shared::entities::{Alert, Position, mark_alerts};

use super::test_data;

/// The photo and the author may be gone, and the follower may have unfollowed.
#[tokio::test]
async fn accepts_alerts_of_what_is_gone() {
    let table = test_data().await;
    let position = Position { author: "zoe".parse().unwrap(), id: "2024-05-30T15:42:38".parse().unwrap() };
    table.put([Alert::new("ada".parse().unwrap(), &position).item().unwrap()]).await;
    table.put([mark_alerts(testing::friendship("ada", "ben"), &"ada".parse().unwrap())]).await;
    assert_eq!(table.findings().await, [""; 0]);
}

#[tokio::test]
async fn reports_alerts_under_another_name_and_malformed_ones() {
    let table = test_data().await;
    table.put([mark_alerts(testing::friendship("ada", "ben"), &"cara".parse().unwrap())]).await;
    let position = Position { author: "ada".parse().unwrap(), id: "2024-05-30T15:42:38".parse().unwrap() };
    let alert = Alert::new("ben".parse().unwrap(), &position).item().unwrap();
    table.put([testing::with(alert, "follower", "cara")]).await;
    let findings = table.findings().await;
    let of = |sk: &str| findings.iter().find(|line| line.contains(sk)).unwrap_or_else(|| panic!("{sk}: {findings:?}"));
    assert!(of("#FRIEND#ben").ends_with("alertsOf is not the followed user"), "{findings:?}");
    assert!(
        of("#ALERT#ada#").ends_with("its attributes are those of a follower's alert, but its key is not"),
        "{findings:?}"
    );
}

/// A user who is lost has alerts too.
#[tokio::test]
async fn counts_the_alerts_of_a_lost_user() {
    let table = test_data().await;
    let position = Position { author: "ada".parse().unwrap(), id: "2024-05-30T15:42:38".parse().unwrap() };
    table.put([Alert::new("zoe".parse().unwrap(), &position).item().unwrap()]).await;
    let findings = table.findings().await;
    assert!(findings.len() == 1 && findings[0].contains("zoe") && findings[0].contains("1 alerts"), "{findings:?}");
}
