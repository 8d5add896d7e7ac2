//! Destination of uploads that process-photo failed to process: rejects the picture.
//!
//! Lambda sends an event to this function when process-photo has failed three times with it: the
//! file made a decoder panic, run out of memory or take too long, or S3 or DynamoDB did not answer.
//! A `TransactWriteItems` makes the photo `rejected` and counts it, on the condition that its picture is still pending,
//! that it has not expired, and that process-photo is not processing another upload of it. Then
//! `ListObjectVersions` finds its files, a consistent `GetItem` reads the photo, and
//! `DeleteObjects` deletes the uploaded file, and what process-photo has stored without showing it.
//!
//! Of a photo of several pictures, a `BatchGetItem` reads the photo and its pictures, and the transaction rejects the
//! entry of the picture. The photo remains pending, until its owner replaces the picture or leaves it out.
//!
//! If this function fails too, the event goes to the dead-letter queue `FailedRecords`, and the
//! photo remains pending until it expires.

use shared::entities::object::photo_of_incoming_key;
use shared::entities::reject_unprocessed;
use shared::runtime::upload::Upload;
use shared::{Bucket, Error, Handler, Process, StartError, Table};

use crate::several;

#[cfg(test)]
mod tests;

/// The function.
pub struct RejectPhoto {
    table: Table,
    bucket: Bucket,
}

impl Handler for RejectPhoto {
    const NAME: &'static str = "reject-photo";

    type Event = Upload;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, bucket: process.bucket()? })
    }

    async fn handle(&self, Upload { key, sequencer, .. }: Upload) -> Result<(), Error> {
        let Self { table, bucket } = self;
        let Some((owner, photo_id, number)) = photo_of_incoming_key(&key) else {
            return Err(Error::internal(format!("{key:?} is not the key of an upload")));
        };
        match number {
            None => reject_unprocessed(table, bucket, &owner, &photo_id, (&key, &sequencer)).await,
            Some(number) => {
                several::reject_unprocessed(table, bucket, (&owner, &photo_id, number), (&key, &sequencer)).await
            }
        }
    }
}
