//! The metered module that a file carries: what can be held against the file without a meter. Only the bodies of its functions may
//! differ.

use super::growth::excess;
use super::module::{Bounds, Export, ModuleFacts, examine};
use chain_upgrade::Code;
use chain_upgrade::{Error, Result};
use wasmtime::wasmparser::{GlobalType, ValType};

const METERED_SECTION: &str = "chain-upgrade.metered";
/// The counters of a metered module: exported mutable globals.
pub const GAS_EXPORT: &str = "chain-upgrade:gas";
pub const STACK_EXPORT: &str = "chain-upgrade:stack";
pub const REFUSED_EXPORT: &str = "chain-upgrade:refused";

const COUNTERS: [(&str, ValType); 3] =
    [(GAS_EXPORT, ValType::I64), (STACK_EXPORT, ValType::I32), (REFUSED_EXPORT, ValType::I32)];
/// Sections that the meter takes as they are: types, imports, table, elements, data count, data.
const SAME_SECTIONS: [u8; 6] = [1, 2, 4, 9, 12, 11];
/// The three counters, and whether the memory is large.
const ADDED_GLOBALS: usize = 4;
const GLOBAL_SECTION: u8 = 6;
/// A memory of more pages is large: its loads cost more.
const NEAR_PAGES: u64 = 16;
const I32_ZERO: &[u8] = &[0x7f, 1, 0x41, 0, 0x0b];
/// Their declarations as the meter writes them, the gas first; in a memory that begins small, and in a large one.
const ADDED: [[&[u8]; ADDED_GLOBALS]; 2] = {
    let gas: &[u8] = &[0x7e, 1, 0x42, 0, 0x0b];
    let stack: &[u8] = &[0x7f, 1, 0x41, 0x80, 0x80, 0x10, 0x0b];
    let is_large: &[u8] = &[0x7f, 1, 0x41, 1, 0x0b];
    [[gas, stack, I32_ZERO, I32_ZERO], [gas, stack, I32_ZERO, is_large]]
};
const ADVICE: &str = "make it again with `chaind handler meter FILE --out FILE`";

fn refusal(what: &str) -> Error {
    Error::new(Code::HandlerMetered, format!("{what}; {ADVICE}"))
}

/// `UPG_HANDLER_METERED` for a metered module that is not of this file; a file need not carry one.
pub fn require_own(file: &ModuleFacts<'_>) -> Result<()> {
    let sections = file.customs_named(METERED_SECTION);
    let bytes = match sections[..] {
        [] => return Ok(()),
        [bytes] => bytes,
        _ => return Err(refusal(&format!("the file has more than one custom section {METERED_SECTION}"))),
    };
    let metered = examine(bytes, Bounds::OfMetered)
        .map_err(|cause| refusal(&format!("the metered module is refused: {cause}")))?;
    match difference(file, &metered) {
        None => Ok(()),
        Some(what) => Err(refusal(&format!("the metered module is not that of this file: {what}"))),
    }
}

fn difference(file: &ModuleFacts<'_>, metered: &ModuleFacts<'_>) -> Option<String> {
    if !metered.customs.is_empty() {
        return Some("it has custom sections of its own".to_owned());
    }
    if let Some(id) = SAME_SECTIONS.into_iter().find(|id| file.sections.get(id) != metered.sections.get(id)) {
        return Some(format!("its section {id} differs"));
    }
    // A module that grows its memory gets one function more.
    let added = metered.functions.strip_prefix(&file.functions[..]);
    if added.is_none_or(|added| added.len() > 1) {
        return Some("its functions are others".to_owned());
    }
    globals(file, metered)
        .or_else(|| exports(file, metered))
        .or_else(|| memory(file, metered))
        .or_else(|| excess(&file.costs, &metered.costs))
}

/// The file's with what they hold at first, then the counters and whether the memory is large, with theirs.
fn globals(file: &ModuleFacts<'_>, metered: &ModuleFacts<'_>) -> Option<String> {
    let is_large = file.memory.is_some_and(|memory| memory.initial > NEAR_PAGES);
    let own = after_count(file.sections.get(&GLOBAL_SECTION).copied().unwrap_or(&[0]));
    let added = after_count(metered.sections.get(&GLOBAL_SECTION).copied().unwrap_or(&[0])).strip_prefix(own);
    if metered.globals.len() != file.globals.len() + ADDED_GLOBALS || added.is_none() {
        return Some("its globals are others".to_owned());
    }
    let is_due = added == Some(&ADDED[usize::from(is_large)].concat());
    let what =
        "what follows the file's globals is not the three counters with what they hold at first, and the meter's own";
    (!is_due).then(|| what.to_owned())
}

/// A section's content without the number of its items, whose encoding was read before.
fn after_count(content: &[u8]) -> &[u8] {
    let size = content.iter().take_while(|byte| **byte > 0x7f).count() + 1;
    content.get(size..).unwrap_or_default()
}

/// The file's, then the counters.
fn exports(file: &ModuleFacts<'_>, metered: &ModuleFacts<'_>) -> Option<String> {
    let Some(added) = metered.exports.strip_prefix(&file.exports[..]) else {
        return Some("its exports are others".to_owned());
    };
    let counter = |(name, content_type): (&str, ValType)| {
        (name.to_owned(), Export::Global(GlobalType { content_type, mutable: true, shared: false }))
    };
    if added.iter().eq(COUNTERS.map(counter).iter()) {
        return None;
    }
    let names: Vec<&str> = COUNTERS.iter().map(|(name, _)| *name).collect();
    Some(format!("it does not have the counters {} after the file's exports", names.join(", ")))
}

/// It has the maximum that the host gives a handler.
fn memory(file: &ModuleFacts<'_>, metered: &ModuleFacts<'_>) -> Option<String> {
    let (before, after) = (file.memory?, metered.memory?);
    let due = file.pages_max();
    let is_due = before.initial == after.initial && after.maximum == Some(due);
    (!is_due).then(|| format!("its memory must begin with {} pages and have at most {due}", before.initial))
}
