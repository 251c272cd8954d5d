//! The two buffers that a guest owns: the host writes inputs to one and reads outputs from the other.

use super::failures::{failed, trap};
use super::guest::Guest;
use super::memory::range;
use super::schedule::BYTE;
use crate::error::Result;
use crate::limits::{BATCH_BYTES, BATCH_OUT_BYTES};
use std::ops::Range;

pub(super) struct Buffers {
    input: u32,
    input_bytes: usize,
    output: u32,
}

impl Buffers {
    /// Asks for both once: `handler_in(65536)`, then `handler_out(262144)`.
    pub(super) fn new(guest: &mut Guest) -> Result<Self> {
        let input = ask(guest, "handler_in", BATCH_BYTES)?;
        let output = ask(guest, "handler_out", BATCH_OUT_BYTES)?;
        Ok(Buffers { input, input_bytes: BATCH_BYTES, output })
    }

    /// Writes an input; a larger one than ever before asks the guest for a larger buffer first.
    pub(super) fn give(&mut self, guest: &mut Guest, input: &[u8]) -> Result<()> {
        guest.host().purse.charge(input.len() as u64 * BYTE, "its input")?;
        if input.len() > self.input_bytes {
            self.input = ask(guest, "handler_in", input.len())?;
            self.input_bytes = input.len();
        }
        guest.write(self.input, input, "the buffer of handler_in")
    }

    /// Where an output is, good until the guest runs again.
    pub(super) fn output(&self, guest: &mut Guest, length: usize, call: &str) -> Result<Range<usize>> {
        if length > BATCH_OUT_BYTES {
            return Err(trap(&format!("{call} returned {length}, its buffer has {BATCH_OUT_BYTES} bytes")));
        }
        guest.host().purse.charge(length as u64 * BYTE, call)?;
        range(guest.memory(), self.output, length as u32, "the buffer of handler_out")
    }
}

fn ask(guest: &mut Guest, name: &str, bytes: usize) -> Result<u32> {
    // Inputs are far below 2 GiB.
    let size = u32::try_from(bytes).unwrap_or(u32::MAX);
    match guest.call(name, &[size.cast_signed()])?.cast_unsigned() {
        0 => {
            let what = format!("{name}({bytes}) refused: the handler has no room for its buffer");
            Err(failed(&what).with("call", name))
        }
        at => {
            range(guest.memory(), at, size, &format!("the buffer of {name}({bytes})"))?;
            Ok(at)
        }
    }
}
