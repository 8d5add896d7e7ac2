//! Live screens: open windows and apps, which are told at once what has changed.

use shared::runtime::visitor::Visitor;

pub mod changes;
pub mod connect_screen;
mod connections;
pub mod delete_screen;
pub mod erasure;
pub mod put_screen;
mod screens;
pub mod send_live;
#[cfg(test)]
mod world;

/// Shows each function of the noun to a visitor.
pub fn visit<V: Visitor>(visitor: &mut V) {
    visitor.route::<put_screen::PutScreen>();
    visitor.route::<delete_screen::DeleteScreen>();
    visitor.connections::<connect_screen::ConnectScreen>();
    visitor.batches::<send_live::SendLive>();
}
