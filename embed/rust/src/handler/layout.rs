//! What a manifest says about module versions, held against the versions that are stored.

use crate::code::Code;
use crate::error::{Error, Result};
use crate::manifest::{Manifest, ModuleVersions};
use crate::text::hex;
use crate::version_map::VersionMap;
use std::collections::BTreeSet;

/// A module with `from` must be stored at one of these versions, one without must not be stored. Other modules are free.
pub(crate) fn require_layout(manifest: &Manifest, stored: &VersionMap) -> Result<()> {
    let problem = |(module, versions): (&String, &ModuleVersions)| {
        layout_problem(versions, stored.get(module)).map(|problem| format!("{module} {problem}"))
    };
    let problems: Vec<String> = manifest.versions.iter().filter_map(problem).collect();
    if problems.is_empty() {
        return Ok(());
    }
    let name = &manifest.name;
    let message = format!("the handler of plan \"{name}\" does not take the stored versions: {}", problems.join("; "));
    Err(Error::new(Code::HandlerLayout, message).with("plan", name))
}

fn layout_problem(versions: &ModuleVersions, stored: Option<&u64>) -> Option<String> {
    let Some(from) = &versions.from else {
        return stored.map(|version| format!("is stored at {version}, the handler brings it as new"));
    };
    let taken = from.iter().map(u64::to_string).collect::<Vec<_>>().join(" or ");
    match stored {
        None => Some(format!("is not stored, the handler takes {taken}")),
        Some(version) if from.contains(version) => None,
        Some(version) => Some(format!("is stored at {version}, the handler takes {taken}")),
    }
}

/// The stored map with the manifest's `versions.to` set and its `removes` gone; a map that is returned must equal it.
pub(crate) fn declared_versions(
    manifest: &Manifest,
    sha256: &[u8; 32],
    stored: &VersionMap,
    returned: Option<&VersionMap>,
) -> Result<VersionMap> {
    let mut declared = stored.clone();
    declared.extend(manifest.versions.iter().map(|(module, versions)| (module.clone(), versions.to)));
    declared.retain(|module, _| !manifest.removes.contains(module));
    match returned {
        Some(returned) if *returned != declared => {
            let (name, hash) = (&manifest.name, &hex(sha256)[..12]);
            let difference = difference(&declared, returned);
            let what = "returned another version map than its manifest declares";
            let message = format!("handler \"{name}\" ({hash}) {what}: {difference}");
            Err(Error::new(Code::MigrationVersionMap, message))
        }
        _ => Ok(declared),
    }
}

fn difference(expected: &VersionMap, got: &VersionMap) -> String {
    let modules: BTreeSet<&String> = expected.keys().chain(got.keys()).collect();
    let text = |version: Option<&u64>| version.map_or_else(|| "none".to_owned(), u64::to_string);
    let differs = modules.into_iter().filter(|module| expected.get(*module) != got.get(*module));
    let each = differs
        .map(|module| format!("{module} expected {}, got {}", text(expected.get(module)), text(got.get(module))));
    each.collect::<Vec<_>>().join("; ")
}
