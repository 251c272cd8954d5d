//! Receipts: the node's bytes, there and back.

use crate::oracle::{decode_receipt, encode_receipt};
use crate::support::guest::{Guest, set_one};
use crate::support::mutate::{Random, mutated};
use crate::support::{hex, to_hex};
use chain_upgrade::{
    Code, Error, GAS_SCHEDULE, Input, MemoryStore, Receipt, RootChange, SharedStore, StoreReceipt, Stores, Timestamp,
    VersionMap,
};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::Arc;
use wasm_encoder::Instruction;

/// Of the facts below, by `receiptBytes` of host/upgrade/handler/receipt.ts; test/embed/receipts.test.ts holds the two equal.
const OF_THE_NODE: &str = "0a0276321081808080808080101a20abababababababababababababababababababababababababababababababab20012a\
    056761732d3230ffffffffffffffffff013a0c0a0461757468180520f0a2043a710a0462616e6b100320ac022a2001010101\
    0101010101010101010101010101010101010101010101010101010132200202020202020202020202020202020202020202\
    0202020202020202020202023a20cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd42067375\
    70706c79420862616c616e636573";

fn store(name: &str, [written, deleted, bytes]: [u64; 3]) -> StoreReceipt {
    StoreReceipt { name: name.to_owned(), written, deleted, bytes, ..StoreReceipt::default() }
}

#[test]
fn encode_a_receipt_gives_the_bytes_of_the_node_and_decode_takes_them_back() {
    let (root_before, root_after, writes_sha256) = (vec![1; 32], vec![2; 32], vec![0xcd; 32]);
    let bank = StoreReceipt { root_before, root_after, writes_sha256, ..store("bank", [3, 0, 300]) };
    let receipt = Receipt {
        plan: "v2".to_owned(),
        height: 9_007_199_254_740_993,
        handler_sha256: vec![0xab; 32],
        abi: 1,
        gas_schedule: GAS_SCHEDULE.to_owned(),
        gas: u64::MAX,
        stores: vec![store("auth", [0, 5, 70_000]), bank],
        checks: vec!["supply".to_owned(), "balances".to_owned()],
    };
    assert_eq!(to_hex(&receipt.encode().expect("its bytes")), OF_THE_NODE);
    assert_eq!(Receipt::decode(&hex(OF_THE_NODE)).expect("a receipt"), receipt);
    let cut = hex(OF_THE_NODE);
    assert_eq!(Receipt::decode(&cut[..cut.len() - 1]).expect_err("cut").code(), Code::StoreCorrupt);
}

#[test]
fn receipt_of_a_run_has_its_gas_counts_and_the_roots_that_were_given() {
    let body = [set_one(), vec![Instruction::I32Const(0)]].concat();
    let handler = Guest::running(body).handler();
    let stores = Stores::from([("bank".to_owned(), Arc::new(MemoryStore::default()) as SharedStore)]);
    let versions = VersionMap::from([("bank".to_owned(), 1)]);
    let run = handler.run(Input::new("test-1", 7, Timestamp::ZERO, &[], &versions, &stores)).expect("a run");
    let roots = BTreeMap::from([("bank".to_owned(), RootChange { before: Vec::new(), after: vec![9] })]);
    let receipt = run.receipt(&roots);
    assert_eq!((receipt.plan.as_str(), receipt.height, receipt.gas), ("v2", 7, run.report().gas));
    assert_eq!(receipt.handler_sha256, handler.sha256());
    // One put of the byte 0 under the key 0, framed as a handler frames its output for store 0.
    let writes_sha256 = Sha256::digest([1, 0, 0, 0, 1, 0, 0, 0, 0, 0]).to_vec();
    assert_eq!(receipt.stores, [StoreReceipt { root_after: vec![9], writes_sha256, ..store("bank", [1, 0, 2]) }]);
}

#[test]
fn a_digest_of_another_length_is_not_encoded_and_decoded_as_corrupt() {
    for length in 0..34 {
        let bank = StoreReceipt { writes_sha256: vec![7; length], ..store("bank", [0; 3]) };
        let receipt = Receipt { stores: vec![bank], ..Receipt::default() };
        let is_wrong = !matches!(length, 0 | 32);
        let encoded = receipt.encode().err().map(|error| error.code());
        assert_eq!(encoded, is_wrong.then_some(Code::InvalidArgument));
        let decoded = Receipt::decode(&encode_receipt(&receipt)).err().map(|error| error.code());
        assert_eq!(decoded, is_wrong.then_some(Code::StoreCorrupt));
    }
}

/// Changes of bytes, cuts and doubled parts of the receipt above.
#[test]
fn decode_mutated_receipts_are_what_the_oracle_reads() {
    let good = hex(OF_THE_NODE);
    let (mut random, mut taken) = (Random::seeded(20_271), 0);
    for round in 0..500 {
        let bytes = mutated(&good, &mut random, &good);
        let decoded = Receipt::decode(&bytes);
        let code = decoded.as_ref().err().map(Error::code);
        assert!(matches!(code, None | Some(Code::StoreCorrupt)), "seed 20271, round {round}: {code:?}");
        let due = decode_receipt(&bytes);
        assert_eq!(decoded.ok(), due, "seed 20271, round {round}");
        let Some(receipt) = due else { continue };
        taken += 1;
        assert_eq!(receipt.encode().expect("its bytes"), encode_receipt(&receipt), "seed 20271, round {round}");
    }
    assert!((50..450).contains(&taken), "{taken} of 500 are receipts");
}
