//! Files that are not handlers, and runs that do not succeed: an error with its code, and nothing written.

use crate::support::guest::{Guest, MANIFEST, get_one, set_one, spin};
use chain_upgrade::{
    Branch, Cancel, Code, Error, Handler, Input, KVStore, MemoryStore, Pairs, SharedStore, StoreError, Stores,
    Timestamp, VersionMap,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use wasm_encoder::{Instruction, ValType};

const TIME: Timestamp = Timestamp { seconds: 1_700_000_000, nanos: 0 };

fn versions() -> VersionMap {
    VersionMap::from([("bank".to_owned(), 1)])
}

fn refused(guest: &Guest) -> Error {
    Handler::load(&guest.file(), None).expect_err("this is no handler")
}

fn handler(guest: &Guest) -> Handler {
    Handler::load(&guest.file(), None).expect("a handler")
}

fn run_over(guest: &Guest, store: SharedStore) -> chain_upgrade::Result<chain_upgrade::Run> {
    let stores = Stores::from([("bank".to_owned(), store)]);
    handler(guest).run(Input::new("test-1", 7, TIME, &[], &versions(), &stores))
}

fn run(guest: &Guest) -> chain_upgrade::Result<chain_upgrade::Run> {
    run_over(guest, Arc::new(MemoryStore::default()))
}

#[test]
fn load_a_handler_made_by_hand_is_taken_and_its_hash_is_that_of_the_file() {
    let file = Guest::default().file();
    let loaded = Handler::load(&file, None).expect("a handler");
    let hash: String = loaded.sha256().iter().map(|byte| format!("{byte:02x}")).collect();
    Handler::load(&file, Some(&hash)).expect("its own hash");
    Handler::load(&file, Some(&hash.to_uppercase())).expect("its own hash in capitals");
    assert_eq!(Handler::load(&file, Some(&"0".repeat(64))).expect_err("another").code(), Code::HandlerHash);
    let ends_in_a_line = format!("{}\n", "0".repeat(64));
    let message = Handler::load(&file, Some(&ends_in_a_line)).expect_err("a line feed").to_string();
    assert!(message.contains(&format!("the plan pins \"{}\\n\"", "0".repeat(64))), "{message}");
    assert_eq!(Handler::load(&file, Some("")).expect_err("none").code(), Code::HandlerHash);
}

#[test]
fn load_a_file_of_another_kind_cut_or_too_long_is_refused() {
    let file = Guest::default().file();
    assert_eq!(Handler::load(b"", None).expect_err("empty").code(), Code::HandlerFormat);
    assert_eq!(Handler::load(b"\0asm\x0d\0\x01\0", None).expect_err("a component").code(), Code::HandlerFormat);
    for length in 0..file.len() {
        Handler::load(&file[..length], None).expect_err("a cut file");
    }
    assert_eq!(Handler::load(&vec![0; 8 << 20], None).expect_err("8 MiB").code(), Code::HandlerLimit);
}

#[test]
fn load_each_byte_changed_is_refused_by_the_pinned_hash() {
    let file = Guest::default().file();
    let hash: String = handler(&Guest::default()).sha256().iter().map(|byte| format!("{byte:02x}")).collect();
    for at in 0..file.len() {
        let mut changed = file.clone();
        changed[at] ^= 1;
        assert_eq!(Handler::load(&changed, Some(&hash)).expect_err("changed").code(), Code::HandlerHash);
        // Without a pinned hash it is another handler or none: never a panic.
        drop(Handler::load(&changed, None));
    }
}

#[test]
fn load_a_module_that_breaks_the_interface_is_refused_with_the_code_of_the_node() {
    let of = |guest: Guest| refused(&guest).code();
    assert_eq!(of(Guest { extra_import: Some(("wasi", "x")), ..Guest::default() }), Code::HandlerImport);
    assert_eq!(of(Guest { extra_import: Some(("chain", "progress")), ..Guest::default() }), Code::HandlerImport);
    assert_eq!(of(Guest { lacks_marker: true, ..Guest::default() }), Code::HandlerExport);
    assert_eq!(of(Guest { has_start: true, ..Guest::default() }), Code::HandlerOpcode);
    assert_eq!(of(Guest { pages: (257, None), ..Guest::default() }), Code::HandlerMemory);
    let floats = vec![Instruction::F64Const(1.0.into()), Instruction::Drop, Instruction::I32Const(0)];
    assert_eq!(of(Guest::running(floats)), Code::HandlerOpcode);
    assert_eq!(of(Guest::running(vec![Instruction::I64Const(0)])), Code::HandlerFormat);
    assert_eq!(of(Guest { manifest: "{}".to_owned(), ..Guest::default() }), Code::HandlerManifest);
}

#[test]
fn load_a_metered_module_that_cannot_be_the_files_own_is_refused() {
    let of = |guest: Guest| {
        let error = refused(&guest);
        assert!(error.to_string().contains("chaind handler meter"), "{error}");
        error.code()
    };
    let counter = |index: usize, counter| {
        let mut guest = Guest::default();
        guest.counters[index] = counter;
        guest
    };
    assert_eq!(of(Guest { has_metered: false, ..Guest::default() }), Code::HandlerMetered);
    assert_eq!(of(Guest { metered_pages_max: 513, ..Guest::default() }), Code::HandlerMetered);
    assert_eq!(of(Guest { pages: (16, Some(32)), ..Guest::default() }), Code::HandlerMetered);
    assert_eq!(of(Guest { metered_lacks_export: true, ..Guest::default() }), Code::HandlerMetered);
    assert_eq!(of(counter(0, ("chain-upgrade:gas", ValType::I32, true))), Code::HandlerMetered);
    assert_eq!(of(counter(1, ("chain-upgrade:stack", ValType::I32, false))), Code::HandlerMetered);
    assert_eq!(of(counter(2, ("chain-upgrade:other", ValType::I32, true))), Code::HandlerMetered);
}

#[test]
fn run_a_write_then_a_trap_writes_nothing() {
    let store: SharedStore = Arc::new(MemoryStore::default());
    let body = [set_one(), vec![Instruction::Unreachable]].concat();
    let error = run_over(&Guest::running(body), Arc::clone(&store)).expect_err("a trap");
    assert_eq!(error.code(), Code::HandlerTrap);
    assert_eq!(error.details()["trap"], "unreachable");
    assert!(error.details().contains_key("gas"));
    assert_eq!(store.get(&[0]).expect("a store"), None);
}

#[test]
fn run_a_write_is_seen_by_nobody_until_it_is_written() {
    let store: SharedStore = Arc::new(MemoryStore::default());
    let body = [set_one(), vec![Instruction::I32Const(0)]].concat();
    let run = run_over(&Guest::running(body), Arc::clone(&store)).expect("a run");
    assert_eq!(store.get(&[0]).expect("a store"), None);
    let writes: Vec<_> = run.writes("bank").and_then(|writes| writes.collect()).expect("writes");
    assert_eq!(writes, [(vec![0], Some(vec![0]))]);
    assert_eq!(run.report().versions["bank"], 2);
    run.write().expect("a write");
    assert_eq!(store.get(&[0]).expect("a store"), Some(vec![0]));
}

#[test]
fn run_recursion_without_end_is_the_engines_limit_and_never_a_crash() {
    // The counters of this module count nothing, so only the engine's own stack ends it.
    let body = vec![Instruction::I32Const(0), Instruction::Call(7)];
    let error = run(&Guest::running(body)).expect_err("too deep");
    assert_eq!(error.code(), Code::HandlerEngine);
}

#[test]
fn run_at_a_wrong_layout_or_without_its_store_is_refused_before_anything_runs() {
    let stores = Stores::new();
    let handler = handler(&Guest::running(spin()));
    let error = handler
        .run(Input::new("test-1", 7, TIME, &[], &VersionMap::from([("bank".to_owned(), 2)]), &stores))
        .expect_err("versions");
    assert_eq!(error.code(), Code::HandlerLayout);
    let error = handler.run(Input::new("test-1", 7, TIME, &[], &versions(), &stores)).expect_err("no store");
    assert_eq!(error.code(), Code::HandlerLayout);
    assert_eq!(error.details()["store"], "bank");
}

/// Fails, or panics, at its nth call.
struct Failing {
    calls: AtomicU32,
    at: u32,
    panics: bool,
}

impl Failing {
    fn store(at: u32, panics: bool) -> SharedStore {
        Arc::new(Failing { calls: AtomicU32::new(0), at, panics })
    }

    fn step(&self) -> Result<(), StoreError> {
        if self.calls.fetch_add(1, Ordering::SeqCst) + 1 < self.at {
            return Ok(());
        }
        assert!(!self.panics, "the disk is on fire");
        Err("the disk is gone".into())
    }
}

impl KVStore for Failing {
    fn get(&self, _: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.step().map(|()| None)
    }
    fn set(&self, _: &[u8], _: &[u8]) -> Result<(), StoreError> {
        self.step()
    }
    fn delete(&self, _: &[u8]) -> Result<(), StoreError> {
        self.step()
    }
    fn iterate(&self, _: &[u8], _: Option<&[u8]>) -> Result<Pairs<'_>, StoreError> {
        self.step()?;
        Ok(Box::new(std::iter::from_fn(|| Some(self.step().map(|()| (vec![1], vec![1]))))))
    }
}

#[test]
fn run_a_store_that_fails_or_panics_is_an_error_of_ours() {
    let body = [set_one(), get_one_other(), vec![Instruction::I32Const(0)]].concat();
    for panics in [false, true] {
        let error = run_over(&Guest::running(body.clone()), Failing::store(1, panics)).expect_err("a failing store");
        assert_eq!(error.code(), Code::StoreIo);
        assert!(error.to_string().contains("the disk is"), "{error}");
        assert!(!error.details().contains_key("gas"), "it says nothing about the handler");
    }
}

/// `store_get` of a key that was not written: it reaches the store.
fn get_one_other() -> Vec<Instruction<'static>> {
    let mut get = get_one();
    get[2] = Instruction::I32Const(2);
    get
}

#[test]
fn run_a_scan_whose_walk_fails_or_panics_in_the_middle_is_an_error_of_ours() {
    let manifest = MANIFEST.replace("\"versions\"", "\"scans\":[{\"store\":\"bank\"}],\"versions\"");
    // Without handler_batch it is refused, so the walk is that of store_scan.
    assert_eq!(refused(&Guest { manifest, ..Guest::default() }).code(), Code::HandlerExport);
    let zero = || Instruction::I32Const(0);
    let scan = vec![zero(), zero(), zero(), zero(), zero(), zero(), Instruction::I32Const(4_096), Instruction::Call(2)];
    for panics in [false, true] {
        for at in 1..3 {
            let error =
                run_over(&Guest::running(scan.clone()), Failing::store(at, panics)).expect_err("a failing walk");
            assert_eq!(error.code(), Code::StoreIo);
            assert!(error.to_string().contains("the disk is"), "{error}");
        }
    }
    // Its second pair has the key of the first.
    let error = run_over(&Guest::running(scan), Failing::store(100, false)).expect_err("a walk out of order");
    assert_eq!(error.code(), Code::StoreCorrupt);
    assert!(error.to_string().contains("out of order"), "{error}");
}

#[test]
fn handlers_cores_and_runs_go_from_thread_to_thread() {
    fn can_be_sent<T: Send>() {}
    fn can_be_shared<T: Sync>() {}
    can_be_sent::<(Handler, chain_upgrade::Core, chain_upgrade::Run, Branch, Error)>();
    can_be_shared::<(Handler, Branch, Cancel, Error)>();
}

#[test]
fn write_a_store_that_fails_half_way_leaves_the_branch_whole() {
    let body = [set_one(), vec![Instruction::I32Const(0)]].concat();
    let below = Failing::store(1, true);
    let branch = Arc::new(Branch::new("bank", &below));
    let run = run_over(&Guest::running(body), Arc::clone(&branch) as SharedStore).expect("a run");
    run.write().expect("the branch takes it");
    assert_eq!(branch.write().expect_err("the store does not").code(), Code::StoreIo);
    assert_eq!(branch.len(), 1);
    branch.discard();
    assert!(branch.is_empty());
}

#[test]
fn run_cancelled_before_or_while_the_guest_spins_ends_and_says_nothing_about_the_handler() {
    let cancel = Cancel::default();
    let in_another_thread = cancel.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        in_another_thread.cancel();
    });
    for _ in 0..2 {
        let (versions, stores) = (versions(), Stores::from([("bank".to_owned(), memory())]));
        let mut input = Input::new("test-1", 7, TIME, &[], &versions, &stores);
        input.cancel = Some(cancel.clone());
        let error = handler(&Guest::running(spin())).run(input).expect_err("cancelled");
        assert_eq!(error.code(), Code::HandlerEngine);
        assert_eq!(error.details()["cancelled"], "true");
    }
    thread.join().expect("the thread");
    // The run of another, at the same time, goes on.
    run(&Guest::default()).expect("a run that nobody cancelled");
}

fn memory() -> SharedStore {
    Arc::new(MemoryStore::default())
}

#[test]
fn run_a_callback_that_panics_has_no_effect() {
    let (versions, stores) = (versions(), Stores::from([("bank".to_owned(), memory())]));
    let zero = || Instruction::I32Const(0);
    let log = vec![zero(), zero(), zero(), Instruction::Call(3)];
    let handler = handler(&Guest::running([log.clone(), log, set_one(), vec![zero()]].concat()));
    let heard = Arc::new(AtomicU32::new(0));
    let run = |panics: bool| {
        let mut input = Input::new("test-1", 7, TIME, &[], &versions, &stores);
        let heard = Arc::clone(&heard);
        input.log = Some(Box::new(move |_, _| {
            heard.fetch_add(1, Ordering::Relaxed);
            assert!(!panics, "no room in the log");
        }));
        handler.run(input).expect("a run").report().clone()
    };
    assert_eq!(run(true), run(false));
    assert_eq!(heard.load(Ordering::Relaxed), 4);
}

#[test]
fn run_without_gas_for_the_file_ends_before_anything_runs() {
    let (versions, stores) = (versions(), Stores::from([("bank".to_owned(), memory())]));
    let mut input = Input::new("test-1", 7, TIME, &[], &versions, &stores);
    input.gas_limit = Some(1);
    let error = handler(&Guest::running(spin())).run(input).expect_err("out of gas");
    assert_eq!(error.code(), Code::MigrationOutOfGas);
    assert_eq!(error.details()["gas"], "1");
}
