//! What a run did, the same on every machine.

use super::handles::Handle;
use super::messages::Check;
use super::sandbox::Outcome;
use crate::error::Result;
use crate::version_map::VersionMap;
use crate::writes::Writes;
use sha2::{Digest, Sha256};

const OP_DELETE: u32 = 1 << 30;

/// What a run did, the same on every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Gas used, by [`GAS_SCHEDULE`](crate::GAS_SCHEDULE).
    pub gas: u64,
    /// The stores that the handler may write, ascending by name.
    pub stores: Vec<StoreReport>,
    /// The handler's own invariants; all of them held.
    pub checks: Vec<Check>,
    /// The stored versions with what the manifest declares: what [`Core::apply`](crate::Core::apply) is given.
    pub versions: VersionMap,
    /// Pages of 64 KiB that the handler's memory had at its end, which is its peak.
    pub memory_pages: u32,
}

/// What a handler did to one store, in operations of its own: a key written twice counts twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreReport {
    /// Of the store.
    pub name: String,
    /// Puts.
    pub written: u64,
    /// Deletes, also of keys that were absent.
    pub deleted: u64,
    /// Keys and values of the puts, keys of the deletes.
    pub bytes: u64,
    /// Of the final writes, ascending by key, each framed as a handler frames its output with store index 0.
    pub sha256: [u8; 32],
}

pub(super) fn report(outcome: &Outcome, versions: VersionMap) -> Result<Report> {
    let mut stores: Vec<StoreReport> =
        outcome.handles.iter().filter(|handle| handle.is_writable).map(store_report).collect::<Result<_>>()?;
    stores.sort_by(|a, b| a.name.cmp(&b.name));
    let checks = outcome.checks.clone();
    Ok(Report { gas: outcome.gas, stores, checks, versions, memory_pages: outcome.memory_pages })
}

fn store_report(handle: &Handle) -> Result<StoreReport> {
    let Handle { name, written, deleted, bytes, writes, .. } = handle;
    let sha256 = digest(writes)?;
    Ok(StoreReport { name: name.clone(), written: *written, deleted: *deleted, bytes: *bytes, sha256 })
}

fn digest(writes: &Writes) -> Result<[u8; 32]> {
    let mut hash = Sha256::new();
    let mut writes = writes.all()?;
    while let Some((key, value)) = writes.next()? {
        let head = key.len() as u32 | if value.is_none() { OP_DELETE } else { 0 };
        hash.update(head.to_le_bytes());
        if let Some(value) = &value {
            hash.update((value.len() as u32).to_le_bytes());
        }
        hash.update(key);
        hash.update(value.unwrap_or_default());
    }
    Ok(hash.finalize().into())
}
