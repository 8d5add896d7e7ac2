//! Points in time: [`Time`] in requests and answers, [`Timestamp`] in the items of `quick-photos` and
//! `<stage>.Feed`, [`EpochMillis`] in those of `<stage>.Favorite`.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::format_description::FormatItem;
use time::macros::format_description;
use time::{OffsetDateTime, PrimitiveDateTime};

use super::InvalidValue;
use super::macros::{string_conversions, text_value};

text_value! {
    /// A point in time in UTC, as requests and answers have it: a time of [RFC
    /// 3339](https://www.rfc-editor.org/rfc/rfc3339) with `Z`, and with milliseconds unless an item
    /// has none.
    Time, "a UTC time like 2018-05-30T15:42:38.123Z or 2018-05-30T15:42:38Z",
    |text| match text.len() {
        20 => text.strip_suffix('Z').is_some_and(|stored| PrimitiveDateTime::parse(stored, SECONDS).is_ok()),
        24 => PrimitiveDateTime::parse(text, MILLISECONDS).is_ok(),
        _ => false,
    },
    {"format": "date-time", "pattern": TIME_PATTERN, "examples": ["2024-05-30T15:42:38.123Z"]}
}

/// A point in time in UTC, as items have it. No answer does: it has no JSON Schema, and becomes a
/// [`Time`] there.
///
/// It has one of two formats: seconds without `Z`, as other programs write it, or milliseconds with
/// `Z`, as [`Timestamp::now`] makes it. In both, the order of bytes in sort keys is the order of
/// time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(String);

/// The pattern of a day of the Gregorian calendar: every day up to 28, the 29th and 30th except in
/// February, the 31st of seven months, and February 29 of a leap year.
#[cfg(feature = "schema")]
macro_rules! day_pattern {
    () => {
        concat!(
            "([0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|[0-9]{4}-(0[13-9]|1[0-2])-(29|30)",
            "|[0-9]{4}-(0[13578]|1[02])-31",
            "|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)",
        )
    };
}

/// The pattern of a day. The format `date` of JSON Schema also accepts `1815-+2-10` in some
/// validators.
#[cfg(feature = "schema")]
pub(super) const DAY_PATTERN: &str = concat!("^", day_pattern!(), "$");

/// The pattern of a day and a time of day, to the second.
#[cfg(feature = "schema")]
macro_rules! seconds_pattern {
    () => {
        concat!("^", day_pattern!(), "T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]")
    };
}

/// The pattern of a [`Time`].
#[cfg(feature = "schema")]
const TIME_PATTERN: &str = concat!(seconds_pattern!(), r"(\.[0-9]{3})?Z$");

/// The pattern of a [`Timestamp`], which ids consist of.
#[cfg(feature = "schema")]
pub(super) const PATTERN: &str = concat!(seconds_pattern!(), r"(\.[0-9]{3}Z)?$");

const SECONDS: &[FormatItem<'_>] = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]");
const MILLISECONDS: &[FormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");

impl Timestamp {
    /// Returns the current time, to the millisecond.
    #[must_use]
    pub fn now() -> Self {
        SystemTime::now().into()
    }

    /// Returns the time `milliseconds` after 1970-01-01 in UTC, or `None` if it is not in the years
    /// from 0 to 9999.
    #[must_use]
    pub fn from_epoch_millis(milliseconds: i64) -> Option<Self> {
        let time = OffsetDateTime::from_unix_timestamp_nanos(i128::from(milliseconds) * 1_000_000).ok()?;
        (0..=9999).contains(&time.year()).then(|| time.into())
    }

    /// Returns the whole seconds since 1970, or 0 for an earlier time.
    #[must_use]
    pub fn seconds(&self) -> u64 {
        self.millis().unwrap_or(0) / 1000
    }

    /// Returns the milliseconds since 1970, or `None` for an earlier time.
    fn millis(&self) -> Option<u64> {
        let format = if self.0.len() == 19 { SECONDS } else { MILLISECONDS };
        let time = PrimitiveDateTime::parse(&self.0, format).ok()?.assume_utc();
        u64::try_from(time.unix_timestamp_nanos() / 1_000_000).ok()
    }
}

/// A point in time in milliseconds since 1970-01-01 in UTC.
///
/// It serializes as a [`Time`], because items are not written by serde. Its text has 13 digits, with
/// leading zeros, so that sort keys are in order of time until the year 2286.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EpochMillis(u64);

impl EpochMillis {
    /// Returns the current time.
    #[must_use]
    pub fn now() -> Self {
        Self(
            SystemTime::now()
                .duration_since(SystemTime::UNIX_EPOCH)
                .map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX)),
        )
    }

    /// Returns the whole seconds since 1970, which is the unit of a [time to
    /// live](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-before-you-start.html).
    #[must_use]
    pub const fn seconds(self) -> u64 {
        self.0 / 1000
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for EpochMillis {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Time::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Time::json_schema(generator)
    }
}

impl FromStr for Timestamp {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let is_valid = match text.len() {
            19 => PrimitiveDateTime::parse(text, SECONDS).is_ok(),
            24 => PrimitiveDateTime::parse(text, MILLISECONDS).is_ok(),
            _ => false,
        };
        let rule = "a UTC time like 2018-05-30T15:42:38 or 2018-05-30T15:42:38.123Z";
        if is_valid { Ok(Self(text.to_owned())) } else { Err(InvalidValue::of_rule(rule)) }
    }
}

string_conversions!(Timestamp);

impl AsRef<str> for Timestamp {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Timestamp> for Time {
    fn from(Timestamp(mut text): Timestamp) -> Self {
        if !text.ends_with('Z') {
            text.push('Z');
        }
        Self(text)
    }
}

impl From<Time> for Timestamp {
    fn from(Time(mut text): Time) -> Self {
        if text.len() == 20 {
            text.pop();
        }
        Self(text)
    }
}

impl Time {
    /// Returns the time `seconds` after 1970-01-01 in UTC, such as the `ttl` of an item.
    #[must_use]
    pub fn from_epoch_seconds(seconds: u64) -> Self {
        EpochMillis(seconds.saturating_mul(1000)).into()
    }

    /// Reads a [`Timestamp`], for a field of an answer that is read from an item.
    pub fn from_item<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Timestamp::deserialize(deserializer).map(Self::from)
    }
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        OffsetDateTime::from(time).into()
    }
}

impl From<OffsetDateTime> for Timestamp {
    fn from(time: OffsetDateTime) -> Self {
        Self(format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            time.year(),
            u8::from(time.month()),
            time.day(),
            time.hour(),
            time.minute(),
            time.second(),
            time.millisecond(),
        ))
    }
}

impl From<u64> for EpochMillis {
    fn from(milliseconds: u64) -> Self {
        Self(milliseconds)
    }
}

impl From<EpochMillis> for u64 {
    fn from(time: EpochMillis) -> Self {
        time.0
    }
}

impl fmt::Display for EpochMillis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:013}", self.0)
    }
}

/// The last time that [`Time`] can express, in milliseconds: the end of the year 9999.
const LAST_MILLISECOND: u64 = 253_402_300_799_999;

/// Another program may have written a later time than [`Time`] can express, which becomes the last
/// one.
impl From<EpochMillis> for Time {
    fn from(EpochMillis(milliseconds): EpochMillis) -> Self {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(milliseconds.min(LAST_MILLISECOND));
        Timestamp::from(time).into()
    }
}

impl Serialize for EpochMillis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Time::from(*self).serialize(serializer)
    }
}

/// Accepts a number and a string of digits, because items hold both, and a [`Time`].
impl<'de> Deserialize<'de> for EpochMillis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Milliseconds;

        impl Visitor<'_> for Milliseconds {
            type Value = EpochMillis;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time, or milliseconds since 1970 as a number or a string of digits")
            }

            fn visit_u64<E: serde::de::Error>(self, milliseconds: u64) -> Result<EpochMillis, E> {
                Ok(EpochMillis(milliseconds))
            }

            fn visit_i64<E: serde::de::Error>(self, milliseconds: i64) -> Result<EpochMillis, E> {
                milliseconds.try_into().map(EpochMillis).map_err(|_| E::custom("the time is before 1970"))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<EpochMillis, E> {
                let Ok(time) = text.parse::<Time>() else { return text.parse().map(EpochMillis).map_err(E::custom) };
                Timestamp::from(time).millis().map(EpochMillis).ok_or_else(|| E::custom("the time is before 1970"))
            }
        }

        deserializer.deserialize_any(Milliseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::format_description::well_known::Rfc3339;

    fn is_valid<T: FromStr>(text: &str) -> bool {
        text.parse::<T>().is_ok()
    }

    #[test]
    fn timestamps_follow_their_rule() {
        for good in ["2018-05-30T15:42:38", "2018-05-30T15:42:38.123Z", "2024-02-29T00:00:00"] {
            assert!(is_valid::<Timestamp>(good), "{good}");
        }
        for bad in [
            "",
            "2018-05-30",
            "2018-05-30T15:42:38Z",
            "2018-05-30T15:42:38.123",
            "2018-05-30 15:42:38",
            "2023-02-29T00:00:00",
            "2018-13-01T00:00:00",
            "2018-05-30T24:00:00",
            "2018-05-30T15:42:60",
            "2018-05-30T15:42:38+00:0Z",
            "+018-05-30T15:42:38",
            "2018-05-30T15:42:38#abcd",
        ] {
            assert!(!is_valid::<Timestamp>(bad), "{bad}");
        }
        assert!(is_valid::<Timestamp>(Timestamp::now().as_ref()));
        for (text, seconds) in [
            ("2024-05-30T15:42:38", 1_717_083_758),
            ("2024-05-30T15:42:38.999Z", 1_717_083_758),
            ("1969-12-31T23:59:59", 0),
        ] {
            assert_eq!(text.parse::<Timestamp>().unwrap().seconds(), seconds, "{text}");
        }
        assert_eq!(Timestamp::from_epoch_millis(1_527_694_958_123).unwrap().as_ref(), "2018-05-30T15:42:38.123Z");
        assert_eq!(Timestamp::from_epoch_millis(i64::MAX), None);
    }

    #[test]
    fn times_have_a_z_whatever_an_item_has() {
        for (stored, shown) in
            [("2018-05-30T15:42:38", "2018-05-30T15:42:38Z"), ("2018-05-30T15:42:38.000Z", "2018-05-30T15:42:38.000Z")]
        {
            let timestamp: Timestamp = stored.parse().unwrap();
            let time = Time::from(timestamp.clone());
            assert_eq!((time.as_ref(), time.to_string().parse()), (shown, Ok(time.clone())));
            assert_eq!(Timestamp::from(time), timestamp);
            let read = Time::from_item(serde_json::Value::from(stored)).unwrap();
            assert_eq!(serde_json::to_value(read).unwrap(), shown);
        }
        for bad in
            ["2018-05-30T15:42:38", "2018-05-30T15:42:38.12Z", "2018-05-30T15:42:38+00:00", "2023-02-29T00:00:00Z"]
        {
            assert!(!is_valid::<Time>(bad), "{bad}");
        }
        for (milliseconds, shown) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_730_000_000_007, "2024-10-27T03:33:20.007Z"),
            (u64::MAX, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(serde_json::to_value(EpochMillis::from(milliseconds)).unwrap(), shown);
        }
        assert_eq!(Time::from_epoch_seconds(1_730_000_000).as_ref(), "2024-10-27T03:33:20.000Z");
    }

    proptest! {
        #[test]
        fn a_time_is_one_of_rfc_3339_and_what_it_was_made_of(milliseconds in 0..=LAST_MILLISECOND) {
            let time = Time::from(EpochMillis(milliseconds));
            let parsed = OffsetDateTime::parse(time.as_ref(), &Rfc3339).unwrap();
            prop_assert_eq!(parsed.unix_timestamp_nanos(), i128::from(milliseconds) * 1_000_000);
            let read: EpochMillis = serde_json::from_value(serde_json::to_value(&time).unwrap()).unwrap();
            prop_assert_eq!(read, EpochMillis(milliseconds));
            let stored = Timestamp::from(time.clone());
            prop_assert_eq!(&stored.0[..10], &time.as_ref()[..10]);
            let to_the_second: Timestamp = stored.0[..19].parse().unwrap();
            prop_assert_eq!(Time::from(to_the_second.clone()).to_string(), format!("{to_the_second}Z"));
            prop_assert_eq!(to_the_second.seconds(), milliseconds / 1000);
        }
    }

    #[test]
    fn epoch_millis_parse_from_numbers_digits_and_times() {
        let read = |json: &str| serde_json::from_str::<EpochMillis>(json);
        for good in ["1730000000000", "\"1730000000000\"", "\"2024-10-27T03:33:20.000Z\"", "\"2024-10-27T03:33:20Z\""] {
            assert_eq!(read(good).unwrap(), EpochMillis::from(1_730_000_000_000));
        }
        for bad in ["-1", "\"\"", "\"x\"", "1.5", "null", "\"1969-12-31T23:59:59.999Z\"", "\"2024-10-27T03:33:20\""] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert_eq!(EpochMillis::from(7).to_string(), "0000000000007");
        assert_eq!(EpochMillis::from(1_999).seconds(), 1);
    }
}
