//! Which module owns which store around one upgrade. Guards decide by this table, not by names that modules and stores happen to
//! share: in the Cosmos SDK the store of `auth` is `acc`.

use super::input::Input;
use crate::manifest::{StoreRename, StoreUpgrades};
use crate::version_map::VersionMap;
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct StoreOwners<'a> {
    module_stores: BTreeMap<String, Vec<String>>,
    stored: &'a VersionMap,
    /// Names of the stores before the upgrade's changes to them, and of those that the run is given.
    before: BTreeSet<&'a str>,
    after: BTreeSet<&'a str>,
}

impl<'a> StoreOwners<'a> {
    pub(super) fn new(input: &Input<'a>, upgrades: &'a StoreUpgrades) -> Self {
        let StoreUpgrades { added, renamed, deleted } = upgrades;
        let after: BTreeSet<&str> = input.stores.keys().map(String::as_str).collect();
        let mut before = after.clone();
        for name in added.iter().chain(renamed.iter().map(|rename| &rename.new_key)) {
            before.remove(name.as_str());
        }
        before.extend(deleted.iter().chain(renamed.iter().map(|rename| &rename.old_key)).map(String::as_str));
        StoreOwners { module_stores: input.module_stores.clone(), stored: input.versions, before, after }
    }

    /// Names of the module's stores, ascending. An entry may have the names of a later version: a stored module also owns the store
    /// of its own name if that existed before the upgrade and none of the entry's stores did.
    pub(super) fn stores_of<'s>(&'s self, module: &'s str) -> Vec<&'s str> {
        let existed = |name: &str| self.before.contains(name);
        let Some(entry) = self.module_stores.get(module) else {
            return if existed(module) || self.is_opened(module) { vec![module] } else { Vec::new() };
        };
        let mut stores: BTreeSet<&str> = entry.iter().map(String::as_str).collect();
        let is_later =
            !entry.is_empty() && self.stored.contains_key(module) && !stores.iter().any(|name| existed(name));
        if is_later && existed(module) {
            stores.insert(module);
        }
        stores.into_iter().collect()
    }

    /// Stored modules that own the store, ascending.
    pub(super) fn owners_of(&self, store: &str) -> Vec<&'a str> {
        let stored = self.stored.keys().map(String::as_str);
        stored.filter(|module| self.stores_of(module).contains(&store)).collect()
    }

    /// Stored modules that lose a renamed store. A module that owns the new name loses nothing.
    pub(super) fn losers_of(&self, StoreRename { old_key, new_key }: &StoreRename) -> Vec<&'a str> {
        let owners = self.owners_of(old_key).into_iter();
        owners.filter(|module| !self.stores_of(module).contains(&new_key.as_str())).collect()
    }

    pub(super) fn is_opened(&self, store: &str) -> bool {
        self.after.contains(store)
    }

    /// The module had a store before the upgrade, or is new and the table names stores for it.
    pub(super) fn needs_store(&self, module: &str) -> bool {
        let is_named = self.module_stores.get(module).is_some_and(|stores| !stores.is_empty());
        let had_one = self.stores_of(module).iter().any(|name| self.before.contains(name));
        had_one || is_named && !self.stored.contains_key(module)
    }
}
