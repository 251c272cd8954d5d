//! What a function asks of a compiler, whose time and memory grow with the square of some figures (docs/gas.md, "Compilers").
//! They are counted as the node counts them, but for operands, whose number the types decide.

use super::refusal::{limit, malformed};
use chain_upgrade::Code;
use chain_upgrade::{Error, Result};
use wasmtime::wasmparser::{FunctionBody, Operator};

const BR_TABLE_LABELS_MAX: u32 = 1_024;
/// A loop is entered, begun again and left.
const LOOP_BRANCHES: u64 = 4;

/// Of one body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodyCost {
    pub bytes: u64,
    /// Declared ones.
    pub locals: u64,
    pub params: u64,
    /// Blocks inside each other.
    pub depth: u64,
    pub loops: u64,
    pub loop_depth: u64,
    /// Each block, loop, if, else, return, bulk operation, division and label of a branch.
    pub branches: u64,
    /// Instructions that make one.
    pub values: u64,
    pub calls: u64,
}

impl BodyCost {
    /// `UPG_HANDLER_LIMIT` for labels that are too many, `UPG_HANDLER_OPCODE` for changes of a table, `UPG_HANDLER_FORMAT` for a
    /// number after the prefix 0xfc in more than one byte. Whether the code is valid is the validator's to say.
    pub fn of(body: &FunctionBody<'_>, params: usize) -> Result<Self> {
        let mut cost = BodyCost { bytes: body.range().len() as u64, params: params as u64, ..BodyCost::default() };
        let mut locals = body.get_locals_reader().map_err(|cause| malformed(&cause))?;
        for _ in 0..locals.get_count() {
            cost.locals += u64::from(locals.read().map_err(|cause| malformed(&cause))?.0);
        }
        let mut operators = body.get_operators_reader().map_err(|cause| malformed(&cause))?;
        let mut blocks = Blocks::default();
        while !operators.eof() {
            let at = operators.original_position() - body.range().start;
            // All numbers of instructions fit in one byte; engines differ on a longer form of the same number.
            if let [0xfc, 0x80..=0xff, ..] = body.as_bytes()[at..] {
                return Err(Error::new(Code::HandlerFormat, "a number after 0xfc has more than one byte"));
            }
            match operators.read() {
                Ok(operator) => cost.step(&operator, &mut blocks)?,
                // The reader's own bound of a br_table, which is far above ours.
                Err(cause) if cause.message().contains("br_table") => return Err(labels()),
                // Where and why is the validator's to say.
                Err(_) => break,
            }
        }
        Ok(cost)
    }

    fn step(&mut self, operator: &Operator<'_>, blocks: &mut Blocks) -> Result<()> {
        match operator {
            Operator::Loop { .. } => {
                blocks.open(true);
                self.loops += 1;
                self.branches += LOOP_BRANCHES;
            }
            Operator::Block { .. } | Operator::If { .. } => {
                blocks.open(false);
                self.branches += 1;
            }
            Operator::End => blocks.close(),
            Operator::Call { .. } | Operator::CallIndirect { .. } => self.calls += 1,
            Operator::BrTable { targets } if targets.len() > BR_TABLE_LABELS_MAX => return Err(labels()),
            // The last one is that of every other number.
            Operator::BrTable { targets } => self.branches += u64::from(targets.len()) + 1,
            Operator::TableInit { .. } | Operator::TableCopy { .. } | Operator::ElemDrop { .. } => {
                return Err(Error::new(Code::HandlerOpcode, "instructions that change a table are not allowed"));
            }
            other => self.branches += u64::from(is_branch(other)),
        }
        self.values += u64::from(makes_value(operator));
        self.depth = self.depth.max(blocks.are_loops.len() as u64);
        self.loop_depth = self.loop_depth.max(blocks.loops);
        Ok(())
    }
}

/// Those that are open.
#[derive(Default)]
struct Blocks {
    are_loops: Vec<bool>,
    loops: u64,
}

impl Blocks {
    fn open(&mut self, is_loop: bool) {
        self.are_loops.push(is_loop);
        self.loops += u64::from(is_loop);
    }

    fn close(&mut self) {
        self.loops -= u64::from(self.are_loops.pop() == Some(true));
    }
}

fn is_branch(operator: &Operator<'_>) -> bool {
    use Operator::{
        Br, BrIf, Else, I32DivS, I32DivU, I32RemS, I32RemU, I64DivS, I64DivU, I64RemS, I64RemU, MemoryCopy, MemoryFill,
        MemoryGrow, MemoryInit, Return,
    };
    matches!(
        operator,
        Br { .. }
            | BrIf { .. }
            | Else
            | Return
            | MemoryGrow { .. }
            | MemoryCopy { .. }
            | MemoryFill { .. }
            | MemoryInit { .. }
            | I32DivS
            | I32DivU
            | I32RemS
            | I32RemU
            | I64DivS
            | I64DivU
            | I64RemS
            | I64RemU
    )
}

/// All but these: a local that is read is a value that existed before.
fn makes_value(operator: &Operator<'_>) -> bool {
    use Operator::{
        Block, Br, BrIf, BrTable, DataDrop, Drop, Else, End, GlobalSet, I32Store, I32Store8, I32Store16, I64Store,
        I64Store8, I64Store16, I64Store32, If, LocalGet, LocalSet, LocalTee, Loop, MemoryCopy, MemoryFill, MemoryInit,
        Nop, Return, Unreachable,
    };
    !matches!(
        operator,
        Unreachable
            | Nop
            | Block { .. }
            | Loop { .. }
            | If { .. }
            | Else
            | End
            | Br { .. }
            | BrIf { .. }
            | BrTable { .. }
            | Return
            | Drop
            | LocalGet { .. }
            | LocalSet { .. }
            | LocalTee { .. }
            | GlobalSet { .. }
            | I32Store { .. }
            | I32Store8 { .. }
            | I32Store16 { .. }
            | I64Store { .. }
            | I64Store8 { .. }
            | I64Store16 { .. }
            | I64Store32 { .. }
            | MemoryCopy { .. }
            | MemoryFill { .. }
            | MemoryInit { .. }
            | DataDrop { .. }
    )
}

fn labels() -> Error {
    limit(&format!("a br_table of more than {BR_TABLE_LABELS_MAX} labels"))
}
