//! Photos of several pictures.

use super::*;
use testing::Answer;

const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// Returns the `Pictures` of a photo of ada in an answer.
async fn pictures(fixture: &Fixture, photo: &Value) -> Value {
    fixture.item(Key::pictures(&"ada".parse().unwrap(), &photo["id"].as_str().unwrap().parse().unwrap())).await
}

async fn upload(fixture: &Fixture, body: &Value) -> Answer {
    fixture.call(UploadPhoto::start, post(body)).await
}

#[tokio::test]
async fn puts_the_pictures_beside_the_photo_and_answers_a_form_or_a_request_for_each() {
    let fixture = Fixture::new("upload-photo").await;
    let before = fixture.all_items().await.len();
    let put = json!({"format": "jpeg", "upload": "put", "bytes": 3, "sha256": SHA256});
    let body = json!({"caption": "Two days", "pictures": [{"altText": "A pier", "format": "webp"}, put, {}]});
    let answer = upload(&fixture, &body).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    assert_eq!(fixture.all_items().await.len(), before + 2);
    let id = answer.body["id"].as_str().unwrap();
    let shown = &answer.body["pictures"];
    let of = |index: usize| ["number", "status", "altText"].map(|name| shown[index][name].clone());
    assert_eq!(of(0), [json!(1), json!("pending"), json!("A pier")]);
    assert_eq!(of(1), [json!(2), json!("pending"), Value::Null]);
    assert_eq!(shown[0]["upload"]["fields"]["key"], format!("incoming/ada/{id}/1"));
    assert_eq!(shown[0]["upload"]["fields"]["Content-Type"], "image/webp");
    let url = shown[1]["upload"]["url"].as_str().unwrap();
    assert!(url.contains("/incoming/ada/20") && url.contains("Z/2?"), "{url}");
    assert_eq!(shown[2]["upload"]["fields"]["key"], format!("incoming/ada/{id}/3"));
    assert_eq!((answer.body.get("upload"), &answer.body["pictureCount"]), (None, &json!(3)));

    let item = fixture.item(key(&answer.body)).await;
    assert_eq!((&item["pictures"], &item["altText"], &item["unready"]), (&json!(3), &json!("A pier"), &json!(true)));
    assert_eq!(item["picture"], json!({"status": "pending"}));
    let pending = |number: u32| json!({"number": number, "picture": {"status": "pending"}});
    let mut first = pending(1);
    first["altText"] = "A pier".into();
    assert_eq!(
        pictures(&fixture, &answer.body).await,
        json!({
            "PK": "USER#ada", "SK": format!("PICTURES#ada#{id}"), "timestamp": id, "version": 1, "next": 4,
            "entries": [first, pending(2), pending(3)],
        })
    );
}

#[tokio::test]
async fn a_repetition_answers_new_forms_for_the_pictures_that_are_pending() {
    let fixture = Fixture::new("upload-photo").await;
    let body = json!({"pictures": [{"altText": "A pier"}, {}]});
    let keyed = || post(&body).header("idempotency-key", "one");
    let first = fixture.call(UploadPhoto::start, keyed()).await;
    let record = fixture.all_items_of(testing::FAVORITE).await["IdempotencyKey#ada photos#one"].clone();
    let made: Value = serde_json::from_str(record["made"].as_str().unwrap()).unwrap();
    assert_eq!(made["pictures"][0], json!({"number": 1, "status": "pending", "altText": "A pier"}));
    let before = fixture.all_items().await;
    let id = first.body["id"].as_str().unwrap().parse().unwrap();
    let owner = "ada".parse().unwrap();
    let table = fixture.unrecorded_table(testing::QUICK_PHOTOS);
    let found = get_pictures(&table, &owner, &id).await.unwrap().unwrap();
    let settled = found.settled(shared::values::PictureNumber::FIRST, testing::ready(b"file"), None).unwrap();
    let put = settled.put_new(&table.name, &owner).unwrap();
    fixture.put(put.item).await;
    let _ = fixture.operations();
    let second = fixture.call(UploadPhoto::start, keyed()).await;
    assert_eq!(fixture.operations(), ["TransactWriteItems", "GetItem", "GetItem"]);
    assert_eq!((second.status, &second.body["id"]), (200, &first.body["id"]));
    let shown = |index: usize| &second.body["pictures"][index];
    assert_eq!((&shown(0)["status"], shown(0).get("upload")), (&json!("ready"), None));
    assert_eq!(shown(1)["upload"]["fields"]["key"], first.body["pictures"][1]["upload"]["fields"]["key"]);
    assert_eq!(fixture.all_items().await.len(), before.len());
    // The photo is deleted.
    fixture.put(testing::photo_deletion("ada", id.as_ref(), 0)).await;
    let third = fixture.call(UploadPhoto::start, keyed()).await;
    assert_eq!((third.status, &third.body["pictures"]), (200, &made["pictures"]));
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_puts_the_pictures_once() {
    let fixture = Fixture::new("upload-photo").await;
    let before = fixture.all_items().await.len();
    fixture.inject([Fault::AnswerLost]);
    assert_eq!(upload(&fixture, &json!({"pictures": [{}, {}]})).await.status, 201);
    assert_eq!(fixture.all_items().await.len(), before + 2);
}

#[tokio::test]
async fn a_photo_has_two_to_ten_pictures_or_the_fields_of_one() {
    let fixture = Fixture::new("upload-photo").await;
    let before = fixture.all_items().await;
    let ten = vec![json!({}); 10];
    let eleven = vec![json!({}); 11];
    for bad in
        [json!([]), json!([{}]), json!(eleven), json!({}), json!("x"), json!(null), json!([{}, 1]), json!([{}, null])]
    {
        fixture.refuses_field(UploadPhoto::start, post(&json!({ "pictures": bad })), "pictures").await;
    }
    for (name, value) in [
        ("format", json!("png")),
        ("altText", json!("A pier")),
        ("upload", json!("put")),
        ("bytes", json!(3)),
        ("sha256", json!(SHA256)),
    ] {
        let body = json!({"pictures": [{}, {}], (name): value});
        let answer = upload(&fixture, &body).await;
        let message = json!("must be left out if pictures is given");
        let errors = answer.body["errors"].as_array().unwrap();
        assert!(errors.iter().any(|error| error["field"] == name && error["message"] == message), "{}", answer.body);
        assert_eq!(answer.status, 400);
    }
    for (bad, field) in [
        (json!({"format": "gif"}), "pictures[1].format"),
        (json!({"altText": " "}), "pictures[1].altText"),
        (json!({"upload": "put", "bytes": 3}), "pictures[1].sha256"),
        (json!({"number": 1}), "pictures[1].number"),
        (json!({"caption": "x"}), "pictures[1].caption"),
    ] {
        fixture.refuses_field(UploadPhoto::start, post(&json!({"pictures": [{}, bad]})), field).await;
    }
    assert_eq!(fixture.all_items().await, before);
    assert_eq!(upload(&fixture, &json!({ "pictures": ten })).await.status, 201);
}

#[tokio::test]
async fn refuses_other_callers_for_several_pictures_too() {
    let fixture = Fixture::new("upload-photo").await;
    fixture.refuses(UploadPhoto::start, post(&json!({"pictures": [{}, {}]})).by("ben"), 403).await;
}
