//! Says what counts a comment that add-comment wrote without its count.

use shared::Error;
use shared::changes::Context;
use shared::changes::counts::{Count, Uncounted};
use shared::entities::{CountedItem, Key, comment_of_key, counted_comment};
use shared::runtime::stream::Record;

/// Returns the uncounted comment of a record: the photo counts it. The author and the comment that it
/// answers include it already.
pub fn uncounted(context: &Context, record: &Record) -> Result<Uncounted, Error> {
    let (id, owner, photo) = comment_of_key(&record.new_image)?;
    let CountedItem { always, dependents, .. } = counted_comment(&context.table.name, &id, &owner, &photo);
    Ok(Uncounted {
        counting: Key::photo(&owner, &photo),
        count: Count::Attribute("comments"),
        timestamp: id.timestamp,
        always,
        dependents,
    })
}
