//! Fractions shown as percentages.

use std::fmt;

/// Decimals of a percentage when the caller asks for none: enough for every limit in use.
const DECIMALS: usize = 3;

/// A fraction that is shown as a percentage: 0.02 as `2 %`.
///
/// Without a precision, trailing zeros are left out; `{:+.2}` shows the sign and two decimals. A
/// value that rounds to zero has no sign, and one that is no number is shown as `unknown`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Percent(pub f64);

impl fmt::Display for Percent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.is_finite() {
            return formatter.write_str("unknown");
        }
        let magnitude = (self.0 * 100.0).abs();
        let digits = match formatter.precision() {
            Some(decimals) => format!("{magnitude:.decimals$}"),
            None => {
                let digits = format!("{magnitude:.DECIMALS$}");
                digits.trim_end_matches('0').trim_end_matches('.').to_owned()
            }
        };
        let zero = digits.bytes().all(|byte| matches!(byte, b'0' | b'.'));
        let sign = match (zero, self.0 < 0.0, formatter.sign_plus()) {
            (true, _, _) | (false, false, false) => "",
            (false, true, _) => "-",
            (false, false, true) => "+",
        };
        write!(formatter, "{sign}{digits} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_short_unless_asked_otherwise() {
        assert_eq!(Percent(0.004).to_string(), "0.4 %");
        assert_eq!(Percent(0.02).to_string(), "2 %");
        assert_eq!(Percent(1.0).to_string(), "100 %");
        assert_eq!(Percent(0.0).to_string(), "0 %");
        assert_eq!(format!("{:+.2}", Percent(0.050_21)), "+5.02 %");
        assert_eq!(format!("{:+.2}", Percent(-0.031)), "-3.10 %");
        assert_eq!(format!("{:+.2}", Percent(-0.000_01)), "0.00 %");
        assert_eq!(Percent(f64::NAN).to_string(), "unknown");
    }
}
