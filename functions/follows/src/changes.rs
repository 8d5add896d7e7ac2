//! Says what counts a friendship that follow-user wrote without its count, and [tells](alerts) followers
//! of new photos.

use shared::Error;
use shared::changes::Context;
use shared::changes::counts::{Count, Uncounted};
use shared::dynamodb::counter::Decrement;
use shared::dynamodb::entity;
use shared::entities::{Friendship, Key};
use shared::runtime::stream::Record;

pub mod alerts;

/// Returns the uncounted friendship of a record: the followed user counts it, and the follower's
/// count of followed users includes it already.
pub fn uncounted(context: &Context, record: &Record) -> Result<Uncounted, Error> {
    let Friendship { followed_user, following_user, timestamp, .. } = entity::from_item(record.new_image.clone())?;
    Ok(Uncounted {
        counting: Key::user(&followed_user),
        count: Count::Attribute("followers"),
        timestamp,
        always: vec![Decrement::new(&context.table.name, Key::user(&following_user), "following")],
        dependents: &[],
    })
}
