//! The content of a report, which two functions show to moderators, and the refusal of a report about the caller.

use serde::Serialize;
use shared::dynamodb::Item;
use shared::entities::{Report, comment_from_item, photo_from_item};
use shared::http::request::Caller;
use shared::show::{ShownComment, ShownPhoto, ShownReport, Signer};
use shared::values::ReportId;
use shared::{Error, ErrorKind};

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
    /// reported photo whatever its audience is.
    pub(crate) fn new(report: Report, content: Option<Item>, signer: &Signer) -> Result<Self, Error> {
        let (mut photo, mut comment) = (None, None);
        match (&report.id, content) {
            (ReportId::Photo(..), Some(item)) => photo = photo_from_item(item)?,
            (ReportId::Comment(..), Some(item)) => comment = comment_from_item(item)?.map(ShownComment::from),
            _ => {}
        }
        let reported_photo = photo.map(|photo| signer.show_to_owner(photo));
        Ok(Self { report: report.into(), reported_photo, reported_comment: comment })
    }
}

/// Refuses a report about the caller, whether it exists or not.
pub(crate) fn must_not_be_about(caller: &Caller, id: &ReportId) -> Result<(), Error> {
    if *id.reported_user() != caller.username {
        return Ok(());
    }
    let detail = "Another moderator has to read and decide a report about you.";
    Err(Error::refused(ErrorKind::ReportAboutYou, detail))
}
