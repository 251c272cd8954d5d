//! How a run ends when it does not succeed. What the guest did is the same on every node and has a class; what the engine or the
//! machine could not do is not, and must never be taken for a result.

use super::gas::{Stop, out_of_gas};
use super::schedule::STACK_BUDGET;
use crate::code::Code;
use crate::engine::failure;
use crate::error::Error;
use wasmtime::Trap;

/// The guest broke a rule of the interface: the run ends, and the guest cannot catch it.
pub(super) fn trap(what: &str) -> Error {
    Error::new(Code::HandlerTrap, format!("the handler broke its interface: {what}")).with("trap", what)
}

/// The handler said no.
pub(super) fn failed(what: &str) -> Error {
    Error::new(Code::MigrationFailed, format!("the handler failed: {what}"))
}

/// What a call into the guest ended with, as the error of the run.
pub(super) fn run_failure(cause: wasmtime::Error, stop: Option<Stop>, limit: u64, call: &str) -> Error {
    let cause = match cause.downcast::<Error>() {
        // Of an import, or of a store or a callback beneath it.
        Ok(own) => return own,
        Err(other) => other,
    };
    let Some(trap) = cause.downcast_ref::<Trap>().copied() else {
        return failure(&format!("the engine gave up in {call}"), &format!("{cause:#}"));
    };
    match stop {
        _ if trap == Trap::StackOverflow => failure(&format!("the engine gave up in {call}"), &trap.to_string()),
        Some(Stop::Gas) => out_of_gas(limit, call),
        Some(Stop::Memory) => {
            failure(&format!("the engine had no memory for the handler in {call}"), &trap.to_string())
        }
        Some(Stop::Stack) => too_deep(call),
        None => {
            let class = class_of(trap);
            let message = format!("the handler trapped in {call}: {class}");
            Error::new(Code::HandlerTrap, message).with("trap", class).with("call", call)
        }
    }
}

fn too_deep(call: &str) -> Error {
    let what = format!("{STACK_BUDGET} abstract bytes of stack are used up; loop instead of recursing");
    Error::new(Code::HandlerStack, format!("the handler called itself too deeply in {call}: {what}")).with("call", call)
}

fn class_of(trap: Trap) -> &'static str {
    match trap {
        Trap::UnreachableCodeReached => "unreachable",
        Trap::TableOutOfBounds | Trap::IndirectCallToNull | Trap::BadSignature => "bad indirect call",
        Trap::MemoryOutOfBounds | Trap::HeapMisaligned => "memory out of bounds",
        Trap::IntegerOverflow | Trap::BadConversionToInteger => "integer overflow",
        Trap::IntegerDivisionByZero => "division by zero",
        _ => "trap",
    }
}
