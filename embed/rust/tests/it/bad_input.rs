//! Runs that do not succeed: an error with its code, and nothing written.

use crate::support::guest::{Guest, MANIFEST, get_one, set_one, spin};
use chain_upgrade::{
    Branch, Cancel, Code, Error, Handler, Input, KVStore, MemoryStore, Pairs, SharedStore, StoreError, Stores,
    Timestamp, VersionMap,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use wasm_encoder::Instruction;

const TIME: Timestamp = Timestamp { seconds: 1_700_000_000, nanos: 0 };

fn versions() -> VersionMap {
    VersionMap::from([("bank".to_owned(), 1)])
}

fn run_over(guest: &Guest, store: SharedStore) -> chain_upgrade::Result<chain_upgrade::Run> {
    let stores = Stores::from([("bank".to_owned(), store)]);
    guest.handler().run(Input::new("test-1", 7, TIME, &[], &versions(), &stores))
}

fn run(guest: &Guest) -> chain_upgrade::Result<chain_upgrade::Run> {
    run_over(guest, Arc::new(MemoryStore::default()))
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
fn run_recursion_without_end_ends_at_the_stack_budget_and_never_in_a_crash() {
    let body = vec![Instruction::I32Const(0), Instruction::Call(7)];
    let error = run(&Guest::running(body)).expect_err("too deep");
    assert_eq!(error.code(), Code::HandlerStack);
}

#[test]
fn run_at_a_wrong_layout_or_without_its_store_is_refused_before_anything_runs() {
    let stores = Stores::new();
    let handler = Guest::running(spin()).handler();
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
    assert_eq!(Guest { manifest, ..Guest::default() }.refused().code(), Code::HandlerExport);
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
        let error = Guest::running(spin()).handler().run(input).expect_err("cancelled");
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
    let handler = Guest::running([log.clone(), log, set_one(), vec![zero()]].concat()).handler();
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
    let error = Guest::running(spin()).handler().run(input).expect_err("out of gas");
    assert_eq!(error.code(), Code::MigrationOutOfGas);
    assert_eq!(error.details()["gas"], "1");
}
