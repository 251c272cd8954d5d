#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod branch;
mod cancel;
mod checker;
mod code;
mod core;
mod engine;
mod error;
mod handler;
mod limits;
mod manifest;
mod memory_store;
mod overlay;
mod plan;
mod run;
mod store;
mod text;
mod version_map;
mod wire;
mod writes;

pub use crate::core::{Arg, CORE_WASM, Core, Decision, Done, Facts};
pub use branch::Branch;
pub use cancel::Cancel;
/// For this crate's own tests.
#[doc(hidden)]
pub use checker::{CheckedFile, FileCheck, Finding, check_file};
pub use code::Code;
pub use error::{Error, Result};
pub use handler::{GAS_SCHEDULE, Handler};
pub use manifest::{Allowances, Manifest, ManifestScan, ManifestStore, ModuleVersions, StoreRename, StoreUpgrades};
pub use memory_store::MemoryStore;
pub use plan::{Any, Plan, Timestamp};
pub use run::{
    Check, Input, Level, Log, Progress, Receipt, Rehearsal, Report, RootChange, Run, StoreChange, StoreReceipt,
    StoreReport,
};
pub use store::{KVStore, Pair, Pairs, SharedStore, StoreError, Stores, Write};
pub use version_map::VersionMap;
