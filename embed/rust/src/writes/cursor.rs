//! Writes in memory and in sorted files, walked at once.

use super::sorted_file::{Borrowed, Records};
use crate::error::Result;
use crate::overlay::Written;
use crate::store::Write;
use std::borrow::Cow;
use std::collections::btree_map::Range;

pub(super) enum Layer<'a> {
    Memory(Range<'a, Vec<u8>, Written>),
    File(Records<'a>),
}

impl<'a> Layer<'a> {
    fn next(&mut self) -> Result<Option<Borrowed<'a>>> {
        match self {
            Layer::Memory(range) => {
                let borrowed = |(key, value): (&'a Vec<u8>, &'a Written)| {
                    (Cow::Borrowed(key.as_slice()), value.as_deref().map(Cow::Borrowed))
                };
                Ok(range.next().map(borrowed))
            }
            Layer::File(records) => records.next(),
        }
    }
}

struct Head<'a> {
    layer: Layer<'a>,
    next: Option<Borrowed<'a>>,
}

/// Walks the layers at once; of several writes to one key it gives the last.
pub(crate) struct Cursor<'a> {
    /// The latest first.
    heads: Vec<Head<'a>>,
    end: Option<&'a [u8]>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(layers: Vec<Layer<'a>>, end: Option<&'a [u8]>) -> Result<Self> {
        let head = |mut layer: Layer<'a>| Ok(Head { next: layer.next()?, layer });
        Ok(Cursor { heads: layers.into_iter().map(head).collect::<Result<_>>()?, end })
    }

    pub(crate) fn next(&mut self) -> Result<Option<Borrowed<'a>>> {
        let keys = self.heads.iter().enumerate().filter_map(|(at, head)| Some((&*head.next.as_ref()?.0, at)));
        // Of equal keys the least index: the latest write.
        let Some((_, least)) = keys.min() else { return Ok(None) };
        let Some(write) = self.heads[least].next.take() else { return Ok(None) };
        if self.end.is_some_and(|end| *write.0 >= *end) {
            self.heads.clear();
            return Ok(None);
        }
        for (at, head) in self.heads.iter_mut().enumerate() {
            let is_same = head.next.as_ref().is_some_and(|(key, _)| *key == write.0);
            if at == least || is_same {
                head.next = head.layer.next()?;
            }
        }
        Ok(Some(write))
    }

    pub(crate) fn owned(mut self) -> impl Iterator<Item = Result<Write>> + use<'a> {
        let owned = |(key, value): Borrowed<'a>| (key.into_owned(), value.map(Cow::into_owned));
        std::iter::from_fn(move || self.next().transpose().map(|write| write.map(owned)))
    }
}
