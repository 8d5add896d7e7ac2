//! A user who writes at random, one thing after the other, and remembers what was acknowledged.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use local::stack::Stack;
use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::check::Items;

/// Owner and timestamp.
pub(crate) type Photo = (String, String);
/// When something was begun and when it was acknowledged, by a clock that only counts.
pub(crate) type Span = (u64, u64);

const REACTIONS: [&str; 4] = ["+1", "heart", "smiley", "sunglasses"];

/// What all users share.
pub(crate) struct World {
    stack: Arc<Stack>,
    http: Client,
    clock: AtomicU64,
    usernames: Vec<String>,
    /// Every photo there ever was: who reacts to one that is gone is refused.
    photos: Mutex<Vec<Photo>>,
    /// How many writes were answered.
    pub(crate) done: watch::Sender<usize>,
    /// How many users were deleted.
    pub(crate) deleted: watch::Sender<usize>,
}

impl World {
    pub(crate) fn new(stack: Arc<Stack>, items: &Items) -> Self {
        Self {
            stack,
            http: Client::new(),
            clock: AtomicU64::new(1),
            usernames: items.users.keys().cloned().collect(),
            photos: Mutex::new(items.photos.iter().cloned().collect()),
            done: watch::Sender::new(0),
            deleted: watch::Sender::new(0),
        }
    }

    fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }
}

/// A user, and all of theirs that was acknowledged.
pub(crate) struct User {
    pub(crate) name: String,
    world: Arc<World>,
    random: StdRng,
    /// None while they are deleted.
    pub(crate) status: Option<String>,
    pub(crate) pinned: Option<String>,
    pub(crate) photos: BTreeSet<String>,
    pub(crate) reactions: BTreeSet<(String, Photo)>,
    /// Whom they follow, and when that was written last.
    pub(crate) following: BTreeMap<String, Span>,
    /// When they were deleted.
    pub(crate) deletions: Vec<Span>,
    /// How many uploads had no answer: each may have left a photo that nobody knows of.
    pub(crate) unknown_photos: usize,
    pub(crate) lost: usize,
    pub(crate) created: usize,
}

impl User {
    pub(crate) fn new(name: String, world: Arc<World>, random: StdRng, items: &Items) -> Self {
        let user = &items.users[&name];
        let text = |attribute: &str| user[attribute].as_str().map(str::to_owned);
        Self {
            status: Some(text("status").unwrap_or_default()),
            pinned: text("pinnedImage"),
            photos: items.photos.iter().filter(|(owner, _)| *owner == name).map(|(_, t)| t.clone()).collect(),
            reactions: items
                .reactions
                .iter()
                .filter(|(who, ..)| *who == name)
                .map(|(_, r, p)| (r.clone(), p.clone()))
                .collect(),
            following: items
                .friendships
                .iter()
                .filter(|(who, _)| *who == name)
                .map(|(_, whom)| (whom.clone(), (0, 0)))
                .collect(),
            deletions: vec![],
            unknown_photos: 0,
            lost: 0,
            created: 0,
            name,
            world,
            random,
        }
    }

    /// So many writes, at `farewell` their own deletion.
    pub(crate) async fn write(mut self, writes: usize, farewell: Option<usize>) -> Self {
        for number in 0..writes {
            let draw = self.random.random_range(0..100);
            if self.status.is_none() && draw < 70 {
                self.create().await;
            } else if farewell == Some(number) {
                self.delete().await;
            } else {
                match draw {
                    0..30 => self.react().await,
                    30..42 => self.unreact().await,
                    42..60 => self.follow().await,
                    60..70 => self.unfollow().await,
                    70..80 => self.upload().await,
                    80..88 => self.delete_photo().await,
                    88..98 => self.patch().await,
                    _ => self.delete().await,
                }
            }
            self.world.done.send_modify(|done| *done += 1);
        }
        self
    }

    /// The same request until it is answered by a function. Its status and body.
    async fn send(&mut self, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        loop {
            let url = format!("{}{path}", self.world.stack.api());
            let request = self.world.http.request(method.clone(), url);
            let mut request = request.bearer_auth(self.world.stack.token(&self.name).unwrap());
            if let Some(body) = &body {
                request = request.header("content-type", "application/json").body(body.to_string());
            }
            let answer = request.send().await.unwrap();
            let status = answer.status().as_u16();
            if ![502, 503, 504].contains(&status) {
                return (status, answer.json().await.unwrap_or_default());
            }
            self.lost += 1;
            if method == Method::POST && path.ends_with("/photos") {
                self.unknown_photos += 1;
            }
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Whether it was done. If not, it must be because something is not there.
    fn done(&self, what: &str, (status, body): &(u16, Value)) -> bool {
        match status {
            200 | 201 | 204 => true,
            404 => false,
            _ => panic!("{what} by {}: {status} {body}", self.name),
        }
    }

    fn a_photo(&mut self) -> Photo {
        self.world.photos.lock().unwrap().choose(&mut self.random).unwrap().clone()
    }

    async fn react(&mut self) {
        let (reaction, photo) = (*REACTIONS.choose(&mut self.random).unwrap(), self.a_photo());
        let path = format!("/users/{}/photos/{}/reactions/{reaction}", photo.0, photo.1);
        let answer = self.send(Method::PUT, &path, None).await;
        if self.done(&path, &answer) {
            assert!(self.status.is_some(), "{} is deleted and reacts", self.name);
            self.reactions.insert((reaction.to_owned(), photo));
        }
    }

    async fn unreact(&mut self) {
        let Some((reaction, photo)) = self.reactions.iter().choose(&mut self.random).cloned() else {
            return self.react().await;
        };
        let path = format!("/users/{}/photos/{}/reactions/{reaction}", photo.0, photo.1);
        let answer = self.send(Method::DELETE, &path, None).await;
        assert!(self.done(&path, &answer));
        self.reactions.remove(&(reaction, photo));
    }

    async fn follow(&mut self) {
        let others = self.world.usernames.iter().filter(|other| **other != self.name);
        let other = others.choose(&mut self.random).unwrap().clone();
        let path = format!("/users/{other}/followers/{}", self.name);
        let begin = self.world.now();
        let answer = self.send(Method::PUT, &path, None).await;
        if self.done(&path, &answer) {
            assert!(self.status.is_some(), "{} is deleted and follows", self.name);
            self.following.insert(other, (begin, self.world.now()));
        }
    }

    async fn unfollow(&mut self) {
        let Some(other) = self.following.keys().choose(&mut self.random).cloned() else {
            return self.follow().await;
        };
        let path = format!("/users/{other}/followers/{}", self.name);
        let answer = self.send(Method::DELETE, &path, None).await;
        assert!(self.done(&path, &answer));
        self.following.remove(&other);
    }

    async fn upload(&mut self) {
        let path = format!("/users/{}/photos", self.name);
        let answer = self.send(Method::POST, &path, Some(json!({"format": "webp"}))).await;
        if self.done(&path, &answer) {
            assert!(self.status.is_some(), "{} is deleted and uploads", self.name);
            let timestamp = answer.1["timestamp"].as_str().unwrap().to_owned();
            self.world.photos.lock().unwrap().push((self.name.clone(), timestamp.clone()));
            self.photos.insert(timestamp);
        }
    }

    async fn delete_photo(&mut self) {
        let Some(timestamp) = self.photos.iter().choose(&mut self.random).cloned() else {
            return self.upload().await;
        };
        let path = format!("/users/{}/photos/{timestamp}", self.name);
        let answer = self.send(Method::DELETE, &path, None).await;
        assert!(self.done(&path, &answer));
        self.photos.remove(&timestamp);
    }

    /// A new status, or another pinned photo.
    async fn patch(&mut self) {
        let path = format!("/users/{}", self.name);
        let status = format!("{}", self.random.random::<u32>());
        let pinned = self.photos.iter().choose(&mut self.random).filter(|_| self.random.random()).cloned();
        let change = match &pinned {
            Some(timestamp) => json!({"pinnedImage": timestamp}),
            None => json!({"status": status}),
        };
        let answer = self.send(Method::PATCH, &path, Some(change)).await;
        if self.done(&path, &answer) {
            assert!(self.status.is_some(), "{} is deleted and has a profile", self.name);
            match pinned {
                Some(timestamp) => self.pinned = Some(format!("PHOTO#{}#{timestamp}", self.name)),
                None => self.status = Some(status),
            }
        }
    }

    async fn delete(&mut self) {
        let path = format!("/users/{}", self.name);
        let begin = self.world.now();
        let answer = self.send(Method::DELETE, &path, None).await;
        assert!(self.done(&path, &answer));
        self.deletions.push((begin, self.world.now()));
        self.status = None;
        self.pinned = None;
        self.photos.clear();
        self.reactions.clear();
        self.following.clear();
        self.unknown_photos = 0;
        self.world.deleted.send_modify(|deleted| *deleted += 1);
    }

    /// Until the name is free.
    async fn create(&mut self) {
        let status = format!("{}", self.random.random::<u32>());
        let body = json!({
            "username": self.name, "name": "Back again", "status": status,
            "email": format!("{}@example.com", self.name),
        });
        loop {
            let answer = self.send(Method::POST, "/users", Some(body.clone())).await;
            match answer.0 {
                200 | 201 => break,
                409 => sleep(Duration::from_millis(100)).await,
                _ => panic!("{} can't be created: {answer:?}", self.name),
            }
        }
        self.created += 1;
        self.status = Some(status);
    }
}
