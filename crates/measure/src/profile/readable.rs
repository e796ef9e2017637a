//! Symbols as they stand in the source of C++ and Rust.

use cpp_demangle::{DemangleOptions, Symbol};

/// A C++ name, then a Rust name, else the symbol.
pub(super) fn name(symbol: &str) -> String {
    let options = DemangleOptions::new().no_params().no_return_type();
    let cpp = || Symbol::new(symbol).ok()?.demangle_with_options(&options).ok();
    // The newer mangling of Rust has a prefix of its own; the older one is a C++ name with a hash.
    match rustc_demangle::try_demangle(symbol) {
        Ok(rust) => format!("{rust:#}"),
        Err(_) => cpp().unwrap_or_else(|| symbol.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_three_languages() {
        for (symbol, readable) in [
            (
                "_ZN2v88internal10JsonParserIhE14SkipWhitespaceEv",
                "v8::internal::JsonParser<unsigned char>::SkipWhitespace",
            ),
            ("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"),
            ("memcpy", "memcpy"),
            ("Builtins_ArrayPush", "Builtins_ArrayPush"),
            ("0x7f00", "0x7f00"),
            ("_Z", "_Z"),
        ] {
            assert_eq!(name(symbol), readable);
        }
    }
}
