//! A `GetItem` reads the target of the link. A consistent `BatchGetItem` reads what it opens
//! ([`SharedThing`]), the report about it, and the reports of the visitor. Then one
//! `TransactWriteItems` adds the link to the visitor's reports, puts the report or adds to it, and
//! checks that the photo is still there. If the report changed in between, the function reads again.
//!
//! A visitor is an address on one day. The table has a hash of both by a secret key, and no address.
//! A repeated report changes nothing.

use std::net::IpAddr;

use aws_sdk_dynamodb::types::AttributeValue::{N, S, Ss};
use aws_sdk_dynamodb::types::{ConditionCheck, Put, Update};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::dynamodb::{Item, batch, entity};
use shared::entities::{Key, LinkTarget, MAX_VISITOR_REPORTS, REPORTED_LINKS, Report};
use shared::http::answer;
use shared::http::extract::FromFields;
use shared::http::fields::Fields;
use shared::http::visitor::{FormOrJson, Nobody, Sender, Token};
use shared::runtime::route::Success;
use shared::values::{EpochMillis, LinkToken, ReportId, ReportReason, ReportState, Timestamp};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

use crate::open_link::page::Pages;
use crate::own_link::no_link;
use crate::shared_thing::SharedThing;

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts. More than one are needed only if somebody else
/// reports the same thing for the first time, or it is decided or deleted, in between.
const MAX_ATTEMPTS: usize = 5;
/// A day in seconds.
const DAY_SECONDS: u64 = 24 * 60 * 60;

/// The route.
pub struct ReportLink {
    table: Table,
    key: String,
    pages: Pages,
}

/// The reason of a report.
pub struct Reason(ReportReason);

impl FromFields for Reason {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        let reason = fields.required::<ReportReason>("reason");
        fields.finish()?;
        Ok(Self(reason?))
    }
}

impl Route for ReportLink {
    const NAME: &'static str = "report-link";
    const ROUTE: &'static str = "POST /s/{token}/report";
    const SUMMARY: &'static str =
        "Reports what a link shows to the moderators, without an account. The form of the page gets a page.";
    const SUCCESSES: &'static [Success] = &[Success::no_content("The moderators have the report.")];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoLink, ErrorKind::TooManyReportsToday];

    type Input = (Nobody, Token, FormOrJson<Reason>, Sender);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            key: process.variable("LINKS_KEY")?,
            pages: Pages::without_pictures(),
        })
    }

    async fn answer(
        &self,
        (Nobody, Token(token), FormOrJson { fields: Reason(reason), is_form }, sender): Self::Input,
    ) -> Result<Response<()>, Error> {
        let report = self.report(token.as_ref(), reason, sender.network(&self.key));
        match report.await {
            Ok(()) if is_form => self.pages.reported(),
            Ok(()) => Ok(answer::no_content()),
            Err(Error::Refused { kind: ErrorKind::NoLink, .. }) if is_form => self.pages.ended(),
            Err(Error::Refused { .. }) if is_form => self.pages.too_many_reports(),
            Err(error) => Err(error),
        }
    }
}

impl ReportLink {
    async fn report(
        &self,
        token: Option<&LinkToken>,
        reason: ReportReason,
        address: Option<IpAddr>,
    ) -> Result<(), Error> {
        let table = &self.table;
        let token = token.ok_or_else(no_link)?;
        let visitor = Visit::new(&self.key, address, EpochMillis::now(), token);

        for _ in 0..MAX_ATTEMPTS {
            let further = |target: &LinkTarget| vec![Key::visitor(&visitor.hash), Key::report(&report_id(target))];
            let (shared, mut found) = SharedThing::read_with(table, Some(token), true, further).await?;
            let about = report_id(&shared.target);
            if let Some(before) = batch::find(&found, Key::visitor(&visitor.hash)) {
                if visitor.has_reported(before) {
                    return Ok(());
                }
                Visit::check_maximum(before)?;
            }
            let report = batch::take(&mut found, Key::report(&about)).map(entity::from_item).transpose()?;
            // A `BatchGetItem` may see half of a decision, and the photo as it was before.
            if report.as_ref().is_some_and(|report: &Report| report.report_state == ReportState::Removed) {
                return Err(no_link());
            }

            let mut transaction = Transaction::new();
            transaction.update(visitor.update(table)?);
            match report {
                None => transaction.put(put_report(table, &about, reason)?),
                Some(report) => transaction.update(add_to_report(table, &report, reason)?),
            };
            // A tombstone has no `username`.
            let reported = Key::reported(&about).unwrap_or_else(|| Key::user(about.reported_user()));
            transaction.condition_check(exists(table, reported)?);
            if let Outcome::Committed = transaction.write(&table.client).await? {
                return Ok(());
            }
        }
        Err(Error::Busy("what the link opens, or the report, changed during each attempt".into()))
    }
}

/// Returns the id of the report about what a link opens.
fn report_id(LinkTarget { owner, photo, .. }: &LinkTarget) -> ReportId {
    match photo {
        Some(photo) => ReportId::Photo(owner.clone(), photo.clone()),
        None => ReportId::User(owner.clone()),
    }
}

/// A visitor who reports a link.
struct Visit {
    hash: String,
    link: String,
    ttl: u64,
}

impl Visit {
    fn new(key: &str, address: Option<IpAddr>, now: EpochMillis, token: &LinkToken) -> Self {
        let day = now.seconds() / DAY_SECONDS;
        let hmac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("HMAC takes keys of any length");
        let address = address.map(|address| address.to_string()).unwrap_or_default();
        let hash = hmac.chain_update(day.to_string()).chain_update("#").chain_update(address).finalize().into_bytes();
        Self { hash: BASE64.encode(&hash[..16]), link: token.hash(), ttl: (day + 1) * DAY_SECONDS }
    }

    fn has_reported(&self, before: &Item) -> bool {
        before.get(REPORTED_LINKS).and_then(|links| links.as_ss().ok()).is_some_and(|links| links.contains(&self.link))
    }

    /// Fails if the visitor has no reports left today.
    fn check_maximum(before: &Item) -> Result<(), Error> {
        let reports: u64 = before.get("reports").and_then(|count| count.as_n().ok()?.parse().ok()).unwrap_or_default();
        if reports < MAX_VISITOR_REPORTS {
            return Ok(());
        }
        let detail = "Too many reports came from here today. Come back tomorrow.";
        Err(Error::refused(ErrorKind::TooManyReportsToday, detail))
    }

    /// Returns the update that adds the report, on the condition that the visitor has not reported
    /// the link and has reports left today.
    fn update(&self, table: &Table) -> Result<Update, Error> {
        let update = Update::builder()
            .table_name(&table.name)
            .set_key(Some(Key::visitor(&self.hash).into()))
            .condition_expression("NOT reports >= :max AND NOT contains(#links, :link)")
            .update_expression("SET #hash = :hash, #ttl = :ttl ADD reports :one, #links :links")
            .expression_attribute_names("#links", REPORTED_LINKS)
            .expression_attribute_names("#hash", "hash")
            .expression_attribute_names("#ttl", "ttl")
            .expression_attribute_values(":hash", S(self.hash.clone()))
            .expression_attribute_values(":ttl", N(self.ttl.to_string()))
            .expression_attribute_values(":one", N("1".to_owned()))
            .expression_attribute_values(":max", N(MAX_VISITOR_REPORTS.to_string()))
            .expression_attribute_values(":link", S(self.link.clone()))
            .expression_attribute_values(":links", Ss(vec![self.link.clone()]))
            .build()?;
        Ok(update)
    }
}

/// Returns the put of a report with its first reason.
fn put_report(table: &Table, about: &ReportId, reason: ReportReason) -> Result<Put, Error> {
    let report = Report { visitors: 1, reasons: [(reason, 1)].into(), ..Report::new(about.clone(), Timestamp::now()) };
    let put = Put::builder()
        .table_name(&table.name)
        .set_item(Some(entity::to_item(Key::report(about), &report)?))
        .condition_expression("attribute_not_exists(PK)")
        .build()?;
    Ok(put)
}

/// Returns the update that adds a reason to a report, and opens the report if it was decided.
fn add_to_report(table: &Table, report: &Report, reason: ReportReason) -> Result<Update, Error> {
    let mut set = "reasons.#reason = if_not_exists(reasons.#reason, :zero) + :one".to_owned();
    let mut update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::report(&report.id).into()))
        .condition_expression("reportState = :before")
        .expression_attribute_names("#reason", reason.as_ref())
        .expression_attribute_values(":before", S(report.report_state.to_string()))
        .expression_attribute_values(":zero", N("0".to_owned()))
        .expression_attribute_values(":one", N("1".to_owned()));
    if report.report_state != ReportState::Open {
        set += ", reportState = :open, #timestamp = :now";
        update = update
            .expression_attribute_names("#timestamp", "timestamp")
            .expression_attribute_values(":open", S(ReportState::Open.to_string()))
            .expression_attribute_values(":now", S(Timestamp::now().to_string()));
    }
    Ok(update.update_expression(format!("SET {set} ADD visitors :one")).build()?)
}

fn exists(table: &Table, key: Key) -> Result<ConditionCheck, Error> {
    let check = ConditionCheck::builder().table_name(&table.name).set_key(Some(key.into()));
    Ok(check.condition_expression("attribute_exists(username)").build()?)
}
