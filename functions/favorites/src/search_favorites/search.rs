//! A search in one list, and the `BatchGetItem` that checks which of its favorites match the query.

use std::collections::{BTreeSet, HashMap, HashSet};

use shared::dynamodb::{batch, entity};
use shared::entities::{ClipPosition, Favorite, FavoriteTag, Key, owner_of_favorite};
use shared::search::Query as SearchQuery;
use shared::values::{DataId, TagId, Username};
use shared::{Error, Table};

use crate::search_favorites::list::{Entry, List, Part, Projection};

/// The maximum number of entries that one `Query` reads.
const MAX_ENTRIES: i32 = 1000;
/// The number of requests after which a page ends, although it may be empty. Each takes some milliseconds.
const MAX_REQUESTS: usize = 50;

/// A search in one list.
pub(crate) struct Search<'a> {
    pub(crate) table: &'a Table,
    pub(crate) username: &'a Username,
    pub(crate) query: &'a SearchQuery,
    pub(crate) list: &'a List,
    /// The tags that a match must have besides that of the list.
    pub(crate) other_tag_ids: Vec<TagId>,
}

impl Search<'_> {
    /// Returns the first matches in the order of the list, at most `limit`, and the position after
    /// which the list may have more. It begins with `part`, and reads on until there are enough
    /// matches, the list ends, or it has sent [`MAX_REQUESTS`].
    pub(crate) async fn matches_from(
        &self,
        mut part: Part,
        limit: i32,
    ) -> Result<(Vec<Favorite>, Option<ClipPosition>), Error> {
        let max_matches = usize::try_from(limit).map_err(Error::internal)?;
        let max_batch = batch::MAX_GET_KEYS / (1 + self.other_tag_ids.len());
        let (mut max_entries, mut batch_size, mut requests) = (limit, max_batch.min(max_matches), 0);
        let mut matches: Vec<Favorite> = vec![];
        loop {
            let (end, mut read) = (part.last_position(), None);
            let mut candidates = part.entries;
            candidates.retain(|entry| self.may_match(entry));
            let mut rest = candidates.as_slice();
            while !rest.is_empty() && matches.len() < max_matches && requests < MAX_REQUESTS {
                let (batch, after) = rest.split_at(batch_size.min(rest.len()));
                matches.extend(self.matches_among(batch).await?);
                read = batch.last().map(|entry| entry.position.clone());
                rest = after;
                requests += 1;
                // If few entries match, larger batches and parts need fewer requests.
                batch_size = max_batch.min(batch_size * 2);
            }
            if matches.len() > max_matches {
                matches.truncate(max_matches);
                let last = matches.last().map(Favorite::clip_position);
                return Ok((matches, last));
            }
            let has_more = part.has_more || !rest.is_empty();
            let last = if rest.is_empty() { end } else { read };
            // A further part takes two requests at least.
            if matches.len() == max_matches || requests + 2 > MAX_REQUESTS || !has_more {
                return Ok((matches, last.filter(|_| has_more)));
            }
            requests += 1;
            max_entries = MAX_ENTRIES.min(max_entries * 2);
            part = self.list.read(self.table, self.username, last.as_ref(), max_entries).await?;
        }
    }

    /// Returns whether the favorite of an entry can match, judged by the attributes that the entry
    /// has.
    fn may_match(&self, entry: &Entry) -> bool {
        match &entry.projection {
            Projection::Key => true,
            Projection::Title(title, data_type) => self.query.matches(title, *data_type),
            Projection::All(favorite) => self.query.matches(&favorite.title, favorite.data_type),
        }
    }

    /// Returns the favorites of these entries that match, in the same order. One `BatchGetItem`
    /// reads the favorites whose entries do not have all attributes, and the entries of the other
    /// tags.
    async fn matches_among(&self, candidates: &[Entry]) -> Result<Vec<Favorite>, Error> {
        let mut keys = BTreeSet::new();
        let mut favorites = HashMap::<DataId, Favorite>::new();
        for Entry { position, projection } in candidates {
            let data_id = &position.data_id;
            if let Projection::All(favorite) = projection {
                favorites.insert(data_id.clone(), favorite.clone());
            } else {
                keys.insert(Key::favorite(self.username, data_id));
            }
            let tag_ids = self.other_tag_ids.iter();
            keys.extend(tag_ids.map(|tag_id| Key::favorite_tag(self.username, data_id, tag_id)));
        }

        let mut tagged = HashSet::<(DataId, TagId)>::new();
        for item in batch::get(self.table, keys, false).await? {
            if owner_of_favorite(&item).is_some() {
                let favorite: Favorite = entity::from_item(item)?;
                favorites.insert(favorite.data_id.clone(), favorite);
            } else {
                let tag = FavoriteTag::from_item(self.username, item)?;
                tagged.insert((tag.data_id, tag.tag_id));
            }
        }

        // A term or a tag's entry can be older than its favorite, which may have been deleted,
        // renamed or clipped again.
        let has_tags = |favorite: &Favorite| {
            self.other_tag_ids.iter().all(|tag_id| tagged.contains(&(favorite.data_id.clone(), tag_id.clone())))
        };
        let current = candidates.iter().filter_map(|Entry { position, .. }| {
            favorites.remove(&position.data_id).filter(|favorite| favorite.clip_position() == *position)
        });
        Ok(current
            .filter(|favorite| self.query.matches(&favorite.title, favorite.data_type))
            .filter(|favorite| has_tags(favorite))
            .collect())
    }
}
