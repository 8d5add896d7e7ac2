//! A consistent `BatchGetItem` reads the report, the reported user, and the photo or the comment, and
//! from `<stage>.Feed` the vector of the photo. Then one `TransactWriteItems` puts the [`Decision`],
//! and writes the decision into the report and into the photo or the comment, on the conditions that
//! all of them are still as they were read. A photo is removed by the status of its picture, so that
//! no answer but the owner's shows it, and nobody can respond to it. The same transaction unpins it,
//! and takes its vector out of the index. A decision may also mark a photo as sensitive. The same
//! transaction unpins it, because the picture of a profile shows in all answers. A report that is
//! dismissed or open after a removal or a mark has the photo or the comment as its owner made it. What has been deleted meanwhile stays deleted, and there is no report
//! about a deleted user.
//!
//! A moderator can also remove some pictures of a photo of several. A consistent `GetItem` reads the
//! [`Pictures`](shared::entities::Pictures), and a `BatchGetItem` their vectors. The transaction puts the next version, and the photo's copy of the
//! first one that is shown. A pinned photo stays pinned with it.
//!
//! **A removal also holds for a photo that an import brings back under its name.** If the photo is
//! pending, the removal rejects it, so that process-photo cannot make it ready. If there is none,
//! the transaction checks that there still is none, and read-import puts none whose report says
//! removed. So does a mark, with which read-import puts the photo.
//!
//! If one of the conditions fails, the function reads again. If the report already says what the
//! caller decides, a consistent `GetItem` reads who decided so. A decision that the caller repeats
//! is not put again, and changes only a photo or a comment that is not as the report says. The report
//! does not have the moderator, because it is kept for longer than decisions.

use std::collections::{BTreeSet, HashMap};

use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};
use aws_sdk_dynamodb::types::builders::{ConditionCheckBuilder, UpdateBuilder};
use aws_sdk_dynamodb::types::{ConditionCheck, Put, Update};
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::dynamodb::{Item, batch, entity, expiry};
use shared::entities::{
    Comment, Decision, Key, MarkAttributes, Photo, Picture, PinnedPicture, Report, comment_from_item, count_rejected,
    photo_from_item, photo_sk, place_vector,
};
use shared::http::answer;
use shared::http::extract::{Body, FromFields, Moderator, Path};
use shared::http::fields::Fields;
use shared::http::problems::PictureProblem;
use shared::http::request::Caller;
use shared::show::ShownReport;
use shared::values::{
    DecisionKind, DecisionNote, EpochMillis, PictureNumbers, ReportId, ReportReason, ReportState, SensitiveReason,
    Timestamp, Value as _,
};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

use self::several::Several;
use crate::content::must_not_be_about;

mod several;
#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts. More than one are needed only if somebody else
/// complains again, decides, or pins or deletes the photo, between the read and the write.
const MAX_ATTEMPTS: usize = 5;

/// The decision of a moderator.
pub struct NewDecision {
    decision: DecisionKind,
    reason: Option<ReportReason>,
    /// The pictures that are removed. Without them, the whole photo or comment is.
    pictures: Option<PictureNumbers>,
    sensitive: Option<SensitiveReason>,
    note: Option<DecisionNote>,
}

impl FromFields for NewDecision {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        let decision = fields.required::<DecisionKind>("decision");
        let reason = fields.optional::<ReportReason>("reason");
        let pictures = fields.optional::<PictureNumbers>("pictures");
        let sensitive = fields.optional::<SensitiveReason>("sensitive");
        let note = fields.optional::<DecisionNote>("note");
        fields.finish()?;
        let (decision, reason, pictures, sensitive, note) = (decision?, reason?, pictures?, sensitive?, note?);
        if decision != DecisionKind::Remove && reason.is_some() {
            return Err(Error::invalid("reason", "must be left out unless the decision is remove"));
        }
        if decision != DecisionKind::Remove && pictures.is_some() {
            return Err(Error::invalid("pictures", "must be left out unless the decision is remove"));
        }
        match (decision, sensitive) {
            (DecisionKind::Mark, None) => {
                let rule = format!("must be {} if the decision is mark", SensitiveReason::RULE);
                Err(Error::invalid("sensitive", rule))
            }
            (DecisionKind::Remove | DecisionKind::Dismiss | DecisionKind::Reopen, Some(_)) => {
                Err(Error::invalid("sensitive", "must be left out unless the decision is mark"))
            }
            _ => Ok(Self { decision, reason, pictures, sensitive, note }),
        }
    }
}

/// The route.
pub struct DecideReport {
    table: Table,
    feed: Table,
}

impl Route for DecideReport {
    const NAME: &'static str = "decide-report";
    const ROUTE: &'static str = "PUT /reports/{id}";
    const SUMMARY: &'static str = "A moderator decides about a report: removes the photo, some of its pictures or the comment, marks the \
         photo as sensitive, dismisses the report, or takes the last decision back. Only members of the group `moderators` may do this.";
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoReport, ErrorKind::ReportAboutYou];

    type Input = (Path<ReportId>, Moderator, Body<NewDecision>);
    type Body = ShownReport;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, feed: process.table("FEED_TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Path(id), Moderator(caller), Body(new)): Self::Input,
    ) -> Result<Response<ShownReport>, Error> {
        let Self { table, feed } = self;
        must_not_be_about(&caller, &id)?;
        check_possible(&id, &new)?;

        for _ in 0..MAX_ATTEMPTS {
            let snapshot = Snapshot::read(table, feed, &id).await?;
            let report = snapshot.report.clone().ok_or_else(|| Error::no_report(&id))?;
            let time = Decision::next_time(&report);
            let mut decided = decide(&report, &new, &time);
            let mut transaction = Transaction::new();
            if is_repeated(table, &report, &decided, &caller).await? {
                if snapshot.agrees(&decided) {
                    return answer::ok(&report.into());
                }
                decided = report.clone();
                transaction.condition_check(check_unchanged(table, &report)?);
            } else {
                snapshot.check_pictures(&report, &decided)?;
                transaction.update(write_decision(table, &report, &decided, &time)?);
                transaction.put(put_decision(table, &decided, &new, &caller, time)?);
            }
            snapshot.apply(table, feed, &decided, &mut transaction)?;
            if let Outcome::Committed = transaction.write(&table.client).await? {
                return answer::ok(&decided.into());
            }
        }
        Err(Error::Busy("the report, or what it is about, changed during each attempt".into()))
    }
}

/// Fails if a decision cannot be made about what a report is about.
fn check_possible(id: &ReportId, new: &NewDecision) -> Result<(), Error> {
    if new.pictures.is_some() && !matches!(id, ReportId::Photo(..)) {
        return Err(Error::invalid("pictures", "must be left out unless the report is about a photo"));
    }
    let rule = match (id, new.decision) {
        (ReportId::User(_), DecisionKind::Remove | DecisionKind::Mark) => {
            "must be dismiss or reopen for a report about a user, because only an administrator can disable an account"
        }
        (ReportId::Comment(..), DecisionKind::Mark) => {
            "must be remove, dismiss or reopen for a report about a comment, because only a photo can be sensitive"
        }
        _ => return Ok(()),
    };
    Err(Error::invalid("decision", rule))
}

/// Returns a report with a decision. Without another reason, the removal is for the one that
/// most complaints give. A report that is open again waits since the time at which it was opened before.
fn decide(report: &Report, new: &NewDecision, time: &Timestamp) -> Report {
    let (report_state, removed_for) = match new.decision {
        DecisionKind::Remove => {
            let reason = new.reason.or(report.removed_for).unwrap_or_else(|| report.main_reason());
            let state = if new.pictures.is_some() { ReportState::PartlyRemoved } else { ReportState::Removed };
            (state, Some(reason))
        }
        DecisionKind::Mark => (ReportState::Marked, None),
        DecisionKind::Dismiss => (ReportState::Dismissed, None),
        DecisionKind::Reopen => (ReportState::Open, None),
    };
    let pictures = new.pictures.clone().map(PictureNumbers::into_vec).unwrap_or_default();
    let decided = Some(time.clone());
    Report { report_state, removed_for, pictures, sensitive: new.sensitive, decided, ..report.clone() }
}

/// Returns whether a report already says what was decided, and its last decision is the caller's. To
/// open a report that is open changes nothing, whoever has opened it.
async fn is_repeated(table: &Table, report: &Report, decided: &Report, caller: &Caller) -> Result<bool, Error> {
    let content = |report: &Report| (report.report_state, report.removed_for, report.sensitive);
    if content(report) != content(decided) || report.pictures != decided.pictures {
        return Ok(false);
    }
    if report.report_state == ReportState::Open {
        return Ok(true);
    }
    let Some(time) = &report.decided else { return Ok(false) };
    let output = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(Key::decision(&report.id, time).into()))
        .consistent_read(true)
        .send()
        .await?;
    let last: Option<Decision> = output.item.map(entity::from_item).transpose()?;
    Ok(last.is_some_and(|last| last.moderator_account == caller.subject))
}

/// Returns the put of a decision.
fn put_decision(
    table: &Table,
    decided: &Report,
    new: &NewDecision,
    caller: &Caller,
    timestamp: Timestamp,
) -> Result<Put, Error> {
    let decision = Decision {
        about: decided.id.clone(),
        decision: new.decision,
        reason: decided.removed_for,
        pictures: decided.pictures.clone(),
        sensitive: decided.sensitive,
        note: new.note.clone(),
        moderator: caller.username.clone(),
        moderator_account: caller.subject.clone(),
        ttl: Decision::expiry(&timestamp),
        timestamp,
    };
    let put = Put::builder()
        .table_name(&table.name)
        .set_item(Some(entity::to_item(Key::decision(&decision.about, &decision.timestamp), &decision)?))
        .condition_expression("attribute_not_exists(PK)")
        .build()?;
    Ok(put)
}

/// The condition that a report is still the one of before: the answer shows its complaints, the
/// reason of a removal depends on them, and the time of the next decision on that of the last one.
struct Unchanged {
    condition: String,
    values: HashMap<String, AttributeValue>,
}

impl Unchanged {
    fn new(before: &Report) -> Self {
        let mut values = HashMap::from([
            (":before".to_owned(), S(before.report_state.to_string())),
            (":complaints".to_owned(), N(before.complaints.to_string())),
            (":visitors".to_owned(), N(before.visitors.to_string())),
        ]);
        let decided = match &before.decided {
            None => "attribute_not_exists(decided)",
            Some(time) => {
                values.insert(":decided".to_owned(), S(time.to_string()));
                "decided = :decided"
            }
        };
        // The number of visitors is missing while it is 0, and never decreases.
        let counts = "complaints = :complaints AND NOT visitors > :visitors";
        Self { condition: format!("reportState = :before AND {counts} AND {decided}"), values }
    }
}

/// Returns the check that a report is still the one of before.
fn check_unchanged(table: &Table, before: &Report) -> Result<ConditionCheck, Error> {
    let Unchanged { condition, values } = Unchanged::new(before);
    let check = check(table, Key::report(&before.id)).condition_expression(condition);
    Ok(check.set_expression_attribute_values(Some(values)).build()?)
}

/// Returns the update of a report, on the condition that it is still the one of before.
fn write_decision(table: &Table, before: &Report, decided: &Report, time: &Timestamp) -> Result<Update, Error> {
    let Unchanged { condition, values } = Unchanged::new(before);
    let update = update(table, Key::report(&before.id))
        .condition_expression(condition)
        .expression_attribute_names("#sensitive", "sensitive")
        .set_expression_attribute_values(Some(values))
        .expression_attribute_values(":state", S(decided.report_state.to_string()))
        .expression_attribute_values(":time", S(time.to_string()));
    let mut set = "SET reportState = :state, decided = :time".to_owned();
    let mut remove = "";
    let mut update = update;
    if decided.pictures.is_empty() {
        remove = ", pictures";
    } else {
        set.push_str(", pictures = :pictures");
        update = update.expression_attribute_values(":pictures", serde_dynamo::to_attribute_value(&decided.pictures)?);
    }
    let update = match (decided.removed_for, decided.sensitive) {
        (Some(reason), _) => update
            .update_expression(format!("{set}, removedFor = :reason REMOVE #sensitive{remove}"))
            .expression_attribute_values(":reason", S(reason.to_string())),
        (None, Some(reason)) => update
            .update_expression(format!("{set}, #sensitive = :reason REMOVE removedFor{remove}"))
            .expression_attribute_values(":reason", S(reason.to_string())),
        (None, None) => update.update_expression(format!("{set} REMOVE removedFor, #sensitive{remove}")),
    };
    Ok(update.build()?)
}

/// A report, and the photo or the comment that it is about, as they were read.
struct Snapshot {
    /// The report, unless the reported user has been deleted, whose reports disappear a moment
    /// later.
    report: Option<Report>,
    photo: Option<Photo>,
    /// The vector of the photo.
    vector: Option<Item>,
    /// The pictures of a photo of several.
    several: Option<Several>,
    comment: Option<Comment>,
    /// The sort key of the photo that is the picture of the profile of the reported user.
    pinned: Option<AttributeValue>,
}

impl Snapshot {
    /// Reads the items by one consistent `BatchGetItem`, and those of several pictures after it.
    async fn read(table: &Table, feed: &Table, id: &ReportId) -> Result<Self, Error> {
        let (report, user, content) = (Key::report(id), Key::user(id.reported_user()), Key::reported(id));
        let keys = [&report, &user].into_iter().chain(&content).cloned().collect();
        let vector = match id {
            ReportId::Photo(owner, id) => [Key::vector(owner, id, None)].into(),
            ReportId::User(_) | ReportId::Comment(..) => BTreeSet::new(),
        };
        let [mut found, mut vector] = batch::get_from_tables([(table, keys), (feed, vector)], true).await?;
        let user = batch::take(&mut found, user).filter(|user| user.contains_key("username"));
        let report = batch::take(&mut found, report).filter(|_| user.is_some()).map(entity::from_item).transpose()?;
        let content = content.and_then(|key| batch::take(&mut found, key));
        let pinned = user.and_then(|mut user| user.remove("pinnedImage"));
        let mut snapshot = Self { report, photo: None, vector: vector.pop(), several: None, comment: None, pinned };
        match id {
            ReportId::User(_) => {}
            ReportId::Photo(..) => {
                let photo = content.map(photo_from_item).transpose()?.flatten();
                snapshot.photo = photo.filter(|photo| !photo.has_expired());
                if let Some(photo) = snapshot.photo.as_ref().filter(|photo| photo.pictures.is_some()) {
                    snapshot.several = Several::read(table, feed, photo).await?;
                }
            }
            ReportId::Comment(..) => snapshot.comment = content.map(comment_from_item).transpose()?.flatten(),
        }
        Ok(snapshot)
    }

    /// Returns whether the photo or the comment is as a decision says.
    fn agrees(&self, decided: &Report) -> bool {
        let photo = self.photo.as_ref();
        let is_pinned = unpins(decided) && photo.is_some_and(|photo| self.is_pinned(photo));
        let is_as_decided = |photo: &Photo| {
            let mark = MarkAttributes::of(photo);
            photo.picture == self.picture_after(photo, decided) && mark == mark.decided(decided.sensitive)
        };
        !is_pinned
            && self.several.as_ref().is_none_or(|several| several.agrees(decided))
            && photo.is_none_or(is_as_decided)
            && self.comment.as_ref().is_none_or(|comment| comment.removed == decided.removed_for)
    }

    /// Fails if a decision removes pictures that are not there, or leaves none.
    fn check_pictures(&self, report: &Report, decided: &Report) -> Result<(), Error> {
        let is_settled = |photo: &&Photo| matches!(photo.picture, Some(Picture::Ready(_) | Picture::Removed { .. }));
        match (&self.several, self.photo.as_ref().filter(is_settled)) {
            _ if decided.pictures.is_empty() => Ok(()),
            (Some(several), Some(_)) => several.check(report, decided),
            _ => {
                Err(Error::invalid("pictures", "must be left out, because there is no ready photo of several pictures"))
            }
        }
    }

    /// Returns the picture that a photo has after a decision.
    fn picture_after(&self, photo: &Photo, decided: &Report) -> Option<Picture> {
        let picture = picture_after(photo, decided.removal());
        match (&self.several, picture) {
            (Some(several), Some(picture)) if picture != Picture::Pending => {
                Some(several.after(decided).copy(&picture))
            }
            (_, picture) => picture,
        }
    }

    fn is_pinned(&self, photo: &Photo) -> bool {
        self.pinned.as_ref().and_then(|sk| sk.as_s().ok()) == Some(&photo_sk(&photo.username, &photo.id))
    }

    /// Adds the writes that make a decision hold for the photo or the comment, or the check that
    /// there still is none, and the check that the reported user is not deleted.
    ///
    /// The photo or the comment is written even if it stays as it is. A `BatchGetItem` may see half
    /// of another decision, and the conditions then fail.
    fn apply(self, table: &Table, feed: &Table, decided: &Report, transaction: &mut Transaction) -> Result<(), Error> {
        let user = decided.id.reported_user();
        if let Some(photo) = &self.photo {
            let picture = self.picture_after(photo, decided);
            transaction.update(change_photo(table, photo, picture.as_ref(), self.several.as_ref(), decided)?);
            let is_shown = matches!(picture, Some(Picture::Ready(_))) && photo.audience.is_everyone();
            if let Some(several) = &self.several {
                several.write(table, feed, photo, decided, is_shown, transaction)?;
            } else if picture.as_ref().and_then(Picture::sizes).is_some() {
                // A photo without files in the bucket has no vector.
                let Photo { username, id, .. } = photo;
                transaction.add(place_vector(feed, username, id, None, self.vector.as_ref(), is_shown)?);
            }
            if decided.removal().is_some() && photo.picture == Some(Picture::Pending) {
                transaction.update(count_rejected(&table.name, user)?);
                return Ok(());
            }
            if unpins(decided) {
                return unpin(table, photo, self.is_pinned(photo), transaction);
            }
            if let (Some(Picture::Ready(before)), Some(Picture::Ready(after))) = (&photo.picture, picture)
                && *before != after
            {
                return pin_other(table, photo, self.is_pinned(photo), &after.into(), transaction);
            }
        } else if let (ReportId::Comment(owner, photo, id), Some(comment)) = (&decided.id, self.comment) {
            let update = update(table, Key::comment(id, owner, photo));
            let update = match comment.removed {
                None => update.condition_expression("attribute_exists(author) AND attribute_not_exists(removed)"),
                Some(before) => update
                    .condition_expression("removed = :before")
                    .expression_attribute_values(":before", S(before.to_string())),
            };
            let update = match decided.removed_for {
                Some(reason) => update
                    .update_expression("SET removed = :reason")
                    .expression_attribute_values(":reason", S(reason.to_string())),
                None => update.update_expression("REMOVE removed"),
            };
            transaction.update(update.build()?);
        } else if let Some(key) = Key::reported(&decided.id) {
            // A photo has a `username`, a comment an `author`, and a tombstone neither. A pending photo may
            // have expired.
            let absent = check(table, key)
                .condition_expression(
                    "(attribute_not_exists(username) OR #ttl <= :now) AND attribute_not_exists(author)",
                )
                .expression_attribute_names("#ttl", expiry::TTL)
                .expression_attribute_values(":now", N(EpochMillis::now().seconds().to_string()));
            transaction.condition_check(absent.build()?);
        }
        transaction
            .condition_check(check(table, Key::user(user)).condition_expression("attribute_exists(username)").build()?);
        Ok(())
    }
}

/// Returns the picture that a photo has after a decision. A pending one is rejected, and stays so
/// if the report is dismissed later, because process-photo deletes its file.
fn picture_after(photo: &Photo, removed_for: Option<ReportReason>) -> Option<Picture> {
    match (&photo.picture, removed_for) {
        (None | Some(Picture::Ready(_) | Picture::Removed { .. }), Some(reason)) => {
            let sizes = photo.picture.as_ref().and_then(Picture::sizes).cloned();
            Some(Picture::Removed { reason, sizes })
        }
        (Some(Picture::Pending), Some(reason)) => {
            Some(Picture::Rejected { problem: PictureProblem::RemovedByModerator, reason: Some(reason) })
        }
        (Some(Picture::Removed { sizes, .. }), None) => sizes.clone().map(Picture::Ready),
        (picture, _) => picture.clone(),
    }
}

/// Returns whether a photo is not pinned after a decision.
const fn unpins(decided: &Report) -> bool {
    let is_removed = decided.removed_for.is_some() && decided.pictures.is_empty();
    is_removed || decided.sensitive.is_some()
}

/// Returns the update of the picture and of the mark of a photo, on the condition that both are still
/// those of before, and that the audience is, which says whether the vector belongs into the index. Only
/// a pending photo has a `ttl` and a `claim`.
fn change_photo(
    table: &Table,
    photo: &Photo,
    picture: Option<&Picture>,
    several: Option<&Several>,
    decided: &Report,
) -> Result<Update, Error> {
    let to_value =
        |picture: &Picture| -> Result<AttributeValue, Error> { Ok(serde_dynamo::to_attribute_value(picture)?) };
    let audience = (!photo.audience.is_everyone()).then(|| S(photo.audience.to_string()));
    let mark = MarkAttributes::of(photo);
    let text = |(name, value): (&'static str, Option<&str>)| (name, value.map(|value| S(value.to_owned())));

    let mut update = update(table, Key::photo(&photo.username, &photo.id));
    let mut conditions = vec!["attribute_exists(username)".to_owned()];
    let before = [("picture", photo.picture.as_ref().map(to_value).transpose()?), ("audience", audience)];
    for (name, value) in before.into_iter().chain(mark.named().map(text)) {
        update = update.expression_attribute_names(format!("#{name}"), name);
        if let Some(value) = value {
            conditions.push(format!("#{name} = :{name}"));
            update = update.expression_attribute_values(format!(":{name}"), value);
        } else {
            conditions.push(format!("attribute_not_exists(#{name})"));
        }
    }

    let (mut set, mut remove) = (vec![], vec![]);
    let after = [("picture", picture.map(to_value).transpose()?)];
    for (name, value) in after.into_iter().chain(mark.decided(decided.sensitive).named().map(text)) {
        if let Some(value) = value {
            set.push(format!("#{name} = :new_{name}"));
            update = update.expression_attribute_values(format!(":new_{name}"), value);
        } else {
            remove.push(format!("#{name}"));
        }
    }
    if let Some(after) = several.map(|several| several.after(decided)) {
        set.push("pictures = :count".to_owned());
        update = update.expression_attribute_values(":count", N(after.count().to_string()));
        match after.first().and_then(|first| first.alt_text.clone()) {
            None => remove.push("altText".to_owned()),
            Some(text) => {
                set.push("altText = :alt_text".to_owned());
                update = update.expression_attribute_values(":alt_text", S(text));
            }
        }
    }
    if picture.is_some_and(|picture| *picture != Picture::Pending) {
        remove.extend(["#ttl", "claim"].map(ToOwned::to_owned));
        update = update.expression_attribute_names("#ttl", "ttl");
    }
    if photo.picture == Some(Picture::Pending) && picture != photo.picture.as_ref() {
        set.push("rejected = :true".to_owned());
        update = update.expression_attribute_values(":true", AttributeValue::Bool(true));
    }
    let clauses = [("SET", set.join(", ")), ("REMOVE", remove.join(", "))].into_iter();
    let clauses: Vec<String> =
        clauses.filter(|(_, actions)| !actions.is_empty()).map(|(name, actions)| format!("{name} {actions}")).collect();
    Ok(update.condition_expression(conditions.join(" AND ")).update_expression(clauses.join(" ")).build()?)
}

/// Adds the update that unpins the photo, or the check that it is not pinned.
fn unpin(table: &Table, photo: &Photo, is_pinned: bool, transaction: &mut Transaction) -> Result<(), Error> {
    let Photo { username: owner, id, .. } = photo;
    let photo = S(photo_sk(owner, id));
    if is_pinned {
        let update = update(table, Key::user(owner))
            .condition_expression("pinnedImage = :photo")
            .update_expression("REMOVE pinnedImage, pinnedPicture")
            .expression_attribute_values(":photo", photo)
            .build()?;
        transaction.update(update);
        return Ok(());
    }
    let check = check(table, Key::user(owner))
        .condition_expression("attribute_exists(username) AND NOT pinnedImage = :photo")
        .expression_attribute_values(":photo", photo)
        .build()?;
    transaction.condition_check(check);
    Ok(())
}

/// Adds the update of the picture of the profile, if the photo is pinned, or the check that it is not.
fn pin_other(
    table: &Table,
    photo: &Photo,
    is_pinned: bool,
    picture: &PinnedPicture,
    transaction: &mut Transaction,
) -> Result<(), Error> {
    if !is_pinned {
        return unpin(table, photo, false, transaction);
    }
    let update = update(table, Key::user(&photo.username))
        .condition_expression("pinnedImage = :photo")
        .update_expression("SET pinnedPicture = :picture")
        .expression_attribute_values(":photo", S(photo_sk(&photo.username, &photo.id)))
        .expression_attribute_values(":picture", serde_dynamo::to_attribute_value(picture)?)
        .build()?;
    transaction.update(update);
    Ok(())
}

fn check(table: &Table, key: Key) -> ConditionCheckBuilder {
    ConditionCheck::builder().table_name(&table.name).set_key(Some(key.into()))
}

fn update(table: &Table, key: Key) -> UpdateBuilder {
    Update::builder().table_name(&table.name).set_key(Some(key.into()))
}
