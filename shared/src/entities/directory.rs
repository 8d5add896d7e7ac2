//! The directory: the lists in which people are found by the beginning of a name.
//!
//! There is a list for each beginning of 1 to 5 characters of a word. A user is in the lists of the
//! words of the display name and of the username. `ada`, whose name is *Ada Marsh*, is in `a`, `ad`,
//! `ada`, `m`, `ma`, `mar`, `mars` and `marsh`. So one `Query` finds the people whose names begin with
//! what somebody has typed, however many people there are, and it reads them in the order of the
//! answer: by followers in powers of ten, the most first, and then by name.
//!
//! A longer word of a query is read by its first five characters. The rest of it, and the other
//! words of the query, are compared with the name in the [`Listing`].
//!
//! Everybody with a follower is also in the list [`EVERYBODY`], from which people to follow are
//! suggested.
//!
//! process-changes derives the directory from the users. It follows them by about a second, so what
//! it finds is compared with the user.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::key::Key;
use crate::Error;
use crate::dynamodb::{Item, entity};
use crate::http::extract::QueryParameter;
use crate::search::{prefix, words};
use crate::values::fold::fold_for_search;
use crate::values::{InvalidValue, Username, Value};

/// The prefix of the partition keys of the lists of the directory. The beginning of a word follows.
pub const DIRECTORY_PREFIX: &str = "People#";
/// The lengths of the beginnings of a word that have a list, in characters.
///
/// A longer maximum would spare a search only the people whose words differ after the fifth
/// character, and would cost each user a write unit for each word.
const MIN_PREFIX_CHARS: usize = 1;
const MAX_PREFIX_CHARS: usize = 5;
/// The list of everybody with a follower. No word begins with a space, so no query reads it.
pub const EVERYBODY: &str = " ";
/// The maximum number of lists that a user is in, each for one write unit. They are enough for
/// eight words, those of the username included.
const MAX_LISTS: usize = 32;
/// The rank of a user without followers.
const MAX_RANK: u32 = 9;
/// The maximum length of a folded name in bytes. It keeps a listing within one write unit and its
/// sort key within [1024
/// bytes](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-partition-sort-keys).
const MAX_NAME_BYTES: usize = 400;
/// The characters of a username that are no letters and no digits.
const SEPARATORS: [char; 3] = ['.', '_', '-'];
/// The length of a query in characters.
const MIN_QUERY_CHARS: usize = 1;
const MAX_QUERY_CHARS: usize = 50;

/// A user as the directory lists them: what decides the place in a list, and which words find the
/// user. It holds nothing private.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Listing {
    /// 9 minus the number of decimal digits of the number of followers, and 9 without followers. So
    /// the users with the most followers come first.
    rank: u32,
    /// The folded words of the display name, with a hyphen between two of them. A hyphen sorts
    /// after the `#` that follows the name in the key, so `Ada` comes before `Ada Marsh`.
    name: String,
    /// The username.
    pub username: Username,
}

/// An item of the directory: a listing in one of the lists that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DirectoryEntry {
    /// The beginning of a word that names the list.
    pub list: String,
    /// The listing.
    pub listing: Listing,
}

impl Key {
    /// Returns the key of a [`Listing`](super::Listing) of this rank and name in a list of the
    /// directory. A name has no `#`.
    #[must_use]
    pub fn listing(list: &str, rank: u32, name: &str, username: &Username) -> Self {
        Self::of_feed(directory_pk(list), format!("{rank}#{name}#{username}"))
    }
}

/// Returns the partition key of a list of the directory.
#[must_use]
pub fn directory_pk(list: &str) -> String {
    format!("{DIRECTORY_PREFIX}{list}")
}

impl Listing {
    /// Returns the listing of a user with this display name and number of followers.
    #[must_use]
    pub fn new(username: &Username, name: &str, followers: u64) -> Self {
        let mut name = words(name).join("-");
        name.truncate(name.floor_char_boundary(MAX_NAME_BYTES));
        let digits = followers.checked_ilog10().map_or(0, |log| log + 1);
        Self { rank: MAX_RANK.saturating_sub(digits), name, username: username.clone() }
    }

    /// Returns the key of the listing in a list.
    #[must_use]
    pub fn key(&self, list: &str) -> Key {
        Key::listing(list, self.rank, &self.name, &self.username)
    }

    /// Returns the entries of the user, at most [`MAX_LISTS`].
    #[must_use]
    pub fn entries(&self) -> BTreeSet<DirectoryEntry> {
        let of_words = self.words().flat_map(|word| {
            let chars = MIN_PREFIX_CHARS..=MAX_PREFIX_CHARS.min(word.chars().count());
            chars.map(|chars| prefix(word, chars))
        });
        let beginnings = (MIN_PREFIX_CHARS..=MAX_PREFIX_CHARS).map(|chars| prefix(self.username.as_ref(), chars));
        let everybody = (self.rank < MAX_RANK).then_some(EVERYBODY);
        let mut lists = BTreeSet::new();
        for list in everybody.into_iter().chain(beginnings.filter(|text| is_of_letters(text))).chain(of_words) {
            if lists.len() < MAX_LISTS {
                lists.insert(list);
            }
        }
        lists.into_iter().map(|list| DirectoryEntry { list: list.to_owned(), listing: self.clone() }).collect()
    }

    /// Returns the words of the username and then those of the name.
    fn words(&self) -> impl Iterator<Item = &str> {
        self.username.as_ref().split(SEPARATORS).chain(self.name.split('-'))
    }
}

/// Returns whether a text can begin a username of single letters, such as `j.r`. Its whole text has a list, which is
/// shorter than that of a letter.
fn is_of_letters(text: &str) -> bool {
    let mut words = text.split(SEPARATORS).filter(|word| !word.is_empty());
    !text.starts_with(SEPARATORS)
        && words.clone().count() > 1
        && words.all(|word| matches!(word.as_bytes(), [b'a'..=b'z' | b'0'..=b'9']))
}

impl DirectoryEntry {
    /// Returns the key of the entry.
    #[must_use]
    pub fn key(&self) -> Key {
        self.listing.key(&self.list)
    }

    /// Returns the item of the entry.
    pub fn item(&self) -> Result<Item, Error> {
        entity::to_item(self.key(), &self.listing)
    }
}

/// A query of people. A user is found if each word of the query begins a word of the display name
/// or of the username, or the username itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PeopleQuery {
    /// The folded text.
    text: String,
    /// The words, the longest first.
    words: Vec<String>,
}

impl PeopleQuery {
    /// Returns the username that the query is, if it is one.
    #[must_use]
    pub fn username(&self) -> Option<Username> {
        self.text.parse().ok()
    }

    /// Returns the list to read. It has all users whom the query finds, and may have others.
    #[must_use]
    pub fn list(&self) -> &str {
        self.words.first().map_or("", |word| prefix(word, MAX_PREFIX_CHARS))
    }

    /// Returns whether the query finds all users of its list.
    #[must_use]
    pub fn finds_whole_list(&self) -> bool {
        matches!(&self.words[..], [word] if word == self.list())
    }

    /// Returns whether the query finds a user.
    #[must_use]
    pub fn matches(&self, listing: &Listing) -> bool {
        let begins = |word: &str| listing.words().any(|other| other.starts_with(word));
        self.words.iter().all(|word| begins(word) || listing.username.as_ref().starts_with(word))
    }
}

impl QueryParameter for PeopleQuery {
    const NAME: &'static str = "q";
    const DESCRIPTION: &'static str = "The beginnings of words of the name, or of the username.";
}

/// Writes the canonical text: equivalent queries have the same one.
impl fmt::Display for PeopleQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Value for PeopleQuery {
    const RULE: &'static str = "a string of 1–50 characters";
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for PeopleQuery {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PeopleQuery".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": format!("A value must be {}.", Self::RULE),
            "type": "string",
            "minLength": MIN_QUERY_CHARS,
            "maxLength": MAX_QUERY_CHARS,
            "examples": ["li"],
        })
    }
}

impl TryFrom<String> for PeopleQuery {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Self, InvalidValue> {
        text.parse()
    }
}

impl FromStr for PeopleQuery {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        if !(MIN_QUERY_CHARS..=MAX_QUERY_CHARS).contains(&text.chars().count()) {
            return Err(InvalidValue::new::<Self>());
        }
        let mut words = words(text);
        let text = fold_for_search(text).trim().to_owned();
        if is_of_letters(&text) {
            words = vec![text.clone()];
        }
        words.sort_by_cached_key(|word| Reverse(word.chars().count()));
        Ok(Self { text, words })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::values::MAX_SORT_KEY_BYTES;

    fn listing(username: &str, name: &str, followers: u64) -> Listing {
        Listing::new(&username.parse().unwrap(), name, followers)
    }

    fn lists(username: &str, name: &str) -> Vec<String> {
        listing(username, name, 0).entries().into_iter().map(|entry| entry.list).collect()
    }

    fn query(text: &str) -> PeopleQuery {
        text.parse().unwrap()
    }

    fn finds(text: &str, username: &str, name: &str) -> bool {
        query(text).matches(&listing(username, name, 0))
    }

    #[test]
    fn a_user_is_in_the_list_of_each_beginning_once() {
        assert_eq!(lists("ada", "Ada Marsh"), ["a", "ad", "ada", "m", "ma", "mar", "mars", "marsh"]);
        assert_eq!(lists("x7", "ÉLODIE"), ["e", "el", "elo", "elod", "elodi", "x", "x7"]);
        assert_eq!(lists("j.r-t", "J. R. T."), ["j", "j.r", "j.r-", "j.r-t", "r", "t"]);
        assert_eq!(lists("jo.marsh", "★"), ["j", "jo", "m", "ma", "mar", "mars", "marsh"]);
        assert_eq!(lists("wang", "王小明"), ["w", "wa", "wan", "wang", "王", "王小", "王小明"]);
    }

    #[test]
    fn the_list_of_everybody_has_those_with_a_follower() {
        let has = |followers| listing("ada", "Ada", followers).entries().iter().any(|entry| entry.list == EVERYBODY);
        assert_eq!([0, 1, 10].map(has), [false, true, true]);
    }

    #[test]
    fn the_most_followed_come_first_and_then_the_first_names() {
        let ordered = [
            listing("aa", "Zoe", 1_000_000_000_000),
            listing("aa", "Zoe", 10),
            listing("aa", "Ada", 9),
            listing("bb", "Ada", 1),
            listing("aa", "Ada Marsh", 1),
            listing("aa", "Adam", 1),
            listing("aa", "", 0),
        ];
        let keys = ordered.map(|listing| listing.key("ad"));
        let sort_key = |key: &Key| Item::from(key.clone())["sk"].as_s().unwrap().clone();
        assert!(keys.iter().map(sort_key).is_sorted(), "{keys:?}");
        assert_eq!(sort_key(&keys[4]), "8#ada-marsh#aa");
    }

    #[test]
    fn every_word_of_a_query_begins_a_word_of_the_user() {
        for found in ["ad", "ADA", "marsh", "m ada", "ada-marsh", "Ａda", "ada m", "da_y2"] {
            assert!(finds(found, "da_y2", "Ada Marsh"), "{found}");
        }
        for found in ["ipek", "IPEK", "ışık", "İŞ", "isik"] {
            assert!(finds(found, "ip", "İpek Işık"), "{found}");
        }
        for other in ["adam", "arsh", "ada n", "da_n", "y3"] {
            assert!(!finds(other, "da_y2", "Ada Marsh"), "{other}");
        }
        assert!(finds("j.r", "j.r.t", "★") && !finds("j.s", "j.r.t", "★"));
        assert!(finds("王小", "wang", "王小明") && !finds("小明", "wang", "王小明"));
        for found in ["王 明", "明 王", "w 明", "王-明", "王.明"] {
            assert!(finds(found, "wang", "王 明"), "{found}");
        }
        for found in ["j", "j.", "j. s", "s. j", "j. sm", "j-s", "-j", "+j.s"] {
            assert!(finds(found, "smith", "J. Smith") == (found != "j-s"), "{found}");
        }
        assert!(finds("a m", "am", "Ada Marsh") && !finds("a n", "am", "Ada Marsh"));
    }

    #[test]
    fn a_query_reads_the_list_of_its_longest_word() {
        for (text, list, finds_whole_list) in [
            ("ma", "ma", true),
            ("Marsh", "marsh", true),
            ("Marshall", "marsh", false),
            ("a marsh", "marsh", false),
            ("m", "m", true),
            ("j.r", "j.r", true),
            ("j.r.t.s", "j.r.t", false),
            ("j.", "j", true),
            ("j. s", "j", false),
            (".j.s", "j", false),
            ("王 明", "王", false),
            ("--", "", false),
            ("  ", "", false),
        ] {
            let query = query(text);
            assert_eq!((query.list(), query.finds_whole_list()), (list, finds_whole_list), "{text}");
        }
        assert_eq!(query("ADA").username(), Some("ada".parse().unwrap()));
        assert_eq!(query("ada marsh").username(), None);
    }

    #[test]
    fn a_query_has_1_to_50_characters() {
        for bad in ["", &"ü".repeat(51)] {
            assert!(bad.parse::<PeopleQuery>().is_err(), "{bad}");
        }
        assert!("ü".repeat(50).parse::<PeopleQuery>().is_ok());
        assert_eq!(PeopleQuery::RULE, format!("a string of {MIN_QUERY_CHARS}–{MAX_QUERY_CHARS} characters"));
    }

    proptest! {
        /// One character of some scripts folds into eighteen.
        #[test]
        fn an_entry_costs_one_write_unit_and_the_query_of_a_word_finds_it(
            name in "[a-cA-C \u{fdfa}王É#-]{0,100}", followers in 0..u64::MAX, username in "[a-c0][a-c._-]{0,30}[a-c0]"
        ) {
            let listing = listing(&username, &name, followers);
            let entries = listing.entries();
            prop_assert!(entries.len() <= MAX_LISTS && listing.name.len() <= MAX_NAME_BYTES);
            for entry in entries {
                let item = entry.item().unwrap();
                let size: usize = item.iter().map(|(name, value)| name.len() + value.as_s().map_or(21, String::len)).sum();
                prop_assert!(size <= 1024 && item["sk"].as_s().unwrap().len() <= MAX_SORT_KEY_BYTES);
                prop_assert_eq!(item["sk"].as_s().unwrap().matches('#').count(), 2);
                if entry.list == EVERYBODY {
                    continue;
                }
                let query: PeopleQuery = entry.list.parse().unwrap();
                prop_assert_eq!(query.list(), &entry.list);
                prop_assert!(query.matches(&listing));
            }
        }
    }
}
