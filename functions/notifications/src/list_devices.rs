//! One `GetItem` of `<stage>.Feed` reads all devices of the caller, which are one item.

use serde::Serialize;
use shared::entities::{Key, ShownDevice, devices};
use shared::http::answer;
use shared::http::extract::Owner;
use shared::{Error, Process, Response, Route, StartError, Table};

use crate::vapid::Vapid;

#[cfg(test)]
mod tests;

/// The devices of the caller.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Devices {
    /// The devices, those that were used last first.
    devices: Vec<ShownDevice>,
    /// The public key that a browser [needs to
    /// subscribe](https://www.w3.org/TR/push-api/#dom-pushsubscriptionoptions-applicationserverkey), in
    /// base64url.
    application_server_key: String,
}

/// The route.
pub struct ListDevices {
    feed: Table,
    vapid: Vapid,
}

impl Route for ListDevices {
    const NAME: &'static str = "list-devices";
    const ROUTE: &'static str = "GET /users/{username}/devices";
    const SUMMARY: &'static str =
        "Returns the devices to which the caller's pushes go, and the key with which a browser subscribes to them.";

    type Input = (Owner,);
    type Body = Devices;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { feed: process.table("FEED_TABLE_NAME")?, vapid: Vapid::from_process(process)? })
    }

    async fn answer(&self, (Owner(caller),): Self::Input) -> Result<Response<Devices>, Error> {
        let Self { feed, vapid } = self;
        let get = feed.client.get_item().table_name(&feed.name).set_key(Some(Key::devices(&caller.username).into()));
        let devices = devices(get.send().await?.item.unwrap_or_default())?;
        let devices = devices.into_iter().map(|(id, device)| ShownDevice::new(id, device)).collect();
        answer::private(&Devices { devices, application_server_key: vapid.public_key() })
    }
}
