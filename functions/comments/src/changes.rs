//! Says what counts a comment that add-comment wrote without its count.

use shared::Error;
use shared::changes::Context;
use shared::changes::counts::{Count, Uncounted};
use shared::dynamodb::counter::Decrement;
use shared::dynamodb::entity;
use shared::entities::{COMMENTS_WRITTEN, Comment, Key, photo_of_item};
use shared::runtime::stream::Record;

/// Returns the uncounted comment of a record: the photo counts it, and the author's count of
/// comments includes it already.
pub fn uncounted(context: &Context, record: &Record) -> Result<Uncounted, Error> {
    let (owner, photo) = photo_of_item(&record.new_image)?;
    let Comment { author, timestamp, .. } = entity::from_item(record.new_image.clone())?;
    Ok(Uncounted {
        counting: Key::photo(&owner, &photo),
        count: Count::Attribute("comments"),
        timestamp,
        always: Decrement::new(&context.table.name, Key::user(&author), COMMENTS_WRITTEN),
    })
}
