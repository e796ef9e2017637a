//! The Mann-Whitney U test (Wilcoxon rank sum test).

use statrs::distribution::{ContinuousCDF, Normal};

/// Samples larger than this, or with ties, use the normal approximation. The number of ways to
/// draw 25 of 50 is still exact in an `f64`.
const LARGEST_EXACT: usize = 25;

/// The result of a two-sided Mann-Whitney U test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MannWhitney {
    /// Pairs in which the first sample's value is the larger one, ties counted half.
    pub u: f64,
    /// The two-sided p value.
    pub p: f64,
    /// Whether the p value is exact, and not from the normal approximation.
    pub exact: bool,
}

/// Tests whether two independent samples come from one distribution, without assuming its shape.
///
/// Without ties and with at most 25 values a side, p is exact: twice the smaller tail of U's
/// distribution (H. B. Mann and D. R. Whitney, *On a Test of Whether one of Two Random Variables is
/// Stochastically Larger than the Other*, Annals of Mathematical Statistics 18 (1947)). Otherwise
/// it comes from the normal approximation with continuity and tie correction, as in R's
/// `wilcox.test`. `None` when a sample is empty or holds a value that is not finite.
pub fn mann_whitney(first: &[f64], second: &[f64]) -> Option<MannWhitney> {
    let usable = |sample: &[f64]| !sample.is_empty() && sample.iter().all(|v| v.is_finite());
    if !usable(first) || !usable(second) {
        return None;
    }
    let u = pairs_won(first, second);
    let tie_sizes = tie_sizes(first, second);
    let tied = tie_sizes.iter().any(|&size| size > 1);
    if !tied && first.len() <= LARGEST_EXACT && second.len() <= LARGEST_EXACT {
        let p = exact_p(u, first.len(), second.len());
        Some(MannWhitney { u, p, exact: true })
    } else {
        let p = approximate_p(u, first.len() as f64, second.len() as f64, &tie_sizes);
        Some(MannWhitney { u, p, exact: false })
    }
}

/// The smallest two-sided p value that samples of these sizes can reach: with 3 a side it is 0.1,
/// so nothing they show is significant at 5 %.
pub fn smallest_p(first: usize, second: usize) -> f64 {
    if first == 0 || second == 0 || first > LARGEST_EXACT || second > LARGEST_EXACT {
        return if first == 0 || second == 0 { 1.0 } else { 0.0 };
    }
    exact_p(0.0, first, second)
}

fn pairs_won(first: &[f64], second: &[f64]) -> f64 {
    let mut doubled = 0_u64;
    for one in first {
        for other in second {
            doubled += match one.total_cmp(other) {
                std::cmp::Ordering::Greater => 2,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Less => 0,
            };
        }
    }
    doubled as f64 / 2.0
}

fn tie_sizes(first: &[f64], second: &[f64]) -> Vec<usize> {
    let mut pooled: Vec<f64> = first.iter().chain(second).copied().collect();
    pooled.sort_by(f64::total_cmp);
    pooled.chunk_by(|one, other| one == other).map(<[f64]>::len).collect()
}

fn exact_p(u: f64, first: usize, second: usize) -> f64 {
    let ways = ways_by_u(first, second);
    let total: f64 = ways.iter().sum();
    let smaller = u.min((first * second) as f64 - u);
    let tail: f64 = ways
        .iter()
        .enumerate()
        .take_while(|(value, _)| *value as f64 <= smaller)
        .map(|(_, ways)| ways)
        .sum();
    (2.0 * tail / total).min(1.0)
}

/// How many orders of the pooled sample give each U from 0 to `first × second`: the coefficients
/// of the Gaussian binomial, built by multiplying with `1 − x^(second + i)` and dividing by
/// `1 − x^i`.
fn ways_by_u(first: usize, second: usize) -> Vec<f64> {
    let mut ways = vec![0.0; first * second + 1];
    ways[0] = 1.0;
    for i in 1..=first {
        for value in (second + i..ways.len()).rev() {
            ways[value] -= ways[value - second - i];
        }
        for value in i..ways.len() {
            ways[value] += ways[value - i];
        }
    }
    ways
}

fn approximate_p(u: f64, first: f64, second: f64, tie_sizes: &[usize]) -> f64 {
    let total = first + second;
    let tie_term: f64 = tie_sizes
        .iter()
        .map(|&size| {
            let size = size as f64;
            size.powi(3) - size
        })
        .sum();
    let variance =
        first * second / 12.0 * ((total + 1.0) - tie_term / (total * (total - 1.0)).max(1.0));
    if variance <= 0.0 {
        return 1.0;
    }
    let distance = ((u - first * second / 2.0).abs() - 0.5).max(0.0);
    (2.0 * Normal::standard().sf(distance / variance.sqrt())).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_exact_p_agrees_with_hollander_and_wolfe() {
        // Hollander and Wolfe, Nonparametric Statistical Methods (1973), page 69: permeability of
        // the human chorioamnion. R's wilcox.test gives W = 35 and a one-sided p of 0.1272.
        let at_term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
        let early = [1.15, 0.88, 0.90, 0.74, 1.21];
        let test = mann_whitney(&at_term, &early).unwrap();
        assert!(test.exact);
        assert_eq!(test.u, 35.0);
        assert!((test.p - 2.0 * 0.1272).abs() < 2e-4, "{}", test.p);
    }

    #[test]
    fn tables_of_critical_values_are_met() {
        // Mann and Whitney (1947), table I: P(U <= 0) is 0.05 for 3 and 3, P(U <= 2) is 0.016 for
        // 5 and 5 (two-sided 0.032).
        assert!((smallest_p(3, 3) - 0.1).abs() < 1e-12);
        assert!((exact_p(2.0, 5, 5) - 8.0 / 252.0).abs() < 1e-12);
        assert!((smallest_p(5, 5) - 2.0 / 252.0).abs() < 1e-12);
    }

    #[test]
    fn the_approximation_with_ties_agrees_with_r() {
        // R's own example, wilcox.test(Ozone ~ Month) of the airquality data for May and August:
        // W = 127.5, p = 0.0001208.
        let may = [
            41.0, 36.0, 12.0, 18.0, 28.0, 23.0, 19.0, 8.0, 7.0, 16.0, 11.0, 14.0, 18.0, 14.0, 34.0,
            6.0, 30.0, 11.0, 1.0, 11.0, 4.0, 32.0, 23.0, 45.0, 115.0, 37.0,
        ];
        let august = [
            39.0, 9.0, 16.0, 78.0, 35.0, 66.0, 122.0, 89.0, 110.0, 44.0, 28.0, 65.0, 22.0, 59.0,
            23.0, 31.0, 44.0, 21.0, 9.0, 45.0, 168.0, 73.0, 76.0, 118.0, 84.0, 85.0,
        ];
        let test = mann_whitney(&may, &august).unwrap();
        assert!(!test.exact);
        assert_eq!(test.u, 127.5);
        assert!((test.p - 0.000_120_8).abs() < 5e-8, "{}", test.p);
    }

    #[test]
    fn equal_values_are_no_evidence() {
        let test = mann_whitney(&[4.0; 5], &[4.0; 5]).unwrap();
        assert_eq!(test.p, 1.0);
        assert_eq!(mann_whitney(&[], &[1.0]), None);
        assert_eq!(mann_whitney(&[f64::NAN], &[1.0]), None);
    }

    proptest! {
        #[test]
        fn the_ways_add_up_to_the_binomial(first in 1..12_usize, second in 1..12_usize) {
            let mut binomial = 1.0;
            for i in 1..=first {
                binomial = binomial * (second + i) as f64 / i as f64;
            }
            let total: f64 = ways_by_u(first, second).iter().sum();
            prop_assert!((total - binomial).abs() < 1e-6 * binomial);
        }

        #[test]
        fn the_order_of_the_samples_does_not_matter(
            first in prop::collection::vec(0..30_u8, 1..30),
            second in prop::collection::vec(0..30_u8, 1..30),
        ) {
            let first: Vec<f64> = first.into_iter().map(f64::from).collect();
            let second: Vec<f64> = second.into_iter().map(f64::from).collect();
            let forth = mann_whitney(&first, &second).unwrap();
            let back = mann_whitney(&second, &first).unwrap();
            prop_assert!((0.0..=1.0).contains(&forth.p));
            prop_assert!((forth.p - back.p).abs() < 1e-12);
            prop_assert_eq!(forth.u + back.u, (first.len() * second.len()) as f64);
        }
    }
}
