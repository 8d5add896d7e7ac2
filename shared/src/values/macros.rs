//! The macros that define the types of values.

/// Defines a value that wraps a string: its type, its rule, the predicate that a string must meet,
/// and the keywords of its JSON Schema.
///
/// A rule with a number of characters consists of three parts, of which the middle one is this
/// number. It stands in the error message, in the schema and in the check, and nowhere else. A free
/// text has its [form](super::text::Form) after its name, and is written in this form before its
/// length and the predicate are checked.
macro_rules! text_value {
    (
        $(#[$doc:meta])*
        $name:ident: $form:ident, $rule:literal $min:literal..=$max:literal $rest:literal, {$($schema:tt)*}
    ) => {
        text_value! { $(#[$doc])* $name: $form, $rule $min..=$max $rest, |_| true, {$($schema)*} }
    };
    (
        $(#[$doc:meta])*
        $name:ident $(: $form:ident)?, $rule:literal $min:literal..=$max:literal $rest:literal, $is_valid:expr,
        {$($schema:tt)*}
    ) => {
        text_value! {
            $(#[$doc])*
            $name $(: $form)?, concat!($rule, $min, "–", $max, $rest), |text| {
                let is_valid: fn(&str) -> bool = $is_valid;
                ($min..=$max).contains(&text.chars().count()) && is_valid(text)
            },
            {"minLength": $min, "maxLength": $max, $($schema)*}
        }
    };
    ($(#[$doc:meta])* $name:ident $(: $form:ident)?, $rule:expr, $is_valid:expr, {$($schema:tt)*}) => {
        $(#[$doc])*
        #[doc = concat!("\n\nA value must be ", $rule, ".")]
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl crate::values::Value for $name {
            const RULE: &'static str = $rule;

            $(
                const IS_FREE_TEXT: bool = true;

                fn refused_character(text: &str) -> Option<crate::values::RefusedCharacter> {
                    crate::values::text::$form.refused(text)
                }
            )?
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string",
                    "description": concat!("A value must be ", $rule, "."),
                    $($schema)*
                })
            }
        }

        impl TryFrom<String> for $name {
            type Error = crate::values::InvalidValue;

            fn try_from(text: String) -> Result<Self, crate::values::InvalidValue> {
                let is_valid: fn(&str) -> bool = $is_valid;
                $(
                    if crate::values::text::$form.refused(&text).is_some() {
                        return Err(crate::values::InvalidValue::of::<Self>(&text));
                    }
                    let text = crate::values::text::Form::written(text);
                )?
                if is_valid(&text) { Ok(Self(text)) } else { Err(crate::values::InvalidValue::new::<Self>()) }
            }
        }

        impl std::str::FromStr for $name {
            type Err = crate::values::InvalidValue;

            fn from_str(text: &str) -> Result<Self, crate::values::InvalidValue> {
                text.to_owned().try_into()
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> String {
                value.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

/// Lets serde read and write a value as its text, which `FromStr` parses and `Display` writes.
macro_rules! string_conversions {
    ($name:ident) => {
        impl TryFrom<String> for $name {
            type Error = crate::values::InvalidValue;

            fn try_from(text: String) -> Result<Self, crate::values::InvalidValue> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.to_string()
            }
        }
    };
}

/// Returns the rule of a value that is one of these words.
macro_rules! one_of {
    ($first:literal $(, $rest:literal)*) => {
        concat!("one of ", $first $(, ", ", $rest)*)
    };
}

/// Defines a value that is one of several words: an enum, and the word of each variant. A note in
/// parentheses after the name completes the rule.
macro_rules! choice_value {
    (
        $(#[$doc:meta])*
        $name:ident $(($note:literal))?, $($(#[$choice_doc:meta])* $choice:ident = $text:literal),+ $(,)?
    ) => {
        $(#[$doc])*
        #[doc = concat!("\n\nA value must be ", crate::values::macros::one_of!($($text),+), ".")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String", into = "&'static str")]
        pub enum $name {
            $($(#[$choice_doc])* $choice),+
        }

        impl $name {
            /// All variants, in the order of their declaration.
            pub const ALL: &[Self] = &[$(Self::$choice),+];
        }

        impl crate::values::Value for $name {
            const RULE: &'static str = concat!(crate::values::macros::one_of!($($text),+) $(, $note)?);
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({"type": "string", "enum": [$($text),+]})
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                (*self).into()
            }
        }

        impl TryFrom<String> for $name {
            type Error = crate::values::InvalidValue;

            fn try_from(text: String) -> Result<Self, crate::values::InvalidValue> {
                text.parse()
            }
        }

        impl From<$name> for &'static str {
            fn from(choice: $name) -> Self {
                match choice {
                    $($name::$choice => $text),+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = crate::values::InvalidValue;

            fn from_str(text: &str) -> Result<Self, crate::values::InvalidValue> {
                match text {
                    $($text => Ok(Self::$choice),)+
                    _ => Err(crate::values::InvalidValue::new::<Self>()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_ref())
            }
        }
    };
}

/// Defines a value that is a list of different words, separated by commas: a struct with a flag for
/// each word, which has the word as its name.
macro_rules! parts_value {
    (
        $(#[$doc:meta])*
        $name:ident, $(#[doc = $first_doc:literal])* $first:ident $(, $(#[doc = $rest_doc:literal])* $rest:ident)* $(,)?
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name {
            $(#[doc = $first_doc])*
            pub $first: bool,
            $($(#[doc = $rest_doc])* pub $rest: bool),*
        }

        impl $name {
            /// The words, and what each adds to the answer.
            pub const WORDS: &'static str = concat!(
                "The parts that the answer has on request. `", stringify!($first), "`:", $($first_doc,)*
                $(" `", stringify!($rest), "`:", $($rest_doc,)*)*
            );
        }

        impl crate::values::Value for $name {
            const RULE: &'static str = concat!(
                "one or more of ", stringify!($first) $(, ", ", stringify!($rest))*, ", separated by commas"
            );
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "array",
                    "description": format!("A value must be {}.", <$name as crate::values::Value>::RULE),
                    "items": {"type": "string", "enum": [stringify!($first) $(, stringify!($rest))*]},
                    "minItems": 1,
                })
            }
        }

        impl TryFrom<String> for $name {
            type Error = crate::values::InvalidValue;

            fn try_from(text: String) -> Result<Self, crate::values::InvalidValue> {
                text.parse()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let words = [(self.$first, stringify!($first)) $(, (self.$rest, stringify!($rest)))*];
                let words: Vec<&str> = words.into_iter().filter(|(is_set, _)| *is_set).map(|(_, word)| word).collect();
                f.write_str(&words.join(","))
            }
        }

        impl std::str::FromStr for $name {
            type Err = crate::values::InvalidValue;

            fn from_str(text: &str) -> Result<Self, crate::values::InvalidValue> {
                let mut parts = Self::default();
                for word in text.split(',') {
                    match word {
                        stringify!($first) => parts.$first = true,
                        $(stringify!($rest) => parts.$rest = true,)*
                        _ => return Err(crate::values::InvalidValue::new::<Self>()),
                    }
                }
                Ok(parts)
            }
        }
    };
}

pub(super) use {choice_value, one_of, parts_value, string_conversions, text_value};
