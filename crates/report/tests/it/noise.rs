//! What moves a bench.

use tiergate_model::{BenchId, NoiseDetail, NoiseEffect, PerturbationKind, Unit};
use tiergate_report::{Style, noise_detail_text};

#[test]
fn every_cause_stands_in_one_line_with_its_effect() {
    let effects = PerturbationKind::ALL
        .into_iter()
        .filter(|kind| *kind != PerturbationKind::Mixed)
        .map(|kind| NoiseEffect::new(kind, vec![0.0591, 0.000_001, -0.000_04, 0.0]));
    let detail = NoiseDetail {
        id: BenchId::new("a.mjs", &["map".to_owned()], 1),
        per_op: 75_494.0,
        aa_spread: 0.0,
        warmup_ops: 20_000,
        window_ops: 1_800,
        effects: effects.collect(),
    };
    insta::assert_snapshot!(noise_detail_text(&detail, Unit::Instructions, &Style::plain(100)), @r"
    a.mjs::map
    75,494 Ir/op, A/A 0 %, warm-up 20,000, window 1,800

    what changes  effect  draws
    hash-seed     5.91 %  +5.91 %  ±<0.001 %  -0.004 %  0 %  which keys collide
    random-seed   5.91 %  +5.91 %  ±<0.001 %  -0.004 %  0 %  numbers of Math.random
    heap-phase    5.91 %  +5.91 %  ±<0.001 %  -0.004 %  0 %  dead objects, young generation
    warm-up       5.91 %  +5.91 %  ±<0.001 %  -0.004 %  0 %  up to 300 ops more before
    environment   5.91 %  +5.91 %  ±<0.001 %  -0.004 %  0 %  size of the environment
    path          5.91 %  +5.91 %  ±<0.001 %  -0.004 %  0 %  length of all paths
    addresses     5.91 %  +5.91 %  ±<0.001 %  -0.004 %  0 %  randomised addresses

    hint: hash-seed: renamed keys move this bench as much; more keys or inputs per op average it out
    hint: random-seed: make the inputs of the bench without Math.random, or many of them; where it draws
    none, the seed moves choices of the engine's own
    hint: heap-phase: on V8 every other draw has a young generation of 1 MB instead of 2; where those
    differ from the rest, its size moves the bench, which an engine argument can fix
    (`--max-semi-space-size`); else the window holds few collections, and a longer one averages them
    hint: warm-up: the window holds few collections, or part of a cycle of the bench; a longer one
    (`ops` in tiergate.toml, or `--recalibrate`) averages them
    hint: environment, path: does the bench read the environment, its own path or a stack trace?
    hint: addresses: they are fixed unless the system refuses; see `tiergate doctor`
    ");
}
