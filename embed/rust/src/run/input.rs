//! What a handler is given.

use crate::cancel::Cancel;
use crate::code::Code;
use crate::error::{Error, Result};
use crate::limits::{BATCH_BYTES, GAS_LIMIT_MAX};
use crate::plan::Timestamp;
use crate::store::Stores;
use crate::version_map::VersionMap;
use std::collections::BTreeMap;
use std::path::PathBuf;

const OVERLAY_MEMORY_BYTES: u64 = 256 << 20;
const OVERLAY_DISK_BYTES: u64 = 8 << 30;

/// How important a line of a handler's log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// 0
    Debug,
    /// 1
    Info,
    /// 2
    Warn,
    /// 3 and above
    Error,
}

impl Level {
    pub(super) fn of_number(number: u32) -> Self {
        match number {
            0 => Level::Debug,
            1 => Level::Info,
            2 => Level::Warn,
            _ => Level::Error,
        }
    }
}

/// Hears a handler's lines: one each, without control characters, at most 4 KiB.
pub type Log = Box<dyn FnMut(Level, &str) + Send>;

/// Hears how far a handler has come: done and total, in units of its choice.
pub type Progress = Box<dyn FnMut(i64, i64) + Send>;

/// Where a guest's words go. They have no effect on results.
#[derive(Default)]
pub(crate) struct Reports {
    pub(super) log: Option<Log>,
    pub(super) progress: Option<Progress>,
}

/// What a run is given.
pub struct Input<'a> {
    /// Of the chain.
    pub chain_id: &'a str,
    /// Of the upgrade block.
    pub height: i64,
    /// Of the block; a handler has no other clock.
    pub time: Timestamp,
    /// The plan's bytes, as [`Core::plan_bytes`](crate::Core::plan_bytes) returns them.
    pub plan: &'a [u8],
    /// The stored module versions, as [`Core::version_map`](crate::Core::version_map) returns them.
    pub versions: &'a VersionMap,
    /// All stores of the chain by name, after the manifest's store upgrades. The handler reaches those of its manifest; the guards
    /// use the names of the others. Nothing may write to them during the run, and the run writes nothing to them.
    pub stores: &'a Stores,
    /// In place of the manifest's limit, at most 10^12 as that is; a chain leaves it out, since the result depends on it.
    pub gas_limit: Option<u64>,
    /// Bytes of a batch, 1 to 65,536; a chain leaves it out, since the gas depends on it.
    pub batch_bytes: Option<usize>,
    /// What the writes of all stores may take in memory, about; beyond it they are spilled to temporary files. 256 MiB.
    pub overlay_memory_bytes: u64,
    /// What spilled writes may take on disk; beyond it the run ends with `UPG_STORE_FULL`, as on a full disk. It is an error of this
    /// machine, not a result of the handler. 8 GiB.
    pub overlay_disk_bytes: u64,
    /// Where temporary files are made; `None`: [`std::env::temp_dir`].
    pub overlay_dir: Option<PathBuf>,
    /// Hears the handler's log; `None` drops it. A panic of it is dropped: it has no effect on results.
    pub log: Option<Log>,
    /// Hears the handler's progress; `None` drops it. A panic of it is dropped.
    pub progress: Option<Progress>,
    /// Ends the run early.
    pub cancel: Option<Cancel>,
    /// Leaves out what is refused unless the manifest's `allows` declares it (`UPG_MIGRATION_VERSION_MAP`). For tests and tools;
    /// a chain keeps it, since its nodes must decide alike.
    pub without_guards: bool,
    /// Stores by module, for modules whose store has another name, or that have several or none. A module without an entry owns the
    /// store of its own name, if it exists.
    pub module_stores: BTreeMap<String, Vec<String>>,
    /// Modules that a handler removes only with `allows.removeModules`; `gov` and `upgrade` if nothing else is given.
    pub vital_modules: Vec<String>,
}

impl<'a> Input<'a> {
    /// An input without the parts that may be left out.
    #[must_use]
    pub fn new(
        chain_id: &'a str,
        height: i64,
        time: Timestamp,
        plan: &'a [u8],
        versions: &'a VersionMap,
        stores: &'a Stores,
    ) -> Self {
        Input {
            chain_id,
            height,
            time,
            plan,
            versions,
            stores,
            gas_limit: None,
            batch_bytes: None,
            overlay_memory_bytes: OVERLAY_MEMORY_BYTES,
            overlay_disk_bytes: OVERLAY_DISK_BYTES,
            overlay_dir: None,
            log: None,
            progress: None,
            cancel: None,
            without_guards: false,
            module_stores: BTreeMap::new(),
            vital_modules: vec!["gov".to_owned(), "upgrade".to_owned()],
        }
    }

    /// `UPG_INVALID_ARGUMENT` with the first number that no run can have.
    pub(super) fn require_bounds(&self) -> Result<()> {
        let refuse = |what: &str| Err(Error::new(Code::InvalidArgument, what));
        match (self.gas_limit, self.batch_bytes) {
            (Some(limit), _) if limit > GAS_LIMIT_MAX => {
                refuse(&format!("a gas limit is at most {GAS_LIMIT_MAX}, got {limit}"))
            }
            (_, Some(bytes)) if !(1..=BATCH_BYTES).contains(&bytes) => {
                refuse(&format!("a batch has 1 to {BATCH_BYTES} bytes, got {bytes}"))
            }
            _ => Ok(()),
        }
    }
}
