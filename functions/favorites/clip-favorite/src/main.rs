//! `POST /users/{username}/favorites`: creates a favorite by one conditional `PutItem`. If the user already has a
//! favorite with this id, the function leaves it unchanged and returns it.
//!
//! With the header `Idempotency-Key`, one `TransactWriteItems` puts the favorite on the same condition, and a record of
//! the key on the condition that there is none. If there is one, the answer is 200 with the favorite that the first
//! request created.

use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem};
use shared::dynamodb::transaction;
use shared::dynamodb::transaction::Outcome;
use shared::http::answer;
use shared::http::idempotency::IdempotentRequest;
use shared::http::request::{Caller, Fields, path};
use shared::model::entity;
use shared::model::favorites::{Favorite, IdempotencyScope};
use shared::values::{CreatorId, DataId, DataType, EpochMillis, Title, Url, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// The positions of the two puts in the transaction of a request with an idempotency key, by which their failed
/// conditions are known.
const FAVORITE: usize = 0;
const IDEMPOTENCY_RECORD: usize = 1;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(clip_favorite).await
}

async fn clip_favorite(table: Table, request: Request) -> Result<Response<Favorite>, Error> {
    let username: Username = path(&request, "username")?;
    Caller::of(&request)?.must_be(&username)?;
    let favorite = parse_favorite(&request)?;
    match IdempotentRequest::of(&request, &username, IdempotencyScope::Favorites)? {
        None => clip(&table, &username, favorite).await,
        Some(idempotent) => clip_once(&table, &username, favorite, &idempotent).await,
    }
}

/// Clips a favorite by one `PutItem`.
async fn clip(table: &Table, username: &Username, favorite: Favorite) -> Result<Response<Favorite>, Error> {
    let put = table
        .client
        .put_item()
        .table_name(&table.name)
        .set_item(Some(favorite.item(username)))
        .condition_expression("attribute_not_exists(pk)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await;

    let stored: Favorite = match put {
        Ok(_) => favorite.clone(),
        Err(error) => match error.as_service_error() {
            Some(PutItemError::ConditionalCheckFailedException(failed)) => {
                entity::from_item(failed.item.clone().unwrap_or_default())?
            }
            _ => return Err(error.into()),
        },
    };
    // After a lost answer the SDK repeats the request, and the condition fails on the item that the first one put. That
    // item may have a tag by now.
    let is_own = Favorite { tag_count: favorite.tag_count, ..stored.clone() } == favorite;
    if is_own { created(username, &stored) } else { answer::ok(&stored) }
}

/// Clips a favorite by one `TransactWriteItems`, which also puts the record of the idempotency key.
///
/// If the user already has a favorite with this id, nothing is written, and the key stays unused.
async fn clip_once(
    table: &Table,
    username: &Username,
    favorite: Favorite,
    idempotent: &IdempotentRequest,
) -> Result<Response<Favorite>, Error> {
    let put_favorite = Put::builder()
        .table_name(&table.name)
        .set_item(Some(favorite.item(username)))
        .condition_expression("attribute_not_exists(pk)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let put_record = idempotent.put_record(&table.name, &favorite)?;
    let transaction = table
        .client
        .transact_write_items()
        .transact_items(TransactWriteItem::builder().put(put_favorite).build())
        .transact_items(TransactWriteItem::builder().put(put_record).build());

    let mut failed = match transaction::write(transaction).await? {
        Outcome::Committed => return created(username, &favorite),
        Outcome::ConditionFailed(failed) => failed,
    };
    if let Some(record) = failed.take_item(IDEMPOTENCY_RECORD) {
        return idempotent.repeated(record);
    }
    let existing: Favorite = entity::from_item(failed.take_item(FAVORITE).unwrap_or_default())?;
    answer::ok(&existing)
}

fn created(username: &Username, favorite: &Favorite) -> Result<Response<Favorite>, Error> {
    answer::created_at(&format!("/users/{username}/favorites/{}", favorite.data_id), favorite)
}

/// Parses the body. A favorite without a `dataId` gets a new one.
fn parse_favorite(request: &Request) -> Result<Favorite, Error> {
    let mut fields = Fields::of(request)?;
    let data_type = fields.required::<DataType>("dataType");
    let title = fields.required::<Title>("title");
    let data_id = fields.optional::<DataId>("dataId");
    let creator_id = fields.optional::<CreatorId>("creatorId");
    let thumbnail_url = fields.optional::<Url>("thumbnailUrl");
    let content_url = fields.optional::<Url>("contentUrl");
    fields.finish()?;

    Ok(Favorite {
        data_id: data_id?.unwrap_or_else(DataId::new),
        data_type: data_type?,
        title: title?.into(),
        creator_id: creator_id?.map(Into::into),
        thumbnail_url: thumbnail_url?.map(Into::into),
        content_url: content_url?.map(Into::into),
        clip_time: EpochMillis::now(),
        tag_count: Some(0),
    })
}
