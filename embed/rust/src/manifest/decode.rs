//! A manifest as check.wasm gives it: the message `Manifest` of docs/abi.md. Every rule held when it was read.

use super::{Allowances, Manifest, ManifestScan, ManifestStore, ModuleVersions, StoreRename, StoreUpgrades};
use crate::wire::{all_fields, text, varints};
use std::collections::BTreeMap;

impl Manifest {
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, String> {
        let mut manifest = Manifest {
            abi: 0,
            name: String::new(),
            gas_limit: 0,
            stores: Vec::new(),
            store_upgrades: StoreUpgrades::default(),
            versions: BTreeMap::new(),
            removes: Vec::new(),
            scans: Vec::new(),
            allows: Allowances::default(),
        };
        for field in all_fields(bytes)? {
            match field.number {
                1 => manifest.abi = u32::try_from(field.value).map_err(|_| "a manifest of an unknown interface")?,
                2 => manifest.name = text(&field)?,
                3 => manifest.gas_limit = field.value,
                4 => manifest.stores.push(store(field.bytes)?),
                5 => manifest.store_upgrades.added.push(text(&field)?),
                6 => manifest.store_upgrades.renamed.push(rename(field.bytes)?),
                7 => manifest.store_upgrades.deleted.push(text(&field)?),
                8 => manifest.versions.extend([versions(field.bytes)?]),
                9 => manifest.removes.push(text(&field)?),
                10 => manifest.scans.push(scan(field.bytes)?),
                11 => manifest.allows = allows(field.bytes)?,
                _ => {}
            }
        }
        Ok(manifest)
    }
}

fn store(bytes: &[u8]) -> Result<ManifestStore, String> {
    let mut store = ManifestStore { name: String::new(), is_writable: false, prefixes: None };
    for field in all_fields(bytes)? {
        match field.number {
            1 => store.name = text(&field)?,
            2 => store.is_writable = field.value != 0,
            3 => store.prefixes.get_or_insert_default().push(field.bytes.to_vec()),
            _ => {}
        }
    }
    Ok(store)
}

fn rename(bytes: &[u8]) -> Result<StoreRename, String> {
    let mut rename = StoreRename { old_key: String::new(), new_key: String::new() };
    for field in all_fields(bytes)? {
        match field.number {
            1 => rename.old_key = text(&field)?,
            2 => rename.new_key = text(&field)?,
            _ => {}
        }
    }
    Ok(rename)
}

fn versions(bytes: &[u8]) -> Result<(String, ModuleVersions), String> {
    let (mut module, mut versions) = (String::new(), ModuleVersions { from: None, to: 0 });
    for field in all_fields(bytes)? {
        match field.number {
            1 => module = text(&field)?,
            2 => versions.from = Some(varints(field.bytes)?),
            3 => versions.to = field.value,
            _ => {}
        }
    }
    Ok((module, versions))
}

fn scan(bytes: &[u8]) -> Result<ManifestScan, String> {
    let mut scan = ManifestScan { store: String::new(), prefix: None };
    for field in all_fields(bytes)? {
        match field.number {
            1 => scan.store = text(&field)?,
            2 => scan.prefix = Some(field.bytes.to_vec()),
            _ => {}
        }
    }
    Ok(scan)
}

fn allows(bytes: &[u8]) -> Result<Allowances, String> {
    let mut allows = Allowances::default();
    for field in all_fields(bytes)? {
        match field.number {
            1 => allows.delete_stores.push(text(&field)?),
            2 => allows.remove_modules.push(text(&field)?),
            3 => allows.write_stores.push(text(&field)?),
            4 => allows.keep_stores.push(text(&field)?),
            5 => allows.empty_version_map = field.value != 0,
            _ => {}
        }
    }
    Ok(allows)
}
