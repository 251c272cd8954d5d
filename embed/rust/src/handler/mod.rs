//! From a file to a handler: hash, manifest, interface, metered module, compiled.

mod cost;
mod growth;
mod interface;
mod layout;
mod limits;
mod metered;
mod module;
mod refusal;

use crate::code::Code;
use crate::engine::{engine, failure};
use crate::error::{Error, Result};
use crate::limits::{HANDLER_BYTES_MAX, MANIFEST_BYTES_MAX};
use crate::manifest::{self, Manifest};
use crate::text::hex;
pub(crate) use layout::{declared_versions, require_layout};
pub(crate) use metered::{GAS_EXPORT, REFUSED_EXPORT, STACK_EXPORT};
use module::Bounds;
use sha2::{Digest, Sha256};
use wasmtime::Module;

const MANIFEST_SECTION: &str = "chain-upgrade.manifest";

/// An upgrade handler that passed every check of this host, ready to run. It can be run more than once, and by several threads.
pub struct Handler {
    manifest: Manifest,
    sha256: [u8; 32],
    bytes_charged: u64,
    module: Module,
}

impl Handler {
    /// Checks a handler's file and compiles the metered module that it carries. `sha256` is the hash that a plan pins, 64 hex
    /// digits; `None` takes any file.
    ///
    /// # Errors
    /// `UPG_HANDLER_*` with the first thing that is wrong; `UPG_HANDLER_METERED` for a file without a metered module, or with one
    /// that is not its own; `UPG_HANDLER_ENGINE` when this machine cannot compile it.
    pub fn load(file: &[u8], sha256: Option<&str>) -> Result<Self> {
        let hash: [u8; 32] = Sha256::digest(file).into();
        require_hash(&hash, sha256)?;
        require_size(file)?;
        let facts = module::examine(file, Bounds::OfHandlers)?;
        let manifest = manifest::parse(manifest_of(&facts)?)?;
        interface::check_imports(&facts)?;
        interface::check_exports(&facts, &manifest)?;
        let metered = metered::metered(&facts)?;
        let module = Module::from_binary(engine()?, metered)
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

fn require_size(file: &[u8]) -> Result<()> {
    if file.len() <= HANDLER_BYTES_MAX {
        return Ok(());
    }
    let what = format!("the file is longer than the {HANDLER_BYTES_MAX} bytes that are allowed");
    Err(Error::new(Code::HandlerLimit, format!("{what}; strip debug sections and build for size")))
}

fn manifest_of<'a>(facts: &module::ModuleFacts<'a>) -> Result<&'a [u8]> {
    let sections = facts.customs_named(MANIFEST_SECTION);
    if let [section] = sections[..] {
        // A manifest above the limit is refused by its length, so one byte more than the limit is enough to read.
        return Ok(&section[..section.len().min(MANIFEST_BYTES_MAX + 1)]);
    }
    let found = match sections.len() {
        0 => "there is no custom section".to_owned(),
        count => format!("there are {count} custom sections"),
    };
    Err(Error::new(Code::HandlerManifest, format!("manifest: {found} {MANIFEST_SECTION}; exactly one is due")))
}
