//! Where the time of a run's processes went.

use crate::number::UNKNOWN;
use crate::style::Style;
use crate::table::{Align, Cell, Table};
use crate::text::printable;
use tiergate_model::{BenchResult, Phases, ResultFile};

/// A column's name and the seconds that it shows.
type Column = (&'static str, fn(&Phases) -> f64);

const COLUMNS: [Column; 6] = [
    ("start-up", |phases| phases.start_up),
    ("loading", |phases| phases.loading),
    ("set-up", |phases| phases.set_up),
    ("warm-up", |phases| phases.warm_up),
    ("window", |phases| phases.window),
    ("end", |phases| phases.end),
];

/// The seconds of a bench's calibration and the median ones of each part of its processes, as text.
pub fn timings_text(result: &ResultFile, style: &Style) -> String {
    let mut columns = vec![("bench", Align::Left), ("calibration", Align::Right)];
    columns.extend(COLUMNS.iter().map(|(name, _)| (*name, Align::Right)));
    columns.push(("process", Align::Right));
    let mut table = Table::new(&columns, 0);
    for bench in result.benches.iter().filter(|bench| !bench.readings.is_empty()) {
        let mut cells = vec![Cell::plain(printable(bench.id.as_str()))];
        let calibration = bench.calibration.map(|taken| taken.seconds);
        cells.push(Cell::plain(median(calibration.into_iter().collect())));
        cells.extend(COLUMNS.iter().map(|(_, select)| Cell::plain(median_of(bench, *select))));
        let whole = bench.readings.iter().map(|reading| reading.seconds).collect();
        cells.push(Cell::plain(median(whole)));
        table.row(cells);
    }
    table.render(style)
}

fn median_of(bench: &BenchResult, select: fn(&Phases) -> f64) -> String {
    median(
        bench.readings.iter().filter_map(|reading| reading.phases.as_ref()).map(select).collect(),
    )
}

fn median(mut values: Vec<f64>) -> String {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).map_or_else(|| UNKNOWN.to_owned(), |value| format!("{value:.3} s"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiergate_model::Calibration;
    use tiergate_model::fixtures::{incomplete, measured, result_file};

    #[test]
    fn each_bench_has_its_medians() {
        let mut bench = measured("a.mjs::one", &[10_000, 10_000, 10_000]);
        for (reading, start_up) in bench.readings.iter_mut().zip([0.1, 0.3, 0.2]) {
            let rest =
                Phases { start_up, loading: 1.0, set_up: 0.0, warm_up: 2.5, window: 0.5, end: 0.0 };
            reading.phases = Some(rest);
        }
        bench.calibration = Some(Calibration { processes: 5, seconds: 0.75 });
        let unknown = measured("a.mjs::two", &[10_000]);
        let result = result_file(vec![bench, unknown, incomplete("a.mjs::three", "it threw")]);
        let text = timings_text(&result, &Style::plain(100));
        let lines: Vec<Vec<&str>> =
            text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(
            lines[0].join(" "),
            "bench calibration start-up loading set-up warm-up window end process"
        );
        assert_eq!(
            lines[1].join(" "),
            "a.mjs::one 0.750 s 0.200 s 1.000 s 0.000 s 2.500 s 0.500 s 0.000 s 1.250 s"
        );
        assert_eq!(lines[2][1], UNKNOWN);
        assert!(!text.contains("three"));
    }
}
