//! From the bytes of the custom section to a manifest.

use super::field::Field;
use super::json;
use super::rules::check;
use crate::oracle::text::{name_problem, unhex};
use chain_upgrade::{
    Allowances, Manifest, ManifestScan, ManifestStore, ModuleVersions, Result, StoreRename, StoreUpgrades,
};
use std::collections::BTreeMap;

const MANIFEST_BYTES_MAX: usize = 16_384;
const JSON_NESTING_MAX: usize = 16;
const HANDLER_STORES_MAX: usize = 64;
const STORE_PREFIXES_MAX: usize = 64;
const SCANS_MAX: usize = 64;
const STORE_NAME_BYTES_MAX: usize = 128;
const GAS_LIMIT_MAX: u64 = 1_000_000_000_000;
/// The stored form holds 64 bits; a module at the greatest of them could never be raised again.
const MODULE_VERSION_MAX: u64 = 4_294_967_295;
const ANY: usize = usize::MAX;

/// `UPG_HANDLER_MANIFEST`, with the path in the JSON in the message and in the detail `path`.
pub fn parse(bytes: &[u8]) -> Result<Manifest> {
    if bytes.len() > MANIFEST_BYTES_MAX {
        let what = format!("has {} bytes, at most {MANIFEST_BYTES_MAX} are allowed", bytes.len());
        return Err(json::refusal("$", &what));
    }
    let value = json::parse(bytes, JSON_NESTING_MAX)?;
    let fields = Field::root(&value)
        .object(&["abi", "name", "gasLimit", "stores", "versions"], &["storeUpgrades", "removes", "scans", "allows"])?;
    // What is wrong is named in this order, by every host.
    let store_upgrades = fields.optional("storeUpgrades");
    let manifest = Manifest {
        abi: abi(fields.required("abi")?)?,
        name: name(fields.required("name")?)?,
        gas_limit: gas_limit(fields.required("gasLimit")?)?,
        stores: each(&fields.required("stores")?.items(HANDLER_STORES_MAX)?, store)?,
        store_upgrades: store_upgrades.map_or_else(|| Ok(StoreUpgrades::default()), upgrades)?,
        versions: versions(fields.required("versions")?)?,
        removes: names(fields.optional("removes"))?,
        scans: fields.optional("scans").map_or_else(|| Ok(Vec::new()), |field| each(&field.items(SCANS_MAX)?, scan))?,
        allows: fields.optional("allows").map_or_else(|| Ok(Allowances::default()), allows)?,
    };
    check(&manifest)?;
    Ok(manifest)
}

fn each<'a, T>(items: &[Field<'a>], read: impl Fn(&Field<'a>) -> Result<T>) -> Result<Vec<T>> {
    items.iter().map(read).collect()
}

fn abi(field: &Field<'_>) -> Result<u32> {
    match field.integer()? {
        1 => Ok(1),
        other => Err(field.wrong(&format!("this host speaks interface 1, not {other}"))),
    }
}

fn name(field: &Field<'_>) -> Result<String> {
    let text = field.text()?;
    name_problem(text).map_or_else(|| Ok(text.to_owned()), |problem| Err(field.wrong(&problem)))
}

fn names(field: Option<&Field<'_>>) -> Result<Vec<String>> {
    field.map_or_else(|| Ok(Vec::new()), |field| each(&field.items(ANY)?, name))
}

fn store_name(field: &Field<'_>) -> Result<String> {
    let name = name(field)?;
    store_name_problem(&name).map_or(Ok(name), |problem| Err(field.wrong(&problem)))
}

fn store_names(field: Option<&Field<'_>>) -> Result<Vec<String>> {
    field.map_or_else(|| Ok(Vec::new()), |field| each(&field.items(ANY)?, store_name))
}

fn store_name_problem(name: &str) -> Option<String> {
    let is_allowed = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '_' | '.' | '/' | '-');
    if !name.chars().all(is_allowed) {
        return Some("a store's name consists of a to z, 0 to 9, _ . / and -".to_owned());
    }
    if name.len() > STORE_NAME_BYTES_MAX {
        return Some(format!("a store's name has at most {STORE_NAME_BYTES_MAX} bytes, got {}", name.len()));
    }
    let leads_out = name.split('/').any(|part| matches!(part, "" | "." | ".."));
    leads_out.then(|| "no part of a store's name between slashes is empty, \".\" or \"..\"".to_owned())
}

fn gas_limit(field: &Field<'_>) -> Result<u64> {
    match field.decimal(GAS_LIMIT_MAX)? {
        0 => Err(field.wrong("must be at least 1")),
        limit => Ok(limit),
    }
}

fn prefix(field: &Field<'_>) -> Result<Vec<u8>> {
    let text = field.text()?;
    if text.is_empty() {
        return Err(field.wrong("is empty; leave it out to mean every key"));
    }
    unhex(text).ok_or_else(|| field.wrong("must be an even number of hex digits"))
}

fn prefixes(field: &Field<'_>) -> Result<Vec<Vec<u8>>> {
    let prefixes = each(&field.items(STORE_PREFIXES_MAX)?, prefix)?;
    if prefixes.is_empty() { Err(field.wrong("is empty; leave it out to mean every key")) } else { Ok(prefixes) }
}

fn store(field: &Field<'_>) -> Result<ManifestStore> {
    let fields = field.object(&["name", "access"], &["prefixes"])?;
    let is_writable = match fields.required("access")?.text()? {
        "r" => false,
        "rw" => true,
        _ => return Err(fields.required("access")?.wrong("must be \"r\" or \"rw\"")),
    };
    let name = store_name(fields.required("name")?)?;
    Ok(ManifestStore { name, is_writable, prefixes: fields.optional("prefixes").map(prefixes).transpose()? })
}

fn upgrades(field: &Field<'_>) -> Result<StoreUpgrades> {
    let fields = field.object(&[], &["added", "renamed", "deleted"])?;
    // As in every host, the list itself is looked at before the names of the others.
    let renamed = fields.optional("renamed").map_or_else(|| Ok(Vec::new()), |field| field.items(ANY))?;
    Ok(StoreUpgrades {
        added: store_names(fields.optional("added"))?,
        renamed: each(&renamed, rename)?,
        deleted: store_names(fields.optional("deleted"))?,
    })
}

fn rename(field: &Field<'_>) -> Result<StoreRename> {
    let keys = field.object(&["old_key", "new_key"], &[])?;
    Ok(StoreRename { old_key: store_name(keys.required("old_key")?)?, new_key: store_name(keys.required("new_key")?)? })
}

fn versions(field: &Field<'_>) -> Result<BTreeMap<String, ModuleVersions>> {
    let mut versions = BTreeMap::new();
    for (module, entry) in field.entries()? {
        if let Some(problem) = name_problem(module) {
            return Err(entry.wrong(&format!("the module's name {problem}")));
        }
        versions.insert(module.to_owned(), module_versions(&entry)?);
    }
    Ok(versions)
}

fn module_versions(field: &Field<'_>) -> Result<ModuleVersions> {
    let fields = field.object(&["to"], &["from"])?;
    let to = version(fields.required("to")?)?;
    let Some(listed) = fields.optional("from") else { return Ok(ModuleVersions { from: None, to }) };
    let mut from = Vec::new();
    for item in listed.items(ANY)? {
        let version = version(&item)?;
        if version > to {
            return Err(item.wrong(&format!("is above \"to\" ({to}); a version never goes down")));
        }
        if from.contains(&version) {
            return Err(item.wrong("this version is listed twice"));
        }
        from.push(version);
    }
    if from.is_empty() {
        return Err(listed.wrong("is empty; leave it out for a new module"));
    }
    Ok(ModuleVersions { from: Some(from), to })
}

fn version(field: &Field<'_>) -> Result<u64> {
    let version = field.u64()?;
    if version <= MODULE_VERSION_MAX {
        return Ok(version);
    }
    Err(field.wrong(&format!("is {version}, a version is at most {MODULE_VERSION_MAX}")))
}

fn allows(field: &Field<'_>) -> Result<Allowances> {
    let lists = ["deleteStores", "removeModules", "writeStores", "keepStores", "emptyVersionMap"];
    let fields = field.object(&[], &lists)?;
    Ok(Allowances {
        delete_stores: names(fields.optional("deleteStores"))?,
        remove_modules: names(fields.optional("removeModules"))?,
        write_stores: names(fields.optional("writeStores"))?,
        keep_stores: names(fields.optional("keepStores"))?,
        empty_version_map: fields.optional("emptyVersionMap").map_or(Ok(false), Field::boolean)?,
    })
}

fn scan(field: &Field<'_>) -> Result<ManifestScan> {
    let fields = field.object(&["store"], &["prefix"])?;
    let prefix = fields.optional("prefix").map(prefix).transpose();
    Ok(ManifestScan { store: store_name(fields.required("store")?)?, prefix: prefix? })
}
