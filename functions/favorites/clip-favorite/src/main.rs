//! `POST /users/{username}/favorites`: creates a favorite by one `TransactWriteItems`, which puts
//! the favorite, on the condition that the user has none with this id, and increments the user's
//! count of favorites, on the condition that it is less than [`MAX_FAVORITES`]. If the user already
//! has a favorite with this id, the function leaves it unchanged and returns it, also at the
//! maximum.
//!
//! The transaction also checks that the name is not that of another account
//! ([`account`](shared::photos::account)).
//!
//! With the header `Idempotency-Key`, the same transaction also puts a record of the key, on the
//! condition that there is none. If there is one, the answer is 200 with the favorite that the
//! first request created.
//!
//! A favorite may refer to a photo of the app. Its id is then that of the photo, so a user saves each
//! photo once. The transaction also checks that the photo is ready, and marks it as saved in the
//! caller's engagement with it, in `<stage>.Feed`.
//!
//! [`MAX_FAVORITES`]: shared::favorites::MAX_FAVORITES

use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem};
use shared::dynamodb::transaction::Outcome;
use shared::dynamodb::{entity, transaction};
use shared::favorites::{Favorite, IdempotencyScope, count};
use shared::feed::{self, engage_by_save};
use shared::http::answer;
use shared::http::idempotency::IdempotentRequest;
use shared::http::request::{Caller, Fields, path};
use shared::photos::account::Account;
use shared::photos::check_ready_photo;
use shared::values::{CreatorId, DataId, DataType, EpochMillis, PhotoReference, Title, Url, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// The positions in the transaction of the puts of the favorite and of the idempotency record, by
/// which their failed conditions are known. The count is between them.
const FAVORITE: usize = 0;
const IDEMPOTENCY_RECORD: usize = 2;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let photos = std::env::var("PHOTOS_TABLE_NAME").map_err(|_| "PHOTOS_TABLE_NAME is not set")?;
    let feed = std::env::var("FEED_TABLE_NAME").map_err(|_| "FEED_TABLE_NAME is not set")?;
    shared::run(|table, request| clip_favorite(table, &photos, &feed, request)).await
}

async fn clip_favorite(table: Table, photos: &str, feed: &str, request: Request) -> Result<Response<Favorite>, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::from_request(&request)?;
    caller.must_be(&username)?;
    let account = Account { table_name: photos, username: &username, subject: &caller.subject };
    let favorite = parse_favorite(&request)?;
    let photo = favorite.data_id.photo();
    let idempotent = IdempotentRequest::from_request(&request, &username, &IdempotencyScope::Favorites)?;

    let put_favorite = Put::builder()
        .table_name(&table.name)
        .set_item(Some(favorite.item(&username)))
        .condition_expression("attribute_not_exists(pk)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let mut transaction = table
        .client
        .transact_write_items()
        .transact_items(TransactWriteItem::builder().put(put_favorite).build())
        .transact_items(count::increment(&table.name, &username)?);
    if let Some(idempotent) = &idempotent {
        let put_record = idempotent.put_record(&table.name, &favorite)?;
        transaction = transaction.transact_items(TransactWriteItem::builder().put(put_record).build());
    }

    // The position of the check of the photo.
    let photo_index = 2 + usize::from(idempotent.is_some());
    if let Some(PhotoReference { username: owner, timestamp }) = &photo {
        transaction = transaction
            .transact_items(check_ready_photo(photos, owner, timestamp)?)
            .transact_items(engage_by_save(feed, feed::Key::engagement(&username, owner, timestamp), true)?);
    }

    let mut failed = match transaction::write(transaction.transact_items(account.check()?)).await? {
        Outcome::Committed => return created(&username, &favorite),
        Outcome::ConditionFailed(failed) => failed,
    };
    account.require(&mut failed)?;
    if let (Some(idempotent), Some(record)) = (&idempotent, failed.take_item(IDEMPOTENCY_RECORD)) {
        return idempotent.repeated(record);
    }
    // If there is a favorite with this id, nothing is written, and the idempotency key stays
    // unused.
    match (failed.take_item(FAVORITE), photo) {
        (Some(existing), _) => answer::ok(&entity::from_item::<Favorite>(existing)?),
        (None, Some(photo)) if failed.contains(photo_index) => Err(Error::no_photo(&photo.username, &photo.timestamp)),
        (None, _) => Err(count::too_many()),
    }
}

fn created(username: &Username, favorite: &Favorite) -> Result<Response<Favorite>, Error> {
    answer::created_at(&format!("/users/{username}/favorites/{}", favorite.data_id), favorite)
}

/// Parses the body. A favorite without a `dataId` gets a new one, or that of the photo to which it
/// refers.
fn parse_favorite(request: &Request) -> Result<Favorite, Error> {
    let mut fields = Fields::from_request(request)?;
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
    Ok(Favorite {
        data_id: data_id.or_else(|| photo.as_ref().map(DataId::of_photo)).unwrap_or_else(DataId::new),
        data_type: data_type?,
        title: title?.into(),
        creator_id: photo.map(|photo| photo.username.to_string()).or(creator_id?.map(Into::into)),
        thumbnail_url: thumbnail_url?.map(Into::into),
        content_url: content_url?.map(Into::into),
        clip_time: EpochMillis::now(),
        tag_count: Some(0),
    })
}
