//! `GET /people/{personId}`: a person with all that they have, by one `GetItem`.

use shared::document::write;
use shared::http::answer;
use shared::http::precondition::take_tag;
use shared::http::request::{Caller, path, query};
use shared::model::catalogue::person_key;
use shared::values::{DocumentFormat, PersonId};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(get_person).await
}

async fn get_person(table: Table, request: Request) -> Result<Response, Error> {
    let person_id: PersonId = path(&request, "personId")?;
    Caller::of(&request)?;
    let form = query(&request, "format")?.unwrap_or(DocumentFormat::Json);

    let output = table.client.get_item().table_name(&table.name).set_key(Some(person_key(&person_id))).send().await?;

    let mut person = output.item.ok_or_else(|| Error::NotFound(format!("person {person_id}")))?;
    let tag = take_tag(&mut person);
    answer::tagged(answer::ok(&write(form, &person)?)?, &tag)
}
