//! The engine's own output: drained always, passed on where asked, the end of it kept.

use std::io::Read;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Takes the user's own output, byte for byte, as it comes.
pub type OutputSink = Arc<dyn Fn(&[u8]) + Send + Sync>;

/// How much of the output's end is kept for error messages.
const TAIL_BYTES: usize = 4096;

/// A reader of one or more pipes of one child.
pub(super) struct Drain {
    tail: Arc<Mutex<Vec<u8>>>,
    readers: Vec<thread::JoinHandle<()>>,
}

impl Drain {
    pub(super) fn new() -> Self {
        Self { tail: Arc::default(), readers: Vec::new() }
    }

    /// Starts draining a pipe.
    pub(super) fn add(&mut self, mut pipe: impl Read + Send + 'static, sink: Option<OutputSink>) {
        let tail = Arc::clone(&self.tail);
        self.readers.push(thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(length) = pipe.read(&mut buffer) {
                let Some(chunk) = buffer.get(..length).filter(|chunk| !chunk.is_empty()) else {
                    return;
                };
                if let Some(sink) = &sink {
                    sink(chunk);
                }
                if let Ok(mut tail) = tail.lock() {
                    tail.extend_from_slice(chunk);
                    let surplus = tail.len().saturating_sub(TAIL_BYTES);
                    tail.drain(..surplus);
                }
            }
        }));
    }

    /// The end of the output, once all pipes are closed or after a grace period: a process that
    /// escaped the group could hold a pipe open for ever.
    pub(super) fn finish(self, grace: Duration) -> String {
        let end = Instant::now() + grace;
        while self.readers.iter().any(|reader| !reader.is_finished()) && Instant::now() < end {
            thread::sleep(Duration::from_millis(1));
        }
        let tail = self.tail.lock().map(|tail| tail.clone()).unwrap_or_default();
        String::from_utf8_lossy(&tail).into_owned()
    }
}
