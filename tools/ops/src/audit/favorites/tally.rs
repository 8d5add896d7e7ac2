//! The whole table, read once: what is there, what names what, and a sum for the terms of each title.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};

use shared::model::favorites::{ClipPosition, Tag as TagItem};
use shared::search::terms;
use shared::values::{DataId, DataType, EpochMillis, TagId, TagName, Username};

use super::entity::{self, Entity};
use super::finding::Suspect;
use crate::audit::read::Keys;

/// What is kept of the table: something for each user, tag and favorite that exists or is named.
#[derive(Debug, Default)]
pub(super) struct Tally {
    users: HashMap<Username, User>,
    /// What one item alone tells.
    suspects: BTreeSet<Suspect>,
    strays: Strays,
    hasher: RandomState,
}

/// Terms that may be of no favorite, by what they say it is.
type Strays = BTreeMap<(Username, ClipPosition), BTreeSet<String>>;

#[derive(Debug, Default)]
struct User {
    tags: HashMap<TagId, Tag>,
    /// Folded, and for which tag.
    names: HashMap<String, TagId>,
    favorites: HashMap<DataId, Favorite>,
    tags_there: i64,
    tags_counted: Option<i64>,
}

#[derive(Debug)]
struct Tag {
    /// By which favorites name it.
    number: u32,
    is_there: bool,
    /// Folded. None if the tag has not come by, or its name is none of ours.
    name: Option<String>,
}

#[derive(Debug, Default)]
struct Favorite {
    tag_count: Option<i64>,
    /// The favorite itself, and what terms say that it is: mostly the same.
    versions: Vec<Version>,
    /// The numbers of its tags.
    entries: Vec<u32>,
    /// What those say of the favorite: mostly the same.
    entries_say: Vec<(DataType, EpochMillis)>,
    shapeless_entries: i64,
}

#[derive(Debug)]
struct Version {
    data_type: DataType,
    clip_time: EpochMillis,
    title: Box<str>,
    is_favorite: bool,
    /// The sum of the hashes of its terms.
    terms: u64,
}

impl User {
    fn tag(&mut self, tag_id: TagId) -> &mut Tag {
        let number = u32::try_from(self.tags.len()).unwrap_or(u32::MAX);
        self.tags.entry(tag_id).or_insert(Tag { number, is_there: false, name: None })
    }
}

impl Favorite {
    fn version(&mut self, data_type: DataType, clip_time: EpochMillis, title: String) -> &mut Version {
        let same =
            |other: &Version| other.clip_time == clip_time && other.data_type == data_type && *other.title == *title;
        let index = self.versions.iter().position(same).unwrap_or(self.versions.len());
        if index == self.versions.len() {
            // Mostly the only one.
            self.versions.reserve_exact(1);
            self.versions.push(Version { data_type, clip_time, title: title.into(), is_favorite: false, terms: 0 });
        }
        &mut self.versions[index]
    }
}

impl Tally {
    pub(super) fn add(&mut self, entity: Entity) {
        match entity {
            Entity::Favorite { owner, favorite, tag_count, misplaced } => {
                let data_id = favorite.data_id;
                if misplaced.is_some() {
                    self.suspects.insert(Suspect::Favorite(owner.clone(), data_id.clone()));
                }
                let kept = self.users.entry(owner).or_default().favorites.entry(data_id).or_default();
                kept.tag_count = tag_count;
                kept.version(favorite.data_type, favorite.clip_time, favorite.title).is_favorite = true;
            }
            Entity::History { owner, data_id, misplaced } => {
                self.suspects.extend(misplaced.map(|_| Suspect::History(owner, data_id)));
            }
            Entity::Entry { owner, data_id, tag_id, says } => {
                if says.is_none() {
                    self.suspects.insert(Suspect::Entry(owner.clone(), data_id.clone(), tag_id.clone()));
                }
                let user = self.users.entry(owner).or_default();
                let number = user.tag(tag_id).number;
                let favorite = user.favorites.entry(data_id).or_default();
                favorite.entries.push(number);
                if let Some(says) = says.filter(|says| !favorite.entries_say.contains(says)) {
                    favorite.entries_say.reserve_exact(1);
                    favorite.entries_say.push(says);
                }
            }
            Entity::Tag { owner, tag: TagItem { tag_id, tag_name, .. }, misplaced } => {
                self.suspects.extend(misplaced.map(|_| Suspect::Tag(owner.clone(), tag_id.clone())));
                let user = self.users.entry(owner).or_default();
                user.tags_there += 1;
                let tag = user.tag(tag_id);
                tag.is_there = true;
                tag.name = tag_name.parse().ok().map(|name: TagName| name.folded());
            }
            Entity::TagName { owner, folded, tag_id } => {
                self.users.entry(owner).or_default().names.insert(folded, tag_id);
            }
            Entity::TagCount { owner, tags } => self.users.entry(owner).or_default().tags_counted = tags,
            Entity::Term { owner, term, of } => {
                if !terms(&of.title).contains(&term) {
                    let clipped = ClipPosition { clip_time: of.clip_time, data_id: of.data_id };
                    self.strays.entry((owner, clipped)).or_default().insert(term);
                    return;
                }
                let favorite = self.users.entry(owner).or_default().favorites.entry(of.data_id).or_default();
                let version = favorite.version(of.data_type, of.clip_time, of.title);
                version.terms = version.terms.wrapping_add(self.hasher.hash_one(&term));
            }
        }
    }

    /// An item that is no entity counts as what its key says.
    pub(super) fn add_shapeless(&mut self, keys: &Keys) {
        if let Some(owner) = entity::owner_of_tag(keys) {
            self.users.entry(owner).or_default().tags_there += 1;
        } else if let Some((owner, data_id)) = entity::favorite_of_entry(keys) {
            self.users.entry(owner).or_default().favorites.entry(data_id).or_default().shapeless_entries += 1;
        }
    }

    /// Items that may be wrong, and what is to be looked at when those are settled: names that nothing keeps, and counts.
    pub(super) fn suspects(self) -> (BTreeSet<Suspect>, BTreeSet<Suspect>) {
        let Self { users, mut suspects, mut strays, hasher } = self;
        let mut rest = BTreeSet::new();
        for (owner, user) in &users {
            user.tags(owner, &mut suspects, &mut rest);
            let mut numbered: Vec<_> = user.tags.iter().collect();
            numbered.sort_unstable_by_key(|(_, tag)| tag.number);
            for (data_id, favorite) in &user.favorites {
                let entries = favorite.wrong_entries(&numbered);
                suspects.extend(entries.map(|tag_id| Suspect::Entry(owner.clone(), data_id.clone(), tag_id.clone())));
                for version in &favorite.versions {
                    let right = terms(&version.title);
                    let sum = right.iter().fold(0, |sum: u64, term| sum.wrapping_add(hasher.hash_one(term)));
                    if !version.is_favorite {
                        let clipped = ClipPosition { clip_time: version.clip_time, data_id: data_id.clone() };
                        strays.entry((owner.clone(), clipped)).or_default().extend(right);
                    } else if version.terms != sum {
                        suspects.insert(Suspect::Terms(owner.clone(), data_id.clone()));
                    }
                }
                if favorite.tag_count.is_some_and(|says| says != favorite.number_of_entries()) {
                    rest.insert(Suspect::TagCount(owner.clone(), data_id.clone()));
                }
            }
        }
        suspects.extend(strays.into_iter().map(|((owner, ClipPosition { clip_time, data_id }), terms)| {
            Suspect::Strays(owner, data_id, clip_time, terms)
        }));
        (suspects, rest)
    }
}

impl User {
    fn tags(&self, owner: &Username, suspects: &mut BTreeSet<Suspect>, rest: &mut BTreeSet<Suspect>) {
        let mut named: HashMap<&String, BTreeSet<TagId>> = HashMap::new();
        for (tag_id, tag) in &self.tags {
            if let Some(name) = &tag.name {
                named.entry(name).or_default().insert(tag_id.clone());
                if self.names.get(name) != Some(tag_id) {
                    rest.insert(Suspect::NoName(owner.clone(), tag_id.clone()));
                }
            }
        }
        let same = named.into_values().filter(|tag_ids| tag_ids.len() > 1);
        suspects.extend(same.map(|tag_ids| Suspect::SameName(owner.clone(), tag_ids)));
        for (folded, tag_id) in &self.names {
            if self.tags.get(tag_id).is_none_or(|tag| tag.name.as_ref() != Some(folded)) {
                suspects.insert(Suspect::TagName(owner.clone(), folded.clone()));
            }
        }
        if self.tags_counted.is_some_and(|says| says != self.tags_there) {
            rest.insert(Suspect::Tags(owner.clone()));
        }
    }
}

impl Favorite {
    fn number_of_entries(&self) -> i64 {
        i64::try_from(self.entries.len()).unwrap_or(i64::MAX).saturating_add(self.shapeless_entries)
    }

    /// All of them if the favorite is not as some of them say, or else those whose tag is not there.
    fn wrong_entries<'a>(&'a self, tags: &'a [(&TagId, &Tag)]) -> impl Iterator<Item = &'a TagId> {
        let favorite = self.versions.iter().find(|version| version.is_favorite);
        let says = favorite.map(|favorite| (favorite.data_type, favorite.clip_time));
        let all = says.is_none() || self.entries_say.iter().any(|entry| Some(*entry) != says);
        let tags = self.entries.iter().map(|&number| tags[number as usize]);
        tags.filter(move |(_, tag)| all || !tag.is_there).map(|(tag_id, _)| tag_id)
    }
}
