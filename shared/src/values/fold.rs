//! Folding, after which equal texts are those that a reader takes for the same.
//!
//! | function | what makes no difference | for |
//! |---|---|---|
//! | [`fold`] | case, composition, width, ligatures, invisible characters: a [compatibility caseless match](https://www.unicode.org/versions/Unicode16.0.0/core-spec/chapter-3/#G53513) (definition D146), in which `i`, `I`, `ı` and `İ` are one letter | names of tags |
//! | [`fold_for_search`] | also accents and points, and the strokes and ligatures of Latin letters: about the [primary level](https://www.unicode.org/reports/tr10/#Multi_Level_Comparison) of UTS #10 | the words of titles, of people and of queries |
//!
//! A name is folded less than a word, because *ban*, *bàn* and *bán* are three tags to somebody who
//! writes Vietnamese, who may nevertheless type `ban` to find the three.

use icu_casemap::CaseMapper;
use icu_normalizer::properties::CanonicalCombiningClassMapBorrowed;
use icu_normalizer::{ComposingNormalizer, DecomposingNormalizer};
use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;

/// Returns a text without differences of case, composition and width, and without invisible
/// characters.
///
/// The lower case of `I` is `ı` or `i`, by the language, and a title has none. So the letters that
/// [`CaseFolding.txt`](https://www.unicode.org/Public/UCD/latest/ucd/CaseFolding.txt) maps for
/// Turkish (status T) and for others (C, F) become one letter: `i`.
#[must_use]
pub fn fold(text: &str) -> String {
    ComposingNormalizer::new_nfkc().normalize(&decomposed(text)).into_owned()
}

/// Returns a text without the differences that [`fold`] removes, and without those that a search
/// ignores:
///
/// - Marks above, below and through a letter, and the points of Hebrew and Arabic, go. Their
///   [combining class](https://www.unicode.org/reports/tr44/#Canonical_Combining_Class_Values) is
///   1, 10–36 or 202–240, and UTS #10 gives nearly all of them no weight at its primary level.
///   Other marks stay, because they make another letter or vowel: with the voiced sound mark, ハハ
///   (mother) would be パパ (father).
/// - The letters of Latin-1 and of Latin Extended-A that have no decomposition become those of
///   [CLDR's Latin-ASCII](https://github.com/unicode-org/cldr/blob/main/common/transforms/Latin-ASCII.xml):
///   `ø` is `o`, and `æ` is `ae`.
#[must_use]
pub fn fold_for_search(text: &str) -> String {
    let classes = CanonicalCombiningClassMapBorrowed::new();
    let mut folded = String::new();
    for c in decomposed(text).chars() {
        match c {
            'æ' => folded += "ae",
            'œ' => folded += "oe",
            'þ' => folded += "th",
            'đ' | 'ð' => folded.push('d'),
            'ħ' => folded.push('h'),
            'ĸ' => folded.push('q'),
            'ł' => folded.push('l'),
            'ŋ' => folded.push('n'),
            'ø' => folded.push('o'),
            'ŧ' => folded.push('t'),
            c if matches!(classes.get_u8(c), 1 | 10..=36 | 202..=240) => {}
            c => folded.push(c),
        }
    }
    ComposingNormalizer::new_nfkc().normalize(&folded).into_owned()
}

/// Returns a text folded and in decomposed form.
fn decomposed(text: &str) -> String {
    let (case, ignorable) = (CaseMapper::new(), CodePointSetData::new::<DefaultIgnorableCodePoint>());
    let text: String = text.chars().filter(|c| !ignorable.contains(*c)).collect();
    let text = DecomposingNormalizer::new_nfd().normalize(&text).into_owned();
    let text = case.fold_string(&text).into_owned();
    let text = DecomposingNormalizer::new_nfkd().normalize(&text).into_owned();
    let mut folded = String::new();
    for c in case.fold_string(&text).chars() {
        match c {
            'ı' => folded.push('i'),
            // The case folding of İ is an i and a dot above.
            '\u{307}' if folded.ends_with('i') => {}
            c => folded.push(c),
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_form_make_no_difference_and_accents_do() {
        for (texts, folded) in [
            (&["Work", "wORK", "Ｗork", "wo\u{ad}rk"][..], "work"),
            (&["i", "I", "İ", "ı", "i\u{307}", "I\u{307}"], "i"),
            (&["İpek Işık", "ipek ışık", "IPEK IŞIK", "ıpek işik"], "ipek işik"),
            (&["Straße", "STRASSE", "STRAẞE"], "strasse"),
            (&["Café", "CAFE\u{301}"], "café"),
            (&["ﬁn", "FIN"], "fin"),
            (&["ΟΔΟΣ", "οδος", "οδοσ"], "οδοσ"),
            (&["Łódź", "ŁÓDŹ"], "łódź"),
            (&["ﾊﾟ", "パ", "ハ\u{309a}"], "パ"),
        ] {
            for text in texts {
                assert_eq!(fold(text), folded, "{text}");
            }
        }
    }

    #[test]
    fn a_search_ignores_accents_and_points_and_strokes() {
        for (texts, folded) in [
            (&["İpek Işık", "ipek ışık", "IPEK IŞIK", "ipek isik"][..], "ipek isik"),
            (&["Hauptstraße", "HAUPTSTRASSE"], "hauptstrasse"),
            (&["Três", "tres", "TRE\u{302}S"], "tres"),
            (&["Łódź", "lodz"], "lodz"),
            (&["Søren Ærø", "soren aero"], "soren aero"),
            (&["Œuvre"], "oeuvre"),
            (&["Þór"], "thor"),
            (&["Đặng"], "dang"),
            (&["ĦŊŦĸð"], "hntqd"),
            (&["ΆΝΝΑ", "Άννα", "αννα"], "αννα"),
            (&["Алёна", "АЛЕНА"], "алена"),
            (&["שָׁלוֹם", "שלום"], "שלום"),
            (&["مُحَمَّد", "محمد"], "محمد"),
            (&["Nguyễn", "nguyen"], "nguyen"),
            (&["ﬁn", "ＦＩＮ"], "fin"),
        ] {
            for text in texts {
                assert_eq!(fold_for_search(text), folded, "{text}");
            }
        }
        // Marks that make another letter or another vowel.
        for (one, other) in [("ハハ", "パパ"), ("ड", "ड़"), ("कि", "क"), ("ไม้", "ไม่"), ("가", "각"), ("क्ष", "कष")]
        {
            assert_ne!(fold_for_search(one), fold_for_search(other));
        }
    }
}
