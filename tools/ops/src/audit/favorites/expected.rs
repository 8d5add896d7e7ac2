//! The result of the Scan: the users, tags and favorites that exist or are referred to, and a hash
//! of the terms of each title.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};

use shared::entities::{ClipPosition, Key, Tag as TagItem};
use shared::search::terms;
use shared::values::{DataId, DataType, EpochMillis, TagId, TagName, Username};

use super::candidate::Candidate;
use super::entity::{self, Entity};
use crate::audit::layout::Keys;

/// The state that is kept of each user, tag and favorite that exists or that another item refers
/// to.
#[derive(Debug, Default)]
pub(super) struct Expected {
    users: HashMap<Username, User>,
    /// The candidates that follow from one item alone.
    candidates: BTreeSet<Candidate>,
    orphan_terms: OrphanTerms,
    hasher: RandomState,
}

/// Terms that may belong to no favorite, by the favorite in their keys.
type OrphanTerms = BTreeMap<(Username, ClipPosition), BTreeSet<String>>;

#[derive(Debug, Default)]
struct User {
    tags: HashMap<TagId, Tag>,
    /// The reservations: the tag by folded name.
    reservations: HashMap<String, TagId>,
    favorites: HashMap<DataId, Favorite>,
    actual_tags: i64,
    stored_tags: Option<i64>,
    actual_favorites: i64,
    stored_favorites: Option<i64>,
}

#[derive(Debug)]
struct Tag {
    /// The number by which favorites refer to the tag.
    number: u32,
    exists: bool,
    /// The folded name, or `None` if the Scan has not returned the tag or the functions accept no
    /// such name.
    name: Option<String>,
}

#[derive(Debug, Default)]
struct Favorite {
    tag_count: Option<i64>,
    /// The sum of the hashes of the ids of its tags in the item.
    stored_tags_hash: u64,
    /// The sum of the hashes of the ids of the tags on the favorite.
    actual_tags_hash: u64,
    /// The favorite itself and the favorite as its terms describe it, which are usually the same
    /// version.
    versions: Vec<Version>,
    /// The numbers of the tags on the favorite.
    tags: Vec<u32>,
    /// The attributes that the tags on the favorite copy from it, which are usually the same for
    /// all.
    copies: Vec<(DataType, EpochMillis)>,
    /// The number of malformed tags on the favorite.
    malformed_tags: i64,
}

#[derive(Debug)]
struct Version {
    data_type: DataType,
    clip_time: EpochMillis,
    title: Box<str>,
    is_favorite: bool,
    /// The sum of the hashes of the terms that the Scan has returned.
    terms_hash: u64,
}

impl User {
    fn tag(&mut self, tag_id: TagId) -> &mut Tag {
        let number = u32::try_from(self.tags.len()).unwrap_or(u32::MAX);
        self.tags.entry(tag_id).or_insert(Tag { number, exists: false, name: None })
    }
}

impl Favorite {
    fn version(&mut self, data_type: DataType, clip_time: EpochMillis, title: String) -> &mut Version {
        let same =
            |other: &Version| other.clip_time == clip_time && other.data_type == data_type && *other.title == *title;
        let index = self.versions.iter().position(same).unwrap_or(self.versions.len());
        if index == self.versions.len() {
            // There is usually only one, so a larger capacity would waste memory.
            self.versions.reserve_exact(1);
            self.versions.push(Version {
                data_type,
                clip_time,
                title: title.into(),
                is_favorite: false,
                terms_hash: 0,
            });
        }
        &mut self.versions[index]
    }
}

impl Expected {
    pub(super) fn add(&mut self, entity: Entity) {
        match entity {
            Entity::Favorite { owner, favorite, tag_count, wrong_keys } => {
                let data_id = favorite.data_id;
                if wrong_keys.is_some() {
                    self.candidates.insert(Candidate::IndexKeys(Key::favorite(&owner, &data_id)));
                }
                let hash = |id| self.hasher.hash_one(id);
                let tags_hash = favorite.tag_ids.iter().map(hash).fold(0, u64::wrapping_add);
                let user = self.users.entry(owner).or_default();
                user.actual_favorites += 1;
                let kept = user.favorites.entry(data_id).or_default();
                kept.tag_count = tag_count;
                kept.stored_tags_hash = tags_hash;
                kept.version(favorite.data_type, favorite.clip_time, favorite.title).is_favorite = true;
            }
            Entity::History { owner, data_id, wrong_keys } => {
                self.candidates.extend(wrong_keys.map(|_| Candidate::IndexKeys(Key::history(&owner, &data_id))));
            }
            Entity::FavoriteTag { owner, data_id, tag_id, copied } => {
                if copied.is_none() {
                    self.candidates.insert(Candidate::FavoriteTag(owner.clone(), data_id.clone(), tag_id.clone()));
                }
                let hash = self.hasher.hash_one(&tag_id);
                let user = self.users.entry(owner).or_default();
                let number = user.tag(tag_id).number;
                let favorite = user.favorites.entry(data_id).or_default();
                favorite.actual_tags_hash = favorite.actual_tags_hash.wrapping_add(hash);
                favorite.tags.push(number);
                if let Some(copy) = copied.filter(|copy| !favorite.copies.contains(copy)) {
                    favorite.copies.reserve_exact(1);
                    favorite.copies.push(copy);
                }
            }
            Entity::Tag { owner, tag: TagItem { tag_id, tag_name, .. }, wrong_keys } => {
                self.candidates.extend(wrong_keys.map(|_| Candidate::IndexKeys(Key::tag(&owner, &tag_id))));
                let user = self.users.entry(owner).or_default();
                user.actual_tags += 1;
                let tag = user.tag(tag_id);
                tag.exists = true;
                tag.name = tag_name.parse().ok().map(|name: TagName| name.folded());
            }
            Entity::Reservation { owner, folded, tag_id } => {
                self.users.entry(owner).or_default().reservations.insert(folded, tag_id);
            }
            Entity::UserTagCount { owner, tags } => self.users.entry(owner).or_default().stored_tags = tags,
            Entity::UserFavoriteCount { owner, favorites } => {
                self.users.entry(owner).or_default().stored_favorites = favorites;
            }
            Entity::IdempotencyRecord => {}
            Entity::Term { owner, term, attributes } => {
                if !terms(&attributes.title).contains(&term) {
                    let clipped = ClipPosition { clip_time: attributes.clip_time, data_id: attributes.data_id };
                    self.orphan_terms.entry((owner, clipped)).or_default().insert(term);
                    return;
                }
                let favorite = self.users.entry(owner).or_default().favorites.entry(attributes.data_id).or_default();
                let version = favorite.version(attributes.data_type, attributes.clip_time, attributes.title);
                version.terms_hash = version.terms_hash.wrapping_add(self.hasher.hash_one(&term));
            }
        }
    }

    /// Adds a malformed item. It is included in the counts because the functions count the items of
    /// a partition, valid or not.
    pub(super) fn add_malformed(&mut self, keys: &Keys) {
        if let Some(owner) = entity::owner_of_tag(keys) {
            self.users.entry(owner).or_default().actual_tags += 1;
        } else if let Some(owner) = entity::owner_of_favorite(keys) {
            self.users.entry(owner).or_default().actual_favorites += 1;
        } else if let Some((owner, data_id)) = entity::favorite_of_tag(keys) {
            self.users.entry(owner).or_default().favorites.entry(data_id).or_default().malformed_tags += 1;
        }
    }

    /// Returns the candidates among the items, and those that depend on the repairs of the former:
    /// missing reservations and counts.
    pub(super) fn candidates(self) -> (BTreeSet<Candidate>, BTreeSet<Candidate>) {
        let Self { users, mut candidates, mut orphan_terms, hasher } = self;
        let mut dependent = BTreeSet::new();
        for (owner, user) in &users {
            user.tag_candidates(owner, &mut candidates, &mut dependent);
            let mut numbered: Vec<_> = user.tags.iter().collect();
            numbered.sort_unstable_by_key(|(_, tag)| tag.number);
            for (data_id, favorite) in &user.favorites {
                let tags = favorite.wrong_tags(&numbered);
                candidates
                    .extend(tags.map(|tag_id| Candidate::FavoriteTag(owner.clone(), data_id.clone(), tag_id.clone())));
                for version in &favorite.versions {
                    let terms = terms(&version.title);
                    let hash = terms.iter().fold(0, |sum: u64, term| sum.wrapping_add(hasher.hash_one(term)));
                    if !version.is_favorite {
                        let clipped = ClipPosition { clip_time: version.clip_time, data_id: data_id.clone() };
                        orphan_terms.entry((owner.clone(), clipped)).or_default().extend(terms);
                    } else if version.terms_hash != hash {
                        candidates.insert(Candidate::Terms(owner.clone(), data_id.clone()));
                    }
                }
                if favorite.has_wrong_tag_count() || favorite.stored_tags_hash != favorite.actual_tags_hash {
                    dependent.insert(Candidate::FavoriteTags(owner.clone(), data_id.clone()));
                }
            }
        }
        candidates.extend(orphan_terms.into_iter().map(|((owner, ClipPosition { clip_time, data_id }), terms)| {
            Candidate::OrphanTerms(owner, data_id, clip_time, terms)
        }));
        (candidates, dependent)
    }
}

impl User {
    fn tag_candidates(
        &self,
        owner: &Username,
        candidates: &mut BTreeSet<Candidate>,
        dependent: &mut BTreeSet<Candidate>,
    ) {
        let mut named: HashMap<&String, BTreeSet<TagId>> = HashMap::new();
        for (tag_id, tag) in &self.tags {
            if let Some(name) = &tag.name {
                named.entry(name).or_default().insert(tag_id.clone());
                if self.reservations.get(name) != Some(tag_id) {
                    dependent.insert(Candidate::MissingReservation(owner.clone(), tag_id.clone()));
                }
            }
        }
        let duplicates = named.into_values().filter(|tag_ids| tag_ids.len() > 1);
        candidates.extend(duplicates.map(|tag_ids| Candidate::DuplicateName(owner.clone(), tag_ids)));
        for (folded, tag_id) in &self.reservations {
            if self.tags.get(tag_id).is_none_or(|tag| tag.name.as_ref() != Some(folded)) {
                candidates.insert(Candidate::Reservation(owner.clone(), folded.clone()));
            }
        }
        if self.stored_tags.is_some_and(|stored| stored != self.actual_tags) {
            dependent.insert(Candidate::UserTagCount(owner.clone()));
        }
        if self.stored_favorites.unwrap_or(0) != self.actual_favorites {
            dependent.insert(Candidate::UserFavoriteCount(owner.clone()));
        }
    }
}

impl Favorite {
    fn has_wrong_tag_count(&self) -> bool {
        let actual = i64::try_from(self.tags.len()).unwrap_or(i64::MAX).saturating_add(self.malformed_tags);
        self.tag_count.is_some_and(|stored| stored != actual)
    }

    /// Returns all tags on the favorite if at least one differs from the favorite, or else those
    /// whose tag is missing.
    fn wrong_tags<'a>(&'a self, tags: &'a [(&TagId, &Tag)]) -> impl Iterator<Item = &'a TagId> {
        let favorite = self.versions.iter().find(|version| version.is_favorite);
        let expected = favorite.map(|favorite| (favorite.data_type, favorite.clip_time));
        let all = expected.is_none() || self.copies.iter().any(|copy| Some(*copy) != expected);
        let tags = self.tags.iter().map(|&number| tags[number as usize]);
        tags.filter(move |(_, tag)| all || !tag.exists).map(|(tag_id, _)| tag_id)
    }
}
