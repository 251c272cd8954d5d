//! What a handler's module may be at most: small files can grow large when an engine compiles them, and every node must decide alike,
//! so acceptance depends on these numbers and never on an engine's own.

use super::cost::BodyCost;
use super::refusal::{limit, malformed};
use chain_upgrade::Code;
use chain_upgrade::{Error, Result};
use wasmtime::wasmparser::{
    ConstExpr, DataKind, DataSectionReader, ElementItems, ElementKind, ElementSectionReader, Operator, Payload,
    TableSectionReader,
};

const TYPES_MAX: u32 = 2_000;
const PARAMS_MAX: usize = 32;
const PARAMS_TOTAL_MAX: usize = 10_000;
const IMPORTS_MAX: u32 = 16;
const FUNCTIONS_MAX: u32 = 20_000;
const BODY_BYTES_MAX: u64 = 65_536;
/// Parameters do not count.
const LOCALS_MAX: u64 = 256;
/// Of all functions together.
const LOCALS_TOTAL_MAX: u64 = 50_000;
const GLOBALS_MAX: u32 = 1_000;
const EXPORTS_MAX: u32 = 1_000;
const ELEMENT_SEGMENTS_MAX: u32 = 1_000;
const DATA_SEGMENTS_MAX: u32 = 4_096;
const CUSTOM_SECTIONS_MAX: usize = 64;
/// Of blocks.
const NESTING_MAX: u64 = 256;
const BRANCHES_MAX: u64 = 2_048;
const BRANCHES_TOTAL_MAX: u64 = 65_536;
const BRANCH_VARIABLES_MAX: u64 = 200_000;
const BRANCH_VALUES_MAX: u64 = 16_777_216;
const LOOPS_MAX: u64 = 256;
const LOOP_NESTING_MAX: u64 = 32;
const VALUES_MAX: u64 = 32_768;
const CALLS_MAX: u64 = 4_096;
const TABLE_ELEMENTS_MAX: u64 = 4_096;
const PAGE_BYTES: u64 = 65_536;

/// What was seen of a module so far.
#[derive(Default)]
pub struct Limits {
    customs: usize,
    params: usize,
    locals: u64,
    branches: u64,
    table: Option<u64>,
    /// Pages that the memory begins with.
    pub memory_pages: u64,
}

fn count(what: &str, count: u32, max: u32) -> Result<()> {
    if count <= max { Ok(()) } else { Err(limit(&format!("{count} {what}, at most {max} are allowed"))) }
}

impl Limits {
    pub fn check(&mut self, payload: &Payload<'_>) -> Result<()> {
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
            _ => Ok(()),
        }
    }

    pub fn params(&mut self, params: usize) -> Result<()> {
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

    /// A body of the file, which metering makes larger.
    pub fn body(&mut self, cost: &BodyCost) -> Result<()> {
        self.locals += cost.locals;
        self.branches += cost.branches;
        let variables = cost.params + cost.locals;
        for (what, count, max) in [
            ("bytes of a body", cost.bytes, BODY_BYTES_MAX),
            ("locals", cost.locals, LOCALS_MAX),
            ("locals in all functions together", self.locals, LOCALS_TOTAL_MAX),
            ("blocks inside each other", cost.depth, NESTING_MAX),
            ("branches", cost.branches, BRANCHES_MAX),
            ("branches in all functions together", self.branches, BRANCHES_TOTAL_MAX),
            ("loops", cost.loops, LOOPS_MAX),
            ("loops inside each other", cost.loop_depth, LOOP_NESTING_MAX),
            ("values", cost.values, VALUES_MAX),
            ("calls", cost.calls, CALLS_MAX),
            ("branches × parameters and locals", cost.branches * variables, BRANCH_VARIABLES_MAX),
            ("branches × values", cost.branches * (variables + cost.values), BRANCH_VALUES_MAX),
        ] {
            if count > max {
                return Err(limit(&format!("{what}: {count}, at most {max} are allowed; split the function")));
            }
        }
        Ok(())
    }
}

/// Of a segment; `None` when it is not a plain constant, which the validator judges.
fn offset(expression: &ConstExpr<'_>) -> Result<Option<u64>> {
    match expression.get_operators_reader().read().map_err(|cause| malformed(&cause))? {
        Operator::I32Const { value } => Ok(Some(u64::from(value.cast_unsigned()))),
        _ => Ok(None),
    }
}
