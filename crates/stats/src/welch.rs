//! Welch's t test.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The result of a two-sided Welch t test of `second` against `first`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Welch {
    /// The difference of the means, second minus first, over its standard error.
    pub t: f64,
    /// The degrees of freedom by Welch and Satterthwaite, not rounded.
    pub degrees_of_freedom: f64,
    /// The two-sided p value.
    pub p: f64,
    /// The mean of the second sample minus that of the first, in the samples' unit.
    pub difference: f64,
    /// The standard error of that difference, in the samples' unit.
    pub standard_error: f64,
}

impl Welch {
    /// Half the width of the confidence interval of the difference, in the samples' unit; a
    /// `confidence` of 0.95 for 95 %. `None` for a confidence outside 0 to 1.
    pub fn half_width(&self, confidence: f64) -> Option<f64> {
        if !(0.0..1.0).contains(&confidence) {
            return None;
        }
        let distribution = StudentsT::new(0.0, 1.0, self.degrees_of_freedom).ok()?;
        Some(distribution.inverse_cdf(0.5 + confidence / 2.0) * self.standard_error)
    }
}

/// Tests whether two independent samples have the same mean, without assuming equal variances
/// (B. L. Welch, *The generalization of "Student's" problem when several different population
/// variances are involved*, Biometrika 34 (1947)).
///
/// `None` when a side has fewer than two values or one that is not finite, and when neither side
/// varies: such samples are compared exactly, not tested.
pub fn welch(first: &[f64], second: &[f64]) -> Option<Welch> {
    let (first, second) = (Moments::of(first)?, Moments::of(second)?);
    let (a, b) = (first.variance / first.size, second.variance / second.size);
    let standard_error = (a + b).sqrt();
    if standard_error == 0.0 || !standard_error.is_finite() {
        return None;
    }
    let difference = second.mean - first.mean;
    let t = difference / standard_error;
    // Shares of the sum, so that squares of tiny variances don't vanish.
    let (share_a, share_b) = (a / (a + b), b / (a + b));
    let degrees_of_freedom =
        1.0 / (share_a.powi(2) / (first.size - 1.0) + share_b.powi(2) / (second.size - 1.0));
    let distribution = StudentsT::new(0.0, 1.0, degrees_of_freedom).ok()?;
    let p = (2.0 * distribution.sf(t.abs())).min(1.0);
    Some(Welch { t, degrees_of_freedom, p, difference, standard_error })
}

struct Moments {
    size: f64,
    mean: f64,
    /// With n − 1 in the denominator.
    variance: f64,
}

impl Moments {
    fn of(sample: &[f64]) -> Option<Self> {
        if sample.len() < 2 || sample.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let size = sample.len() as f64;
        let mean = sample.iter().sum::<f64>() / size;
        let squares: f64 = sample.iter().map(|value| (value - mean).powi(2)).sum();
        Some(Self { size, mean, variance: squares / (size - 1.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn students_sleep_data_gives_the_published_values() {
        // "Student", The Probable Error of a Mean, Biometrika 6 (1908), as R's data set `sleep`;
        // t.test(extra ~ group) gives t = -1.8608, df = 17.776, p = 0.07939 and the interval
        // -3.3654832 to 0.2054832 for the first mean minus the second.
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let test = welch(&first, &second).unwrap();
        assert!((test.t - 1.8608).abs() < 5e-5, "{}", test.t);
        assert!((test.degrees_of_freedom - 17.776).abs() < 5e-4, "{}", test.degrees_of_freedom);
        assert!((test.p - 0.079_39).abs() < 5e-6, "{}", test.p);
        let half = test.half_width(0.95).unwrap();
        assert!((test.difference + half - 3.365_483_2).abs() < 1e-6, "{half}");
        assert!((test.difference - half + 0.205_483_2).abs() < 1e-6, "{half}");
    }

    #[test]
    fn samples_without_variance_are_not_tested() {
        assert_eq!(welch(&[2.0, 2.0], &[3.0, 3.0]), None);
        assert_eq!(welch(&[2.0], &[3.0, 4.0]), None);
        assert_eq!(welch(&[2.0, f64::NAN], &[3.0, 4.0]), None);
        let test = welch(&[1.0, 2.0], &[3.0, 4.0]).unwrap();
        assert_eq!(test.half_width(1.0), None);
    }

    proptest! {
        #[test]
        fn the_interval_excludes_zero_exactly_when_p_is_below_its_level(
            first in prop::collection::vec(0.0..1.0_f64, 2..20),
            second in prop::collection::vec(0.2..1.4_f64, 2..20),
        ) {
            if let Some(test) = welch(&first, &second) {
                let smaller = first.len().min(second.len()) as f64 - 1.0;
                let larger = (first.len() + second.len()) as f64 - 2.0;
                prop_assert!(test.degrees_of_freedom >= smaller - 1e-9);
                prop_assert!(test.degrees_of_freedom <= larger + 1e-9);
                // Too near to the level, the two sides of the statement round apart.
                prop_assume!((test.p - 0.05).abs() > 1e-6);
                let half = test.half_width(0.95).unwrap();
                prop_assert_eq!(test.difference.abs() > half, test.p < 0.05);
            }
        }
    }
}
