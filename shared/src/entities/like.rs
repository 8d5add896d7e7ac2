//! Likes of users for comments.

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};

use super::key::{Key, SK};
use super::reaction::photo_of_sk;
use super::uncounted::CountedItem;
use crate::Error;
use crate::dynamodb::counter::Decrement;
use crate::dynamodb::{Item, Table};
use crate::values::{CommentId, PhotoId, Time, Timestamp, Username};

/// The prefix of the partition keys of likes. The user follows.
pub const LIKE_PREFIX: &str = "LIKE#";
/// The text between the sort key of a comment and its id in the sort key of a like.
const LIKES: &str = "#LIKES#";
/// The attribute of a comment that counts its likes.
pub const LIKES_COUNT: &str = "likes";
/// The global secondary index of the comments with likes: their sort key is its partition key, and
/// [`LIKES_COUNT`] is its sort key. Other items are not in it, because they have no such count.
pub const COMMENTS_BY_LIKES: &str = "CommentsByLikes";

/// A like of a user for a comment, which is in its key only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Like {
    /// The user who likes the comment.
    pub liking_user: Username,
    /// The time of the like.
    pub timestamp: Timestamp,
}

/// A like of a comment, in an answer about the comment.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LikeOfComment {
    /// The user who likes the comment.
    #[serde(rename(deserialize = "likingUser"))]
    pub username: Username,
    /// The time of the like.
    #[serde(deserialize_with = "Time::from_item")]
    pub timestamp: Time,
}

impl From<Like> for LikeOfComment {
    fn from(Like { liking_user: username, timestamp }: Like) -> Self {
        Self { username, timestamp: timestamp.into() }
    }
}

impl Key {
    /// Returns the key of the [`Like`](super::Like) of a user for a comment on a photo of `owner`.
    #[must_use]
    pub fn like(liking: &Username, comment: &CommentId, owner: &Username, photo: &PhotoId) -> Self {
        Self::of_photos(likes_pk(liking), likes_sk(comment, owner, photo))
    }
}

/// Returns the partition key of all likes of a user.
#[must_use]
pub fn likes_pk(liking: &Username) -> String {
    format!("{LIKE_PREFIX}{liking}")
}

/// Returns the sort key of all likes of a comment. Likes of comments of one list have the order of
/// the list, and those of replies are apart.
#[must_use]
pub fn likes_sk(comment: &CommentId, owner: &Username, photo: &PhotoId) -> String {
    let list = Key::comment(comment, owner, photo).sk;
    format!("{list}{LIKES}{}", comment.to_string().replace('~', "#"))
}

/// Returns the comment that the key of a like names, and the owner and the id of its photo.
pub fn comment_of_like(key: &Item) -> Result<(CommentId, Username, PhotoId), Error> {
    let sk = key.get(SK).and_then(|sk| sk.as_s().ok()).map_or("", String::as_str);
    let parts = sk.split_once(LIKES).and_then(|(list, id)| Some((list, id.replace('#', "~").parse().ok()?)));
    let (list, id) = parts.ok_or_else(|| Error::internal(format!("the sort key {sk:?} is not that of a like")))?;
    let (owner, photo) = photo_of_sk(list)?;
    Ok((id, owner, photo))
}

/// Returns the `Query` of the likes of a user for two comments of one list and for those between
/// them. Either of the two may be the older one.
#[must_use]
pub fn query_likes(
    table: &Table,
    liking: &Username,
    (owner, photo): (&Username, &PhotoId),
    [one, other]: [&CommentId; 2],
) -> QueryFluentBuilder {
    let [one, other] = [one, other].map(|comment| likes_sk(comment, owner, photo));
    let (first, last) = if one < other { (one, other) } else { (other, one) };
    table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :user AND SK BETWEEN :first AND :last")
        .expression_attribute_values(":user", S(likes_pk(liking)))
        .expression_attribute_values(":first", S(first))
        .expression_attribute_values(":last", S(last))
}

/// Returns the like at a key for [`delete_counted`](super::delete_counted), with the count of its
/// comment.
pub fn counted_like(table_name: &str, key: Item) -> Result<CountedItem, Error> {
    let (comment, owner, photo) = comment_of_like(&key)?;
    let count = Decrement::new(table_name, Key::comment(&comment, &owner, &photo), LIKES_COUNT);
    Ok(CountedItem { key, if_counted: Some(count), always: vec![], dependents: &[] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_names_the_comment() {
        let [ben, ada] = ["ben", "ada"].map(|name| name.parse::<Username>().unwrap());
        let photo: PhotoId = "2024-05-30T15:42:38".parse().unwrap();
        for (comment, sk) in [
            ("2024-06-02T18:05:41.250Z~ben", "PHOTO#ada#2024-05-30T15:42:38#LIKES#2024-06-02T18:05:41.250Z#ben"),
            (
                "2024-06-02T18:05:41.250Z~ben~2024-06-03T18:05:41.250Z~cara",
                "PHOTO#ada#2024-05-30T15:42:38#REPLIES#LIKES#2024-06-02T18:05:41.250Z#ben#2024-06-03T18:05:41.250Z#cara",
            ),
        ] {
            let comment: CommentId = comment.parse().unwrap();
            let key = Item::from(Key::like(&ben, &comment, &ada, &photo));
            assert_eq!(key.get(SK), Some(&S(sk.to_owned())));
            assert_eq!(comment_of_like(&key).unwrap(), (comment, ada.clone(), photo.clone()));
        }
        assert!(comment_of_like(&Key::photo(&ada, &photo).into()).is_err());
    }
}
