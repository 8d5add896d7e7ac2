//! `POST /users/{username}/photos`: a new photo, by one `TransactWriteItems` that puts it and checks that its owner has
//! a profile. The server's clock names it.

use aws_sdk_dynamodb::types::{ConditionCheck, Put, TransactWriteItem};
use shared::dynamodb::transaction;
use shared::dynamodb::transaction::Outcome;
use shared::http::answer;
use shared::http::request::{Caller, Fields, path};
use shared::model::entity;
use shared::model::photos::{Key, Photo};
use shared::values::{PhotoFormat, ReactionType, Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let bucket = std::env::var("PHOTO_BUCKET").map_err(|_| "PHOTO_BUCKET is not set")?;
    shared::run(|table, request| upload_photo(table, request, &bucket)).await
}

async fn upload_photo(table: Table, request: Request, bucket: &str) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::of(&request)?;
    caller.must_be(&username)?;
    let mut fields = Fields::of(&request)?;
    let format = fields.optional::<PhotoFormat>("format");
    fields.finish()?;
    let format = format?.unwrap_or(PhotoFormat::Png);

    loop {
        let timestamp = Timestamp::now();
        let photo = Photo {
            username: username.clone(),
            location: format!("s3://{bucket}/photos/{username}/{timestamp}.{format}"),
            reactions: ReactionType::ALL.iter().map(|&reaction| (reaction, 0)).collect(),
            timestamp,
        };
        let put_photo = Put::builder()
            .table_name(&table.name)
            .set_item(Some(entity::to_item(Key::photo(&username, &photo.timestamp), &photo)?))
            .condition_expression("attribute_not_exists(PK)")
            .build()?;
        let owner_is_a_user = ConditionCheck::builder()
            .table_name(&table.name)
            .set_key(Some(Key::user(&username).into()))
            .condition_expression("attribute_exists(username)")
            .build()?;
        let transaction = table
            .client
            .transact_write_items()
            .transact_items(TransactWriteItem::builder().put(put_photo).build())
            .transact_items(TransactWriteItem::builder().condition_check(owner_is_a_user).build());

        match transaction::write(transaction).await? {
            Outcome::Committed => {
                let location = format!("/users/{username}/photos/{}", photo.timestamp);
                return answer::created(&location, &photo);
            }
            Outcome::ConditionFailed(failed) if failed.contains(1) => return Err(Error::no_user(&username)),
            // Another photo of this user has the same millisecond. The clock has moved on since.
            Outcome::ConditionFailed(_) => {}
        }
    }
}
