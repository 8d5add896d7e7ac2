//! The inboxes of users.

use shared::runtime::visitor::Visitor;

pub mod changes;
pub mod list_notifications;
pub mod see_notifications;

/// Shows each function of the noun to a visitor.
pub fn visit<V: Visitor>(visitor: &mut V) {
    visitor.route::<list_notifications::ListNotifications>();
    visitor.route::<see_notifications::SeeNotifications>();
}
