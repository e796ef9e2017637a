//! One fresh pinned process per reading.
