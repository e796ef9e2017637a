//! What runs inside the engine: the embedded files, and the talk with them that
//! `harness/PROTOCOL.md` describes.

mod embedded;
mod event;
mod request;

pub use embedded::{Harness, UnpackError, unpack};
pub use event::{Event, OutsideKind, WarmupCourse, read_events};
pub use request::{
    Mode, PROTOCOL_VERSION, Perturb, Request, RequestBudget, Selection, Sizing, Worker,
};
