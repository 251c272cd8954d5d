//! The handler interface, version 1: what a module may import and must export, each by name and type.

use super::module::{Export, Import, ModuleFacts};
use crate::oracle::text::quote;
use chain_upgrade::Code;
use chain_upgrade::Manifest;
use chain_upgrade::{Error, Result};

const OFFERED: [(&str, &str, &str); 9] = [
    ("chain", "store_get", "(i32, i32, i32, i32, i32) -> i32"),
    ("chain", "store_set", "(i32, i32, i32, i32, i32) -> i32"),
    ("chain", "store_delete", "(i32, i32, i32) -> i32"),
    ("chain", "store_write", "(i32, i32) -> i32"),
    ("chain", "store_scan", "(i32, i32, i32, i32, i32, i32, i32) -> i32"),
    ("chain", "log", "(i32, i32, i32) -> ()"),
    ("chain", "progress", "(i64, i64) -> ()"),
    ("chain", "fail", "(i32, i32, i32) -> ()"),
    ("env", "abort", "(i32, i32, i32, i32) -> ()"),
];

/// Name, type, and whether it must be there.
const EXPORTS: [(&str, &str, bool); 8] = [
    ("handler_abi_1", "() -> ()", true),
    ("handler_in", "(i32) -> i32", true),
    ("handler_out", "(i32) -> i32", true),
    ("handler_run", "(i32) -> i32", true),
    ("handler_batch", "(i32, i32, i32) -> i32", false),
    ("handler_check", "(i32) -> i32", false),
    ("handler_err", "() -> i32", false),
    ("_initialize", "() -> ()", false),
];

/// Names that belong to what the host adds.
pub const RESERVED_EXPORT_PREFIX: &str = "chain-upgrade:";

pub fn check_imports(facts: &ModuleFacts<'_>) -> Result<()> {
    for import in &facts.imports {
        let Import { module, name, signature } = import;
        let offered = OFFERED.iter().find(|(from, offer, _)| from == module && offer == name);
        let message = match offered {
            Some((_, _, due)) if due == signature => continue,
            Some((_, _, due)) => format!("import {module}.{name} has type {signature}, it is offered as {due}"),
            None => format!("import {} is not offered; {}", quote(&format!("{module}.{name}")), advice(module, name)),
        };
        return Err(Error::new(Code::HandlerImport, message));
    }
    Ok(())
}

fn advice(module: &str, name: &str) -> String {
    let advice = match module {
        _ if module.starts_with("wasi") => "build for a freestanding target (wasm32-unknown-unknown), not for WASI",
        "env" if name == "seed" => "random numbers differ between nodes: do without Math.random",
        "env" if name.starts_with("console.") => "a handler has no console: use log() of the kit",
        "env" => "a handler has no clock, console or other environment: do without it",
        _ if module.starts_with("__wbindgen") || module == "wbg" => "build without wasm-bindgen",
        _ => {
            let offered: Vec<String> = OFFERED.iter().map(|(from, name, _)| format!("{from}.{name}")).collect();
            return format!("a handler may import {}", offered.join(", "));
        }
    };
    advice.to_owned()
}

/// Of the file as it is: names of the host's are refused here.
pub fn check_exports(facts: &ModuleFacts<'_>, manifest: &Manifest) -> Result<()> {
    let refuse = |message: String| Err(Error::new(Code::HandlerExport, message));
    match (facts.memory, facts.exported("memory")) {
        (None, _) => {
            let what = "the module has no memory; define one and export it as memory";
            return Err(Error::new(Code::HandlerMemory, what));
        }
        (Some(_), None) => return refuse("the module does not export its memory as memory".to_owned()),
        (Some(_), Some(Export::Memory)) => {}
        (Some(_), Some(_)) => return refuse("export memory must be the memory".to_owned()),
    }
    for (name, due, is_required) in EXPORTS {
        let is_scan = name == "handler_batch" && !manifest.scans.is_empty();
        match facts.exported(name) {
            None if is_required || is_scan => {
                let why = if is_scan { ", since the manifest lists scans" } else { "" };
                return refuse(format!("the module does not export {name} {due}{why}"));
            }
            None => {}
            Some(Export::Function { is_own: false, .. }) => {
                return refuse(format!("export {name} is an import handed on; it must be the module's own"));
            }
            Some(Export::Function { signature, .. }) if signature == due => {}
            Some(Export::Function { signature, .. }) => {
                return refuse(format!("export {name} has type {signature}, it must be {due}"));
            }
            Some(_) => return refuse(format!("export {name} must be a function {due}")),
        }
    }
    match facts.exports.iter().find(|(name, _)| name.starts_with(RESERVED_EXPORT_PREFIX)) {
        Some((name, _)) => {
            refuse(format!("export {}: names that begin with {RESERVED_EXPORT_PREFIX} are the host's", quote(name)))
        }
        None => Ok(()),
    }
}
