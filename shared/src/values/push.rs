//! The values of push notifications: devices, and what a user wants to be told.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use jiff::civil::Time;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::macros::{choice_value, text_value};
use super::{NotificationKind, Value};

/// The length of an uncompressed point of P-256 in bytes.
const POINT_BYTES: usize = 65;
/// The length of the authentication secret of a subscription in bytes.
/// <https://www.rfc-editor.org/rfc/rfc8291#section-3.2>
const AUTH_BYTES: usize = 16;

text_value! {
    /// The id of a device among the devices of its user, which the app chooses.
    DeviceId, "" 1..=64 " characters of A–Z, a–z, 0–9, - and _",
    |text| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)),
    {"pattern": "^[A-Za-z0-9_-]+$", "examples": ["phone-1"]}
}

choice_value! {
    /// The way in which a push reaches a device.
    DeviceKind,
    /// Apple Push Notification service.
    Apns = "apns",
    /// Firebase Cloud Messaging.
    Fcm = "fcm",
    /// The push service of a browser.
    Web = "web",
}

text_value! {
    /// The address at which a push service takes the messages for a browser.
    PushEndpoint, "a URL of " 8..=1024 " characters",
    |text| text.bytes().all(|byte| byte.is_ascii_graphic()) && (text.starts_with("https://") || text.starts_with("http://")),
    // A deployment may take others (WEB_PUSH_SERVICES).
    {
        "pattern": r"^https://(fcm\.googleapis\.com|[a-z0-9]{1,20}\.(push\.services\.mozilla\.com|notify\.windows\.com|push\.apple\.com))/[A-Za-z0-9/_.-]*$",
        "examples": ["https://fcm.googleapis.com/fcm/send/d1K9"],
    }
}

text_value! {
    /// The token by which Apple or Firebase knows a device.
    PushToken, "" 1..=4096 " characters without spaces", |text| text.bytes().all(|byte| byte.is_ascii_graphic()),
    {"pattern": "^[!-~]+$", "examples": ["740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad"]}
}

text_value! {
    /// The language of a device, with a region or without.
    Locale, "a language tag such as en-GB, of " 2..=35 " characters",
    |text| text.split('-').all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        && text.split('-').next().is_some_and(|language| language.len() >= 2 && language.bytes().all(|byte| byte.is_ascii_alphabetic())),
    {"pattern": "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$", "examples": ["en-GB"]}
}

text_value! {
    /// The version of the app on a device.
    AppVersion, "" 1..=32 " characters without spaces", |text| text.bytes().all(|byte| byte.is_ascii_graphic()),
    {"pattern": "^[!-~]+$", "examples": ["1.2"]}
}

/// The keys of the subscription of a browser, as
/// [`PushSubscription`](https://www.w3.org/TR/push-api/#dom-pushsubscription-getkey) has them.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", schemars(!try_from, deny_unknown_fields))]
#[serde(try_from = "RawKeys")]
pub struct PushKeys {
    /// The public key of the browser: an uncompressed point of P-256 in base64url.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^B[A-P][A-Za-z0-9_-]{84}[AEIMQUYcgkosw048]$")))]
    pub p256dh: String,
    /// The authentication secret: 16 bytes in base64url.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[A-Za-z0-9_-]{21}[AQgw]$")))]
    pub auth: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawKeys {
    p256dh: String,
    auth: String,
}

impl Value for PushKeys {
    const RULE: &'static str = "an object with the keys p256dh and auth of a subscription, in base64url";
}

impl TryFrom<RawKeys> for PushKeys {
    type Error = &'static str;

    fn try_from(RawKeys { p256dh, auth }: RawKeys) -> Result<Self, Self::Error> {
        let keys = Self { p256dh, auth };
        if keys.point().is_some() && keys.secret().is_some() { Ok(keys) } else { Err(Self::RULE) }
    }
}

impl PushKeys {
    /// Returns the bytes of the public key, which may not be on the curve.
    #[must_use]
    pub fn point(&self) -> Option<Vec<u8>> {
        BASE64.decode(&self.p256dh).ok().filter(|point| point.len() == POINT_BYTES && point[0] == 4)
    }

    /// Returns the bytes of the authentication secret.
    #[must_use]
    pub fn secret(&self) -> Option<[u8; AUTH_BYTES]> {
        BASE64.decode(&self.auth).ok()?.try_into().ok()
    }
}

choice_value! {
    /// The details that the lock screen of a device may show.
    #[derive(Default)]
    LockScreen,
    /// Who did something, and the beginning of a comment.
    #[default]
    Everything = "everything",
    /// That there is something new.
    Nothing = "nothing",
    /// Who did something.
    People = "people",
}

impl LockScreen {
    /// Returns whether it is the default, which an item leaves out.
    #[must_use]
    pub const fn is_everything(&self) -> bool {
        matches!(self, Self::Everything)
    }
}

/// The kinds of notifications of which a user wants no push.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<NotificationKind>")]
pub struct PushOff(Vec<NotificationKind>);

impl Value for PushOff {
    const RULE: &'static str = "a list of kinds of notifications, each of them once";
}

impl TryFrom<Vec<NotificationKind>> for PushOff {
    type Error = &'static str;

    fn try_from(mut kinds: Vec<NotificationKind>) -> Result<Self, Self::Error> {
        let number = kinds.len();
        kinds.sort_unstable();
        kinds.dedup();
        if kinds.len() == number { Ok(Self(kinds)) } else { Err(Self::RULE) }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for PushOff {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PushOff".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let kind = generator.subschema_for::<NotificationKind>();
        schemars::json_schema!({
            "type": "array", "items": kind, "uniqueItems": true,
            "description": "The kinds of notifications of which the user wants no push.",
            "examples": [["reaction"]],
        })
    }
}

impl PushOff {
    /// Returns whether the user wants no push of a kind.
    #[must_use]
    pub fn contains(&self, kind: NotificationKind) -> bool {
        self.0.contains(&kind)
    }

    /// Returns whether the user wants all pushes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the kinds.
    #[must_use]
    pub fn kinds(&self) -> &[NotificationKind] {
        &self.0
    }
}

/// The hours of a day in which a user gets no push.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", schemars(!try_from, deny_unknown_fields))]
#[serde(try_from = "RawQuietHours", rename_all = "camelCase")]
pub struct QuietHours {
    /// The first minute, such as `22:00`.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$")))]
    pub from: String,
    /// The minute in which they end, such as `07:00`. It may be of the next day.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$")))]
    pub to: String,
    /// The name of the time zone in the [database of IANA](https://www.iana.org/time-zones), such as
    /// `Europe/Berlin`.
    #[cfg_attr(feature = "schema", schemars(length(max = 64)))]
    pub time_zone: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RawQuietHours {
    from: String,
    to: String,
    time_zone: String,
}

impl Value for QuietHours {
    const RULE: &'static str = "an object with from and to, times such as 22:00 that are not the same, and timeZone, a name such as Europe/Berlin";
}

impl TryFrom<RawQuietHours> for QuietHours {
    type Error = &'static str;

    fn try_from(RawQuietHours { from, to, time_zone }: RawQuietHours) -> Result<Self, Self::Error> {
        let are_times = minute(&from).is_some() && minute(&to).is_some() && from != to;
        let is_valid = are_times && time_zone.len() <= 64 && TimeZone::get(&time_zone).is_ok();
        if is_valid { Ok(Self { from, to, time_zone }) } else { Err(Self::RULE) }
    }
}

impl QuietHours {
    /// Returns whether a time is within the hours. It is not if the time zone is unknown by now.
    #[must_use]
    pub fn contains(&self, time: jiff::Timestamp) -> bool {
        let (Some(from), Some(to), Ok(zone)) = (minute(&self.from), minute(&self.to), TimeZone::get(&self.time_zone))
        else {
            return false;
        };
        let now = zone.to_datetime(time).time();
        if from < to { from <= now && now < to } else { from <= now || now < to }
    }
}

/// Returns the time of a text such as `22:00`.
fn minute(text: &str) -> Option<Time> {
    let (hour, minute) = text.split_once(':').filter(|_| text.len() == 5)?;
    let number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok()).flatten();
    Time::new(number(hour)?, number(minute)?, 0, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(from: &str, to: &str, zone: &str) -> Result<QuietHours, serde_json::Error> {
        serde_json::from_value(serde_json::json!({"from": from, "to": to, "timeZone": zone}))
    }

    #[test]
    fn quiet_hours_follow_the_time_zone_over_midnight_and_over_daylight_saving_time() {
        let berlin = hours("22:00", "07:00", "Europe/Berlin").unwrap();
        for (time, expected) in [
            ("2026-01-10T20:59:59Z", false),
            ("2026-01-10T21:00:00Z", true),
            ("2026-01-11T05:59:59Z", true),
            ("2026-01-11T06:00:00Z", false),
            ("2026-07-10T19:59:59Z", false),
            ("2026-07-10T20:00:00Z", true),
            ("2026-07-11T05:00:00Z", false),
        ] {
            assert_eq!(berlin.contains(time.parse().unwrap()), expected, "{time}");
        }
        let noon = hours("12:00", "13:30", "Asia/Kolkata").unwrap();
        assert!(noon.contains("2026-01-10T07:00:00Z".parse().unwrap()));
        assert!(!noon.contains("2026-01-10T08:00:00Z".parse().unwrap()));
    }

    #[test]
    fn refuses_hours_that_are_none() {
        for (from, to, zone) in [
            ("22:00", "22:00", "Europe/Berlin"),
            ("24:00", "07:00", "Europe/Berlin"),
            ("7:00", "08:00", "Europe/Berlin"),
            ("+7:00", "08:00", "Europe/Berlin"),
            ("07:60", "08:00", "Europe/Berlin"),
            ("22:00", "07:00", "Europe/Atlantis"),
            ("22:00", "07:00", ""),
        ] {
            assert!(hours(from, to, zone).is_err(), "{from} {to} {zone}");
        }
    }

    #[test]
    fn refuses_keys_of_other_lengths() {
        let keys = |p256dh: &str, auth: &str| {
            serde_json::from_value::<PushKeys>(serde_json::json!({"p256dh": p256dh, "auth": auth}))
        };
        let (point, auth) = (BASE64.encode([4; 65]), BASE64.encode([1; 16]));
        assert!(keys(&point, &auth).is_ok());
        for (point, auth) in [
            (BASE64.encode([4; 64]), auth.clone()),
            (BASE64.encode([3; 65]), auth.clone()),
            (point.clone(), BASE64.encode([1; 15])),
            (format!("{point}=="), auth),
        ] {
            assert!(keys(&point, &auth).is_err(), "{point} {auth}");
        }
    }

    #[test]
    fn a_locale_is_a_language_tag() {
        for good in ["en", "en-GB", "zh-Hant-TW", "es-419"] {
            assert!(good.parse::<Locale>().is_ok(), "{good}");
        }
        for bad in ["", "e", "en_GB", "en-", "12", "en-GBGBGBGBG"] {
            assert!(bad.parse::<Locale>().is_err(), "{bad}");
        }
    }
}
