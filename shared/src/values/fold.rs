//! Folding of text, so that neither case nor Unicode form matters.

use icu_casemap::CaseMapper;
use icu_normalizer::{ComposingNormalizer, DecomposingNormalizer};
use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;

/// The text without what makes no difference: case, composed or decomposed, wide or narrow, invisible characters. Two
/// texts fold to the same if they are a
/// [compatibility caseless match](https://www.unicode.org/versions/Unicode16.0.0/core-spec/chapter-3/#G53513)
/// (definition D146).
#[must_use]
pub fn fold(text: &str) -> String {
    let (case, ignorable) = (CaseMapper::new(), CodePointSetData::new::<DefaultIgnorableCodePoint>());
    let text: String = text.chars().filter(|c| !ignorable.contains(*c)).collect();
    let text = DecomposingNormalizer::new_nfd().normalize(&text).into_owned();
    let text = case.fold_string(&text).into_owned();
    let text = DecomposingNormalizer::new_nfkd().normalize(&text).into_owned();
    let text = case.fold_string(&text).into_owned();
    ComposingNormalizer::new_nfkc().normalize(&text).into_owned()
}
