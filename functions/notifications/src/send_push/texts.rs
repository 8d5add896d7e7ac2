//! The texts of messages in all languages, which are in `texts.json`. Each kind has one for one person,
//! one for two people and one for more. To add a language, add its texts to the file.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use shared::entities::Number;
use shared::values::{Locale, NotificationKind};

/// The language of a device without a locale, or with one that has no texts.
const DEFAULT: &str = "en";

static LANGUAGES: LazyLock<BTreeMap<String, Texts>> =
    LazyLock::new(|| serde_json::from_str(include_str!("texts.json")).unwrap_or_default());

/// The texts of one language.
#[derive(Debug, Deserialize)]
pub(super) struct Texts {
    /// The text for a lock screen that says nothing else.
    nothing: String,
    #[serde(flatten)]
    kinds: BTreeMap<NotificationKind, [String; 3]>,
}

/// Returns the texts for a locale: those of the whole tag, of its language, or English.
pub(super) fn of(locale: Option<&Locale>) -> Option<&'static Texts> {
    let tag = locale.map_or(DEFAULT, |locale| locale.as_ref());
    let language = tag.split('-').next().unwrap_or(DEFAULT).to_ascii_lowercase();
    [tag, &language, DEFAULT].into_iter().find_map(|tag| LANGUAGES.get(tag))
}

impl Texts {
    /// Returns the text that somebody did something, `number` being that of all people.
    pub(super) fn title(&self, kind: NotificationKind, person: &str, number: Number) -> String {
        let texts = self.kinds.get(&kind);
        let (others, index) = match number {
            Number::Exactly(number) => (number.saturating_sub(1).to_string(), number.clamp(1, 3) - 1),
            Number::MoreThan(number) => (format!("{}+", number.saturating_sub(1)), 2),
        };
        let text = texts.map_or(&self.nothing, |texts| &texts[index]);
        text.replace("{person}", person).replace("{others}", &others)
    }

    /// Returns the text that there is something new.
    pub(super) fn nothing(&self) -> &str {
        &self.nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_every_text_with_its_placeholders() {
        let languages: BTreeMap<String, Texts> = serde_json::from_str(include_str!("texts.json")).unwrap();
        assert!(languages.contains_key(DEFAULT));
        for (language, texts) in &languages {
            assert!(language.parse::<Locale>().is_ok(), "{language}");
            for kind in NotificationKind::ALL {
                let of_kind = &texts.kinds[kind];
                assert!(of_kind.iter().all(|text| text.matches("{person}").count() == 1), "{language} {kind}");
                let has_number = |text: &String| text.matches("{others}").count() == 1;
                assert_eq!(of_kind.each_ref().map(has_number), [false, false, true], "{language} {kind}");
            }
        }
    }

    #[test]
    fn a_device_gets_its_language_or_english() {
        let title = |locale: &str, number| {
            let locale = locale.parse().unwrap();
            of(Some(&locale)).unwrap().title(NotificationKind::Follower, "ben", number)
        };
        assert_eq!(title("de-AT", Number::Exactly(1)), "ben folgt dir");
        assert_eq!(title("xx", Number::Exactly(2)), "ben and 1 other followed you");
        assert_eq!(title("EN", Number::Exactly(3)), "ben and 2 others followed you");
        assert_eq!(title("en-GB", Number::MoreThan(50)), "ben and 49+ others followed you");
        assert_eq!(of(None).unwrap().nothing(), "You have a new notification");
    }
}
