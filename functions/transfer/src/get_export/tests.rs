use super::*;
use serde_json::json;
use shared::values::ExportState;
use testing::{FEED, Fixture, request};

/// The export of ben in the seed data.
const ID: &str = "01942205-8a10-7c3e-9f52-6b1d0c7e4a93";

async fn put(fixture: &Fixture, export: &Export) {
    fixture.put(entity::to_item(Key::export(&"ada".parse().unwrap()), export).unwrap()).await;
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("get-export").await;
    let answer = fixture.call_with_sample_event(GetExport::start).await;
    let expected = json!({
        "id": ID, "state": "queued", "created": "2024-07-20T06:30:00.000Z", "expires": "2100-01-01T00:00:00.000Z",
        "progress": {"photos": 0, "of": 0, "bytes": 0},
    });
    assert_eq!((answer.status, answer.body), (200, expected));
    assert_eq!(answer.headers["cache-control"], "no-store");
    assert_eq!(fixture.operations(), ["GetItem"]);
}

#[tokio::test]
async fn shows_the_url_of_a_file_that_is_ready_until_the_export_expires() {
    let fixture = Fixture::new("get-export").await;
    let mut export = Export { photos: 2, of: 3, bytes: 1000, ..Export::new("ada".parse().unwrap()) };
    let path = format!("/users/ada/exports/{}", export.id);
    for state in [ExportState::Running, ExportState::Failed, ExportState::Ready] {
        export.state = state;
        put(&fixture, &export).await;
        let body = fixture.call(GetExport::start, request("GET", &path).by("ada")).await.body;
        assert_eq!((&body["state"], &body["progress"]), (&json!(state), &json!({"photos": 2, "of": 3, "bytes": 1000})));
        let url = body["url"].as_str().map(|url| url.split_once('?').unwrap());
        if state != ExportState::Ready {
            assert_eq!(url, None);
            continue;
        }
        let (address, query) = url.unwrap();
        let (_, file) = address.split_once("/exports/").unwrap();
        assert_eq!(file, format!("ada/{}.zip", export.id));
        assert!(query.starts_with(&format!("until={}&", export.ttl)), "{query}");
    }
}

#[tokio::test]
async fn an_export_that_has_expired_and_one_of_before_do_not_exist() {
    let fixture = Fixture::new("get-export").await;
    let export = Export::new("ada".parse().unwrap());
    put(&fixture, &export).await;
    let get_id = async |id: &str| {
        fixture.call(GetExport::start, request("GET", format!("/users/ada/exports/{id}")).by("ada")).await.status
    };
    assert_eq!((get_id(export.id.as_ref()).await, get_id(ID).await), (200, 404));
    fixture.set_ttl(FEED, Key::export(&"ada".parse().unwrap()), 1).await;
    assert_eq!(get_id(export.id.as_ref()).await, 404);
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = Fixture::new("get-export").await;
    let good = |user: &str| request("GET", format!("/users/{user}/exports/{ID}")).by("ada");
    fixture.needs_a_caller(GetExport::start, good("ada")).await;
    fixture.refuses_other_users(GetExport::start, good("ada")).await;
    fixture.refuses_bad_usernames(GetExport::start, "username", good).await;
    for bad in ["x", "1", "01942205-8A10-7C3E-9F52-6B1D0C7E4A93"] {
        fixture
            .refuses_field(GetExport::start, request("GET", format!("/users/ada/exports/{bad}")).by("ada"), "id")
            .await;
    }
}

#[tokio::test]
async fn another_account_that_has_the_name_does_not_see_it() {
    let fixture = Fixture::new("get-export").await;
    let export = Export::new("another account".parse().unwrap());
    fixture.put(entity::to_item(Key::export(&"ada".parse().unwrap()), &export).unwrap()).await;
    let request = request("GET", format!("/users/ada/exports/{}", export.id)).by("ada");
    assert_eq!(fixture.call(GetExport::start, request).await.status, 404);
}
