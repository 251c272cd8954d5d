//! What a handler can reach: the stores of its manifest, by index, each with its access and key prefixes. There is no other way
//! to a store, and every key passes here. A violation ends the run.

use super::failures::trap;
use super::frames::{Op, Ops};
use super::gas::Purse;
use super::input::Input;
use super::schedule::{DELETE, PUT, WRITE_ALONE, WRITES_ALONE, long_price};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::manifest::{Manifest, ManifestStore};
use crate::store::{Guarded, Stores};
use crate::text::{hex, short_hex};
use crate::writes::{Space, Writes};

pub(super) struct Handle {
    pub(super) name: String,
    pub(super) is_writable: bool,
    prefixes: Option<Vec<Vec<u8>>>,
    pub(super) below: Guarded,
    pub(super) writes: Writes,
    pub(super) written: u64,
    pub(super) deleted: u64,
    pub(super) bytes: u64,
}

impl Handle {
    /// The key begins with a prefix that the manifest gives.
    pub(super) fn require_key(&self, key: &[u8]) -> Result<()> {
        if self.prefixes.is_none() || self.covering_prefix(key).is_some() {
            return Ok(());
        }
        let (shown, name) = (short_hex(key), &self.name);
        Err(trap(&format!("key {shown} lies outside the prefixes that the manifest gives of store \"{name}\"")))
    }

    /// A range must lie inside what one prefix covers. It is never clipped: a shorter result would look like an empty store.
    pub(super) fn require_range(&self, start: &[u8], end: Option<&[u8]>) -> Result<()> {
        self.require_key(start)?;
        let Some(prefix) = self.covering_prefix(start) else { return Ok(()) };
        let Some(limit) = prefix_end(prefix) else { return Ok(()) };
        if end.is_some_and(|end| end <= limit.as_slice()) {
            return Ok(());
        }
        let (name, prefix, limit) = (&self.name, hex(prefix), hex(&limit));
        Err(trap(&format!("a scan of store \"{name}\" runs past the prefix {prefix}: end it at {limit}")))
    }

    fn covering_prefix(&self, key: &[u8]) -> Option<&[u8]> {
        self.prefixes.iter().flatten().find(|prefix| key.starts_with(prefix)).map(Vec::as_slice)
    }

    fn apply(&mut self, key: &[u8], value: Option<&[u8]>) {
        match value {
            Some(_) => self.written += 1,
            None => self.deleted += 1,
        }
        self.bytes += (key.len() + value.map_or(0, <[u8]>::len)) as u64;
        self.writes.put(key, value);
    }
}

/// The first key after all that begin with a prefix; `None`: there is none.
pub(super) fn prefix_end(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != 0xff)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}

pub(super) struct Handles {
    pub(super) all: Vec<Handle>,
    /// Writes belong to the calls that migrate.
    pub(super) may_write: bool,
    writes: u64,
    /// What the writes of all stores take in memory, and may take before they are spilled.
    memory: u64,
    memory_max: u64,
    space: Space,
}

impl Handles {
    /// `UPG_HANDLER_LAYOUT` when a store of the manifest is absent.
    pub(super) fn new(manifest: &Manifest, input: &Input<'_>) -> Result<Self> {
        let space = Space::new(input.overlay_disk_bytes, input.overlay_dir.as_deref());
        let handle = |listed| handle(listed, &manifest.name, input.stores, &space);
        let all = manifest.stores.iter().map(handle).collect::<Result<_>>()?;
        Ok(Handles { all, may_write: false, writes: 0, memory: 0, memory_max: input.overlay_memory_bytes, space })
    }

    /// Bytes of temporary files.
    pub(super) fn spilled_bytes(&self) -> u64 {
        self.space.bytes()
    }

    /// What the guest was allowed to do and paid for. `UPG_STORE_FULL` and `UPG_STORE_IO` are of this machine.
    pub(super) fn apply(&mut self, store: u32, key: &[u8], value: Option<&[u8]>) -> Result<()> {
        let handle = self.writable(store)?;
        let before = handle.writes.memory();
        handle.apply(key, value);
        let after = handle.writes.memory();
        self.memory = self.memory + after - before;
        while self.memory > self.memory_max {
            let Some(largest) = self.all.iter_mut().max_by_key(|handle| handle.writes.memory()) else { break };
            self.memory -= largest.writes.memory();
            largest.writes.spill()?;
        }
        Ok(())
    }

    /// What the next write costs, besides its bytes.
    pub(super) fn next_write_price(&mut self, is_put: bool) -> u64 {
        let price = if is_put { PUT } else { DELETE };
        self.writes += 1;
        if self.writes <= WRITES_ALONE { price + WRITE_ALONE } else { price }
    }

    pub(super) fn readable(&mut self, index: u32) -> Result<&mut Handle> {
        let listed = self.all.len();
        let handle = self.all.get_mut(index as usize);
        handle.ok_or_else(|| trap(&format!("there is no store {index}: the manifest lists {listed}")))
    }

    pub(super) fn writable(&mut self, index: u32) -> Result<&mut Handle> {
        let may_write = self.may_write;
        let handle = self.readable(index)?;
        let name = &handle.name;
        if !handle.is_writable {
            return Err(trap(&format!("a write to store \"{name}\", which the manifest gives for reading")));
        }
        if !may_write {
            return Err(trap(&format!("a write to store \"{name}\" outside handler_run and handler_batch")));
        }
        Ok(handle)
    }

    /// Frame by frame: its form, its store, the right to write there, its key's prefix, then its price, then it is written. Its
    /// bytes are paid for by the code that took them from the guest.
    pub(super) fn apply_frames(&mut self, purse: &mut Purse, frames: &[u8]) -> Result<()> {
        let mut ops = Ops::new(frames);
        while let Some(Op { store, key, value }) = ops.next()? {
            self.writable(store)?.require_key(key)?;
            let lengths = long_price(key.len()) + long_price(value.map_or(0, <[u8]>::len));
            purse.charge(self.next_write_price(value.is_some()) + lengths, "framed writes")?;
            self.apply(store, key, value)?;
        }
        Ok(())
    }
}

fn handle(listed: &ManifestStore, plan: &str, stores: &Stores, space: &Space) -> Result<Handle> {
    let ManifestStore { name, is_writable, prefixes } = listed;
    let Some(store) = stores.get(name) else {
        let there: Vec<&str> = stores.keys().map(String::as_str).collect();
        let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
        let message =
            format!("the handler of plan \"{plan}\" wants store \"{name}\", which is absent; there are {there}");
        return Err(Error::new(Code::HandlerLayout, message).with("plan", plan).with("store", name));
    };
    Ok(Handle {
        name: name.clone(),
        is_writable: *is_writable,
        prefixes: prefixes.clone(),
        below: Guarded::new(name, store),
        writes: space.writes(),
        written: 0,
        deleted: 0,
        bytes: 0,
    })
}
