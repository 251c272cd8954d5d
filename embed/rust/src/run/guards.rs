//! What an upgrade must not do by accident: the mistakes that have hurt chains, refused unless the manifest declares them in
//! `allows`, so that people who approve it read it first. The one exception is a module that stays without its stores. docs/abi.md
//! has the rules and their order.

use super::handles::Handle;
use super::input::Input;
use super::store_owners::StoreOwners;
use crate::code::Code;
use crate::error::{Error, Result};
use crate::manifest::Manifest;
use crate::store::{Guarded, Stores};
use crate::version_map::VersionMap;

fn refuse<T>(what: &str) -> Result<T> {
    Err(Error::new(Code::MigrationVersionMap, what))
}

pub(super) struct Guards<'a> {
    manifest: &'a Manifest,
    stored: &'a VersionMap,
    vital_modules: Vec<String>,
    owners: StoreOwners<'a>,
}

impl<'a> Guards<'a> {
    pub(super) fn new(manifest: &'a Manifest, input: &Input<'a>) -> Self {
        let mut vital_modules = input.vital_modules.clone();
        vital_modules.sort();
        let owners = StoreOwners::new(input, &manifest.store_upgrades);
        Guards { manifest, stored: input.versions, vital_modules, owners }
    }

    /// Before the handler runs.
    pub(super) fn before(&self, input: &Input<'_>) -> Result<()> {
        let Manifest { name, allows, .. } = self.manifest;
        if self.stored.is_empty() && !allows.empty_version_map {
            return refuse(&format!(
                "the stored version map is empty, so handler \"{name}\" cannot know what is there and modules would begin again over their \
                 data: store the modules' versions at genesis (Core::set_version_map), or declare allows.emptyVersionMap"
            ));
        }
        self.require_not_taken()?;
        self.require_vital()?;
        self.require_not_kept()?;
        self.require_no_data(input.stores)
    }

    /// After it ran.
    pub(super) fn after(&self, handles: &[Handle], now: &VersionMap) -> Result<()> {
        self.require_stores(now)?;
        self.require_new_versions(handles, now)
    }

    /// Deleting or renaming a store takes it away from a module that stays.
    fn require_not_taken(&self) -> Result<()> {
        let upgrades = &self.manifest.store_upgrades;
        for store in &upgrades.deleted {
            let does = |_: &str| format!("deletes the store \"{store}\"");
            self.require_allowed_loss(store, &self.owners.owners_of(store), &does)?;
        }
        for rename in &upgrades.renamed {
            let (old, new) = (&rename.old_key, &rename.new_key);
            let does = |module: &str| {
                format!("takes the store \"{old}\" away from the module \"{module}\" (renames it to \"{new}\")")
            };
            self.require_allowed_loss(old, &self.owners.losers_of(rename), &does)?;
        }
        Ok(())
    }

    fn require_allowed_loss(&self, store: &String, losers: &[&str], does: &dyn Fn(&str) -> String) -> Result<()> {
        let Manifest { name, allows, .. } = self.manifest;
        match losers.iter().find(|module| !self.is_removed(module)) {
            Some(module) if !allows.delete_stores.contains(store) => refuse(&format!(
                "handler \"{name}\" {}, and the module \"{module}\" stays: remove the module as well, or declare allows.deleteStores \
                 [\"{store}\"]",
                does(module)
            )),
            _ => Ok(()),
        }
    }

    fn require_vital(&self) -> Result<()> {
        let Manifest { name, allows, removes, .. } = self.manifest;
        let lost = self
            .vital_modules
            .iter()
            .find(|module| removes.contains(module) && !allows.remove_modules.contains(module));
        lost.map_or(Ok(()), |module| {
            refuse(&format!(
                "handler \"{name}\" removes the module \"{module}\", without which the chain cannot go on: keep it, or declare \
                 allows.removeModules [\"{module}\"]"
            ))
        })
    }

    /// A removed module takes its stores with it: a later module of that name would begin over what is left.
    fn require_not_kept(&self) -> Result<()> {
        let Manifest { name, allows, removes, .. } = self.manifest;
        for module in removes.iter().filter(|module| self.stored.contains_key(*module)) {
            for store in self.owners.stores_of(module).into_iter().filter(|store| self.owners.is_opened(store)) {
                let is_shared = self.owners.owners_of(store).iter().any(|owner| !self.is_removed(owner));
                if !is_shared && !allows.keep_stores.iter().any(|kept| kept == store) {
                    return refuse(&format!(
                        "handler \"{name}\" removes the module \"{module}\" and keeps its store \"{store}\": delete the store as well, or \
                         declare allows.keepStores [\"{store}\"]"
                    ));
                }
            }
        }
        Ok(())
    }

    /// A module that the manifest brings as new begins with empty stores.
    fn require_no_data(&self, stores: &Stores) -> Result<()> {
        let Manifest { name, versions, .. } = self.manifest;
        let is_new = |module: &String| versions[module].from.is_none() && !self.stored.contains_key(module);
        for module in versions.keys().filter(|module| is_new(module)) {
            for store in self.owners.stores_of(module) {
                let Some(below) = stores.get(store) else { continue };
                if Guarded::new(store, below).iterate(&[], None)?.next()?.is_some() {
                    return refuse(&format!(
                        "handler \"{name}\" brings the module \"{module}\" as new, and its store \"{store}\" has data: it would begin again \
                         over them. If the module was there before, its version is missing in the stored version map \
                         (Core::set_version_map at genesis); if not, delete the store in an upgrade before"
                    ));
                }
            }
        }
        Ok(())
    }

    /// A module of the version map has a store to run over.
    fn require_stores(&self, now: &VersionMap) -> Result<()> {
        let name = &self.manifest.name;
        for module in now.keys().filter(|module| self.owners.needs_store(module)) {
            let stores = self.owners.stores_of(module);
            if stores.iter().any(|store| self.owners.is_opened(store)) {
                continue;
            }
            let which = stores.iter().map(|store| format!("\"{store}\"")).collect::<Vec<_>>().join(", ");
            return refuse(&format!(
                "after handler \"{name}\" the module \"{module}\" is in the version map and has no store ({which}): it would stop running. \
                 Keep its store, or remove the module"
            ));
        }
        Ok(())
    }

    /// The owners of a written store have another version; a renamed store is also that of its old owner.
    fn require_new_versions(&self, handles: &[Handle], now: &VersionMap) -> Result<()> {
        let mut written: Vec<&String> =
            handles.iter().filter(|handle| !handle.writes.is_empty()).map(|handle| &handle.name).collect();
        written.sort();
        for store in written {
            self.require_new_version(store, &self.owners.owners_of(store), now)?;
            for rename in self.manifest.store_upgrades.renamed.iter().filter(|rename| rename.new_key == *store) {
                self.require_new_version(&rename.old_key, &self.owners.losers_of(rename), now)?;
            }
        }
        Ok(())
    }

    fn require_new_version(&self, store: &String, modules: &[&str], now: &VersionMap) -> Result<()> {
        let Manifest { name, allows, .. } = self.manifest;
        match modules.iter().find(|module| now.get(**module) == self.stored.get(**module)) {
            Some(module) if !allows.write_stores.contains(store) => refuse(&format!(
                "handler \"{name}\" writes to the store \"{store}\" of the module \"{module}\", whose version stays {}: raise the version, \
                 so that every program knows which layout it reads, or declare allows.writeStores [\"{store}\"] when the layout is the same",
                self.stored[*module]
            )),
            _ => Ok(()),
        }
    }

    fn is_removed(&self, module: &str) -> bool {
        self.manifest.removes.iter().any(|removed| removed == module)
    }
}
