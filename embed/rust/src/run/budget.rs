//! What the writes of a run may take in memory. They are never spilled here, so without a bound a handler that writes without end
//! would take all memory of the machine; its gas ends it later than that.

use crate::code::Code;
use crate::error::{Error, Result};
use std::sync::atomic::{AtomicU64, Ordering};

/// Where the caller of a run gives no other: 1 GiB.
pub(super) const OVERLAY_BYTES_DEFAULT: u64 = 1 << 30;
/// Of one write besides its bytes, about: its place in a tree that is half full, and what an allocator takes for two vectors.
const ENTRY_BYTES: u64 = 200;

/// Of all stores of a run together.
pub(super) struct Budget {
    bytes_max: u64,
    bytes: AtomicU64,
}

impl Budget {
    pub(super) fn new(bytes_max: u64) -> Self {
        Budget { bytes_max, bytes: AtomicU64::new(0) }
    }

    /// Before a write is kept. `before`: the bytes of the key's last value here; `None`: the key is written for the first time.
    pub(super) fn take(&self, key: &[u8], value: Option<&[u8]>, before: Option<usize>) -> Result<()> {
        let size = |bytes: usize| bytes as u64;
        let value = size(value.map_or(0, <[u8]>::len));
        let (more, less) = match before {
            Some(before) => (value, size(before)),
            None => (value + size(key.len()) + ENTRY_BYTES, 0),
        };
        let bytes = self.bytes.load(Ordering::Relaxed) + more - less;
        if bytes > self.bytes_max {
            let what =
                format!("the handler's writes take more than the {} bytes of memory that they may", self.bytes_max);
            let advice = "raise overlay_bytes_max on a machine that has them; it says nothing about the handler";
            return Err(Error::new(Code::StoreFull, format!("{what}: {advice}")));
        }
        self.bytes.store(bytes, Ordering::Relaxed);
        Ok(())
    }
}
