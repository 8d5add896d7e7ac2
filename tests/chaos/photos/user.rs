//! A user who sends one random write after the other, and records the acknowledged ones.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use reqwest::Method;
use serde_json::{Value, json};
use shared::ErrorKind;
use shared::values::{PictureId, ReactionType};
use testing::PNG;
use tests::upload::send_file;
use tokio::sync::watch;
use tokio::time::sleep;

use super::items::{CommentOn, Items, Photo};
use crate::harness::{Answer, Chaos, RetryingClient};

/// The begin and the acknowledgement of a request, by a logical clock.
pub(crate) type Span = (u64, u64);

/// The state that all users share.
pub(crate) struct Shared {
    clock: AtomicU64,
    usernames: Vec<String>,
    /// All photos, including deleted ones. A reaction to a deleted photo is rejected.
    photos: Mutex<Vec<Photo>>,
    /// All comments, including deleted ones.
    comments: Mutex<Vec<CommentOn>>,
    /// The comments that the owner of their photo has deleted.
    pub(crate) removed: Mutex<BTreeSet<CommentOn>>,
    /// The number of users that have been deleted.
    pub(crate) deletions: watch::Sender<usize>,
}

impl Shared {
    pub(crate) fn new(items: &Items) -> Self {
        Self {
            clock: AtomicU64::new(1),
            usernames: items.users.keys().cloned().collect(),
            photos: Mutex::new(items.photos.keys().cloned().collect()),
            comments: Mutex::new(items.comments.keys().cloned().collect()),
            removed: Mutex::default(),
            deletions: watch::Sender::new(0),
        }
    }

    fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }
}

/// A file that a user has uploaded.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) is_picture: bool,
    /// The id of the picture, if the photo shows this file.
    pub(crate) id: String,
}

/// A user with the state that follows from the acknowledged writes.
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) client: RetryingClient,
    shared: Arc<Shared>,
    finished: watch::Sender<usize>,
    random: StdRng,
    /// The status, or `None` while the user is deleted.
    pub(crate) status: Option<String>,
    pub(crate) pinned: Option<String>,
    pub(crate) photos: BTreeSet<String>,
    /// The photos of the sample data that may be pinned.
    pinnable: BTreeSet<String>,
    /// The numbers of the pictures of each photo that was made with several, in their order.
    pub(crate) several: BTreeMap<String, Vec<u64>>,
    /// The forms of all photos that the user has created, also of those that are deleted. Those of several pictures
    /// have `/` and the number after the id.
    forms: Vec<(String, Value)>,
    /// The files that S3 took for each form.
    pub(crate) files: BTreeMap<String, Vec<File>>,
    pub(crate) reactions: BTreeSet<(String, Photo)>,
    pub(crate) saved: BTreeSet<Photo>,
    /// The texts of the comments that the user has written.
    pub(crate) comments: BTreeMap<CommentOn, String>,
    /// The users whom this user follows, with the time of the last write.
    pub(crate) following: BTreeMap<String, Span>,
    /// The times at which the user was deleted.
    pub(crate) deletions: Vec<Span>,
    /// The number of uploads without an answer. Each of them can have created a photo with an
    /// unknown id.
    pub(crate) unknown_photos: usize,
    /// The number of comments without an answer. Each of them can have been added with an unknown
    /// id.
    pub(crate) unknown_comments: usize,
    /// The number of times that the user was created again.
    pub(crate) created: usize,
}

impl User {
    pub(crate) fn new(name: &str, chaos: &Chaos, shared: Arc<Shared>, random: StdRng, items: &Items) -> Self {
        let user = &items.users[name];
        let text = |attribute: &str| user[attribute].as_str().map(str::to_owned);
        Self {
            status: Some(text("status").unwrap_or_default()),
            pinned: text("pinnedImage"),
            photos: items.photos.keys().filter(|(owner, _)| owner == name).map(|(_, t)| t.clone()).collect(),
            pinnable: items.pinnable.iter().filter(|(owner, _)| owner == name).map(|(_, t)| t.clone()).collect(),
            several: BTreeMap::new(),
            forms: vec![],
            files: BTreeMap::new(),
            reactions: items
                .reactions
                .iter()
                .filter(|(reacting, ..)| reacting == name)
                .map(|(_, r, p)| (r.clone(), p.clone()))
                .collect(),
            saved: items.saved.iter().filter(|(owner, _)| owner == name).map(|(_, photo)| photo.clone()).collect(),
            comments: items
                .comments
                .iter()
                .filter(|((_, id), _)| id.ends_with(&format!("~{name}")))
                .map(|(comment, text)| (comment.clone(), text.clone()))
                .collect(),
            following: items
                .friendships
                .iter()
                .filter(|(following, _)| following == name)
                .map(|(_, followed)| (followed.clone(), (0, 0)))
                .collect(),
            deletions: vec![],
            unknown_photos: 0,
            unknown_comments: 0,
            created: 0,
            name: name.to_owned(),
            client: RetryingClient::new(chaos.stack.clone(), name),
            shared,
            finished: chaos.finished.clone(),
            random,
        }
    }

    /// Sends `writes` random requests. The one with the number `deletion` deletes the user.
    pub(crate) async fn write(mut self, writes: usize, deletion: Option<usize>) -> Self {
        for number in 0..writes {
            let draw = self.random.random_range(0..100);
            if self.status.is_none() && draw < 70 {
                self.create().await;
            } else if deletion == Some(number) {
                self.delete().await;
            } else {
                match draw {
                    0..16 => self.react().await,
                    16..23 => self.unreact().await,
                    23..30 => self.save().await,
                    30..34 => self.unsave().await,
                    34..42 => self.comment().await,
                    42..45 => self.edit_comment().await,
                    45..48 => self.delete_comment().await,
                    48..57 => self.follow().await,
                    57..63 => self.unfollow().await,
                    63..75 => self.upload().await,
                    75..83 => self.send_file_later().await,
                    83..90 => self.delete_photo().await,
                    90..94 => self.patch().await,
                    94..98 => self.arrange().await,
                    _ => self.delete().await,
                }
            }
            self.finished.send_modify(|finished| *finished += 1);
        }
        self
    }

    /// Returns whether a write succeeded. The only other result that is right is 404.
    fn succeeded(&self, path: &str, (status, body): &Answer) -> bool {
        match status {
            200 | 201 | 204 => true,
            404 => false,
            _ => panic!("{path} by {}: {status} {body}", self.name),
        }
    }

    fn random_photo(&mut self) -> Photo {
        self.shared.photos.lock().unwrap().choose(&mut self.random).unwrap().clone()
    }

    async fn react(&mut self) {
        let (reaction, photo) = (ReactionType::ALL.choose(&mut self.random).unwrap().as_ref(), self.random_photo());
        let path = format!("/users/{}/photos/{}/reactions/{reaction}", photo.0, photo.1);
        let answer = self.client.send(Method::PUT, &path, None).await;
        if self.succeeded(&path, &answer) {
            assert!(self.status.is_some(), "{} reacted while deleted", self.name);
            self.reactions.insert((reaction.to_owned(), photo));
        }
    }

    async fn unreact(&mut self) {
        let Some((reaction, photo)) = self.reactions.iter().choose(&mut self.random).cloned() else {
            return self.react().await;
        };
        let path = format!("/users/{}/photos/{}/reactions/{reaction}", photo.0, photo.1);
        let answer = self.client.send(Method::DELETE, &path, None).await;
        assert!(self.succeeded(&path, &answer));
        self.reactions.remove(&(reaction, photo));
    }

    async fn save(&mut self) {
        let photo = self.random_photo();
        let path = format!("/users/{}/saved/{}/{}", self.name, photo.0, photo.1);
        let answer = self.client.send(Method::PUT, &path, None).await;
        if self.succeeded(&path, &answer) {
            assert!(self.status.is_some(), "{} saved a photo while deleted", self.name);
            self.saved.insert(photo);
        }
    }

    async fn unsave(&mut self) {
        let Some(photo) = self.saved.iter().choose(&mut self.random).cloned() else {
            return self.save().await;
        };
        let path = format!("/users/{}/saved/{}/{}", self.name, photo.0, photo.1);
        let answer = self.client.send(Method::DELETE, &path, None).await;
        assert!(self.succeeded(&path, &answer));
        self.saved.remove(&photo);
    }

    fn random_text(&mut self) -> String {
        format!("@{} {}", self.name, self.random.random::<u32>())
    }

    async fn comment(&mut self) {
        let (photo, text) = (self.random_photo(), self.random_text());
        let path = format!("/users/{}/photos/{}/comments", photo.0, photo.1);
        let lost_answers = self.client.lost_answers;
        let answer = self.client.send(Method::POST, &path, Some(json!({ "text": text }))).await;
        self.unknown_comments += self.client.lost_answers - lost_answers;
        if self.succeeded(&path, &answer) {
            assert!(self.status.is_some(), "{} commented while deleted", self.name);
            let comment = (photo, answer.1["id"].as_str().unwrap().to_owned());
            self.shared.comments.lock().unwrap().push(comment.clone());
            self.comments.insert(comment, text);
        }
    }

    async fn edit_comment(&mut self) {
        let Some((photo, id)) = self.comments.keys().choose(&mut self.random).cloned() else {
            return self.comment().await;
        };
        let text = self.random_text();
        let path = format!("/users/{}/photos/{}/comments/{id}", photo.0, photo.1);
        let answer = self.client.send(Method::PATCH, &path, Some(json!({ "text": text }))).await;
        if self.succeeded(&path, &answer) {
            self.comments.insert((photo, id), text);
        }
    }

    /// Deletes a comment of the user, or one on a photo of the user.
    async fn delete_comment(&mut self) {
        let on_own_photo: Vec<CommentOn> = {
            let comments = self.shared.comments.lock().unwrap();
            comments.iter().filter(|((owner, _), _)| *owner == self.name).cloned().collect()
        };
        let Some(comment) = self.comments.keys().chain(&on_own_photo).choose(&mut self.random).cloned() else {
            return self.comment().await;
        };
        let path = format!("/users/{}/photos/{}/comments/{}", comment.0.0, comment.0.1, comment.1);
        let answer = self.client.send(Method::DELETE, &path, None).await;
        // The user may be deleted, and the comments with them.
        if self.succeeded(&path, &answer) {
            self.comments.remove(&comment);
            self.shared.removed.lock().unwrap().insert(comment);
        }
    }

    async fn follow(&mut self) {
        let others = self.shared.usernames.iter().filter(|other| **other != self.name);
        let other = others.choose(&mut self.random).unwrap().clone();
        let path = format!("/users/{other}/followers/{}", self.name);
        let begin = self.shared.now();
        let answer = self.client.send(Method::PUT, &path, None).await;
        match &answer {
            // The other user approves followers, and answers no request here.
            (202, _) => return,
            (409, problem) if problem["type"] == ErrorKind::YouBlock.description().uri => return,
            _ => {}
        }
        if self.succeeded(&path, &answer) {
            assert!(self.status.is_some(), "{} followed while deleted", self.name);
            self.following.insert(other, (begin, self.shared.now()));
        }
    }

    async fn unfollow(&mut self) {
        let Some(other) = self.following.keys().choose(&mut self.random).cloned() else {
            return self.follow().await;
        };
        let path = format!("/users/{other}/followers/{}", self.name);
        let answer = self.client.send(Method::DELETE, &path, None).await;
        assert!(self.succeeded(&path, &answer));
        self.following.remove(&other);
    }

    /// Creates a photo, and sends its file in most cases.
    async fn upload(&mut self) {
        let path = format!("/users/{}/photos", self.name);
        let lost_answers = self.client.lost_answers;
        let several = self.random.random_bool(0.3);
        let body = if several { json!({"pictures": [{"format": "webp"}, {}]}) } else { json!({"format": "webp"}) };
        let answer = self.client.send(Method::POST, &path, Some(body)).await;
        self.unknown_photos += self.client.lost_answers - lost_answers;
        if self.succeeded(&path, &answer) {
            assert!(self.status.is_some(), "{} uploaded while deleted", self.name);
            let id = answer.1["id"].as_str().unwrap().to_owned();
            self.shared.photos.lock().unwrap().push((self.name.clone(), id.clone()));
            self.photos.insert(id.clone());
            let first = self.forms.len();
            if several {
                let pictures = answer.1["pictures"].as_array().unwrap();
                let form = |picture: &Value| (format!("{id}/{}", picture["number"]), picture["upload"].clone());
                self.forms.extend(pictures.iter().map(form));
                self.several.insert(id, vec![1, 2]);
            } else {
                self.forms.push((id, answer.1["upload"].clone()));
            }
            for form in first..self.forms.len() {
                if self.random.random_bool(0.7) {
                    self.send_file(form).await;
                }
            }
        }
    }

    /// Sends a file with any earlier form, which may have been used already, and whose photo may
    /// have been deleted.
    async fn send_file_later(&mut self) {
        match self.forms.len() {
            0 => self.upload().await,
            forms => {
                let form = self.random.random_range(0..forms);
                self.send_file(form).await;
            }
        }
    }

    /// Sends a file with a form, and sometimes another one while the first is being processed.
    async fn send_file(&mut self, form: usize) {
        let (id, form) = &self.forms[form];
        loop {
            let is_picture = self.random.random_bool(0.8);
            // A decoder does not read beyond the end of the picture, so each file has other bytes.
            let file = [if is_picture { PNG } else { b"no picture" }, &self.random.random::<[u8; 8]>()].concat();
            send_file(&self.client.http, form, &file).await;
            let file = File { is_picture, id: PictureId::from_file(&file).to_string() };
            self.files.entry(id.clone()).or_default().push(file);
            if self.random.random_bool(0.7) {
                return;
            }
            sleep(Duration::from_millis(self.random.random_range(0..100))).await;
        }
    }

    async fn delete_photo(&mut self) {
        // The file of the newest photo may still be processed.
        let newest = self.photos.last().filter(|_| self.random.random());
        let Some(id) = newest.or_else(|| self.photos.iter().choose(&mut self.random)).cloned() else {
            return self.upload().await;
        };
        let path = format!("/users/{}/photos/{id}", self.name);
        let answer = self.client.send(Method::DELETE, &path, None).await;
        assert!(self.succeeded(&path, &answer));
        self.photos.remove(&id);
        self.several.remove(&id);
    }

    /// Turns the order of several pictures of a photo around, or removes the first one.
    async fn arrange(&mut self) {
        let Some((id, numbers)) = self.several.iter().choose(&mut self.random) else {
            return self.upload().await;
        };
        let (id, mut wanted) = (id.clone(), numbers.clone());
        let removes = self.random.random_bool(0.3);
        if removes && wanted.len() > 1 {
            wanted.remove(0);
        } else {
            wanted.reverse();
        }
        let path = format!("/users/{}/photos/{id}", self.name);
        let pictures: Vec<Value> = wanted.iter().map(|number| json!({"number": number})).collect();
        let answer = self.client.send(Method::PATCH, &path, Some(json!({ "pictures": pictures }))).await;
        // A photo keeps a picture that is not rejected.
        let is_refused = removes && matches!(answer.0, 400 | 409);
        if !is_refused && self.succeeded(&path, &answer) {
            self.several.insert(id, wanted);
        }
    }

    /// Changes the status or the pinned photo.
    async fn patch(&mut self) {
        let path = format!("/users/{}", self.name);
        let status = format!("{}", self.random.random::<u32>());
        // A photo that this user has created may still be pending, or may have expired.
        let pinned =
            self.photos.intersection(&self.pinnable).choose(&mut self.random).filter(|_| self.random.random()).cloned();
        let change = match &pinned {
            Some(id) => json!({"pinnedImage": {"username": self.name, "id": id}}),
            None => json!({"status": status}),
        };
        let answer = self.client.send(Method::PATCH, &path, Some(change)).await;
        if self.succeeded(&path, &answer) {
            assert!(self.status.is_some(), "{} changed the profile while deleted", self.name);
            match pinned {
                Some(id) => self.pinned = Some(format!("PHOTO#{}#{id}", self.name)),
                None => self.status = Some(status),
            }
        }
    }

    async fn delete(&mut self) {
        let path = format!("/users/{}", self.name);
        let begin = self.shared.now();
        let answer = self.client.send(Method::DELETE, &path, None).await;
        assert!(self.succeeded(&path, &answer));
        self.deletions.push((begin, self.shared.now()));
        self.status = None;
        self.pinned = None;
        self.photos.clear();
        self.several.clear();
        self.reactions.clear();
        self.saved.clear();
        self.comments.clear();
        self.following.clear();
        self.unknown_photos = 0;
        self.unknown_comments = 0;
        self.shared.deletions.send_modify(|deletions| *deletions += 1);
    }

    /// Creates the user again. Repeats the request while the deletion is unfinished or the name
    /// rests.
    async fn create(&mut self) {
        let status = format!("{}", self.random.random::<u32>());
        let body = json!({
            "username": self.name, "name": "Created again", "status": status,
            "email": format!("{}@example.com", self.name),
        });
        loop {
            let answer = self.client.send(Method::POST, "/users", Some(body.clone())).await;
            match answer.0 {
                200 | 201 => break,
                409 => sleep(Duration::from_millis(100)).await,
                _ => panic!("cannot create {}: {answer:?}", self.name),
            }
        }
        self.created += 1;
        self.status = Some(status);
    }
}
