use super::*;
use serde_json::{Value, json};
use shared::dynamodb::Item;
use testing::{FAVORITE, Fault, Fixture, deletion};

/// Returns the answer of the function to a sign-up with this name.
async fn sign_up(fixture: &Fixture, name: &str) -> Result<Value, String> {
    let mut event = fixture.sample_event();
    event["userName"] = name.into();
    trigger(fixture, event).await
}

async fn trigger(fixture: &Fixture, event: Value) -> Result<Value, String> {
    fixture.trigger(RefuseUsedName::start, event).await
}

fn taken(name: &str) -> Result<Value, String> {
    Err(format!("The username {name} is taken. Choose another one."))
}

/// Returns an item of the table of favorites with this key and nothing else.
fn item(pk: &str, sk: &str) -> Item {
    [("pk", pk), ("sk", sk)].map(|(name, key)| (name.into(), S(key.into()))).into()
}

/// Puts a history of a favorite of zoe.
async fn put_history(fixture: &Fixture, sk: &str, ttl: u32) {
    let mut history = item("FavoriteDataHistory#zoe", sk);
    history.insert("ttl".to_owned(), N(ttl.to_string()));
    fixture.put_in(FAVORITE, history).await;
}

#[tokio::test]
async fn answers_the_sample_event_with_itself() {
    let fixture = Fixture::new("refuse-used-name").await;
    let before = fixture.all_items().await;
    for _ in 0..2 {
        assert_eq!(trigger(&fixture, fixture.sample_event()).await, Ok(fixture.sample_event()));
        assert_eq!(fixture.operations(), ["GetItem", "Query", "Query", "Query"]);
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn refuses_the_name_of_a_user_in_any_case() {
    let fixture = Fixture::new("refuse-used-name").await;
    for name in ["ada", "ADA", "Ada"] {
        assert_eq!(sign_up(&fixture, name).await, taken("ada"));
    }
    for other in ["ada2", "ad", "adam", "da"] {
        assert!(sign_up(&fixture, other).await.is_ok(), "{other}");
    }
}

#[tokio::test]
async fn refuses_a_name_that_no_comment_can_mention() {
    let fixture = Fixture::new("refuse-used-name").await;
    for name in ["vik-", "vik_", "Vik.", "a", "-vik"] {
        let expected = format!("The username must be {}.", <Username as shared::values::Value>::RULE);
        assert_eq!(sign_up(&fixture, name).await, Err(expected), "{name}");
    }
    assert_eq!(fixture.operations(), [""; 0]);
}

#[tokio::test]
async fn only_an_administrator_can_give_a_reserved_name() {
    let fixture = Fixture::new("refuse-used-name").await;
    for name in ["admin", "Support", "root", "me", "no-reply"] {
        let expected = format!("The username {} is reserved. Choose another one.", name.to_lowercase());
        assert_eq!(sign_up(&fixture, name).await, Err(expected));
    }
    assert_eq!(fixture.operations(), [""; 0]);
    let mut event = fixture.sample_event();
    event["userName"] = "support".into();
    event["triggerSource"] = "PreSignUp_AdminCreateUser".into();
    event["request"]["validationData"] = json!({"returnsName": "true"});
    assert_eq!(trigger(&fixture, event.clone()).await, Ok(event));
}

#[tokio::test]
async fn refuses_the_name_of_a_user_who_is_being_deleted() {
    let fixture = Fixture::new("refuse-used-name").await;
    assert!(sign_up(&fixture, "zoe").await.is_ok());
    fixture.put(deletion("zoe")).await;
    assert_eq!(sign_up(&fixture, "zoe").await, taken("zoe"));
}

#[tokio::test]
async fn refuses_the_name_of_somebody_without_a_profile_who_has_favorites_or_tags() {
    for kind in ["FavoriteData", "FavoriteDataHistory", "Tag"] {
        let fixture = Fixture::new("refuse-used-name").await;
        fixture.put_in(FAVORITE, item(&format!("{kind}#zoe"), "1")).await;
        assert_eq!(sign_up(&fixture, "zoe").await, taken("zoe"), "{kind}");
        assert!(sign_up(&fixture, "zoey").await.is_ok(), "{kind}");
    }
    let fixture = Fixture::new("refuse-used-name").await;
    for number in 0..=MAX_PAGE_ITEMS {
        put_history(&fixture, &number.to_string(), 1).await;
    }
    assert!(sign_up(&fixture, "zoe").await.is_ok(), "histories that have expired");
    put_history(&fixture, "zz", u32::MAX).await;
    assert_eq!(sign_up(&fixture, "zoe").await, taken("zoe"));
}

#[tokio::test]
async fn only_an_administrator_can_give_a_name_back() {
    let fixture = Fixture::new("refuse-used-name").await;
    for (source, returns_name, is_allowed) in [
        ("PreSignUp_AdminCreateUser", json!("true"), true),
        ("PreSignUp_AdminCreateUser", json!("false"), false),
        ("PreSignUp_AdminCreateUser", json!(null), false),
        ("PreSignUp_SignUp", json!("true"), false),
        ("PreSignUp_ExternalProvider", json!("true"), false),
    ] {
        let mut event = fixture.sample_event();
        event["userName"] = "ada".into();
        event["triggerSource"] = source.into();
        event["request"]["validationData"] = json!({"returnsName": returns_name});
        assert_eq!(trigger(&fixture, event).await.is_ok(), is_allowed, "{source} {returns_name}");
    }
}

#[tokio::test]
async fn refuses_a_name_that_no_profile_can_have() {
    let fixture = Fixture::new("refuse-used-name").await;
    for name in ["z", "zoe#1", "zoe@example.com", "zoë", "", &"z".repeat(33)] {
        let message = sign_up(&fixture, name).await.unwrap_err();
        assert!(message.starts_with("The username must be 2–32 characters of a–z, 0–9"), "{message}");
    }
    assert!(fixture.operations().is_empty());
}

#[tokio::test]
async fn refuses_every_name_while_dynamodb_does_not_answer() {
    let fixture = Fixture::new("refuse-used-name").await;
    fixture.inject([Fault::Error("ThrottlingException"); 40]);
    let message = trigger(&fixture, fixture.sample_event()).await.unwrap_err();
    assert_eq!(message, "The username could not be checked. Try again later.");
    fixture.clear_faults();
    assert!(trigger(&fixture, fixture.sample_event()).await.is_ok());
}

#[tokio::test]
async fn refuses_an_event_without_a_name() {
    let fixture = Fixture::new("refuse-used-name").await;
    for event in [json!({}), json!({"userName": 1}), json!(null)] {
        let message = trigger(&fixture, event).await.unwrap_err();
        assert_eq!(message, "The username could not be checked. Try again later.");
    }
}
