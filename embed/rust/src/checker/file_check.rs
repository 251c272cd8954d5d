//! The message `FileCheck` of docs/abi.md.

use crate::code::Code;
use crate::error::Error;
use crate::manifest::Manifest;
use crate::text::printable_start;
use crate::wire::{all_fields, text};
use std::collections::BTreeMap;

/// UTF-16 units.
const SHOWN_NAME_UNITS_MAX: usize = 200;

/// What check.wasm says of a file.
pub struct FileCheck {
    /// In the order of the checks; none for a handler.
    pub findings: Vec<Finding>,
    /// There whenever it could be read.
    pub manifest: Option<Manifest>,
    /// By which the file was metered; empty with findings.
    pub(crate) gas_schedule: String,
    function_names: BTreeMap<u64, String>,
}

/// One thing that is wrong with a file.
pub struct Finding {
    /// The code of the error that loading the file fails with.
    pub code: Code,
    /// Says what is wrong and what to do about it.
    pub message: String,
    /// A byte of the file.
    offset: Option<u64>,
    /// Index of the function that it is about.
    function: Option<u64>,
}

impl FileCheck {
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, String> {
        let mut decoded = FileCheck {
            findings: Vec::new(),
            manifest: None,
            gas_schedule: String::new(),
            function_names: BTreeMap::new(),
        };
        for field in all_fields(bytes)? {
            match field.number {
                1 => decoded.findings.push(Finding::decode(field.bytes)?),
                2 => decoded.function_names.extend([decode_name(field.bytes)?]),
                3 => decoded.manifest = Some(Manifest::decode(field.bytes)?),
                4 => decoded.gas_schedule = decode_gas_schedule(field.bytes)?,
                _ => {}
            }
        }
        Ok(decoded)
    }

    /// The error of the first finding, if there is one. Its details are `function`, `offset` and, in a manifest, `path`.
    #[must_use]
    pub fn refusal(&self) -> Option<Error> {
        let first = self.findings.first()?;
        let function = first.function.map(|index| ("function", self.shown_name(index), "in function"));
        let offset = first.offset.map(|offset| ("offset", offset.to_string(), "at byte"));
        let place: Vec<_> = function.into_iter().chain(offset).collect();
        let words = place.iter().map(|(_, what, words)| format!("{words} {what}")).collect::<Vec<_>>().join(" ");
        let words = if words.is_empty() { words } else { format!("{words}: ") };
        let more = match self.findings.len() {
            1 => String::new(),
            count => format!(" (and {} more: see `chaind handler check`)", count - 1),
        };
        let error = Error::new(first.code, format!("{words}{}{more}", first.message));
        let error = place.into_iter().fold(error, |error, (name, what, _)| error.with(name, what));
        Some(manifest_path(&first.message).into_iter().fold(error, |error, path| error.with("path", path)))
    }

    /// A name of the file, harmless and never long.
    fn shown_name(&self, index: u64) -> String {
        let unnamed = || format!("func[{index}]");
        self.function_names.get(&index).map_or_else(unnamed, |name| printable_start(name, SHOWN_NAME_UNITS_MAX))
    }
}

impl Finding {
    fn decode(bytes: &[u8]) -> Result<Self, String> {
        let mut finding = Finding { code: Code::HandlerFormat, message: String::new(), offset: None, function: None };
        for field in all_fields(bytes)? {
            match field.number {
                1 => {
                    let code = i64::try_from(field.value).ok().and_then(Code::of_number);
                    finding.code = code.ok_or_else(|| format!("a finding of the unknown code {}", field.value))?;
                }
                2 => finding.message = text(&field)?,
                3 => finding.offset = Some(field.value),
                4 => finding.function = Some(field.value),
                _ => {}
            }
        }
        Ok(finding)
    }
}

fn decode_name(bytes: &[u8]) -> Result<(u64, String), String> {
    let mut name = (0, String::new());
    for field in all_fields(bytes)? {
        match field.number {
            1 => name.0 = field.value,
            2 => name.1 = text(&field)?,
            _ => {}
        }
    }
    Ok(name)
}

/// Reads the name of the gas schedule from the message `ModuleFacts`.
fn decode_gas_schedule(bytes: &[u8]) -> Result<String, String> {
    let fields = all_fields(bytes)?;
    fields.iter().find(|field| field.number == 1).map_or_else(|| Ok(String::new()), text)
}

/// The path in the JSON that a message about a manifest names: `manifest: $.versions["a b"].to: is missing`.
fn manifest_path(message: &str) -> Option<&str> {
    let path = message.strip_prefix("manifest: ").filter(|rest| rest.starts_with('$'))?;
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, c) in path.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ':' if !is_quoted => return Some(&path[..at]),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{FileCheck, manifest_path};
    use crate::wire::Writer;

    #[test]
    fn refusal_names_the_place_of_the_first_finding_and_counts_the_others() {
        let finding = Writer::default().uint(1, 97).bytes(2, b"manifest: $.abi: is missing").finish();
        let placed = Writer::default().uint(1, 94).bytes(2, b"no").uint(3, 7).uint(4, 5).finish();
        let name = Writer::default().uint(1, 5).bytes(2, "f\u{202e}".as_bytes()).finish();
        let of = |encoded: Vec<u8>| FileCheck::decode(&encoded).expect("a FileCheck").refusal();
        let first = of(Writer::default().message(1, &finding).message(1, &placed).finish()).expect("a refusal");
        assert_eq!(first.to_string(), "manifest: $.abi: is missing (and 1 more: see `chaind handler check`)");
        assert_eq!(first.details().iter().collect::<Vec<_>>(), [(&"path".to_owned(), &"$.abi".to_owned())]);
        let second = of(Writer::default().message(1, &placed).message(2, &name).finish()).expect("a refusal");
        assert_eq!(second.to_string(), "in function f\u{fffd} at byte 7: no");
        assert_eq!((second.details()["function"].as_str(), second.details()["offset"].as_str()), ("f\u{fffd}", "7"));
        let unnamed = of(Writer::default().message(1, &placed).finish()).expect("a refusal");
        assert_eq!(unnamed.details()["function"], "func[5]");
        assert!(of(Vec::new()).is_none());
        assert!(FileCheck::decode(&[0x0a, 5]).is_err());
    }

    #[test]
    fn decode_reads_the_gas_schedule_of_the_facts() {
        let facts = Writer::default().bytes(1, b"gas-9").uint(2, 1).finish();
        let of = |encoded: Vec<u8>| FileCheck::decode(&encoded).expect("a FileCheck").gas_schedule;
        assert_eq!(of(Writer::default().message(4, &facts).finish()), "gas-9");
        assert_eq!(of(Vec::new()), "");
    }

    #[test]
    fn manifest_path_ends_at_the_first_colon_outside_of_quotes() {
        assert_eq!(manifest_path("manifest: $[\"a: \\\"b\"].to: is missing"), Some("$[\"a: \\\"b\"].to"));
        assert_eq!(manifest_path("manifest: there is no custom section"), None);
        assert_eq!(manifest_path("memory: $: no"), None);
    }
}
