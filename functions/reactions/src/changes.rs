//! Says what counts a reaction that add-reaction wrote without its count.

use shared::Error;
use shared::changes::Context;
use shared::changes::counts::{Count, Uncounted};
use shared::dynamodb::entity;
use shared::entities::{Key, Reaction, disengage_from_deleted, photo_of_item};
use shared::runtime::stream::Record;

/// Returns the uncounted reaction of a record: the photo counts it, and the caller's engagement
/// includes it already.
pub fn uncounted(context: &Context, record: &Record) -> Result<Uncounted, Error> {
    let (owner, photo) = photo_of_item(&record.new_image)?;
    let Reaction { reacting_user, reaction_type, timestamp, .. } = entity::from_item(record.new_image.clone())?;
    let engagement = Key::engagement(&reacting_user, &owner, &photo);
    Ok(Uncounted {
        counting: Key::photo(&owner, &photo),
        count: Count::Reactions(reaction_type),
        timestamp,
        always: vec![disengage_from_deleted(&context.feed.name, engagement, reaction_type)],
        dependents: &[],
    })
}
