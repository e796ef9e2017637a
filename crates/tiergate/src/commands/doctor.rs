//! `tiergate doctor`: what this machine and these engines can do, and what is missing.

use crate::args::DoctorOptions;
use crate::failure::Failure;
use crate::output;
use crate::settings::Settings;
use crate::setup::{find_engine, search, working_perf};
use anstyle::{AnsiColor, Style};
use std::fmt::Write;
use tiergate_engine::{Engine, FlagSet, Profile, can_preload, find_all, pins};
use tiergate_measure::instrument::{Callgrind, Counter, self_check};
use tiergate_measure::process::{
    AddressSpace, base_environment, can_alias, can_fix_seed, disable_address_randomisation,
};
use tiergate_measure::{fingerprint, harness};
use tiergate_model::ExitStatus;

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Yellow.on_default();
const HEADING: Style = Style::new().bold();
const HINT: Style = AnsiColor::Cyan.on_default();

/// The page under construction, and whether anything that measuring needs is missing.
struct Page {
    text: String,
    can_measure: bool,
}

impl Page {
    fn heading(&mut self, text: &str) {
        let gap = if self.text.is_empty() { "" } else { "\n" };
        self.push(&format!("{gap}{HEADING}{text}{HEADING:#}"));
    }

    fn good(&mut self, name: &str, text: &str) {
        self.push(&format!("  {GOOD}ok{GOOD:#}  {name:<14} {text}"));
    }

    fn bad(&mut self, name: &str, text: &str, hint: Option<&str>) {
        self.push(&format!("  {BAD}no{BAD:#}  {name:<14} {text}"));
        if let Some(hint) = hint {
            self.push(&format!("                     {HINT}hint{HINT:#}: {hint}"));
        }
    }

    fn push(&mut self, line: &str) {
        // Writing to a string can't fail.
        let _ = writeln!(self.text, "{line}");
    }
}

pub(crate) fn doctor(options: &DoctorOptions) -> Result<ExitStatus, Failure> {
    let settings = Settings::load(None, &[])?;
    let mut page = Page { text: String::new(), can_measure: true };
    machine(&mut page, &settings);
    instruments(&mut page);
    pinned_process(&mut page);
    engines(&mut page, options, &settings)?;
    output::results(&page.text)?;
    Ok(if page.can_measure { ExitStatus::Pass } else { ExitStatus::Incomplete })
}

fn machine(page: &mut Page, settings: &Settings) {
    let (pass, set) = settings.environment();
    let cpu = fingerprint::cpu(&base_environment(pass, set));
    page.heading(&format!("tiergate {}", env!("CARGO_PKG_VERSION")));
    page.push(&format!(
        "      machine        {}, kernel {}, {}",
        fingerprint::platform(),
        fingerprint::kernel(),
        fingerprint::libc()
    ));
    page.push(&format!("      processor      {} (features {})", cpu.model, cpu.features_hash));
    match harness::unpack() {
        Ok(harness) if harness.preload.is_some() => {
            page.good("harness", &format!("{} in {}", harness.hash, harness.directory.display()));
        }
        Ok(_) => {
            page.bad("harness", "this build carries no library for the marks", None);
            page.can_measure = false;
        }
        Err(error) => {
            page.bad(
                "harness",
                &error.to_string(),
                Some("set `XDG_CACHE_HOME` to a folder that can be written to"),
            );
            page.can_measure = false;
        }
    }
}

fn instruments(page: &mut Page) {
    page.heading("Instruments");
    match Counter::find() {
        Ok(counter) => match harness::unpack().map(|harness| self_check(&counter, &harness)) {
            Ok(Ok(instructions)) => page.good(
                "counter",
                &format!(
                    "counts instructions in the engine's process; checked against \
                     single-stepping over {instructions} instructions"
                ),
            ),
            Ok(Err(error)) => {
                page.bad("counter", &error.to_string(), Some("use `--instrument callgrind`"))
            }
            Err(error) => page.bad("counter", &error.to_string(), None),
        },
        Err(unusable) => page.bad("counter", &unusable.reason, Some(&unusable.hint)),
    }
    match Callgrind::find() {
        Ok(callgrind) => page.good(
            "callgrind",
            &format!(
                "counts instructions, Valgrind {}",
                tiergate_measure::instrument::Instrument::version(&callgrind)
            ),
        ),
        Err(unusable) => page.bad("callgrind", &unusable.reason, Some(&unusable.hint)),
    }
    match working_perf() {
        Ok(_) => page
            .good("perf", "this machine has hardware counters; checked by counting a known loop"),
        Err(unusable) => page.bad("perf", &unusable.reason, Some(&unusable.hint)),
    }
    page.good("wall", "the monotonic clock; resolves a few percent on a quiet machine");
}

fn pinned_process(page: &mut Page) {
    page.heading("Pinned process");
    match disable_address_randomisation() {
        AddressSpace::Fixed => page.good("addresses", "randomisation can be switched off"),
        AddressSpace::Randomised => page.bad(
            "addresses",
            "the system refuses to switch randomisation off; counts differ slightly between runs",
            Some("a container needs `--security-opt seccomp=unconfined` or a profile that allows `personality`"),
        ),
    }
    if can_fix_seed() {
        page.good("seed", "the kernel's random bytes for a process can be replaced");
    } else {
        page.bad(
            "seed",
            "the system forbids to trace what was started, so `pin:seed` is left out",
            Some("a container needs a profile that allows `ptrace`"),
        );
    }
    if can_alias() {
        page.good("paths", "files can be seen under longer paths, for the perturbation `path`");
    } else {
        page.bad("paths", "mounting is not allowed, so the perturbation `path` is left out", None);
    }
}

/// What an engine gets from each profile, with the reasons.
fn profiles(page: &mut Page, engine: &Engine) {
    for profile in Profile::ALL {
        match pins(profile, engine) {
            Err(error) => page.push(&format!("      {error}")),
            Ok(pins) if pins.is_empty() => {
                page.push(&format!("      {profile}: the engine as it is"));
            }
            Ok(pins) => {
                page.push(&format!("      {profile}:"));
                for pin in pins {
                    page.push(&format!("        {}", pin.text));
                    page.push(&format!("            {}", pin.reason));
                }
            }
        }
    }
}

fn engines(page: &mut Page, options: &DoctorOptions, settings: &Settings) -> Result<(), Failure> {
    page.heading("Engines");
    let search = search(&settings.root)?;
    let mut found: Vec<Engine> = Vec::new();
    if options.engine.is_empty() {
        let survey = find_all(&search);
        for broken in &survey.broken {
            page.bad("broken", &broken.to_string(), None);
        }
        for old in &survey.too_old {
            page.bad("too old", &old.to_string(), None);
        }
        found = survey.engines;
    } else {
        for name in &options.engine {
            let spec = name.parse().map_err(Failure::usage)?;
            found.push(find_engine(&spec, &search)?);
        }
    }
    for engine in &found {
        if let Err(reason) = can_preload(&engine.path) {
            page.bad(&engine.to_string(), &reason.to_string(), None);
            continue;
        }
        let flags = FlagSet::of_profile(Profile::default(), engine)
            .map_err(|error| error.to_string())
            .and_then(|flags| {
                tiergate_engine::check_flags(engine, flags, &settings.root)
                    .map_err(|error| error.to_string())
            });
        let name = engine.to_string();
        match flags {
            Ok(_) => {
                page.good(&name, &engine.path.display().to_string());
                if !options.engine.is_empty() {
                    profiles(page, engine);
                }
            }
            Err(error) => page.bad(&name, &error, Some("use the profile `default`")),
        }
    }
    if found.is_empty() {
        page.bad(
            "none",
            "no engine was found",
            Some("install Node.js, Deno or Bun, or name a path with `--engine`"),
        );
        page.can_measure = false;
    }
    Ok(())
}
