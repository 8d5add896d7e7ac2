//! The traffic of the load test. A client runs one visitor after the other. A visitor signs up, calls every route that
//! writes, and deletes everything again, so that the tables do not grow. After each write it reads the sample data, so
//! four of five requests are reads.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, ensure};
use local::gateway::router::Router;
use local::stack::Stack;
use local::template::Template;
use reqwest::{Client, Method, Url};
use serde_json::{Value, json};

use super::counts::Counts;

/// The number of reads after each write.
const READS_PER_WRITE: usize = 4;

/// A GET request for sample data that the visitors never change, so it always returns 200.
struct Read {
    path: String,
    token: String,
}

/// Returns the requests of `events/` for all routes that read.
fn reads(root: &Path, template: &Template, stack: &Stack) -> Result<Vec<Read>> {
    let functions = template.functions.iter();
    let readers = functions.filter(|function| function.routes.iter().any(|route| route.method == "GET"));
    readers
        .map(|function| {
            let file = root.join(format!("events/{}.json", function.name));
            let event = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let event: Value =
                serde_json::from_slice(&event).with_context(|| format!("{} is not JSON", file.display()))?;
            let text = |pointer| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            let path = match text("/rawQueryString") {
                "" => text("/rawPath").to_owned(),
                query => format!("{}?{query}", text("/rawPath")),
            };
            let username = text("/requestContext/authorizer/jwt/claims/username");
            Ok(Read { path, token: stack.token(username)? })
        })
        .collect()
}

/// The state that all clients share.
pub(super) struct Traffic {
    api: Url,
    http: Client,
    router: Router,
    reads: Vec<Read>,
    /// The number of the next visitor.
    next_visitor: AtomicU32,
    counts: Mutex<Counts>,
}

/// A user who calls every route that writes once.
struct Visitor<'a> {
    traffic: &'a Traffic,
    number: u32,
    username: String,
    token: String,
    next_read: usize,
}

impl Traffic {
    /// Prepares traffic for a stack that has the sample data.
    pub(super) fn new(stack: &Stack, root: &Path, template: &Template) -> Result<Self> {
        Ok(Self {
            api: stack.api().parse().with_context(|| format!("{} is not a URL", stack.api()))?,
            http: Client::new(),
            router: Router::new(template)?,
            reads: reads(root, template, stack)?,
            next_visitor: AtomicU32::new(1),
            counts: Mutex::default(),
        })
    }

    /// Returns the counts since the last call and resets them.
    pub(super) fn take_counts(&self) -> Counts {
        std::mem::take(&mut *self.counts())
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs one visitor after the other and never returns. A failure is counted and ends the visit.
    pub(super) async fn run_client(self: Arc<Self>) {
        loop {
            if let Err(error) = self.visit().await {
                self.counts().add_error(format!("{error:#}"));
            }
        }
    }

    async fn visit(&self) -> Result<()> {
        let number = self.next_visitor.fetch_add(1, Ordering::Relaxed);
        let username = format!("visitor-{number}");
        // The routes of the catalogues require the group; the other routes ignore it.
        let token = self.token(&format!("{username}?group=editors")).await?;
        Visitor { traffic: self, number, username, token, next_read: 0 }.call_every_write().await
    }

    async fn token(&self, username: &str) -> Result<String> {
        let token = async {
            let url = self.url(&format!("/local/token/{username}"))?;
            let answer = self.http.get(url).send().await?.error_for_status()?;
            anyhow::Ok(answer.text().await?)
        };
        token.await.with_context(|| format!("cannot get a token for {username}"))
    }

    fn url(&self, path: &str) -> Result<Url> {
        self.api.join(path).with_context(|| format!("{path} is not a path"))
    }

    /// Sends a request, counts it, and returns the body of the answer. An answer other than a success is an error.
    async fn send(&self, method: Method, path: &str, token: &str, body: Option<&Value>) -> Result<Vec<u8>> {
        let url = self.url(path)?;
        let route = self.router.resolve(method.as_str(), url.path());
        let route = route.map_err(|unrouted| anyhow!("no route for {method} {path}: {unrouted:?}"))?.route_key;
        let mut request = self.http.request(method, url).bearer_auth(token);
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let begin = Instant::now();
        let answer = request.send().await.with_context(|| format!("no answer from {route}"))?;
        let status = answer.status();
        let body = answer.bytes().await.with_context(|| format!("no complete answer from {route}"))?;
        ensure!(status.is_success(), "{route} answered {status} {}", String::from_utf8_lossy(&body));
        self.counts().add_success(route, begin.elapsed());
        Ok(body.into())
    }
}

impl Visitor<'_> {
    /// Calls every route that writes. At the end nothing of the visitor is left in the tables.
    async fn call_every_write(mut self) -> Result<()> {
        let (username, user) = (self.username.clone(), format!("/users/{}", self.username));
        let email = format!("{username}@example.com");
        self.post("/users", json!({"username": username, "name": "A visitor", "email": email})).await?;
        self.patch(&user, json!({"status": "Just looking"})).await?;

        let photo = self.post(&format!("{user}/photos"), json!({"format": "jpeg"})).await?;
        let photo = format!("{user}/photos/{}", text(&photo, "timestamp")?);
        let reaction = format!("{photo}/reactions/heart");
        self.put(&reaction, None).await?;
        self.delete(&reaction).await?;
        self.delete(&photo).await?;

        let friendship = format!("/users/ada/followers/{username}");
        self.put(&friendship, None).await?;
        self.delete(&friendship).await?;

        let favorite = json!({"dataType": "link", "title": "Tiles of Lisbon", "dataId": "tiles"});
        self.post(&format!("{user}/favorites"), favorite).await?;
        let tag = self.post(&format!("{user}/tags"), json!({"tagName": "Travel"})).await?;
        let tag_id = text(&tag, "tagId")?;
        let (tag, favorite) = (format!("{user}/tags/{tag_id}"), format!("{user}/favorites/tiles"));
        let tag_of_favorite = format!("{favorite}/tags/{tag_id}");
        self.put(&tag_of_favorite, None).await?;
        self.patch(&tag, json!({"tagName": "Voyages"})).await?;
        self.delete(&favorite).await?;
        self.write(Method::POST, &format!("{favorite}/restore"), None).await?;
        self.delete(&tag_of_favorite).await?;
        self.delete(&tag).await?;

        let song = format!("/music/{username}/Song");
        self.put(&song, Some(json!({"Genre": "Noise", "AlbumTitle": "Load"}))).await?;
        self.delete(&song).await?;
        let person = format!("/people/{}", 1_000_000 + self.number);
        self.put(&person, Some(json!({"Name": username}))).await?;
        self.patch(&person, json!({"Name": "Somebody else"})).await?;
        self.delete(&person).await?;

        // The deletion of the user also removes the restored favorite and the counts.
        self.delete(&user).await?;
        Ok(())
    }

    async fn post(&mut self, path: &str, body: Value) -> Result<Value> {
        self.write(Method::POST, path, Some(body)).await
    }

    async fn put(&mut self, path: &str, body: Option<Value>) -> Result<Value> {
        self.write(Method::PUT, path, body).await
    }

    async fn patch(&mut self, path: &str, body: Value) -> Result<Value> {
        self.write(Method::PATCH, path, Some(body)).await
    }

    async fn delete(&mut self, path: &str) -> Result<Value> {
        self.write(Method::DELETE, path, None).await
    }

    /// Sends a write and the reads that follow it. Returns the answer to the write.
    async fn write(&mut self, method: Method, path: &str, body: Option<Value>) -> Result<Value> {
        let answer = self.traffic.send(method, path, &self.token, body.as_ref()).await?;
        for _ in 0..READS_PER_WRITE {
            let read = &self.traffic.reads[self.next_read];
            self.next_read = (self.next_read + 1) % self.traffic.reads.len();
            self.traffic.send(Method::GET, &read.path, &read.token, None).await?;
        }
        Ok(serde_json::from_slice(&answer).unwrap_or_default())
    }
}

fn text<'a>(answer: &'a Value, field: &str) -> Result<&'a str> {
    answer[field].as_str().with_context(|| format!("the answer has no {field}: {answer}"))
}
