//! The pairs of a store with a run's writes over them.

use super::cursor::Cursor;
use super::sorted_file::Borrowed;
use crate::error::Result;
use crate::store::{GuardedPairs, Pair};
use std::borrow::Cow;

/// What a walk meets.
pub(crate) enum Met<'a> {
    Pair(Cow<'a, [u8]>, Cow<'a, [u8]>),
    /// A key that the run deleted, whether the store below has it or not.
    Deleted(Cow<'a, [u8]>),
}

pub(crate) struct Merged<'a> {
    pairs: GuardedPairs<'a>,
    below: Option<Pair>,
    writes: Cursor<'a>,
    above: Option<Borrowed<'a>>,
}

impl<'a> Merged<'a> {
    pub(crate) fn new(mut pairs: GuardedPairs<'a>, mut writes: Cursor<'a>) -> Result<Self> {
        Ok(Merged { below: pairs.next()?, pairs, above: writes.next()?, writes })
    }

    pub(crate) fn next(&mut self) -> Result<Option<Met<'a>>> {
        let order = match (&self.below, &self.above) {
            (None, None) => return Ok(None),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some((below, _)), Some((above, _))) => below.as_slice().cmp(above),
        };
        let below = if order.is_le() { self.step_below()? } else { None };
        if order.is_lt() {
            return Ok(below.map(|(key, value)| Met::Pair(key.into(), value.into())));
        }
        let above = self.above.take();
        self.above = self.writes.next()?;
        Ok(above.map(|(key, value)| match value {
            Some(value) => Met::Pair(key, value),
            None => Met::Deleted(key),
        }))
    }

    fn step_below(&mut self) -> Result<Option<Pair>> {
        let following = self.pairs.next()?;
        Ok(std::mem::replace(&mut self.below, following))
    }
}
