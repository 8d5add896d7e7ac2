//! The test kit that the tests of the functions, of the tools and of the whole system share.
//!
//! - [`Fixture`]: a test environment for one function, with an engine, seed data and fault
//!   injection of its own.
//! - [`harness`]: a function's real binary on the sample data.
//! - [`recorder`]: a DynamoDB endpoint that records requests with their capacity units.
//! - [`runner`]: one function at a time on the sample data, behind a recorder.
//! - [`inboxes`]: what the inboxes must have in the end.
//! - [`archive`]: zip archives, as another program reads and writes them.

pub mod archive;
mod checks;
mod errors;
mod fault_injection;
mod fixture;
mod gate;
mod gateway;
pub mod harness;
pub mod inboxes;
pub mod items;
mod messages;
mod observed;
mod permissions;
mod record;
mod recorded_request;
pub mod recorder;
pub mod runner;
mod several;
mod test_request;

use std::time::Duration;

pub use errors::errors_without_a_test;
pub use fault_injection::Fault;
pub use fixture::{Fixture, Start, sdk_config};
pub use gate::Gate;
pub use gateway::event;
pub use items::{
    PNG, approving_user, block, claimed_photo, comment, comment_deletion, complaint, counts, decision, deletion,
    devices, engagement, expired_photo, follow_request, friendship, hidden_vector, in_shard, like, link, link_until,
    phone, photo, photo_deletion, photo_with, reaction, ready, rejected, reply, report, saved_photo, signer, user,
    vector, widths, with, with_count,
};
pub use local::sample::favorites::Collection;
pub use local::sample::{FAVORITE, FEED, MUSIC, PEOPLE, QUICK_PHOTOS};
pub use local::services::s3::Object;
pub use messages::Messages;
pub use permissions::used_permissions;
pub use record::{batch, record};
pub use recorded_request::RecordedRequest;
pub use several::{numbered, several};
pub use test_request::{Answer, TestRequest, request};

/// Lets time pass at once, for the clock of tokio.
pub async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}
