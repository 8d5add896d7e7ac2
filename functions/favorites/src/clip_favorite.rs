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
//! [save-photo](crate::save_photo) saves the photos of the app.
//!
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

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure};
use shared::dynamodb::entity;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::account::Account;
use shared::entities::{Favorite, IdempotencyScope, IdempotentRequest, favorite_count};
use shared::http::answer;
use shared::http::extract::{Body, FromFields, Owner};
use shared::http::fields::Fields;
use shared::http::idempotency::Idempotency;
use shared::values::{ClipType, CreatorId, DataId, EpochMillis, Title, Url, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct ClipFavorite {
    table: Table,
    photos: String,
}

impl Route for ClipFavorite {
    const NAME: &'static str = "clip-favorite";
    const ROUTE: &'static str = "POST /users/{username}/favorites";
    const SUMMARY: &'static str =
        "Creates a favorite. If the user already has a favorite with this id, it stays unchanged and is returned.";
    const SUCCESSES: &'static [Success] = &[Success::OK, Success::CREATED_AT];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount, ErrorKind::TooManyFavorites];

    type Input = (Owner, Body<NewFavorite>, Idempotency);
    type Body = Favorite;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, photos: process.variable("PHOTOS_TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Owner(caller), Body(NewFavorite(favorite)), idempotency): Self::Input,
    ) -> Result<Response<Favorite>, Error> {
        let Self { table, photos } = self;
        let username = &caller.username;
        let account = Account { table_name: photos, username, subject: &caller.subject };
        let idempotent = IdempotentRequest::of(idempotency, username, &IdempotencyScope::Favorites);

        let put_favorite = Put::builder()
            .table_name(&table.name)
            .set_item(Some(favorite.item(username)))
            .condition_expression("attribute_not_exists(pk)")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()?;
        let put_record =
            idempotent.as_ref().map(|idempotent| idempotent.put_record(&table.name, &favorite)).transpose()?;
        let mut transaction = Transaction::new();
        let put = transaction.put(put_favorite);
        transaction.update(favorite_count::increment(&table.name, username)?);
        let check = transaction.condition_check(account.check()?);
        let record = put_record.map(|record| transaction.put(record));
        let failed = match transaction.write(&table.client).await? {
            Outcome::Committed => return created(username, &favorite),
            Outcome::ConditionFailed(failed) => failed,
        };
        account.require(&failed, check)?;
        if let Some(idempotent) = &idempotent
            && let Some(record) = failed.item(record)
        {
            return idempotent.repeated(record.clone());
        }
        // If there is a favorite with this id, nothing is written, and the idempotency key stays
        // unused.
        match failed.item(put) {
            Some(existing) => answer::ok(&entity::from_item::<Favorite>(existing.clone())?),
            None => Err(favorite_count::too_many()),
        }
    }
}

fn created(username: &Username, favorite: &Favorite) -> Result<Response<Favorite>, Error> {
    answer::created_at(&format!("/users/{username}/favorites/{}", favorite.data_id), favorite)
}

/// The favorite that a request describes.
pub struct NewFavorite(Favorite);

impl FromFields for NewFavorite {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        let data_type = fields.required::<ClipType>("dataType");
        let title = fields.required::<Title>("title");
        let data_id = fields.optional::<DataId>("dataId");
        let creator_id = fields.optional::<CreatorId>("creatorId");
        let thumbnail_url = fields.optional::<Url>("thumbnailUrl");
        let content_url = fields.optional::<Url>("contentUrl");
        fields.finish()?;

        let data_id = data_id?;
        if data_id.as_ref().is_some_and(|id| id.photo().is_some()) {
            return Err(Error::invalid(
                "dataId",
                "must not be that of a saved photo; save it by PUT /users/{username}/saved/{author}/{photo}",
            ));
        }
        Ok(Self(Favorite {
            data_id: data_id.unwrap_or_else(DataId::new),
            data_type: data_type?.into(),
            title: title?.into(),
            creator_id: creator_id?.map(Into::into),
            thumbnail_url: thumbnail_url?.map(Into::into),
            content_url: content_url?.map(Into::into),
            clip_time: EpochMillis::now(),
            tag_count: Some(0),
            tag_ids: BTreeSet::new(),
        }))
    }
}
