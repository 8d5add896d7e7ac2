//! The schema of each value accepts what its check accepts, and nothing else.

use proptest::prelude::*;
use schemars::{JsonSchema, schema_for};
use serde_json::json;
use shared::values::{
    Address, AltText, Artist, Birthdate, Caption, CommentId, CommentText, CreatorId, DataId, DataType, DocumentFormat,
    Email, Genre, IdempotencyKey, Interests, Name, NewUsername, Order, PersonId, PhotoFormat, PhotoId, ReactionType,
    SongTitle, Status, TagId, TagName, TagSort, Time, Timestamp, Title, TitlePrefix, Url, Username, Value,
};

/// Returns whether the schema of `T` and its check accept a value.
fn verdicts<T: Value + JsonSchema>(value: &serde_json::Value) -> (bool, bool) {
    let (mut compiler, mut schemas) = (boon::Compiler::new(), boon::Schemas::new());
    compiler.enable_format_assertions();
    compiler.add_resource("schema.json", schema_for!(T).to_value()).expect("a schema");
    let index = compiler.compile("schema.json", &mut schemas).expect("a schema");
    (schemas.validate(value, index).is_ok(), serde_json::from_value::<T>(value.clone()).is_ok())
}

/// Returns texts that follow the pattern of `T`, and texts with one character more or another one.
fn texts<T: JsonSchema>() -> BoxedStrategy<String> {
    let schema = schema_for!(T);
    let example = schema.as_value()["examples"][0].as_str().unwrap_or("text").to_owned();
    let length = example.chars().count();
    let special =
        "[\\x00-\\x7f\u{85}\u{a0}\u{e9}\u{61c}\u{200d}-\u{202f}\u{2064}-\u{206a}\u{3000}\u{3164}\u{1f600}]{0,3}";
    let changed = (Just(example), 0..=length, 0..=length, special).prop_map(|(example, begin, end, part)| {
        let before: String = example.chars().take(begin).collect();
        let after: String = example.chars().skip(end).collect();
        before + &part + &after
    });
    let numbers = "[0-9]{4}-[0-9]{2}-[0-3][0-9](T[0-2][0-9]:[0-5][0-9]:[0-9]{2}((\\.[0-9]{3})?Z)?)?";
    let urls =
        "(http|HTTPS|ftp)://(\\[[0-9a-f:]{0,4}\\]|[a-z0-9.@%_-]{0,6})(:[0-9]{0,6})?([/?#][a-z0-9/?#@%\\[\\]]{0,6})?";
    prop_oneof![4 => changed, 1 => ".{0,4}", 1 => "[a-z.@]{0,300}", 1 => numbers, 1 => urls].boxed()
}

macro_rules! check_visible {
    ($($test:ident: $value:ty),+ $(,)?) => {
        proptest! {
            $(
                /// The pattern does not say that a text of invisible characters only is refused.
                #[test]
                fn $test(text in texts::<$value>()) {
                    let (by_schema, by_check) = verdicts::<$value>(&json!(text));
                    let is_invisible = text.chars().all(|c| c.to_string().parse::<$value>().is_err());
                    // The schema counts a line end of Windows as two characters, and the check as
                    // one.
                    let (as_stored, _) = verdicts::<$value>(&json!(text.replace("\r\n", "\n")));
                    prop_assert!(as_stored || !by_schema, "{:?}", text);
                    prop_assert_eq!(as_stored && !is_invisible, by_check, "{:?}", text);
                }
            )+
        }
    };
}

check_visible! {
    address: Address,
    alt_text: AltText,
    caption: Caption,
    comment_text: CommentText,
    creator_id: CreatorId,
    name: Name,
    status: Status,
    tag_name: TagName,
    title: Title,
}

macro_rules! check {
    ($($test:ident: $value:ty),+ $(,)?) => {
        proptest! {
            $(
                #[test]
                fn $test(text in texts::<$value>()) {
                    let (by_schema, by_check) = verdicts::<$value>(&json!(text));
                    prop_assert_eq!(by_schema, by_check, "{:?}", text);
                }
            )+
        }
    };
}

check! {
    comment_id: CommentId,
    data_id: DataId,
    data_type: DataType,
    document_format: DocumentFormat,
    email: Email,
    idempotency_key: IdempotencyKey,
    new_username: NewUsername,
    order: Order,
    person_id: PersonId,
    photo_format: PhotoFormat,
    reaction_type: ReactionType,
    tag_id: TagId,
    tag_sort: TagSort,
    photo_id: PhotoId,
    time: Time,
    title_prefix: TitlePrefix,
    url: Url,
    username: Username,
    artist: Artist,
    genre: Genre,
    song_title: SongTitle,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    /// A pattern cannot say which day is today, so it accepts dates to come.
    #[test]
    fn birthdate(text in prop_oneof![texts::<Birthdate>(), "(1[89]|20)[0-9]{2}-[01][0-9]-[0-3][0-9]".boxed()]) {
        let (by_schema, by_check) = verdicts::<Birthdate>(&json!(text));
        let is_to_come = text.as_str() > &Timestamp::now().as_ref()[..10];
        prop_assert_eq!(by_schema && !is_to_come, by_check, "{:?}", text);
    }
}

#[test]
fn interests() {
    for interests in
        [json!([]), json!(["a"]), json!(vec!["a"; 20]), json!(vec!["a"; 21]), json!([""]), json!("a"), json!([1])]
    {
        let (by_schema, by_check) = verdicts::<Interests>(&interests);
        assert_eq!(by_schema, by_check, "{interests}");
    }
}
