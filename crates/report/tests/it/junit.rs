//! JUnit XML.

use crate::support::{compared_files, every_verdict_sides};
use tiergate_model::ResultFile;
use tiergate_model::fixtures::{incomplete, measured, result_file, skipped};
use tiergate_report::{Compared, comparison_junit, run_junit};

fn junit(base: &ResultFile, head: &ResultFile) -> String {
    let comparison = compared_files(base, head);
    comparison_junit(&Compared { comparison: &comparison, base, head }, None).unwrap()
}

#[test]
fn every_verdict_has_its_case() {
    let (base, head) = every_verdict_sides();
    insta::assert_snapshot!(junit(&base, &head), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="tiergate" tests="9" skipped="1" failures="1" errors="3">
        <testsuite name="bench/a.mjs" tests="7" skipped="1" errors="2" failures="1">
            <properties>
                <property name="base" value="base.json, node 24.22.1, callgrind"/>
                <property name="head" value="head.json, node 24.22.1, callgrind"/>
            </properties>
            <testcase name="parse &gt; short" classname="bench/a.mjs" time="12.500">
                <properties>
                    <property name="verdict" value="FAIL"/>
                    <property name="change" value="0.050198460915350296"/>
                    <property name="base_per_op" value="1234.5"/>
                    <property name="head_per_op" value="1296.47"/>
                    <property name="base_spread" value="0"/>
                    <property name="head_spread" value="0"/>
                </properties>
                <failure message="+5.02 %: 1,234 → 1,296 Ir/op, A/A 0 %" type="FAIL">+5.02 %: 1,234 → 1,296 Ir/op, A/A 0 %</failure>
            </testcase>
            <testcase name="throws" classname="bench/a.mjs" time="6.250">
                <properties>
                    <property name="verdict" value="INCOMPLETE"/>
                    <property name="base_per_op" value="700"/>
                    <property name="base_spread" value="0"/>
                </properties>
                <error message="head: TypeError: x is not a function" type="INCOMPLETE">head: TypeError: x is not a function
        at a.mjs:3:1
    700.0 → - Ir/op, A/A 0 %</error>
            </testcase>
            <testcase name="noisy" classname="bench/a.mjs" time="12.500">
                <properties>
                    <property name="verdict" value="INCONCLUSIVE"/>
                    <property name="change" value="-0.0009990009990009652"/>
                    <property name="base_per_op" value="100.1"/>
                    <property name="head_per_op" value="100"/>
                    <property name="base_spread" value="0.006993006993007022"/>
                    <property name="head_spread" value="0"/>
                </properties>
                <error message="the A/A spread of base is 0.699 %, above the limit of 0.4 %" type="INCONCLUSIVE">the A/A spread of base is 0.699 %, above the limit of 0.4 %
    -0.10 %: 100.1 → 100.0 Ir/op, A/A 0.70 %
    hint: equal processes did unequal work: look for clocks, randomness, I/O or threads in the op</error>
            </testcase>
            <testcase name="parse &gt; long" classname="bench/a.mjs" time="12.500">
                <properties>
                    <property name="verdict" value="warn"/>
                    <property name="change" value="0.014348029946414487"/>
                    <property name="base_per_op" value="81234.567"/>
                    <property name="head_per_op" value="82400.123"/>
                    <property name="base_spread" value="0"/>
                    <property name="head_spread" value="0"/>
                </properties>
            </testcase>
            <testcase name="faster" classname="bench/a.mjs" time="12.500">
                <properties>
                    <property name="verdict" value="improved"/>
                    <property name="change" value="-0.5"/>
                    <property name="base_per_op" value="300"/>
                    <property name="head_per_op" value="150"/>
                    <property name="base_spread" value="0"/>
                    <property name="head_spread" value="0"/>
                </properties>
            </testcase>
            <testcase name="steady" classname="bench/a.mjs" time="12.500">
                <properties>
                    <property name="verdict" value="ok"/>
                    <property name="change" value="0"/>
                    <property name="base_per_op" value="50"/>
                    <property name="head_per_op" value="50"/>
                    <property name="base_spread" value="0"/>
                    <property name="head_spread" value="0.000019999999999953388"/>
                </properties>
            </testcase>
            <testcase name="later" classname="bench/a.mjs" time="0.000">
                <properties>
                    <property name="verdict" value="skipped"/>
                </properties>
                <skipped message="marked `skip`"/>
            </testcase>
        </testsuite>
        <testsuite name="bench/old.mjs" tests="1" skipped="0" errors="1" failures="0">
            <properties>
                <property name="base" value="base.json, node 24.22.1, callgrind"/>
                <property name="head" value="head.json, node 24.22.1, callgrind"/>
            </properties>
            <testcase name="moved" classname="bench/old.mjs" time="6.250">
                <properties>
                    <property name="verdict" value="INCOMPLETE"/>
                    <property name="base_per_op" value="42"/>
                    <property name="base_spread" value="0"/>
                </properties>
                <error message="removed, or renamed to `bench/new.mjs::moved`" type="INCOMPLETE">removed, or renamed to `bench/new.mjs::moved`
    42.00 → - Ir/op, A/A 0 %
    hint: if that is meant, allow it with `--allow-removed`</error>
            </testcase>
        </testsuite>
        <testsuite name="bench/new.mjs" tests="1" skipped="0" errors="0" failures="0">
            <properties>
                <property name="base" value="base.json, node 24.22.1, callgrind"/>
                <property name="head" value="head.json, node 24.22.1, callgrind"/>
            </properties>
            <testcase name="moved" classname="bench/new.mjs" time="6.250">
                <properties>
                    <property name="verdict" value="added"/>
                    <property name="reason" value="only head has it, or renamed from `bench/old.mjs::moved`"/>
                    <property name="head_per_op" value="42.1"/>
                    <property name="head_spread" value="0"/>
                </properties>
            </testcase>
        </testsuite>
    </testsuites>
    "#);
}

#[test]
fn what_can_not_be_compared_errs() {
    let base = result_file(vec![]);
    let mut head = base.clone();
    insta::assert_snapshot!(junit(&base, &head), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="tiergate" tests="1" skipped="0" failures="0" errors="1">
        <testsuite name="comparison" tests="1" skipped="0" errors="1" failures="0">
            <properties>
                <property name="base" value="base.json, node 24.22.1, callgrind"/>
                <property name="head" value="head.json, node 24.22.1, callgrind"/>
            </properties>
            <testcase name="benches were compared">
                <error message="nothing was compared" type="INCOMPLETE">nothing was compared</error>
            </testcase>
        </testsuite>
    </testsuites>
    "#);
    head.fingerprint.libc = "musl <1.2>".to_owned();
    insta::assert_snapshot!(junit(&base, &head), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="tiergate" tests="1" skipped="0" failures="0" errors="1">
        <testsuite name="fingerprint" tests="1" skipped="0" errors="1" failures="0">
            <properties>
                <property name="base" value="base.json, node 24.22.1, callgrind"/>
                <property name="head" value="head.json, node 24.22.1, callgrind"/>
            </properties>
            <testcase name="libc">
                <error message="base and head differ in libc" type="not comparable">base and head differ in libc
    base: glibc 2.36
    head: musl &lt;1.2&gt;
    hint: measure base and head on one machine with the same engine, flags and tiergate</error>
            </testcase>
        </testsuite>
    </testsuites>
    "#);
}

#[test]
fn a_run_errs_where_it_could_not_measure() {
    let result = result_file(vec![
        measured("bench/a.mjs::parse", &[1_234_500, 1_234_510, 1_234_505]),
        skipped("bench/a.mjs::later", "marked `skip`"),
        incomplete("bench/b.mjs", "SyntaxError: \u{1b}[31mUnexpected\u{0} ]]> & <x>"),
    ]);
    let suite = "core".parse().unwrap();
    insta::assert_snapshot!(run_junit(&result, Some(&suite)).unwrap(), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="tiergate core" tests="3" skipped="1" failures="0" errors="1">
        <testsuite name="bench/a.mjs" tests="2" skipped="1" errors="0" failures="0">
            <properties>
                <property name="engine and instrument" value="node 24.22.1 (v8 13.6.233.17-node.41), callgrind 3.19.0"/>
            </properties>
            <testcase name="parse" classname="bench/a.mjs" time="3.750">
                <properties>
                    <property name="Ir/op" value="1234.505"/>
                    <property name="aa_spread" value="0.000008100412716020514"/>
                </properties>
            </testcase>
            <testcase name="later" classname="bench/a.mjs" time="0.000">
                <skipped message="marked `skip`"/>
            </testcase>
        </testsuite>
        <testsuite name="bench/b.mjs" tests="1" skipped="0" errors="1" failures="0">
            <properties>
                <property name="engine and instrument" value="node 24.22.1 (v8 13.6.233.17-node.41), callgrind 3.19.0"/>
            </properties>
            <testcase name="bench/b.mjs" classname="bench/b.mjs" time="0.000">
                <error message="SyntaxError: \u{1b}[31mUnexpected\u{0} ]]&gt; &amp; &lt;x&gt;" type="INCOMPLETE">SyntaxError: \u{1b}[31mUnexpected\u{0} ]]&gt; &amp; &lt;x&gt;</error>
            </testcase>
        </testsuite>
    </testsuites>
    "#);
}
