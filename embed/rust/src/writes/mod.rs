//! Writes that wait, with the pairs of the store below: those of a run, which are in memory and beyond a bound in sorted files, and
//! those of a branch. Nothing reaches the store below.

mod cursor;
mod disk;
mod merged;
mod sorted_file;
#[cfg(test)]
mod tests;

use crate::error::Result;
use crate::overlay::Overlay;
use crate::store::Guarded;
pub(crate) use cursor::Cursor;
use cursor::Layer;
use disk::Disk;
pub(crate) use merged::{Merged, Met};
use sorted_file::SortedFile;
use std::path::Path;
use std::sync::Arc;

/// Of one write in memory besides its bytes, about: its place in a tree that is half full, and what an allocator takes for two
/// vectors.
const ENTRY_BYTES: u64 = 200;

/// The files of all stores of a run.
pub(crate) struct Space(Arc<Disk>);

impl Space {
    pub(crate) fn new(disk_bytes: u64, dir: Option<&Path>) -> Self {
        Space(Arc::new(Disk::new(disk_bytes, dir)))
    }

    pub(crate) fn writes(&self) -> Writes {
        Writes { latest: Overlay::default(), memory: 0, files: Vec::new(), disk: Arc::clone(&self.0) }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

/// The last write of each key.
pub(crate) struct Writes {
    latest: Overlay,
    memory: u64,
    /// A later one counts more.
    files: Vec<SortedFile>,
    disk: Arc<Disk>,
}

impl Writes {
    pub(crate) fn is_empty(&self) -> bool {
        self.latest.len() == 0 && self.files.is_empty()
    }

    /// What they take in memory, about.
    pub(crate) fn memory(&self) -> u64 {
        self.memory
    }

    pub(crate) fn put(&mut self, key: &[u8], value: Option<&[u8]>) {
        let size = |value: Option<&[u8]>| value.map_or(0, |value| value.len() as u64);
        self.memory += size(value);
        match self.latest.find(key) {
            Some(before) => self.memory -= size(before),
            None => self.memory += key.len() as u64 + ENTRY_BYTES,
        }
        self.latest.put(key, value);
    }

    pub(crate) fn get(&self, key: &[u8], below: &Guarded) -> Result<Option<Vec<u8>>> {
        if let Some(value) = self.latest.find(key) {
            return Ok(value.map(<[u8]>::to_vec));
        }
        for file in self.files.iter().rev() {
            if let Some(value) = file.find(key)? {
                return Ok(value);
            }
        }
        below.get(key)
    }

    /// The writes with `start <= key < end`, ascending.
    pub(crate) fn range<'a>(&'a self, start: &[u8], end: Option<&'a [u8]>) -> Result<Cursor<'a>> {
        let memory = self.latest.range(std::ops::Bound::Included(start), end).map(Layer::Memory);
        let mut layers: Vec<Layer<'a>> = memory.into_iter().collect();
        for file in self.files.iter().rev() {
            layers.push(Layer::File(file.from(start)?));
        }
        Cursor::new(layers, end)
    }

    pub(crate) fn all(&self) -> Result<Cursor<'_>> {
        self.range(&[], None)
    }

    /// The pairs of `below` with these writes over them.
    pub(crate) fn merged<'a>(&'a self, below: &'a Guarded, start: &[u8], end: Option<&'a [u8]>) -> Result<Merged<'a>> {
        Merged::new(below.iterate(start, end)?, self.range(start, end)?)
    }

    /// Hands everything on, ascending.
    pub(crate) fn write_to(&self, store: &Guarded) -> Result<()> {
        let mut writes = self.all()?;
        while let Some((key, value)) = writes.next()? {
            match value {
                Some(value) => store.set(&key, &value)?,
                None => store.delete(&key)?,
            }
        }
        Ok(())
    }

    /// Moves what is in memory to a file of its own, and merges files: a byte is moved again once the files after its own have as
    /// many bytes, so there are few files to read, however much is written.
    pub(crate) fn spill(&mut self) -> Result<()> {
        let latest = Cursor::new(vec![Layer::Memory(self.latest.everything())], None)?;
        let file = SortedFile::write(&self.disk, latest.owned())?;
        self.files.push(file);
        self.latest.clear();
        self.memory = 0;
        self.merge()
    }

    fn merge(&mut self) -> Result<()> {
        let mut from = self.files.len() - 1;
        let mut bytes = self.files[from].bytes();
        while from > 0 && self.files[from - 1].bytes() <= 2 * bytes {
            from -= 1;
            bytes += self.files[from].bytes();
        }
        if from == self.files.len() - 1 {
            return Ok(());
        }
        let layers = self.files[from..].iter().rev().map(|file| file.from(&[]).map(Layer::File));
        let merged = Cursor::new(layers.collect::<Result<_>>()?, None)?;
        let file = SortedFile::write(&self.disk, merged.owned())?;
        self.files.truncate(from);
        self.files.push(file);
        Ok(())
    }
}

impl Overlay {
    /// The pairs of `below` with these writes over them.
    pub(crate) fn merged<'a>(&'a self, below: &'a Guarded, start: &[u8], end: Option<&'a [u8]>) -> Result<Merged<'a>> {
        let layer = self.range(std::ops::Bound::Included(start), end).map(Layer::Memory);
        Merged::new(below.iterate(start, end)?, Cursor::new(layer.into_iter().collect(), end)?)
    }
}
