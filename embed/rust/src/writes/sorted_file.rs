//! A sorted file of writes: records in blocks, each with its sum, and in memory where each begins.

use super::disk::{Disk, TempFile, damaged};
use crate::error::Result;
use crate::store::Write;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

/// A block is read as a whole to find a key; it ends with the record that fills it.
const BLOCK_BYTES: usize = 16 << 10;
/// Longer keys are not kept in memory but read from the file.
const INDEX_KEY_BYTES_MAX: usize = 128;
/// `u32` key length, `u32` value length.
const HEADER_BYTES: usize = 8;
/// In the place of the value's length.
const DELETED: u32 = u32::MAX;

/// Key, and value or `None` for a deletion.
pub(crate) type Borrowed<'a> = (Cow<'a, [u8]>, Option<Cow<'a, [u8]>>);

struct Block {
    at: u64,
    bytes: usize,
    /// `None` when it is long.
    first_key: Option<Box<[u8]>>,
    sum: u32,
}

pub(crate) struct SortedFile {
    blocks: Vec<Block>,
    reader: Mutex<Reader>,
}

struct Reader {
    file: TempFile,
    /// The block that a search read last.
    block: Option<usize>,
    bytes: Vec<u8>,
}

impl SortedFile {
    /// Of writes that ascend.
    pub(crate) fn write(disk: &Arc<Disk>, writes: impl Iterator<Item = Result<Write>>) -> Result<Self> {
        let (mut file, mut blocks, mut buffer) = (TempFile::new(disk)?, Vec::new(), Vec::new());
        let mut first_key = None;
        for write in writes {
            let (key, value) = write?;
            if buffer.is_empty() {
                first_key = (key.len() <= INDEX_KEY_BYTES_MAX).then(|| key.clone().into_boxed_slice());
            }
            push(&mut buffer, &key, value.as_deref());
            if buffer.len() >= BLOCK_BYTES {
                flush(&mut file, &mut blocks, &mut buffer, first_key.take())?;
            }
        }
        if !buffer.is_empty() {
            flush(&mut file, &mut blocks, &mut buffer, first_key)?;
        }
        Ok(SortedFile { blocks, reader: Mutex::new(Reader { file, block: None, bytes: Vec::new() }) })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.blocks.last().map_or(0, |block| block.at + block.bytes as u64)
    }

    /// `None`: not written; `Some(None)`: deleted.
    pub(crate) fn find(&self, key: &[u8]) -> Result<Option<Option<Vec<u8>>>> {
        let Some(index) = self.block_of(key)? else { return Ok(None) };
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let Reader { file, block, bytes } = &mut *reader;
        if block.take() != Some(index) {
            load(file, &self.blocks[index], bytes)?;
        }
        *block = Some(index);
        let mut at = 0;
        while at < bytes.len() {
            let (found, value, end) = record(bytes, at).ok_or_else(damaged)?;
            if found >= key {
                return Ok((found == key).then(|| value.map(<[u8]>::to_vec)));
            }
            at = end;
        }
        Ok(None)
    }

    /// The writes from the first key that is not before `start`.
    pub(crate) fn from(&self, start: &[u8]) -> Result<Records<'_>> {
        let block = self.block_of(start)?.unwrap_or(0);
        let mut records = Records { file: self, block, bytes: Vec::new(), at: 0, held: None };
        while let Some(write) = records.next()? {
            if *write.0 >= *start {
                records.held = Some(write);
                break;
            }
        }
        Ok(records)
    }

    /// The last block that begins at or before a key.
    fn block_of(&self, key: &[u8]) -> Result<Option<usize>> {
        let (mut low, mut high) = (0, self.blocks.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.begins_after(middle, key)? { high = middle } else { low = middle + 1 }
        }
        Ok(low.checked_sub(1))
    }

    fn begins_after(&self, index: usize, key: &[u8]) -> Result<bool> {
        if let Some(first) = &self.blocks[index].first_key {
            return Ok(**first > *key);
        }
        let mut bytes = Vec::new();
        self.load(index, &mut bytes)?;
        let (first, ..) = record(&bytes, 0).ok_or_else(damaged)?;
        Ok(first > key)
    }

    fn load(&self, index: usize, into: &mut Vec<u8>) -> Result<()> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        load(&mut reader.file, &self.blocks[index], into)
    }

    #[cfg(test)]
    pub(crate) fn damage(&self) {
        let mut reader = self.reader.lock().expect("a reader");
        reader.block = None;
        reader.file.damage(HEADER_BYTES as u64);
    }
}

pub(crate) struct Records<'a> {
    file: &'a SortedFile,
    /// The next one to read.
    block: usize,
    bytes: Vec<u8>,
    at: usize,
    held: Option<Borrowed<'a>>,
}

impl<'a> Records<'a> {
    pub(crate) fn next(&mut self) -> Result<Option<Borrowed<'a>>> {
        if let Some(held) = self.held.take() {
            return Ok(Some(held));
        }
        if self.at == self.bytes.len() {
            if self.block == self.file.blocks.len() {
                return Ok(None);
            }
            self.file.load(self.block, &mut self.bytes)?;
            (self.block, self.at) = (self.block + 1, 0);
        }
        let (key, value, end) = record(&self.bytes, self.at).ok_or_else(damaged)?;
        self.at = end;
        Ok(Some((key.to_vec().into(), value.map(|value| value.to_vec().into()))))
    }
}

fn flush(
    file: &mut TempFile,
    blocks: &mut Vec<Block>,
    buffer: &mut Vec<u8>,
    first_key: Option<Box<[u8]>>,
) -> Result<()> {
    blocks.push(Block { at: file.bytes(), bytes: buffer.len(), first_key, sum: sum(buffer) });
    file.append(buffer)?;
    buffer.clear();
    Ok(())
}

fn load(file: &mut TempFile, block: &Block, into: &mut Vec<u8>) -> Result<()> {
    into.resize(block.bytes, 0);
    file.read(block.at, into)?;
    if sum(into) == block.sum { Ok(()) } else { Err(damaged()) }
}

fn push(buffer: &mut Vec<u8>, key: &[u8], value: Option<&[u8]>) {
    // Keys have at most 65,535 bytes, values 1 MiB.
    let length = value.map_or(DELETED, |value| value.len() as u32);
    buffer.extend((key.len() as u32).to_le_bytes());
    buffer.extend(length.to_le_bytes());
    buffer.extend(key);
    buffer.extend(value.unwrap_or_default());
}

/// Key, value, and where the next record begins.
type Record<'a> = (&'a [u8], Option<&'a [u8]>, usize);

fn record(bytes: &[u8], at: usize) -> Option<Record<'_>> {
    let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (key_bytes, value_bytes) = (number(at)? as usize, number(at + 4)?);
    let key_end = at + HEADER_BYTES + key_bytes;
    let key = bytes.get(at + HEADER_BYTES..key_end)?;
    if value_bytes == DELETED {
        return Some((key, None, key_end));
    }
    let end = key_end + value_bytes as usize;
    Some((key, Some(bytes.get(key_end..end)?), end))
}

/// CRC-32 (IEEE).
fn sum(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = sum_table();
    !bytes.iter().fold(u32::MAX, |sum, byte| TABLE[(sum as u8 ^ byte) as usize] ^ (sum >> 8))
}

const fn sum_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let (mut entry, mut bit) = (index as u32, 0);
        while bit < 8 {
            entry = if entry & 1 == 1 { 0xedb8_8320 ^ (entry >> 1) } else { entry >> 1 };
            bit += 1;
        }
        table[index] = entry;
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    #[test]
    fn sum_is_the_checksum_of_zip() {
        assert_eq!(super::sum(b"123456789"), 0xcbf4_3926);
    }
}
