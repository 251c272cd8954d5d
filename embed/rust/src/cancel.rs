//! How a chain ends a run that it does not want any more, such as when its program is asked to stop.

use crate::engine::engine;
use crate::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends the runs that were given it: at the next call of the host's, and within a guest that calls nothing. Clones are one.
///
/// ```
/// let cancel = chain_upgrade::Cancel::default();
/// let in_another_thread = cancel.clone();
/// in_another_thread.cancel();
/// assert!(cancel.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    is_cancelled: Arc<AtomicBool>,
}

impl Cancel {
    /// From any thread; it stays cancelled.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::SeqCst);
        // Guests look up when the epoch changes; those of other runs go on.
        if let Ok(engine) = engine() {
            engine.increment_epoch();
        }
    }

    /// Was it called?
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::SeqCst)
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        if !self.is_cancelled() {
            return Ok(());
        }
        let message = "the run was cancelled; nothing was written, and it says nothing about the handler";
        Err(Error::new(crate::Code::HandlerEngine, message).with("cancelled", true))
    }
}
