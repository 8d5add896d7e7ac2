//! The inboxes of users.

pub mod list_notifications;
pub mod see_notifications;
