//! What the fields of a manifest must be to one another: each thing is said once, and no two things that cannot both be.

use super::json::{field_path, refusal};
use chain_upgrade::{Manifest, Result, StoreRename, StoreUpgrades};

const UPGRADE_STORE: &str = "upgrade";

pub fn check(manifest: &Manifest) -> Result<()> {
    stores(manifest)?;
    store_upgrades(manifest)?;
    removes(manifest)?;
    scans(manifest)?;
    allows(manifest)
}

fn refuse<T>(path: &str, what: &str) -> Result<T> {
    Err(refusal(path, what))
}

fn stores(manifest: &Manifest) -> Result<()> {
    for (index, store) in manifest.stores.iter().enumerate() {
        let path = format!("$.stores[{index}]");
        let name = &store.name;
        if manifest.stores[..index].iter().any(|before| before.name == *name) {
            return refuse(&format!("{path}.name"), &format!("store \"{name}\" is listed twice"));
        }
        if name == UPGRADE_STORE && store.is_writable {
            let what = format!("store \"{UPGRADE_STORE}\" belongs to the upgrade module; \"r\" is all there is");
            return refuse(&format!("{path}.access"), &what);
        }
        let prefixes = store.prefixes.as_deref().unwrap_or_default();
        for (i, prefix) in prefixes.iter().enumerate() {
            if prefixes.iter().enumerate().any(|(j, other)| i != j && prefix.starts_with(other)) {
                let what = "begins with another prefix of this store (or equals it)";
                return refuse(&format!("{path}.prefixes[{i}]"), what);
            }
        }
    }
    Ok(())
}

fn store_upgrades(manifest: &Manifest) -> Result<()> {
    let upgrades = &manifest.store_upgrades;
    let mut seen: Vec<&str> = Vec::new();
    let mut once = |name, path: String| {
        if name == UPGRADE_STORE {
            return refuse(&path, &format!("store \"{UPGRADE_STORE}\" belongs to the upgrade module"));
        }
        if seen.contains(&name) {
            return refuse(&path, &format!("store \"{name}\" occurs twice in storeUpgrades"));
        }
        seen.push(name);
        Ok(())
    };
    for (i, name) in upgrades.added.iter().enumerate() {
        once(name.as_str(), format!("$.storeUpgrades.added[{i}]"))?;
    }
    for (i, StoreRename { old_key, new_key }) in upgrades.renamed.iter().enumerate() {
        once(old_key, format!("$.storeUpgrades.renamed[{i}].old_key"))?;
        once(new_key, format!("$.storeUpgrades.renamed[{i}].new_key"))?;
    }
    for (i, name) in upgrades.deleted.iter().enumerate() {
        once(name, format!("$.storeUpgrades.deleted[{i}]"))?;
    }
    for (i, store) in manifest.stores.iter().enumerate() {
        let name = &store.name;
        if upgrades.deleted.contains(name) || upgrades.renamed.iter().any(|rename| rename.old_key == *name) {
            let what = format!("storeUpgrades takes store \"{name}\" away before the run");
            return refuse(&format!("$.stores[{i}].name"), &what);
        }
    }
    Ok(())
}

fn removes(manifest: &Manifest) -> Result<()> {
    for (index, module) in manifest.removes.iter().enumerate() {
        let path = format!("$.removes[{index}]");
        if manifest.removes[..index].contains(module) {
            return refuse(&path, &format!("module \"{module}\" is listed twice"));
        }
        if manifest.versions.contains_key(module) {
            let other = field_path("$.versions", module);
            return refuse(&path, &format!("module \"{module}\" is also listed at {other}"));
        }
    }
    Ok(())
}

fn scans(manifest: &Manifest) -> Result<()> {
    for (index, scan) in manifest.scans.iter().enumerate() {
        let path = format!("$.scans[{index}]");
        let name = &scan.store;
        let Some(listed) = manifest.stores.iter().find(|store| store.name == *name) else {
            return refuse(&format!("{path}.store"), &format!("store \"{name}\" is not listed in stores"));
        };
        let Some(prefixes) = &listed.prefixes else { continue };
        let Some(prefix) = &scan.prefix else {
            return refuse(&path, &format!("needs a prefix: the manifest gives only parts of store \"{name}\""));
        };
        if !prefixes.iter().any(|allowed| prefix.starts_with(allowed)) {
            let what = format!("lies outside the prefixes that the manifest gives of store \"{name}\"");
            return refuse(&format!("{path}.prefix"), &what);
        }
    }
    Ok(())
}

fn allows(manifest: &Manifest) -> Result<()> {
    let Manifest { allows, store_upgrades: StoreUpgrades { renamed, deleted, .. }, removes, stores, .. } = manifest;
    let is_taken = |name: &String| deleted.contains(name) || renamed.iter().any(|rename| rename.old_key == *name);
    let is_writable = |name: &String| {
        let now = renamed.iter().find(|rename| rename.old_key == *name).map_or(name, |rename| &rename.new_key);
        stores.iter().any(|store| store.is_writable && (store.name == *name || store.name == *now))
    };
    type IsDone<'a> = &'a dyn Fn(&String) -> bool;
    let each: [(_, _, IsDone<'_>); 4] = [
        ("deleteStores", &allows.delete_stores, &is_taken),
        ("removeModules", &allows.remove_modules, &|name| removes.contains(name)),
        ("writeStores", &allows.write_stores, &is_writable),
        ("keepStores", &allows.keep_stores, &|name| !removes.is_empty() && !is_taken(name)),
    ];
    for (what, names, is_done) in each {
        for (index, name) in names.iter().enumerate() {
            let path = format!("$.allows.{what}[{index}]");
            if names[..index].contains(name) {
                return refuse(&path, &format!("\"{name}\" is listed twice"));
            }
            if !is_done(name) {
                return refuse(&path, &format!("allows what the manifest does not do with \"{name}\""));
            }
        }
    }
    Ok(())
}
