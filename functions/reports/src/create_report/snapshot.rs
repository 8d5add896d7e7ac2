//! A snapshot of the thing that a complaint is about, with the complaints that there are already.

use std::collections::BTreeSet;

use shared::access::Relations;
use shared::dynamodb::{batch, entity};
use shared::entities::{Complaint, Key, Report, comment_from_item, photo_from_item};
use shared::values::{ReportId, ReportState};
use shared::{Error, Table};

/// The thing that a complaint is about, as it was read.
pub(crate) struct Snapshot {
    /// The complaint that the caller has made already.
    pub(crate) complaint: Option<Complaint>,
    /// The report, if anybody has complained.
    pub(crate) report: Option<Report>,
    /// Whether the caller sees the thing.
    pub(crate) is_visible: bool,
}

impl Snapshot {
    /// Reads the items by one consistent `BatchGetItem`.
    pub(crate) async fn read(table: &Table, complaint: &Complaint) -> Result<Self, Error> {
        let Complaint { reporter: caller, about, .. } = complaint;
        let reported = about.reported_user();
        let (complaint, report, user) = (Key::complaint(caller, about), Key::report(about), Key::user(reported));
        let mut keys = BTreeSet::from([complaint.clone(), report.clone(), user.clone(), Key::block(reported, caller)]);
        let (mut photo, mut comment) = (None, None);
        if let ReportId::Photo(owner, id) | ReportId::Comment(owner, id, _) = about {
            photo = Some(Key::photo(owner, id));
            if owner != caller {
                keys.insert(Key::friendship(owner, caller));
            }
            if owner != caller && owner != reported {
                keys.insert(Key::block(owner, caller));
            }
        }
        if let ReportId::Comment(owner, photo, id) = about {
            comment = Some(Key::comment(id, owner, photo));
            // Those whom the caller blocks show in no list of comments.
            keys.insert(Key::block(caller, reported));
            // So does the author of the comment that a reply answers.
            if let Some(answered) = id.reply_to.as_ref().filter(|answered| answered.author != *caller) {
                keys.extend([Key::block(caller, &answered.author), Key::block(&answered.author, caller)]);
            }
        }
        keys.extend(photo.iter().chain(&comment).cloned());
        let mut found = batch::get(table, keys, true).await?;

        let mut relations = Relations::new(caller);
        relations.add(&found)?;
        let exists = batch::take(&mut found, user).is_some_and(|user| user.contains_key("username"));
        let photo = photo.and_then(|key| batch::take(&mut found, key)).map(photo_from_item).transpose()?.flatten();
        let sees_photo = photo.is_some_and(|photo| relations.may_see(&photo));
        let comment = comment.and_then(|key| batch::take(&mut found, key));
        let comment = comment.map(comment_from_item).transpose()?.flatten();
        let is_visible = match about {
            ReportId::User(reported) => !relations.is_blocked_by(reported),
            ReportId::Photo(..) => sees_photo,
            ReportId::Comment(..) => sees_photo && comment.is_some_and(|comment| relations.may_see_comment(&comment)),
        };
        let complaint = batch::take(&mut found, complaint).map(entity::from_item).transpose()?;
        let report: Option<Report> = batch::take(&mut found, report).map(entity::from_item).transpose()?;
        // A `BatchGetItem` may see half of a decision, and the photo as it was before.
        let is_removed = report.as_ref().is_some_and(|report| report.report_state == ReportState::Removed);
        Ok(Self { complaint, report, is_visible: exists && is_visible && !is_removed })
    }
}
