//! Queue `ExportsQueue`: writes the file of an export, a zip archive with everything that is kept
//! about a user, as JSON, as pictures, and as pages that a browser shows without a network.
//!
//! The file is a multipart upload to S3. A consistent `GetItem` reads the export, and a conditional
//! `PutItem` claims the next part. `archive.rs` gathers 8 MiB of files for it: `source.rs` reads
//! pages of items by `Query`, `html.rs` makes a page of each, and `GetObject` reads the pictures.
//! `upload.rs` uploads the part, and keeps its share of the central directory in an object beside
//! it. A conditional `PutItem` of the export with the position of the work ends the part, and
//! claims the next one. The last part has the central directory of all parts (`zip.rs`). So the
//! memory is that of one part and the pictures of one photo, however large the file is.
//!
//! Before the timeout, the function sends a message to its own queue, and the next invocation
//! continues. [Lambda stops such a
//! loop](https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html) after some 16
//! invocations, which are 3 hours: a file of the maximum size needs 5 MB/s for that. A [durable
//! function](https://docs.aws.amazon.com/lambda/latest/dg/durable-functions.html) could do the
//! same, but has no SDK for Rust, and the local stack could not run it.
//!
//! An attempt may end anywhere, and a message may come twice:
//!
//! - A message names the last part that was claimed when it was sent. If another part has been
//!   claimed since, another attempt is under way, and the message has no effect, unless it is the
//!   message of this attempt, which has failed.
//! - Each attempt claims the number of a part that nobody has claimed before. So it never
//!   overwrites a part of another attempt, and once another one has claimed a part, its own
//!   `PutItem` fails, and it ends. S3 accepts gaps in the numbers of parts without checksums.
//! - If the export has been deleted with its user, the `PutItem` fails too. Then the attempt
//!   deletes the file that it may have completed. A rule of the bucket ends an upload that nobody
//!   completes.

use std::collections::BTreeSet;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use shared::dynamodb::{entity, expiry, unless_condition_failed};
use shared::entities::object::{export_parts_prefix, exports_prefix};
use shared::entities::{EXPORT_LIFETIME_SECONDS, Export, ExportMessage, ExportWork, Key, MAX_EXPORT_BYTES};
use shared::runtime::bucket::delete_versions;
use shared::runtime::queue::{Message, Queue};
use shared::values::{EpochMillis, ExportState, Timestamp, Username};
use shared::{Error, Handler, Process, StartError, Table};
use tokio::time::Instant;

use crate::write_export::archive::{FIRST_SECTION, fill};
use crate::write_export::source::{Source, Stores};
use crate::write_export::upload::{File, Kept};
use crate::write_export::zip::Part;

mod archive;
mod html;
mod source;
#[cfg(test)]
mod tests;
mod upload;
mod zip;

pub(crate) use crate::write_export::source::MAX_READ_AGAIN;

/// The time that is reserved for the last part that an invocation writes: no part begins later than
/// this before its end. A part takes some seconds, and the last part of a large file a minute.
const PART_RESERVE: Duration = Duration::from_mins(4);

/// The function.
pub struct WriteExport {
    stores: Stores,
    queue: Queue,
}

impl Handler for WriteExport {
    const NAME: &'static str = "write-export";

    type Event = Message<ExportMessage>;

    fn start(process: &Process) -> Result<Self, StartError> {
        let stores = Stores {
            table: process.table("TABLE_NAME")?,
            favorites: process.table("FAVORITE_TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            bucket: process.bucket()?,
        };
        Ok(Self { stores, queue: Queue::from_process(process, "EXPORTS_QUEUE_URL")? })
    }

    async fn handle(&self, message: Message<ExportMessage>) -> Result<(), Error> {
        let Self { stores, queue } = self;
        let ExportMessage { username, id, claimed } = message.body;
        let file = File { bucket: &stores.bucket, owner: &username, id: &id };
        let read = read(&stores.feed, &username).await?.filter(|export| export.id == id && export.is_unfinished());
        let Some(export) =
            read.filter(|export| export.claimed == claimed || export.worker.as_ref() == Some(&message.id))
        else {
            return Ok(());
        };
        let Some((mut export, mut work)) = claim(&stores.feed, &username, &file, export, message.id).await? else {
            return Ok(());
        };

        let source = Source { stores, owner: &username };
        loop {
            let mut part = Part::new(export.bytes, &export.created);
            if fill(&source, &mut export, &mut work, &mut part).await? {
                return end(stores, &file, export, &work, part).await;
            }
            if part.end() > MAX_EXPORT_BYTES {
                return fail(stores, &file, export, &too_large()).await;
            }
            let (end, files, number) = (part.end(), part.files, export.claimed);
            let Some(uploaded) = file.upload(&work.upload_id, number, part.bytes).await? else {
                return settle(stores, &file, export).await;
            };
            file.keep(number, &uploaded, &part.directory).await?;
            (export.bytes, work.written, work.files) = (end, number, work.files + files);
            let goes_on = Instant::now() + PART_RESERVE < message.deadline;
            export.claimed += u32::from(goes_on);
            export.work = Some(work.clone());
            if !put(&stores.feed, &username, &mut export, number).await? {
                return Ok(());
            }
            if !goes_on {
                return queue.send(&ExportMessage { username, id, claimed: number }).await;
            }
        }
    }
}

/// Returns the export of a user, unless it has expired.
async fn read(feed: &Table, user: &Username) -> Result<Option<Export>, Error> {
    let get = feed.client.get_item().table_name(&feed.name).set_key(Some(Key::export(user).into()));
    let item = get.consistent_read(true).send().await?.item;
    item.filter(|item| !expiry::has_expired(item)).map(entity::from_item).transpose()
}

/// Claims the next part of an export for an attempt. Returns `None` if another attempt has claimed
/// it.
async fn claim(
    feed: &Table,
    user: &Username,
    file: &File<'_>,
    mut export: Export,
    worker: String,
) -> Result<Option<(Export, ExportWork)>, Error> {
    let mut work = match export.work.take() {
        Some(work) => work,
        None => ExportWork {
            upload_id: file.begin().await?,
            section: FIRST_SECTION.to_owned(),
            page: 1,
            ..ExportWork::default()
        },
    };
    let claimed = export.claimed;
    let abandoned: BTreeSet<u32> = work.skipped.drain(..).chain(work.written + 1..=claimed).collect();
    work.skipped = abandoned.into_iter().collect();
    export = Export {
        state: ExportState::Running,
        claimed: claimed + 1,
        worker: Some(worker),
        work: Some(work.clone()),
        ..export
    };
    Ok(put(feed, user, &mut export, claimed).await?.then_some((export, work)))
}

/// Replaces an export, on the condition that `claimed` is still the last part that was claimed.
/// Returns whether the export is the new one. If the answer of the `PutItem` was lost, the SDK
/// sends it again, and the condition fails on its own write, which a `GetItem` recognizes.
async fn put(feed: &Table, user: &Username, export: &mut Export, claimed: u32) -> Result<bool, Error> {
    export.updated = Timestamp::now();
    let put = feed
        .client
        .put_item()
        .table_name(&feed.name)
        .set_item(Some(entity::to_item(Key::export(user), export)?))
        .condition_expression("id = :id AND claimed = :claimed")
        .expression_attribute_values(":id", S(export.id.to_string()))
        .expression_attribute_values(":claimed", N(claimed.to_string()));
    let is_put = unless_condition_failed(put.send().await)?.is_some();
    Ok(is_put || read(feed, user).await?.as_ref() == Some(export))
}

/// Writes the last part, and puts the parts together. If an earlier attempt has done so, and failed
/// after it, there are no parts any more.
async fn end(stores: &Stores, file: &File<'_>, export: Export, work: &ExportWork, mut part: Part) -> Result<(), Error> {
    let numbers = (1..=work.written).filter(|number| !work.skipped.contains(number));
    let Some(Kept { mut parts, directory }) = file.kept(numbers).await? else {
        return settle(stores, file, export).await;
    };
    part.finish(&directory, work.files);
    if part.end() > MAX_EXPORT_BYTES {
        return fail(stores, file, export, &too_large()).await;
    }
    if let Some(last) = file.upload(&work.upload_id, export.claimed, part.bytes).await? {
        parts.push(last);
        file.complete(&work.upload_id, parts).await?;
    }
    settle(stores, file, export).await
}

/// Ends an export whose upload is over: the file is ready, if it is complete.
async fn settle(stores: &Stores, file: &File<'_>, mut export: Export) -> Result<(), Error> {
    let Some(bytes) = file.size().await? else {
        let reason = "The file was not complete after a day, so it was discarded. Ask for another export.";
        return fail(stores, file, export, reason).await;
    };
    delete_versions(&stores.bucket, &export_parts_prefix(file.owner, file.id), |_| false).await?;
    let ttl = EpochMillis::now().seconds() + EXPORT_LIFETIME_SECONDS;
    export = Export { state: ExportState::Ready, bytes, ttl, work: None, worker: None, ..export };
    let claimed = export.claimed;
    let is_ready = put(&stores.feed, file.owner, &mut export, claimed).await?;
    // Another attempt can only have claimed a part of an export that exists.
    if !is_ready && read(&stores.feed, file.owner).await?.is_none() {
        delete_versions(&stores.bucket, &exports_prefix(file.owner), |_| false).await?;
    }
    Ok(())
}

/// Ends an export without a file. The user may ask for another one at once.
async fn fail(stores: &Stores, file: &File<'_>, mut export: Export, reason: &str) -> Result<(), Error> {
    let reason = Some(reason.to_owned());
    export = Export { state: ExportState::Failed, reason, work: None, worker: None, ..export };
    let claimed = export.claimed;
    put(&stores.feed, file.owner, &mut export, claimed).await?;
    delete_versions(&stores.bucket, &export_parts_prefix(file.owner, file.id), |_| false).await
}

fn too_large() -> String {
    format!("The file would have more than {MAX_EXPORT_BYTES} bytes. Write to the operator of this app.")
}
