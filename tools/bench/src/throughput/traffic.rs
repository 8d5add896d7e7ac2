//! What clients do: one visitor after the other signs up, does everything that can be done, and leaves no trace. So the
//! tables stay as large as they are. In between, four of five requests, they read the sample data.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use local::gateway::router::Router;
use local::stack::Stack;
use local::template::Template;
use reqwest::{Client, Method, Url};
use serde_json::{Value, json};

use super::tally::Tally;

/// How many reads follow each write.
const READS: usize = 4;

/// A request that answers with 200 whatever the visitors do.
struct Read {
    path: String,
    token: String,
}

/// The requests of `events/` to all routes that read.
fn reads(root: &Path, template: &Template, stack: &Stack) -> Result<Vec<Read>, String> {
    let functions = template.functions.iter();
    let readers = functions.filter(|function| function.routes.iter().any(|route| route.method == "GET"));
    readers
        .map(|function| {
            let file = root.join(format!("events/{}.json", function.name));
            let failed = |error: &dyn ToString| format!("{}: {}", file.display(), error.to_string());
            let event = fs::read(&file).map_err(|error| failed(&error))?;
            let event: Value = serde_json::from_slice(&event).map_err(|error| failed(&error))?;
            let text = |pointer| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            let path = match text("/rawQueryString") {
                "" => text("/rawPath").to_owned(),
                query => format!("{}?{query}", text("/rawPath")),
            };
            Ok(Read { path, token: stack.token(text("/requestContext/authorizer/jwt/claims/username"))? })
        })
        .collect()
}

/// What all clients share.
pub(crate) struct Traffic {
    api: Url,
    http: Client,
    router: Router,
    reads: Vec<Read>,
    visits: AtomicU32,
    tally: Mutex<Tally>,
}

/// Who does everything once.
struct Visitor<'a> {
    traffic: &'a Traffic,
    number: u32,
    name: String,
    token: String,
    next_read: usize,
}

impl Traffic {
    /// Traffic on this stack, which has the sample data.
    pub(crate) fn new(stack: &Stack, root: &Path, template: &Template) -> Result<Self, String> {
        Ok(Self {
            api: stack.api().parse().map_err(|error| format!("{}: {error}", stack.api()))?,
            http: Client::new(),
            router: Router::new(template)?,
            reads: reads(root, template, stack)?,
            visits: AtomicU32::new(1),
            tally: Mutex::default(),
        })
    }

    /// What was counted since this was asked last.
    pub(crate) fn take(&self) -> Tally {
        std::mem::take(&mut *self.tally())
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Never ends. What fails ends the visit and is counted.
    pub(crate) async fn visit_again_and_again(self: Arc<Self>) {
        loop {
            if let Err(error) = self.visit().await {
                *self.tally().errors.entry(error).or_default() += 1;
            }
        }
    }

    async fn visit(&self) -> Result<(), String> {
        let number = self.visits.fetch_add(1, Ordering::Relaxed);
        let name = format!("visitor-{number}");
        // Who edits the catalogues does everything else as anybody does.
        let token = self.token(&format!("{name}?group=editors")).await?;
        Visitor { traffic: self, number, name, token, next_read: 0 }.stay().await
    }

    async fn token(&self, username: &str) -> Result<String, String> {
        let answer = self.http.get(self.url(&format!("/local/token/{username}"))?).send().await;
        let token = match answer.and_then(reqwest::Response::error_for_status) {
            Ok(answer) => answer.text().await,
            Err(error) => Err(error),
        };
        token.map_err(|error| format!("token of {username}: {error:?}"))
    }

    fn url(&self, path: &str) -> Result<Url, String> {
        self.api.join(path).map_err(|error| format!("{path}: {error}"))
    }

    /// The answer, unless it is no success.
    async fn send(&self, method: Method, path: &str, token: &str, body: Option<&Value>) -> Result<Vec<u8>, String> {
        let url = self.url(path)?;
        let route = self.router.resolve(method.as_str(), url.path());
        let route = route.map_err(|unrouted| format!("{method} {path}: {unrouted:?}"))?.route_key;
        let mut request = self.http.request(method, url).bearer_auth(token);
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let begin = Instant::now();
        let failed = |error: reqwest::Error| format!("{route}: {error:?}");
        let answer = request.send().await.map_err(failed)?;
        let status = answer.status();
        let body = answer.bytes().await.map_err(failed)?;
        if !status.is_success() {
            return Err(format!("{route}: {status} {}", String::from_utf8_lossy(&body)));
        }
        self.tally().count(route, begin.elapsed());
        Ok(body.into())
    }
}

impl Visitor<'_> {
    /// Every route that writes.
    async fn stay(mut self) -> Result<(), String> {
        let (name, me) = (self.name.clone(), format!("/users/{}", self.name));
        let mail = format!("{name}@example.com");
        self.post("/users", json!({"username": name, "name": "A visitor", "email": mail})).await?;
        self.patch(&me, json!({"status": "Just looking"})).await?;

        let photo = self.post(&format!("{me}/photos"), json!({"format": "jpeg"})).await?;
        let photo = format!("{me}/photos/{}", text(&photo, "timestamp")?);
        let heart = format!("{photo}/reactions/heart");
        self.put(&heart, None).await?;
        self.delete(&heart).await?;
        self.delete(&photo).await?;

        let ada = format!("/users/ada/followers/{name}");
        self.put(&ada, None).await?;
        self.delete(&ada).await?;

        let clip = json!({"dataType": "link", "title": "Tiles of Lisbon", "dataId": "tiles"});
        self.post(&format!("{me}/favorites"), clip).await?;
        let tag = self.post(&format!("{me}/tags"), json!({"tagName": "Travel"})).await?;
        let tag = text(&tag, "tagId")?.to_owned();
        let favorite = format!("{me}/favorites/tiles");
        let tagged = format!("{favorite}/tags/{tag}");
        self.put(&tagged, None).await?;
        self.patch(&format!("{me}/tags/{tag}"), json!({"tagName": "Voyages"})).await?;
        self.delete(&favorite).await?;
        self.write(Method::POST, &format!("{favorite}/restore"), None).await?;
        self.delete(&tagged).await?;
        self.delete(&format!("{me}/tags/{tag}")).await?;

        let song = format!("/music/{name}/Song");
        self.put(&song, Some(json!({"Genre": "Noise", "AlbumTitle": "Load"}))).await?;
        self.delete(&song).await?;
        let person = format!("/people/{}", 1_000_000 + self.number);
        self.put(&person, Some(json!({"Name": name}))).await?;
        self.patch(&person, json!({"Name": "Somebody else"})).await?;
        self.delete(&person).await?;

        // What is left goes with them: the favorite, and the counts.
        self.delete(&me).await?;
        Ok(())
    }

    async fn post(&mut self, path: &str, body: Value) -> Result<Value, String> {
        self.write(Method::POST, path, Some(body)).await
    }

    async fn put(&mut self, path: &str, body: Option<Value>) -> Result<Value, String> {
        self.write(Method::PUT, path, body).await
    }

    async fn patch(&mut self, path: &str, body: Value) -> Result<Value, String> {
        self.write(Method::PATCH, path, Some(body)).await
    }

    async fn delete(&mut self, path: &str) -> Result<Value, String> {
        self.write(Method::DELETE, path, None).await
    }

    async fn write(&mut self, method: Method, path: &str, body: Option<Value>) -> Result<Value, String> {
        let answer = self.traffic.send(method, path, &self.token, body.as_ref()).await?;
        for _ in 0..READS {
            let read = &self.traffic.reads[self.next_read];
            self.next_read = (self.next_read + 1) % self.traffic.reads.len();
            self.traffic.send(Method::GET, &read.path, &read.token, None).await?;
        }
        Ok(serde_json::from_slice(&answer).unwrap_or_default())
    }
}

fn text<'a>(answer: &'a Value, field: &str) -> Result<&'a str, String> {
    answer[field].as_str().ok_or_else(|| format!("{answer} has no {field}"))
}
