//! From a file to a handler: its hash, the checks of check.wasm, and the metered module, compiled.

mod layout;

use crate::checker::check_file;
use crate::code::Code;
use crate::engine::{engine, failure};
use crate::error::{Error, Result};
use crate::manifest::Manifest;
use crate::text::hex;
pub(crate) use layout::{declared_versions, require_layout};
use sha2::{Digest, Sha256};
use wasmtime::Module;

/// By which check.wasm meters handlers and this host charges. It is in every receipt.
pub const GAS_SCHEDULE: &str = "gas-2";

/// The counters of a metered module: exported mutable globals.
pub(crate) const GAS_EXPORT: &str = "chain-upgrade:gas";
pub(crate) const STACK_EXPORT: &str = "chain-upgrade:stack";
pub(crate) const REFUSED_EXPORT: &str = "chain-upgrade:refused";

/// An upgrade handler that passed every check, ready to run. It can be run more than once, and by several threads.
pub struct Handler {
    manifest: Manifest,
    sha256: [u8; 32],
    bytes_charged: u64,
    module: Module,
}

impl Handler {
    /// Checks a handler's file by the rules that every node applies, meters it and compiles the metered module. `sha256` is the
    /// hash that a plan pins, 64 hex digits; `None` takes any file.
    ///
    /// # Errors
    /// `UPG_HANDLER_*` with the first thing that is wrong, in the details `function` and `offset` where it is;
    /// `UPG_HANDLER_METERED` for a file that carries a metered module which is not its own; `UPG_HANDLER_ENGINE` when this machine
    /// cannot check or compile it.
    pub fn load(file: &[u8], sha256: Option<&str>) -> Result<Self> {
        let hash: [u8; 32] = Sha256::digest(file).into();
        require_hash(&hash, sha256)?;
        let checked = check_file(file)?;
        if let Some(refusal) = checked.file_check.refusal() {
            return Err(refusal);
        }
        require_gas_schedule(&checked.file_check.gas_schedule)?;
        let manifest = checked.file_check.manifest.ok_or_else(|| Error::bug("a checked handler has no manifest"))?;
        let module = Module::from_binary(engine()?, &checked.metered)
            .map_err(|cause| failure("the engine could not compile the handler", &format!("{cause:#}")))?;
        Ok(Handler { manifest, sha256: hash, bytes_charged: file.len() as u64, module })
    }

    /// What the handler declares.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// SHA-256 of the file.
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        self.sha256
    }

    pub(crate) fn module(&self) -> &Module {
        &self.module
    }

    /// Bytes of the file that a run pays for.
    pub(crate) fn bytes_charged(&self) -> u64 {
        self.bytes_charged
    }
}

impl std::fmt::Debug for Handler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handler").field("manifest", &self.manifest).field("sha256", &hex(&self.sha256)).finish()
    }
}

fn require_hash(hash: &[u8; 32], pinned: Option<&str>) -> Result<()> {
    let Some(pinned) = pinned else { return Ok(()) };
    let found = hex(hash);
    if pinned.eq_ignore_ascii_case(&found) {
        return Ok(());
    }
    let message =
        format!("the handler's file has SHA-256 {found:?}, the plan pins {pinned:?}: get the file that the plan names");
    Err(Error::new(Code::HandlerHash, message).with("sha256", found).with("pinned", pinned))
}

fn require_gas_schedule(metered_by: &str) -> Result<()> {
    if metered_by == GAS_SCHEDULE {
        return Ok(());
    }
    let what = format!("check.wasm meters by schedule {metered_by:?}, this host charges by {GAS_SCHEDULE:?}");
    Err(Error::new(Code::BugCoreAbi, what))
}

#[cfg(test)]
mod tests {
    use super::{Code, GAS_SCHEDULE, require_gas_schedule};

    #[test]
    fn a_handler_that_was_metered_by_another_schedule_is_a_bug_of_this_host() {
        require_gas_schedule(GAS_SCHEDULE).expect("the schedule of this host");
        assert_eq!(require_gas_schedule("gas-1").expect_err("another").code(), Code::BugCoreAbi);
        assert_eq!(require_gas_schedule("").expect_err("none").code(), Code::BugCoreAbi);
    }
}
