//! Result files, baselines and locks on disk.
