//! What a handler's module may be at most: small files can grow large when an engine compiles them, and every node must decide alike,
//! so acceptance depends on these numbers and never on an engine's own.

use crate::code::Code;
use crate::error::{Error, Result};
use wasmtime::wasmparser::{
    BinaryReaderError, ConstExpr, DataKind, DataSectionReader, ElementItems, ElementKind, ElementSectionReader,
    FunctionBody, Operator, Payload, TableSectionReader,
};

const TYPES_MAX: u32 = 2_000;
const PARAMS_MAX: usize = 32;
const PARAMS_TOTAL_MAX: usize = 10_000;
const IMPORTS_MAX: u32 = 16;
const FUNCTIONS_MAX: u32 = 20_000;
const LOCALS_MAX: u64 = 256;
/// Of all functions together.
const LOCALS_TOTAL_MAX: u64 = 50_000;
const GLOBALS_MAX: u32 = 1_000;
const EXPORTS_MAX: u32 = 1_000;
const ELEMENT_SEGMENTS_MAX: u32 = 1_000;
const DATA_SEGMENTS_MAX: u32 = 4_096;
const CUSTOM_SECTIONS_MAX: usize = 64;
const BODY_BYTES_MAX: usize = 65_536;
const NESTING_MAX: u32 = 256;
const BR_TABLE_LABELS_MAX: u32 = 1_024;
const TABLE_ELEMENTS_MAX: u64 = 4_096;
const PAGE_BYTES: u64 = 65_536;

/// What was seen of a module so far.
#[derive(Default)]
pub(super) struct Limits {
    customs: usize,
    params: usize,
    locals: u64,
    table: Option<u64>,
    /// Pages that the memory begins with.
    pub(super) memory_pages: u64,
}

fn limit(what: &str) -> Error {
    Error::new(Code::HandlerLimit, what)
}

fn count(what: &str, count: u32, max: u32) -> Result<()> {
    if count <= max { Ok(()) } else { Err(limit(&format!("{count} {what}, at most {max} are allowed"))) }
}

pub(super) fn malformed(cause: &BinaryReaderError) -> Error {
    Error::new(Code::HandlerFormat, format!("not a well-formed WebAssembly module: {cause}"))
}

impl Limits {
    pub(super) fn check(&mut self, payload: &Payload<'_>) -> Result<()> {
        match payload {
            Payload::CustomSection(_) => {
                self.customs += 1;
                let is_over = self.customs > CUSTOM_SECTIONS_MAX;
                if is_over { Err(limit(&format!("more than {CUSTOM_SECTIONS_MAX} custom sections"))) } else { Ok(()) }
            }
            Payload::TypeSection(types) => count("types", types.count(), TYPES_MAX),
            Payload::ImportSection(imports) => count("imports", imports.count(), IMPORTS_MAX),
            Payload::FunctionSection(functions) => count("functions", functions.count(), FUNCTIONS_MAX),
            Payload::GlobalSection(globals) => count("globals", globals.count(), GLOBALS_MAX),
            Payload::ExportSection(exports) => count("exports", exports.count(), EXPORTS_MAX),
            Payload::TableSection(tables) => self.tables(tables.clone()),
            Payload::ElementSection(elements) => self.elements(elements.clone()),
            Payload::DataCountSection { count: segments, .. } => count("data segments", *segments, DATA_SEGMENTS_MAX),
            Payload::DataSection(data) => self.data(data.clone()),
            Payload::CodeSectionEntry(body) => self.body(body),
            _ => Ok(()),
        }
    }

    pub(super) fn params(&mut self, params: usize) -> Result<()> {
        self.params += params;
        if params > PARAMS_MAX {
            return Err(limit(&format!("{params} parameters of a type, at most {PARAMS_MAX} are allowed")));
        }
        let is_over = self.params > PARAMS_TOTAL_MAX;
        let what = format!("the types have more than {PARAMS_TOTAL_MAX} parameters together");
        if is_over { Err(limit(&what)) } else { Ok(()) }
    }

    fn tables(&mut self, tables: TableSectionReader<'_>) -> Result<()> {
        for table in tables {
            let table = table.map_err(|cause| malformed(&cause))?.ty;
            let size = table.initial.max(table.maximum.unwrap_or(0));
            if size > TABLE_ELEMENTS_MAX {
                return Err(limit(&format!("a table of {size} elements, at most {TABLE_ELEMENTS_MAX} are allowed")));
            }
            if self.table.replace(table.initial).is_some() {
                return Err(limit("more than one table is not allowed"));
            }
        }
        Ok(())
    }

    /// Only active segments of plain function indices: whatever else there is serves changes of a table.
    fn elements(&mut self, elements: ElementSectionReader<'_>) -> Result<()> {
        count("element segments", elements.count(), ELEMENT_SEGMENTS_MAX)?;
        for element in elements {
            let element = element.map_err(|cause| malformed(&cause))?;
            let (ElementKind::Active { table_index: None | Some(0), offset_expr }, ElementItems::Functions(functions)) =
                (element.kind, element.items)
            else {
                let what = "element segments other than plain function indices of table 0 are not allowed";
                return Err(Error::new(
                    Code::HandlerOpcode,
                    format!("{what}; build without the reference-types feature"),
                ));
            };
            let size = self.table.unwrap_or(0);
            let (start, length) = (offset(&offset_expr)?, u64::from(functions.count()));
            if start.is_some_and(|start| start + length > size) {
                return Err(limit(&format!("elements lie outside the table of {size}")));
            }
        }
        Ok(())
    }

    fn data(&mut self, data: DataSectionReader<'_>) -> Result<()> {
        count("data segments", data.count(), DATA_SEGMENTS_MAX)?;
        for segment in data {
            let segment = segment.map_err(|cause| malformed(&cause))?;
            let DataKind::Active { memory_index, offset_expr } = segment.kind else { continue };
            let size = self.memory_pages * PAGE_BYTES;
            let end = offset(&offset_expr)?.map_or(0, |start| start + segment.data.len() as u64);
            if memory_index != 0 || end > size {
                let what = format!("data lies outside the initial memory of {size} bytes");
                return Err(Error::new(Code::HandlerMemory, what));
            }
        }
        Ok(())
    }

    fn body(&mut self, body: &FunctionBody<'_>) -> Result<()> {
        let bytes = body.range().len();
        if bytes > BODY_BYTES_MAX {
            return Err(limit(&format!("a function body of {bytes} bytes, at most {BODY_BYTES_MAX} are allowed")));
        }
        let mut reader = body.get_locals_reader().map_err(|cause| malformed(&cause))?;
        let mut locals = 0;
        for _ in 0..reader.get_count() {
            locals += u64::from(reader.read().map_err(|cause| malformed(&cause))?.0);
            if locals > LOCALS_MAX {
                return Err(limit(&format!("{locals} locals, at most {LOCALS_MAX} are allowed")));
            }
        }
        self.locals += locals;
        if self.locals > LOCALS_TOTAL_MAX {
            return Err(limit(&format!("more than {LOCALS_TOTAL_MAX} locals in all functions together")));
        }
        code(body)
    }
}

/// Nesting and labels; whether the code is valid is the validator's to say.
fn code(body: &FunctionBody<'_>) -> Result<()> {
    let mut operators = body.get_operators_reader().map_err(|cause| malformed(&cause))?;
    let mut depth = 0_u32;
    while !operators.eof() {
        let operator = match operators.read() {
            Ok(operator) => operator,
            // The reader's own bound of a br_table, which is far above ours.
            Err(cause) if cause.message().contains("br_table") => return Err(labels()),
            // Where and why is the validator's to say.
            Err(_) => return Ok(()),
        };
        match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => depth += 1,
            Operator::End => depth = depth.saturating_sub(1),
            Operator::BrTable { targets } if targets.len() > BR_TABLE_LABELS_MAX => return Err(labels()),
            Operator::TableInit { .. } | Operator::TableCopy { .. } | Operator::ElemDrop { .. } => {
                return Err(Error::new(Code::HandlerOpcode, "instructions that change a table are not allowed"));
            }
            _ => {}
        }
        if depth > NESTING_MAX {
            return Err(limit(&format!("blocks inside each other, at most {NESTING_MAX} are allowed")));
        }
    }
    Ok(())
}

fn labels() -> Error {
    limit(&format!("a br_table of more than {BR_TABLE_LABELS_MAX} labels"))
}

/// Of a segment; `None` when it is not a plain constant, which the validator judges.
fn offset(expression: &ConstExpr<'_>) -> Result<Option<u64>> {
    match expression.get_operators_reader().read().map_err(|cause| malformed(&cause))? {
        Operator::I32Const { value } => Ok(Some(u64::from(value.cast_unsigned()))),
        _ => Ok(None),
    }
}
