//! Explore: the photos that many have reacted to, in the same order for everybody.

use shared::runtime::visitor::Visitor;

pub mod changes;
pub mod list_popular_photos;
pub mod rank_photos;
#[cfg(test)]
mod samples;

/// Shows each function of the noun to a visitor.
pub fn visit<V: Visitor>(visitor: &mut V) {
    visitor.route::<list_popular_photos::ListPopularPhotos>();
    visitor.schedules::<rank_photos::RankPhotos>();
}
