//! What the launcher, the preloaded library and the harness say to each other.
