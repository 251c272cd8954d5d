//! What a WebAssembly file says about itself, as far as the host must know it: imports, exports, memory, custom sections.

use super::cost::BodyCost;
use super::limits::Limits;
use super::refusal::malformed;
use crate::oracle::text::quote;
use chain_upgrade::Code;
use chain_upgrade::{Error, Result};
use std::collections::BTreeMap;
use wasmtime::wasmparser::{
    BinaryReaderError, ExternalKind, FuncType, GlobalType, MemoryType, Parser, Payload, TypeRef, ValType, Validator,
    WasmFeatures,
};

/// WebAssembly as docs/abi.md allows it: integers, one memory, bulk memory, and nothing whose result an engine may choose.
/// The index of a table may be padded, as rustc and LLVM write it in `call_indirect`.
const FEATURES: WasmFeatures = WasmFeatures::MUTABLE_GLOBAL
    .union(WasmFeatures::SIGN_EXTENSION)
    .union(WasmFeatures::BULK_MEMORY)
    .union(WasmFeatures::CALL_INDIRECT_OVERLONG);
const MEMORY_PAGES_MAX: u64 = 512;
/// Pages that a memory may begin with.
const MEMORY_INITIAL_PAGES_MAX: u64 = 256;
const CUSTOM_SECTION: u8 = 0;

pub struct Import {
    pub module: String,
    pub name: String,
    /// As docs/abi.md writes it.
    pub signature: String,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Export {
    Function { signature: String, index: u32, is_own: bool },
    Memory,
    Global(GlobalType),
    Other,
}

#[derive(Default)]
pub struct ModuleFacts<'a> {
    pub customs: Vec<(&'a str, &'a [u8])>,
    pub imports: Vec<Import>,
    /// In the order of the file.
    pub exports: Vec<(String, Export)>,
    pub memory: Option<MemoryType>,
    /// Contents of the sections, by number.
    pub sections: BTreeMap<u8, &'a [u8]>,
    limits: Limits,
    types: Vec<FuncType>,
    /// Types of the functions, imported ones first.
    pub functions: Vec<u32>,
    pub globals: Vec<GlobalType>,
    /// Of the bodies, in their order.
    pub costs: Vec<BodyCost>,
}

/// Which limits hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Bounds {
    /// Those of a handler's file.
    OfHandlers,
    /// What the meter adds may go past them.
    OfMetered,
}

/// `UPG_HANDLER_FORMAT`, `UPG_HANDLER_OPCODE`, `UPG_HANDLER_MEMORY`, `UPG_HANDLER_IMPORT` with what is wrong.
pub fn examine(bytes: &[u8], bounds: Bounds) -> Result<ModuleFacts<'_>> {
    let mut facts = ModuleFacts::default();
    let mut payloads = Parser::new(0).parse_all(bytes);
    loop {
        let payload = payloads.next().transpose().map_err(|cause| malformed(&cause))?;
        match payload {
            None | Some(Payload::End(_)) => break,
            Some(Payload::Version { encoding: wasmtime::wasmparser::Encoding::Component, .. }) => {
                return Err(format("not a core WebAssembly module of version 1 (a component cannot be a handler)"));
            }
            Some(payload) => {
                if let Some((id, range)) = payload.as_section().filter(|(id, _)| *id != CUSTOM_SECTION) {
                    // A section that is longer than the file is found when its content is read.
                    facts.sections.insert(id, bytes.get(range).unwrap_or_default());
                }
                if bounds == Bounds::OfHandlers {
                    facts.limits.check(&payload)?;
                }
                if let Payload::CodeSectionEntry(body) = &payload {
                    let cost = BodyCost::of(body, facts.params_of_next_body())?;
                    if bounds == Bounds::OfHandlers {
                        facts.limits.body(&cost)?;
                    }
                    facts.costs.push(cost);
                }
                facts.take(payload, bytes)?;
            }
        }
    }
    validate(bytes)?;
    Ok(facts)
}

/// With all that wasmparser knows, to tell a file that is broken from one that uses what is not allowed.
fn validate(bytes: &[u8]) -> Result<()> {
    let Err(refusal) = Validator::new_with_features(FEATURES).validate_all(bytes) else { return Ok(()) };
    match Validator::new_with_features(WasmFeatures::all()).validate_all(bytes) {
        Ok(_) => Err(Error::new(Code::HandlerOpcode, format!("the module uses what is not allowed: {refusal}"))),
        Err(cause) => Err(malformed(&cause)),
    }
}

impl<'a> ModuleFacts<'a> {
    fn take(&mut self, payload: Payload<'a>, bytes: &[u8]) -> Result<()> {
        match payload {
            Payload::CustomSection(section) => self.customs.push((section.name(), section.data())),
            Payload::TypeSection(types) => {
                for each in types.into_iter_err_on_gc_types() {
                    let refused = |cause: BinaryReaderError| match validate(bytes) {
                        Ok(()) => Error::new(Code::HandlerOpcode, cause.to_string()),
                        Err(error) => error,
                    };
                    let each = each.map_err(refused)?;
                    self.limits.params(each.params().len())?;
                    self.types.push(each);
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let import = import.map_err(|cause| malformed(&cause))?;
                    self.import(import.module, import.name, import.ty)?;
                }
            }
            Payload::FunctionSection(functions) => {
                for index in functions {
                    self.functions.push(index.map_err(|cause| malformed(&cause))?);
                }
            }
            Payload::MemorySection(memories) => {
                for memory in memories {
                    self.memory(memory.map_err(|cause| malformed(&cause))?)?;
                }
            }
            Payload::GlobalSection(globals) => {
                for global in globals {
                    self.globals.push(global.map_err(|cause| malformed(&cause))?.ty);
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export.map_err(|cause| malformed(&cause))?;
                    self.export(export.name, export.kind, export.index)?;
                }
            }
            Payload::StartSection { .. } => {
                let what = "a start section is not allowed, it would run before gas is counted; export the function as _initialize instead";
                return Err(Error::new(Code::HandlerOpcode, what));
            }
            _ => {}
        }
        Ok(())
    }

    fn import(&mut self, module: &str, name: &str, kind: TypeRef) -> Result<()> {
        let (code, what, advice) = match kind {
            TypeRef::Func(index) => {
                self.functions.push(index);
                let signature = self.signature(index);
                self.imports.push(Import { module: module.to_owned(), name: name.to_owned(), signature });
                return Ok(());
            }
            TypeRef::Memory(_) => (Code::HandlerMemory, "memory", "define it and export it as memory"),
            TypeRef::Table(_) => (Code::HandlerImport, "table", "only functions can be imported"),
            TypeRef::Global(_) => (Code::HandlerImport, "global", "only functions can be imported"),
            TypeRef::Tag(_) | TypeRef::FuncExact(_) => (Code::HandlerImport, "tag", "only functions can be imported"),
        };
        let name = quote(&format!("{module}.{name}"));
        Err(Error::new(code, format!("the {what} {name} is imported; {advice}")))
    }

    fn memory(&mut self, memory: MemoryType) -> Result<()> {
        let refuse = |what: &str| Err(Error::new(Code::HandlerMemory, what));
        self.limits.memory_pages = memory.initial;
        if self.memory.replace(memory).is_some() {
            return refuse("more than one memory is not allowed");
        }
        if memory.shared {
            return refuse("a shared memory is not allowed; build without threads");
        }
        if memory.memory64 {
            return refuse("a 64-bit memory is not allowed; build for wasm32");
        }
        if memory.initial > MEMORY_INITIAL_PAGES_MAX {
            let what = format!(
                "the memory begins with {} pages, at most {MEMORY_INITIAL_PAGES_MAX} are allowed",
                memory.initial
            );
            return refuse(&format!("{what}; begin with less and grow"));
        }
        Ok(())
    }

    fn export(&mut self, name: &str, kind: ExternalKind, index: u32) -> Result<()> {
        let imported = self.imports.len();
        let at = index as usize;
        let export = match kind {
            ExternalKind::Func | ExternalKind::FuncExact => {
                let function = self.functions.get(at).copied();
                let function =
                    function.ok_or_else(|| format(&format!("export {}: there is no function {index}", quote(name))))?;
                Export::Function { signature: self.signature(function), index, is_own: at >= imported }
            }
            ExternalKind::Memory => Export::Memory,
            ExternalKind::Global => self.globals.get(at).map_or(Export::Other, |global| Export::Global(*global)),
            ExternalKind::Table | ExternalKind::Tag => Export::Other,
        };
        if self.exported(name).is_some() {
            return Err(format(&format!("two exports are named {}", quote(name))));
        }
        self.exports.push((name.to_owned(), export));
        Ok(())
    }

    pub fn exported(&self, name: &str) -> Option<&Export> {
        self.exports.iter().find(|(exported, _)| exported == name).map(|(_, export)| export)
    }

    fn params_of_next_body(&self) -> usize {
        let function = self.functions.get(self.imports.len() + self.costs.len());
        let kind = function.and_then(|index| self.types.get(*index as usize));
        kind.map_or(0, |kind| kind.params().len())
    }

    fn signature(&self, index: u32) -> String {
        let Some(function) = self.types.get(index as usize) else { return "unknown".to_owned() };
        let params: Vec<String> = function.params().iter().map(ValType::to_string).collect();
        let results: Vec<String> = function.results().iter().map(ValType::to_string).collect();
        let results = if results.len() == 1 { results.concat() } else { format!("({})", results.join(", ")) };
        format!("({}) -> {results}", params.join(", "))
    }

    /// The payloads of the custom sections of a name.
    pub fn customs_named(&self, name: &str) -> Vec<&'a [u8]> {
        self.customs.iter().filter(|(custom, _)| *custom == name).map(|(_, payload)| *payload).collect()
    }

    /// The most pages that the memory can have, once the host has bounded it.
    pub fn pages_max(&self) -> u64 {
        self.memory.and_then(|memory| memory.maximum).unwrap_or(MEMORY_PAGES_MAX).min(MEMORY_PAGES_MAX)
    }
}

fn format(what: &str) -> Error {
    Error::new(Code::HandlerFormat, what)
}
