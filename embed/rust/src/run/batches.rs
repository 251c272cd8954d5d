//! Cuts a scan into batches: whole frames, as many as fit in the limit, a larger frame alone. What a guest did not consume begins
//! the next batch, which is packed again. Where batches end is part of consensus.

use super::memory::word;
use super::scan::push_frame;
use crate::error::Result;
use crate::limits::FRAME_HEADER_BYTES;
use crate::store::{GuardedPairs, Pair};

pub(super) struct Batches<'a> {
    pairs: GuardedPairs<'a>,
    batch_bytes: usize,
    /// The current batch; the host's own, a guest cannot touch what comes again.
    frames: Vec<u8>,
    count: usize,
    consumed: u64,
    /// The first pair after the batch.
    next: Option<Pair>,
}

impl<'a> Batches<'a> {
    pub(super) fn new(mut pairs: GuardedPairs<'a>, batch_bytes: usize) -> Result<Self> {
        let next = pairs.next()?;
        Ok(Batches { pairs, batch_bytes, frames: Vec::new(), count: 0, consumed: 0, next })
    }

    /// Packs what was not consumed, and as much more as fits.
    pub(super) fn pack(&mut self) -> Result<()> {
        while let Some((key, value)) = &self.next {
            let size = FRAME_HEADER_BYTES + key.len() + value.len();
            if !self.frames.is_empty() && self.frames.len() + size > self.batch_bytes {
                break;
            }
            push_frame(&mut self.frames, key, value);
            self.count += 1;
            self.next = self.pairs.next()?;
        }
        Ok(())
    }

    pub(super) fn frames(&self) -> &[u8] {
        &self.frames
    }

    /// Frames of the batch.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Frames of the scan that the guest consumed.
    pub(super) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// No frame of the scan lies beyond the batch.
    pub(super) fn is_last(&self) -> bool {
        self.next.is_none()
    }

    /// Every frame was consumed.
    pub(super) fn is_done(&self) -> bool {
        self.frames.is_empty() && self.next.is_none()
    }

    /// Takes `count` bytes off the front. False, and nothing happens, when they do not end where a frame of the batch does.
    pub(super) fn consume(&mut self, bytes: usize) -> bool {
        let (mut at, mut taken) = (0, 0);
        while at < bytes && at < self.frames.len() {
            let length = |at: usize| word(&self.frames, at).map_or(0, |length| length as usize);
            at += FRAME_HEADER_BYTES + length(at) + length(at + 4);
            taken += 1;
        }
        if at != bytes {
            return false;
        }
        self.frames.drain(..bytes);
        self.count -= taken;
        self.consumed += taken as u64;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Batches;
    use crate::store::{Guarded, SharedStore};
    use crate::{KVStore, MemoryStore};
    use std::sync::Arc;

    fn store(values: &[usize]) -> Guarded {
        let store = MemoryStore::default();
        for (key, size) in (0_u8..).zip(values) {
            store.set(&[key], &vec![key; *size]).expect("a store in memory");
        }
        Guarded::new("bank", &(Arc::new(store) as SharedStore))
    }

    #[test]
    fn batches_hold_as_many_whole_frames_as_fit_and_a_larger_one_travels_alone() {
        // A frame has 9 bytes besides its value.
        let store = store(&[1, 1, 100, 1]);
        let mut batches = Batches::new(store.iterate(&[], None).expect("a walk"), 20).expect("batches");
        let mut sizes = Vec::new();
        while !batches.is_done() {
            batches.pack().expect("a batch");
            sizes.push((batches.frames().len(), batches.count(), batches.is_last()));
            assert!(batches.consume(batches.frames().len()));
        }
        assert_eq!(sizes, [(20, 2, false), (109, 1, false), (10, 1, true)]);
    }

    #[test]
    fn consume_ends_where_a_frame_ends_and_the_rest_begins_the_next_batch() {
        let store = store(&[1, 1, 1]);
        let mut batches = Batches::new(store.iterate(&[], None).expect("a walk"), 20).expect("batches");
        batches.pack().expect("a batch");
        assert!(!batches.consume(9) && !batches.consume(11) && !batches.consume(30) && !batches.consume(usize::MAX));
        assert!(batches.consume(10));
        batches.pack().expect("a batch");
        assert_eq!((batches.frames()[8], batches.count(), batches.is_last()), (1, 2, true));
    }
}
