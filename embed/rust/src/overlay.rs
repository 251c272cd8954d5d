//! Writes that wait: in order of their keys, over a store that they do not touch.

use crate::error::Result;
use crate::memory_store::is_empty;
use crate::store::{Guarded, GuardedPairs, Pair};
use std::collections::BTreeMap;
use std::ops::Bound;

/// The last write of each key; `None` is a deletion.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    writes: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
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

    fn range(
        &self,
        from: Bound<&[u8]>,
        end: Option<&[u8]>,
    ) -> Option<std::collections::btree_map::Range<'_, Vec<u8>, Option<Vec<u8>>>> {
        let until = end.map_or(Bound::Unbounded, Bound::Excluded);
        if is_empty(from, end) { None } else { Some(self.writes.range::<[u8], _>((from, until))) }
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

    /// The pairs of `below` with these writes over them.
    pub(crate) fn merged<'a>(&'a self, below: &'a Guarded, start: &[u8], end: Option<&[u8]>) -> Result<Merged<'a>> {
        let mut pairs = below.iterate(start, end)?;
        let next = pairs.next()?;
        Ok(Merged { pairs, next, above: self.range(Bound::Included(start), end), waiting: None })
    }
}

/// What a walk meets.
pub(crate) enum Met<'a> {
    Below(Pair),
    Above(&'a [u8], &'a [u8]),
    /// A key that was deleted here, whether the store below has it or not.
    Deleted(&'a [u8]),
}

pub(crate) struct Merged<'a> {
    pairs: GuardedPairs<'a>,
    next: Option<Pair>,
    above: Option<std::collections::btree_map::Range<'a, Vec<u8>, Option<Vec<u8>>>>,
    waiting: Option<(&'a Vec<u8>, &'a Option<Vec<u8>>)>,
}

impl<'a> Merged<'a> {
    pub(crate) fn next(&mut self) -> Result<Option<Met<'a>>> {
        let above = self.waiting.take().or_else(|| self.above.as_mut().and_then(Iterator::next));
        let Some((key, value)) = above else { return Ok(self.step()?.map(Met::Below)) };
        match &self.next {
            Some((below, _)) if below < key => {
                self.waiting = Some((key, value));
                return Ok(self.step()?.map(Met::Below));
            }
            Some((below, _)) if below == key => drop(self.step()?),
            _ => {}
        }
        Ok(Some(value.as_ref().map_or(Met::Deleted(key), |value| Met::Above(key, value))))
    }

    fn step(&mut self) -> Result<Option<Pair>> {
        if self.next.is_none() {
            return Ok(None);
        }
        let following = self.pairs.next()?;
        Ok(std::mem::replace(&mut self.next, following))
    }
}
