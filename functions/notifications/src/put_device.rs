//! One `TransactWriteItems` updates the item of the caller's devices, and checks that the caller's
//! profile is of the caller's account. The update has the condition that the maximum is kept. If
//! there are too many devices, another transaction replaces the one that was not used for longest, on
//! the condition that it was not used meanwhile.
//!
//! A repeated request only moves the time of the last use.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::{N, S, Ss};
use aws_sdk_dynamodb::types::{ReturnValuesOnConditionCheckFailure, Update};
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::account::Account;
use shared::entities::{Address, DEVICE_IDS, Device, Key, MAX_DEVICES, ShownDevice, all_devices, device_attribute};
use shared::http::answer;
use shared::http::extract::{Body, FromFields, Owner, Path};
use shared::http::fields::Fields;
use shared::values::{AppVersion, DeviceId, Locale, Timestamp, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

use crate::services::Services;

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of transactions. Two are needed to replace a device. More are
/// needed only if other requests change the devices meanwhile.
const MAX_ATTEMPTS: usize = 5;

/// The route.
pub struct PutDevice {
    table: Table,
    feed: Table,
    services: Services,
}

impl Route for PutDevice {
    const NAME: &'static str = "put-device";
    const ROUTE: &'static str = "PUT /users/{username}/devices/{id}";
    const SUMMARY: &'static str = "Registers a device, to which pushes go from now on. An app sends this request whenever it starts: a device that \
         is not used for 60 days expires. The 21st device replaces the one that was not used for longest.";
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Owner, Path<DeviceId>, Body<Registration>);
    type Body = ShownDevice;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            services: Services::from_process(process)?,
        })
    }

    async fn answer(
        &self,
        (Owner(caller), Path(id), Body(Registration { address, locale, app_version })): Self::Input,
    ) -> Result<Response<ShownDevice>, Error> {
        let Self { table, feed, services } = self;
        let username = &caller.username;
        services.check(&address)?;
        let device = Device { address, locale, app_version, used: Timestamp::now() };
        let account = Account { table_name: &table.name, username, subject: &caller.subject };

        let mut replaced = None;
        for _ in 0..MAX_ATTEMPTS {
            let mut transaction = Transaction::new();
            let put = transaction.update(update(feed, username, &id, &device, replaced.as_ref())?);
            let profile = transaction.condition_check(account.check_profile()?);
            let failed = match transaction.write(&table.client).await? {
                Outcome::Committed => return answer::ok(&ShownDevice::new(id, device)),
                Outcome::ConditionFailed(failed) => failed,
            };
            account.require(&failed, profile)?;
            let devices = all_devices(failed.item(put).cloned().unwrap_or_default())?;
            let is_full = devices.len() >= MAX_DEVICES && devices.iter().all(|(other, _)| *other != id);
            replaced = is_full.then_some(devices);
        }
        Err(Error::Busy("other requests changed the devices during each attempt".into()))
    }
}

/// Returns the update that sets a device. With all devices as they were read, it replaces the last one
/// of them.
fn update(
    feed: &Table,
    user: &Username,
    id: &DeviceId,
    device: &Device,
    replaced: Option<&Vec<(DeviceId, Device)>>,
) -> Result<Update, Error> {
    let update = Update::builder()
        .table_name(&feed.name)
        .set_key(Some(Key::devices(user).into()))
        .expression_attribute_names("#ids", DEVICE_IDS)
        .expression_attribute_names("#device", device_attribute(id))
        .expression_attribute_names("#ttl", "ttl")
        .expression_attribute_values(":device", serde_dynamo::to_attribute_value(device)?)
        .expression_attribute_values(":ttl", N(device.ttl().to_string()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let Some((devices, (last, unused))) = replaced.and_then(|devices| Some((devices, devices.last()?))) else {
        let update = update
            .condition_expression("attribute_not_exists(#ids) OR size(#ids) < :max OR contains(#ids, :id)")
            .update_expression("SET #device = :device, #ttl = :ttl ADD #ids :ids")
            .expression_attribute_values(":max", N(MAX_DEVICES.to_string()))
            .expression_attribute_values(":id", S(id.to_string()))
            .expression_attribute_values(":ids", Ss(vec![id.to_string()]));
        return Ok(update.build()?);
    };
    let before: BTreeSet<String> = devices.iter().map(|(id, _)| id.to_string()).collect();
    let mut after = before.clone();
    after.remove(last.as_ref());
    after.insert(id.to_string());
    let update = update
        .condition_expression("#ids = :before AND #last.#used = :used")
        .update_expression("SET #device = :device, #ttl = :ttl, #ids = :after REMOVE #last")
        .expression_attribute_names("#last", device_attribute(last))
        .expression_attribute_names("#used", "used")
        .expression_attribute_values(":used", S(unused.used.to_string()))
        .expression_attribute_values(":before", Ss(before.into_iter().collect()))
        .expression_attribute_values(":after", Ss(after.into_iter().collect()));
    Ok(update.build()?)
}

/// The body of a registration: the device, as its app describes it.
pub struct Registration {
    address: Address,
    locale: Option<Locale>,
    app_version: Option<AppVersion>,
}

impl FromFields for Registration {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        let address = fields.required::<Address>("address");
        let locale = fields.optional::<Locale>("locale");
        let app_version = fields.optional::<AppVersion>("appVersion");
        fields.finish()?;
        Ok(Self { address: address?, locale: locale?, app_version: app_version? })
    }
}
