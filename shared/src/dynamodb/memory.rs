//! The short memory of a process, so that an item that everybody reads or writes at the same time
//! does not get a request for each of them.
//!
//! [Lambda keeps a
//! process](https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html) and gives
//! it one event after the other. So each process sends a few requests a second for such an item,
//! however many callers there are.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::dynamodb::{Item, batch};

/// The maximum number of keys of a [`Memory`].
const MAX_KEYS: usize = 1000;

/// The values that a process has read or found out lately, by key.
///
/// Only what is asked for again and again is remembered, so that other callers read what is there
/// now.
#[derive(Debug)]
pub struct Memory<K, V> {
    lifetime: Duration,
    often: u32,
    entries: Mutex<HashMap<K, Entry<V>>>,
}

#[derive(Debug)]
struct Entry<V> {
    /// The time of the first question. The entry counts for the lifetime from then on, so that a
    /// value is never older.
    since: Instant,
    questions: u32,
    value: Option<V>,
}

impl<K: Clone + Eq + Hash, V: Clone> Memory<K, V> {
    /// Returns an empty memory. It remembers a value for up to `lifetime`, if it is asked for its
    /// key at least `often` times in that time.
    #[must_use]
    pub fn new(lifetime: Duration, often: u32) -> Self {
        Self { lifetime, often, entries: Mutex::default() }
    }

    /// Returns the value of a key, or `None` if the caller has to find it out.
    pub fn get(&self, key: &K) -> Option<V> {
        let now = Instant::now();
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.get_mut(key)
            && now < entry.since + self.lifetime
        {
            entry.questions = entry.questions.saturating_add(1);
            return entry.value.clone();
        }
        if entries.len() >= MAX_KEYS {
            entries.retain(|_, entry| now < entry.since + self.lifetime);
        }
        if entries.len() >= MAX_KEYS {
            entries.clear();
        }
        entries.insert(key.clone(), Entry { since: now, questions: 1, value: None });
        None
    }

    /// Remembers the value that the caller has found out after [`get`](Self::get) had none. Calls
    /// `value` only if it is asked for often.
    pub fn put(&self, key: &K, value: impl FnOnce() -> Option<V>) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.get_mut(key)
            && entry.questions >= self.often
        {
            entry.value = value();
        }
    }

    /// Returns the value of a key, or finds it out by `find`.
    pub async fn get_or<E>(&self, key: &K, find: impl Future<Output = Result<V, E>>) -> Result<V, E> {
        if let Some(value) = self.get(key) {
            return Ok(value);
        }
        let found = find.await?;
        self.put(key, || Some(found.clone()));
        Ok(found)
    }
}

/// Items by their keys, which a `BatchGetItem` reads.
impl<K: Clone + Eq + Hash + Into<Item>> Memory<K, Item> {
    /// Returns the items at these keys, and the keys of those that the caller has to read.
    pub fn split(&self, keys: impl IntoIterator<Item = K>) -> (Vec<Item>, Vec<K>) {
        let (mut items, mut missing) = (vec![], vec![]);
        for key in keys {
            match self.get(&key) {
                Some(item) => items.push(item),
                None => missing.push(key),
            }
        }
        (items, missing)
    }

    /// Remembers those of the items at the missing keys that were [found](batch::get).
    pub fn put_found(&self, missing: Vec<K>, found: &[Item]) {
        for key in missing {
            self.put(&key, || batch::find(found, key.clone()).cloned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    const SECOND: Duration = Duration::from_secs(1);
    const MILLISECOND: Duration = Duration::from_millis(1);

    #[tokio::test(start_paused = true)]
    async fn what_is_asked_for_often_is_remembered_for_its_lifetime() {
        let memory = Memory::new(SECOND, 2);
        for round in 0..2 {
            assert_eq!(memory.get(&"ada"), None);
            memory.put(&"ada", || panic!("it was asked for once"));
            assert_eq!(memory.get(&"ada"), None);
            memory.put(&"ada", || Some(round));
            assert_eq!(memory.get(&"ada"), Some(round));
            assert_eq!(memory.get(&"ben"), None);
            advance(999 * MILLISECOND).await;
            assert_eq!(memory.get(&"ada"), Some(round));
            advance(MILLISECOND).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_value_is_never_older_than_its_lifetime() {
        let memory = Memory::new(SECOND, 1);
        assert_eq!(memory.get(&"ada"), None);
        advance(SECOND / 2).await;
        memory.put(&"ada", || Some(1));
        advance(SECOND / 2).await;
        assert_eq!(memory.get(&"ada"), None);
    }

    #[tokio::test(start_paused = true)]
    async fn the_number_of_keys_is_bounded() {
        let memory = Memory::new(SECOND, 1);
        for key in 0..10 * MAX_KEYS {
            assert_eq!(memory.get(&key), None);
            memory.put(&key, || Some(key));
            assert_eq!(memory.get(&key), Some(key));
        }
        assert!(memory.entries.lock().unwrap().len() <= MAX_KEYS);
    }
}
