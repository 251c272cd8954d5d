//! A handler's run: what it is given, what it does, and what it leaves.

mod batches;
mod buffers;
mod counters;
mod failures;
mod frames;
mod gas;
mod guards;
mod guest;
mod handles;
mod host;
mod imports;
mod input;
mod memory;
mod messages;
mod receipt;
mod receipt_codec;
mod rehearse;
mod report;
mod run_position;
mod sandbox;
mod scan;
mod schedule;
mod store_owners;

use crate::error::Result;
use crate::handler::{Handler, declared_versions, require_layout};
use crate::store::Write;
use crate::writes::Cursor;
use guards::Guards;
use handles::Handle;
pub use input::{Input, Level, Log, Progress};
pub use messages::Check;
pub use receipt::{Receipt, RootChange, StoreReceipt};
pub use rehearse::{Rehearsal, StoreChange};
pub use report::{Report, StoreReport};
use sandbox::Outcome;

/// A run that succeeded: what it did, and its writes, which nobody has seen yet. Drop it, and nothing happened.
pub struct Run {
    plan: String,
    height: i64,
    sha256: [u8; 32],
    abi: u32,
    handles: Vec<Handle>,
    spilled_bytes: u64,
    report: Report,
}

impl Handler {
    /// Runs the handler over the stores of `input`, and writes nothing to them: [`Run::write`] does.
    ///
    /// # Errors
    /// `UPG_INVALID_ARGUMENT` for an input beyond its bounds, and `UPG_HANDLER_LAYOUT`, before anything runs; `UPG_MIGRATION_FAILED`, `UPG_MIGRATION_INVARIANT`, `UPG_MIGRATION_VERSION_MAP`,
    /// `UPG_MIGRATION_OUT_OF_GAS`, `UPG_HANDLER_STACK`, `UPG_HANDLER_TRAP` by the guest's doing; `UPG_HANDLER_ENGINE` when the
    /// engine or the machine could not go on or the run was cancelled, which says nothing about the handler; and what the stores
    /// fail with.
    pub fn run(&self, input: Input<'_>) -> Result<Run> {
        let manifest = self.manifest();
        let Input { height, versions: stored, without_guards, .. } = input;
        input.require_bounds()?;
        let guards = Guards::new(manifest, &input);
        if !without_guards {
            guards.before(&input)?;
        }
        require_layout(manifest, stored)?;
        let outcome = sandbox::run(self, input)?;
        let versions = declared_versions(manifest, &self.sha256(), stored, outcome.returned.as_ref())?;
        if !without_guards {
            guards.after(&outcome.handles, &versions)?;
        }
        let report = report::report(&outcome, versions)?;
        let (plan, sha256, abi) = (manifest.name.clone(), self.sha256(), manifest.abi);
        let Outcome { handles, spilled_bytes, .. } = outcome;
        Ok(Run { plan, height, sha256, abi, handles, spilled_bytes, report })
    }
}

impl Run {
    /// What the run did.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Bytes of temporary files that the writes take; 0: all of them are in memory.
    #[must_use]
    pub fn spilled_bytes(&self) -> u64 {
        self.spilled_bytes
    }

    /// The final writes to a store, keys ascending. Nothing for a store that the handler may
    /// not write.
    ///
    /// # Errors
    /// `UPG_STORE_IO` when a temporary file cannot be read.
    pub fn writes(&self, store: &str) -> Result<impl Iterator<Item = Result<Write>>> {
        let written = self.handles.iter().find(|handle| handle.name == store);
        let writes = written.map(|handle| handle.writes.all()).transpose()?;
        Ok(writes.into_iter().flat_map(Cursor::owned))
    }

    /// Hands the writes to the stores that the run was given: stores by name, keys ascending. When a store fails, what was handed
    /// on before stays with the stores: give the run branches of them, which are written once all of it succeeded.
    ///
    /// # Errors
    /// Those of the stores.
    pub fn write(&self) -> Result<()> {
        let mut handles: Vec<&Handle> = self.handles.iter().collect();
        handles.sort_by(|a, b| a.name.cmp(&b.name));
        handles.iter().try_for_each(|handle| handle.writes.write_to(&handle.below))
    }
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("plan", &self.plan).field("report", &self.report).finish_non_exhaustive()
    }
}
