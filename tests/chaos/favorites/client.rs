//! One of several clients of the same owner. Each client has favorites and tags of its own, whose
//! state it knows from the acknowledged writes. All clients of an owner also write to shared ones,
//! so that their requests conflict.

use std::collections::{BTreeMap, BTreeSet};

use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::harness::{Answer, Chaos, RetryingClient};

const TYPES: [&str; 9] = ["image", "video", "link", "file", "music", "chat", "voice", "note", "position"];
/// The number of favorites of each client.
const OWN_FAVORITES: usize = 4;
/// The number of favorites that all clients of an owner share.
const SHARED_FAVORITES: usize = 3;

pub(crate) struct Client {
    owner: &'static str,
    /// The prefix of the ids of the client's own favorites and of the names of its own tags.
    prefix: String,
    pub(crate) http: RetryingClient,
    random: StdRng,
    finished: watch::Sender<usize>,
    /// The client's own favorites, with the client's own tags on them.
    favorites: BTreeMap<String, BTreeSet<String>>,
    /// The own favorites that were removed, with the tags that they had.
    histories: BTreeMap<String, BTreeSet<String>>,
    /// The names of the client's own tags by id.
    tags: BTreeMap<String, String>,
    /// The number of successful requests of each kind.
    pub(crate) successes: BTreeMap<&'static str, usize>,
}

impl Client {
    pub(crate) fn new(owner: &'static str, number: usize, chaos: &Chaos, random: StdRng) -> Self {
        Self {
            owner,
            prefix: format!("client{number}-"),
            http: RetryingClient::new(chaos.stack.clone(), owner),
            random,
            finished: chaos.finished.clone(),
            favorites: BTreeMap::new(),
            histories: BTreeMap::new(),
            tags: BTreeMap::new(),
            successes: BTreeMap::new(),
        }
    }

    /// Sends `requests` random requests, one after the other.
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
            self.finished.send_modify(|finished| *finished += 1);
        }
        self
    }

    async fn send(&mut self, method: Method, path: &str, body: Option<Value>) -> Answer {
        self.http.send(method, &format!("/users/{}/{path}", self.owner), body).await
    }

    /// Returns whether a request succeeded. A request for a shared favorite or tag may also fail
    /// because of another client.
    fn succeeded(&mut self, kind: &'static str, own: bool, (status, body): &Answer) -> bool {
        match status {
            200 | 201 | 204 => *self.successes.entry(kind).or_default() += 1,
            404 | 409 if !own => {}
            _ => panic!("{kind} by {} of {}: {status} {body}", self.prefix, self.owner),
        }
        *status < 300
    }

    fn random_favorite(&mut self, own: bool) -> String {
        if own {
            format!("{}{}", self.prefix, self.random.random_range(0..OWN_FAVORITES))
        } else {
            format!("shared-{}", self.random.random_range(0..SHARED_FAVORITES))
        }
    }

    /// Returns one of the client's own tags, or a tag that all clients of the owner share.
    async fn random_tag(&mut self, own: bool) -> Option<String> {
        if own {
            return self.tags.keys().choose(&mut self.random).cloned();
        }
        let tags = self.send(Method::GET, "tags?limit=100&sort=created", None).await.1;
        let is_shared = |tag: &&Value| !tag["tagName"].as_str().unwrap().starts_with("client");
        let shared: Vec<&Value> = tags["tags"].as_array().unwrap().iter().filter(is_shared).collect();
        shared.choose(&mut self.random).map(|tag| tag["tagId"].as_str().unwrap().to_owned())
    }

    fn random_name(&mut self, own: bool) -> String {
        if own {
            format!("{}{}", self.prefix, self.random.random::<u32>())
        } else {
            (*["Wichtig", "WICHTIG", "旅行", "Отпуск", "отпуск", "later"].choose(&mut self.random).unwrap()).to_owned()
        }
    }

    async fn clip(&mut self, own: bool) {
        let id = self.random_favorite(own);
        let data_type = *TYPES.choose(&mut self.random).unwrap();
        let body = json!({"dataType": data_type, "title": format!("Thing {id} 收藏夹"), "dataId": id});
        let answer = self.send(Method::POST, "favorites", Some(body)).await;
        if self.succeeded("clip", own, &answer) && own {
            self.favorites.entry(id).or_default();
        }
    }

    async fn unclip(&mut self, own: bool) {
        let id = self.random_favorite(own);
        let answer = self.send(Method::DELETE, &format!("favorites/{id}"), None).await;
        assert!(self.succeeded("unclip", own, &answer));
        if let Some(tags) = self.favorites.remove(&id) {
            self.histories.insert(id, tags);
        }
    }

    async fn restore(&mut self, own: bool) {
        let id = self.random_favorite(own);
        let answer = self.send(Method::POST, &format!("favorites/{id}/restore"), None).await;
        if own && !self.favorites.contains_key(&id) && !self.histories.contains_key(&id) {
            assert_eq!(answer.0, 404, "{}", answer.1);
        } else if self.succeeded("restore", own, &answer) && own && !self.favorites.contains_key(&id) {
            let tags = self.histories.remove(&id).unwrap();
            let tags = tags.into_iter().filter(|tag| self.tags.contains_key(tag)).collect();
            self.favorites.insert(id, tags);
        }
    }

    async fn create_tag(&mut self, own: bool) {
        let name = self.random_name(own);
        let answer = self.send(Method::POST, "tags", Some(json!({"tagName": name}))).await;
        if self.succeeded("create tag", own, &answer) && own {
            self.tags.insert(answer.1["tagId"].as_str().unwrap().to_owned(), name);
        }
    }

    async fn rename_tag(&mut self, own: bool) {
        let Some(tag) = self.random_tag(own).await else { return };
        let name = self.random_name(own);
        let answer = self.send(Method::PATCH, &format!("tags/{tag}"), Some(json!({"tagName": name}))).await;
        if self.succeeded("rename tag", own, &answer) && own {
            self.tags.insert(tag, name);
        }
    }

    async fn delete_tag(&mut self, own: bool) {
        let Some(tag) = self.random_tag(own).await else { return };
        let answer = self.send(Method::DELETE, &format!("tags/{tag}"), None).await;
        assert!(self.succeeded("delete tag", own, &answer));
        self.tags.remove(&tag);
        for tags in self.favorites.values_mut() {
            tags.remove(&tag);
        }
    }

    async fn tag(&mut self, own: bool) {
        let (id, Some(tag)) = (self.random_favorite(own), self.random_tag(own).await) else { return };
        let answer = self.send(Method::PUT, &format!("favorites/{id}/tags/{tag}"), None).await;
        if own && !self.favorites.contains_key(&id) {
            assert_eq!(answer.0, 404, "{}", answer.1);
        } else if self.succeeded("tag", own, &answer) && own {
            self.favorites.get_mut(&id).unwrap().insert(tag);
        }
    }

    async fn untag(&mut self, own: bool) {
        let (id, Some(tag)) = (self.random_favorite(own), self.random_tag(own).await) else { return };
        let answer = self.send(Method::DELETE, &format!("favorites/{id}/tags/{tag}"), None).await;
        assert!(self.succeeded("untag", own, &answer));
        if let Some(tags) = self.favorites.get_mut(&id) {
            tags.remove(&tag);
        }
    }

    /// Lists the favorites of a tag, which changes the time of the last access while other clients
    /// list the tags, and searches.
    async fn read(&mut self) {
        if let Some(tag) = self.random_tag(true).await {
            let answer = self.send(Method::GET, &format!("tags/{tag}/favorites"), None).await;
            assert!(self.succeeded("list by tag", true, &answer));
            let ids = ids(&answer.1["favorites"], "dataId");
            // An index can lag behind the table, but no deleted favorite may be listed.
            assert!(ids.iter().all(|id| self.favorites.contains_key(id)), "{ids:?}");
        }
        let answer = self.send(Method::GET, "favorites/search?q=thing%20%E8%97%8F%E5%A4%B9&limit=3", None).await;
        assert!(self.succeeded("search", true, &answer));
    }

    /// Returns the differences between the acknowledged writes and the lists of the API.
    pub(crate) async fn differences(mut self) -> Vec<String> {
        let mut differences = vec![];
        let mut compare = |list: &str, actual: BTreeSet<String>, expected: BTreeSet<String>| {
            if actual != expected {
                differences.push(format!("{list}: {expected:?} was acknowledged, {actual:?} is listed"));
            }
        };
        let (owner, prefix) = (self.owner, self.prefix.clone());
        let is_own = |id: &String| id.starts_with(&prefix);

        let list = self.send(Method::GET, "favorites?limit=100", None).await.1;
        assert_eq!(list["nextCursor"], Value::Null, "all fit into one page");
        let actual = ids(&list["favorites"], "dataId").into_iter().filter(is_own).collect();
        compare(&format!("favorites of {owner}"), actual, self.favorites.keys().cloned().collect());
        let query = format!("favorites/search?limit=100&q=thing%20{}", prefix.trim_end_matches('-'));
        let list = self.send(Method::GET, &query, None).await.1;
        compare("found by search", ids(&list["favorites"], "dataId"), self.favorites.keys().cloned().collect());

        let list = self.send(Method::GET, "tags?limit=100", None).await.1;
        assert_eq!(list["nextCursor"], Value::Null, "all fit into one page");
        let actual = ids(&list["tags"], "tagName").into_iter().filter(is_own).collect();
        compare(&format!("tags of {owner}"), actual, self.tags.values().cloned().collect());

        for (id, tags) in self.favorites.clone() {
            let list = self.send(Method::GET, &format!("favorites/{id}/tags"), None).await.1;
            compare(&format!("tags of {id}"), ids(&list["tags"], "tagId"), tags);
        }
        for tag in self.tags.keys().cloned().collect::<Vec<_>>() {
            let tagged = self.favorites.iter().filter(|(_, tags)| tags.contains(&tag)).map(|(id, _)| id.clone());
            let tagged = tagged.collect();
            let list = self.send(Method::GET, &format!("tags/{tag}/favorites"), None).await.1;
            compare(&format!("favorites with {tag}"), ids(&list["favorites"], "dataId"), tagged);
        }
        differences
    }
}

fn ids(list: &Value, name: &str) -> BTreeSet<String> {
    list.as_array().unwrap().iter().map(|entry| entry[name].as_str().unwrap().to_owned()).collect()
}
