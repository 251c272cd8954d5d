//! A store in memory, for tests and tools.

use crate::store::{KVStore, Pair, Pairs, StoreError};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::{PoisonError, RwLock};

/// Pairs that a walk takes at once, so that it need not hold the lock between its steps.
const TAKEN_AT_ONCE: usize = 64;

/// A store in memory: pairs in ascending order of their keys.
///
/// ```
/// use chain_upgrade::{KVStore, MemoryStore};
///
/// let store = MemoryStore::default();
/// for key in [3, 1, 2] {
///     store.set(&[key], &[key * 10])?;
/// }
/// let keys: Vec<u8> = store.iterate(&[], Some(&[3]))?.map(|pair| pair.map(|(key, _)| key[0])).collect::<Result<_, _>>()?;
/// assert_eq!(keys, [1, 2]);
/// # Ok::<(), chain_upgrade::StoreError>(())
/// ```
#[derive(Debug, Default)]
pub struct MemoryStore {
    pairs: RwLock<BTreeMap<Vec<u8>, Vec<u8>>>,
}

impl MemoryStore {
    /// All pairs as they are now.
    #[must_use]
    pub fn pairs(&self) -> BTreeMap<Vec<u8>, Vec<u8>> {
        self.read().clone()
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, BTreeMap<Vec<u8>, Vec<u8>>> {
        self.pairs.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, BTreeMap<Vec<u8>, Vec<u8>>> {
        self.pairs.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, from: Bound<&[u8]>, end: Option<&[u8]>) -> VecDeque<Pair> {
        let until = end.map_or(Bound::Unbounded, Bound::Excluded);
        if is_empty(from, end) {
            return VecDeque::new();
        }
        let pairs = self.read();
        let range = pairs.range::<[u8], _>((from, until));
        range.take(TAKEN_AT_ONCE).map(|(key, value)| (key.clone(), value.clone())).collect()
    }
}

/// `BTreeMap::range` panics for a range whose end lies before its start.
pub(crate) fn is_empty(from: Bound<&[u8]>, end: Option<&[u8]>) -> bool {
    match (from, end) {
        (Bound::Included(start) | Bound::Excluded(start), Some(end)) => start >= end,
        _ => false,
    }
}

impl FromIterator<Pair> for MemoryStore {
    fn from_iter<I: IntoIterator<Item = Pair>>(pairs: I) -> Self {
        MemoryStore { pairs: RwLock::new(pairs.into_iter().collect()) }
    }
}

impl KVStore for MemoryStore {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.read().get(key).cloned())
    }

    fn set(&self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.write().insert(key.to_vec(), value.to_vec());
        Ok(())
    }

    fn delete(&self, key: &[u8]) -> Result<(), StoreError> {
        self.write().remove(key);
        Ok(())
    }

    fn iterate(&self, start: &[u8], end: Option<&[u8]>) -> Result<Pairs<'_>, StoreError> {
        let end = end.map(<[u8]>::to_vec);
        let mut taken = self.take(Bound::Included(start), end.as_deref());
        Ok(Box::new(std::iter::from_fn(move || {
            let pair = taken.pop_front()?;
            if taken.is_empty() {
                taken = self.take(Bound::Excluded(&pair.0), end.as_deref());
            }
            Some(Ok(pair))
        })))
    }
}
