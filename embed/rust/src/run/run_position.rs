//! Where a run is: which call, which scan of which store, and which pair is next. For the record of its failure.

use super::batches::Batches;
use super::memory::word;
use crate::error::Error;
use crate::limits::FRAME_HEADER_BYTES;
use crate::text::hex;

const SHOWN_KEY_BYTES_MAX: usize = 256;

pub(super) struct Place {
    phase: String,
    scan: Option<ScanPlace>,
}

struct ScanPlace {
    index: usize,
    store: String,
    /// Pairs that the guest consumed before this batch.
    consumed: u64,
    memory_before: usize,
    /// The first pair that it has not consumed.
    key: Option<Vec<u8>>,
}

impl Place {
    pub(super) fn at(phase: &str) -> Self {
        Place { phase: phase.to_owned(), scan: None }
    }

    pub(super) fn at_scan(index: usize, store: &str, memory_before: usize) -> Self {
        let scan = ScanPlace { index, store: store.to_owned(), consumed: 0, memory_before, key: None };
        Place { phase: format!("scan {index} of store \"{store}\""), scan: Some(scan) }
    }

    pub(super) fn at_batch(&mut self, batches: &Batches<'_>) {
        let Some(scan) = &mut self.scan else { return };
        let frames = batches.frames();
        let length = word(frames, 0).map_or(0, |length| length as usize);
        scan.consumed = batches.consumed();
        scan.key = frames.get(FRAME_HEADER_BYTES..FRAME_HEADER_BYTES + length).map(<[u8]>::to_vec);
    }

    /// `key` is in hex, cut after 256 bytes; `pairs` is how many of the scan were consumed before.
    pub(super) fn describe(&self, error: Error, memory_bytes: usize) -> Error {
        let error = error.or_with("phase", &self.phase).or_with("memory", memory_bytes);
        let Some(ScanPlace { index, store, consumed, memory_before, key }) = &self.scan else { return error };
        let error = error.or_with("scan", index).or_with("store", store).or_with("pairs", consumed);
        let error = error.or_with("memory_before", memory_before);
        match key {
            None => error,
            Some(key) if key.len() > SHOWN_KEY_BYTES_MAX => {
                error.or_with("key", format!("{}…", hex(&key[..SHOWN_KEY_BYTES_MAX])))
            }
            Some(key) => error.or_with("key", hex(key)),
        }
    }
}
