//! A link as its owner sees it, and the steps that the functions of photos and of profiles share.
//!
//! [`put`]: a consistent `BatchGetItem` reads the link, its owner and the photo. Then one
//! `TransactWriteItems` puts the link and its target, deletes the target of an earlier token,
//! increments the owner's count of links if there was none, and checks that the photo exists. If the
//! link changed in between, the function reads again. A request that changes nothing writes nothing.
//!
//! [`delete`]: a consistent `GetItem` reads the link. Then one `TransactWriteItems` deletes it with
//! its target, and decrements the owner's count of links.

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Put, ReturnValuesOnConditionCheckFailure, Update};
use serde::Serialize;
use shared::dynamodb::transaction::{Outcome, Transaction, Write};
use shared::dynamodb::{batch, entity, expiry};
use shared::entities::account::{Account, OF_ACCOUNT, refusal, subject_value};
use shared::entities::{Key, LINKS, Link, MAX_LINKS, photo_from_item};
use shared::http::extract::FromFields;
use shared::http::fields::Fields;
use shared::http::request::Caller;
use shared::values::{EpochMillis, LinkToken, PhotoId, PhotoReference, Time, Timestamp, Username};
use shared::{Error, ErrorKind, Process, StartError, Table};

/// The maximum time until a link ends, in seconds: a year.
pub const MAX_LIFETIME_SECONDS: u64 = 366 * 24 * 60 * 60;
/// The retry budget: the maximum number of attempts to put or delete a link. More than one are
/// needed only if another request changes the same link between the read and the write.
const MAX_ATTEMPTS: usize = 5;

/// A link as its owner sees it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Link"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnLink {
    /// The address that anybody can open.
    pub url: String,
    /// The token in the address.
    pub token: LinkToken,
    /// The user who shares.
    pub username: Username,
    /// The photo. Left out for the link of the profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub photo: Option<PhotoReference>,
    /// The time at which the link got its token.
    pub created: Time,
    /// The time from which on the link does not open any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
    /// Whether search engines may list the page. Left out if they may not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub indexed: bool,
    /// The people who can open the link.
    pub opens_to: OpensTo,
}

/// The people who can open a link.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum OpensTo {
    /// Everybody who has the address, without an account. They see the photo whatever its audience is.
    Anyone,
}

/// The address of all links.
#[derive(Debug, Clone)]
pub struct Address(String);

impl Address {
    /// Returns the address in the environment variable `LINKS_URL`.
    pub fn from_process(process: &Process) -> Result<Self, StartError> {
        process.variable("LINKS_URL").map(Self)
    }

    /// Returns the address of the link with a token.
    #[must_use]
    pub fn of(&self, token: &LinkToken) -> String {
        format!("{}/s/{token}", self.0)
    }

    /// Returns the address of a route for links.
    #[must_use]
    pub fn of_route(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }

    /// Returns a link as its owner sees it.
    #[must_use]
    pub fn show(&self, link: Link) -> OwnLink {
        let Link { owner: username, photo, token, created, until, indexed } = link;
        OwnLink {
            url: self.of(&token),
            token,
            photo: photo.map(|id| PhotoReference { username: username.clone(), id }),
            username,
            created: created.into(),
            until: until.map(Time::from),
            indexed,
            opens_to: OpensTo::Anyone,
        }
    }
}

/// Returns the token in the address of a link, or `None` if it is no address of a link. The address may
/// have a query string, and another domain, which the links had before.
#[must_use]
pub fn token_of_url(url: &str) -> Option<LinkToken> {
    let (_, rest) = url.split_once("://")?;
    let path = rest.split(['?', '#']).next()?.trim_end_matches('/');
    path.split_once("/s/")?.1.parse().ok()
}

/// Returns the error for a link that does not exist.
#[must_use]
pub fn no_link() -> Error {
    Error::refused(ErrorKind::NoLink, "This link has ended, or there is none.")
}

/// The settings of a link, and the token that the caller wants to replace.
#[derive(Debug, Clone)]
pub struct Settings {
    until: Option<Timestamp>,
    indexed: bool,
    renew: Option<LinkToken>,
}

impl FromFields for Settings {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        let until = fields.optional::<Time>("until");
        let indexed = fields.optional::<bool>("indexed");
        let renew = fields.optional::<LinkToken>("renew");
        fields.finish()?;
        let until = until?.map(Timestamp::from);
        let now = EpochMillis::now().seconds();
        if until.as_ref().is_some_and(|until| !(now + 1..=now + MAX_LIFETIME_SECONDS).contains(&until.seconds())) {
            return Err(Error::invalid("until", "must be in the future, and at most a year ahead"));
        }
        Ok(Self { until, indexed: indexed?.unwrap_or_default(), renew: renew? })
    }
}

/// Puts the link of a photo of the caller, or of their profile. Returns it, and whether there was
/// none.
pub async fn put(
    table: &Table,
    caller: &Caller,
    photo: Option<&PhotoId>,
    settings: &Settings,
) -> Result<(Link, bool), Error> {
    for _ in 0..MAX_ATTEMPTS {
        let before = read(table, caller, photo).await?;
        let link = settings.link(caller, photo, before.as_ref())?;
        if before.as_ref() == Some(&link) {
            return Ok((link, false));
        }
        let writes = Writes::build(table, caller, &link, before.as_ref())?;
        let Outcome::ConditionFailed(failed) = writes.transaction.write(&table.client).await? else {
            return Ok((link, before.is_none_or(|before| before.is_over())));
        };
        if failed.contains(writes.owner) {
            return Err(
                refusal(failed.item(writes.owner), &caller.username, &caller.subject).unwrap_or_else(too_many_links)
            );
        }
        if let Some(id) = photo.filter(|_| failed.contains(writes.photo)) {
            return Err(Error::no_photo(&caller.username, id));
        }
    }
    Err(Error::Busy("the link changed during each attempt".into()))
}

/// Returns the link of the caller as it is. Fails if the caller has no profile, or not this photo.
async fn read(table: &Table, caller: &Caller, photo: Option<&PhotoId>) -> Result<Option<Link>, Error> {
    let username = &caller.username;
    let keys = [Some(Key::link(username, photo)), Some(Key::user(username)), photo.map(|id| Key::photo(username, id))];
    let mut found = batch::get(table, keys.into_iter().flatten().collect(), true).await?;
    let user = batch::find(&found, Key::user(username));
    if let Some(refusal) = refusal(user, username, &caller.subject) {
        return Err(refusal);
    }
    if let Some(id) = photo {
        let photo = batch::take(&mut found, Key::photo(username, id)).map(photo_from_item).transpose()?.flatten();
        photo.filter(|photo| !photo.has_expired()).ok_or_else(|| Error::no_photo(username, id))?;
    }
    batch::take(&mut found, Key::link(username, photo)).map(entity::from_item).transpose()
}

impl Settings {
    /// Returns the link with these settings. It keeps its token, unless it has ended or the caller
    /// replaces this token.
    fn link(&self, caller: &Caller, photo: Option<&PhotoId>, before: Option<&Link>) -> Result<Link, Error> {
        let kept = before.filter(|before| !before.is_over() && self.renew.as_ref() != Some(&before.token));
        let (token, created) = match kept {
            Some(before) => (before.token.clone(), before.created.clone()),
            None => (LinkToken::random()?, Timestamp::now()),
        };
        let (owner, photo) = (caller.username.clone(), photo.cloned());
        Ok(Link { owner, photo, token, created, until: self.until.clone(), indexed: self.indexed })
    }
}

/// The transaction that puts a link.
struct Writes {
    transaction: Transaction,
    owner: Write,
    photo: Option<Write>,
}

impl Writes {
    fn build(table: &Table, caller: &Caller, link: &Link, before: Option<&Link>) -> Result<Self, Error> {
        let key = Key::link(&link.owner, link.photo.as_ref());
        let put = Put::builder().table_name(&table.name).set_item(Some(entity::to_item(key, link)?));
        let put = match before {
            None => put.condition_expression("attribute_not_exists(PK)"),
            Some(before) => put
                .condition_expression("#token = :before")
                .expression_attribute_names("#token", "token")
                .expression_attribute_values(":before", S(before.token.to_string())),
        };
        let target = entity::to_item(Key::link_target(&link.token), &link.target())?;
        let mut transaction = Transaction::new();
        transaction.put(put.build()?);
        transaction.put(Put::builder().table_name(&table.name).set_item(Some(target)).build()?);
        if let Some(before) = before.filter(|before| before.token != link.token) {
            let key = Key::link_target(&before.token).into();
            transaction.delete(Delete::builder().table_name(&table.name).set_key(Some(key)).build()?);
        }
        let owner = if before.is_none() {
            transaction.update(count_new_link(table, caller)?)
        } else {
            let Caller { username, subject, .. } = caller;
            let account = Account { table_name: &table.name, username, subject };
            transaction.condition_check(account.check_profile()?)
        };
        let photo = link.photo.as_ref().map(|id| check_photo(table, &link.owner, id)).transpose()?;
        let photo = photo.map(|check| transaction.condition_check(check));
        Ok(Self { transaction, owner, photo })
    }
}

fn count_new_link(table: &Table, caller: &Caller) -> Result<Update, Error> {
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(&caller.username).into()))
        .condition_expression(format!("{OF_ACCOUNT} AND NOT #links >= :max"))
        .update_expression("ADD #links :one")
        .expression_attribute_names("#links", LINKS)
        .expression_attribute_values(":subject", subject_value(&caller.subject))
        .expression_attribute_values(":max", N(MAX_LINKS.to_string()))
        .expression_attribute_values(":one", N("1".to_owned()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    Ok(update)
}

/// Returns the check that a photo exists. A `PhotoDeletion` has no `username`, and only a pending
/// photo has a `ttl`.
fn check_photo(table: &Table, owner: &Username, id: &PhotoId) -> Result<ConditionCheck, Error> {
    let check = ConditionCheck::builder()
        .table_name(&table.name)
        .set_key(Some(Key::photo(owner, id).into()))
        .condition_expression("attribute_exists(username) AND (attribute_not_exists(#ttl) OR #ttl > :now)")
        .expression_attribute_names("#ttl", expiry::TTL)
        .expression_attribute_values(":now", N(EpochMillis::now().seconds().to_string()))
        .build()?;
    Ok(check)
}

fn too_many_links() -> Error {
    Error::refused(ErrorKind::TooManyLinks, format!("You have {MAX_LINKS} links, which is the maximum. End one first."))
}

/// Returns the link of a photo, or of a profile, by a consistent `GetItem`.
pub async fn get(table: &Table, owner: &Username, photo: Option<&PhotoId>) -> Result<Option<Link>, Error> {
    let output = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(Key::link(owner, photo).into()))
        .consistent_read(true)
        .send()
        .await?;
    output.item.map(entity::from_item).transpose()
}

/// Deletes the link of a photo of the caller, or of their profile, if there is one.
pub async fn delete(table: &Table, caller: &Caller, photo: Option<&PhotoId>) -> Result<(), Error> {
    let account = Account { table_name: &table.name, username: &caller.username, subject: &caller.subject };
    for _ in 0..MAX_ATTEMPTS {
        let Some(link) = get(table, &caller.username, photo).await? else { return Ok(()) };
        if link.delete(table, Some(&account.guard())).await? {
            return Ok(());
        }
    }
    Err(Error::Busy("the link got another token during each attempt".into()))
}
