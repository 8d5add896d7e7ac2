//! A client of an owner, who has others. What it has for itself it knows exactly, and remembers what was acknowledged; what
//! it shares with the owner's other clients makes them meet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use local::stack::Stack;
use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::sleep;

const TYPES: [&str; 9] = ["image", "video", "link", "file", "music", "chat", "voice", "note", "position"];
/// How many favorites a client has for itself, and how many its owner's clients share.
const OWN: usize = 4;
const SHARED: usize = 3;

pub(crate) struct Client {
    owner: &'static str,
    /// What the names of all begin with that is the client's own.
    prefix: String,
    stack: Arc<Stack>,
    http: reqwest::Client,
    random: StdRng,
    done: watch::Sender<usize>,
    /// The client's own favorites that are there, with the client's own tags on them.
    favorites: BTreeMap<String, BTreeSet<String>>,
    /// Those that were taken out, with the tags that they had.
    histories: BTreeMap<String, BTreeSet<String>>,
    /// The client's own tags, with their names.
    tags: BTreeMap<String, String>,
    pub(crate) lost: usize,
    /// How many requests of each kind did something.
    pub(crate) kinds: BTreeMap<&'static str, usize>,
}

impl Client {
    pub(crate) fn new(
        owner: &'static str,
        number: usize,
        stack: Arc<Stack>,
        random: StdRng,
        done: watch::Sender<usize>,
    ) -> Self {
        Self {
            owner,
            prefix: format!("client{number}-"),
            stack,
            http: reqwest::Client::new(),
            random,
            done,
            favorites: BTreeMap::new(),
            histories: BTreeMap::new(),
            tags: BTreeMap::new(),
            lost: 0,
            kinds: BTreeMap::new(),
        }
    }

    /// So many requests, one after the other.
    pub(crate) async fn write(mut self, requests: usize) -> Self {
        for _ in 0..requests {
            let own = self.random.random_bool(0.5);
            match self.random.random_range(0..100) {
                0..20 => self.clip(own).await,
                20..30 => self.unclip(own).await,
                30..38 => self.restore(own).await,
                38..50 => self.create_tag(own).await,
                50..55 => self.rename_tag(own).await,
                55..61 => self.delete_tag(own).await,
                61..83 => self.tag(own).await,
                83..91 => self.untag(own).await,
                _ => self.read().await,
            }
            self.done.send_modify(|done| *done += 1);
        }
        self
    }

    /// The same request until it is answered by a function. Its status and body.
    async fn send(&mut self, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        loop {
            let url = format!("{}/users/{}/{path}", self.stack.api(), self.owner);
            let token = self.stack.token(self.owner).unwrap();
            let mut request = self.http.request(method.clone(), url).bearer_auth(token);
            if let Some(body) = &body {
                request = request.json(body);
            }
            let answer = request.send().await.unwrap();
            let status = answer.status().as_u16();
            if ![502, 503, 504].contains(&status) {
                return (status, answer.json().await.unwrap_or_default());
            }
            self.lost += 1;
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Whether it was done. If not, what stands in the way must be something that another client may have done.
    fn done(&mut self, kind: &'static str, own: bool, (status, body): &(u16, Value)) -> bool {
        match status {
            200 | 201 | 204 => *self.kinds.entry(kind).or_default() += 1,
            404 | 409 if !own => {}
            _ => panic!("{kind} by {} of {}: {status} {body}", self.prefix, self.owner),
        }
        *status < 300
    }

    fn a_favorite(&mut self, own: bool) -> String {
        if own {
            format!("{}{}", self.prefix, self.random.random_range(0..OWN))
        } else {
            format!("shared-{}", self.random.random_range(0..SHARED))
        }
    }

    /// One of the client's own tags, or any tag of the owner's.
    async fn a_tag(&mut self, own: bool) -> Option<String> {
        if own {
            return self.tags.keys().choose(&mut self.random).cloned();
        }
        let tags = self.send(Method::GET, "tags?limit=100&sort=created", None).await.1;
        let is_shared = |tag: &&Value| !tag["tagName"].as_str().unwrap().starts_with("client");
        let shared: Vec<&Value> = tags["tags"].as_array().unwrap().iter().filter(is_shared).collect();
        shared.choose(&mut self.random).map(|tag| tag["tagId"].as_str().unwrap().to_owned())
    }

    fn a_name(&mut self, own: bool) -> String {
        if own {
            format!("{}{}", self.prefix, self.random.random::<u32>())
        } else {
            (*["Wichtig", "WICHTIG", "旅行", "Отпуск", "отпуск", "later"].choose(&mut self.random).unwrap()).to_owned()
        }
    }

    async fn clip(&mut self, own: bool) {
        let id = self.a_favorite(own);
        let data_type = *TYPES.choose(&mut self.random).unwrap();
        let body = json!({"dataType": data_type, "title": format!("Thing {id} 收藏夹"), "dataId": id});
        let answer = self.send(Method::POST, "favorites", Some(body)).await;
        if self.done("clip", own, &answer) && own {
            self.favorites.entry(id).or_default();
        }
    }

    async fn unclip(&mut self, own: bool) {
        let id = self.a_favorite(own);
        let answer = self.send(Method::DELETE, &format!("favorites/{id}"), None).await;
        assert!(self.done("unclip", own, &answer));
        if let Some(tags) = self.favorites.remove(&id) {
            self.histories.insert(id, tags);
        }
    }

    async fn restore(&mut self, own: bool) {
        let id = self.a_favorite(own);
        let answer = self.send(Method::POST, &format!("favorites/{id}/restore"), None).await;
        if own && !self.favorites.contains_key(&id) && !self.histories.contains_key(&id) {
            assert_eq!(answer.0, 404, "{}", answer.1);
        } else if self.done("restore", own, &answer) && own && !self.favorites.contains_key(&id) {
            let tags = self.histories.remove(&id).unwrap();
            let tags = tags.into_iter().filter(|tag| self.tags.contains_key(tag)).collect();
            self.favorites.insert(id, tags);
        }
    }

    async fn create_tag(&mut self, own: bool) {
        let name = self.a_name(own);
        let answer = self.send(Method::POST, "tags", Some(json!({"tagName": name}))).await;
        if self.done("create tag", own, &answer) && own {
            self.tags.insert(answer.1["tagId"].as_str().unwrap().to_owned(), name);
        }
    }

    async fn rename_tag(&mut self, own: bool) {
        let Some(tag) = self.a_tag(own).await else { return };
        let name = self.a_name(own);
        let answer = self.send(Method::PATCH, &format!("tags/{tag}"), Some(json!({"tagName": name}))).await;
        if self.done("rename tag", own, &answer) && own {
            self.tags.insert(tag, name);
        }
    }

    async fn delete_tag(&mut self, own: bool) {
        let Some(tag) = self.a_tag(own).await else { return };
        let answer = self.send(Method::DELETE, &format!("tags/{tag}"), None).await;
        assert!(self.done("delete tag", own, &answer));
        self.tags.remove(&tag);
        for tags in self.favorites.values_mut() {
            tags.remove(&tag);
        }
    }

    async fn tag(&mut self, own: bool) {
        let (id, Some(tag)) = (self.a_favorite(own), self.a_tag(own).await) else { return };
        let answer = self.send(Method::PUT, &format!("favorites/{id}/tags/{tag}"), None).await;
        if own && !self.favorites.contains_key(&id) {
            assert_eq!(answer.0, 404, "{}", answer.1);
        } else if self.done("tag", own, &answer) && own {
            self.favorites.get_mut(&id).unwrap().insert(tag);
        }
    }

    async fn untag(&mut self, own: bool) {
        let (id, Some(tag)) = (self.a_favorite(own), self.a_tag(own).await) else { return };
        let answer = self.send(Method::DELETE, &format!("favorites/{id}/tags/{tag}"), None).await;
        assert!(self.done("untag", own, &answer));
        if let Some(tags) = self.favorites.get_mut(&id) {
            tags.remove(&tag);
        }
    }

    /// What moves the time of last use while others list the tags, and searches.
    async fn read(&mut self) {
        if let Some(tag) = self.a_tag(true).await {
            let answer = self.send(Method::GET, &format!("tags/{tag}/favorites"), None).await;
            assert!(self.done("list by tag", true, &answer));
            let ids = ids(&answer.1["favorites"], "dataId");
            // The index may lag behind, but what is listed is there.
            assert!(ids.iter().all(|id| self.favorites.contains_key(id)), "{ids:?}");
        }
        let answer = self.send(Method::GET, "favorites/search?q=thing%20%E8%97%8F%E5%A4%B9&limit=3", None).await;
        assert!(self.done("search", true, &answer));
    }

    /// What is not as it was acknowledged.
    pub(crate) async fn differences(mut self) -> Vec<String> {
        let mut differences = vec![];
        let mut compare = |what: &str, there: BTreeSet<String>, expected: BTreeSet<String>| {
            if there != expected {
                differences.push(format!("{what}: {there:?}, but acknowledged was {expected:?}"));
            }
        };
        let (owner, prefix) = (self.owner, self.prefix.clone());
        let is_own = |id: &String| id.starts_with(&prefix);

        let list = self.send(Method::GET, "favorites?limit=100", None).await.1;
        assert_eq!(list["nextCursor"], Value::Null, "one page has all");
        let there = ids(&list["favorites"], "dataId").into_iter().filter(is_own).collect();
        compare(&format!("favorites of {owner}"), there, self.favorites.keys().cloned().collect());
        let query = format!("favorites/search?limit=100&q=thing%20{}", prefix.trim_end_matches('-'));
        let list = self.send(Method::GET, &query, None).await.1;
        compare("found by search", ids(&list["favorites"], "dataId"), self.favorites.keys().cloned().collect());

        let list = self.send(Method::GET, "tags?limit=100", None).await.1;
        assert_eq!(list["nextCursor"], Value::Null, "one page has all");
        let there = ids(&list["tags"], "tagName").into_iter().filter(is_own).collect();
        compare(&format!("tags of {owner}"), there, self.tags.values().cloned().collect());

        for (id, tags) in self.favorites.clone() {
            let list = self.send(Method::GET, &format!("favorites/{id}/tags"), None).await.1;
            compare(&format!("tags of {id}"), ids(&list["tags"], "tagId"), tags);
        }
        for tag in self.tags.keys().cloned().collect::<Vec<_>>() {
            let having = self.favorites.iter().filter(|(_, tags)| tags.contains(&tag)).map(|(id, _)| id.clone());
            let having = having.collect();
            let list = self.send(Method::GET, &format!("tags/{tag}/favorites"), None).await.1;
            compare(&format!("favorites with {tag}"), ids(&list["favorites"], "dataId"), having);
        }
        differences
    }
}

fn ids(list: &Value, name: &str) -> BTreeSet<String> {
    list.as_array().unwrap().iter().map(|entry| entry[name].as_str().unwrap().to_owned()).collect()
}
