//! The home feeds.

pub mod read_feed;
