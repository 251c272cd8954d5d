//! Metered modules that no meter made. check.wasm refuses each; the oracle counts what they ask of a compiler, and reads what their
//! counters hold at first. docs/abi.md, "Loading a file".

use crate::oracle::read_handler;
use crate::support::guest::Guest;
use chain_upgrade::{Code, Handler};
use wasm_encoder::{BlockType, Instruction};

fn refusal(guest: &Guest) -> String {
    let error = read_handler(&guest.file()).expect_err("the oracle refuses it");
    assert_eq!((error.code(), guest.refused().code()), (Code::HandlerMetered, Code::HandlerMetered), "{error}");
    error.to_string()
}

/// By the oracle, which has no meter.
fn taken(guest: &Guest) {
    read_handler(&guest.file()).expect("the oracle takes it");
    assert_eq!(guest.refused().code(), Code::HandlerMetered);
}

fn carrying() -> Guest {
    Guest { has_metered: true, ..Guest::default() }
}

/// `handler_run` in the metered module; that of the file returns 0.
fn forged(body: Vec<Instruction<'static>>) -> Guest {
    let body = [body, vec![Instruction::I32Const(0)]].concat();
    Guest { metered_run: Some(body), ..carrying() }
}

fn times(what: &[Instruction<'static>], count: usize) -> Vec<Instruction<'static>> {
    (0..count).flat_map(|_| what.iter().cloned()).collect()
}

fn blocks(count: usize) -> Vec<Instruction<'static>> {
    times(&[Instruction::Block(BlockType::Empty), Instruction::End], count)
}

fn nested(what: &Instruction<'static>, count: usize) -> Vec<Instruction<'static>> {
    [times(std::slice::from_ref(what), count), times(&[Instruction::End], count)].concat()
}

#[test]
fn load_a_metered_body_that_metering_does_not_make_is_refused_before_it_is_compiled() {
    let (block, of_loop) = (Instruction::Block(BlockType::Empty), Instruction::Loop(BlockType::Empty));
    let value = [Instruction::I32Const(0), Instruction::Drop];
    // Of a body of no branches, no calls and one value.
    taken(&forged(blocks(6)));
    assert!(refusal(&forged(blocks(7))).contains("function body 3 has branches: 7, metering makes at most 6"));
    taken(&forged(nested(&block, 3)));
    assert!(refusal(&forged(nested(&block, 4))).contains("blocks inside each other: 4, metering makes at most 3"));
    assert!(refusal(&forged(nested(&of_loop, 1))).contains("loops: 1, metering makes at most 0"));
    taken(&forged(times(&value, 22)));
    assert!(refusal(&forged(times(&value, 23))).contains("values: 24, metering makes at most 23"));
    taken(&forged(times(&[Instruction::Nop], 110)));
    assert!(refusal(&forged(times(&[Instruction::Nop], 111))).contains("bytes: 117, metering makes at most 116"));
    let call = vec![Instruction::I32Const(0), Instruction::Call(6), Instruction::Drop];
    assert!(refusal(&forged(call)).contains("calls: 1, metering makes at most 0"));
    assert!(refusal(&forged(blocks(40_000))).contains("bytes"));
    taken(&Guest { metered_locals: 4, ..carrying() });
    assert!(refusal(&Guest { metered_locals: 5, ..carrying() }).contains("locals: 5, metering makes at most 4"));
}

#[test]
fn load_counters_that_do_not_begin_as_the_meter_begins_them_are_refused() {
    for counts in [[1, 262_144, 0], [0, 262_145, 0], [0, 0, 0], [0, 262_144, 1]] {
        assert!(refusal(&Guest { counts, ..carrying() }).contains("what they hold at first"));
    }
    assert!(refusal(&Guest { is_far: true, ..carrying() }).contains("the meter's own"));
    taken(&Guest { pages: (17, None), is_far: true, ..carrying() });
    assert!(refusal(&Guest { pages: (17, None), ..carrying() }).contains("the meter's own"));
}

#[test]
fn load_a_body_of_the_file_that_is_dear_to_compile_is_refused_as_the_node_refuses_it() {
    let code = |body: Vec<Instruction<'static>>| {
        let error = Handler::load(&Guest::running([body, vec![Instruction::I32Const(0)]].concat()).file(), None);
        error.err().map(|error| error.code())
    };
    let (block, of_loop) = (Instruction::Block(BlockType::Empty), Instruction::Loop(BlockType::Empty));
    assert_eq!(code(blocks(2_048)), None);
    assert_eq!(code(blocks(2_049)), Some(Code::HandlerLimit));
    assert_eq!(code(nested(&block, 256)), None);
    assert_eq!(code(nested(&block, 257)), Some(Code::HandlerLimit));
    assert_eq!(code(nested(&of_loop, 32)), None);
    assert_eq!(code(nested(&of_loop, 33)), Some(Code::HandlerLimit));
    assert_eq!(code(times(&nested(&of_loop, 1), 257)), Some(Code::HandlerLimit));
    let call = [Instruction::I32Const(0), Instruction::Call(6), Instruction::Drop];
    assert_eq!(code(times(&call, 4_096)), None);
    assert_eq!(code(times(&call, 4_097)), Some(Code::HandlerLimit));
}
