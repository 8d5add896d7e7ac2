//! A consistent `BatchGetItem` reads what the complaint is about, the report about it, a complaint
//! of before, and what keeps the caller from seeing it: blocks, and the friendship with the owner
//! of a photo that only followers see. Then one `TransactWriteItems` puts the complaint, increments
//! the caller's count of complaints, and puts the report or adds the complaint to it. It checks
//! that the photo or the comment is still shown, and that the reported user exists, whose deletion
//! has to find the report.
//!
//! If one of the conditions fails, the function reads again. A user makes one complaint about each
//! thing: a repeated request changes nothing, and returns the complaint.

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::{ConditionCheck, Put, ReturnValuesOnConditionCheckFailure, Update};
use serde::Serialize;
use shared::dynamodb::entity;
use shared::dynamodb::transaction::{Outcome, Transaction, Write};
use shared::entities::account::{OF_ACCOUNT, refusal, subject_value};
use shared::entities::{COMPLAINTS_MADE, Complaint, Key, MAX_COMPLAINTS, MAX_TEXTS, Report};
use shared::http::answer;
use shared::http::extract::{Body, FromFields};
use shared::http::fields::Fields;
use shared::http::request::Caller;
use shared::show::About;
use shared::values::{
    CommentId, PhotoReference, ReportId, ReportReason, ReportState, ReportText, Time, Timestamp, Username,
};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

use self::snapshot::Snapshot;

mod snapshot;
#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts. More than one are needed only if somebody else
/// complains about the same thing for the first time or writes the last text that the report has
/// room for, or it is decided or deleted, between the read and the write.
const MAX_ATTEMPTS: usize = 5;

/// A complaint as its reporter sees it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct OwnComplaint {
    /// The id of the report, which collects the complaints of all users about the same thing.
    id: ReportId,
    /// The user, the photo or the comment that is reported.
    #[serde(flatten)]
    about: About,
    reason: ReportReason,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    timestamp: Time,
}

/// The route.
pub struct CreateReport {
    table: Table,
}

impl Route for CreateReport {
    const NAME: &'static str = "create-report";
    const ROUTE: &'static str = "POST /reports";
    const SUMMARY: &'static str = "The caller complains about a photo, a comment or a user to the moderators.";
    const SUCCESSES: &'static [Success] = &[Success::OK, Success::CREATED];
    const ERRORS: &'static [ErrorKind] = &[
        ErrorKind::NoComment,
        ErrorKind::NoPhoto,
        ErrorKind::NoProfile,
        ErrorKind::NoUser,
        ErrorKind::OtherAccount,
        ErrorKind::TooManyReports,
    ];

    type Input = (Caller, Body<NewComplaint>);
    type Body = OwnComplaint;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(&self, (caller, Body(complaint)): Self::Input) -> Result<Response<OwnComplaint>, Error> {
        let Self { table } = self;
        let complaint = complaint.of(&caller.username)?;

        for _ in 0..MAX_ATTEMPTS {
            let snapshot = Snapshot::read(table, &complaint).await?;
            if let Some(existing) = snapshot.complaint {
                return answer::ok(&own(existing));
            }
            if !snapshot.is_visible {
                return Err(not_found(&complaint.about));
            }
            let (transaction, user) = build(table, &caller, &complaint, snapshot.report.as_ref())?;
            let failed = match transaction.write(&table.client).await? {
                Outcome::Committed => return answer::created(&own(complaint)),
                Outcome::ConditionFailed(failed) => failed,
            };
            if failed.contains(user) {
                let refusal = refusal(failed.item(user), &caller.username, &caller.subject);
                return Err(refusal.unwrap_or_else(too_many_complaints));
            }
        }
        Err(Error::Busy("what the complaint is about, or the report, changed during each attempt".into()))
    }
}

/// The subject of a complaint, and the reason.
pub struct NewComplaint {
    about: ReportId,
    reason: ReportReason,
    text: Option<ReportText>,
}

impl FromFields for NewComplaint {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        fields.excludes("photo", &["username"]);
        let user = fields.optional::<Username>("username");
        let photo = fields.optional::<PhotoReference>("photo");
        let comment = fields.optional::<CommentId>("comment");
        let reason = fields.required::<ReportReason>("reason");
        let text = fields.optional::<ReportText>("text");
        fields.finish()?;
        let (reason, text) = (reason?, text?);
        let about = match (user?, photo?, comment?) {
            (_, Some(PhotoReference { username, id }), None) => ReportId::Photo(username, id),
            (_, Some(PhotoReference { username, id }), Some(comment)) => ReportId::Comment(username, id, comment),
            (_, None, Some(_)) => return Err(Error::invalid("photo", "must be the photo of the comment")),
            (Some(user), None, None) => ReportId::User(user),
            (None, None, None) => {
                return Err(Error::invalid("username", "must be that of the user, unless photo is given"));
            }
        };
        Ok(Self { about, reason, text })
    }
}

impl NewComplaint {
    /// Returns the complaint of a user, which must be about somebody else.
    fn of(self, reporter: &Username) -> Result<Complaint, Error> {
        let Self { about, reason, text } = self;
        if about.reported_user() == reporter {
            let field = match about {
                ReportId::User(_) => "username",
                ReportId::Photo(..) => "photo",
                ReportId::Comment(..) => "comment",
            };
            return Err(Error::invalid(field, "must be that of somebody else, because users cannot report themselves"));
        }
        let (reporter, text) = (reporter.clone(), text.map(String::from));
        Ok(Complaint { reporter, about, reason, text, timestamp: Timestamp::now() })
    }
}

/// Returns the transaction that puts the complaint and adds it to the report, which is `None` if
/// there is none yet, with the handle of the update of the caller.
fn build(
    table: &Table,
    caller: &Caller,
    complaint: &Complaint,
    report: Option<&Report>,
) -> Result<(Transaction, Write), Error> {
    let increment_made = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(&caller.username).into()))
        .condition_expression(format!("{OF_ACCOUNT} AND NOT #count >= :max"))
        .update_expression("ADD #count :one")
        .expression_attribute_names("#count", COMPLAINTS_MADE)
        .expression_attribute_values(":subject", subject_value(&caller.subject))
        .expression_attribute_values(":max", N(MAX_COMPLAINTS.to_string()))
        .expression_attribute_values(":one", N("1".to_owned()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let put = Put::builder()
        .table_name(&table.name)
        .set_item(Some(entity::to_item(Key::complaint(&complaint.reporter, &complaint.about), complaint)?))
        .condition_expression("attribute_not_exists(PK)")
        .build()?;
    let mut transaction = Transaction::new();
    let user = transaction.update(increment_made);
    transaction.put(put);
    match report {
        None => transaction.put(put_report(table, complaint)?),
        Some(report) => transaction.update(add_to_report(table, complaint, report)?),
    };
    transaction.condition_check(check(
        table,
        Key::user(complaint.about.reported_user()),
        "attribute_exists(username)",
    )?);
    // A tombstone has the key of the photo and no `username`, or that of the comment and no `author`.
    let exists = if let ReportId::Photo(..) = complaint.about {
        "attribute_exists(username)"
    } else {
        "attribute_exists(author)"
    };
    if let Some(key) = Key::reported(&complaint.about) {
        transaction.condition_check(check(table, key, exists)?);
    }
    Ok((transaction, user))
}

/// Returns the put of a report with its first complaint.
fn put_report(table: &Table, complaint: &Complaint) -> Result<Put, Error> {
    let Complaint { reporter, about, reason, text, timestamp } = complaint.clone();
    let report = Report {
        complaints: 1,
        reasons: [(reason, 1)].into(),
        texts: text.map(|text| (reporter, text)).into_iter().collect(),
        ..Report::new(about, timestamp)
    };
    let put = Put::builder()
        .table_name(&table.name)
        .set_item(Some(entity::to_item(Key::report(&complaint.about), &report)?))
        .condition_expression("attribute_not_exists(PK)")
        .build()?;
    Ok(put)
}

/// Returns the update that adds a complaint to a report, and opens the report if it was decided.
/// The text is only added while the report has room for it, which the condition checks.
fn add_to_report(table: &Table, complaint: &Complaint, report: &Report) -> Result<Update, Error> {
    let mut set = vec!["reasons.#reason = if_not_exists(reasons.#reason, :zero) + :one"];
    let mut update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::report(&complaint.about).into()))
        .expression_attribute_names("#reason", complaint.reason.as_ref())
        .expression_attribute_values(":before", S(report.report_state.to_string()))
        .expression_attribute_values(":zero", N("0".to_owned()))
        .expression_attribute_values(":one", N("1".to_owned()));
    if report.report_state != ReportState::Open {
        set.extend(["reportState = :open", "#timestamp = :now"]);
        update = update
            .expression_attribute_names("#timestamp", "timestamp")
            .expression_attribute_values(":open", S(ReportState::Open.to_string()))
            .expression_attribute_values(":now", S(complaint.timestamp.to_string()));
    }
    let mut condition = "reportState = :before".to_owned();
    if let Some(text) = &complaint.text
        && report.texts.len() < MAX_TEXTS
    {
        condition += " AND size(texts) < :max";
        set.push("texts.#reporter = :text");
        update = update
            .expression_attribute_names("#reporter", complaint.reporter.to_string())
            .expression_attribute_values(":text", S(text.clone()))
            .expression_attribute_values(":max", N(MAX_TEXTS.to_string()));
    }
    let expression = format!("SET {} ADD complaints :one", set.join(", "));
    Ok(update.condition_expression(condition).update_expression(expression).build()?)
}

fn check(table: &Table, key: Key, condition: &str) -> Result<ConditionCheck, Error> {
    let check = ConditionCheck::builder().table_name(&table.name).set_key(Some(key.into()));
    Ok(check.condition_expression(condition).build()?)
}

fn own(complaint: Complaint) -> OwnComplaint {
    let Complaint { about: id, reason, text, timestamp, .. } = complaint;
    OwnComplaint { about: id.clone().into(), id, reason, text, timestamp: timestamp.into() }
}

fn not_found(about: &ReportId) -> Error {
    match about {
        ReportId::User(user) => Error::no_user(user),
        ReportId::Photo(user, photo) => Error::no_photo(user, photo),
        ReportId::Comment(.., comment) => Error::no_comment(comment),
    }
}

fn too_many_complaints() -> Error {
    let detail = format!("You have reported {MAX_COMPLAINTS} things, which is the maximum.");
    Error::refused(ErrorKind::TooManyReports, detail)
}
