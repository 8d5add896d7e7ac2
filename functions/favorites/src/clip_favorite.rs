//! One `TransactWriteItems` puts the favorite, on the condition that the user has none with this
//! id, and increments the user's count of favorites, on the condition that it is less than
//! [`MAX_FAVORITES`]. If the user already has a favorite with this id, the function leaves it
//! unchanged and returns it, also at the maximum.
//!
//! The transaction also checks that the name is not that of another account
//! ([`account`](shared::entities::account)).
//!
//! With the header `Idempotency-Key`, the same transaction also puts a record of the key, on the
//! condition that there is none. If there is one, the answer is 200 with the favorite that the
//! first request created.
//!
//! A favorite may refer to a photo of the app. Its id is then that of the photo, so a user saves
//! each photo once. The transaction also checks that the photo is ready, and marks it as saved in
//! the caller's engagement with it, in `<stage>.Feed`.
//!
//! [`MAX_FAVORITES`]: shared::entities::MAX_FAVORITES

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{ConditionCheck, Put, ReturnValuesOnConditionCheckFailure};
use shared::access::Access;
use shared::dynamodb::entity;
use shared::dynamodb::transaction::{Outcome, Transaction, Write};
use shared::entities::account::{FREE_FOR_ACCOUNT, refusal, subject_value};
use shared::entities::{Favorite, IdempotencyScope, IdempotentRequest, Key, engage_by_save, favorite_count};
use shared::http::answer;
use shared::http::extract::{Body, FromFields, Owner};
use shared::http::fields::Fields;
use shared::http::idempotency::Idempotency;
use shared::http::request::Caller;
use shared::values::{CreatorId, DataId, DataType, EpochMillis, PhotoReference, Title, Url, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts. More than two are needed only if the audience
/// of the photo or the blocks of the caller change between two of them.
const MAX_ATTEMPTS: usize = 5;

/// The writes of the transaction, by which its failed conditions are known.
struct Writes {
    favorite: Write,
    account: Write,
    /// The record of the idempotency key.
    record: Option<Write>,
    /// The photo, if the favorite refers to one.
    photo: Option<Write>,
    /// The checks of the access to the photo, and the photo.
    access: Vec<Write>,
}

/// The route.
pub struct ClipFavorite {
    table: Table,
    photos: String,
    feed: String,
}

impl Route for ClipFavorite {
    const NAME: &'static str = "clip-favorite";
    const ROUTE: &'static str = "POST /users/{username}/favorites";
    const SUMMARY: &'static str =
        "Creates a favorite. If the user already has a favorite with this id, it stays unchanged and is returned.";
    const SUCCESSES: &'static [Success] = &[Success::OK, Success::CREATED_AT];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NoPhoto, ErrorKind::NoProfile, ErrorKind::OtherAccount, ErrorKind::TooManyFavorites];

    type Input = (Owner, Body<NewFavorite>, Idempotency);
    type Body = Favorite;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            photos: process.variable("PHOTOS_TABLE_NAME")?,
            feed: process.variable("FEED_TABLE_NAME")?,
        })
    }

    async fn answer(
        &self,
        (Owner(caller), Body(NewFavorite(favorite)), idempotency): Self::Input,
    ) -> Result<Response<Favorite>, Error> {
        let Self { table, photos, feed } = self;
        let username = &caller.username;
        let photo = favorite.data_id.photo();
        let idempotent = IdempotentRequest::of(idempotency, username, &IdempotencyScope::Favorites);

        let mut access = photo.as_ref().map(|photo| Access::new(photos, username, &photo.username, &photo.timestamp));
        for _ in 0..MAX_ATTEMPTS {
            let record =
                idempotent.as_ref().map(|idempotent| idempotent.put_record(&table.name, &favorite)).transpose()?;
            let (transaction, writes) = build(table, [photos, feed], &caller, &favorite, record, access.as_ref())?;
            let failed = match transaction.write(&table.client).await? {
                Outcome::Committed => return created(username, &favorite),
                Outcome::ConditionFailed(failed) => failed,
            };
            let user = failed.item(writes.account);
            if failed.contains(writes.account)
                && let Some(refusal) = refusal(user, username, &caller.subject)
            {
                return Err(refusal);
            }
            if let Some(idempotent) = &idempotent
                && let Some(record) = failed.item(writes.record)
            {
                return idempotent.repeated(record.clone());
            }
            if let Some(access) = &mut access
                && access.learn(user, failed.item(writes.photo))
            {
                continue;
            }
            // If there is a favorite with this id, nothing is written, and the idempotency key stays
            // unused.
            if let Some(existing) = failed.item(writes.favorite) {
                return answer::ok(&entity::from_item::<Favorite>(existing.clone())?);
            }
            return Err(match &photo {
                Some(photo) if failed.contains_any(writes.access) => Error::no_photo(&photo.username, &photo.timestamp),
                _ => favorite_count::too_many(),
            });
        }
        Err(Error::Busy("the access of the caller to the photo changed during each attempt".into()))
    }
}

/// Returns the transaction that puts the favorite, with the record of the idempotency key, if there
/// is one. If the favorite refers to a photo, the caller has `access` to it.
fn build(
    table: &Table,
    [photos, feed]: [&str; 2],
    caller: &Caller,
    favorite: &Favorite,
    record: Option<Put>,
    access: Option<&Access<'_>>,
) -> Result<(Transaction, Writes), Error> {
    let put_favorite = Put::builder()
        .table_name(&table.name)
        .set_item(Some(favorite.item(&caller.username)))
        .condition_expression("attribute_not_exists(pk)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let mut values = HashMap::from([(":subject".to_owned(), subject_value(&caller.subject))]);
    let condition = FREE_FOR_ACCOUNT.to_owned();
    let check_account = ConditionCheck::builder()
        .table_name(photos)
        .set_key(Some(Key::user(&caller.username).into()))
        .condition_expression(access.map_or(condition, |access| access.caller_condition(FREE_FOR_ACCOUNT, &mut values)))
        .set_expression_attribute_values(Some(values))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let mut transaction = Transaction::new();
    let put = transaction.put(put_favorite);
    transaction.update(favorite_count::increment(&table.name, &caller.username)?);
    let account = transaction.condition_check(check_account);
    let record = record.map(|record| transaction.put(record));
    let mut writes = Writes { favorite: put, account, record, photo: None, access: vec![] };
    if let (Some(access), Some(PhotoReference { username: owner, timestamp })) = (access, favorite.data_id.photo()) {
        writes.access = access.add_checks(&mut transaction)?;
        let engagement = Key::engagement(&caller.username, &owner, &timestamp);
        transaction.update(engage_by_save(feed, engagement, true)?);
        writes.photo = Some(transaction.condition_check(access.check_photo()?));
        writes.access.extend(writes.photo);
    }
    Ok((transaction, writes))
}

fn created(username: &Username, favorite: &Favorite) -> Result<Response<Favorite>, Error> {
    answer::created_at(&format!("/users/{username}/favorites/{}", favorite.data_id), favorite)
}

/// The favorite that a request describes.
pub struct NewFavorite(Favorite);

impl FromFields for NewFavorite {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        fields.excludes("photo", &["dataId", "creatorId", "thumbnailUrl", "contentUrl"]);
        let data_type = fields.required::<DataType>("dataType");
        let title = fields.required::<Title>("title");
        let photo = fields.optional::<PhotoReference>("photo");
        let data_id = fields.optional::<DataId>("dataId");
        let creator_id = fields.optional::<CreatorId>("creatorId");
        let thumbnail_url = fields.optional::<Url>("thumbnailUrl");
        let content_url = fields.optional::<Url>("contentUrl");
        fields.finish()?;

        let (photo, data_id) = (photo?, data_id?);
        if photo.is_none() && data_id.as_ref().is_some_and(|id| id.photo().is_some()) {
            return Err(Error::invalid("dataId", "must not be that of a saved photo; send the field photo instead"));
        }
        Ok(Self(Favorite {
            data_id: data_id.or_else(|| photo.as_ref().map(DataId::of_photo)).unwrap_or_else(DataId::new),
            data_type: data_type?,
            title: title?.into(),
            creator_id: photo.map(|photo| photo.username.to_string()).or(creator_id?.map(Into::into)),
            thumbnail_url: thumbnail_url?.map(Into::into),
            content_url: content_url?.map(Into::into),
            clip_time: EpochMillis::now(),
            tag_count: Some(0),
        }))
    }
}
