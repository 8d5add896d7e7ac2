//! What a favorite is found by: the terms of its title, and the query that asks for them.
//!
//! Text is folded first, so that neither case nor Unicode form matters ([`fold`]). It then falls into words:
//!
//! - Where words stand apart, a word is a run of letters, digits and their marks, and its terms are all its beginnings:
//!   `Lake` has `l`, `la`, `lak`, `lake`. So who has typed the half of a word finds it, and DynamoDB finds each
//!   beginning as one partition, in whose order it lies.
//! - In scripts without spaces, nobody but a dictionary knows where a word begins. There the terms are each character
//!   and each two neighbours: `收藏夹` has `收`, `藏`, `夹`, `收藏`, `藏夹`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup, LineBreak};
use serde::Deserialize;

use crate::values::fold::fold;
use crate::values::{DataType, InvalidValue, TagName, Value};

/// Beginnings of words are terms up to so many characters; what follows is compared with the title.
const MAX_TERM_CHARS: usize = 32;

/// The most characters that a query may have.
const MAX_QUERY_CHARS: usize = 200;

/// Whether the character belongs to the one before it. Many marks count as alphabetic all the same, so that a word must
/// be kept from beginning with one: alone, it would be a word of another kind than the one that it came from.
fn is_mark(c: char) -> bool {
    GeneralCategoryGroup::Mark.contains(CodePointMapData::<GeneralCategory>::new().get(c))
}

/// A piece of a text in which nothing stands between the characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Word {
    /// In a script with spaces between words.
    Apart(String),
    /// In a script without.
    Joined(String),
}

impl Word {
    /// The words of a folded text.
    fn all(folded: &str) -> Vec<Self> {
        let line_break = CodePointMapData::<LineBreak>::new();
        let mut words: Vec<Self> = vec![];
        let mut goes_on = false;
        for c in folded.chars() {
            // https://www.unicode.org/reports/tr14/ has the classes: ideographs and kana with their small and repeated
            // forms, and the scripts of Southeast Asia whose lines break by dictionary.
            let is_joined = matches!(
                line_break.get(c),
                LineBreak::Ideographic
                    | LineBreak::ConditionalJapaneseStarter
                    | LineBreak::Nonstarter
                    | LineBreak::ComplexContext
            );
            match words.last_mut() {
                Some(Self::Apart(word) | Self::Joined(word)) if goes_on && is_mark(c) => word.push(c),
                _ if is_mark(c) || !c.is_alphanumeric() => goes_on = false,
                Some(Self::Joined(word)) if goes_on && is_joined => word.push(c),
                Some(Self::Apart(word)) if goes_on && !is_joined => word.push(c),
                _ => {
                    words.push(if is_joined { Self::Joined(c.into()) } else { Self::Apart(c.into()) });
                    goes_on = true;
                }
            }
        }
        words
    }

    /// Whether a word of a query is found in a word of a title.
    fn is_found_in(&self, title: &Self) -> bool {
        match (self, title) {
            (Self::Apart(word), Self::Apart(title)) => title.starts_with(word),
            (Self::Joined(word), Self::Joined(title)) => title.contains(word),
            _ => false,
        }
    }
}

/// The terms under which a favorite with this title is found.
#[must_use]
pub fn terms(title: &str) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    for word in Word::all(&fold(title)) {
        match word {
            Word::Apart(word) => {
                let ends = word.char_indices().map(|(start, c)| start + c.len_utf8());
                terms.extend(ends.take(MAX_TERM_CHARS).map(|end| word[..end].to_owned()));
            }
            Word::Joined(word) => {
                // A mark alone is nothing that one could ask for.
                terms.extend(word.chars().filter(|c| !is_mark(*c)).map(String::from));
                terms.extend(pairs(&word));
            }
        }
    }
    terms
}

/// Each two neighbouring characters.
fn pairs(word: &str) -> impl Iterator<Item = String> {
    word.chars().zip(word.chars().skip(1)).map(|(a, b)| String::from_iter([a, b]))
}

/// What is searched for. All of it has to be found.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Query {
    words: BTreeSet<Word>,
    /// `tag:NAME`, or `tag:"NAME"` where the name has spaces.
    pub tags: Vec<TagName>,
    /// `type:NAME`
    pub types: BTreeSet<DataType>,
}

impl Query {
    /// The terms whose lists have all favorites that the words find, and others: of a long word its beginning, of
    /// joined characters each pair.
    #[must_use]
    pub fn terms(&self) -> BTreeSet<String> {
        let mut terms = BTreeSet::new();
        for word in &self.words {
            match word {
                Word::Apart(word) => {
                    terms.insert(word.chars().take(MAX_TERM_CHARS).collect());
                }
                Word::Joined(word) if word.chars().nth(1).is_none() => {
                    terms.insert(word.clone());
                }
                Word::Joined(word) => terms.extend(pairs(word)),
            }
        }
        terms
    }

    /// Whether a favorite with this title and of this type has all that is searched for, but for the tags.
    #[must_use]
    pub fn finds(&self, title: &str, data_type: DataType) -> bool {
        let title = Word::all(&fold(title));
        self.words.iter().all(|word| title.iter().any(|other| word.is_found_in(other)))
            && self.types.iter().all(|wanted| *wanted == data_type)
    }
}

/// The same for queries that ask for the same.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.words.iter().map(|(Word::Apart(word) | Word::Joined(word))| word.clone());
        let tags = self.tags.iter().map(|name| format!("tag:\"{}\"", name.folded()));
        let types = self.types.iter().map(|data_type| format!("type:{data_type}"));
        f.write_str(&words.chain(tags).chain(types).collect::<Vec<_>>().join(" "))
    }
}

impl Value for Query {
    const RULE: &'static str = "1–200 characters with a word, tag:NAME or type:NAME in them; a NAME with spaces stands \
                                in double quotes, and is that of a tag or one of image, video, link, file, music, \
                                chat, voice, note, position";
}

impl TryFrom<String> for Query {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Self, InvalidValue> {
        text.parse()
    }
}

impl FromStr for Query {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let broken = InvalidValue::of::<Self>();
        if text.chars().count() > MAX_QUERY_CHARS {
            return Err(broken);
        }
        let mut query = Self { words: BTreeSet::new(), tags: vec![], types: BTreeSet::new() };
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (part, after) = part(rest).ok_or(broken)?;
            match part {
                Part::Tag(name) => query.tags.push(name.parse()?),
                Part::Type(name) => {
                    query.types.insert(fold(name).parse().map_err(|_| broken)?);
                }
                Part::Words(words) => query.words.extend(Word::all(&fold(words))),
            }
            rest = after.trim_start();
        }
        query.tags.sort_by_key(TagName::folded);
        query.tags.dedup_by_key(|name| name.folded());
        if query.words.is_empty() && query.tags.is_empty() && query.types.is_empty() {
            return Err(broken);
        }
        Ok(query)
    }
}

enum Part<'a> {
    Tag(&'a str),
    Type(&'a str),
    Words(&'a str),
}

/// The first part of a text that doesn't begin with a space, and what follows it. None if a quotation has no end.
fn part(text: &str) -> Option<(Part<'_>, &str)> {
    let until_space = |text: &str| text.find(char::is_whitespace).unwrap_or(text.len());
    let named = |name: &str| -> Option<usize> {
        let given = text.get(..name.len())?;
        given.eq_ignore_ascii_case(name).then_some(name.len())
    };
    let Some((begin, is_tag)) = named("tag:").map(|n| (n, true)).or_else(|| named("type:").map(|n| (n, false))) else {
        let (words, after) = text.split_at(until_space(text));
        return Some((Part::Words(words), after));
    };
    let (name, after) = match text[begin..].strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?,
        None => text[begin..].split_at(until_space(&text[begin..])),
    };
    Some((if is_tag { Part::Tag(name) } else { Part::Type(name) }, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use icu_normalizer::{ComposingNormalizer, DecomposingNormalizer};
    use proptest::prelude::*;

    fn query(text: &str) -> Query {
        text.parse().unwrap_or_else(|_| panic!("{text}"))
    }

    #[test]
    fn every_word_of_the_query_begins_a_word_of_the_title() {
        for (title, queries) in [
            ("Lake at night", &["lake", "nig la", "AT", "n a l"][..]),
            ("Große Straße 12", &["strasse", "GROSSE", "straß 1", "gros"]),
            ("Café in Łódź", &["cafe\u{301}", "łó", "CAFÉ"]),
            ("Ｆｕｌｌ width ①", &["full", "1"]),
            ("ΟΔΟΣ", &["οδος", "οδοσ", "οδός".strip_suffix("ός").unwrap()]),
            ("don't stop", &["don't", "don", "t st"]),
            ("हिन्दी गीत", &["हिन्दी", "हि", "गीत"]),
            ("السفر الطويل", &["السفر", "الط"]),
            ("Привет, мир", &["привет", "МИР"]),
            ("서울 여행", &["서울", "여"]),
            ("soft\u{ad}ware", &["software", "soft"]),
        ] {
            for text in queries {
                assert!(query(text).finds(title, DataType::Note), "{text} in {title}");
            }
        }
        for (title, text) in [
            ("Lake at night", "ake"),
            ("Lake at night", "lake day"),
            ("Lake", "lakes"),
            ("cafe", "café"),
            ("Łódź", "lodz"),
            ("lake", "收"),
        ] {
            assert!(!query(text).finds(title, DataType::Note), "{text} in {title}");
        }
    }

    #[test]
    fn where_words_are_joined_neighbours_are_found_anywhere() {
        for (title, queries) in [
            ("我的收藏夹", &["藏夹", "收藏", "收藏夹", "夹", "的收藏夹", "我的 藏夹"][..]),
            ("東京タワーの夜景", &["タワー", "ワー", "夜景", "ﾀﾜｰ", "京タ"]),
            ("人々のiPhone写真2024", &["iphone", "写真", "人々", "20", "写真2024"]),
            ("สวัสดีครับ", &["สวัส", "ดีค", "ครับ"]),
        ] {
            for text in queries {
                assert!(query(text).finds(title, DataType::Note), "{text} in {title}");
            }
        }
        for (title, text) in [("我的收藏夹", "收夹"), ("我的收藏夹", "藏收"), ("收藏 夹子", "藏夹"), ("写真", "真写")]
        {
            assert!(!query(text).finds(title, DataType::Note), "{text} in {title}");
        }
    }

    #[test]
    fn terms_of_titles() {
        let of = |title: &str| terms(title).into_iter().collect::<Vec<_>>();
        assert_eq!(of("Lake la"), ["l", "la", "lak", "lake"]);
        assert_eq!(of("收藏夹"), ["夹", "收", "收藏", "藏", "藏夹"]);
        assert_eq!(of("a收b"), ["a", "b", "收"]);
        assert_eq!(of("\u{1dd3}收\u{1dd3}"), ["收", "收\u{1dd3}"]);
        assert_eq!(of(" – !"), Vec::<String>::new());
        let long = "x".repeat(200);
        assert_eq!(terms(&long).len(), 32);
        assert!(query(&long).finds(&long, DataType::Note) && !query(&long).finds(&long[1..], DataType::Note));
    }

    #[test]
    fn queries() {
        let q = query("type:IMAGE  lake tag:Work Tag:\"two words\" tag:wORK");
        assert_eq!(q.terms().into_iter().collect::<Vec<_>>(), ["lake"]);
        assert_eq!(q.tags.iter().map(AsRef::as_ref).collect::<Vec<&str>>(), ["two words", "Work"]);
        assert!(q.finds("Lake", DataType::Image) && !q.finds("Lake", DataType::Video));
        assert_eq!(q.types.into_iter().collect::<Vec<_>>(), [DataType::Image]);
        assert_eq!(
            query("b TAG:Two  a tag:\"ONE 1\" type:file").to_string(),
            "a b tag:\"one 1\" tag:\"two\" type:file"
        );
        assert_eq!(query("收藏夹").terms().into_iter().collect::<Vec<_>>(), ["收藏", "藏夹"]);
        assert_eq!(query("tags: type").terms().into_iter().collect::<Vec<_>>(), ["tags", "type"]);
        for bad in ["", "   ", "–!", "tag:", "type:", "type:pictures", "tag:\"two", "🎂", "\"", &"a ".repeat(101)] {
            assert!(bad.parse::<Query>().is_err(), "{bad}");
        }
    }

    fn text() -> impl Strategy<Value = String> {
        prop_oneof![".{0,12}", "[aA\u{e9}e\u{301}ßｓ 收藏夹カーﾞดี가αΐ\u{1dd3}\u{e31}]{0,12}"]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn folding_is_done_once_and_for_every_form(text in text()) {
            let folded = fold(&text);
            prop_assert_eq!(&fold(&folded), &folded);
            prop_assert_eq!(&fold(&ComposingNormalizer::new_nfc().normalize(&text)), &folded);
            prop_assert_eq!(&fold(&DecomposingNormalizer::new_nfd().normalize(&text)), &folded);
            prop_assert_eq!(&fold(&DecomposingNormalizer::new_nfkd().normalize(&text)), &folded);
        }

        /// Else a favorite would be in none of the lists that a search for it reads.
        #[test]
        fn what_a_query_finds_is_under_all_of_its_terms(title in text(), query in text()) {
            if let Ok(query) = query.parse::<Query>()
                && query.finds(&title, DataType::Note)
            {
                prop_assert!(query.terms().is_subset(&terms(&title)), "{query:?} {:?}", terms(&title));
            }
        }

        #[test]
        fn every_title_is_found_by_itself_and_by_its_terms(title in text()) {
            for term in terms(&title).iter().filter(|term| !term.starts_with(is_mark)) {
                prop_assert!(query(term).finds(&title, DataType::Note), "{term:?}");
            }
            if let Ok(query) = fold(&title).replace(':', " ").parse::<Query>() {
                prop_assert!(query.finds(&title, DataType::Note));
            }
        }

        #[test]
        fn no_query_panics(text in "([tT]ag:|type:|\"|image| |\\PC){0,20}") {
            let _ = text.parse::<Query>();
        }
    }
}
