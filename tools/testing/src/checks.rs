//! Checks that many functions share: the bad input that they reject, the callers that they refuse,
//! and the paging of lists.

use aws_sdk_dynamodb::types::AttributeValue;
use axum::http::header;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use local::sample::{FAVORITE, QUICK_PHOTOS};
use serde_json::{Value, json};
use shared::Route;
use shared::dynamodb::Item;
use shared::entities::{Key, Picture};
use shared::values::Level;

use crate::fixture::{Fixture, Start};
use crate::items::{block, deletion, friendship, photo_with, ready, user, with, with_count};
use crate::test_request::{Answer, TestRequest, request};

impl Fixture {
    /// Asserts that the function rejects the request with a problem of this status and sends no
    /// request to DynamoDB.
    pub async fn refuses<R: Route>(&self, start: impl Start<R>, request: TestRequest, status: u16) -> Answer {
        let _ = self.operations();
        let what = format!("{request:.300?}");
        let answer = self.call(start, request).await;
        assert_eq!(answer.status, status, "{what}: {}", answer.body);
        assert_eq!(answer.headers[header::CONTENT_TYPE], "application/problem+json", "{what}");
        assert_eq!(answer.body["status"], status, "{what}");
        assert!(self.operations().is_empty(), "{what}: the function sent a request to DynamoDB");
        answer
    }

    /// Asserts that the function rejects the request because of this one field and sends no request
    /// to DynamoDB.
    pub async fn refuses_field<R: Route>(&self, start: impl Start<R>, request: TestRequest, field: &str) {
        let what = format!("{request:.300?}");
        let answer = self.refuses(start, request, 400).await;
        assert_eq!(answer.fields(), [field], "{what}: {}", answer.body);
    }

    /// Asserts that the function rejects the request because another body came with its idempotency
    /// key before.
    pub async fn refuses_another_body<R: Route>(&self, start: impl Start<R>, request: TestRequest) {
        let answer = self.call(start, request).await;
        assert_eq!((answer.status, answer.problem()), (422, "idempotency-key-reused"), "{}", answer.body);
        assert_eq!(answer.headers[header::CONTENT_TYPE], "application/problem+json");
    }

    /// Asserts that the route needs a token, and that the username in the token is a valid one.
    pub async fn needs_a_caller<R: Route>(&self, start: impl Start<R>, request: TestRequest) {
        self.refuses(start, TestRequest { caller: None, ..request.clone() }, 401).await;
        for name in ["", "Ada", "a#b", "USER$"] {
            let answer = self.refuses(start, request.clone().by(name), 403).await;
            assert_eq!(answer.problem(), "unusable-token", "{name}");
        }
    }

    /// Asserts that the route rejects invalid usernames in the path parameter `parameter`.
    pub async fn refuses_bad_usernames<R: Route>(
        &self,
        start: impl Start<R>,
        parameter: &str,
        request: impl Fn(&str) -> TestRequest,
    ) {
        for name in ["a", "Ada", "a%23b", "USER$", "a%00b", "%F0%9F%98%80", "..ada", "-ada", &"a".repeat(33)] {
            self.refuses_field(start, request(name).by("ada"), parameter).await;
        }
    }

    /// Asserts that a list of ada's photos shows those that are not ready to her alone, and a
    /// pending one that has expired to nobody. DynamoDB deletes an expired item some days later.
    pub async fn shows_unfinished_photos_to_their_owner<R: Route>(&self, start: impl Start<R>, path: &str) {
        let [pending, rejected, is_ready, removed] =
            ["2026-01-01T00:00:00", "2026-01-02T00:00:00", "2026-01-03T00:00:00", "2026-01-04T00:00:00"];
        let sizes = ready(b"file").sizes().cloned();
        self.put(photo_with("ada", pending, Picture::Pending)).await;
        self.put(photo_with("ada", rejected, crate::items::rejected())).await;
        self.put(photo_with("ada", is_ready, ready(b"file"))).await;
        self.put(photo_with("ada", removed, Picture::Removed { reason: shared::values::ReportReason::Spam, sizes }))
            .await;
        let seen_by = async |caller: &'static str| {
            let (mut ids, mut cursor) = (vec![], String::new());
            loop {
                let page = self.call(start, request("GET", format!("{path}?limit=1{cursor}")).by(caller)).await.body;
                let photos = page["photos"].as_array().expect("photos").iter();
                ids.extend(photos.map(|photo| photo["id"].as_str().expect("an id").to_owned()));
                let Some(next) = page["nextCursor"].as_str() else { break };
                cursor = format!("&cursor={next}");
            }
            ids.sort();
            ids
        };
        let old = ["2024-05-30T15:42:38", "2024-06-09T13:49:13"];
        assert_eq!(seen_by("ben").await, [&old[..], &[is_ready]].concat());
        assert_eq!(seen_by("ada").await, [&old[..], &[pending, rejected, is_ready, removed]].concat());
        let key = Key::photo(&"ada".parse().expect("a username"), &pending.parse().expect("an id"));
        self.set_ttl(QUICK_PHOTOS, key, 1).await;
        assert_eq!(seen_by("ada").await, [&old[..], &[rejected, is_ready, removed]].concat());
    }

    /// Asserts that a list has the picture of a sensitive photo without URLs, unless it is the caller's own
    /// or the setting of the caller says so. Two photos of `owner` are in the list of ben, this one, which
    /// gets the hashtag #dawn, and another one, which is not sensitive.
    pub async fn hides_sensitive_pictures<R: Route>(
        &self,
        start: impl Start<R>,
        (owner, photo): (&str, &str),
        request: impl Fn(&str) -> TestRequest,
    ) {
        let captioned = with(photo_with(owner, photo, ready(b"file")), "caption", "#dawn");
        let sensitive = with(captioned, "sensitive", "nudity");
        for (by, item) in [("owner", sensitive.clone()), ("moderator", with(sensitive, "sensitiveBy", "moderator"))] {
            self.put_in(QUICK_PHOTOS, item).await;
            for (setting, has_urls) in [(None, false), (Some("hide"), false), (Some("show"), true)] {
                let ben = setting.map_or_else(|| user("ben"), |setting| with(user("ben"), "sensitivePhotos", setting));
                self.put_in(QUICK_PHOTOS, ben).await;
                let answer = self.call(start, request("ben")).await;
                let shown = pictures(&answer.body);
                let marked: Vec<&&Value> = shown.iter().filter(|one| one.get("sensitive").is_some()).collect();
                assert_eq!(marked.len(), 1, "{}", answer.body);
                assert_eq!(marked[0]["sensitive"], json!({"reason": "nudity", "by": by}));
                assert!(marked[0]["blurhash"].is_string(), "{}", marked[0]);
                assert_eq!(has_url(marked[0]), has_urls, "{setting:?}: {}", marked[0]);
                assert!(marked[0].get("status").is_none_or(|status| status == "ready" && marked[0]["width"] == 1600));
                let others = shown.iter().filter(|one| one.get("sensitive").is_none());
                assert!(others.clone().count() > 0 && others.clone().all(|one| has_url(one)), "{}", answer.body);
            }
            let own = self.call(start, request(owner)).await;
            assert!(own.status != 200 || pictures(&own.body).iter().all(|one| has_url(one)), "{}", own.body);
        }
    }

    /// Asserts that cara can send a request about the photo of ada exactly if she may see it: as a
    /// follower if it is for followers, and unless ada blocks her. What others do does not matter.
    /// `request` returns a request with a number, which can have an effect of its own.
    pub async fn depends_on_access<R: Route>(&self, start: impl Start<R>, request: impl Fn(usize) -> TestRequest) {
        let put = async |item: Item| self.put_in(QUICK_PHOTOS, item).await;
        let photo = |audience: Option<&str>| {
            let photo = photo_with("ada", "2024-05-30T15:42:38", ready(b"file"));
            audience.map_or(photo.clone(), |audience| with(photo, "audience", audience))
        };
        let removed =
            Picture::Removed { reason: shared::values::ReportReason::Spam, sizes: ready(b"file").sizes().cloned() };
        for (number, (setup, may)) in [
            (vec![photo(Some("followers"))], false),
            (vec![photo(Some("me"))], false),
            (vec![photo(Some("followers")), friendship("ada", "ben")], false),
            (vec![friendship("ada", "cara")], true),
            (vec![photo(None), with_count(user("cara"), "blockedBy", 1), block("ben", "cara", Level::Block)], true),
            (vec![block("ada", "ben", Level::Block), block("ada", "cara", Level::Mute)], true),
            (vec![block("cara", "ada", Level::Block)], true),
            // Ben blocks cara, so there is more to learn than the audience.
            (vec![photo(Some("me"))], false),
            (vec![photo(None), block("ada", "cara", Level::Block)], false),
            (vec![photo(Some("followers"))], false),
            (vec![photo_with("ada", "2024-05-30T15:42:38", removed), friendship("ada", "cara")], false),
        ]
        .into_iter()
        .enumerate()
        {
            for item in setup {
                put(item).await;
            }
            let before = self.all_items().await;
            let answer = self.call(start, request(number)).await;
            assert_eq!(answer.status < 300, may, "{number}: {}", answer.body);
            if !may {
                assert_eq!(answer.status, 404, "{number}: {}", answer.body);
                assert_eq!(self.all_items().await, before, "{number}");
            }
        }
    }

    /// Asserts that the route is for the owner of the data only: the same request of any other user
    /// gets 403.
    pub async fn refuses_other_users<R: Route>(&self, start: impl Start<R>, request: TestRequest) {
        let owner = request.caller.clone().expect("a request of its owner");
        for stranger in ["ada", "ben", "cara", "nobody", "ad", "adaa"] {
            if stranger != owner {
                self.refuses(start, request.clone().by(stranger), 403).await;
            }
        }
    }

    /// Asserts that the sample event writes nothing under a name that another account has, or that
    /// rests after a deletion.
    pub async fn refuses_other_accounts<R: Route>(&self, start: impl Start<R>) {
        let event = self.sample_event();
        let caller = event["requestContext"]["authorizer"]["jwt"]["claims"]["username"].as_str().expect("a caller");
        let users = self.unrecorded_table(QUICK_PHOTOS);
        let mut of_another_account = user(caller);
        of_another_account.insert("subject".to_owned(), AttributeValue::S("another account".to_owned()));
        for (item, problem) in [(of_another_account, "other-account"), (deletion(caller), "no-profile")] {
            users.client.put_item().table_name(&users.name).set_item(Some(item)).send().await.expect("put");
            let everything = async || (self.all_items_of(QUICK_PHOTOS).await, self.all_items_of(FAVORITE).await);
            let before = everything().await;
            let answer = self.call_with_sample_event(start).await;
            assert_eq!(answer.problem(), problem, "{}", answer.body);
            assert_eq!(everything().await, before);
        }
    }

    /// Asserts that the route rejects invalid ids of favorites or tags in the path parameter
    /// `parameter`.
    pub async fn refuses_bad_ids<R: Route>(
        &self,
        start: impl Start<R>,
        parameter: &str,
        request: impl Fn(&str) -> TestRequest,
    ) {
        for id in ["-", ".", "a%20b", "a%23b", "%C3%A4", "a%00b", "a$", &"a".repeat(129)] {
            self.refuses_field(start, request(id).by("ben"), parameter).await;
        }
    }

    /// Asserts that the route rejects invalid ids of photos in its path.
    pub async fn refuses_bad_photo_ids<R: Route>(&self, start: impl Start<R>, request: impl Fn(&str) -> TestRequest) {
        for id in ["yesterday", "2024-05-30", "2024-02-30T00:00:00", "2024-05-30T15:42:38Z", "PHOTO%23ada"] {
            self.refuses_field(start, request(id).by("ada"), "photo").await;
        }
    }

    /// Asserts that the route rejects a body that is not a JSON object with known fields.
    pub async fn refuses_bad_bodies<R: Route>(&self, start: impl Start<R>, request: TestRequest) {
        for content_type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""] {
            self.refuses(start, request.clone().body(content_type, "{}"), 415).await;
        }
        let nested = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for body in [
            "{",
            "null",
            "[]",
            "\"{}\"",
            "{}{}",
            r#"{"name": "\ud800"}"#,
            r#"{"name": 1, "name": 1}"#,
            &nested,
            &format!(r#"{{"name": {nested}}}"#),
        ] {
            self.refuses(start, request.clone().body("application/json", body), 400).await;
        }
        self.refuses(start, request.clone().body("application/json", *b"{\"name\": \"\xff\"}"), 400).await;
        let five_megabytes = format!(r#"{{"name": "{}"}}"#, "x".repeat(5 << 20));
        self.refuses(start, request.clone().body("application/json", five_megabytes), 413).await;
        for unknown in ["PK", "username2", "followers", ""] {
            let answer = self.refuses(start, request.clone().json(&json!({ unknown: 1 })), 400).await;
            assert!(answer.fields().contains(&unknown), "{unknown}: {}", answer.body);
        }
    }

    /// Asserts that the list at `uri` rejects a `limit` that is not 1–100, and a cursor that it did
    /// not make for this list, this owner and this caller. The list must have two entries or more.
    /// `uri` may have a query string.
    pub async fn refuses_bad_pages<R: Route>(&self, start: impl Start<R>, uri: &str) {
        let list = request("GET", uri).by("ben");
        for limit in ["0", "101", "-1", "%2B5", "x", "", "1.5", "99999999999999999999"] {
            self.refuses_field(start, list.clone().query("limit", limit), "limit").await;
        }
        for (name, value) in [("limit", "5"), ("cursor", "x")] {
            self.refuses_field(start, list.clone().query(name, value).query(name, value), name).await;
        }
        let first = self.call(start, list.clone().query("limit", "1")).await;
        let cursor = first.body["nextCursor"]
            .as_str()
            .unwrap_or_else(|| panic!("the list at {uri} needs two entries or more: {}", first.body));
        let sealed = BASE64.decode(cursor).expect("base64");
        let mut bad = vec![String::new(), "x".to_owned(), BASE64.encode("{}"), cursor[1..].to_owned()];
        for at in [0, sealed.len() / 2, sealed.len() - 1] {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            bad.push(BASE64.encode(changed));
        }
        for cursor in bad {
            self.refuses_field(start, list.clone().query("cursor", &cursor), "cursor").await;
        }
        // A cursor fits neither another account of the same name nor another caller, unless the
        // whole list is the caller's own.
        let next = list.query("cursor", cursor);
        assert_eq!(self.call(start, next.clone()).await.status, 200, "{uri}");
        self.refuses_field(start, next.clone().of_account("another account"), "cursor").await;
        let of_another_caller = self.call(start, next.by("cara")).await;
        let is_refused = of_another_caller.fields() == ["cursor"] || of_another_caller.status == 403;
        assert!(is_refused, "{uri}: {}", of_another_caller.body);
    }

    /// Reads the list at `uri` in pages of two entries and returns all entries. Calls
    /// `between_pages` after each page but the last, for concurrent writes. `uri` may have a query
    /// string.
    pub async fn pages<R: Route>(
        &self,
        start: impl Start<R>,
        uri: &str,
        list: &str,
        between_pages: impl AsyncFn(&Self),
    ) -> Vec<Value> {
        let first = request("GET", uri).by("ben").query("limit", "2");
        let mut next = first.clone();
        let mut entries = vec![];
        loop {
            assert!(entries.len() < 200, "the list at {uri} does not end");
            let page = self.call(start, next).await;
            assert_eq!(page.status, 200, "{}", page.body);
            let of_page = page.body[list].as_array().unwrap_or_else(|| panic!("no {list} in {}", page.body));
            assert!(of_page.len() <= 2, "{}", page.body);
            entries.extend(of_page.iter().cloned());
            match page.body["nextCursor"].as_str() {
                Some(cursor) => next = first.clone().query("cursor", cursor),
                None => return entries,
            }
            between_pages(self).await;
        }
    }
}

/// Returns the pictures in an answer, at any depth.
fn pictures(body: &Value) -> Vec<&Value> {
    match body {
        Value::Object(fields) if fields.contains_key("blurhash") => vec![body],
        Value::Object(fields) => fields.values().flat_map(pictures).collect(),
        Value::Array(values) => values.iter().flat_map(pictures).collect(),
        _ => vec![],
    }
}

fn has_url(picture: &Value) -> bool {
    picture["urls"][0]["url"].is_string() || picture["small"].is_string()
}
