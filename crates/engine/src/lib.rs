//! JavaScript engines: finding, probing, flags.
