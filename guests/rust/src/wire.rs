//! The few protobuf fields that the interface has: UpgradeContext in, CheckResults out.

use crate::report::{fail, MALFORMED};

/// Four bytes, little-endian.
pub fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// A field of a message: its number, and its value or its bytes.
pub struct Field<'a> {
    pub number: u32,
    pub value: u64,
    pub bytes: &'a [u8],
}

/// The fields of a message that a host made.
pub struct Fields<'a>(pub &'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        if self.0.is_empty() {
            return None;
        }
        let tag = self.varint();
        let value = self.varint();
        let number = (tag >> 3) as u32;
        match tag & 7 {
            0 => Some(Field {
                number,
                value,
                bytes: &[],
            }),
            2 if value <= self.0.len() as u64 => {
                let (bytes, rest) = self.0.split_at(value as usize);
                self.0 = rest;
                Some(Field {
                    number,
                    value: 0,
                    bytes,
                })
            }
            _ => malformed(),
        }
    }
}

impl Fields<'_> {
    fn varint(&mut self) -> u64 {
        let mut value = 0;
        let mut shift = 0;
        loop {
            let Some((&byte, rest)) = self.0.split_first() else {
                malformed()
            };
            if shift > 63 {
                malformed();
            }
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return value;
            }
            shift += 7;
        }
    }
}

fn malformed() -> ! {
    fail(MALFORMED, "the host's message is malformed")
}

/// Bytes of a varint.
pub const fn varint_bytes(value: usize) -> usize {
    let mut bytes = 1;
    let mut rest = value >> 7;
    while rest > 0 {
        bytes += 1;
        rest >>= 7;
    }
    bytes
}
