//! The inboxes of users, and the devices that are told of what is new in them.

use shared::runtime::visitor::Visitor;

mod beginning;
pub mod changes;
pub mod delete_device;
pub mod list_devices;
pub mod list_notifications;
pub mod put_device;
pub mod see_notifications;
pub mod send_push;
mod services;
mod vapid;

/// Shows each function of the noun to a visitor.
pub fn visit<V: Visitor>(visitor: &mut V) {
    visitor.route::<list_notifications::ListNotifications>();
    visitor.route::<see_notifications::SeeNotifications>();
    visitor.route::<list_devices::ListDevices>();
    visitor.route::<put_device::PutDevice>();
    visitor.route::<delete_device::DeleteDevice>();
    visitor.batches::<send_push::SendPush>();
}
