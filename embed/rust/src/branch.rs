//! A branch of a store: what a block writes before it is committed.

use crate::error::Result;
use crate::overlay::Overlay;
use crate::store::{Guarded, KVStore, Pair, Pairs, SharedStore, StoreError};
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A branch of any store: writes stay in it until [`Branch::write`] hands them to the store below, and its reads see them.
///
/// ```
/// use chain_upgrade::{Branch, KVStore, MemoryStore, SharedStore};
/// use std::sync::Arc;
///
/// let store: SharedStore = Arc::new(MemoryStore::default());
/// let branch = Branch::new("bank", &store);
/// branch.set(b"a", b"1")?;
/// assert_eq!(store.get(b"a")?, None);
/// branch.write()?;
/// assert_eq!(store.get(b"a")?, Some(b"1".to_vec()));
/// # Ok::<(), chain_upgrade::StoreError>(())
/// ```
pub struct Branch {
    below: Guarded,
    writes: Mutex<Overlay>,
}

impl Branch {
    /// An empty branch; `name` is what errors call the store.
    #[must_use]
    pub fn new(name: &str, store: &SharedStore) -> Self {
        Branch { below: Guarded::new(name, store), writes: Mutex::default() }
    }

    /// Hands the writes to the store below, keys ascending, and is empty afterwards. When the store fails, the branch keeps them
    /// all; how much of them the store took is for the store to say.
    ///
    /// # Errors
    /// Those of the store below.
    pub fn write(&self) -> Result<()> {
        let mut writes = self.lock();
        writes.write_to(&self.below)?;
        writes.clear();
        Ok(())
    }

    /// Forgets the writes.
    pub fn discard(&self) {
        self.lock().clear();
    }

    /// Keys that were written or deleted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Is there nothing to hand on?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, Overlay> {
        self.writes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KVStore for Branch {
    fn get(&self, key: &[u8]) -> std::result::Result<Option<Vec<u8>>, StoreError> {
        // The store below may be slow: it is asked without the lock.
        let found = self.lock().find(key).map(|value| value.map(<[u8]>::to_vec));
        Ok(match found {
            Some(value) => value,
            None => self.below.get(key)?,
        })
    }

    fn set(&self, key: &[u8], value: &[u8]) -> std::result::Result<(), StoreError> {
        self.lock().put(key, Some(value));
        Ok(())
    }

    fn delete(&self, key: &[u8]) -> std::result::Result<(), StoreError> {
        self.lock().put(key, None);
        Ok(())
    }

    fn iterate(&self, start: &[u8], end: Option<&[u8]>) -> std::result::Result<Pairs<'_>, StoreError> {
        let mut below = self.below.iterate(start, end)?;
        let mut next = below.next()?;
        let end = end.map(<[u8]>::to_vec);
        let mut from = Bound::Included(start.to_vec());
        let mut step = move || -> Result<Option<Pair>> {
            loop {
                let above = {
                    let writes = self.lock();
                    let found = writes.next(from.as_ref().map(Vec::as_slice), end.as_deref());
                    found.map(|(key, value)| (key.to_vec(), value.map(<[u8]>::to_vec)))
                };
                let Some((key, value)) = above else { return Ok(std::mem::replace(&mut next, below.next()?)) };
                if next.as_ref().is_some_and(|(pending, _)| *pending < key) {
                    let shown = std::mem::replace(&mut next, below.next()?);
                    from = shown.as_ref().map_or(Bound::Unbounded, |(key, _)| Bound::Excluded(key.clone()));
                    return Ok(shown);
                }
                if next.as_ref().is_some_and(|(pending, _)| *pending == key) {
                    next = below.next()?;
                }
                from = Bound::Excluded(key.clone());
                if let Some(value) = value {
                    return Ok(Some((key, value)));
                }
            }
        };
        Ok(Box::new(std::iter::from_fn(move || step().map_err(StoreError::from).transpose())))
    }
}
