//! The core over stores that fail, panic or hold what no core wrote: an error of ours, nothing written, and the core goes on.

use chain_upgrade::{Arg, Code, Core, Facts, KVStore, MemoryStore, Pairs, Plan, SharedStore, StoreError, VersionMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// Fails or panics once its calls are used up.
struct Worn {
    inner: MemoryStore,
    calls_left: AtomicI32,
    panics: bool,
}

impl Worn {
    fn step(&self) -> Result<(), StoreError> {
        if self.calls_left.fetch_sub(1, Ordering::SeqCst) > 0 {
            return Ok(());
        }
        assert!(!self.panics, "worn out");
        Err("worn out".into())
    }
}

impl KVStore for Worn {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.step()?;
        self.inner.get(key)
    }
    fn set(&self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.step()?;
        self.inner.set(key, value)
    }
    fn delete(&self, key: &[u8]) -> Result<(), StoreError> {
        self.step()?;
        self.inner.delete(key)
    }
    fn iterate(&self, start: &[u8], end: Option<&[u8]>) -> Result<Pairs<'_>, StoreError> {
        self.step()?;
        self.inner.iterate(start, end)
    }
}

fn versions() -> VersionMap {
    VersionMap::from([("auth".to_owned(), 1), ("bank".to_owned(), 1)])
}

#[test]
fn apply_at_each_call_of_a_store_that_fails_or_panics_the_error_is_ours_and_the_core_goes_on() {
    let mut core = Core::new().expect("a core");
    for panics in [false, true] {
        for calls in 0..40 {
            let worn = Arc::new(Worn { inner: MemoryStore::default(), calls_left: AtomicI32::new(i32::MAX), panics });
            let store: SharedStore = Arc::clone(&worn) as SharedStore;
            core.set_version_map(&store, &versions()).expect("versions");
            core.schedule(&store, 1, &Plan::new("v2", 10, "")).expect("a plan");
            let plan = core.plan_bytes(&store).expect("a store").expect("a plan");
            worn.calls_left.store(calls, Ordering::SeqCst);
            let applied = core.apply(&store, 10, &plan, &versions(), &[]);
            let was_worn = worn.calls_left.load(Ordering::SeqCst) < 0;
            assert_eq!(applied.as_ref().err().map(chain_upgrade::Error::code), was_worn.then_some(Code::StoreIo));
            worn.calls_left.store(i32::MAX, Ordering::SeqCst);
            core.pre_block(&store, 11, Facts { has_handler: true, ..Facts::default() }).expect("the core goes on");
        }
    }
}

#[test]
fn reads_of_records_that_no_core_wrote_are_refused_with_a_code() {
    let mut core = Core::new().expect("a core");
    let key = core.plan_key().expect("a key");
    let store: SharedStore = Arc::new(MemoryStore::from_iter([(key, vec![0xff; 100])]));
    assert!(core.plan(&store).is_err());
    assert!(core.pre_block(&store, 5, Facts::default()).is_err());
    let empty: SharedStore = Arc::new(MemoryStore::default());
    assert_eq!(core.plan(&empty).expect("no plan"), None);
    assert_eq!(core.done_height(&empty, "v2").expect("never"), None);
    assert_eq!(core.last_done(&empty).expect("none"), None);
}

#[test]
fn calls_without_a_store_unknown_exports_and_inputs_that_are_too_large_are_refused() {
    let mut core = Core::new().expect("a core");
    let code = |result: chain_upgrade::Result<i64>| result.expect_err("refused").code();
    assert_eq!(code(core.call(None, "plan_clear", &[])), Code::BugCoreAbi);
    assert_eq!(code(core.call(None, "no_such_export", &[])), Code::BugCoreAbi);
    let large = vec![0; 3 << 20];
    assert_eq!(code(core.call(None, "plan_validate", &[Arg::Bytes(&large)])), Code::InvalidArgument);
    let store: SharedStore = Arc::new(MemoryStore::default());
    assert_eq!(core.set_receipt(&store, "v2", &large).expect_err("3 MiB").code(), Code::InvalidValue);
    assert_eq!(
        core.schedule(&store, 1, &Plan::new(&"v".repeat(300_000), 5, "")).expect_err("long").code(),
        Code::InvalidPlanName
    );
    core.schedule(&store, 1, &Plan::new("v2", 5, "")).expect("the core goes on");
}

#[test]
fn from_wasm_other_modules_than_a_core_are_refused() {
    let code = |wasm: &[u8]| Core::from_wasm(wasm).err().map(|error| error.code());
    assert_eq!(code(b""), Some(Code::BugCoreAbi));
    assert_eq!(code(b"\0asm\x01\0\0\0"), Some(Code::BugCoreAbi));
    assert_eq!(code(&chain_upgrade::CORE_WASM[..8_000]), Some(Code::BugCoreAbi));
}
