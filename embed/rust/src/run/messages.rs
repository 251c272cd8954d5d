//! The messages between host and handler, protobuf (docs/abi.md).

use super::failures::trap;
use super::input::Input;
use crate::code::Code;
use crate::error::{Error, Result};
use crate::limits::{CHECK_MESSAGE_BYTES_MAX, CHECK_NAME_BYTES_MAX, CHECKS_MAX, VERSION_MAP_MODULES_MAX};
use crate::text::{guest_text, name_problem};
use crate::version_map::{self, VersionMap};
use crate::wire::{BYTES, VARINT, Writer, fields, single_fields};

// One rule for all names: a check's has the bound of a module's.
const _: () = assert!(CHECK_NAME_BYTES_MAX == crate::limits::MODULE_NAME_BYTES_MAX);

/// An invariant that the handler looked at after the migration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Unique among the handler's.
    pub name: String,
    /// Of a run that succeeded, always true.
    pub ok: bool,
    /// For people.
    pub message: String,
}

/// `UpgradeContext`
pub(super) fn encode_context(input: &Input<'_>) -> Vec<u8> {
    let time = Writer::default().int(1, input.time.seconds).int(2, input.time.nanos.into()).finish();
    Writer::default()
        .bytes(1, input.chain_id.as_bytes())
        .int(2, input.height)
        .message(3, &time)
        .message(4, input.plan)
        .message(5, &version_map::encode(input.versions))
        .finish()
}

/// What `handler_run` returned.
pub(super) fn decode_returned_versions(bytes: &[u8]) -> Result<VersionMap> {
    let check = |name: &str, taken: usize| {
        if let Some(problem) = name_problem(name) {
            return Err(format!("a module's name {problem}"));
        }
        if taken == VERSION_MAP_MODULES_MAX {
            return Err(format!("more than {VERSION_MAP_MODULES_MAX} modules"));
        }
        Ok(())
    };
    version_map::decode_with(bytes, check)
        .map_err(|what| Error::new(Code::MigrationVersionMap, format!("handler_run returned no version map: {what}")))
}

/// What `handler_check` returned. Names are unique, for people and for the receipt.
pub(super) fn decode_checks(bytes: &[u8]) -> Result<Vec<Check>> {
    read_checks(bytes).map_err(|what| trap(&format!("handler_check returned no check results: {what}")))
}

fn read_checks(bytes: &[u8]) -> std::result::Result<Vec<Check>, String> {
    let mut checks: Vec<Check> = Vec::new();
    for entry in fields(bytes, &[BYTES])? {
        let [name, ok, message] = single_fields(entry.bytes, &[BYTES, VARINT, BYTES])?;
        let name = name.map_or(&[][..], |field| field.bytes);
        let name = std::str::from_utf8(name).map_err(|_| "a name is not UTF-8".to_owned())?;
        if let Some(problem) = name_problem(name) {
            return Err(format!("a check's name {problem}"));
        }
        if checks.iter().any(|check| check.name == name) {
            return Err(format!("two checks are named \"{name}\""));
        }
        if checks.len() == CHECKS_MAX {
            return Err(format!("more than {CHECKS_MAX} checks"));
        }
        let message = guest_text(message.map_or(&[][..], |field| field.bytes), CHECK_MESSAGE_BYTES_MAX);
        checks.push(Check { name: name.to_owned(), ok: ok.is_some_and(|field| field.value != 0), message });
    }
    Ok(checks)
}

/// `UPG_MIGRATION_INVARIANT` names all that do not hold.
pub(super) fn require_checks(checks: &[Check]) -> Result<()> {
    let broken: Vec<&Check> = checks.iter().filter(|check| !check.ok).collect();
    if broken.is_empty() {
        return Ok(());
    }
    let text = |check: &&Check| match check.message.as_str() {
        "" => check.name.clone(),
        message => format!("{}: {message}", check.name),
    };
    let list = broken.iter().map(text).collect::<Vec<_>>().join("; ");
    let names = broken.iter().map(|check| check.name.as_str()).collect::<Vec<_>>().join(",");
    Err(Error::new(Code::MigrationInvariant, format!("a check of the handler failed: {list}")).with("checks", names))
}
