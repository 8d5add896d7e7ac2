//! Points in time: a calendar time in the table `quick-photos`, milliseconds in the table
//! `<stage>.Favorite`.

use std::fmt;
use std::time::SystemTime;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize};
use time::format_description::FormatItem;
use time::macros::format_description;
use time::{OffsetDateTime, PrimitiveDateTime};

use super::macros::text_value;

text_value! {
    /// A point in time in UTC, and the id of a photo among the photos of its owner.
    ///
    /// It has one of two formats: seconds without `Z`, as other programs write it, or milliseconds with
    /// `Z`, as [`Timestamp::now`] makes it. In both, the order of bytes in sort keys is the order
    /// of time.
    Timestamp, "a UTC time like 2018-05-30T15:42:38 or 2018-05-30T15:42:38.123Z",
    |text| match text.len() {
        19 => PrimitiveDateTime::parse(text, SECONDS).is_ok(),
        24 => PrimitiveDateTime::parse(text, MILLISECONDS).is_ok(),
        _ => false,
    },
    {"pattern": PATTERN, "examples": ["2024-05-30T15:42:38"]}
}

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

/// The pattern of a [`Timestamp`].
#[cfg(feature = "schema")]
pub(super) const PATTERN: &str =
    concat!("^", day_pattern!(), r"T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{3}Z)?$");

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
        let format = if self.0.len() == 19 { SECONDS } else { MILLISECONDS };
        let time = PrimitiveDateTime::parse(&self.0, format).map_or(0, |time| time.assume_utc().unix_timestamp());
        u64::try_from(time).unwrap_or(0)
    }

    /// Returns the milliseconds since 1970, or 0 for an earlier time.
    #[must_use]
    pub fn millis(&self) -> EpochMillis {
        let fraction = self.0.get(20..23).and_then(|digits| digits.parse::<u64>().ok()).unwrap_or(0);
        EpochMillis(self.seconds() * 1000 + fraction)
    }
}

/// A point in time in milliseconds since 1970-01-01 in UTC.
///
/// It serializes as a number. Its text has 13 digits, with leading zeros, so that sort keys are in
/// order of time until the year 2286.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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
        "EpochMillis".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A point in time in milliseconds since 1970-01-01 in UTC.",
            "type": "integer",
            "minimum": 0,
            "examples": [1_717_206_000_000_u64],
        })
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

/// Accepts a number and a string of digits, because items hold both.
impl<'de> Deserialize<'de> for EpochMillis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Milliseconds;

        impl Visitor<'_> for Milliseconds {
            type Value = EpochMillis;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("milliseconds since 1970, as a number or a string of digits")
            }

            fn visit_u64<E: serde::de::Error>(self, milliseconds: u64) -> Result<EpochMillis, E> {
                Ok(EpochMillis(milliseconds))
            }

            fn visit_i64<E: serde::de::Error>(self, milliseconds: i64) -> Result<EpochMillis, E> {
                milliseconds.try_into().map(EpochMillis).map_err(|_| E::custom("the time is before 1970"))
            }

            fn visit_str<E: serde::de::Error>(self, digits: &str) -> Result<EpochMillis, E> {
                digits.parse().map(EpochMillis).map_err(E::custom)
            }
        }

        deserializer.deserialize_any(Milliseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::str::FromStr;

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
    fn epoch_millis_parse_from_numbers_and_from_digits() {
        let read = |json: &str| serde_json::from_str::<EpochMillis>(json);
        for good in ["1730000000000", "\"1730000000000\""] {
            assert_eq!(read(good).unwrap(), EpochMillis::from(1_730_000_000_000));
        }
        for bad in ["-1", "\"\"", "\"x\"", "1.5", "null"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert_eq!(EpochMillis::from(7).to_string(), "0000000000007");
        assert_eq!(serde_json::to_string(&EpochMillis::from(7)).unwrap(), "7");
        assert_eq!(EpochMillis::from(1_999).seconds(), 1);
    }
}
