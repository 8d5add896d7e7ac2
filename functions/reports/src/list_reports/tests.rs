use super::*;
use serde_json::{Value, json};
use shared::entities::Picture;
use testing::{Fixture, TestRequest, comment, photo, photo_with, ready, report, request, user, with};

const PHOTO: &str = "2024-05-30T15:42:38";
const TIME: &str = "2024-06-01T00:00:00.000Z";

fn get(uri: &str) -> TestRequest {
    request("GET", uri).by("mona").of_group("moderators")
}

fn ids(body: &Value) -> Vec<&str> {
    body["reports"].as_array().unwrap().iter().map(|report| report["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn returns_the_reports_of_a_state_with_what_they_are_about() {
    let fixture = Fixture::new("list-reports").await;
    let id_of_comment = format!("ada~{PHOTO}~{TIME}~ben");
    let removed = Picture::Removed { reason: shared::values::ReportReason::Spam, sizes: None };
    fixture.put_all(vec![
        with(photo_with("ada", PHOTO, ready(b"x")), "audience", "me"),
        photo_with("ben", PHOTO, removed),
        comment("ben", TIME, "ada", PHOTO),
        report("ben", "2024-06-03T00:00:00.000Z", &[("hate", 1)]),
        report(&format!("ada~{PHOTO}"), "2024-06-01T00:00:00.000Z", &[("spam", 2), ("nudity", 1)]),
        report(&id_of_comment, "2024-06-02T00:00:00.000Z", &[("spam", 1)]),
        report("ada~2024-01-01T00:00:00", "2024-06-04T00:00:00.000Z", &[("spam", 1)]),
        with(report("cara", TIME, &[("spam", 1)]), "reportState", "dismissed"),
        with(report(&format!("ben~{PHOTO}"), TIME, &[("spam", 1)]), "reportState", "removed"),
    ]);
    let answer = fixture.call(ListReports::start, get("/reports")).await;
    assert_eq!((answer.status, fixture.operations()), (200, vec!["Query".to_owned(), "BatchGetItem".to_owned()]));
    let expected = [&format!("ada~{PHOTO}"), &id_of_comment, "ben", "ada~2024-01-01T00:00:00"];
    assert_eq!(ids(&answer.body), expected, "those that have waited longest first");
    assert_eq!(answer.body, fixture.call(ListReports::start, get("/reports?state=open")).await.body);
    assert_eq!(fixture.operations().len(), 2);
    let reports = answer.body["reports"].as_array().unwrap();
    assert_eq!(reports[0]["reasons"], json!({"spam": 2, "nudity": 1}));
    assert_eq!(
        (&reports[0]["username"], &reports[0]["photo"], &reports[0]["complaints"]),
        (&json!("ada"), &json!({"username": "ada", "id": PHOTO}), &json!(3))
    );
    assert!(reports[0]["reportedPhoto"]["urls"][0]["url"].is_string(), "a moderator sees a photo of any audience");
    assert_eq!(reports[1]["reportedComment"]["text"], "A comment by ben");
    assert_eq!((&reports[1]["comment"], reports[1].get("reportedPhoto")), (&json!(format!("{TIME}~ben")), None));
    assert_eq!((&reports[1]["username"], &reports[1]["photo"]["username"]), (&json!("ben"), &json!("ada")));
    for report in &reports[2..] {
        assert!(report.get("reportedPhoto").is_none() && report.get("reportedComment").is_none(), "{report}");
    }

    fixture.put(testing::comment_deletion("ben", TIME, "ada", PHOTO, 1)).await;
    let answer = fixture.call(ListReports::start, get("/reports")).await;
    assert!(answer.body["reports"][1].get("reportedComment").is_none(), "{}", answer.body);
    let _ = fixture.operations();

    let removed = fixture.call(ListReports::start, get("/reports?state=removed&include=people")).await;
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
    let photo = &removed.body["reports"][0]["reportedPhoto"];
    assert_eq!((&photo["status"], &photo["reason"]), (&json!("removed"), &json!("spam")));
    assert_eq!(removed.body["people"]["ben"]["name"], "Ben Okafor");
    assert_eq!(ids(&fixture.call(ListReports::start, get("/reports?state=dismissed")).await.body), ["cara"]);
}

#[tokio::test]
async fn a_photo_of_several_pictures_has_all_of_them_with_one_request_more() {
    let fixture = Fixture::new("list-reports").await;
    let id = format!("ada~{PHOTO}");
    let [photo, pictures] = testing::several("ada", PHOTO, [ready(b"x"), ready(b"y")]);
    fixture.put_all(vec![
        with(photo, "audience", "me"),
        pictures,
        photo_with("ben", PHOTO, ready(b"x")),
        report(&id, TIME, &[("spam", 1)]),
        report(&format!("ben~{PHOTO}"), "2024-06-02T00:00:00.000Z", &[("spam", 1)]),
    ]);
    let answer = fixture.call(ListReports::start, get("/reports")).await;
    assert_eq!(
        (answer.status, fixture.operations()),
        (200, ["Query", "BatchGetItem", "BatchGetItem"].map(str::to_owned).into())
    );
    let photo = |index: usize| &answer.body["reports"][index]["reportedPhoto"];
    assert_eq!((&photo(0)["pictures"][1]["number"], photo(1).get("pictures")), (&json!(2), None));
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("list-reports").await;
    fixture.put(report("ben", TIME, &[("spam", 1)])).await;
    let answer = fixture.call_with_sample_event(ListReports::start).await;
    assert_eq!((answer.status, ids(&answer.body)), (200, vec!["ben"]));
}

#[tokio::test]
async fn pages_show_each_report_once_while_others_report() {
    let fixture = Fixture::new("list-reports").await;
    for second in 1..7 {
        fixture
            .put(report(&format!("user{second}"), &format!("2024-06-01T00:00:0{second}.000Z"), &[("spam", 1)]))
            .await;
    }
    // Two of the same time.
    fixture.put(report("user0", "2024-06-01T00:00:03.000Z", &[("spam", 1)])).await;
    let mut found = vec![];
    let mut path = "/reports?limit=2".to_owned();
    loop {
        let page = fixture.call(ListReports::start, get(&path)).await.body;
        found.extend(ids(&page).into_iter().map(ToOwned::to_owned));
        fixture.put(report("early", "2024-06-01T00:00:00.000Z", &[("spam", 1)])).await;
        fixture.put(with(report("user9", TIME, &[("spam", 1)]), "reportState", "dismissed")).await;
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        path = format!("/reports?limit=2&cursor={cursor}");
    }
    found.sort();
    assert_eq!(found, ["user0", "user1", "user2", "user3", "user4", "user5", "user6"]);
    let first = fixture.call(ListReports::start, get("/reports?limit=1")).await;
    let other_state = get("/reports?state=removed").query("cursor", first.body["nextCursor"].as_str().unwrap());
    fixture.refuses_field(ListReports::start, other_state, "cursor").await;
}

#[tokio::test]
async fn moderators_do_not_read_reports_about_themselves() {
    let fixture = Fixture::new("list-reports").await;
    // A user, two photos and a comment of mona, and a comment of ben on a photo of hers.
    let of_ben = format!("mona~{PHOTO}~{TIME}~ben");
    let [photo, comment] = [format!("mona~{PHOTO}"), format!("ada~{PHOTO}~{TIME}~mona")];
    let reported = ["ada", &photo, "mona", &comment, &of_ben, "mona~2020-01-01T00:00:00"];
    for (second, id) in reported.iter().enumerate() {
        fixture.put(report(id, &format!("2024-06-01T00:00:0{second}.000Z"), &[("spam", 1)])).await;
    }
    for limit in 1..=reported.len() {
        let mut found = vec![];
        let mut path = format!("/reports?include=people&limit={limit}");
        for _ in 0..=reported.len() / limit {
            let page = fixture.call(ListReports::start, get(&path)).await.body;
            found.extend(ids(&page).into_iter().map(ToOwned::to_owned));
            let Some(cursor) = page["nextCursor"].as_str() else { break };
            path = format!("/reports?include=people&limit={limit}&cursor={cursor}");
        }
        assert_eq!(found, ["ada", &of_ben], "{limit}");
    }
    assert_eq!(ids(&fixture.call(ListReports::start, get("/reports").by("nora")).await.body), reported);
}

#[tokio::test]
async fn a_page_has_at_most_as_many_reports_as_one_batch_reads() {
    let fixture = Fixture::new("list-reports").await;
    let users = (100..160).map(|number| user(&format!("user{number}")));
    let photos = (100..160).map(|number| photo(&format!("user{number}"), PHOTO));
    let reports = (100..160).map(|number| report(&format!("user{number}~{PHOTO}"), TIME, &[("spam", 1)]));
    fixture.put_all(users.chain(photos).chain(reports).collect());
    let answer = fixture.call(ListReports::start, get("/reports?limit=100&include=people")).await;
    assert_eq!((ids(&answer.body).len(), fixture.operations().len()), (50, 2));
    assert!(answer.body["nextCursor"].is_string());
}

#[tokio::test]
async fn only_moderators_read_reports() {
    let fixture = Fixture::new("list-reports").await;
    fixture.needs_a_caller(ListReports::start, get("/reports")).await;
    fixture.refuses(ListReports::start, request("GET", "/reports").by("ada"), 403).await;
    for group in ["editors", "moderator", "Moderators"] {
        fixture.refuses(ListReports::start, request("GET", "/reports").by("ada").of_group(group), 403).await;
    }
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("list-reports").await;
    for (name, value) in [("state", "closed"), ("include", "viewer"), ("limit", "0"), ("cursor", "x")] {
        fixture.refuses_field(ListReports::start, get("/reports").query(name, value), name).await;
    }
}
