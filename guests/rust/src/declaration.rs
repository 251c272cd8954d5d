//! What a handler declares: made by `handler!`, read by the manifest while it compiles and by the exports when they run.

/// How a store comes about with this upgrade.
#[derive(Clone, Copy)]
pub enum Upgrade {
    /// It is there before and after.
    None,
    /// It is new.
    Added,
    /// It had this name before.
    Renamed(&'static str),
}

/// A store that the handler may read, or read and write.
pub struct StoreDeclaration {
    /// Its name when the handler runs.
    pub name: &'static str,
    /// `r` or `rw`.
    pub access: &'static str,
    /// What the store loader does before.
    pub upgrade: Upgrade,
    /// Hex; none: every key.
    pub prefixes: &'static [&'static str],
}

/// A module goes from one version to another; from 0: it is new.
pub struct Step {
    /// Its name.
    pub module: &'static str,
    /// The version that it has before; 0: none.
    pub from: u64,
    /// The version that it has afterwards.
    pub to: u64,
    /// Runs before any scan; without it the scans do the work.
    pub run: Option<fn()>,
}

/// Every pair of a store, or of a prefix of it, as it was before the upgrade.
pub struct Scanned {
    /// The store's place among those that are declared.
    pub store: u32,
    /// Hex; empty: every key.
    pub prefix: &'static str,
    /// Runs for each pair, key and value.
    pub on_pair: fn(&[u8], &[u8]),
    /// Runs once, after the last pair.
    pub on_end: Option<fn()>,
}

/// Something that must hold after everything.
pub struct Invariant {
    /// Its name.
    pub name: &'static str,
    /// Reads, and does not write.
    pub holds: fn() -> bool,
    /// What is wrong when it does not hold.
    pub message: &'static str,
}

/// What is refused unless it is meant: `deleteStores`, `removeModules`, `writeStores`, `keepStores`,
/// `emptyVersionMap`.
pub struct Allowance {
    /// One of these words.
    pub what: &'static str,
    /// Of a store or a module; empty for `emptyVersionMap`.
    pub name: &'static str,
}

/// Everything that a handler declares.
pub struct Declaration {
    /// The plan's name.
    pub plan: &'static str,
    /// The most gas that the upgrade may take.
    pub gas_limit: u64,
    /// Handles of stores are places in this list.
    pub stores: &'static [StoreDeclaration],
    /// Stores that are gone when the handler runs.
    pub deleted: &'static [&'static str],
    /// In the order in which they run.
    pub steps: &'static [Step],
    /// Modules that the new version does not have.
    pub removes: &'static [&'static str],
    /// In the order in which they run.
    pub scans: &'static [Scanned],
    /// What is allowed on purpose.
    pub allows: &'static [Allowance],
    /// Looked at in the end.
    pub invariants: &'static [Invariant],
}
