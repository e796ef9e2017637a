//! Numbers for people.

use tiergate_model::Percent;

/// Spreads below this get a third decimal: the interesting ones are that small.
const SMALL_SPREAD: f64 = 0.001;

/// What stands where a number is not known.
pub(crate) const UNKNOWN: &str = "-";

/// A count or a time per op: separated thousands, and decimals only where the number is small.
pub(crate) fn per_op(value: f64) -> String {
    if !value.is_finite() {
        return UNKNOWN.to_owned();
    }
    let decimals = match value.abs() {
        size if size >= 999.95 => 0,
        size if size >= 99.995 => 1,
        size if size >= 0.1 || size == 0.0 => 2,
        _ => 4,
    };
    let text = format!("{value:.decimals$}");
    match text.split_once('.') {
        Some((whole, decimals)) => format!("{}.{decimals}", separated(whole)),
        None => separated(&text),
    }
}

/// A whole number with separated thousands.
pub(crate) fn whole(value: u64) -> String {
    separated(&value.to_string())
}

/// Seconds, with decimals where they are few.
pub(crate) fn seconds(value: f64) -> String {
    if !value.is_finite() {
        UNKNOWN.to_owned()
    } else if value < 99.95 {
        format!("{value:.1} s")
    } else {
        format!("{} s", separated(&format!("{value:.0}")))
    }
}

/// A change with its sign.
pub(crate) fn change(value: Option<f64>) -> String {
    match value {
        Some(value) if value.is_finite() => format!("{:+.2}", Percent(value)),
        _ => UNKNOWN.to_owned(),
    }
}

/// An A/A spread; exactly equal repeats are told from nearly equal ones.
pub(crate) fn spread(value: Option<f64>) -> String {
    match value {
        Some(value) if !value.is_finite() => UNKNOWN.to_owned(),
        Some(0.0) => "0 %".to_owned(),
        Some(value) if value < 0.000_005 => "<0.001 %".to_owned(),
        Some(value) if value < SMALL_SPREAD => format!("{:.3}", Percent(value)),
        Some(value) => format!("{:.2}", Percent(value)),
        None => UNKNOWN.to_owned(),
    }
}

fn separated(digits: &str) -> String {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", digits),
    };
    let mut text = sign.to_owned();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_for_small_numbers() {
        let shown: Vec<String> =
            [0.0, 0.0123, 0.5, 9.994, 99.99, 100.25, 999.96, 1234.5, 1_234_567.8]
                .map(per_op)
                .to_vec();
        assert_eq!(
            shown,
            ["0.00", "0.0123", "0.50", "9.99", "99.99", "100.2", "1,000", "1,234", "1,234,568"]
        );
        assert_eq!(per_op(f64::NAN), "-");
        assert_eq!(per_op(f64::INFINITY), "-");
        assert_eq!(whole(100), "100");
        assert_eq!(whole(20_000), "20,000");
    }

    #[test]
    fn spreads_tell_equal_from_nearly_equal() {
        let shown: Vec<String> =
            [Some(0.0), Some(1e-9), Some(0.000_07), Some(0.0041), Some(f64::NAN), None]
                .map(spread)
                .to_vec();
        assert_eq!(shown, ["0 %", "<0.001 %", "0.007 %", "0.41 %", "-", "-"]);
    }

    #[test]
    fn changes_have_signs() {
        assert_eq!(change(Some(0.0502)), "+5.02 %");
        assert_eq!(change(Some(-0.5)), "-50.00 %");
        assert_eq!(change(Some(f64::NAN)), "-");
        assert_eq!(change(None), "-");
    }
}
