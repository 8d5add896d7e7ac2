//! A DynamoDB number as text: what is valid, what is equal, what it weighs.

/// Significant digits that DynamoDB keeps.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html#HowItWorks.DataTypes.Number>
const MAX_DIGITS: usize = 38;

/// A number without what doesn't change its value: 0.`digits` × 10^`exponent`, no zero at either end of the digits. So
/// two that are equal compare equal (`1`, `1.0`, `10e-1`), as they do for DynamoDB in keys and sets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Number {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

impl Number {
    /// Reads a sign, digits with at most one point, and an exponent, and refuses what DynamoDB can't store.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let not_a_number = || format!("{} is not a number", abridged(text));
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
        if digits.is_empty() {
            return Ok(Self { negative: false, digits, exponent: 0 });
        }
        if digits.len() > MAX_DIGITS {
            return Err(format!(
                "{} has {} significant digits, {MAX_DIGITS} are possible",
                abridged(text),
                digits.len()
            ));
        }
        let shift = i64::try_from(whole.len()).unwrap_or(i64::MAX) - i64::try_from(leading).unwrap_or(i64::MAX);
        let exponent = written.saturating_add(shift);
        // 1E-130 is 0.1E-129, and 9.99…E+125 is 0.999…E+126.
        if !(-129..=126).contains(&exponent) {
            return Err(format!("{} is outside 1E-130 to 9.99E+125", abridged(text)));
        }
        Ok(Self { negative: coefficient.starts_with('-'), digits, exponent })
    }

    /// Its bytes in an item: one per two digits on each side of the point, one more, and one for a minus sign.
    /// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html>
    pub(crate) fn size(&self) -> usize {
        let digits = self.digits.len();
        let whole = usize::try_from(self.exponent).unwrap_or(0).min(digits);
        whole.div_ceil(2) + (digits - whole).div_ceil(2) + 1 + usize::from(self.negative)
    }

    /// The same bytes for equal numbers.
    pub(crate) fn canonical(mut self) -> Vec<u8> {
        self.digits.push(if self.negative { b'-' } else { b'+' });
        self.digits.extend(self.exponent.to_be_bytes());
        self.digits
    }
}

/// A number can be as long as its line: what an error shows of it is not.
fn abridged(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_are_equal_however_they_are_written() {
        let one = Number::parse("1");
        for text in ["1.0", "+1", "01", "10e-1", "0.1E1", "1.", "1e+0"] {
            assert_eq!(Number::parse(text), one, "{text}");
        }
        assert_eq!(Number::parse("-0.00"), Number::parse("0"));
        assert_ne!(Number::parse("-1"), one);
        assert_ne!(Number::parse("10"), one);
    }

    #[test]
    fn what_dynamodb_stores_is_valid_and_nothing_else() {
        let digits = "12345678901234567890123456789012345678";
        for text in [digits, "1E-130", "9.9999999999999999999999999999999999999E+125", "-1e125", "100e-132", "0e0"] {
            assert!(Number::parse(text).is_ok(), "{text}");
        }
        assert!(Number::parse(&format!("{digits}000")).is_ok(), "trailing zeros are not significant");
        for text in [
            &format!("{digits}9"),
            "1E-131",
            "1E126",
            "1e99999999999999999999",
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
    fn the_size_is_a_byte_for_two_digits_and_one_more() {
        for (text, size) in
            [("0", 1), ("7", 2), ("42", 2), ("-42", 3), ("123", 3), ("1.5", 3), ("100", 2), ("0.001", 2)]
        {
            assert_eq!(Number::parse(text).map(|number| number.size()), Ok(size), "{text}");
        }
    }
}
