//! Route `$connect` of the WebSocket API: begins the connection of a screen.
//!
//! One `UpdateItem` takes the ticket out of the screen, and notes the connection. It has the condition
//! that the ticket is there and not older than a minute, so it opens one connection. The connection that
//! the screen had before is closed.
//!
//! API Gateway has no JWT authorizer for a WebSocket, and a browser sends no header with one. The ticket
//! was given to the account of the token by put-screen.

use std::time::SystemTime;

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::{ReturnValue, ReturnValuesOnConditionCheckFailure};
use shared::dynamodb::{Item, entity};
use shared::entities::{Key, Screen, Screens, TICKET_LIFETIME};
use shared::runtime::connection::Connection;
use shared::values::{ScreenId, Ticket, Timestamp, Username};
use shared::{Error, Handler, Process, StartError, Table};

use crate::connections::Connections;

#[cfg(test)]
mod tests;

/// The function.
pub struct ConnectScreen {
    feed: Table,
    connections: Connections,
}

impl Handler for ConnectScreen {
    const NAME: &'static str = "connect-screen";

    type Event = Connection;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { feed: process.table("FEED_TABLE_NAME")?, connections: Connections::from_process(process)? })
    }

    async fn handle(&self, connection: Connection) -> Result<(), Error> {
        let Self { feed, connections } = self;
        let (user, id, ticket) = parameters(&connection).ok_or(Error::Unauthenticated)?;
        let oldest = SystemTime::now().checked_sub(TICKET_LIFETIME).map(Timestamp::from);
        let oldest = oldest.ok_or_else(|| Error::internal("the clock is before 1970"))?;
        let update = feed
            .client
            .update_item()
            .table_name(&feed.name)
            .set_key(Some(Key::screens(&user).into()))
            .condition_expression("#screens.#id.#ticket = :ticket AND #screens.#id.#used >= :oldest")
            .update_expression(
                "SET #screens.#id.#connection = :connection ADD revision :one REMOVE #screens.#id.#ticket",
            )
            .expression_attribute_names("#screens", "screens")
            .expression_attribute_names("#id", id.to_string())
            .expression_attribute_names("#ticket", "ticket")
            .expression_attribute_names("#used", "used")
            .expression_attribute_names("#connection", "connection")
            .expression_attribute_values(":ticket", S(ticket.to_string()))
            .expression_attribute_values(":oldest", S(oldest.to_string()))
            .expression_attribute_values(":connection", S(connection.id().to_owned()))
            .expression_attribute_values(":one", N("1".to_owned()))
            .return_values(ReturnValue::AllOld)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        match update.send().await {
            Ok(output) => {
                let before = screen(output.attributes, &id)?.and_then(|screen| screen.connection);
                if let Some(before) = before.filter(|before| before != connection.id()) {
                    connections.close(&before).await;
                }
                Ok(())
            }
            Err(error) => match error.as_service_error() {
                // The SDK sends the update again after a lost answer.
                Some(UpdateItemError::ConditionalCheckFailedException(failed)) => {
                    let found = screen(failed.item.clone(), &id)?.and_then(|screen| screen.connection);
                    if found.as_deref() == Some(connection.id()) { Ok(()) } else { Err(Error::Unauthenticated) }
                }
                _ => Err(error.into()),
            },
        }
    }
}

/// Returns the parameters of the URL, which put-screen has made.
fn parameters(connection: &Connection) -> Option<(Username, ScreenId, Ticket)> {
    let [user, screen, ticket] = ["user", "screen", "ticket"].map(|name| connection.parameter(name));
    Some((user?.parse().ok()?, screen?.parse().ok()?, ticket?.parse().ok()?))
}

/// Returns a screen of an item.
fn screen(item: Option<Item>, id: &ScreenId) -> Result<Option<Screen>, Error> {
    let screens: Option<Screens> = item.map(entity::from_item).transpose()?;
    Ok(screens.and_then(|mut screens| screens.screens.remove(id)))
}
