//! Strip plots: every reading a mark on a common scale.

use crate::number::per_op;
use maud::{Markup, html};
use tiergate_stats::Summary;

/// Room at both ends, a fraction of the range, so that no mark is cut off.
const MARGIN: f64 = 0.06;

/// Marks that lie on one another by this much of the width are drawn once.
const RESOLUTION: f64 = 0.002;

/// From values to places between 0 and 100 %.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// A scale that holds all values; `None` without any.
    pub(super) fn over(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let (low, high) = values
            .into_iter()
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        (low <= high).then_some(Self { low, high })
    }

    /// The smallest and the largest value, as text; the same twice where all are equal.
    pub(super) fn ends(self) -> [String; 2] {
        [per_op(self.low), per_op(self.high)]
    }

    pub(super) fn is_a_point(self) -> bool {
        self.low == self.high
    }

    fn place(self, value: f64) -> f64 {
        if self.is_a_point() {
            return 50.0;
        }
        let share = (value - self.low) / (self.high - self.low);
        100.0 * (MARGIN + (1.0 - 2.0 * MARGIN) * share)
    }
}

/// The values of one side on a line: circles for base, squares for head, so that the two are told
/// apart without colours. `spoken` is what a screen reader says in place of the drawing.
pub(super) fn lane(values: &[f64], scale: Scale, side: &str, spoken: &str) -> Markup {
    let mut places: Vec<f64> = values.iter().map(|value| scale.place(*value)).collect();
    places.sort_by(f64::total_cmp);
    places.dedup_by(|one, other| (*one - *other).abs() < 100.0 * RESOLUTION);
    let median = Summary::of(values).map(|summary| format!("{:.2}%", scale.place(summary.median)));
    html! {
        svg class={ "lane " (side) } height="18" role="img" aria-label=(spoken) {
            line.rail x1="0" x2="100%" y1="9" y2="9" {}
            @if let Some(median) = &median {
                line.median x1=(median) x2=(median) y1="2" y2="16" {}
            }
            @for place in &places {
                @if side == "base" {
                    circle cx=(format!("{place:.2}%")) cy="9" r="4" {}
                } @else {
                    rect x=(format!("{place:.2}%")) y="9" width="8" height="8" {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_values_are_between_the_ends() {
        let scale = Scale::over([30.0, 10.0, f64::NAN, 20.0]).unwrap();
        assert_eq!([10.0, 20.0, 30.0].map(|value| scale.place(value)), [6.0, 50.0, 94.0]);
        assert_eq!(scale.ends(), ["10.00", "30.00"]);
        assert_eq!(Scale::over([5.0, 5.0]).unwrap().place(5.0), 50.0);
        assert!(Scale::over([f64::NAN]).is_none());
    }

    #[test]
    fn equal_values_are_one_mark() {
        let scale = Scale::over([1.0, 2.0]).unwrap();
        let drawing = lane(&[1.0, 1.0, 1.0, 2.0], scale, "base", "readings").into_string();
        assert_eq!(drawing.matches("<circle").count(), 2);
    }
}
