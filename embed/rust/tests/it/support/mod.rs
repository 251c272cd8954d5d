//! What the conformance tests share: the vector files of the repository, hex, stores.

pub mod guest;
pub mod iavl;
pub mod mutate;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chain_upgrade::{KVStore, MemoryStore, Pair};
use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs::File;
use std::path::Path;

/// A file of test/vectors.
pub fn vectors(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/vectors").join(name);
    let file = File::open(&path).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()));
    serde_json::from_reader(GzDecoder::new(file)).expect("a vector file is JSON")
}

pub fn hex(text: &str) -> Vec<u8> {
    assert!(text.len().is_multiple_of(2), "{text}");
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex")).collect()
}

pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// `[key, value]` in hex.
pub fn pairs(value: &Value) -> Vec<Pair> {
    list(value).iter().map(|pair| (hex(text(&pair[0])), hex(text(&pair[1])))).collect()
}

pub fn dump(store: &dyn KVStore) -> Vec<Pair> {
    store.iterate(&[], None).expect("a walk").collect::<Result<_, _>>().expect("pairs")
}

pub fn memory_store(pairs: Vec<Pair>) -> MemoryStore {
    pairs.into_iter().collect()
}

/// The file of a guest of handler-cases.json.gz.
pub fn guest_file(guest: &Value) -> Vec<u8> {
    BASE64_STANDARD.decode(text(&guest["wasm"])).expect("base64")
}
