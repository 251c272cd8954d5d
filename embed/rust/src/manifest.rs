//! The manifest of a handler: which plan it serves, what it may touch, and which layouts it takes. Nothing else gives a handler
//! any right.

mod decode;

use std::collections::BTreeMap;

/// What a handler declares (docs/abi.md, "Manifest").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Version of the interface: 1.
    pub abi: u32,
    /// The plan's name.
    pub name: String,
    /// The most gas that a run may use.
    pub gas_limit: u64,
    /// A guest names a store by its index here.
    pub stores: Vec<ManifestStore>,
    /// For the chain's store loader.
    pub store_upgrades: StoreUpgrades,
    /// By module, the layouts that the handler takes and makes.
    pub versions: BTreeMap<String, ModuleVersions>,
    /// Modules that leave the version map.
    pub removes: Vec<String>,
    /// What the host feeds to the handler in batches.
    pub scans: Vec<ManifestScan>,
    /// What is refused unless it is declared.
    pub allows: Allowances,
}

/// A store that the handler may reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestStore {
    /// Its name.
    pub name: String,
    /// Access `rw`; otherwise the handler only reads.
    pub is_writable: bool,
    /// Keys that may be touched begin with one of these; `None`: every key.
    pub prefixes: Option<Vec<Vec<u8>>>,
}

/// The layouts of one module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleVersions {
    /// The stored versions that are taken; `None`: the module must not be stored yet.
    pub from: Option<Vec<u64>>,
    /// The version after the run.
    pub to: u64,
}

/// A part of a store that is scanned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestScan {
    /// One of the manifest's stores.
    pub store: String,
    /// `None`: the whole store.
    pub prefix: Option<Vec<u8>>,
}

/// Changes to the set of stores, made before the handler runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreUpgrades {
    /// Stores that are new.
    pub added: Vec<String>,
    /// Stores that get another name.
    pub renamed: Vec<StoreRename>,
    /// Stores that are deleted.
    pub deleted: Vec<String>,
}

/// A store that gets another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreRename {
    /// Before.
    pub old_key: String,
    /// After.
    pub new_key: String,
}

/// What a handler does on purpose that is a mistake otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowances {
    /// Stores that are deleted or renamed although a module that owns them stays.
    pub delete_stores: Vec<String>,
    /// Vital modules that are removed.
    pub remove_modules: Vec<String>,
    /// Stores that are written to although the version of a module that owns them stays.
    pub write_stores: Vec<String>,
    /// Stores that stay although the module that owns them is removed.
    pub keep_stores: Vec<String>,
    /// It may run where no module versions are stored.
    pub empty_version_map: bool,
}
