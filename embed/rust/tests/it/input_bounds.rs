//! Numbers of an input that no run can have, and a bound of memory that a run reaches: an error of ours, nothing written.

use crate::support::guest::{Guest, MANIFEST, OUT, set_one};
use chain_upgrade::{Code, Handler, Input, MemoryStore, Report, SharedStore, Stores, Timestamp, VersionMap};
use std::sync::Arc;
use wasm_encoder::Instruction;

fn handler(guest: &Guest) -> Handler {
    Handler::load(&guest.file(), None).expect("a handler")
}

/// Runs it over an empty store, which must be empty afterwards.
fn run(handler: &Handler, change: impl FnOnce(&mut Input<'_>)) -> chain_upgrade::Result<Report> {
    let store: SharedStore = Arc::new(MemoryStore::default());
    let stores = Stores::from([("bank".to_owned(), Arc::clone(&store))]);
    let versions = VersionMap::from([("bank".to_owned(), 1)]);
    let time = Timestamp { seconds: 1_700_000_000, nanos: 0 };
    let mut input = Input::new("test-1", 7, time, &[], &versions, &stores);
    change(&mut input);
    let report = handler.run(input).map(|run| run.report().clone());
    assert_eq!(store.iterate(&[], None).expect("a walk").count(), 0);
    report
}

#[test]
fn run_a_gas_limit_of_more_than_a_manifest_can_have_is_refused_and_not_clamped() {
    let handler = handler(&Guest::default());
    let used = run(&handler, |_| ()).expect("a run").gas;
    for limit in [1_000_000_000_001, 1 << 62, u64::MAX] {
        let error = run(&handler, |input| input.gas_limit = Some(limit)).expect_err("too much gas");
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.to_string().contains(&format!("at most 1000000000000, got {limit}")), "{error}");
        assert!(!error.details().contains_key("gas"), "nothing was charged");
    }
    let most = run(&handler, |input| input.gas_limit = Some(1_000_000_000_000)).expect("the most that there is");
    assert_eq!(most.gas, used);
    let none = run(&handler, |input| input.gas_limit = Some(0)).expect_err("no gas at all");
    assert_eq!(none.code(), Code::MigrationOutOfGas);
}

#[test]
fn run_a_batch_of_no_bytes_or_of_more_than_the_buffer_has_is_refused() {
    let handler = handler(&Guest::default());
    for bytes in [0, 65_537] {
        let error = run(&handler, |input| input.batch_bytes = Some(bytes)).expect_err("no batch");
        assert_eq!(error.code(), Code::InvalidArgument);
    }
    run(&handler, |input| input.batch_bytes = Some(65_536)).expect("a run");
}

/// Puts of 1 MiB, one after the other under keys of their own, in a memory of 32 pages.
fn puts_without_end() -> Guest {
    let number = Instruction::I32Const;
    let body = vec![
        Instruction::Loop(wasm_encoder::BlockType::Empty),
        // The key is a local that counts, stored at 0; the value lies where the output is.
        number(0),
        Instruction::LocalGet(1),
        Instruction::I32Const(1),
        Instruction::I32Add,
        Instruction::LocalTee(1),
        Instruction::I32Store(wasm_encoder::MemArg { offset: 0, align: 2, memory_index: 0 }),
        number(0),
        number(0),
        number(4),
        number(OUT),
        number(1 << 20),
        Instruction::Call(0),
        Instruction::Drop,
        Instruction::Br(0),
        Instruction::End,
        number(0),
    ];
    Guest { pages: (32, None), is_far: true, ..Guest::running(body) }
}

#[test]
fn run_writes_beyond_what_they_may_take_in_memory_end_the_run_with_store_full() {
    assert!(MANIFEST.contains("100000000000"), "gas for more writes than fit");
    let endless = handler(&puts_without_end());
    let error = run(&endless, |input| input.overlay_bytes_max = 8 << 20).expect_err("no room");
    assert_eq!(error.code(), Code::StoreFull);
    assert!(error.to_string().contains("8388608 bytes of memory"), "{error}");
    assert!(!error.details().contains_key("gas"), "it says nothing about the handler");
}

#[test]
fn run_a_key_that_is_written_again_takes_its_room_once() {
    let twice = [set_one(), set_one(), set_one(), vec![Instruction::I32Const(0)]].concat();
    let handler = handler(&Guest::running(twice));
    // A key and a value of a byte each, and the entry.
    run(&handler, |input| input.overlay_bytes_max = 202).expect("room for one");
    let error = run(&handler, |input| input.overlay_bytes_max = 201).expect_err("no room");
    assert_eq!(error.code(), Code::StoreFull);
}
