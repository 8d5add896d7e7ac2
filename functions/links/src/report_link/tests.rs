use super::*;
use serde_json::{Value, json};
use testing::{Fault, Fixture, TestRequest, link, photo_with, ready, report, request, with};

const PHOTO: &str = "2024-07-01T10:00:00";
const TIME: &str = "2024-07-02T00:00:00.000Z";
const TOKEN: &str = "Zm9yLW9ubHktdGVzdGluZw";
const OF_PROFILE: &str = "cHJvZmlsZS1vZi1hZGEtMQ";

fn post(token: &str, reason: &str) -> TestRequest {
    request("POST", format!("/s/{token}/report")).json(&json!({"reason": reason}))
}

/// Adds the headers of CloudFront for a viewer with this address.
fn from(request: TestRequest, address: &str) -> TestRequest {
    request.header("x-links-key", "links").header("cloudfront-viewer-address", format!("{address}:443"))
}

/// Returns a fixture in which ada shares a photo and her profile.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("report-link").await;
    fixture.put(photo_with("ada", PHOTO, ready(b"file"))).await;
    fixture.put_all(link("ada", Some(PHOTO), TOKEN));
    fixture.put_all(link("ada", None, OF_PROFILE));
    fixture
}

async fn stored(fixture: &Fixture, id: &str) -> Value {
    fixture.item(Key::report(&id.parse().unwrap())).await
}

#[tokio::test]
async fn each_visitor_reports_a_link_once() {
    let fixture = fixture().await;
    let id = format!("ada~{PHOTO}");
    for (address, visitors) in
        [("192.0.2.1", 1), ("192.0.2.1", 1), ("192.0.2.2", 2), ("2001:db8::1", 3), ("2001:db8::2", 3)]
    {
        let answer = fixture.call(ReportLink::start, from(post(TOKEN, "spam"), address)).await;
        assert_eq!((answer.status, &answer.body), (204, &Value::Null));
        let report = stored(&fixture, &id).await;
        assert_eq!((&report["visitors"], &report["reasons"]), (&json!(visitors), &json!({"spam": visitors})));
        assert_eq!((&report["complaints"], &report["reportState"]), (&json!(0), &json!("open")));
    }
    let again = fixture.call(ReportLink::start, from(post(OF_PROFILE, "hate"), "192.0.2.1")).await;
    assert_eq!((again.status, &stored(&fixture, "ada").await["reasons"]), (204, &json!({"hate": 1})));
}

#[tokio::test]
async fn no_item_has_an_address_or_a_token_of_a_visitor() {
    let fixture = fixture().await;
    fixture.call(ReportLink::start, from(post(TOKEN, "spam"), "198.51.100.77")).await;
    let items = fixture.all_items().await;
    let visitors: Vec<_> = items.iter().filter(|(key, _)| key.starts_with("VISITOR#")).collect();
    let [(key, visitor)] = visitors[..] else { panic!("{visitors:?}") };
    let end = visitor["ttl"].as_u64().unwrap();
    assert!(end > EpochMillis::now().seconds() && end <= EpochMillis::now().seconds() + DAY_SECONDS);
    for (key, item) in [(key, visitor), (&String::new(), &stored(&fixture, &format!("ada~{PHOTO}")).await)] {
        let text = format!("{key} {item}");
        assert!(!text.contains("198.51") && !text.contains(TOKEN), "{text}");
    }
}

#[tokio::test]
async fn a_visitor_has_a_maximum_of_reports_a_day() {
    let fixture = fixture().await;
    fixture.call(ReportLink::start, from(post(TOKEN, "spam"), "192.0.2.1")).await;
    let items = fixture.all_items().await;
    let hash = items.iter().find_map(|(key, item)| key.starts_with("VISITOR#").then(|| &item["hash"])).unwrap();
    let key = Key::visitor(hash.as_str().unwrap());
    let with_reports = |reports: u64| {
        let mut item = Item::from(key.clone());
        item.insert("reports".to_owned(), N(reports.to_string()));
        item
    };
    fixture.put(with_reports(MAX_VISITOR_REPORTS)).await;
    let json = fixture.call(ReportLink::start, from(post(OF_PROFILE, "spam"), "192.0.2.1")).await;
    assert_eq!((json.status, json.problem()), (429, "too-many-reports-today"));
    let form =
        request("POST", format!("/s/{OF_PROFILE}/report")).body("application/x-www-form-urlencoded", "reason=spam");
    let page = fixture.call(ReportLink::start, from(form, "192.0.2.1")).await;
    assert!(page.status == 429 && page.body.as_str().unwrap().contains("Too many reports"), "{page:?}");
    let other = fixture.call(ReportLink::start, from(post(OF_PROFILE, "spam"), "192.0.2.2")).await;
    assert_eq!(other.status, 204);
    fixture.put(with_reports(MAX_VISITOR_REPORTS - 1)).await;
    let last = fixture.call(ReportLink::start, from(post(OF_PROFILE, "spam"), "192.0.2.1")).await;
    assert_eq!(last.status, 204);
}

#[tokio::test]
async fn a_form_gets_a_page() {
    let fixture = fixture().await;
    let form = |token: &str| {
        let form = request("POST", format!("/s/{token}/report"));
        form.body("application/x-www-form-urlencoded", "reason=self-harm")
    };
    let answer = fixture.call(ReportLink::start, form(TOKEN)).await;
    assert!(answer.status == 200 && answer.body.as_str().unwrap().contains("Thank you"), "{answer:?}");
    assert_eq!(stored(&fixture, &format!("ada~{PHOTO}")).await["reasons"], json!({"self-harm": 1}));
    let ended = fixture.call(ReportLink::start, form("guess")).await;
    assert!(ended.status == 404 && ended.body.as_str().unwrap().contains("This link has ended"));
}

#[tokio::test]
async fn a_report_joins_the_complaints_and_opens_a_dismissed_report_again() {
    let fixture = fixture().await;
    let id = format!("ada~{PHOTO}");
    fixture.put(with(report(&id, TIME, &[("spam", 2)]), "reportState", "dismissed")).await;
    assert_eq!(fixture.call(ReportLink::start, post(TOKEN, "spam")).await.status, 204);
    let report = stored(&fixture, &id).await;
    assert_eq!(
        (&report["complaints"], &report["visitors"], &report["reasons"]),
        (&json!(2), &json!(1), &json!({"spam": 3}))
    );
    assert!(report["reportState"] == "open" && report["timestamp"] != TIME);
}

/// The photo as it was before a decision, and the report as it is after it.
#[tokio::test]
async fn a_removed_photo_cannot_be_reported() {
    let fixture = fixture().await;
    fixture.put(with(report(&format!("ada~{PHOTO}"), TIME, &[("spam", 2)]), "reportState", "removed")).await;
    let before = fixture.all_items().await;
    let answer = fixture.call(ReportLink::start, post(TOKEN, "spam")).await;
    assert_eq!((answer.status, answer.problem()), (404, "no-link"));
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_report_that_comes_meanwhile_and_a_lost_answer_count_once() {
    let fixture = fixture().await;
    let id = format!("ada~{PHOTO}");
    fixture.write_concurrently(2, vec![report(&id, TIME, &[("spam", 1)])], vec![]);
    assert_eq!(fixture.call(ReportLink::start, post(TOKEN, "spam")).await.status, 204);
    assert_eq!(stored(&fixture, &id).await["reasons"], json!({"spam": 2}));
    fixture.inject([Fault::None, Fault::None, Fault::AnswerLost]);
    for _ in 0..2 {
        let _ = fixture.call(ReportLink::start, post(OF_PROFILE, "spam")).await;
    }
    assert_eq!(stored(&fixture, "ada").await["visitors"], 1);
}

#[tokio::test]
async fn what_no_link_opens_cannot_be_reported() {
    let fixture = fixture().await;
    for token in ["guess", "dGhpcy1pcy1hLWd1ZXNzLg"] {
        let answer = fixture.call(ReportLink::start, post(token, "spam")).await;
        assert_eq!((answer.status, answer.problem()), (404, "no-link"));
    }
    assert!(!fixture.all_items().await.keys().any(|key| key.contains("CASE") || key.contains("VISITOR")));
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = fixture().await;
    fixture.put_all(link("ada", Some("2024-06-09T13:49:13"), TOKEN));
    assert_eq!(fixture.call_with_sample_event(ReportLink::start).await.status, 200);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = fixture().await;
    for bad in [json!({}), json!({"reason": "dull"}), json!({"reason": 1})] {
        let request = request("POST", format!("/s/{TOKEN}/report")).json(&bad);
        fixture.refuses_field(ReportLink::start, request, "reason").await;
    }
    let form = |body: &'static str| {
        request("POST", format!("/s/{TOKEN}/report")).body("application/x-www-form-urlencoded", body)
    };
    fixture.refuses_field(ReportLink::start, form("reason=dull"), "reason").await;
    fixture.refuses_field(ReportLink::start, form("reason=spam&text=x"), "text").await;
    fixture.refuses(ReportLink::start, form("reason=spam&reason=hate"), 400).await;
    let large = "x".repeat(5 << 20);
    for (content_type, body, status) in [
        ("text/plain", "spam", 415),
        ("application/json", "{", 400),
        ("application/json", &format!(r#"{{"reason": "{large}"}}"#), 413),
        ("application/x-www-form-urlencoded", &format!("reason={large}"), 413),
    ] {
        let request = request("POST", format!("/s/{TOKEN}/report")).body(content_type, body);
        fixture.refuses(ReportLink::start, request, status).await;
    }
}
