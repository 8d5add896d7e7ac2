//! What many functions refuse in the same way, and how a list is paged.

use axum::http::{StatusCode, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::{Value, json};
use shared::{Error, Request, Response, Table};

use crate::fixture::{Answer, Fixture, TestRequest, request};

impl Fixture {
    /// Asserts that the request is refused with a problem of this status, before DynamoDB is asked anything.
    pub async fn refuses<F, A>(&self, handler: F, request: TestRequest, status: u16) -> Answer
    where
        F: Fn(Table, Request) -> A,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        let _ = self.operations();
        let what = format!("{request:.300?}");
        let answer = self.call(handler, request).await;
        assert_eq!(answer.status, status, "{what}: {}", answer.body);
        assert_eq!(answer.headers[header::CONTENT_TYPE], "application/problem+json", "{what}");
        assert_eq!(answer.body["status"], status, "{what}");
        let title = StatusCode::from_u16(status).expect("a status").canonical_reason();
        assert_eq!(answer.body["title"], json!(title), "{what}");
        assert!(self.operations().is_empty(), "{what}: DynamoDB was asked");
        answer
    }

    /// Asserts that the request is refused because of this field, before DynamoDB is asked anything.
    pub async fn refuses_field<F, A>(&self, handler: F, request: TestRequest, field: &str)
    where
        F: Fn(Table, Request) -> A,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        let what = format!("{request:.300?}");
        let answer = self.refuses(handler, request, 400).await;
        assert_eq!(answer.fields(), [field], "{what}: {}", answer.body);
    }

    /// Asserts what every route does: it needs a caller, whose name can be a user's.
    pub async fn needs_a_caller<F, A>(&self, handler: F, request: TestRequest)
    where
        F: Fn(Table, Request) -> A + Copy,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        self.refuses(handler, TestRequest { caller: None, ..request.clone() }, 401).await;
        for name in ["", "Ada", "a#b", "USER$"] {
            self.refuses(handler, request.clone().by(name), 403).await;
        }
    }

    /// Asserts what every route with a `{parameter}` does: it refuses names that can't be a user's, by `parameter`.
    pub async fn refuses_bad_usernames<F, A>(&self, handler: F, parameter: &str, request: impl Fn(&str) -> TestRequest)
    where
        F: Fn(Table, Request) -> A + Copy,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        for name in ["a", "Ada", "a%23b", "USER$", "a%00b", "%F0%9F%98%80", "..%2Fada", "-ada", &"a".repeat(33)] {
            self.refuses_field(handler, request(name).by("ada"), parameter).await;
        }
    }

    /// Asserts what every route of favorites and tags does: the request of its owner is refused from anybody else.
    pub async fn refuses_other_users<F, A>(&self, handler: F, request: TestRequest)
    where
        F: Fn(Table, Request) -> A + Copy,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        let owner = request.caller.clone().expect("a request of its owner");
        for stranger in ["ada", "ben", "cara", "nobody", "ad", "adaa"] {
            if stranger != owner {
                self.refuses(handler, request.clone().by(stranger), 403).await;
            }
        }
    }

    /// Asserts what every route with a `{dataId}` or `{tagId}` does: it refuses what can't be an id, by `parameter`.
    pub async fn refuses_bad_ids<F, A>(&self, handler: F, parameter: &str, request: impl Fn(&str) -> TestRequest)
    where
        F: Fn(Table, Request) -> A + Copy,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        for id in ["-", ".", "a%20b", "a%23b", "a%2Fb", "%C3%A4", "a%00b", "a$", &"a".repeat(129)] {
            self.refuses_field(handler, request(id).by("ben"), parameter).await;
        }
    }

    /// Asserts what every route with a `{timestamp}` does: it refuses what can't be a photo's.
    pub async fn refuses_bad_timestamps<F, A>(&self, handler: F, request: impl Fn(&str) -> TestRequest)
    where
        F: Fn(Table, Request) -> A + Copy,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        for timestamp in ["yesterday", "2024-05-30", "2024-02-30T00:00:00", "2024-05-30T15:42:38Z", "PHOTO%23ada"] {
            self.refuses_field(handler, request(timestamp).by("ada"), "timestamp").await;
        }
    }

    /// Asserts what every route with a body does: it refuses what isn't a JSON object with known fields.
    pub async fn refuses_bad_bodies<F, A>(&self, handler: F, request: TestRequest)
    where
        F: Fn(Table, Request) -> A + Copy,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        for content_type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""] {
            self.refuses(handler, request.clone().body(content_type, "{}"), 415).await;
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
            self.refuses(handler, request.clone().body("application/json", body), 400).await;
        }
        self.refuses(handler, request.clone().body("application/json", *b"{\"name\": \"\xff\"}"), 400).await;
        let five_megabytes = format!(r#"{{"name": "{}"}}"#, "x".repeat(5 << 20));
        self.refuses(handler, request.clone().body("application/json", five_megabytes), 413).await;
        for unknown in ["PK", "username2", "followers", ""] {
            let answer = self.refuses(handler, request.clone().json(&json!({ unknown: 1 })), 400).await;
            assert!(answer.fields().contains(&unknown), "{unknown}: {}", answer.body);
        }
    }

    /// Asserts what every list does: `limit` is 1–100, and a cursor is good for the list of the owner that it was made
    /// for, and for no other. The list at `uri` must have two entries or more.
    pub async fn refuses_bad_pages<F, A>(&self, handler: F, uri: &str)
    where
        F: Fn(Table, Request) -> A + Copy,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        for limit in ["0", "101", "-1", "%2B5", "x", "", "1.5", "99999999999999999999"] {
            self.refuses_field(handler, request("GET", format!("{uri}?limit={limit}")).by("ben"), "limit").await;
        }
        for twice in ["limit=5&limit=5", "cursor=x&cursor=x"] {
            let field = &twice[..twice.find('=').unwrap_or_default()];
            self.refuses_field(handler, request("GET", format!("{uri}?{twice}")).by("ben"), field).await;
        }
        let first = self.call(handler, request("GET", format!("{uri}?limit=1")).by("ben")).await;
        let cursor = first.body["nextCursor"].as_str().expect("a second page");
        let good = BASE64.decode(cursor).expect("a cursor is base64");
        assert!(!String::from_utf8_lossy(&good).contains('#'), "a key shows in the cursor");
        let good: Value = serde_json::from_slice(&good).expect("a cursor is JSON inside");
        let mut bad =
            vec![String::new(), "x".to_owned(), BASE64.encode("{}"), BASE64.encode("null"), cursor[1..].to_owned()];
        for (part, other) in [("list", "another"), ("owner", "cara"), ("last", "#"), ("PK", "USER#ada")] {
            let mut cursor = good.clone();
            cursor[part] = json!(other);
            bad.push(BASE64.encode(cursor.to_string()));
        }
        for cursor in bad {
            self.refuses_field(handler, request("GET", format!("{uri}?cursor={cursor}")).by("ben"), "cursor").await;
        }
    }

    /// All entries of the list at `uri`, two to a page. After each page `meanwhile` is given the fixture, to write.
    pub async fn pages<F, A>(&self, handler: F, uri: &str, list: &str, meanwhile: impl AsyncFn(&Self)) -> Vec<Value>
    where
        F: Fn(Table, Request) -> A + Copy,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        let mut entries = vec![];
        let mut cursor = String::new();
        loop {
            assert!(entries.len() < 200, "the list at {uri} comes to no end");
            let page = self.call(handler, request("GET", format!("{uri}?limit=2{cursor}")).by("ben")).await;
            assert_eq!(page.status, 200, "{}", page.body);
            let of_page = page.body[list].as_array().unwrap_or_else(|| panic!("no {list} in {}", page.body));
            assert!(of_page.len() <= 2, "{}", page.body);
            entries.extend(of_page.iter().cloned());
            match page.body["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return entries,
            }
            meanwhile(self).await;
        }
    }
}
