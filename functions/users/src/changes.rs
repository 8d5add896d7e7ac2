//! Keeps the directory, in which people are searched, as the users are, and finds new users for the
//! welcome e-mail.
//!
//! A user who is created, renamed or deleted, or whose number of followers gets another number of
//! digits, changes the [entries](shared::entities::DirectoryEntry). The requests:
//!
//! - One consistent `GetItem` reads the user.
//! - `BatchWriteItem` puts the entries of the user as read, and deletes all others of the record.
//! - Another consistent `GetItem` checks that the user is still the same.
//!
//! Any other change of a user, such as one of the counts, costs no request.
//!
//! **No step relies on the order of records or of writes.** The entries come from the user and not
//! from the record, which may be late or come again. And whoever writes entries reads the user once
//! more afterwards, so an invocation that has stalled between its read and its write corrects what
//! it has written.

use std::collections::BTreeSet;

use shared::changes::{Context, Work};
use shared::dynamodb::{Item, batch};
use shared::entities::{DirectoryEntry, Kind, Listing, user_without_attributes};
use shared::runtime::stream::{Change, Record};
use shared::{Error, Table};

/// The maximum number of times that a record writes entries: once, and again for each change of the
/// user in between.
const MAX_ATTEMPTS: usize = 5;

/// Returns whether a record is of a user who was created with an e-mail address. send-welcome finds
/// out whether the user gets an e-mail.
#[must_use]
pub fn is_new_user(record: &Record) -> bool {
    Kind::User.is_of(&record.keys) && record.change == Change::Insert && record.new_image.contains_key("email")
}

/// Returns the work that updates the directory after the changes of users.
#[must_use]
pub fn directory_work<'a>(context: &'a Context, records: &'a [Record]) -> Vec<Work<'a>> {
    let of_users = records.iter().filter(|record| Kind::User.is_of(&record.keys));
    of_users.map(|record| Work::new(vec![record.id.clone()], update_directory(context, record))).collect()
}

/// Updates the directory after the change of a user.
async fn update_directory(Context { table, feed, .. }: &Context, record: &Record) -> Result<(), Error> {
    let (before, after) = (listing(&record.old_image)?, listing(&record.new_image)?);
    if before == after {
        return Ok(());
    }
    let mut known: BTreeSet<DirectoryEntry> = before.iter().chain(&after).flat_map(Listing::entries).collect();
    let mut current = read(table, &record.keys).await?;
    for _ in 0..MAX_ATTEMPTS {
        let entries: BTreeSet<DirectoryEntry> = current.iter().flat_map(Listing::entries).collect();
        let puts = entries.iter().map(|entry| batch::put(entry.item()?));
        let deletes = known.difference(&entries).map(|entry| batch::delete(entry.key()));
        batch::write(feed, puts.chain(deletes).collect::<Result<_, _>>()?).await?;
        let now = read(table, &record.keys).await?;
        if now == current {
            return Ok(());
        }
        known.extend(entries);
        current = now;
    }
    Err(Error::Busy("the user changes faster than the directory".into()))
}

/// Returns the listing of the user with this key.
async fn read(table: &Table, key: &Item) -> Result<Option<Listing>, Error> {
    let get = table.client.get_item().table_name(&table.name).set_key(Some(key.clone())).consistent_read(true);
    listing(&get.send().await?.item.unwrap_or_default())
}

/// Returns the listing of the user that an item holds, or `None` if it holds no user.
fn listing(item: &Item) -> Result<Option<Listing>, Error> {
    let user = user_without_attributes(item)?;
    Ok(user.map(|user| Listing::new(&user.username, &user.name, user.followers)))
}
