//! Reports of tiergate: terminal, Markdown and JSON, pure functions.
