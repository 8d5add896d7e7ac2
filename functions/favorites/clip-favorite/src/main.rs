//! `POST /users/{username}/favorites`: creates a favorite by one conditional `PutItem`. If the user already has a
//! favorite with this id, the function leaves it unchanged and returns it.

use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use shared::http::answer;
use shared::http::request::{Caller, Fields, path};
use shared::model::entity;
use shared::model::favorites::Favorite;
use shared::values::{CreatorId, DataId, DataType, EpochMillis, Title, Url, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(clip_favorite).await
}

async fn clip_favorite(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    Caller::of(&request)?.must_be(&username)?;
    let favorite = parse_favorite(&request)?;

    let put = table
        .client
        .put_item()
        .table_name(&table.name)
        .set_item(Some(favorite.item(&username)))
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
    // After a lost answer the SDK repeats the request, and the condition fails on the item that the first one put.
    if stored == favorite {
        answer::created(&format!("/users/{username}/favorites/{}", stored.data_id), &stored)
    } else {
        answer::ok(&stored)
    }
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
