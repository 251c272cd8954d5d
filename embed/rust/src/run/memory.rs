//! The guest's linear memory, as the host may touch it: every range is checked before it is used.

use super::failures::trap;
use crate::error::{Error, Result};
use std::ops::Range;

/// Pointer and length.
pub(super) type Span = (u32, u32);

/// A range that the guest named: i32, read unsigned.
pub(super) fn range(memory: &[u8], at: u32, len: u32, what: &str) -> Result<Range<usize>> {
    let (start, end) = (u64::from(at), u64::from(at) + u64::from(len));
    if end <= memory.len() as u64 {
        // Both lie inside the memory, so they fit.
        return Ok(start as usize..end as usize);
    }
    Err(trap(&format!("{what}: bytes {start} to {end} lie outside the memory of {} bytes", memory.len())))
}

pub(super) fn view<'a>(memory: &'a [u8], at: u32, len: u32, what: &str) -> Result<&'a [u8]> {
    Ok(&memory[range(memory, at, len, what)?])
}

/// The same where the length is bounded before anything is looked at.
pub(super) fn bounded<'a>(memory: &'a [u8], at: u32, len: u32, what: &str, len_max: usize) -> Result<&'a [u8]> {
    if len as usize > len_max {
        return Err(trap(&format!("{what} of {len} bytes, at most {len_max} are allowed")));
    }
    view(memory, at, len, what)
}

/// A u32, little-endian; `None` past the end.
pub(super) fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|four| u32::from_le_bytes(*four))
}

/// A length as an import returns it.
pub(super) fn length(bytes: usize) -> Result<i32> {
    i32::try_from(bytes).map_err(|_| Error::bug("a store has a value of 2 GiB"))
}
