//! Frames that a guest wrote, which nobody has checked yet: `u32 op << 30 | store << 24 | klen`, for a put `u32 vlen`, key, value.

use super::failures::trap;
use super::memory::word;
use crate::error::{Error, Result};
use crate::limits::{FRAME_HEADER_BYTES, KEY_BYTES_MAX, VALUE_BYTES_MAX};

const PUT: u32 = 0;
const DELETE: u32 = 1;
const KEY_LENGTH_MASK: u32 = 0xff_ffff;

pub(super) struct Op<'a> {
    pub(super) store: u32,
    pub(super) key: &'a [u8],
    /// `None`: a deletion.
    pub(super) value: Option<&'a [u8]>,
}

pub(super) struct Ops<'a> {
    bytes: &'a [u8],
    next: usize,
}

impl<'a> Ops<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Ops { bytes, next: 0 }
    }

    /// The next frame; the error of a malformed one is a trap.
    pub(super) fn next(&mut self) -> Result<Option<Op<'a>>> {
        let at = self.next;
        if at >= self.bytes.len() {
            return Ok(None);
        }
        let head = word(self.bytes, at).ok_or_else(|| self.malformed("header cut short"))?;
        let (op, key_len) = (head >> 30, (head & KEY_LENGTH_MASK) as usize);
        if op > DELETE {
            return Err(self.malformed(&format!("unknown operation {op}")));
        }
        if key_len == 0 || key_len > KEY_BYTES_MAX {
            return Err(self.malformed(&format!("key of {key_len} bytes")));
        }
        let value_len = if op == PUT {
            word(self.bytes, at + 4).ok_or_else(|| self.malformed("header cut short"))? as usize
        } else {
            0
        };
        if value_len > VALUE_BYTES_MAX {
            return Err(self.malformed(&format!("value of {value_len} bytes")));
        }
        let key_at = at + if op == PUT { FRAME_HEADER_BYTES } else { 4 };
        let value_at = key_at + key_len;
        self.next = value_at + value_len;
        if self.next > self.bytes.len() {
            return Err(self.malformed("frame is longer than its buffer"));
        }
        let value = (op == PUT).then(|| &self.bytes[value_at..self.next]);
        Ok(Some(Op { store: (head >> 24) & 63, key: &self.bytes[key_at..value_at], value }))
    }

    fn malformed(&self, what: &str) -> Error {
        trap(&format!("malformed frame at byte {}: {what}", self.next))
    }
}
