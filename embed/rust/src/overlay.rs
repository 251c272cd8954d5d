//! Writes that wait: in order of their keys, over a store that they do not touch.

use crate::error::Result;
use crate::memory_store::is_empty;
use crate::store::Guarded;
use std::collections::BTreeMap;
use std::collections::btree_map::Range;
use std::ops::Bound;

/// What a key was written with; `None` is a deletion.
pub(crate) type Written = Option<Vec<u8>>;

/// The last write of each key.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    writes: BTreeMap<Vec<u8>, Written>,
}

impl Overlay {
    pub(crate) fn put(&mut self, key: &[u8], value: Option<&[u8]>) {
        let value = value.map(<[u8]>::to_vec);
        match self.writes.get_mut(key) {
            Some(before) => *before = value,
            None => drop(self.writes.insert(key.to_vec(), value)),
        }
    }

    /// `None`: not written here; `Some(None)`: deleted here.
    pub(crate) fn find(&self, key: &[u8]) -> Option<Option<&[u8]>> {
        self.writes.get(key).map(Option::as_deref)
    }

    pub(crate) fn get(&self, key: &[u8], below: &Guarded) -> Result<Option<Vec<u8>>> {
        match self.find(key) {
            Some(value) => Ok(value.map(<[u8]>::to_vec)),
            None => below.get(key),
        }
    }

    /// Ascending; `None`: deleted.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
        self.writes.iter().map(|(key, value)| (key.as_slice(), value.as_deref()))
    }

    pub(crate) fn len(&self) -> usize {
        self.writes.len()
    }

    pub(crate) fn clear(&mut self) {
        self.writes.clear();
    }

    /// The first write after `from`, before `end`.
    pub(crate) fn next(&self, from: Bound<&[u8]>, end: Option<&[u8]>) -> Option<(&[u8], Option<&[u8]>)> {
        self.range(from, end)?.next().map(|(key, value)| (key.as_slice(), value.as_deref()))
    }

    /// `None` for a range whose end lies before its start.
    pub(crate) fn range(&self, from: Bound<&[u8]>, end: Option<&[u8]>) -> Option<Range<'_, Vec<u8>, Written>> {
        let until = end.map_or(Bound::Unbounded, Bound::Excluded);
        if is_empty(from, end) { None } else { Some(self.writes.range::<[u8], _>((from, until))) }
    }

    pub(crate) fn everything(&self) -> Range<'_, Vec<u8>, Written> {
        self.writes.range::<[u8], _>(..)
    }

    /// Hands everything on, ascending.
    pub(crate) fn write_to(&self, store: &Guarded) -> Result<()> {
        for (key, value) in self.iter() {
            match value {
                Some(value) => store.set(key, value)?,
                None => store.delete(key)?,
            }
        }
        Ok(())
    }
}
