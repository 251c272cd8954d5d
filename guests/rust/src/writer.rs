use core::ops::Deref;

use crate::report::{fail, NO_ROOM};

/// Bytes in the making, at most `N` of them: a key, or a value. It is a slice of what it holds. Ends the run (code -10) when
/// they are more.
pub struct Writer<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> Default for Writer<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> Writer<N> {
    /// Empty.
    pub const fn new() -> Self {
        Writer {
            bytes: [0; N],
            length: 0,
        }
    }

    /// Empties it.
    pub fn clear(&mut self) -> &mut Self {
        self.length = 0;
        self
    }

    /// Bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        if bytes.len() > N - self.length {
            fail(NO_ROOM, "a Writer has no room for so many bytes");
        }
        self.bytes[self.length..self.length + bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
        self
    }

    /// One byte.
    pub fn u8(&mut self, value: u8) -> &mut Self {
        self.bytes(&[value])
    }

    /// Big-endian, as keys have integers, so that their order is that of the numbers.
    pub fn be32(&mut self, value: u32) -> &mut Self {
        self.bytes(&value.to_be_bytes())
    }

    /// Big-endian.
    pub fn be64(&mut self, value: u64) -> &mut Self {
        self.bytes(&value.to_be_bytes())
    }

    /// Decimal text.
    pub fn decimal(&mut self, value: u128) -> &mut Self {
        let mut digits = [0; 39];
        let mut at = digits.len();
        let mut rest = value;
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.bytes(&digits[at..])
    }
}

impl<const N: usize> Deref for Writer<N> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}
