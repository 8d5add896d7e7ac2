//! `GET /people/{personId}`: returns a person with all their attributes by one `GetItem`.

use shared::catalogue::{person_key, versioned};
use shared::document::Document;
use shared::http::request::{Caller, path, query};
use shared::values::{DocumentFormat, PersonId};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    shared::run_with_query(&["format"], get_person).await
}

async fn get_person(table: Table, request: Request) -> Result<Response<Document>, Error> {
    let person_id: PersonId = path(&request, "personId")?;
    Caller::from_request(&request)?;
    let format = query::<DocumentFormat>(&request, "format")?.unwrap_or(DocumentFormat::Json);

    let output = table.client.get_item().table_name(&table.name).set_key(Some(person_key(&person_id))).send().await?;

    let person = output.item.ok_or_else(|| Error::NotFound(format!("person {person_id}")))?;
    versioned::ok(format, person)
}
