//! Calls check.wasm (docs/abi.md): the rules for handler files, the meter, and the codec of receipts.

mod file_check;

use crate::code::Code;
use crate::engine::{FEATURES, engine, failure, once};
use crate::error::{Error, Result};
use crate::limits::HANDLER_BYTES_MAX;
use crate::text::hex;
pub use file_check::{FileCheck, Finding};
use sha2::{Digest, Sha256};
use std::sync::OnceLock;
use wasmtime::wasmparser::Validator;
use wasmtime::{Instance, Memory, Module, Store, WasmParams, WasmResults};

const CHECK_WASM: &[u8] = include_bytes!("../../check.wasm");
/// `check.sha256` of assembly/abi.json.
const CHECK_SHA256: &str = "b6435515772e2a2df69e43865100745e4775dabc36fff71c776c49c566713cbc";
const ABI_MAJOR: i32 = 1;
/// The engine refuses the file.
const FLAG_INVALID: i32 = 1;
/// It is not metered, and its work is bounded.
const NO_DEADLINE: u64 = u64::MAX / 2;

/// A file that check.wasm checked.
pub struct CheckedFile {
    /// The findings, the manifest and the facts about the module.
    pub file_check: FileCheck,
    /// The file with gas and stack counted in it; empty with findings.
    pub metered: Vec<u8>,
}

/// Checks a file by the rules that every node applies. What the engine's own validation refuses has a finding too.
pub fn check_file(file: &[u8]) -> Result<CheckedFile> {
    let mut checker = Checker::new()?;
    let checked = checker.file(file, 0)?;
    let is_refused = checked.file_check.findings.iter().any(|finding| finding.code != Code::HandlerMetered);
    if is_refused || Validator::new_with_features(FEATURES).validate_all(file).is_ok() {
        return Ok(checked);
    }
    checker.file(file, FLAG_INVALID)
}

/// From a flat receipt to protobuf; `None` for one that is refused.
pub(crate) fn encode_receipt(flat: &[u8]) -> Result<Option<Vec<u8>>> {
    Checker::new()?.receipt("receipt_encode", flat)
}

/// From protobuf to a flat receipt; `None` for what is not a receipt.
pub(crate) fn decode_receipt(bytes: &[u8]) -> Result<Option<Vec<u8>>> {
    Checker::new()?.receipt("receipt_decode", bytes)
}

/// Compiled once in a process. The next call tries again after a failure, which a lack of memory may have caused.
fn module() -> Result<&'static Module> {
    static MODULE: OnceLock<Module> = OnceLock::new();
    once(&MODULE, || compile(CHECK_WASM))
}

fn compile(wasm: &[u8]) -> Result<Module> {
    let found = hex(&Sha256::digest(wasm));
    if found != CHECK_SHA256 {
        return Err(unusable(&format!("its SHA-256 is {found}, this host expects {CHECK_SHA256}")));
    }
    Module::from_binary(engine()?, wasm)
        .map_err(|cause| failure("the engine could not compile check.wasm", &format!("{cause:#}")))
}

/// One instance. Its memory, of at most 64 MiB, is released when it is dropped.
struct Checker {
    store: Store<()>,
    instance: Instance,
    memory: Memory,
}

impl Checker {
    fn new() -> Result<Self> {
        let mut store = Store::new(engine()?, ());
        store.set_epoch_deadline(NO_DEADLINE);
        let instance = Instance::new(&mut store, module()?, &[])
            .map_err(|cause| failure("the engine could not instantiate check.wasm", &format!("{cause:#}")))?;
        let memory = instance.get_memory(&mut store, "memory").ok_or_else(|| unusable("it exports no memory"))?;
        let mut checker = Checker { store, instance, memory };
        checker.call::<_, ()>("_initialize", ())?;
        let major = checker.call::<_, i32>("check_abi", ())? >> 16;
        let what = || unusable(&format!("it has interface {major}, this host calls interface {ABI_MAJOR}"));
        if major == ABI_MAJOR { Ok(checker) } else { Err(what()) }
    }

    fn file(&mut self, file: &[u8], flags: i32) -> Result<CheckedFile> {
        // A longer file is refused by its length alone.
        if file.len() <= HANDLER_BYTES_MAX {
            self.put(file)?;
        }
        let length = i32::try_from(file.len()).unwrap_or(i32::MAX);
        self.call::<_, i32>("check_file", (length, flags))?;
        let result = self.result()?;
        let file_check = FileCheck::decode(&result).map_err(|what| unusable(&format!("its result is {what}")))?;
        Ok(CheckedFile { file_check, metered: self.bytes("check_metered", "check_metered_len")? })
    }

    fn receipt(&mut self, name: &str, input: &[u8]) -> Result<Option<Vec<u8>>> {
        if input.len() > HANDLER_BYTES_MAX {
            return Ok(None);
        }
        self.put(input)?;
        let length = self.call::<_, i32>(name, (int(input.len()),))?;
        if length < 0 { Ok(None) } else { self.result().map(Some) }
    }

    /// At most 1 MiB.
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let at = self.call::<_, i32>("check_input", (int(bytes.len()),))?;
        let outside = |_| unusable("its input lies outside its memory");
        self.memory.write(&mut self.store, pointer(at), bytes).map_err(outside)
    }

    fn result(&mut self) -> Result<Vec<u8>> {
        self.bytes("check_result", "check_result_len")
    }

    fn bytes(&mut self, at: &str, length: &str) -> Result<Vec<u8>> {
        let (at, length) = (pointer(self.call(at, ())?), pointer(self.call(length, ())?));
        let bytes = self.memory.data(&self.store).get(at..).and_then(|rest| rest.get(..length));
        bytes.map(<[u8]>::to_vec).ok_or_else(|| unusable("its result lies outside its memory"))
    }

    fn call<P: WasmParams, R: WasmResults>(&mut self, name: &str, params: P) -> Result<R> {
        let function = self.instance.get_typed_func::<P, R>(&mut self.store, name);
        let function = function.map_err(|cause| unusable(&format!("it does not export {name}: {cause:#}")))?;
        // It traps where its memory could not grow.
        function
            .call(&mut self.store, params)
            .map_err(|cause| failure(&format!("check.wasm trapped in {name}"), &format!("{:#}", cause.root_cause())))
    }
}

fn int(value: usize) -> i32 {
    (value as u32).cast_signed()
}

/// An i32, read unsigned.
fn pointer(value: i32) -> usize {
    value.cast_unsigned() as usize
}

fn unusable(what: &str) -> Error {
    Error::new(Code::BugCoreAbi, format!("check.wasm cannot be used: {what}"))
}

#[cfg(test)]
mod tests {
    use super::{CHECK_SHA256, CHECK_WASM, compile};
    use crate::code::Code;

    #[test]
    fn compile_takes_the_module_of_the_interface_and_no_other() {
        compile(CHECK_WASM).expect("check.wasm");
        assert_eq!(compile(b"\0asm\x01\0\0\0").expect_err("another module").code(), Code::BugCoreAbi);
        // A crate that was downloaded alone has no abi.json.
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assembly/abi.json");
        let Ok(abi) = std::fs::read_to_string(path) else { return };
        assert!(abi.contains(&format!("\"sha256\": \"{CHECK_SHA256}\"")));
    }
}
