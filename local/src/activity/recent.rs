//! A map that forgets its oldest entries.

use std::collections::HashMap;
use std::hash::Hash;
use std::mem;

/// A map of the last entries: at most `limit`, and at least half as many if there were so many.
///
/// It has two halves. When the new half is full, it replaces the old one, which is forgotten.
pub(super) struct Recent<K, V> {
    limit: usize,
    new: HashMap<K, V>,
    old: HashMap<K, V>,
}

impl<K: Eq + Hash, V> Recent<K, V> {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, new: HashMap::new(), old: HashMap::new() }
    }

    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.new.get(key).or_else(|| self.old.get(key))
    }

    pub(super) fn insert(&mut self, key: K, value: V) {
        self.new.insert(key, value);
        if self.new.len() >= self.limit / 2 {
            self.old = mem::take(&mut self.new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_last_entries_within_its_limit() {
        let mut recent = Recent::new(10);
        for n in 0..1000_u32 {
            recent.insert(n, n);
            assert!(recent.new.len() + recent.old.len() <= 10);
            for before in n.saturating_sub(4)..=n {
                assert_eq!(recent.get(&before), Some(&before));
            }
        }
        recent.insert(999, 1);
        assert_eq!(recent.get(&999), Some(&1));
        assert_eq!(recent.get(&0), None);
    }
}
