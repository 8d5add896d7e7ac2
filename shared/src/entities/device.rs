//! The devices of a user, to which pushes are sent.
//!
//! All devices of a user are attributes of one item, which is in the partition of the inbox. So one
//! read has all to which a push goes, one write registers a device and keeps the maximum, and the
//! deletion of the inbox deletes them.

use aws_sdk_dynamodb::types::AttributeValue::M;
use serde::{Deserialize, Serialize};

use super::key::Key;
use super::notification::inbox_pk;
use crate::Error;
use crate::dynamodb::{Item, expiry};
use crate::values::{
    AppVersion, DeviceId, DeviceKind, Locale, PushEndpoint, PushKeys, PushToken, Time, Timestamp, Username, Value,
};

/// The sort key of the devices of a user.
pub const DEVICES: &str = "DEVICES";
/// The attribute with the ids of the devices, a set.
pub const DEVICE_IDS: &str = "ids";
/// The maximum number of devices of a user. The next one replaces the one that was not used for
/// longest.
pub const MAX_DEVICES: usize = 20;
/// The number of days after its last use in which a device expires.
pub const DEVICE_LIFETIME_DAYS: u64 = 60;

/// The prefix of the attributes with a device each. Its id follows.
const DEVICE_PREFIX: &str = "device#";

/// A device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Device {
    /// The address to which pushes go.
    pub address: Address,
    /// The language of the texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<Locale>,
    /// The version of the app.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_version: Option<AppVersion>,
    /// The time at which the app was last used.
    pub used: Timestamp,
}

/// The address of a device.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum Address {
    /// A browser, with what its
    /// [`PushSubscription`](https://www.w3.org/TR/push-api/#pushsubscription-interface) has.
    Web {
        /// The address at its push service.
        endpoint: PushEndpoint,
        /// The keys for which messages are encrypted.
        keys: PushKeys,
    },
    /// A device of Apple.
    Apns {
        /// The token.
        token: PushToken,
    },
    /// A device with Firebase.
    Fcm {
        /// The token.
        token: PushToken,
    },
}

impl Value for Address {
    const RULE: &'static str =
        "an object with the kind web, an endpoint and keys, or with the kind apns or fcm and a token";
}

impl Address {
    /// Returns the kind of the device.
    #[must_use]
    pub const fn kind(&self) -> DeviceKind {
        match self {
            Self::Web { .. } => DeviceKind::Web,
            Self::Apns { .. } => DeviceKind::Apns,
            Self::Fcm { .. } => DeviceKind::Fcm,
        }
    }
}

impl Device {
    /// Returns the time at which the device expires, in seconds since 1970.
    #[must_use]
    pub fn ttl(&self) -> u64 {
        self.used.seconds() + DEVICE_LIFETIME_DAYS * 24 * 60 * 60
    }

    /// Returns whether the device has expired.
    #[must_use]
    pub fn has_expired(&self) -> bool {
        expiry::is_over(self.ttl())
    }
}

/// A device as answers show it, without its address, by which anybody could send pushes to it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownDevice {
    /// The id.
    id: DeviceId,
    kind: DeviceKind,
    /// The language of the texts. English without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    locale: Option<Locale>,
    /// The version of the app.
    #[serde(skip_serializing_if = "Option::is_none")]
    app_version: Option<AppVersion>,
    /// The time at which the app was last used.
    used: Time,
    /// The time at which the device expires, unless the app is used before.
    until: Time,
}

impl ShownDevice {
    /// Returns a device as answers show it.
    #[must_use]
    pub fn new(id: DeviceId, device: Device) -> Self {
        let until = Time::from_epoch_seconds(device.ttl());
        let Device { address, locale, app_version, used } = device;
        Self { id, kind: address.kind(), locale, app_version, used: used.into(), until }
    }
}

impl Key {
    /// Returns the key of the [devices](self) of a user.
    #[must_use]
    pub fn devices(user: &Username) -> Self {
        Self::of_feed(inbox_pk(user), DEVICES.to_owned())
    }
}

/// Returns the attribute of a device.
#[must_use]
pub fn device_attribute(id: &DeviceId) -> String {
    format!("{DEVICE_PREFIX}{id}")
}

/// Returns the devices of an item that have not expired, those that were used last first.
pub fn devices(item: Item) -> Result<Vec<(DeviceId, Device)>, Error> {
    let mut devices = all_devices(item)?;
    devices.retain(|(_, device)| !device.has_expired());
    Ok(devices)
}

/// Returns all devices of an item, those that were used last first.
pub fn all_devices(item: Item) -> Result<Vec<(DeviceId, Device)>, Error> {
    let mut devices = vec![];
    for (name, value) in item {
        if let (Some(id), M(device)) = (name.strip_prefix(DEVICE_PREFIX), value) {
            let id = id.parse().map_err(|_| Error::internal("a device has an invalid id"))?;
            devices.push((id, serde_dynamo::from_item(device)?));
        }
    }
    devices.sort_by(|(id, device): &(DeviceId, Device), (other_id, other)| {
        other.used.cmp(&device.used).then_with(|| id.cmp(other_id))
    });
    Ok(devices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_unchanged_after_a_round_trip_and_those_used_last_come_first() {
        let device = |token: &str, used: &str| Device {
            address: Address::Fcm { token: token.parse().unwrap() },
            locale: Some("en-GB".parse().unwrap()),
            app_version: None,
            used: used.parse().unwrap(),
        };
        let (old, new) = (device("a", "2024-05-30T15:42:38.000Z"), device("b", "2999-05-30T15:42:38.000Z"));
        let mut item = Item::from(Key::devices(&"ada".parse().unwrap()));
        for (id, device) in [("1", &old), ("2", &new)] {
            let id = id.parse().unwrap();
            item.insert(device_attribute(&id), serde_dynamo::to_attribute_value(device).unwrap());
        }
        let [first, second] = ["2", "1"].map(|id| id.parse().unwrap());
        assert_eq!(all_devices(item.clone()).unwrap(), [(first, new), (second, old)]);
        assert_eq!(devices(item).unwrap().len(), 1, "the other one has expired");
    }
}
