use super::*;
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use shared::entities::Key;
use testing::{Fault, Fixture, TestRequest, deletion, request};

fn dora() -> Value {
    json!({
        "username": "dora", "name": "Dora", "email": "dora@example.com", "birthdate": "1990-05-30",
        "address": "1 Main St\nSpringfield", "status": "New here", "interests": ["chess", "Füße"],
    })
}

fn post(body: &Value) -> TestRequest {
    request("POST", "/users").by("dora").json(body)
}

async fn stored(fixture: &Fixture, username: &str) -> Value {
    fixture.item(Key::user(&username.parse().unwrap())).await
}

#[tokio::test]
async fn creates_a_user_with_every_field() {
    let fixture = Fixture::new("create-user").await;
    let answer = fixture.call(CreateUser::start, post(&dora())).await;
    assert_eq!(answer.status, 201);
    assert_eq!(answer.headers["location"], "/users/dora");
    let mut expected = dora();
    expected["followers"] = json!(0);
    expected["following"] = json!(0);
    expected["photos"] = json!(0);
    assert_eq!(answer.body, expected);
    assert_eq!(fixture.operations(), ["PutItem"]);

    expected["PK"] = json!("USER#dora");
    expected["SK"] = json!("#METADATA#dora");
    expected["uploads"] = json!(0);
    let mut item = stored(&fixture, "dora").await;
    let item = item.as_object_mut().unwrap();
    assert_eq!(item.remove("subject"), Some(json!("dora")), "the token of the request has no `sub`");
    let creation_id = item.remove("creationId").unwrap();
    assert!(creation_id.as_str().unwrap().parse::<Uuid>().is_ok(), "{creation_id}");
    assert_eq!(json!(item), expected);
}

#[tokio::test]
async fn keeps_the_subject_of_the_token_and_shows_it_to_nobody() {
    let fixture = Fixture::new("create-user").await;
    for status in [201, 200] {
        let answer = fixture.call_with_sample_event(CreateUser::start).await;
        assert_eq!((answer.status, &answer.body["subject"]), (status, &Value::Null));
    }
    let claims = &fixture.sample_event()["requestContext"]["authorizer"]["jwt"]["claims"];
    assert_eq!(stored(&fixture, "dora").await["subject"], claims["sub"]);
}

#[tokio::test]
async fn creates_a_user_with_only_the_required_fields() {
    let fixture = Fixture::new("create-user").await;
    let answer = fixture
        .call(
            CreateUser::start,
            post(&json!({"username": "dora", "name": "Dora", "email": null, "birthdate": "", "status": ""})),
        )
        .await;
    assert_eq!(answer.status, 201);
    assert_eq!(
        answer.body,
        json!({
            "username": "dora", "name": "Dora", "interests": [], "followers": 0, "following": 0, "photos": 0,
        })
    );
}

#[tokio::test]
async fn a_new_user_may_approve_followers() {
    let fixture = Fixture::new("create-user").await;
    for (name, approves, expected) in [("dora", json!(true), Some(true)), ("eve", json!(false), None)] {
        let body = json!({"username": name, "name": "Somebody", "approvesFollowers": approves});
        let request = post(&body).by(name);
        for status in [201, 200] {
            let answer = fixture.call(CreateUser::start, request.clone()).await;
            assert_eq!((answer.status, answer.body["approvesFollowers"].as_bool()), (status, expected), "{name}");
        }
        assert_eq!(stored(&fixture, name).await["approvesFollowers"].as_bool(), expected);
    }
    let bad = json!({"username": "zoe", "name": "Zoe", "approvesFollowers": "yes"});
    fixture.refuses_field(CreateUser::start, post(&bad).by("zoe"), "approvesFollowers").await;
}

#[tokio::test]
async fn repeating_the_sample_event_changes_nothing() {
    let fixture = Fixture::new("create-user").await;
    assert_eq!(fixture.call_with_sample_event(CreateUser::start).await.status, 201);
    let before = fixture.all_items().await;
    assert_eq!(fixture.call_with_sample_event(CreateUser::start).await.status, 200);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_returns_201() {
    let fixture = Fixture::new("create-user").await;
    fixture.inject([Fault::AnswerLost]);
    let answer = fixture.call(CreateUser::start, post(&dora())).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!((&answer.headers["location"], &answer.body["name"]), (&"/users/dora".parse().unwrap(), &json!("Dora")));
    assert_eq!(fixture.operations(), ["PutItem"; 2]);

    fixture.inject([Fault::AnswerLost]);
    let repeated = fixture.call(CreateUser::start, post(&dora())).await;
    assert_eq!((repeated.status, &repeated.body), (200, &answer.body), "another request has created the user");
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_returns_201_although_the_user_has_changed_since() {
    let fixture = Fixture::new("create-user").await;
    fixture.inject([Fault::AnswerLost]);
    fixture.update_concurrently(
        1,
        json!({
            "Key": {"PK": {"S": "USER#dora"}, "SK": {"S": "#METADATA#dora"}},
            "ConditionExpression": "attribute_exists(username)",
            "UpdateExpression": "SET #name = :name, followers = :one",
            "ExpressionAttributeNames": {"#name": "name"},
            "ExpressionAttributeValues": {":name": {"S": "Theodora"}, ":one": {"N": "1"}},
        }),
    );
    let answer = fixture.call(CreateUser::start, post(&dora())).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(answer.body["name"], "Dora");
    assert_eq!(stored(&fixture, "dora").await["name"], "Theodora");
}

/// Only a PATCH has these fields.
#[tokio::test]
async fn a_repeated_request_finds_the_user_whose_settings_have_changed() {
    let fixture = Fixture::new("create-user").await;
    assert_eq!(fixture.call(CreateUser::start, post(&dora())).await.status, 201);
    fixture.update_concurrently(
        0,
        json!({
            "Key": {"PK": {"S": "USER#dora"}, "SK": {"S": "#METADATA#dora"}},
            "UpdateExpression": "SET pushOff = :off, quietHours = :hours, lockScreen = :screen, sensitivePhotos = :photos",
            "ExpressionAttributeValues": {
                ":off": {"L": [{"S": "reaction"}]},
                ":hours": {"M": {"from": {"S": "22:00"}, "to": {"S": "07:00"}, "timeZone": {"S": "Europe/Lisbon"}}},
                ":screen": {"S": "people"},
                ":photos": {"S": "show"},
            },
        }),
    );
    for status in [200, 200] {
        assert_eq!(fixture.call(CreateUser::start, post(&dora())).await.status, status);
    }
}

#[tokio::test]
async fn returns_409_for_an_existing_user_with_other_fields() {
    let fixture = Fixture::new("create-user").await;
    let before = fixture.all_items().await;
    let body = json!({"username": "ada", "name": "Someone else"});
    let answer = fixture.call(CreateUser::start, request("POST", "/users").by("ada").json(&body)).await;
    assert_eq!((answer.status, answer.problem()), (409, "profile-exists"));
    assert_eq!(answer.body["hint"], "PATCH /users/ada changes the profile.");
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_repeated_request_keeps_the_counts() {
    let fixture = Fixture::new("create-user").await;
    let before = fixture.all_items().await;
    for (username, count) in [("ada", "followers"), ("ben", "following")] {
        let mut same = fixture.item(Key::user(&username.parse().unwrap())).await;
        assert_eq!(same[count], 1);
        let fields = same.as_object_mut().unwrap();
        let others = [
            "PK",
            "SK",
            "followers",
            "following",
            "photos",
            "uploads",
            "commentsWritten",
            "pinnedImage",
            "pinnedPicture",
        ];
        fields.retain(|field, _| !others.contains(&field.as_str()));
        let answer = fixture.call(CreateUser::start, request("POST", "/users").by(username).json(&same)).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(answer.body[count], 1);
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn returns_403_for_the_username_of_another_caller() {
    let fixture = Fixture::new("create-user").await;
    fixture.needs_a_caller(CreateUser::start, post(&dora())).await;
    fixture.refuses(CreateUser::start, post(&dora()).by("ben"), 403).await;
}

#[tokio::test]
async fn keeps_every_digit_of_a_number_in_attributes() {
    let fixture = Fixture::new("create-user").await;
    let body = r#"{"username": "dora", "name": "Dora", "attributes":
        {"Camera": {"Lens": [35, 1.8], "Serial": 12345678901234567890123456789012345678}, "Empty": {}, "None": null}}"#;
    for status in [201, 200] {
        let request = request("POST", "/users").by("dora").body("application/json", body);
        let answer = fixture.call(CreateUser::start, request).await;
        assert_eq!(answer.status, status, "{}", answer.body);
        assert_eq!(answer.body["attributes"]["Camera"]["Lens"], json!([35, 1.8]));
    }
    let stored = fixture.unrecorded_table(testing::QUICK_PHOTOS);
    let get = stored.client.get_item().table_name(&stored.name);
    let item = get.set_key(Some(Key::user(&"dora".parse().unwrap()).into())).send().await.unwrap().item.unwrap();
    let serial = item["attributes"].as_m().unwrap()["Camera"].as_m().unwrap()["Serial"].as_n().unwrap();
    assert_eq!(serial, "12345678901234567890123456789012345678");
    let other = body.replace("35", "50");
    let answer =
        fixture.call(CreateUser::start, request("POST", "/users").by("dora").body("application/json", other)).await;
    assert_eq!(answer.status, 409);
}

#[tokio::test]
async fn names_the_path_of_an_invalid_attribute() {
    let fixture = Fixture::new("create-user").await;
    let large = format!(r#"{{"a": "{}"}}"#, "x".repeat(32 * 1024));
    for (attributes, field) in [
        ("[]", "attributes"),
        (r#"{"a": {"": 1}}"#, "attributes.a"),
        (r#"{"a": [1, 1e126]}"#, "attributes.a[1]"),
        (&large, "attributes"),
    ] {
        let body = format!(r#"{{"username": "dora", "name": "Dora", "attributes": {attributes}}}"#);
        let request = request("POST", "/users").by("dora").body("application/json", body);
        let answer = fixture.refuses(CreateUser::start, request, 400).await;
        assert_eq!(answer.fields(), [field], "{}", answer.body);
    }
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("create-user").await;
    fixture.refuses_bad_bodies(CreateUser::start, request("POST", "/users").by("dora")).await;
    let twice = r#"{"username": "dora", "name": "Dora", "name": "Dora"}"#;
    fixture.refuses(CreateUser::start, request("POST", "/users").by("dora").body("application/json", twice), 400).await;
    let patch = request("POST", "/users").by("dora").body("application/merge-patch+json", dora().to_string());
    fixture.refuses(CreateUser::start, patch, 415).await;
    let long = |length| json!("x".repeat(length));
    let bad = [
        ("username", vec![json!("a"), json!("a#b"), json!("dora-"), json!("admin"), json!(7), Value::Null]),
        (
            "name",
            vec![
                json!(" "),
                json!("\u{202e}Dora"),
                json!("\u{301}"),
                json!("Do\tra\r"),
                long(101),
                json!(["Dora"]),
                Value::Null,
            ],
        ),
        ("email", vec![json!("dora"), json!("x,dora@example.com"), long(255), json!(1)]),
        ("birthdate", vec![json!("1990-02-30"), json!("1899-12-31"), json!("9999-12-31"), json!(1990)]),
        ("address", vec![json!("a\u{b}b"), long(501), json!({"street": "Main"})]),
        ("status", vec![json!("\u{7}"), long(501), json!(true)]),
        ("interests", vec![json!("chess"), json!([1]), json!(vec!["chess"; 21]), json!([long(51)])]),
        ("pinnedImage", vec![json!("PHOTO#dora#2024-05-30T15:42:38"), json!(1)]),
    ];
    for (field, values) in bad {
        for value in values {
            let mut body = dora();
            body[field] = value;
            fixture.refuses_field(CreateUser::start, post(&body), field).await;
        }
    }
    let answer = fixture.refuses(CreateUser::start, post(&json!({"name": "", "color": "red"})), 400).await;
    assert_eq!(answer.fields(), ["username", "name", "color"], "one answer names every violation");
}

#[tokio::test]
async fn returns_409_for_a_name_that_rests() {
    let fixture = Fixture::new("create-user").await;
    let mut deletion = deletion("dora");
    deletion.insert("since".into(), AttributeValue::S("2026-11-20T10:00:00.000Z".into()));
    deletion.insert("until".into(), AttributeValue::S("2026-11-27T10:00:00.000Z".into()));
    fixture.put(deletion).await;
    let before = fixture.all_items().await;
    for account in ["dora", "another"] {
        let answer = fixture.call(CreateUser::start, post(&dora()).of_account(account)).await;
        assert_eq!(
            (answer.problem(), answer.body["detail"].as_str().unwrap()),
            (
                "username-resting",
                "The user dora was deleted at 2026-11-20T10:00:00.000Z. Nobody can take the name before \
                 2026-11-27T10:00:00.000Z."
            )
        );
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn another_account_with_the_name_gets_403() {
    let fixture = Fixture::new("create-user").await;
    assert_eq!(fixture.call(CreateUser::start, post(&dora()).of_account("first")).await.status, 201);
    assert_eq!(fixture.call(CreateUser::start, post(&dora()).of_account("second")).await.problem(), "other-account");
    assert_eq!(fixture.call(CreateUser::start, post(&dora()).of_account("first")).await.status, 200);
}

#[tokio::test]
async fn accepts_fields_of_the_maximum_length() {
    let fixture = Fixture::new("create-user").await;
    let long = |length| "😀".repeat(length);
    let body = json!({
        "username": "d".repeat(32), "name": long(100), "address": long(500), "status": long(500),
        "interests": vec![long(50); 20], "email": format!("{}@{}.example.com", "d".repeat(64), ["d".repeat(59), "d".repeat(58), "d".repeat(58)].join(".")),
    });
    let request =
        request("POST", "/users").by(&"d".repeat(32)).body("Application/JSON; charset=UTF-8", body.to_string());
    let answer = fixture.call(CreateUser::start, request).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
}

#[tokio::test]
async fn retries_after_a_transaction_conflict() {
    let fixture = Fixture::new("create-user").await;
    fixture.inject([Fault::Error("TransactionConflictException"); 3]);
    assert_eq!(fixture.call(CreateUser::start, post(&dora())).await.status, 201);
    assert_eq!(fixture.operations(), ["PutItem"; 4]);
}
