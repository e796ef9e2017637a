//! The library loaded into the engine: marks and instruments.
