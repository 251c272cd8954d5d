//! The key-value stores that a chain gives: what they must do, and a guard around each call to them.

use crate::code::Code;
use crate::error::{Error, Result};
use crate::limits::{KEY_BYTES_MAX, VALUE_BYTES_MAX};
use crate::text::short_hex;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What a store's own failure is. An [`Error`] of this crate keeps its code; anything else becomes `UPG_STORE_IO`.
pub type StoreError = Box<dyn std::error::Error + Send + Sync>;

/// A key and its value.
pub type Pair = (Vec<u8>, Vec<u8>);

/// A write to a key: its value, or `None` for a deletion.
pub type Write = (Vec<u8>, Option<Vec<u8>>);

/// A walk over pairs, in ascending order of their keys, which are compared as bytes.
pub type Pairs<'a> = Box<dyn Iterator<Item = std::result::Result<Pair, StoreError>> + 'a>;

/// An ordered key-value store: keys of 1 to 65,535 bytes, values of up to 1 MiB.
///
/// Methods take `&self`, as those of databases do; [`MemoryStore`](crate::MemoryStore) shows how a map becomes one. A method that
/// panics fails: what was to be done is not done, and the panic goes no further. A store that gives what none may (keys out of
/// order or of their range, a key of 0 or of more than 65,535 bytes, a value beyond 1 MiB) ends a run with `UPG_STORE_CORRUPT`.
pub trait KVStore: Send + Sync {
    /// The value of a key; `None` when it is absent.
    ///
    /// # Errors
    /// Whatever the store has to say.
    fn get(&self, key: &[u8]) -> std::result::Result<Option<Vec<u8>>, StoreError>;

    /// Sets a key.
    ///
    /// # Errors
    /// Whatever the store has to say.
    fn set(&self, key: &[u8], value: &[u8]) -> std::result::Result<(), StoreError>;

    /// Deletes a key; an absent one too.
    ///
    /// # Errors
    /// Whatever the store has to say.
    fn delete(&self, key: &[u8]) -> std::result::Result<(), StoreError>;

    /// The pairs with `start <= key < end`, ascending; no end: to the last. An empty start is the first key.
    ///
    /// # Errors
    /// Whatever the store has to say.
    fn iterate(&self, start: &[u8], end: Option<&[u8]>) -> std::result::Result<Pairs<'_>, StoreError>;
}

/// A store that a call or a run can hold.
pub type SharedStore = Arc<dyn KVStore>;

/// The stores of a chain, by name.
pub type Stores = BTreeMap<String, SharedStore>;

/// A store whose failures and panics are errors of ours that name it.
#[derive(Clone)]
pub(crate) struct Guarded {
    name: Arc<str>,
    store: SharedStore,
}

impl Guarded {
    pub(crate) fn new(name: &str, store: &SharedStore) -> Self {
        Guarded { name: Arc::from(name), store: Arc::clone(store) }
    }

    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let value = self.guard("get", || self.store.get(key))?;
        value.map(|value| self.require_value(key, value)).transpose()
    }

    pub(crate) fn set(&self, key: &[u8], value: &[u8]) -> Result<()> {
        self.guard("set", || self.store.set(key, value))
    }

    pub(crate) fn delete(&self, key: &[u8]) -> Result<()> {
        self.guard("delete", || self.store.delete(key))
    }

    pub(crate) fn iterate(&self, start: &[u8], end: Option<&[u8]>) -> Result<GuardedPairs<'_>> {
        let pairs = self.guard("iterate", || self.store.iterate(start, end))?;
        let bounds = Bounds { from: start.to_vec(), has_begun: false, end: end.map(<[u8]>::to_vec) };
        Ok(GuardedPairs { store: self, pairs, bounds })
    }

    fn guard<T>(&self, call: &str, work: impl FnOnce() -> std::result::Result<T, StoreError>) -> Result<T> {
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(cause)) => Err(self.failure(call, cause)),
            Err(panic) => {
                let message = format!("store \"{}\" panicked in {call}: {}", self.name, panic_text(&*panic));
                Err(Error::new(Code::StoreIo, message).with("store", &self.name))
            }
        }
    }

    fn require_value(&self, key: &[u8], value: Vec<u8>) -> Result<Vec<u8>> {
        if value.len() <= VALUE_BYTES_MAX {
            return Ok(value);
        }
        let (length, key) = (value.len(), short_hex(key));
        Err(self
            .corrupt(&format!("gave a value of {length} bytes for key {key}; values have at most {VALUE_BYTES_MAX}")))
    }

    /// What a store gave and none may.
    fn corrupt(&self, what: &str) -> Error {
        Error::new(Code::StoreCorrupt, format!("store \"{}\" {what}", self.name)).with("store", &self.name)
    }

    fn failure(&self, call: &str, cause: StoreError) -> Error {
        match cause.downcast::<Error>() {
            Ok(own) => *own,
            Err(other) => {
                let message = format!("store \"{}\" failed in {call}: {other}", self.name);
                Error::new(Code::StoreIo, message).with("store", &self.name).caused_by(Arc::from(other))
            }
        }
    }
}

/// A walk whose steps are guarded too. A guest sees what its range has, whatever the store gives.
pub(crate) struct GuardedPairs<'a> {
    store: &'a Guarded,
    pairs: Pairs<'a>,
    bounds: Bounds,
}

impl GuardedPairs<'_> {
    pub(crate) fn next(&mut self) -> Result<Option<Pair>> {
        let GuardedPairs { store, pairs, bounds } = self;
        let Some((key, value)) = store.guard("iterate", || pairs.next().transpose())? else { return Ok(None) };
        if key.is_empty() || key.len() > KEY_BYTES_MAX {
            let length = key.len();
            let what = format!("gave a key of {length} bytes in a walk; keys have 1 to {KEY_BYTES_MAX}");
            return Err(store.corrupt(&what));
        }
        if !bounds.admit(&key) {
            let what = "gave a key that is out of order or outside the range of a walk";
            return Err(store.corrupt(&format!("{what}: {}", short_hex(&key))));
        }
        let value = store.require_value(&key, value)?;
        Ok(Some((key, value)))
    }
}

/// Where the next key must lie.
struct Bounds {
    from: Vec<u8>,
    /// `from` was a key of the walk: the next is greater.
    has_begun: bool,
    end: Option<Vec<u8>>,
}

impl Bounds {
    fn admit(&mut self, key: &[u8]) -> bool {
        let follows = if self.has_begun { key > &*self.from } else { key >= &*self.from };
        let is_before_end = self.end.as_deref().is_none_or(|end| key < end);
        self.from.clear();
        self.from.extend_from_slice(key);
        self.has_begun = true;
        follows && is_before_end
    }
}

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no words")
}
