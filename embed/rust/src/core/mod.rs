//! The upgrade module's core, typed. Every rule is core.wasm's own; this side moves bytes and names what it returns.

mod imports;
mod instance;
mod pure;
mod reads;
mod transitions;

use crate::code::Code;
use crate::error::{Error, Result};
use crate::store::SharedStore;
pub use instance::Arg;
use instance::{Instance, Ran};

/// The release build of core.wasm that this crate was made with.
pub const CORE_WASM: &[u8] = include_bytes!("../../core.wasm");

/// What the core decides at the start of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Decision {
    /// Nothing is scheduled.
    Idle,
    /// A plan is scheduled, and not due.
    Pending,
    /// The plan is due and its height is skipped: the core cleared it.
    Skip,
    /// Run the handler, then [`Core::apply`].
    Apply,
    /// The plan is due and there is no handler: stop, and start the new version.
    HaltUpgradeNeeded,
    /// There is a handler for a plan that is not due: run the old version until then.
    HaltBinaryTooEarly,
    /// The last upgrade is unknown to this program: it is too old for this state.
    HaltHandlerMissing,
}

const DECISIONS: [Decision; 7] = [
    Decision::Idle,
    Decision::Pending,
    Decision::Skip,
    Decision::Apply,
    Decision::HaltUpgradeNeeded,
    Decision::HaltBinaryTooEarly,
    Decision::HaltHandlerMissing,
];

/// What the host knows and the core cannot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts {
    /// There is a handler for the scheduled plan.
    pub has_handler: bool,
    /// There is a handler for the upgrade that was applied last.
    pub has_last_handler: bool,
    /// The operator skips an upgrade at this height.
    pub is_skip_height: bool,
    /// This process has not committed a block yet.
    pub is_first_block: bool,
}

/// An upgrade that was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The plan's name.
    pub name: String,
    /// Of the block that applied it.
    pub height: i64,
}

/// core.wasm, which decides about plans and keeps the records of the upgrade module's own store. Each call is given that store;
/// the core itself remembers nothing between calls. A call that fails has written nothing, unless the store took a part of the
/// writes and then failed itself: give it a [`Branch`](crate::Branch) where that can be.
///
/// ```
/// use chain_upgrade::{Core, Decision, Facts, MemoryStore, Plan, SharedStore};
/// use std::sync::Arc;
///
/// let store: SharedStore = Arc::new(MemoryStore::default());
/// let mut core = Core::new()?;
/// core.schedule(&store, 1, &Plan::new("v2", 100, ""))?;
/// assert_eq!(core.plan(&store)?.map(|plan| plan.height), Some(100));
/// assert_eq!(core.pre_block(&store, 100, Facts::default())?, Decision::HaltUpgradeNeeded);
/// # Ok::<(), chain_upgrade::Error>(())
/// ```
pub struct Core {
    instance: Instance,
}

impl Core {
    /// The core that this crate carries.
    ///
    /// # Errors
    /// `UPG_HANDLER_ENGINE` when wasmtime cannot start on this machine.
    pub fn new() -> Result<Self> {
        Core::from_wasm(CORE_WASM)
    }

    /// Another build of the core.
    ///
    /// # Errors
    /// `UPG_BUG_CORE_ABI` when the bytes are not a core of interface 1.
    pub fn from_wasm(wasm: &[u8]) -> Result<Self> {
        Ok(Core { instance: Instance::new(wasm)? })
    }

    /// Calls an export of core.wasm for which this type has no method yet, one of a newer core, and hands its writes to the store.
    /// The result is what the export returned: 0 or more, or -1 for ABSENT.
    ///
    /// # Errors
    /// The one that a result below -1 stands for.
    pub fn call(&mut self, store: Option<&SharedStore>, name: &str, args: &[Arg<'_>]) -> Result<i64> {
        let ran = self.instance.run(store, |core| core.call(name, args))?;
        let value = ran.result();
        ran.write()?;
        Ok(value)
    }

    /// The same for an export whose last two parameters are `out, cap`; `None` for ABSENT.
    ///
    /// # Errors
    /// The one that a result below -1 stands for.
    pub fn call_for_bytes(
        &mut self,
        store: Option<&SharedStore>,
        name: &str,
        args: &[Arg<'_>],
    ) -> Result<Option<Vec<u8>>> {
        self.fetch(store, name, args)
    }

    fn write(&mut self, store: &SharedStore, name: &str, args: &[Arg<'_>]) -> Result<()> {
        self.instance.run(Some(store), |core| core.call(name, args))?.write()
    }

    fn number(&mut self, store: Option<&SharedStore>, name: &str, args: &[Arg<'_>]) -> Result<i64> {
        self.instance.run(store, |core| core.call(name, args)).map(Ran::value)
    }

    fn fetch(&mut self, store: Option<&SharedStore>, name: &str, args: &[Arg<'_>]) -> Result<Option<Vec<u8>>> {
        self.instance.run(store, |core| core.fetch(name, args)).map(Ran::value)
    }

    fn pure(&mut self, name: &str, args: &[Arg<'_>]) -> Result<Vec<u8>> {
        let bytes = self.fetch(None, name, args)?;
        bytes.ok_or_else(|| Error::bug("a pure call of core.wasm returned ABSENT"))
    }
}

fn text(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|_| Error::new(Code::StoreCorrupt, "a stored name is not UTF-8"))
}
