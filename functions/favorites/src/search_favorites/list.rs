//! The lists that a search reads, and the `Query` that reads a part of one.

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::{Item, entity};
use shared::entities::{
    ClipPosition, Favorite, FavoriteTag, GSI_ONE, GSI_TWO, Term, favorites_of_tag_and_type_pk, favorites_of_tag_pk,
    favorites_of_type_pk, term_pk,
};
use shared::values::{DataType, TagId, Username};
use shared::{Error, Table};

/// A sort key after all clip positions: these begin with digits, and `:` follows `9`.
const AFTER_ALL: &str = ":";

/// A list of favorites, newest first.
#[derive(Debug)]
pub(crate) enum List {
    /// The favorites whose titles have a term.
    Term(String),
    /// The favorites that have a tag.
    Tag(TagId),
    /// The favorites of a type that have a tag.
    TagAndType(TagId, DataType),
    /// The favorites of a type.
    Type(DataType),
}

/// The part of a list that one `Query` returns.
pub(crate) struct Part {
    pub(crate) entries: Vec<Entry>,
    /// Whether the list goes on after the part.
    pub(crate) has_more: bool,
}

/// A favorite in a list.
pub(crate) struct Entry {
    pub(crate) position: ClipPosition,
    pub(crate) projection: Projection,
}

/// The attributes of a favorite that its entry in a list has.
pub(crate) enum Projection {
    /// The key alone: a tag's entry.
    Key,
    /// The title and the type: a term's entry.
    Title(String, DataType),
    /// All attributes: an entry of the index of types.
    All(Favorite),
}

impl Part {
    /// Returns the position of the last entry, after which the next part begins.
    pub(crate) fn last_position(&self) -> Option<ClipPosition> {
        self.entries.last().map(|entry| entry.position.clone())
    }
}

impl List {
    /// Returns the tag that all favorites of the list have.
    pub(crate) fn tag_id(&self) -> Option<&TagId> {
        match self {
            Self::Tag(tag_id) | Self::TagAndType(tag_id, _) => Some(tag_id),
            Self::Term(_) | Self::Type(_) => None,
        }
    }

    /// Reads at most `limit` entries that follow the position `after`, by one `Query`.
    pub(crate) async fn read(
        &self,
        table: &Table,
        username: &Username,
        after: Option<&ClipPosition>,
        limit: i32,
    ) -> Result<Part, Error> {
        let query = table.client.query();
        let query = match self {
            Self::Term(_) => query.key_condition_expression("pk = :list AND sk < :after"),
            Self::Tag(_) | Self::Type(_) => {
                query.index_name(GSI_ONE).key_condition_expression("gsiOnePk = :list AND gsiOneSk < :after")
            }
            Self::TagAndType(..) => {
                query.index_name(GSI_TWO).key_condition_expression("gsiTwoPk = :list AND gsiTwoSk < :after")
            }
        };
        let list_pk = match self {
            Self::Term(term) => term_pk(username, term),
            Self::Tag(tag_id) => favorites_of_tag_pk(username, tag_id),
            Self::TagAndType(tag_id, data_type) => favorites_of_tag_and_type_pk(username, tag_id, *data_type),
            Self::Type(data_type) => favorites_of_type_pk(username, *data_type),
        };
        let output = query
            .table_name(&table.name)
            .expression_attribute_values(":list", S(list_pk))
            .expression_attribute_values(":after", S(after.map_or_else(|| AFTER_ALL.to_owned(), ToString::to_string)))
            .scan_index_forward(false)
            .limit(limit)
            .send()
            .await?;

        let items = output.items.unwrap_or_default().into_iter();
        let entries = items.map(|item| self.entry(username, item)).collect::<Result<_, _>>()?;
        Ok(Part { entries, has_more: output.last_evaluated_key.is_some() })
    }

    fn entry(&self, username: &Username, item: Item) -> Result<Entry, Error> {
        Ok(match self {
            Self::Term(_) => {
                let term: Term = entity::from_item(item)?;
                let position = ClipPosition { clip_time: term.clip_time, data_id: term.data_id };
                Entry { position, projection: Projection::Title(term.title, term.data_type) }
            }
            Self::Type(_) => {
                let favorite: Favorite = entity::from_item(item)?;
                Entry { position: favorite.clip_position(), projection: Projection::All(favorite) }
            }
            Self::Tag(_) | Self::TagAndType(..) => {
                Entry { position: FavoriteTag::from_item(username, item)?.clip_position(), projection: Projection::Key }
            }
        })
    }
}
