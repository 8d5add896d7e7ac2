//! Case folding, which removes differences of case and Unicode form.

use icu_casemap::CaseMapper;
use icu_normalizer::{ComposingNormalizer, DecomposingNormalizer};
use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;

/// Returns a text without differences of case, composition and width, and without invisible
/// characters.
///
/// Two texts fold to the same result if they are a [compatibility caseless
/// match](https://www.unicode.org/versions/Unicode16.0.0/core-spec/chapter-3/#G53513) (definition
/// D146).
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
