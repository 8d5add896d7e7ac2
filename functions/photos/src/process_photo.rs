//! Uploads to the bucket of the photos, and queue `ImportedPicturesQueue`: makes the sizes of an uploaded
//! or imported picture, and the photo ready.
//!
//! - An `UpdateItem` claims the photo, on the condition that its picture is pending, that it has
//!   not expired, and that no other upload holds a claim. A `GetObject` reads the uploaded file,
//!   the crate `pictures` makes up to three JPEGs without any metadata from it, and a `PutObject`
//!   for each stores them. A `TransactWriteItems` makes the photo ready, on the condition that its picture is still
//!   pending, adds it to the owner's count of photos, and puts its vector into `<stage>.Feed`, by which list-similar-photos finds it if
//!   everyone may see it. If the audience has changed since the claim, it is sent again. Then a
//!   `DeleteObject` deletes the uploaded file.
//! - Before the pictures are stored, the function that the parameter `ModerationFunction` names is
//!   asked whether they may be shown, if there is one.
//! - A file that is no picture within the limits, or that this function refuses, leaves the photo
//!   `rejected`, with the problem, by a `TransactWriteItems` on the same
//!   condition, which counts it.
//! - If the claim fails, a consistent `GetItem` reads the photo. If no picture of it is pending,
//!   the file is not wanted: the photo has a picture already, it has been deleted, or there never
//!   was one. `ListObjectVersions`, another `GetItem` and `DeleteObjects` delete the file, and what
//!   an interrupted invocation has stored. If the picture is pending, the event is dropped: either
//!   the invocation that holds the claim processes the file that now has the key, and deletes it,
//!   or the photo has expired, and finish-deletion deletes it with its files.
//!
//! Of a photo of several pictures, a `BatchGetItem` reads the photo and its [`Pictures`](shared::entities::Pictures),
//! and a `PutItem` claims the entry of the picture. The transaction settles the entry, and makes the photo ready if
//! all are ready then. A rejected one leaves the photo pending, until its owner replaces it or leaves it out.
//!
//! So one form keeps one invocation busy at a time, however many files it uploads. An event may
//! come twice, and an invocation may end anywhere: an upload renews its own claim, and a claim ends
//! after five minutes. The keys of the sizes contain the hash of the file. So a repetition
//! writes the same objects again, and a second file that is uploaded with the same form has other
//! keys than the first one. The photo shows the file whose transaction came first.
//!
//! The crate `pictures` bounds the time and the memory that a file may take. If an invocation fails
//! all the same, Lambda sends the event again, twice, and then to reject-photo. A message comes again
//! too. After [`MAX_RECEIVES`] times the function rejects the photo itself, without reading the file.

use aws_sdk_s3::error::SdkError;
use aws_sdk_s3::operation::get_object::GetObjectError;
use pictures::Rejection;
use shared::dynamodb::transaction::Outcome;
use shared::dynamodb::{Item, unless_condition_failed};
use shared::entities::object::{Size, photo_of_incoming_key, picture_key};
use shared::entities::{
    Picture, Sizes, claim_picture, discard_unused, photo_from_item, publish_picture, reject_picture, reject_unprocessed,
};
use shared::http::problems::PictureProblem;
use shared::runtime::bucket::delete_versions;
use shared::runtime::upload::Upload;
use shared::values::{MAX_UPLOAD_BYTES, PhotoId, PictureId, PictureNumber, Username};
use shared::{Bucket, Error, Handler, Process, StartError, Table};

use self::moderation::Moderation;
use crate::several::{self, Settled, Several};

mod moderation;
#[cfg(test)]
mod tests;

/// The caching of the sizes by clients. An object never changes, but a deleted photo has to
/// disappear some time.
const CACHE_CONTROL: &str = "private, max-age=604800";
/// The retry budget: the maximum number of attempts to make a photo ready. More than one are needed
/// only if the owner changes the audience between the read and the write.
const MAX_ATTEMPTS: usize = 5;

/// The number of times that the picture of an import is tried. Lambda also counts a message that it
/// received and could not deliver, because all concurrent executions of the function were busy.
const MAX_RECEIVES: u32 = 5;

// The crate `pictures` knows the sizes by their widths.
const _: () = assert!(
    Size::Small.max_width() == pictures::SMALL_WIDTH
        && Size::Medium.max_width() == pictures::MEDIUM_WIDTH
        && Size::Large.max_width() == pictures::LARGE_WIDTH
);

/// The function.
pub struct ProcessPhoto {
    table: Table,
    feed: Table,
    bucket: Bucket,
    moderation: Option<Moderation>,
}

impl Handler for ProcessPhoto {
    const NAME: &'static str = "process-photo";

    type Event = Upload;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            bucket: process.bucket()?,
            moderation: Moderation::from_process(process)?,
        })
    }

    async fn handle(&self, Upload { key, sequencer, receives }: Upload) -> Result<(), Error> {
        let Self { table, feed, bucket, moderation } = self;
        let Some((owner, photo_id, number)) = photo_of_incoming_key(&key) else {
            // No upload form has such a key, so the file belongs to no photo.
            return delete_versions(bucket, &key, |other| other != key).await;
        };
        if receives.is_some_and(|receives| receives > MAX_RECEIVES) {
            let upload = (key.as_str(), sequencer.as_str());
            return match number {
                None => reject_unprocessed(table, bucket, &owner, &photo_id, upload).await,
                Some(number) => several::reject_unprocessed(table, bucket, (&owner, &photo_id, number), upload).await,
            };
        }
        let Some((claimed, is_first)) = Claimed::by(table, &owner, &photo_id, number, &sequencer).await? else {
            return discard_unused(table, bucket, &owner, &photo_id, number, &key).await;
        };
        let outcome = match download(bucket, &key).await? {
            // Another invocation has settled the picture since, and deleted the file. An earlier
            // attempt of this one may have stored the picture of another file.
            Download::Gone => return discard_unused(table, bucket, &owner, &photo_id, number, &key).await,
            Download::TooLarge => Err(Picture::Rejected { problem: PictureProblem::PictureTooLarge, reason: None }),
            Download::File(file) => {
                let processed = accept(moderation.as_ref(), (&owner, &photo_id, number), &file).await?;
                processed.map(|processed| (PictureId::from_file(&file), processed))
            }
        };
        let is_settled = match outcome {
            Ok((id, processed)) => {
                let vector = processed.vector;
                let sizes = store(bucket, &owner, &photo_id, number, id, processed).await?;
                match claimed {
                    Claimed::One(photo) => publish(table, feed, photo, (&owner, &photo_id), &sizes, &vector).await?,
                    Claimed::OneOfSeveral(read, number) => {
                        several::settle(table, *read, number, &Settled::Ready(Picture::Ready(sizes), feed, &vector))
                            .await?
                    }
                }
            }
            Err(rejected) => match claimed {
                Claimed::One(_) => {
                    let reject = reject_picture(table, &owner, &photo_id, &rejected, None)?;
                    matches!(reject.write(&table.client).await?, Outcome::Committed)
                }
                Claimed::OneOfSeveral(read, number) => {
                    several::settle(table, *read, number, &Settled::Rejected(rejected, None)).await?
                }
            },
        };
        // An interrupted attempt may have stored the picture of another file, which the key had then.
        if !is_settled || !is_first {
            return discard_unused(table, bucket, &owner, &photo_id, number, &key).await;
        }
        bucket.client.delete_object().bucket(&bucket.name).key(key).send().await?;
        Ok(())
    }
}

/// The picture that an upload has claimed.
enum Claimed {
    /// The one picture of a photo, which is the item as it was before.
    One(Item),
    /// A picture of several.
    OneOfSeveral(Box<Several>, PictureNumber),
}

impl Claimed {
    /// Claims the picture. Returns also whether the upload is the first that does, or `None` if the
    /// picture is not pending, or while another upload holds a claim.
    async fn by(
        table: &Table,
        owner: &Username,
        photo_id: &PhotoId,
        number: Option<PictureNumber>,
        sequencer: &str,
    ) -> Result<Option<(Self, bool)>, Error> {
        if let Some(number) = number {
            let claimed = several::claim(table, owner, photo_id, number, sequencer).await?;
            return Ok(claimed.map(|(read, is_first)| (Self::OneOfSeveral(Box::new(read), number), is_first)));
        }
        let claimed = unless_condition_failed(claim_picture(table, owner, photo_id, sequencer).send().await)?;
        let photo = claimed.map(|output| output.attributes.unwrap_or_default());
        Ok(photo.map(|photo| {
            let is_first = !photo.contains_key("claim");
            (Self::One(photo), is_first)
        }))
    }
}

/// Makes a photo ready, counts it, and puts its vector. `photo` is the photo as it was read, of which the
/// audience says where the vector belongs. Returns whether the photo was still pending.
async fn publish(
    table: &Table,
    feed: &Table,
    mut photo: Item,
    (owner, photo_id): (&Username, &PhotoId),
    sizes: &Sizes,
    vector: &[i8],
) -> Result<bool, Error> {
    for _ in 0..MAX_ATTEMPTS {
        let is_public = !photo.contains_key("audience");
        let publication = publish_picture(table, feed, owner, photo_id, sizes.clone(), vector, is_public)?;
        match publication.transaction.write(&table.client).await? {
            Outcome::Committed => return Ok(true),
            // finish-deletion deletes the photos and the files of a deleted owner.
            Outcome::ConditionFailed(failed) if failed.contains(publication.owner) => return Ok(false),
            Outcome::ConditionFailed(failed) => photo = failed.item(publication.photo).cloned().unwrap_or_default(),
        }
        let is_pending = photo_from_item(photo.clone())?.is_some_and(|photo| photo.picture == Some(Picture::Pending));
        if !is_pending || photo.contains_key("audience") != is_public {
            return Ok(false);
        }
    }
    Err(Error::Busy("the audience of the photo changed during each attempt".into()))
}

/// The outcome of a download.
enum Download {
    /// The uploaded file.
    File(Vec<u8>),
    /// The file is larger than a form allows. Only an administrator can have uploaded it.
    TooLarge,
    /// The file has been deleted.
    Gone,
}

async fn download(bucket: &Bucket, key: &str) -> Result<Download, Error> {
    let output = match bucket.client.get_object().bucket(&bucket.name).key(key).send().await {
        Ok(output) => output,
        Err(SdkError::ServiceError(error)) if matches!(error.err(), GetObjectError::NoSuchKey(_)) => {
            return Ok(Download::Gone);
        }
        Err(error) => return Err(error.into()),
    };
    if output.content_length().is_some_and(|bytes| bytes.unsigned_abs() > MAX_UPLOAD_BYTES) {
        return Ok(Download::TooLarge);
    }
    let file = output.body.collect().await.map_err(|error| Error::Busy(error.into()))?;
    Ok(Download::File(file.to_vec()))
}

/// Processes a file, and asks whether its picture may be shown. Returns the rejected picture
/// otherwise.
async fn accept(
    moderation: Option<&Moderation>,
    picture: (&Username, &PhotoId, Option<PictureNumber>),
    file: &[u8],
) -> Result<Result<pictures::Processed, Picture>, Error> {
    let processed = match pictures::process(file) {
        Ok(processed) => processed,
        Err(rejection) => return Ok(Err(Picture::Rejected { problem: problem(rejection), reason: None })),
    };
    let refusal = match moderation {
        Some(moderation) => {
            let Some(jpeg) = moderation::largest_that_fits(&processed) else {
                return Ok(Err(Picture::Rejected { problem: PictureProblem::TooManyPixels, reason: None }));
            };
            moderation.ask(picture, jpeg).await?
        }
        None => None,
    };
    let refused = |reason| Err(Picture::Rejected { problem: PictureProblem::PictureRefused, reason: Some(reason) });
    Ok(refusal.map_or(Ok(processed), refused))
}

/// Returns the kind of problem of a file that is rejected.
const fn problem(rejection: Rejection) -> PictureProblem {
    match rejection {
        Rejection::UnknownFormat | Rejection::Heic | Rejection::UnsupportedVariant => PictureProblem::NotAPicture,
        Rejection::Damaged => PictureProblem::PictureDamaged,
        Rejection::TooManyPixels { .. } | Rejection::SideTooLong { .. } => PictureProblem::TooManyPixels,
    }
}

/// Stores the sizes of a picture, and returns what the photo shows of them.
async fn store(
    bucket: &Bucket,
    owner: &Username,
    photo_id: &PhotoId,
    number: Option<PictureNumber>,
    id: PictureId,
    processed: pictures::Processed,
) -> Result<Sizes, Error> {
    let pictures::Processed { width, height, blurhash, vector: _, small, medium, large } = processed;
    let mut bytes = 0;
    for (size, jpeg) in [(Size::Small, Some(small)), (Size::Medium, medium), (Size::Large, large)] {
        let Some(jpeg) = jpeg else { continue };
        bytes += jpeg.len() as u64;
        bucket
            .client
            .put_object()
            .bucket(&bucket.name)
            .key(picture_key(owner, photo_id, number, &id, size))
            .content_type("image/jpeg")
            .cache_control(CACHE_CONTROL)
            .body(jpeg.into())
            .send()
            .await?;
    }
    Ok(Sizes { number, id, width, height, bytes, blurhash })
}
