//! DynamoDB numbers: parsing, equality, size and canonical text.

use std::borrow::Cow;
use std::fmt;

use super::error::DocumentError;
use super::truncate::truncate;

/// The maximum number of significant digits.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html#HowItWorks.DataTypes.Number>
pub const MAX_DIGITS: usize = 38;

/// The maximum number of characters of a number in an answer that are not its digits, see
/// [`short`].
const MAX_PADDING: usize = 20;

/// Returns the text of a number in an answer: `text`, or the scientific notation if `text` has over
/// [`MAX_PADDING`] characters more than the number has digits.
///
/// DynamoDB writes `1E-130` as 132 characters and counts it as 2 bytes. So without this an answer
/// about one item of 400 KB could have 18 MB, and Lambda refuses more than 6 MB.
pub(super) fn short(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_PADDING {
        return Cow::Borrowed(text);
    }
    match Number::parse(text) {
        Ok(number) if text.len() > number.digits.len() + MAX_PADDING => Cow::Owned(number.scientific()),
        _ => Cow::Borrowed(text),
    }
}

/// A DynamoDB number in canonical form: 0.`digits` × 10^`exponent`, without leading or trailing
/// zeros in the digits.
///
/// Numbers of equal value compare equal (`1`, `1.0`, `10e-1`), as they do for DynamoDB in keys and
/// sets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

impl Number {
    /// Parses an optional sign, digits with at most one decimal point, and an optional exponent.
    /// Fails for a number that DynamoDB cannot store: more than 38 significant digits, or a
    /// magnitude outside 1E-130 to 9.99E+125.
    pub fn parse(text: &str) -> Result<Self, DocumentError> {
        let not_a_number = || DocumentError::new(format!("must be a number; it is {:?}", truncate(text)));
        let (coefficient, written) = match text.split_once(['e', 'E']) {
            Some((coefficient, exponent)) => (coefficient, exponent.parse().map_err(|_| not_a_number())?),
            None => (text, 0_i64),
        };
        let unsigned = coefficient.strip_prefix(['-', '+']).unwrap_or(coefficient);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return Err(not_a_number());
        }

        let leading = digits.iter().take_while(|&&digit| digit == b'0').count();
        digits.drain(..leading);
        digits.truncate(digits.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1));
        if digits.len() > MAX_DIGITS {
            let (text, digits) = (truncate(text), digits.len());
            let message = format!("must have at most {MAX_DIGITS} significant digits; {text:?} has {digits}");
            return Err(DocumentError::new(message));
        }
        let shift = i64::try_from(whole.len()).unwrap_or(i64::MAX) - i64::try_from(leading).unwrap_or(i64::MAX);
        let is_zero = digits.is_empty();
        // DynamoDB refuses 0e126 as it refuses 1e126, so for this check the last digit of a zero
        // counts as a 1.
        let exponent = written.saturating_add(shift).saturating_add(i64::from(is_zero));
        // 1E-130 is 0.1E-129, and 9.99…E+125 is 0.999…E+126.
        if !(-129..=126).contains(&exponent) {
            return Err(DocumentError::new(format!(
                "must be 0 or have a magnitude from 1E-130 to 9.99E+125; it is {:?}",
                truncate(text)
            )));
        }
        Ok(Self {
            negative: coefficient.starts_with('-') && !is_zero,
            digits,
            exponent: if is_zero { 0 } else { exponent },
        })
    }

    /// Returns the size in bytes in an item: one byte for each two digits on either side of the
    /// decimal point, one more, and one for a minus sign.
    /// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html>
    #[must_use]
    pub fn size(&self) -> usize {
        let digits = self.digits.len();
        let whole = usize::try_from(self.exponent).unwrap_or(0).min(digits);
        whole.div_ceil(2) + (digits - whole).div_ceil(2) + 1 + usize::from(self.negative)
    }

    /// Returns all digits with an exponent, of which the first is before the decimal point:
    /// `1.25E-30`.
    fn scientific(&self) -> String {
        let mut digits = self.digits.iter().copied().map(char::from);
        let Some(first) = digits.next() else { return "0".to_owned() };
        let (sign, rest) = (if self.negative { "-" } else { "" }, digits.collect::<String>());
        let point = if rest.is_empty() { "" } else { "." };
        format!("{sign}{first}{point}{rest}E{}", self.exponent - 1)
    }

    /// Returns bytes that are equal for numbers of equal value, and different otherwise.
    #[must_use]
    pub fn canonical(mut self) -> Vec<u8> {
        self.digits.push(if self.negative { b'-' } else { b'+' });
        self.digits.extend(self.exponent.to_be_bytes());
        self.digits
    }
}

/// Writes all digits without an exponent, as DynamoDB does. The result is also a valid JSON number.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.digits.is_empty() {
            return f.write_str("0");
        }
        if self.negative {
            f.write_str("-")?;
        }
        let digits: String = self.digits.iter().copied().map(char::from).collect();
        let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
        match digits.split_at_checked(usize::try_from(self.exponent).unwrap_or(0)) {
            Some(("", fraction)) => write!(f, "0.{}{fraction}", zeros(-self.exponent)),
            Some((whole, "")) => f.write_str(whole),
            Some((whole, fraction)) => write!(f, "{whole}.{fraction}"),
            None => write!(f, "{digits}{}", zeros(self.exponent - i64::try_from(digits.len()).unwrap_or(0))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_equal_value_are_equal() {
        let one = Number::parse("1");
        for text in ["1.0", "+1", "01", "10e-1", "0.1E1", "1.", "1e+0"] {
            assert_eq!(Number::parse(text), one, "{text}");
        }
        assert_eq!(Number::parse("-0.00"), Number::parse("0"));
        assert_ne!(Number::parse("-1"), one);
        assert_ne!(Number::parse("10"), one);
    }

    #[test]
    fn accepts_exactly_the_numbers_that_dynamodb_stores() {
        let digits = "12345678901234567890123456789012345678";
        for text in [
            digits,
            "1E-130",
            "9.9999999999999999999999999999999999999E+125",
            "-1e125",
            "100e-132",
            "0e0",
            "0e125",
            "0.0e-129",
            "-0",
            "+.5",
        ] {
            assert!(Number::parse(text).is_ok(), "{text}");
        }
        assert!(Number::parse(&format!("{digits}000")).is_ok(), "trailing zeros are not significant");
        for text in [
            &format!("{digits}9"),
            "1E-131",
            "1E126",
            "1e99999999999999999999",
            "0e126",
            "0.0e-130",
            "",
            "-",
            ".",
            "e5",
            "1e",
            "1.2.3",
            "--1",
            " 1",
            "1_000",
            "NaN",
            "0x1",
        ] {
            assert!(Number::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn displays_numbers_as_dynamodb_writes_them() {
        let zeros = |count| "0".repeat(count);
        for (text, written) in [
            ("0", "0"),
            ("-0.00", "0"),
            ("+1", "1"),
            (".5", "0.5"),
            ("5.", "5"),
            ("-007.250", "-7.25"),
            ("12E3", "12000"),
            ("12e-1", "1.2"),
            ("12e-2", "0.12"),
            ("12e-4", "0.0012"),
            ("-1E125", &format!("-1{}", zeros(125))),
            ("1E-130", &format!("0.{}1", zeros(129))),
        ] {
            let number = Number::parse(text).unwrap();
            assert_eq!(number.to_string(), written, "{text}");
            assert_eq!(Number::parse(written), Ok(number), "{text}");
        }
    }

    #[test]
    fn a_number_with_more_than_20_zeros_is_shown_with_an_exponent() {
        for (text, shown) in [
            ("1E-130", "1E-130"),
            ("-1E125", "-1E125"),
            ("12.5E-30", "1.25E-29"),
            ("7E-19", "0.0000000000000000007"),
            ("7E-20", "7E-20"),
            ("7E20", "700000000000000000000"),
            ("7E21", "7E21"),
            ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
            ("-0.12345678901234567890123456789012345678", "-0.12345678901234567890123456789012345678"),
        ] {
            let number = Number::parse(text).unwrap();
            let stored = number.to_string();
            assert_eq!(short(&stored), shown, "{text}");
            assert_eq!(Number::parse(&short(&stored)), Ok(number), "{text}");
        }
        assert_eq!(short(&"0".repeat(40)), "0");
    }

    #[test]
    fn the_size_is_one_byte_for_two_digits_and_one_more() {
        for (text, size) in
            [("0", 1), ("7", 2), ("42", 2), ("-42", 3), ("123", 3), ("1.5", 3), ("100", 2), ("0.001", 2)]
        {
            assert_eq!(Number::parse(text).map(|number| number.size()), Ok(size), "{text}");
        }
    }
}
