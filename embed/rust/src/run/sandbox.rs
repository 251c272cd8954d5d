//! Runs a handler (docs/abi.md): `handler_run`, each scan of the manifest to its end, `handler_check`.

use super::batches::Batches;
use super::buffers::Buffers;
use super::failures::trap;
use super::gas::Purse;
use super::guest::Guest;
use super::handles::{Handle, Handles, prefix_end};
use super::host::Host;
use super::input::{Input, Reports};
use super::memory::word;
use super::messages::{Check, decode_checks, decode_returned_versions, encode_context, require_checks};
use super::run_position::Place;
use super::schedule::{FILE_BYTE, pair_price};
use crate::error::{Error, Result};
use crate::handler::Handler;
use crate::limits::{BATCH_BYTES, PAGE_BYTES};
use crate::manifest::ManifestScan;
use crate::version_map::VersionMap;

const LAST_BATCH: i32 = 1;
/// `handler_batch` returns `u32 consumed`, then framed writes.
const CONSUMED_BYTES: usize = 4;

/// What a run that succeeded leaves.
pub(super) struct Outcome {
    pub(super) handles: Vec<Handle>,
    pub(super) spilled_bytes: u64,
    pub(super) returned: Option<VersionMap>,
    pub(super) checks: Vec<Check>,
    pub(super) gas: u64,
    pub(super) memory_pages: u32,
}

/// What the guest does wrong has in the detail `gas` how much was counted until then, at most the limit.
pub(super) fn run(handler: &Handler, input: Input<'_>) -> Result<Outcome> {
    let context = encode_context(&input);
    let batch_bytes = input.batch_bytes.unwrap_or(BATCH_BYTES);
    let mut purse = Purse::new(input.gas_limit.unwrap_or(handler.manifest().gas_limit));
    let begun = load(handler, &mut purse, &input);
    let spent = purse.used();
    let place = Place::at("loading");
    let handles = begun.map_err(|error| of_run(error, spent, &place, 0))?;
    let host = Host::new(purse, handles, Reports { log: input.log, progress: input.progress }, input.cancel);
    let mut guest = Guest::new(handler, host).map_err(|error| of_run(error, spent, &place, 0))?;
    let mut sandbox = Sandbox { handler, guest: &mut guest, context, batch_bytes, place };
    let ended = sandbox.run();
    let place = sandbox.place;
    let (gas, memory_pages) = (guest.host().purse.used(), guest.pages());
    let memory_bytes = memory_pages as usize * PAGE_BYTES;
    let (returned, checks) = ended.map_err(|error| of_run(error, gas, &place, memory_bytes))?;
    let handles = guest.into_host().handles;
    let spilled_bytes = handles.spilled_bytes();
    Ok(Outcome { handles: handles.all, spilled_bytes, returned, checks, gas, memory_pages })
}

fn load(handler: &Handler, purse: &mut Purse, input: &Input<'_>) -> Result<Handles> {
    purse.charge(handler.bytes_charged() * FILE_BYTE, "loading")?;
    Handles::new(handler.manifest(), input)
}

/// What a store or a bug of ours ended says nothing of a run.
fn of_run(error: Error, gas: u64, place: &Place, memory_bytes: usize) -> Error {
    let name = error.code().name();
    let is_of_run = name.starts_with("UPG_MIGRATION_") || name.starts_with("UPG_HANDLER_");
    if is_of_run { place.describe(error, memory_bytes).with("gas", gas) } else { error }
}

struct Sandbox<'a> {
    handler: &'a Handler,
    guest: &'a mut Guest,
    context: Vec<u8>,
    batch_bytes: usize,
    place: Place,
}

impl Sandbox<'_> {
    fn run(&mut self) -> Result<(Option<VersionMap>, Vec<Check>)> {
        if self.guest.has("_initialize") {
            self.place = Place::at("_initialize");
            self.guest.call("_initialize", &[])?;
        }
        let mut buffers = Buffers::new(self.guest)?;
        let returned = self.migrate(&mut buffers)?;
        let handler = self.handler;
        for (index, scan) in handler.manifest().scans.iter().enumerate() {
            self.scan(&mut buffers, scan, index)?;
        }
        Ok((returned, self.check(&mut buffers)?))
    }

    fn migrate(&mut self, buffers: &mut Buffers) -> Result<Option<VersionMap>> {
        self.place = Place::at("handler_run");
        buffers.give(self.guest, &self.context)?;
        self.guest.host().handles.may_write = true;
        let length = self.guest.call_for_length("handler_run", &[int(self.context.len())])?;
        self.guest.host().handles.may_write = false;
        if length == 0 {
            return Ok(None);
        }
        let output = buffers.output(self.guest, length, "handler_run")?;
        decode_returned_versions(&self.guest.memory()[output]).map(Some)
    }

    /// Reads the stores as they were given: nothing that the handler writes changes what a scan yields.
    fn scan(&mut self, buffers: &mut Buffers, scan: &ManifestScan, index: usize) -> Result<()> {
        let listed = self.guest.host().handles.all.iter().find(|handle| handle.name == scan.store);
        let below = listed.map(|handle| handle.below.clone());
        let below = below.ok_or_else(|| Error::bug("a checked manifest scans a store that it does not list"))?;
        let start = scan.prefix.clone().unwrap_or_default();
        let end = prefix_end(&start);
        let mut batches = Batches::new(below.iterate(&start, end.as_deref())?, self.batch_bytes)?;
        self.place = Place::at_scan(index, &scan.store, self.guest.pages() as usize * PAGE_BYTES);
        loop {
            batches.pack()?;
            self.place.at_batch(&batches);
            self.batch(buffers, &mut batches, index)?;
            if batches.is_done() {
                return Ok(());
            }
        }
    }

    fn batch(&mut self, buffers: &mut Buffers, batches: &mut Batches<'_>, index: usize) -> Result<()> {
        let given = batches.frames().len();
        // Its bytes are paid for where they cross.
        self.guest.host().purse.charge(pair_price(batches.count()), "a batch")?;
        buffers.give(self.guest, batches.frames())?;
        self.guest.host().handles.may_write = true;
        let flags = if batches.is_last() { LAST_BATCH } else { 0 };
        let length = self.guest.call_for_length("handler_batch", &[int(index), int(given), flags])?;
        if length < CONSUMED_BYTES {
            return Err(trap(&format!("handler_batch returned {length} bytes, its count alone has 4")));
        }
        let output = buffers.output(self.guest, length, "handler_batch")?;
        let (memory, host) = self.guest.parts();
        let output = &memory[output];
        let consumed = word(output, 0).map_or(0, |consumed| consumed as usize);
        if consumed == 0 && given > 0 {
            return Err(trap(&format!("handler_batch consumed nothing of {given} bytes")));
        }
        if !batches.consume(consumed) {
            let what = "which is not where a frame ends";
            return Err(trap(&format!("handler_batch consumed {consumed} of {given} bytes, {what}")));
        }
        host.handles.apply_frames(&mut host.purse, &output[CONSUMED_BYTES..])?;
        host.handles.may_write = false;
        Ok(())
    }

    /// Invariants see the same context as `handler_run`.
    fn check(&mut self, buffers: &mut Buffers) -> Result<Vec<Check>> {
        if !self.guest.has("handler_check") {
            return Ok(Vec::new());
        }
        self.place = Place::at("handler_check");
        buffers.give(self.guest, &self.context)?;
        let length = self.guest.call_for_length("handler_check", &[int(self.context.len())])?;
        let output = buffers.output(self.guest, length, "handler_check")?;
        let checks = decode_checks(&self.guest.memory()[output])?;
        require_checks(&checks)?;
        Ok(checks)
    }
}

/// Lengths of inputs and indices of scans are far below 2^31.
fn int(value: usize) -> i32 {
    (value as u32).cast_signed()
}
