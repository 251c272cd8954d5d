//! What an upgrade must not do by accident: the mistakes that have hurt chains, refused unless the manifest declares them in
//! `allows`, so that people who approve it read it first.

use super::handles::Handle;
use super::input::Input;
use crate::code::Code;
use crate::error::{Error, Result};
use crate::manifest::Manifest;
use crate::store::Guarded;
use crate::version_map::VersionMap;

/// Modules without which a chain can never be upgraded again.
const VITAL_MODULES: [&str; 2] = ["gov", "upgrade"];

fn refuse<T>(what: &str) -> Result<T> {
    Err(Error::new(Code::MigrationVersionMap, what))
}

/// Before the handler runs.
pub(super) fn before(manifest: &Manifest, input: &Input<'_>) -> Result<()> {
    let Manifest { name, allows, removes, store_upgrades, .. } = manifest;
    if input.versions.is_empty() && !allows.empty_version_map {
        return refuse(&format!(
            "the stored version map is empty, so handler \"{name}\" cannot know what is there and modules would begin again over their \
             data: store the modules' versions at genesis (Core::set_version_map), or declare allows.emptyVersionMap"
        ));
    }
    for store in &store_upgrades.deleted {
        let stays = input.versions.contains_key(store) && !removes.contains(store);
        if stays && !allows.delete_stores.contains(store) {
            return refuse(&format!(
                "handler \"{name}\" deletes the store \"{store}\", and the module \"{store}\" stays: remove the module as well, or \
                 declare allows.deleteStores [\"{store}\"]"
            ));
        }
    }
    for module in VITAL_MODULES {
        let is_in = |names: &[String]| names.iter().any(|name| name == module);
        if is_in(removes) && !is_in(&allows.remove_modules) {
            return refuse(&format!(
                "handler \"{name}\" removes the module \"{module}\", without which the chain can never be upgraded again: keep it, or \
                 declare allows.removeModules [\"{module}\"]"
            ));
        }
    }
    new_modules_have_no_data(manifest, input)
}

/// A module that the manifest brings as new begins with an empty store.
fn new_modules_have_no_data(manifest: &Manifest, input: &Input<'_>) -> Result<()> {
    for (module, versions) in &manifest.versions {
        let is_new = versions.from.is_none() && !input.versions.contains_key(module);
        let Some(store) = input.stores.get(module).filter(|_| is_new) else { continue };
        if Guarded::new(module, store).iterate(&[], None)?.next()?.is_some() {
            return refuse(&format!(
                "handler \"{}\" brings the module \"{module}\" as new, and its store has data: it would begin again over them. If the \
                 module was there before, its version is missing in the stored version map (Core::set_version_map at genesis); if not, \
                 delete the store in an upgrade before",
                manifest.name
            ));
        }
    }
    Ok(())
}

/// After it ran: a store that was written to has a module whose version changed.
pub(super) fn after(manifest: &Manifest, handles: &[Handle], stored: &VersionMap, now: &VersionMap) -> Result<()> {
    for Handle { name, writes, .. } in handles {
        let Some(version) = stored.get(name) else { continue };
        let is_meant = now.get(name) != Some(version) || manifest.allows.write_stores.contains(name);
        if writes.len() > 0 && !is_meant {
            return refuse(&format!(
                "handler \"{}\" writes to the store of the module \"{name}\", whose version stays {version}: raise the version, so that \
                 every program knows which layout it reads, or declare allows.writeStores [\"{name}\"] when the layout is the same",
                manifest.name
            ));
        }
    }
    Ok(())
}
