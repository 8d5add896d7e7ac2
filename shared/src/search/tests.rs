use std::collections::BTreeSet;

use icu_normalizer::{ComposingNormalizer, DecomposingNormalizer};
use proptest::prelude::*;

use super::query::MAX_QUERY_CHARS;
use super::terms::MAX_WRITE_UNITS;
use super::words::{is_mark, pairs};
use super::{Query, terms};
use crate::values::fold::{fold, fold_for_search};
use crate::values::{DataType, Value as _};

fn query(text: &str) -> Query {
    text.parse().unwrap_or_else(|_| panic!("{text}"))
}

#[test]
fn each_word_of_the_query_is_a_prefix_of_a_word_of_the_title() {
    for (title, queries) in [
        ("Lake at night", &["lake", "nig la", "AT", "n a l"][..]),
        ("Große Straße 12", &["strasse", "GROSSE", "straß 1", "gros"]),
        ("Café in Łódź", &["cafe\u{301}", "łó", "CAFÉ", "cafe lodz"]),
        ("Cafe", &["café"]),
        ("İpek Işık", &["ipek", "IPEK", "ışık", "isik", "İŞİK"]),
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
            assert!(query(text).matches(title, DataType::Note), "{text} in {title}");
        }
    }
    for (title, text) in
        [("Lake at night", "ake"), ("Lake at night", "lake day"), ("Lake", "lakes"), ("ハハ", "パパ"), ("lake", "收")]
    {
        assert!(!query(text).matches(title, DataType::Note), "{text} in {title}");
    }
}

#[test]
fn scripts_without_spaces_match_any_run_of_adjacent_characters() {
    for (title, queries) in [
        ("我的收藏夹", &["藏夹", "收藏", "收藏夹", "夹", "的收藏夹", "我的 藏夹"][..]),
        ("東京タワーの夜景", &["タワー", "ワー", "夜景", "ﾀﾜｰ", "京タ"]),
        ("人々のiPhone写真2024", &["iphone", "写真", "人々", "20", "写真2024"]),
        ("สวัสดีครับ", &["สวัส", "ดีค", "ครับ"]),
    ] {
        for text in queries {
            assert!(query(text).matches(title, DataType::Note), "{text} in {title}");
        }
    }
    for (title, text) in [("我的收藏夹", "收夹"), ("我的收藏夹", "藏收"), ("收藏 夹子", "藏夹"), ("写真", "真写")]
    {
        assert!(!query(text).matches(title, DataType::Note), "{text} in {title}");
    }
}

#[test]
fn terms_are_prefixes_or_pairs_of_adjacent_characters() {
    let sorted_terms = |title: &str| terms(title).into_iter().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>();
    assert_eq!(sorted_terms("Lakeside la"), ["l", "la", "lak", "lake"]);
    assert_eq!(sorted_terms("收藏夹"), ["夹", "收", "收藏", "藏", "藏夹"]);
    assert_eq!(sorted_terms("a收b"), ["a", "b", "收"]);
    assert_eq!(sorted_terms("\u{3099}收\u{3099}"), ["收", "收\u{3099}"]);
    assert_eq!(sorted_terms(" – !"), Vec::<String>::new());
    let long = "x".repeat(200);
    assert_eq!(sorted_terms(&long), ["x", "xx", "xxx", "xxxx"]);
    assert_eq!(query(&long).terms().into_iter().collect::<Vec<_>>(), ["xxxx"]);
    assert!(query(&long).matches(&long, DataType::Note) && !query(&long).matches(&long[1..], DataType::Note));
}

/// Returns a title of `words` different words of four letters.
fn title_of(words: u32) -> String {
    (0..words).map(|number| format!("{:04}", 1000 + number * 137)).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_long_title_keeps_its_most_important_terms() {
    // Every word is found by its first four letters. There is no room for the shorter prefixes of
    // all of them.
    let words: BTreeSet<String> = title_of(40).split(' ').map(str::to_owned).collect();
    let kept = terms(&title_of(40));
    assert_eq!(kept.len(), MAX_WRITE_UNITS);
    assert_eq!(kept[..40].iter().cloned().collect::<BTreeSet<_>>(), words);
    assert!(kept[40..].iter().all(|term| term.len() == 3), "{kept:?}");
    // The first 61 characters are found by every pair of them.
    let chinese: String = ('一'..).take(200).collect();
    let kept = terms(&chinese);
    assert_eq!(kept.first().unwrap(), "一丁");
    assert_eq!(kept, pairs(&chinese).take(MAX_WRITE_UNITS).collect::<Vec<_>>());
    // The words of other scripts have priority.
    let mixed = terms(&format!("{chinese} Lisbon"));
    assert_eq!((mixed.len(), mixed[0].as_str(), mixed[1].as_str()), (MAX_WRITE_UNITS, "lisb", "一丁"));
    // A title of up to 30 characters keeps each pair and each character.
    assert_eq!(terms(&('一'..).take(30).collect::<String>()).len(), 59);
}

#[test]
fn a_large_title_keeps_fewer_terms() {
    let rare: String = ('\u{20000}'..).take(200).collect();
    assert_eq!((rare.len(), terms(&rare).len()), (800, MAX_WRITE_UNITS / 2));
    // Only another program can have written such titles.
    assert_eq!(terms(&title_of(500)).len(), MAX_WRITE_UNITS / 4);
    assert!(terms(&title_of(20_000)).is_empty());
}

#[test]
fn the_rule_of_a_query_names_the_maximum() {
    assert!(Query::RULE.starts_with(&format!("1–{MAX_QUERY_CHARS} characters")), "{}", Query::RULE);
}

#[test]
fn queries_have_words_tags_and_types() {
    let q = query("type:IMAGE  lake tag:Work Tag:\"two words\" tag:wORK");
    assert_eq!(q.terms().into_iter().collect::<Vec<_>>(), ["lake"]);
    assert_eq!(q.tags.iter().map(AsRef::as_ref).collect::<Vec<&str>>(), ["two words", "Work"]);
    assert!(q.matches("Lake", DataType::Image) && !q.matches("Lake", DataType::Video));
    assert_eq!(q.types.into_iter().collect::<Vec<_>>(), [DataType::Image]);
    assert_eq!(query("b TAG:Two  a tag:\"ONE 1\" type:file").to_string(), "a b tag:\"one 1\" tag:\"two\" type:file");
    assert_eq!(query("收藏夹").terms().into_iter().collect::<Vec<_>>(), ["收藏", "藏夹"]);
    assert_eq!(query("tags: type").terms().into_iter().collect::<Vec<_>>(), ["tags", "type"]);
    // A double quote in a name.
    for (text, name) in
        [("tag:\"12\"\" vinyl\" a", "12\" vinyl"), ("a tag:\"\"\"draft\"\"\"", "\"draft\""), ("a tag:12\"", "12\"")]
    {
        let q = query(text);
        assert_eq!(q.tags.iter().map(AsRef::as_ref).collect::<Vec<&str>>(), [name], "{text}");
        assert_eq!(query(&q.to_string()), q, "{text}");
    }
    for bad in ["", "   ", "–!", "tag:", "type:", "type:pictures", "tag:\"two", "🎂", "\"", &"a ".repeat(101)] {
        assert!(bad.parse::<Query>().is_err(), "{bad}");
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,12}", "[aA\u{e9}e\u{301}iıİ\u{307}øǰﬁßｓ 收藏夹カーﾞดี가αΐ\u{1dd3}\u{e31}]{0,12}"]
}

proptest! {
    #[test]
    fn folding_is_idempotent_and_independent_of_the_unicode_form(text in text()) {
        for fold in [fold, fold_for_search] {
            let folded = fold(&text);
            prop_assert_eq!(&fold(&folded), &folded);
            prop_assert_eq!(&fold(&ComposingNormalizer::new_nfc().normalize(&text)), &folded);
            prop_assert_eq!(&fold(&DecomposingNormalizer::new_nfd().normalize(&text)), &folded);
            prop_assert_eq!(&fold(&DecomposingNormalizer::new_nfkd().normalize(&text)), &folded);
        }
        prop_assert_eq!(fold_for_search(&fold(&text)), fold_for_search(&text));
    }

    /// A search reads the terms of its query only, so it would miss such a favorite.
    #[test]
    fn a_title_that_a_query_matches_has_all_terms_of_the_query(title in text(), query in text()) {
        if let Ok(query) = query.parse::<Query>()
            && query.matches(&title, DataType::Note)
        {
            let terms = terms(&title).into_iter().collect();
            prop_assert!(query.terms().is_subset(&terms), "{query:?} {terms:?}");
        }
    }

    #[test]
    fn a_title_is_found_by_its_whole_text_and_by_each_term(title in text()) {
        for term in terms(&title).iter().filter(|term| !term.starts_with(is_mark)) {
            prop_assert!(query(term).matches(&title, DataType::Note), "{term:?}");
        }
        if let Ok(query) = fold_for_search(&title).replace(':', " ").parse::<Query>() {
            prop_assert!(query.matches(&title, DataType::Note));
        }
    }

    /// A title of up to 60 words keeps the terms by which written-out words of at least four
    /// letters are found.
    #[test]
    fn the_terms_of_a_title_are_bounded(title in "[a-c收藏夹京都 ]{0,200}|\\PC{0,200}") {
        let all = terms(&title);
        prop_assert!(all.len() <= MAX_WRITE_UNITS);
        prop_assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        let long: BTreeSet<String> = fold_for_search(&title)
            .split(' ')
            .filter(|word| word.len() >= 4 && word.chars().all(|c| c.is_ascii_lowercase()))
            .map(|word| word[..4].to_owned())
            .collect();
        if title.is_ascii() {
            prop_assert!(long.iter().take(MAX_WRITE_UNITS).all(|word| all.contains(word)), "{all:?}");
        }
    }

    #[test]
    fn no_query_text_panics(text in "([tT]ag:|type:|\"|image| |\\PC){0,20}") {
        let _ = text.parse::<Query>();
    }
}
