//! Stream of the table `quick-photos`: does what follows from a change of the table.
//!
//! - `counts.rs` adds up the reactions, comments and friendships of a batch that no count includes
//!   yet. One `TransactWriteItems` removes the marks of up to 99 of them and adds their number to
//!   the count of the photo or the user. If the photo or the user is gone, `TransactWriteItems`
//!   deletes them instead.
//! - `feeds.rs` updates the home feeds in `<stage>.Feed`. For a photo that is ready now, it reads
//!   the photo and the author with a consistent `BatchGetItem`, adds the photo to the author's
//!   newest ones with an `UpdateItem`, finds the followers with a consistent `Query`, and writes an
//!   entry for each of them with `BatchWriteItem` (fan-out on write). If there are too many
//!   followers, a `TransactWriteItems` gives each of them a pull instead (fan-out on read). A new
//!   follower gets the newest photos, or a pull, in the same way, and loses the pull after
//!   unfollowing.
//! - `directory.rs` keeps the directory, in which people are searched, in `<stage>.Feed`. For a user
//!   who is new, renamed or deleted, or has ten times as many followers, it reads the user with a
//!   consistent `GetItem`, puts and deletes entries with `BatchWriteItem`, and reads the user again.
//! - `welcome.rs` sends the welcome e-mail to a new user. One consistent `BatchGetItem` reads the
//!   user and the `Welcome` of the account, one `SendEmail` of SES sends the e-mail, and one
//!   `PutItem` puts the `Welcome`.
//!
//! Only [two
//! functions](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html) can
//! read one stream, so all of this is in one function. `finish-deletion` is the other one, because
//! its records take minutes.

use shared::runtime::stream::Record;
use shared::{Error, Table};

use crate::feeds::Feeds;
use crate::welcome::Mail;

mod counts;
mod directory;
mod feeds;
#[cfg(test)]
mod tests;
mod welcome;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    let mail = Mail::from_environment().await?;
    let feed = std::env::var("FEED_TABLE_NAME").map_err(|_| "FEED_TABLE_NAME is not set")?;
    let max_pushed = std::env::var("MAX_PUSHED_FOLLOWERS").map_err(|_| "MAX_PUSHED_FOLLOWERS is not set")?.parse()?;
    let each = |table: Table, record| {
        let feed = table.other(&feed);
        process(mail.as_ref(), Feeds { table, feed, max_pushed }, record)
    };
    let add_up = async |table: &Table, records: &[Record]| counts::add_up(table, &table.other(&feed), records).await;
    shared::runtime::stream::run_with_batches(add_up, each).await
}

/// Does what follows from the change of one item.
async fn process(mail: Option<&Mail>, feeds: Feeds, record: Record) -> Result<(), Error> {
    feeds.update(&record).await?;
    // An e-mail is sent even if the directory cannot be written, and the other way round.
    let listed = directory::update(&feeds.table, &feeds.feed, &record).await;
    if let Some(mail) = mail {
        welcome::send_email(mail, &feeds.table, record).await?;
    }
    listed
}
