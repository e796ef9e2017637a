//! Types of tiergate: ids, readings, proofs, verdicts, the result file and exit codes.
