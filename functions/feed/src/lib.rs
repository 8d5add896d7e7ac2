//! The home feeds.

use shared::runtime::visitor::Visitor;

pub mod changes;
pub mod erasure;
pub mod list_feed;

/// Shows each function of the noun to a visitor.
pub fn visit<V: Visitor>(visitor: &mut V) {
    visitor.route::<list_feed::ListFeed>();
}
