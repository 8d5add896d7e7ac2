use icu_normalizer::{ComposingNormalizer, DecomposingNormalizer};
use proptest::prelude::*;

use super::words::is_mark;
use super::{Query, terms};
use crate::values::DataType;
use crate::values::fold::fold;

fn query(text: &str) -> Query {
    text.parse().unwrap_or_else(|_| panic!("{text}"))
}

#[test]
fn each_word_of_the_query_is_a_prefix_of_a_word_of_the_title() {
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
            assert!(query(text).matches(title, DataType::Note), "{text} in {title}");
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
    let sorted_terms = |title: &str| terms(title).into_iter().collect::<Vec<_>>();
    assert_eq!(sorted_terms("Lake la"), ["l", "la", "lak", "lake"]);
    assert_eq!(sorted_terms("收藏夹"), ["夹", "收", "收藏", "藏", "藏夹"]);
    assert_eq!(sorted_terms("a收b"), ["a", "b", "收"]);
    assert_eq!(sorted_terms("\u{1dd3}收\u{1dd3}"), ["收", "收\u{1dd3}"]);
    assert_eq!(sorted_terms(" – !"), Vec::<String>::new());
    let long = "x".repeat(200);
    assert_eq!(terms(&long).len(), 32);
    assert!(query(&long).matches(&long, DataType::Note) && !query(&long).matches(&long[1..], DataType::Note));
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
    fn folding_is_idempotent_and_independent_of_the_unicode_form(text in text()) {
        let folded = fold(&text);
        prop_assert_eq!(&fold(&folded), &folded);
        prop_assert_eq!(&fold(&ComposingNormalizer::new_nfc().normalize(&text)), &folded);
        prop_assert_eq!(&fold(&DecomposingNormalizer::new_nfd().normalize(&text)), &folded);
        prop_assert_eq!(&fold(&DecomposingNormalizer::new_nfkd().normalize(&text)), &folded);
    }

    /// A search reads the terms of its query only, so it would miss such a favorite.
    #[test]
    fn a_title_that_a_query_matches_has_all_terms_of_the_query(title in text(), query in text()) {
        if let Ok(query) = query.parse::<Query>()
            && query.matches(&title, DataType::Note)
        {
            prop_assert!(query.terms().is_subset(&terms(&title)), "{query:?} {:?}", terms(&title));
        }
    }

    #[test]
    fn a_title_is_found_by_its_whole_text_and_by_each_term(title in text()) {
        for term in terms(&title).iter().filter(|term| !term.starts_with(is_mark)) {
            prop_assert!(query(term).matches(&title, DataType::Note), "{term:?}");
        }
        if let Ok(query) = fold(&title).replace(':', " ").parse::<Query>() {
            prop_assert!(query.matches(&title, DataType::Note));
        }
    }

    #[test]
    fn no_query_text_panics(text in "([tT]ag:|type:|\"|image| |\\PC){0,20}") {
        let _ = text.parse::<Query>();
    }
}
