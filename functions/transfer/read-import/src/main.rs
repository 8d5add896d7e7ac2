//! Uploads to `imports/` in the bucket: makes photos, tags and favorites of the file of an export.
//!
//! - A consistent `GetItem` reads the import. `archive.rs` reads the central directory of the file
//!   with `GetObject` of ranges, and then one file at a time. `writes.rs` puts each thing with the
//!   same conditions as the functions of the API. At the beginning of the file and after each of
//!   its pages, a conditional `PutItem` of the import says where another attempt continues.
//! - Each picture is put under the key of an uploaded file, so process-photo handles it like any
//!   other upload, and nothing of it is trusted.
//! - Of the profile, an `UpdateItem` sets the status and the interests that the user has not set.
//!   At the end, a `TransactWriteItems` pins the photo that was pinned, if the user has pinned
//!   none.
//! - Nothing that concerns others is made: no reactions, comments, friendships and counts, and no
//!   saved photos.
//!
//! Every write may be repeated: what is there already stays as it is. An attempt that ends early
//! fails, and Lambda sends the event again, twice. The deletion of the user deletes the import, and
//! the account is a condition of every write, so nothing is made for a deleted user.
//!
//! Another file that the user uploads with the same form replaces the one before, also while it is
//! being read: its event begins with it, and the attempt before ends.

use aws_sdk_dynamodb::types::AttributeValue::S;
use futures_util::{StreamExt as _, stream};
use serde_json::Value;
use shared::dynamodb::{entity, expiry, unless_condition_failed};
use shared::feed::{Import, Key};
use shared::pictures::keys::import_of_key;
use shared::pictures::store::delete_versions;
use shared::runtime::upload::Upload;
use shared::values::{ImportState, Username};
use shared::{Error, Table};

use crate::archive::{Archive, Unreadable};
use crate::writes::{Stores, Target, Written};

mod archive;
#[cfg(test)]
mod tests;
mod writes;

/// The number of things that are put concurrently.
const CONCURRENT_WRITES: usize = 8;

/// The sections, in their order. Favorites need their tags.
const SECTIONS: [&str; 3] = ["tags", "favorites", "photos"];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    let bucket = shared::runtime::client::bucket().await?;
    let favorites = std::env::var("FAVORITE_TABLE_NAME").map_err(|_| "FAVORITE_TABLE_NAME is not set")?;
    let feed = std::env::var("FEED_TABLE_NAME").map_err(|_| "FEED_TABLE_NAME is not set")?;
    shared::runtime::upload::run(|table: Table, upload| {
        let (favorites, feed) = (table.other(&favorites), table.other(&feed));
        read_import(Stores { table, favorites, feed, bucket: bucket.clone() }, upload)
    })
    .await
}

async fn read_import(stores: Stores, Upload { key, .. }: Upload) -> Result<(), Error> {
    let delete = async || delete_versions(&stores.bucket, &key, |other| other != key).await;
    let Some((owner, id)) = import_of_key(&key) else { return delete().await };
    let found = read(&stores.feed, &owner).await?;
    let Some(import) = found.filter(|import| import.id == id && import.is_unfinished()) else {
        return delete().await;
    };
    match finish(&stores, &owner, &key, import).await {
        Ok(()) | Err(Unreadable::Invalid(_) | Unreadable::Gone) => delete().await,
        Err(Unreadable::Replaced) => Ok(()),
        Err(Unreadable::Other(error)) => Err(error),
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

/// Replaces the import, on the condition that it is still that of the same file and in the same
/// state. If not, another attempt has begun with another file or has ended it, or the user is
/// deleted.
async fn put(feed: &Table, user: &Username, before: &Import, import: &Import) -> Result<(), Unreadable> {
    let put = feed
        .client
        .put_item()
        .table_name(&feed.name)
        .set_item(Some(entity::to_item(Key::import(user), import)?))
        .expression_attribute_names("#state", "state")
        .expression_attribute_values(":id", S(before.id.to_string()))
        .expression_attribute_values(":state", S(before.state.to_string()));
    let put = match &before.etag {
        Some(etag) => put
            .condition_expression("id = :id AND #state = :state AND etag = :etag")
            .expression_attribute_values(":etag", S(etag.clone())),
        None => put.condition_expression("id = :id AND #state = :state AND attribute_not_exists(etag)"),
    };
    if unless_condition_failed(put.send().await)?.is_some() {
        return Ok(());
    }
    let is_at_work = read(feed, user).await?.is_some_and(|other| other.id == before.id && other.is_unfinished());
    Err(if is_at_work { Unreadable::Replaced } else { Unreadable::Gone })
}

/// Reads the file from where the import has got to, page by page.
async fn run(stores: &Stores, owner: &Username, key: &str, import: &mut Import) -> Result<(), Unreadable> {
    let archive = Archive::open(&stores.bucket, key).await?;
    let about = json(&archive, "export.json").await?;
    if about["format"] != "quick-photos-export" || about["version"] != 1 {
        return Err(Unreadable::Invalid("The file is of another app or of another version of this one."));
    }
    let subject = import.subject.clone();
    let target = Target { stores, owner, subject: &subject, archive: &archive };
    let profile = json(&archive, "profile.json").await?;
    if import.etag.as_ref() != Some(&archive.etag) {
        target.profile(&profile).await?;
        let begun = import.of_file(&archive.etag);
        put(&stores.feed, owner, import, &begun).await?;
        *import = begun;
    }
    while let Some(index) = SECTIONS.iter().position(|section| *section == import.section) {
        let name = format!("{}/{}.json", import.section, import.page);
        if archive.has(&name) {
            add_page(&target, import, &json(&archive, &name).await?).await?;
            import.page += 1;
        } else {
            import.section = SECTIONS.get(index + 1).map_or_else(|| "end".to_owned(), |next| (*next).to_owned());
            import.page = 1;
        }
        put(&stores.feed, owner, import, import).await?;
    }
    if let Written::LeftOut(what, reason) = target.pin(&profile).await? {
        import.leave_out(what, reason);
    }
    Ok(())
}

async fn json(archive: &Archive<'_>, name: &str) -> Result<Value, Unreadable> {
    let content = archive.read(name).await?.unwrap_or_default();
    serde_json::from_slice(&content)
        .map_err(|_| Unreadable::Invalid("A file of the archive is missing or is no JSON. Download the export again."))
}

/// Puts the things of a page.
async fn add_page(target: &Target<'_>, import: &mut Import, page: &Value) -> Result<(), Unreadable> {
    let section = import.section.clone();
    let entries = page["entries"].as_array().map(Vec::as_slice).unwrap_or_default();
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
