//! One `TransactWriteItems` removes the device from the item of the caller's devices, and checks that
//! the caller's profile is of the caller's account. A repeated request changes nothing.

use aws_sdk_dynamodb::types::AttributeValue::Ss;
use aws_sdk_dynamodb::types::Update;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::account::Account;
use shared::entities::{DEVICE_IDS, Key, device_attribute};
use shared::http::answer;
use shared::http::extract::{Owner, Path};
use shared::values::DeviceId;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct DeleteDevice {
    table: Table,
    feed: Table,
}

impl Route for DeleteDevice {
    const NAME: &'static str = "delete-device";
    const ROUTE: &'static str = "DELETE /users/{username}/devices/{id}";
    const SUMMARY: &'static str = "Ends the pushes to a device. An app sends this request when its user signs out.";
    const SUCCESSES: &'static [Success] = &[Success::no_content("No pushes go to the device.")];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Owner, Path<DeviceId>);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, feed: process.table("FEED_TABLE_NAME")? })
    }

    async fn answer(&self, (Owner(caller), Path(id)): Self::Input) -> Result<Response<()>, Error> {
        let Self { table, feed } = self;
        let username = &caller.username;
        let update = Update::builder()
            .table_name(&feed.name)
            .set_key(Some(Key::devices(username).into()))
            .condition_expression("attribute_exists(#device)")
            .update_expression("REMOVE #device DELETE #ids :ids")
            .expression_attribute_names("#device", device_attribute(&id))
            .expression_attribute_names("#ids", DEVICE_IDS)
            .expression_attribute_values(":ids", Ss(vec![id.to_string()]))
            .build()?;
        let account = Account { table_name: &table.name, username, subject: &caller.subject };
        let mut transaction = Transaction::new();
        transaction.update(update);
        let profile = transaction.condition_check(account.check_profile()?);
        if let Outcome::ConditionFailed(failed) = transaction.write(&table.client).await? {
            account.require(&failed, profile)?;
        }
        Ok(answer::no_content())
    }
}
