//! The values of the catalogues Music and People. DynamoDB limits a partition key to 2,048 bytes
//! and a [sort key to
//! 1,024](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-partition-sort-keys).

use super::key_size::{MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES, can_be_a_key};
use super::macros::{choice_value, text_value};

text_value! {
    /// The artist of a song: the partition key of Music.
    Artist: KEY, "a string of at most 2,048 bytes on one line, and not only spaces",
    |text| can_be_a_key(text, MAX_PARTITION_KEY_BYTES),
    {
        "minLength": 1, "maxLength": MAX_PARTITION_KEY_BYTES, "pattern": super::text::LINE_PATTERN,
        "examples": ["Acme Band"]
    }
}

text_value! {
    /// The title of a song: the sort key of Music.
    SongTitle: KEY, "a string of at most 1,024 bytes on one line, and not only spaces",
    |text| can_be_a_key(text, MAX_SORT_KEY_BYTES),
    {
        "minLength": 1, "maxLength": MAX_SORT_KEY_BYTES, "pattern": super::text::LINE_PATTERN,
        "examples": ["Happy Day"]
    }
}

text_value! {
    /// The genre of a song: the partition key of the index of Music.
    Genre: KEY, "a string of at most 2,048 bytes on one line, and not only spaces",
    |text| can_be_a_key(text, MAX_PARTITION_KEY_BYTES),
    {
        "minLength": 1, "maxLength": MAX_PARTITION_KEY_BYTES, "pattern": super::text::LINE_PATTERN,
        "examples": ["Country"]
    }
}

text_value! {
    /// A prefix of the titles that a list returns.
    TitlePrefix: PART, "a string of at most 1,024 bytes on one line",
    |text| can_be_a_key(text, MAX_SORT_KEY_BYTES),
    {
        "minLength": 1, "maxLength": MAX_SORT_KEY_BYTES, "pattern": super::text::PART_PATTERN,
        "examples": ["Happy"]
    }
}

text_value! {
    /// The id of a person: the partition key of People.
    PersonId, "a whole number of " 1..=18 " digits, without leading zeros",
    |text| text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0')),
    {"pattern": "^(0|[1-9][0-9]*)$", "examples": ["1"]}
}

choice_value! {
    /// The format in which a document is written, see [`crate::document`].
    #[derive(Default)]
    DocumentFormat,
    /// Plain JSON.
    #[default]
    Json = "json",
    /// DynamoDB JSON, in which each value states its type.
    DynamoDb = "dynamodb",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_document_format_parses_from_its_own_text() {
        for format in DocumentFormat::ALL {
            assert_eq!(format.as_ref().parse(), Ok(*format));
        }
    }
}
