//! The writes of photos, with the conditions of upload-photo, and of their pictures.

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::{ConditionCheck, ReturnValuesOnConditionCheckFailure};
use serde::Deserialize;
use serde_json::value::RawValue;
use shared::dynamodb::entity;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::account::refusal;
use shared::entities::object::{exported_name, imported_key, incoming_key, location};
use shared::entities::{
    ImportWork, Key, MAX_PICTURES, Photo, Picture, PictureEntry, Pictures, Report, count_new_photo, get_photo,
};
use shared::runtime::upload::ObjectMessage;
use shared::values::{
    AltText, Audience, Caption, MAX_UPLOAD_BYTES, PhotoId, PictureNumber, ReportId, ReportState, SensitiveReason,
    Timestamp,
};

use super::{PHOTO, Target, Written, left_out, parse_entry};
use crate::read_import::archive::{Taken, Unreadable};

/// The retry budget: the maximum number of attempts to put a photo. A photo that a moderator has marked
/// takes two, and more only if its report changes between them.
const MAX_ATTEMPTS: usize = 4;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PhotoEntry {
    id: PhotoId,
    caption: Option<Caption>,
    alt_text: Option<AltText>,
    #[serde(default)]
    audience: Audience,
    sensitive: Option<MarkEntry>,
    picture: Option<String>,
    /// The pictures of a photo that was made with several.
    pictures: Option<Vec<OneOfSeveral>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OneOfSeveral {
    number: PictureNumber,
    alt_text: Option<AltText>,
    picture: Option<String>,
}

/// The mark of a sensitive photo. A moderator's mark of another deployment is the owner's here.
#[derive(Deserialize)]
struct MarkEntry {
    reason: SensitiveReason,
}

impl PhotoEntry {
    /// Returns the names of the pictures' files, or why the photo is left out.
    ///
    /// Each photo has names of its own for its pictures, so no picture is that of two photos, whatever attempt
    /// reads them.
    fn names(&self) -> Result<Vec<String>, String> {
        let one = self.picture.as_deref().filter(|_| self.pictures.is_none()).map(|name| (None, name));
        let several = self.pictures.iter().flatten();
        let several = several.filter_map(|picture| Some((Some(picture.number), picture.picture.as_deref()?)));
        let files: Vec<(Option<PictureNumber>, &str)> = one.into_iter().chain(several).collect();
        if files.is_empty() {
            return Err("it has no picture".to_owned());
        }
        if files.len() > MAX_PICTURES {
            return Err(format!("it has more than {MAX_PICTURES} pictures"));
        }
        let names = files.into_iter().map(|(number, name)| (exported_name(&self.id, number), name));
        let check = |(expected, name): (String, &str)| {
            if name == expected { Ok(expected) } else { Err(format!("its picture has another name than {expected}")) }
        };
        names.map(check).collect()
    }

    /// Returns the new pictures of a photo that was made with several, without those that have no file.
    fn several(&self) -> Option<Pictures> {
        let pictures = self.pictures.as_ref()?.iter().filter(|picture| picture.picture.is_some());
        let alt_texts = pictures.map(|picture| picture.alt_text.as_ref().map(ToString::to_string));
        Some(Pictures::pending(self.id.clone(), alt_texts))
    }
}

impl Target<'_> {
    /// Puts a photo with its picture, if no maximum is reached.
    pub(crate) async fn photo(&self, entry: &RawValue) -> Result<Written, Unreadable> {
        let entry: PhotoEntry = match parse_entry(entry, PHOTO) {
            Ok(entry) => entry,
            Err(left_out) => return Ok(left_out),
        };
        let id = entry.id.to_string();
        let without = |reason: &str| left_out(PHOTO, &id, reason);
        if entry.id.time() > Timestamp::now() {
            return Ok(without("it is of the future"));
        }
        let names = match entry.names() {
            Ok(names) => names,
            Err(reason) => return Ok(without(&reason)),
        };
        if let Some(reason) = self.refusal(PHOTO) {
            return Ok(without(&reason));
        }
        // The pictures are counted before they are read, because others are read at the same time.
        let number = u64::try_from(names.len()).unwrap_or(u64::MAX);
        self.count(0, number);
        let refused = match self.take(&names).await? {
            Err(reason) => Some(without(&reason)),
            Ok(files) => self.put_photo(entry, files).await?,
        };
        let Some(refused) = refused else { return Ok(Written::There) };
        let work = self.work.get();
        self.work.set(ImportWork { pictures: work.pictures - number, ..work });
        Ok(refused)
    }

    /// Takes the pictures of a photo from the archive. Returns why the photo is left out if one of them cannot be
    /// had. Together they have at most the bytes of one upload, so that a photo of several takes no more memory.
    async fn take(&self, names: &[String]) -> Result<Result<Vec<Vec<u8>>, String>, Unreadable> {
        if self.archive.bytes(names) > MAX_UPLOAD_BYTES {
            return Ok(Err(format!("its pictures have more than {MAX_UPLOAD_BYTES} bytes together")));
        }
        let mut files = vec![];
        for name in names {
            match self.archive.take(name).await? {
                Taken::None => {
                    return Ok(Err("there is no picture for it, or another entry is the same photo".to_owned()));
                }
                Taken::Damaged => return Ok(Err("its picture is damaged".to_owned())),
                Taken::Picture(picture) => files.push(picture),
            }
        }
        Ok(Ok(files))
    }

    /// Puts a photo whose pictures are pending, and the pictures as its uploaded files. Returns the
    /// outcome if the pictures were not needed.
    async fn put_photo(&self, entry: PhotoEntry, files: Vec<Vec<u8>>) -> Result<Option<Written>, Unreadable> {
        let (owner, id) = (self.owner, entry.id.to_string());
        let refused = |reason: &str| Ok(Some(left_out(PHOTO, &id, reason)));
        let pictures = entry.several();
        let location = location(&self.stores.bucket.name, owner, &entry.id);
        let photo = Photo {
            caption: entry.caption.as_ref().map(ToString::to_string),
            alt_text: match &pictures {
                None => entry.alt_text.as_ref().map(ToString::to_string),
                Some(pictures) => pictures.first().and_then(|first| first.alt_text.clone()),
            },
            pictures: pictures.as_ref().map(Pictures::count),
            audience: entry.audience,
            sensitive: entry.sensitive.map(|mark| mark.reason),
            ..Photo::pending(owner.clone(), entry.id, location).imported()
        };
        let table = &self.stores.table;
        // The mark of a moderator, of which a failed condition tells.
        let mut marked = None;
        for attempt in 1..=MAX_ATTEMPTS {
            self.count(1, 0);
            let count = count_new_photo(&table.name, owner, self.subject, "").build()?;
            let mut transaction = Transaction::new();
            let put = transaction.put(photo.clone().marked_by_moderator(marked).put_new(&table.name)?);
            if let Some(pictures) = &pictures {
                transaction.put(pictures.put_new(&table.name, owner)?);
            }
            let user = transaction.update(count);
            let report = transaction.condition_check(self.check_report(&photo.id, marked)?);
            let Outcome::ConditionFailed(failed) = transaction.write(&table.client).await? else { break };
            if failed.contains(report) {
                let report: Option<Report> = failed.item(report).cloned().map(entity::from_item).transpose()?;
                if report.as_ref().is_some_and(|report| report.report_state == ReportState::Removed) {
                    return refused("a moderator has removed it");
                }
                if report.as_ref().is_some_and(|report| !report.pictures.is_empty()) {
                    return refused("a moderator has removed pictures of it");
                }
                if attempt == MAX_ATTEMPTS {
                    return refused("moderators decided about it at the same time");
                }
                marked = report.and_then(|report| report.sensitive);
                continue;
            }
            if !failed.contains(put) {
                if refusal(failed.item(user), owner, self.subject).is_some() {
                    return Err(Unreadable::Gone);
                }
                return Ok(Some(self.leave_out_full(PHOTO, &id)));
            }
            // An earlier attempt may have put the photo and not its pictures.
            let is_of_attempt = |existing: &Photo| {
                existing.imported
                    && existing.picture == Some(Picture::Pending)
                    && existing.pictures.is_some() == pictures.is_some()
            };
            match get_photo(table, owner, &photo.id).await?.filter(|existing| !existing.has_expired()) {
                Some(existing) if is_of_attempt(&existing) => break,
                Some(_) => return Ok(Some(Written::There)),
                None => return refused("a photo with this id has been deleted within the last days"),
            }
        }
        let numbers: Vec<Option<PictureNumber>> = match &pictures {
            None => vec![None],
            Some(pictures) => pictures.entries.iter().map(|PictureEntry { number, .. }| Some(*number)).collect(),
        };
        for (number, file) in numbers.into_iter().zip(files) {
            self.put_picture(&photo.id, number, file).await?;
        }
        Ok(None)
    }

    /// Puts a picture as the uploaded file of a photo, or of one of its several pictures.
    async fn put_picture(
        &self,
        photo: &PhotoId,
        number: Option<PictureNumber>,
        file: Vec<u8>,
    ) -> Result<(), Unreadable> {
        // The pinned photo has to be ready soon, so it does not wait for the others.
        let is_pinned = self.profile.pinned_image.as_ref() == Some(photo);
        let key = if is_pinned { incoming_key } else { imported_key }(self.owner, photo, number);
        let bucket = &self.stores.bucket;
        let put = bucket.client.put_object().bucket(&bucket.name).key(&key).content_type("image/jpeg");
        put.body(file.into()).send().await.map_err(shared::Error::from)?;
        if !is_pinned {
            self.stores.pictures.send_of(self.owner, &ObjectMessage { key }).await?;
        }
        Ok(())
    }

    /// Returns a check that no moderator has removed a photo with this key or pictures of it, and that this is the mark of
    /// a moderator.
    fn check_report(&self, photo: &PhotoId, marked: Option<SensitiveReason>) -> Result<ConditionCheck, Unreadable> {
        let id = ReportId::Photo(self.owner.clone(), photo.clone());
        let check = ConditionCheck::builder()
            .table_name(&self.stores.table.name)
            .set_key(Some(Key::report(&id).into()))
            .expression_attribute_names("#sensitive", "sensitive")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        let check = match marked {
            None => check
                .condition_expression(
                    "attribute_not_exists(#sensitive) AND attribute_not_exists(pictures) AND \
                     (attribute_not_exists(reportState) OR reportState <> :removed)",
                )
                .expression_attribute_values(":removed", S(ReportState::Removed.to_string())),
            // A report that says removed has no mark.
            Some(reason) => check
                .condition_expression("#sensitive = :reason")
                .expression_attribute_values(":reason", S(reason.to_string())),
        };
        Ok(check.build()?)
    }
}
