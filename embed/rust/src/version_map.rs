//! VersionMap and Names in the form that core, hosts and handlers share: names strictly ascending by bytes.

use crate::code::Code;
use crate::error::{Error, Result};
use crate::wire::{BYTES, VARINT, Writer, fields, single_fields};
use std::collections::{BTreeMap, BTreeSet};

/// The consensus version of each module. Rust orders strings by their bytes, as the core demands.
pub type VersionMap = BTreeMap<String, u64>;

pub(crate) fn encode(map: &VersionMap) -> Vec<u8> {
    let mut out = Writer::default();
    for (name, version) in map {
        let entry = Writer::default().bytes(1, name.as_bytes()).uint(2, *version).finish();
        out = out.message(1, &entry);
    }
    out.finish()
}

/// Each name once.
pub(crate) fn encode_names(names: &[String]) -> Vec<u8> {
    let ordered: BTreeSet<&String> = names.iter().collect();
    ordered.into_iter().fold(Writer::default(), |out, name| out.message(1, name.as_bytes())).finish()
}

/// What the core stores.
pub(crate) fn decode(bytes: &[u8]) -> Result<VersionMap> {
    decode_with(bytes, |_, _| Ok(()))
        .map_err(|what| Error::new(Code::InvalidVersionMap, format!("version map: {what}")))
}

/// `check` looks at each module before it is taken, for limits that are the caller's.
pub(crate) fn decode_with(
    bytes: &[u8],
    check: impl Fn(&str, usize) -> std::result::Result<(), String>,
) -> std::result::Result<VersionMap, String> {
    let mut map = VersionMap::new();
    for entry in fields(bytes, &[BYTES])? {
        let [name, version] = single_fields(entry.bytes, &[BYTES, VARINT])?;
        let name = name.map_or(&[][..], |field| field.bytes);
        let text = std::str::from_utf8(name).map_err(|_| "a name is not UTF-8".to_owned())?;
        check(text, map.len())?;
        if map.last_key_value().is_some_and(|(last, _)| last.as_str() >= text) {
            return Err(format!("\"{text}\" is not in ascending order of names"));
        }
        map.insert(text.to_owned(), version.map_or(0, |field| field.value));
    }
    Ok(map)
}
