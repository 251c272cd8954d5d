//! `store_scan`: whole frames of a store with what the handler has written over it.

use super::gas::Purse;
use super::handles::Handle;
use super::host::Host;
use super::memory::{Span, bounded, length, range};
use super::schedule::{BYTE, SCAN_PAIR, SCAN_PASSED, SCAN_PASSED_BYTE, STORE_SCAN};
use crate::error::Result;
use crate::limits::{FRAME_HEADER_BYTES, KEY_BYTES_MAX};
use crate::writes::Met;

/// Where a scan goes on after the longest key.
const BOUND_BYTES_MAX: usize = KEY_BYTES_MAX + 1;

pub(super) fn store_scan(
    memory: &mut [u8],
    host: &mut Host,
    store: u32,
    start: Span,
    end: Span,
    out: Span,
) -> Result<i32> {
    let Host { handles, purse, .. } = host;
    purse.charge(STORE_SCAN, "store_scan")?;
    let from = bounded(memory, start.0, start.1, "the start of a scan", BOUND_BYTES_MAX)?;
    let to = bounded(memory, end.0, end.1, "the end of a scan", BOUND_BYTES_MAX)?;
    purse.charge((from.len() + to.len()) as u64 * BYTE, "store_scan")?;
    let to = Some(to).filter(|end| !end.is_empty());
    let room = range(memory, out.0, out.1, "out of store_scan")?;
    let handle = handles.readable(store)?;
    handle.require_range(from, to)?;
    if to.is_some_and(|end| end <= from) {
        return Ok(0);
    }
    // By way of a buffer: what the guest gave as bounds may lie where the frames go.
    let filled = fill(handle, purse, from, to, room.len())?;
    if let Filled::Frames(frames) = &filled {
        memory[room][..frames.len()].copy_from_slice(frames);
    }
    length(filled.answer())
}

enum Filled {
    Frames(Vec<u8>),
    /// Not even the first frame fits: its size.
    Needs(usize),
}

impl Filled {
    fn answer(&self) -> usize {
        match self {
            Filled::Frames(frames) => frames.len(),
            Filled::Needs(bytes) => *bytes,
        }
    }
}

/// As many whole frames as fit. Each is paid for before the next is read, and so is each deleted key that the walk goes by: else
/// a handler that deleted much could make the host walk over it again and again for the price of a call.
fn fill(handle: &Handle, purse: &mut Purse, start: &[u8], end: Option<&[u8]>, room: usize) -> Result<Filled> {
    let mut frames = Vec::new();
    let mut pairs = handle.writes.merged(&handle.below, start, end)?;
    while let Some(met) = pairs.next()? {
        let (key, value) = match &met {
            Met::Pair(key, value) => (&**key, &**value),
            Met::Deleted(key) => {
                purse.charge(SCAN_PASSED + key.len() as u64 * SCAN_PASSED_BYTE, "store_scan")?;
                continue;
            }
        };
        let size = FRAME_HEADER_BYTES + key.len() + value.len();
        if frames.len() + size > room {
            return Ok(if frames.is_empty() { Filled::Needs(size) } else { Filled::Frames(frames) });
        }
        purse.charge(SCAN_PAIR + size as u64 * BYTE, "store_scan")?;
        push_frame(&mut frames, key, value);
    }
    Ok(Filled::Frames(frames))
}

/// `u32 klen, u32 vlen, key, value`.
pub(super) fn push_frame(frames: &mut Vec<u8>, key: &[u8], value: &[u8]) {
    frames.extend((key.len() as u32).to_le_bytes());
    frames.extend((value.len() as u32).to_le_bytes());
    frames.extend(key);
    frames.extend(value);
}
