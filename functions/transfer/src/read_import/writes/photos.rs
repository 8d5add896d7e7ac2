//! The writes of photos, with the conditions of upload-photo, and of their pictures.

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::{ConditionCheck, ReturnValuesOnConditionCheckFailure};
use serde::Deserialize;
use serde_json::value::RawValue;
use shared::dynamodb::entity;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::account::refusal;
use shared::entities::object::{exported_name, imported_key, incoming_key, location};
use shared::entities::{ImportWork, Key, Photo, Picture, Report, count_new_photo, get_photo};
use shared::runtime::upload::ObjectMessage;
use shared::values::{AltText, Audience, Caption, PhotoId, ReportId, ReportState, SensitiveReason, Timestamp};

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
}

/// The mark of a sensitive photo. A moderator's mark of another deployment is the owner's here.
#[derive(Deserialize)]
struct MarkEntry {
    reason: SensitiveReason,
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
        // Each photo has a name of its own for its picture, so no picture is that of two photos,
        // whatever attempt reads them.
        let name = exported_name(&entry.id, None);
        match &entry.picture {
            None => return Ok(without("it has no picture")),
            Some(other) if *other != name => return Ok(without(&format!("its picture has another name than {name}"))),
            Some(_) => {}
        }
        if let Some(reason) = self.refusal(PHOTO) {
            return Ok(without(&reason));
        }
        // The picture is counted before it is read, because others are read at the same time.
        self.count(0, 1);
        let refused = match self.archive.take(&name).await? {
            Taken::None => Some(without("there is no picture for it, or another entry is the same photo")),
            Taken::Damaged => Some(without("its picture is damaged")),
            Taken::Picture(picture) => self.put_photo(entry, picture).await?,
        };
        let Some(refused) = refused else { return Ok(Written::There) };
        let work = self.work.get();
        self.work.set(ImportWork { pictures: work.pictures - 1, ..work });
        Ok(refused)
    }

    /// Puts a photo whose picture is pending, and the picture as its uploaded file. Returns the
    /// outcome if the picture was not needed.
    async fn put_photo(&self, entry: PhotoEntry, picture: Vec<u8>) -> Result<Option<Written>, Unreadable> {
        let (owner, id) = (self.owner, entry.id.to_string());
        let refused = |reason: &str| Ok(Some(left_out(PHOTO, &id, reason)));
        let location = location(&self.stores.bucket.name, owner, &entry.id);
        let photo = Photo {
            caption: entry.caption.as_ref().map(ToString::to_string),
            alt_text: entry.alt_text.as_ref().map(ToString::to_string),
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
            let user = transaction.update(count);
            let report = transaction.condition_check(self.check_report(&photo.id, marked)?);
            let Outcome::ConditionFailed(failed) = transaction.write(&table.client).await? else { break };
            if failed.contains(report) {
                let report: Option<Report> = failed.item(report).cloned().map(entity::from_item).transpose()?;
                if report.as_ref().is_some_and(|report| report.report_state == ReportState::Removed) {
                    return refused("a moderator has removed it");
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
            // An earlier attempt may have put the photo and not its picture.
            match get_photo(table, owner, &photo.id).await? {
                Some(existing) if existing.imported && existing.picture == Some(Picture::Pending) => break,
                Some(_) => return Ok(Some(Written::There)),
                None => return refused("a photo with this id has been deleted within the last days"),
            }
        }
        // The pinned photo has to be ready soon, so it does not wait for the others.
        let is_pinned = self.profile.pinned_image.as_ref() == Some(&photo.id);
        let key = if is_pinned { incoming_key } else { imported_key }(owner, &photo.id, None);
        let bucket = &self.stores.bucket;
        let put = bucket.client.put_object().bucket(&bucket.name).key(&key).content_type("image/jpeg");
        put.body(picture.into()).send().await.map_err(shared::Error::from)?;
        if !is_pinned {
            self.stores.pictures.send_of(owner, &ObjectMessage { key }).await?;
        }
        Ok(None)
    }

    /// Returns a check that no moderator has removed a photo with this key, and that this is the mark of
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
                    "attribute_not_exists(#sensitive) AND (attribute_not_exists(reportState) OR reportState <> :removed)",
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
