//! Correction of p values for many comparisons.

/// Adjusts p values so that rejecting all below a level keeps the expected share of false
/// rejections below it (Y. Benjamini and Y. Hochberg, *Controlling the False Discovery Rate*,
/// Journal of the Royal Statistical Society B 57 (1995)). The order is kept. A value that is not
/// a number counts as 1.
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let p_values: Vec<f64> =
        p_values.iter().map(|&p| if p.is_nan() { 1.0 } else { p.clamp(0.0, 1.0) }).collect();
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&one, &other| p_values[one].total_cmp(&p_values[other]));
    let count = p_values.len() as f64;
    let mut adjusted = vec![1.0; p_values.len()];
    let mut smallest = 1.0_f64;
    for (rank, &index) in order.iter().enumerate().rev() {
        smallest = smallest.min(p_values[index] * (count / (rank + 1) as f64));
        adjusted[index] = smallest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_papers_example_rejects_its_four() {
        // Benjamini and Hochberg (1995), section 4.1: 15 p values, four of which are rejected at
        // 0.05.
        let p_values = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
            0.5719, 0.6528, 0.7590, 1.0,
        ];
        let adjusted = benjamini_hochberg(&p_values);
        assert_eq!(adjusted.iter().filter(|&&p| p <= 0.05).count(), 4);
        assert!((adjusted[0] - 0.0015).abs() < 1e-12);
        assert!((adjusted[3] - 0.035_625).abs() < 1e-12);
        assert!((adjusted[4] - 0.060_3).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn adjusting_never_lowers_a_value_and_keeps_the_order(
            p_values in prop::collection::vec(0.0..=1.0_f64, 0..40),
        ) {
            let adjusted = benjamini_hochberg(&p_values);
            prop_assert_eq!(adjusted.len(), p_values.len());
            for (plain, adjusted) in p_values.iter().zip(&adjusted) {
                prop_assert!(plain <= adjusted && *adjusted <= 1.0);
            }
            for one in 0..p_values.len() {
                for other in 0..p_values.len() {
                    if p_values[one] < p_values[other] {
                        prop_assert!(adjusted[one] <= adjusted[other]);
                    }
                }
            }
        }
    }
}
