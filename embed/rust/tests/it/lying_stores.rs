//! Stores that give what none may: keys out of order or out of the range of a walk, keys and values beyond the limits of
//! docs/abi.md. A run ends with `UPG_STORE_CORRUPT`, so does a call of the core, and nothing is written.

use crate::support::guest::{Guest, KEY, get_one};
use chain_upgrade::{
    Code, Core, Error, Input, KVStore, Pair, Pairs, SharedStore, StoreError, Stores, Timestamp, VersionMap,
};
use std::sync::Arc;
use wasm_encoder::Instruction;

/// Its walks give these pairs whatever is asked for, and each key has this value.
#[derive(Default)]
struct Lying {
    pairs: Vec<Pair>,
    value: Vec<u8>,
}

impl KVStore for Lying {
    fn get(&self, _: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(Some(self.value.clone()))
    }
    fn set(&self, _: &[u8], _: &[u8]) -> Result<(), StoreError> {
        panic!("a write to a store that lies")
    }
    fn delete(&self, _: &[u8]) -> Result<(), StoreError> {
        panic!("a deletion in a store that lies")
    }
    fn iterate(&self, _: &[u8], _: Option<&[u8]>) -> Result<Pairs<'_>, StoreError> {
        Ok(Box::new(self.pairs.iter().cloned().map(Ok)))
    }
}

fn run(body: Vec<Instruction<'static>>, store: Lying) -> chain_upgrade::Result<()> {
    let handler = Guest::running(body).handler();
    let stores = Stores::from([("bank".to_owned(), Arc::new(store) as SharedStore)]);
    let versions = VersionMap::from([("bank".to_owned(), 1)]);
    let time = Timestamp { seconds: 1_700_000_000, nanos: 0 };
    handler.run(Input::new("test-1", 7, time, &[], &versions, &stores)).map(drop)
}

fn is_corrupt(error: &Error, words: &str) {
    assert_eq!(error.code(), Code::StoreCorrupt, "{error}");
    assert!(error.to_string().contains(words), "{error}");
    assert_eq!(error.details()["store"], "bank");
    assert!(!error.details().contains_key("gas"), "it says nothing about the handler");
}

/// `store_scan` from the key at KEY, a byte that is 0, on; without an end, or to the four bytes at 0, which are 0 too.
fn scan(has_end: bool) -> Vec<Instruction<'static>> {
    let number = Instruction::I32Const;
    let end = if has_end { 4 } else { 0 };
    vec![number(0), number(KEY), number(1), number(0), number(end), number(0), number(4_096), Instruction::Call(2)]
}

fn pair(key: &[u8]) -> Pair {
    (key.to_vec(), vec![1])
}

#[test]
fn scan_a_store_whose_walk_is_out_of_order_or_out_of_its_range_is_corrupt() {
    for (has_end, pairs) in [
        (false, vec![pair(&[2]), pair(&[1])]),
        (false, vec![pair(&[2]), pair(&[2])]),
        (false, vec![pair(&[1]), pair(&[1, 0]), pair(&[1])]),
        (true, vec![pair(&[0]), pair(&[0, 0, 0, 0])]),
        (true, vec![pair(&[9])]),
    ] {
        let error = run(scan(has_end), Lying { pairs, ..Lying::default() }).expect_err("a lie");
        is_corrupt(&error, "out of order or outside the range of a walk");
    }
}

#[test]
fn scan_a_store_that_gives_a_key_or_a_value_beyond_the_limits_is_corrupt() {
    for (key, value, words) in [
        (vec![], vec![], "a key of 0 bytes in a walk; keys have 1 to 65535"),
        (vec![1; 65_536], vec![], "a key of 65536 bytes in a walk"),
        (vec![1], vec![0; (1 << 20) + 1], "a value of 1048577 bytes for key 01; values have at most 1048576"),
    ] {
        let error = run(scan(false), Lying { pairs: vec![(key, value)], ..Lying::default() }).expect_err("a lie");
        is_corrupt(&error, words);
    }
    let largest = vec![(vec![1; 65_535], vec![0; 1 << 20])];
    let error = run(scan(false), Lying { pairs: largest, ..Lying::default() }).expect_err("its size as a result");
    assert_eq!(error.code(), Code::HandlerTrap, "{error}");
}

#[test]
fn get_a_value_beyond_the_limit_is_corrupt() {
    let body = [get_one(), vec![Instruction::I32Const(0)]].concat();
    let error = run(body.clone(), Lying { value: vec![0; (1 << 20) + 1], ..Lying::default() }).expect_err("a lie");
    is_corrupt(&error, "a value of 1048577 bytes for key 00");
    run(body, Lying { value: vec![0; 1 << 20], ..Lying::default() }).expect("the largest value");
}

#[test]
fn core_over_a_store_that_lies_fails_with_store_corrupt() {
    let mut core = Core::new().expect("a core");
    let pairs = vec![pair(&[0xff]), pair(&[1])];
    let store: SharedStore = Arc::new(Lying { pairs, value: vec![0; (1 << 20) + 1] });
    assert_eq!(core.plan(&store).expect_err("a long value").code(), Code::StoreCorrupt);
    assert_eq!(core.version_map(&store).expect_err("a walk out of its range").code(), Code::StoreCorrupt);
}
