//! The JSON schema of the result file.

use schemars::generate::SchemaSettings;
use tiergate_model::ResultFile;

/// The JSON schema (draft 2020-12) of the result file, as text that ends in a line feed.
///
/// The copy in `docs/schema/` is compared with it by a test; `TIERGATE_UPDATE_SCHEMA=1` makes that
/// test write the copy anew.
pub fn result_schema() -> String {
    let schema =
        SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<ResultFile>();
    // Alternate formatting of a JSON value is indented.
    format!("{:#}\n", schema.as_value())
}
