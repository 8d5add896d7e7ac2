//! The content of a report, which two functions show to moderators, and the refusal of a report about the caller.

use std::collections::BTreeSet;

use serde::Serialize;
use shared::dynamodb::{Item, batch, entity};
use shared::entities::{Key, Kind, Pictures, Report, comment_from_item, photo_from_item};
use shared::http::request::Caller;
use shared::show::{ShownComment, ShownPhoto, ShownReport, Signer};
use shared::values::ReportId;
use shared::{Error, ErrorKind, Table};

/// A report with the photo or the comment that it is about.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReportWithContent {
    #[serde(flatten)]
    report: ShownReport,
    /// The photo that the report is about, unless it has been deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    reported_photo: Option<ShownPhoto>,
    /// The comment that the report is about, unless it has been deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    reported_comment: Option<ShownComment>,
}

impl ReportWithContent {
    /// Returns a report with the item of the photo or the comment, if there is one. A moderator sees a
    /// reported photo whatever its audience is, with all of several pictures, which are among those that were
    /// [read](read_pictures).
    pub(crate) fn new(
        report: Report,
        content: Option<Item>,
        pictures: &mut Vec<Item>,
        signer: &Signer,
    ) -> Result<Self, Error> {
        let (mut photo, mut comment) = (None, None);
        match (&report.id, content) {
            (ReportId::Photo(..), Some(item)) => photo = photo_from_item(item)?.filter(|photo| !photo.has_expired()),
            (ReportId::Comment(..), Some(item)) => comment = comment_from_item(item)?.map(ShownComment::from),
            _ => {}
        }
        let key = photo.as_ref().map(|photo| (photo.username.clone(), Key::pictures(&photo.username, &photo.id)));
        let mut reported_photo = photo.map(|photo| signer.show_to_owner(photo));
        if let Some(shown) = &mut reported_photo
            && let Some((owner, key)) = key
            && let Some(item) = batch::take(pictures, key)
        {
            let pictures: Pictures = entity::from_item(item)?;
            shown.pictures = signer.show_pictures_to_owner(&owner, &pictures);
        }
        Ok(Self { report: report.into(), reported_photo, reported_comment: comment })
    }
}

/// Reads the pictures of those photos that were made with several, by a `BatchGetItem` if there are any.
pub(crate) async fn read_pictures(table: &Table, content: &[Item]) -> Result<Vec<Item>, Error> {
    let several = content.iter().filter(|item| item.contains_key("pictures") && Kind::Photo.is_of(item));
    let mut keys = BTreeSet::new();
    for item in several {
        if let Some(photo) = photo_from_item(item.clone())? {
            keys.insert(Key::pictures(&photo.username, &photo.id));
        }
    }
    batch::get(table, keys, false).await
}

/// Refuses a report about the caller, whether it exists or not.
pub(crate) fn must_not_be_about(caller: &Caller, id: &ReportId) -> Result<(), Error> {
    if *id.reported_user() != caller.username {
        return Ok(());
    }
    let detail = "Another moderator has to read and decide a report about you.";
    Err(Error::refused(ErrorKind::ReportAboutYou, detail))
}
