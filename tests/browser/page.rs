//! The page of the local stack, as its visitors use it.

mod accessibility;
mod catalogue;
mod connection;
mod exports;
mod favorites;
mod first_visit;
mod inspector;
mod kept;
mod keyboard;
mod links;
mod live;
mod notifications;
mod performance;
mod phone;
mod photos;
mod pictures;
mod push;
mod requests;
mod restart;
mod screenshots;
mod settings;
mod two_users;
mod unknown;
mod uploads;
mod visibility;
mod visitor;
