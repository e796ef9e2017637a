//! Order statistics of a sample.

/// The extremes and the median of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Values in the sample.
    pub size: usize,
    /// The smallest.
    pub min: f64,
    /// The median; between the two middle values of an even number.
    pub median: f64,
    /// The largest.
    pub max: f64,
}

impl Summary {
    /// Summarises a sample; `None` when it is empty or holds a value that is not finite.
    pub fn of(values: &[f64]) -> Option<Self> {
        let sorted = sorted(values)?;
        Some(Self {
            size: sorted.len(),
            min: *sorted.first()?,
            median: quantile_of_sorted(&sorted, 0.5),
            max: *sorted.last()?,
        })
    }

    /// The A/A spread, `(max − min) / median`, a fraction; infinite when the median is zero and
    /// the values differ.
    pub fn spread(&self) -> f64 {
        let range = self.max - self.min;
        if range == 0.0 { 0.0 } else { range / self.median.abs() }
    }
}

/// The median; `None` when the sample is empty or holds a value that is not finite.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// `(max − min) / median`, a fraction; `None` when the sample is empty or holds a value that is
/// not finite.
pub fn spread(values: &[f64]) -> Option<f64> {
    Summary::of(values).map(|summary| summary.spread())
}

/// The quantile at `probability`, by linear interpolation between order statistics: definition 7
/// of Hyndman and Fan, *Sample Quantiles in Statistical Packages*, The American Statistician 50
/// (1996), which is the default of R and NumPy. `None` when the sample is empty or holds a value
/// that is not finite, or when the probability is outside 0 to 1.
pub fn quantile(values: &[f64], probability: f64) -> Option<f64> {
    if !(0.0..=1.0).contains(&probability) {
        return None;
    }
    sorted(values).map(|sorted| quantile_of_sorted(&sorted, probability))
}

fn sorted(values: &[f64]) -> Option<Vec<f64>> {
    if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(sorted)
}

/// The slice must be sorted and not empty, the probability within 0 to 1.
pub(crate) fn quantile_of_sorted(sorted: &[f64], probability: f64) -> f64 {
    let position = probability * (sorted.len() - 1) as f64;
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the position is at least 0 and at most the last index"
    )]
    let below = position as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let share = position - below as f64;
    let (low, high) = (sorted[below], sorted[above]);
    // Rounding must not push a quantile past its neighbours, or quantiles would lose their order.
    (low + (high - low) * share).clamp(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantiles_follow_definition_7() {
        // R 4.3: quantile(c(1, 2, 3, 4, 10), c(0, .25, .5, .6, 1)) is 1, 2, 3, 3.4, 10.
        let values = [10.0, 3.0, 1.0, 4.0, 2.0];
        for (probability, expected) in
            [(0.0, 1.0), (0.25, 2.0), (0.5, 3.0), (0.6, 3.4), (1.0, 10.0)]
        {
            let found = quantile(&values, probability).unwrap();
            assert!((found - expected).abs() < 1e-12, "{probability}: {found}");
        }
        assert_eq!(median(&[1.0, 2.0, 3.0, 4.0]), Some(2.5));
        assert_eq!(quantile(&values, 1.5), None);
    }

    #[test]
    fn a_sample_without_usable_values_has_no_statistics() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[1.0, f64::NAN]), None);
        assert_eq!(spread(&[f64::INFINITY]), None);
    }

    #[test]
    fn the_spread_is_the_range_over_the_median() {
        assert_eq!(spread(&[99.0, 100.0, 103.0]), Some(0.04));
        assert_eq!(spread(&[7.0, 7.0, 7.0]), Some(0.0));
        assert_eq!(spread(&[0.0, 0.0]), Some(0.0));
    }

    proptest! {
        #[test]
        fn the_median_lies_within_the_sample_and_ignores_its_order(
            mut values in prop::collection::vec(-1e12..1e12_f64, 1..40),
        ) {
            let before = Summary::of(&values).unwrap();
            prop_assert!(before.min <= before.median && before.median <= before.max);
            values.reverse();
            prop_assert_eq!(Summary::of(&values), Some(before));
        }

        #[test]
        fn the_spread_is_free_of_scale(
            values in prop::collection::vec(1.0..1e6_f64, 1..40), scale in 0.001..1000.0_f64,
        ) {
            let scaled: Vec<f64> = values.iter().map(|value| value * scale).collect();
            let (plain, scaled) = (spread(&values).unwrap(), spread(&scaled).unwrap());
            prop_assert!((plain - scaled).abs() <= 1e-9 * plain.max(1.0));
        }
    }
}
