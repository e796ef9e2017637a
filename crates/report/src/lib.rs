//! tmp
#![allow(missing_docs)]
use tiergate_model::*;
pub struct ListRow {
    pub engine: String,
    pub budget: Option<OpBudget>,
    pub seconds: Option<f64>,
    pub bench: DiscoveredBench,
}
pub fn run_table(r: &ResultFile, _: usize) -> String {
    r.benches
        .iter()
        .map(|b| {
            format!(
                "{} {:?} {:?} {:?} {} {} {:?}\n",
                b.id,
                b.instructions_per_op,
                b.aa_spread,
                b.reason,
                b.warmup_ops,
                b.window_ops,
                b.wall
            )
        })
        .collect()
}
pub fn run_markdown(r: &ResultFile) -> String {
    run_table(r, 0)
}
pub fn comparison_table(c: &Comparison, _: usize) -> String {
    format!("{c:#?}")
}
pub fn comparison_json(_: &Comparison) -> String {
    String::new()
}
pub fn comparison_markdown(_: &Comparison) -> String {
    String::new()
}
pub fn list_table(r: &[ListRow], _: usize) -> String {
    r.iter().map(|b| format!("{} {:?} {:?}\n", b.bench.id, b.budget, b.bench)).collect()
}
pub fn list_json(r: &[ListRow]) -> String {
    list_table(r, 0)
}
pub fn list_markdown(r: &[ListRow]) -> String {
    list_table(r, 0)
}
