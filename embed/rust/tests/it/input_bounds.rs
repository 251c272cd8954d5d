//! Numbers of an input that no run can have, and a bound of memory that a run reaches: an error of ours, nothing written.

use crate::support::guest::{Guest, MANIFEST, OUT, set_one};
use chain_upgrade::{Code, Handler, Input, MemoryStore, Run, SharedStore, Stores, Timestamp, VersionMap};
use std::path::PathBuf;
use std::sync::Arc;
use wasm_encoder::Instruction;

/// Runs it over an empty store, which must be empty afterwards.
fn run(handler: &Handler, change: impl FnOnce(&mut Input<'_>)) -> chain_upgrade::Result<Run> {
    let store: SharedStore = Arc::new(MemoryStore::default());
    let stores = Stores::from([("bank".to_owned(), Arc::clone(&store))]);
    let versions = VersionMap::from([("bank".to_owned(), 1)]);
    let time = Timestamp { seconds: 1_700_000_000, nanos: 0 };
    let mut input = Input::new("test-1", 7, time, &[], &versions, &stores);
    change(&mut input);
    let run = handler.run(input);
    assert_eq!(store.iterate(&[], None).expect("a walk").count(), 0);
    run
}

#[test]
fn run_a_gas_limit_of_more_than_a_manifest_can_have_is_refused_and_not_clamped() {
    let handler = Guest::default().handler();
    let used = run(&handler, |_| ()).expect("a run").report().gas;
    for limit in [1_000_000_000_001, 1 << 62, u64::MAX] {
        let error = run(&handler, |input| input.gas_limit = Some(limit)).expect_err("too much gas");
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.to_string().contains(&format!("at most 1000000000000, got {limit}")), "{error}");
        assert!(!error.details().contains_key("gas"), "nothing was charged");
    }
    let most = run(&handler, |input| input.gas_limit = Some(1_000_000_000_000)).expect("the most that there is");
    assert_eq!(most.report().gas, used);
    let none = run(&handler, |input| input.gas_limit = Some(0)).expect_err("no gas at all");
    assert_eq!(none.code(), Code::MigrationOutOfGas);
}

#[test]
fn run_a_batch_of_no_bytes_or_of_more_than_the_buffer_has_is_refused() {
    let handler = Guest::default().handler();
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

/// An empty folder for temporary files.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("chain-upgrade-spill-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn files(&self) -> usize {
        std::fs::read_dir(&self.0).expect("a folder").count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn run_writes_beyond_the_disk_end_the_run_with_store_full_and_leave_no_file() {
    assert!(MANIFEST.contains("100000000000"), "gas for more writes than fit");
    let (endless, folder) = (puts_without_end().handler(), Folder::new("endless"));
    let error = run(&endless, |input| {
        input.overlay_memory_bytes = 4 << 20;
        input.overlay_disk_bytes = 16 << 20;
        input.overlay_dir = Some(folder.0.clone());
    })
    .expect_err("no room");
    assert_eq!(error.code(), Code::StoreFull);
    assert!(error.to_string().contains("overlay_disk_bytes, 16777216, are used"), "{error}");
    assert!(error.to_string().contains("says nothing about the handler"), "{error}");
    assert!(error.details().is_empty(), "no gas, no place: {:?}", error.details());
    assert_eq!(folder.files(), 0);
}

#[test]
fn run_writes_that_are_spilled_are_those_of_memory_and_no_file_stays() {
    let (handler, folder) =
        (Guest::running([set_one(), vec![Instruction::I32Const(0)]].concat()).handler(), Folder::new("same"));
    let whole = run(&handler, |_| ()).expect("a run");
    // A key and a value of a byte each, and the entry.
    let fits = run(&handler, |input| input.overlay_memory_bytes = 202).expect("a run");
    let spilled = run(&handler, |input| {
        input.overlay_memory_bytes = 201;
        input.overlay_dir = Some(folder.0.clone());
    })
    .expect("a run");
    assert_eq!([whole.spilled_bytes(), fits.spilled_bytes(), spilled.spilled_bytes()], [0, 0, 10]);
    assert_eq!(spilled.report(), whole.report());
    let writes = |run: &Run| run.writes("bank").and_then(|writes| writes.collect::<chain_upgrade::Result<Vec<_>>>());
    assert_eq!(writes(&spilled).expect("writes"), writes(&whole).expect("writes"));
    drop(spilled);
    assert_eq!(folder.files(), 0);
}
