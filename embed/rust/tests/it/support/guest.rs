//! Handlers made by hand, and files with a metered module that no meter made: it has the three counters and counts nothing.

use chain_upgrade::{Error, Handler};
use wasm_encoder::{
    CodeSection, ConstExpr, CustomSection, EntityType, ExportKind, ExportSection, Function, FunctionSection,
    GlobalSection, GlobalType, ImportSection, Instruction, MemorySection, MemoryType, Module, RefType, StartSection,
    TableSection, TableType, TypeSection, ValType,
};

pub const MANIFEST: &str = r#"{"abi":1,"name":"v2","gasLimit":"100000000000",
    "stores":[{"name":"bank","access":"rw"}],"versions":{"bank":{"from":[1],"to":2}}}"#;

const I32: ValType = ValType::I32;
/// Where the guest's buffers lie; `KEY` and `VALUE` are what its code may point at.
pub const IN: i32 = 65_536;
pub const OUT: i32 = 262_144;
pub const KEY: i32 = 16;

/// What a handler made by hand has; each test changes one thing.
#[derive(Clone)]
pub struct Guest {
    pub manifest: String,
    /// Body of `handler_run` without its end; import 0 is `store_set`, 1 `store_get`, 2 `store_scan`, 3 `log`.
    pub run: Vec<Instruction<'static>>,
    pub pages: (u64, Option<u64>),
    pub metered_pages_max: u64,
    pub has_start: bool,
    /// One element, which holds no function.
    pub has_table: bool,
    pub extra_import: Option<(&'static str, &'static str)>,
    pub counters: Vec<(&'static str, ValType, bool)>,
    /// What the counters hold at first.
    pub counts: [i64; 3],
    /// The meter's own global says that the memory begins large.
    pub is_far: bool,
    /// Body of `handler_run` in the metered module, and locals of each body there; the same as in the file where it says nothing.
    pub metered_run: Option<Vec<Instruction<'static>>>,
    pub metered_locals: u32,
    /// The file carries a metered module.
    pub has_metered: bool,
    pub metered_lacks_export: bool,
    pub lacks_marker: bool,
}

impl Default for Guest {
    fn default() -> Self {
        Guest {
            manifest: MANIFEST.to_owned(),
            run: vec![Instruction::I32Const(0)],
            pages: (16, None),
            metered_pages_max: 512,
            has_start: false,
            has_table: false,
            extra_import: None,
            counters: vec![
                ("chain-upgrade:gas", ValType::I64, true),
                ("chain-upgrade:stack", I32, true),
                ("chain-upgrade:refused", I32, true),
            ],
            counts: [0, 262_144, 0],
            is_far: false,
            metered_run: None,
            metered_locals: 2,
            has_metered: false,
            metered_lacks_export: false,
            lacks_marker: false,
        }
    }
}

impl Guest {
    pub fn running(run: Vec<Instruction<'static>>) -> Self {
        Guest { run, ..Guest::default() }
    }

    /// The file: the module, its manifest, and the metered module that it may carry.
    pub fn file(&self) -> Vec<u8> {
        self.file_with(self.manifest.as_bytes())
    }

    /// The same with a manifest that need not be a text.
    pub fn file_with(&self, manifest: &[u8]) -> Vec<u8> {
        let mut module = self.module(false);
        module.section(&CustomSection { name: "chain-upgrade.manifest".into(), data: manifest.into() });
        if self.has_metered {
            let metered = self.module(true).finish();
            module.section(&CustomSection { name: "chain-upgrade.metered".into(), data: metered.into() });
        }
        module.finish()
    }

    pub fn handler(&self) -> Handler {
        Handler::load(&self.file(), None).expect("a handler")
    }

    pub fn refused(&self) -> Error {
        Handler::load(&self.file(), None).expect_err("this is no handler")
    }

    fn module(&self, is_metered: bool) -> Module {
        let mut module = Module::new();
        let mut types = TypeSection::new();
        types.ty().function([], []);
        types.ty().function([I32], [I32]);
        types.ty().function([I32; 5], [I32]);
        types.ty().function([I32; 7], [I32]);
        types.ty().function([I32; 3], []);
        module.section(&types);
        let mut imports = ImportSection::new();
        imports.import("chain", "store_set", EntityType::Function(2));
        imports.import("chain", "store_get", EntityType::Function(2));
        imports.import("chain", "store_scan", EntityType::Function(3));
        imports.import("chain", "log", EntityType::Function(4));
        if let Some((from, name)) = self.extra_import {
            imports.import(from, name, EntityType::Function(0));
        }
        module.section(&imports);
        let own = 4 + u32::from(self.extra_import.is_some());
        let mut functions = FunctionSection::new();
        for kind in [0, 1, 1, 1] {
            functions.function(kind);
        }
        module.section(&functions);
        if self.has_table {
            let table =
                TableType { element_type: RefType::FUNCREF, minimum: 1, maximum: None, table64: false, shared: false };
            module.section(TableSection::new().table(table));
        }
        let (minimum, maximum) = self.pages;
        let maximum = if is_metered { Some(self.metered_pages_max) } else { maximum };
        let memory = MemoryType { minimum, maximum, memory64: false, shared: false, page_size_log2: None };
        module.section(MemorySection::new().memory(memory));
        let mut exports = ExportSection::new();
        exports.export("memory", ExportKind::Memory, 0);
        if is_metered {
            module.section(&self.globals());
        }
        for (index, name) in ["handler_abi_1", "handler_in", "handler_out", "handler_run"].into_iter().enumerate() {
            let is_left_out =
                (self.lacks_marker && index == 0) || (is_metered && self.metered_lacks_export && index == 2);
            if !is_left_out {
                exports.export(name, ExportKind::Func, own + index as u32);
            }
        }
        for (index, (name, _, _)) in self.counters.iter().enumerate().filter(|_| is_metered) {
            exports.export(name, ExportKind::Global, index as u32);
        }
        module.section(&exports);
        if self.has_start {
            module.section(&StartSection { function_index: own });
        }
        let mut code = CodeSection::new();
        let run = self.metered_run.as_ref().filter(|_| is_metered).unwrap_or(&self.run).clone();
        let locals = if is_metered { self.metered_locals } else { 2 };
        for body in [vec![], vec![Instruction::I32Const(IN)], vec![Instruction::I32Const(OUT)], run] {
            let mut function = Function::new([(locals, I32)]);
            for instruction in body {
                function.instruction(&instruction);
            }
            function.instruction(&Instruction::End);
            code.function(&function);
        }
        module.section(&code);
        module
    }

    fn globals(&self) -> GlobalSection {
        let mut globals = GlobalSection::new();
        for ((_, val_type, mutable), count) in self.counters.iter().zip(self.counts) {
            let is_long = *val_type == ValType::I64;
            let first = if is_long { ConstExpr::i64_const(count) } else { ConstExpr::i32_const(count as i32) };
            globals.global(GlobalType { val_type: *val_type, mutable: *mutable, shared: false }, &first);
        }
        // Whether the memory is large: the metered code's own.
        let is_far = ConstExpr::i32_const(i32::from(self.is_far));
        globals.global(GlobalType { val_type: I32, mutable: true, shared: false }, &is_far);
        globals
    }
}

/// `store_set(0, KEY, 1, KEY, 1)`: one byte that is 0, under a key that is 0.
pub fn set_one() -> Vec<Instruction<'static>> {
    vec![
        Instruction::I32Const(0),
        Instruction::I32Const(KEY),
        Instruction::I32Const(1),
        Instruction::I32Const(KEY),
        Instruction::I32Const(1),
        Instruction::Call(0),
        Instruction::Drop,
    ]
}

/// `store_get(0, KEY, 1, KEY, 0)`
pub fn get_one() -> Vec<Instruction<'static>> {
    vec![
        Instruction::I32Const(0),
        Instruction::I32Const(KEY),
        Instruction::I32Const(1),
        Instruction::I32Const(KEY),
        Instruction::I32Const(0),
        Instruction::Call(1),
        Instruction::Drop,
    ]
}

/// A loop that never ends, and calls nothing.
pub fn spin() -> Vec<Instruction<'static>> {
    vec![
        Instruction::Loop(wasm_encoder::BlockType::Empty),
        Instruction::Br(0),
        Instruction::End,
        Instruction::I32Const(0),
    ]
}
