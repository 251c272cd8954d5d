//! Receipts: the node's bytes, there and back.

use crate::support::guest::{Guest, set_one};
use crate::support::{hex, to_hex};
use chain_upgrade::{
    Code, GAS_SCHEDULE, Handler, Input, MemoryStore, Receipt, RootChange, SharedStore, StoreReceipt, Stores, Timestamp,
    VersionMap,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use wasm_encoder::Instruction;

/// Of the facts below, by `encodeReceipt` of host/upgrade/receipt.ts.
const OF_THE_NODE: &str = "0a0276321081808080808080101a20abababababababababababababababababababababababababababababababab20012a\
    056761732d3230ffffffffffffffffff013a0c0a0461757468180520f0a2043a0f0a0462616e6b100320ac02320201024206\
    737570706c79420862616c616e636573";

fn store(name: &str, [written, deleted, bytes]: [u64; 3], root_after: &[u8]) -> StoreReceipt {
    let (root_before, root_after) = (Vec::new(), root_after.to_vec());
    StoreReceipt { name: name.to_owned(), written, deleted, bytes, root_before, root_after }
}

#[test]
fn encode_a_receipt_gives_the_bytes_of_the_node_and_decode_takes_them_back() {
    let receipt = Receipt {
        plan: "v2".to_owned(),
        height: 9_007_199_254_740_993,
        handler_sha256: vec![0xab; 32],
        abi: 1,
        gas_schedule: GAS_SCHEDULE.to_owned(),
        gas: u64::MAX,
        stores: vec![store("auth", [0, 5, 70_000], &[]), store("bank", [3, 0, 300], &[1, 2])],
        checks: vec!["supply".to_owned(), "balances".to_owned()],
    };
    assert_eq!(to_hex(&receipt.encode()), OF_THE_NODE);
    assert_eq!(Receipt::decode(&hex(OF_THE_NODE)).expect("a receipt"), receipt);
    let cut = hex(OF_THE_NODE);
    assert_eq!(Receipt::decode(&cut[..cut.len() - 1]).expect_err("cut").code(), Code::StoreCorrupt);
}

#[test]
fn receipt_of_a_run_has_its_gas_counts_and_the_roots_that_were_given() {
    let body = [set_one(), vec![Instruction::I32Const(0)]].concat();
    let handler = Handler::load(&Guest::running(body).file(), None).expect("a handler");
    let stores = Stores::from([("bank".to_owned(), Arc::new(MemoryStore::default()) as SharedStore)]);
    let versions = VersionMap::from([("bank".to_owned(), 1)]);
    let run = handler.run(Input::new("test-1", 7, Timestamp::ZERO, &[], &versions, &stores)).expect("a run");
    let roots = BTreeMap::from([("bank".to_owned(), RootChange { before: Vec::new(), after: vec![9] })]);
    let receipt = run.receipt(&roots);
    assert_eq!((receipt.plan.as_str(), receipt.height, receipt.gas), ("v2", 7, run.report().gas));
    assert_eq!(receipt.handler_sha256, handler.sha256());
    assert_eq!(receipt.stores, [store("bank", [1, 0, 2], &[9])]);
}
