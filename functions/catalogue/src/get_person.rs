//! One `GetItem` reads the person.

use shared::document::Document;
use shared::entities::person_key;
use shared::http::extract::{Path, Query};
use shared::http::request::Caller;
use shared::http::versioned;
use shared::values::{DocumentFormat, PersonId};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct GetPerson {
    table: Table,
}

impl Route for GetPerson {
    const NAME: &'static str = "get-person";
    const ROUTE: &'static str = "GET /people/{personId}";
    const SUMMARY: &'static str = "Returns a person with all their attributes.";
    const SUCCESSES: &'static [Success] = &[Success::OK.versioned()];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoPerson];

    type Input = (Path<PersonId>, Caller, Query<DocumentFormat>);
    type Body = Document;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(&self, (Path(person_id), _, Query(format)): Self::Input) -> Result<Response<Document>, Error> {
        let Self { table } = self;
        let output =
            table.client.get_item().table_name(&table.name).set_key(Some(person_key(&person_id))).send().await?;

        let person = output
            .item
            .ok_or_else(|| Error::refused(ErrorKind::NoPerson, format!("There is no person {person_id}.")))?;
        versioned::ok(format, person)
    }
}
