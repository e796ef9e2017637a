//! The checked-in schema is the code's.

use std::path::Path;
use tiergate_store::result_schema;

#[test]
fn the_checked_in_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/result.v1.json");
    if std::env::var_os("TIERGATE_UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, result_schema()).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == result_schema(),
        "docs/schema/result.v1.json is out of date: run `TIERGATE_UPDATE_SCHEMA=1 cargo test -p tiergate-store --test schema`, and raise SCHEMA_VERSION when older readers would misread the file"
    );
}
