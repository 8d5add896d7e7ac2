//! Uploads to `imports/` in the bucket: makes photos, tags and favorites of the file of an export.
//!
//! - A consistent `GetItem` reads the import. `archive.rs` reads the central directory of the file
//!   with `GetObject` of ranges, and then one file at a time. `writes.rs` puts each thing with the
//!   same conditions as the functions of the API. At the beginning of the file and after each of
//!   its pages, a conditional `PutItem` of the import says where another attempt continues.
//! - Each picture is put into the bucket, and a `SendMessage` to `ImportedPicturesQueue` lets
//!   process-photo handle it like any other upload, so nothing of it is trusted. The queue is a lane
//!   for imports alone, so that no upload of somebody else waits for them.
//! - At the end, an `UpdateItem` sets the status and the interests of the profile, if the user has
//!   set none, and a `TransactWriteItems` pins the photo that was pinned, if the user has pinned none.
//! - Nothing that concerns others is made: no reactions, comments, friendships and counts, and no
//!   saved photos.
//!
//! Every write may be repeated: what is there already stays as it is. An attempt that ends early
//! fails, and Lambda sends the event again, twice. The deletion of the user deletes the import, and
//! the account is a condition of every write, so nothing is made for a deleted user.
//!
//! An import ends before it costs too much: the work of all its files and attempts is counted.
//!
//! Another file that the user uploads with the same form replaces the one before, also while it is
//! being read: its event begins with it, and the attempt before ends.

use aws_sdk_dynamodb::types::AttributeValue::S;
use futures_util::{StreamExt as _, stream};
use serde::Deserialize;
use serde_json::value::RawValue;
use shared::dynamodb::{entity, expiry, unless_condition_failed};
use shared::entities::object::import_of_key;
use shared::entities::{Import, Key, MAX_PHOTOS};
use shared::runtime::bucket::delete_versions;
use shared::runtime::queue::Queue;
use shared::runtime::upload::Upload;
use shared::values::{ImportState, Username};
use shared::{Error, Handler, Process, StartError, Table};
use uuid::Uuid;

use crate::read_import::archive::{Archive, NOT_AN_EXPORT, Unreadable, parse};
use crate::read_import::profile::Profile;
use crate::read_import::writes::{Stores, Target, Written};
use crate::write_export::MAX_READ_AGAIN;

mod archive;
mod profile;
#[cfg(test)]
mod tests;
mod writes;

pub use crate::read_import::writes::{MAX_PICTURES, MAX_WRITES};

/// The number of things that are put concurrently.
const CONCURRENT_WRITES: usize = 8;

/// The maximum number of attempts of an import, with those at all files that were uploaded for it.
/// Lambda makes three attempts at a file.
const MAX_ATTEMPTS: u64 = 6;
/// The maximum number of entries of a page, which is that of write-export.
const MAX_ENTRIES: usize = 500;
/// The maximum number of pages of a section: those of [`MAX_PHOTOS`] photos and of as many traces of deleted
/// ones, which are read with them, and a last one without any. An export of 100,000 favorites of the largest
/// size has 600.
const MAX_PAGES: u64 = 2 * MAX_PHOTOS / MAX_READ_AGAIN.unsigned_abs() as u64 + 1;

/// The sections, in their order. Favorites need their tags.
const SECTIONS: [&str; 3] = ["tags", "favorites", "photos"];

/// The function.
pub struct ReadImport {
    stores: Stores,
}

impl Handler for ReadImport {
    const NAME: &'static str = "read-import";

    type Event = Upload;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            stores: Stores {
                table: process.table("TABLE_NAME")?,
                favorites: process.table("FAVORITE_TABLE_NAME")?,
                feed: process.table("FEED_TABLE_NAME")?,
                bucket: process.bucket()?,
                pictures: Queue::from_process(process, "IMPORTED_PICTURES_QUEUE_URL")?,
            },
        })
    }

    async fn handle(&self, Upload { key, .. }: Upload) -> Result<(), Error> {
        let Self { stores } = self;
        let delete = async || delete_versions(&stores.bucket, &key, |other| other != key).await;
        let Some((owner, id)) = import_of_key(&key) else { return delete().await };
        let found = read(&stores.feed, &owner).await?;
        let Some(mut import) = found.filter(|import| import.id == id && import.is_unfinished()) else {
            return delete().await;
        };
        // An attempt that has ended early may have written something since it last said so.
        import.work.writes += u64::from(import.state == ImportState::Running);
        match finish(stores, &owner, &key, import).await {
            Ok(()) | Err(Unreadable::Invalid(_) | Unreadable::Gone) => delete().await,
            Err(Unreadable::Replaced) => Ok(()),
            Err(Unreadable::Other(error)) => Err(error),
        }
    }
}

/// Reads the file, and puts the import as it ends.
async fn finish(stores: &Stores, owner: &Username, key: &str, mut import: Import) -> Result<(), Unreadable> {
    let ended = match run(stores, owner, key, &mut import).await {
        Err(Unreadable::Invalid(reason)) => {
            Import { state: ImportState::Failed, reason: Some(reason.to_owned()), ..import.clone() }
        }
        read => {
            read?;
            Import { state: ImportState::Done, ..import.clone() }
        }
    };
    put(&stores.feed, owner, &import, &ended).await
}

/// Returns the import of a user, unless it has expired.
async fn read(feed: &Table, user: &Username) -> Result<Option<Import>, Error> {
    let get = feed.client.get_item().table_name(&feed.name).set_key(Some(Key::import(user).into()));
    let item = get.consistent_read(true).send().await?.item;
    item.filter(|item| !expiry::has_expired(item)).map(entity::from_item).transpose()
}

/// Replaces the import, on the condition that it is in the same state and no other attempt has begun
/// since. If not, that attempt goes on, or the import has ended, or the user is deleted. If the answer
/// of the `PutItem` was lost, the SDK sends it again, and the condition fails on its own write, which a
/// `GetItem` recognizes.
async fn put(feed: &Table, user: &Username, before: &Import, import: &Import) -> Result<(), Unreadable> {
    let put = feed
        .client
        .put_item()
        .table_name(&feed.name)
        .set_item(Some(entity::to_item(Key::import(user), import)?))
        .expression_attribute_names("#state", "state")
        .expression_attribute_values(":id", S(before.id.to_string()))
        .expression_attribute_values(":state", S(before.state.to_string()));
    let put = match &before.attempt {
        Some(attempt) => put
            .condition_expression("id = :id AND #state = :state AND attempt = :attempt")
            .expression_attribute_values(":attempt", S(attempt.clone())),
        None => put.condition_expression("id = :id AND #state = :state AND attribute_not_exists(attempt)"),
    };
    if unless_condition_failed(put.send().await)?.is_some() {
        return Ok(());
    }
    match read(feed, user).await? {
        Some(stored) if stored == *import => Ok(()),
        Some(other) if other.id == before.id && other.is_unfinished() => Err(Unreadable::Replaced),
        _ => Err(Unreadable::Gone),
    }
}

/// The content of the file `export.json` of an archive.
#[derive(Deserialize)]
struct About {
    format: String,
    version: u32,
}

/// A page of a section.
#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    entries: Vec<&'a RawValue>,
}

/// Reads the file from where the import has got to, page by page.
async fn run(stores: &Stores, owner: &Username, key: &str, import: &mut Import) -> Result<(), Unreadable> {
    let archive = Archive::open(&stores.bucket, key).await?;
    let About { format, version } = parse(&archive.json("export.json").await?)?;
    if (format.as_str(), version) != ("quick-photos-export", 1) {
        return Err(Unreadable::Invalid("The file is of another app or of another version of this one."));
    }
    let has_many = |section| archive.has(&format!("{section}/{}.json", MAX_PAGES + 1));
    if SECTIONS.into_iter().any(has_many) {
        return Err(Unreadable::Invalid(NOT_AN_EXPORT));
    }
    let profile = Profile::parse(&archive.json("profile.json").await?)?;
    begin(stores, owner, &archive.etag, import).await?;
    let subject = import.subject.clone();
    let target = Target::new(stores, owner, &subject, &archive, &profile, import.work);
    while let Some(index) = SECTIONS.iter().position(|section| *section == import.section) {
        let name = format!("{}/{}.json", import.section, import.page);
        if archive.has(&name) {
            let content = archive.json(&name).await?;
            let Page { entries } = parse(&content)?;
            if entries.len() > MAX_ENTRIES {
                return Err(Unreadable::Invalid(NOT_AN_EXPORT));
            }
            add_page(&target, import, entries).await?;
            import.page += 1;
        } else {
            import.section = SECTIONS.get(index + 1).map_or_else(|| "end".to_owned(), |next| (*next).to_owned());
            import.page = 1;
        }
        import.work = target.work.get();
        put(&stores.feed, owner, import, import).await?;
    }
    target.set_profile().await?;
    if let Written::LeftOut(what, reason) = target.pin().await? {
        import.leave_out(what, reason);
    }
    Ok(())
}

/// Begins an attempt at the file with this `ETag`, which continues where another one has got to.
async fn begin(stores: &Stores, owner: &Username, etag: &str, import: &mut Import) -> Result<(), Unreadable> {
    let is_other = import.etag.as_deref() != Some(etag);
    let mut begun = if is_other { import.of_file(etag) } else { import.clone() };
    begun.state = ImportState::Running;
    begun.attempt = Some(Uuid::now_v7().to_string());
    begun.work.attempts += 1;
    if begun.work.attempts > MAX_ATTEMPTS {
        return Err(Unreadable::Invalid(
            "The file was replaced too often, or could not be read. Import it again tomorrow.",
        ));
    }
    put(&stores.feed, owner, import, &begun).await?;
    *import = begun;
    Ok(())
}

/// Puts the things of a page.
async fn add_page(target: &Target<'_>, import: &mut Import, entries: Vec<&RawValue>) -> Result<(), Unreadable> {
    let section = import.section.clone();
    let writes = stream::iter(entries).map(async |entry| match section.as_str() {
        "tags" => target.tag(entry).await,
        "favorites" => target.favorite(entry).await,
        _ => target.photo(entry).await,
    });
    let mut writes = Box::pin(writes.buffered(CONCURRENT_WRITES));
    while let Some(written) = writes.next().await {
        match written? {
            Written::There if section == "tags" => import.tags += 1,
            Written::There if section == "favorites" => import.favorites += 1,
            Written::There => import.photos += 1,
            Written::LeftOut(what, reason) => import.leave_out(what, reason),
        }
    }
    Ok(())
}
