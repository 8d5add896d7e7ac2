//! Destination of uploads that process-photo failed to process: rejects the picture.
//!
//! Lambda sends an event to this function when process-photo has failed three times with it: the
//! file made a decoder panic, run out of memory or take too long, or S3 or DynamoDB did not answer.
//! An `UpdateItem` makes the photo `rejected`, on the condition that its picture is still pending,
//! that it has not expired, and that process-photo is not processing another upload of it. Then
//! `ListObjectVersions` finds its files, a consistent `GetItem` reads the photo, and
//! `DeleteObjects` deletes the uploaded file, and what process-photo has stored without showing it.
//!
//! If this function fails too, the event goes to the dead-letter queue `FailedRecords`, and the
//! photo remains pending until it expires.

use shared::pictures::keys::photo_of_incoming_key;
use shared::pictures::store::reject_unprocessed;
use shared::runtime::upload::Upload;
use shared::{Bucket, Error, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_runtime::Error> {
    let bucket = shared::runtime::client::bucket().await?;
    shared::runtime::upload::run(|table, upload| reject_photo(table, bucket.clone(), upload)).await
}

async fn reject_photo(table: Table, bucket: Bucket, Upload { key, sequencer, .. }: Upload) -> Result<(), Error> {
    let Some((owner, timestamp)) = photo_of_incoming_key(&key) else {
        return Err(Error::internal(format!("{key:?} is not the key of an upload")));
    };
    reject_unprocessed(&table, &bucket, &owner, &timestamp, (&key, &sequencer)).await
}
