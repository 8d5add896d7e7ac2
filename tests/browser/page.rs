//! The page of the local stack, as its visitors use it.

mod accessibility;
mod catalogue;
mod exports;
mod favorites;
mod first_visit;
mod inspector;
mod kept;
mod keyboard;
mod notifications;
mod performance;
mod phone;
mod photos;
mod pictures;
mod requests;
mod restart;
mod screenshots;
mod two_users;
mod uploads;
mod visibility;
mod visitor;
