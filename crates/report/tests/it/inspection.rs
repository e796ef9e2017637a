//! What else is found about benches, on a terminal.

use std::collections::BTreeMap;
use tiergate_model::{
    BenchId, FunctionDifference, ProfileDifference, ThresholdEffect, ThresholdSide,
};
use tiergate_report::{Style, profile_difference_text, thresholds_text};

fn side(per_op: f64, warmup_ops: u64, tier: &str) -> ThresholdSide {
    ThresholdSide {
        per_op: Some(per_op),
        warmup_ops,
        window_ops: 1_000,
        tiers: BTreeMap::from([("push".to_owned(), tier.to_owned())]),
        reason: None,
    }
}

fn effect(name: &str, lowered: ThresholdSide, own: ThresholdSide) -> ThresholdEffect {
    ThresholdEffect { id: BenchId::from_text(format!("a.mjs::{name}")), lowered, own, aged: None }
}

#[test]
fn effects_of_thresholds_are_told_from_those_of_age() {
    let turbofan = |per_op, warmup_ops| side(per_op, warmup_ops, "TurboFan");
    let mut moved = effect("moved", turbofan(106.0, 20_000), side(100.0, 400_000, "Maglev"));
    moved.aged = Some(turbofan(101.0, 400_000));
    let mut unsettled = effect("unsettled", turbofan(5.0, 100), turbofan(5.0, 200_000));
    unsettled.own.reason = Some("it never settles: `f` compiled by Maglev".to_owned());
    let effects = [
        effect("equal", turbofan(247.6, 7_800), turbofan(247.6, 200_000)),
        moved,
        unsettled,
        effect("close", turbofan(9_888.0, 7_800), turbofan(9_892.0, 200_000)),
    ];
    insta::assert_snapshot!(thresholds_text(&effects, &Style::plain(90)), @"
    lowered    own    effect  warm-up  own warm-up  bench
       5.00   5.00         -      100      200,000  a.mjs::unsettled
        own: it never settles: `f` compiled by Maglev
      106.0  100.0   +6.00 %   20,000      400,000  a.mjs::moved
        after the long warm-up 101.0 with lowered thresholds: they do +1.00 %, the rest is age
        push: TurboFan, with the engine's own: Maglev
      9,888  9,892  -0.040 %    7,800      200,000  a.mjs::close
      247.6  247.6    0.00 %    7,800      200,000  a.mjs::equal

    2 of 4 within 0.5 % of the engine's own thresholds, 1 beyond (up to +6.00 %), 1 not to be told
    ");
}

fn function(name: &str, file: &str, first: u64, other: u64) -> FunctionDifference {
    FunctionDifference { name: name.to_owned(), file: file.to_owned(), first, other }
}

fn difference(functions: Vec<FunctionDifference>) -> ProfileDifference {
    let larger: i64 =
        functions.iter().map(|one| one.other.cast_signed() - one.first.cast_signed()).sum();
    ProfileDifference {
        id: BenchId::from_text("a.mjs::parse"),
        processes: 5,
        first: 100_000_000,
        other: 100_000_000_u64.saturating_add_signed(larger),
        functions,
        largest: vec![
            function("v8::internal::Scan", "node", 60_000_000, 60_000_000),
            function("0x7f001230", "", 40_000_000, 40_000_000),
        ],
    }
}

#[test]
fn functions_that_differ_are_named() {
    let found = difference(vec![
        function("u64toa", "node", 1_000, 1_412),
        function("0x7f001230", "", 40_000_000, 39_999_988),
    ]);
    insta::assert_snapshot!(profile_difference_text(&found, &Style::plain(90)), @"
    a.mjs::parse
    5 processes; the two that differ most: 100,000,000 and 100,000,400 instructions, 2
    functions differ

    difference       first       other  function
          +412       1,000       1,412  u64toa (node)
           -12  40,000,000  39,999,988  0x7f001230 (generated code)
    ");
}

#[test]
fn equal_profiles_show_where_the_instructions_are() {
    let found = difference(Vec::new());
    insta::assert_snapshot!(profile_difference_text(&found, &Style::plain(90)), @"
    a.mjs::parse
    5 processes, 100,000,000 instructions in each window: no function differs

     share  instructions  function
    60.0 %    60,000,000  v8::internal::Scan (node)
    40.0 %    40,000,000  0x7f001230 (generated code)
    ");
}
