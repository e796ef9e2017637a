//! Address-space randomisation, switched off for everything that this process starts.

use nix::sys::personality::{self, Persona};

/// Whether the engines' address spaces are randomised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressSpace {
    /// Every run has the same addresses.
    Fixed,
    /// The system refused to switch randomisation off, as containers' seccomp filters do.
    Randomised,
}

/// Switches randomisation off for all later children; the personality is inherited.
pub fn disable_address_randomisation() -> AddressSpace {
    let set = personality::get()
        .and_then(|persona| personality::set(persona | Persona::ADDR_NO_RANDOMIZE))
        .and_then(|_| personality::get());
    match set {
        Ok(persona) if persona.contains(Persona::ADDR_NO_RANDOMIZE) => AddressSpace::Fixed,
        _ => AddressSpace::Randomised,
    }
}

/// To be called in a child before `exec`: its program's addresses are randomised again.
///
/// # Errors
/// When the system refuses.
pub(super) fn randomise_own_addresses() -> nix::Result<()> {
    let persona = personality::get()?;
    personality::set(persona - Persona::ADDR_NO_RANDOMIZE).map(|_| ())
}
