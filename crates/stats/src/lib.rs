//! Statistics and verdicts of tiergate, pure functions.
