//! The record of an upgrade by a Wasm handler: protobuf `chain.upgrade.v1.Receipt`, what every node computes alike.

use super::Run;
use crate::handler::GAS_SCHEDULE;
use std::collections::BTreeMap;

/// Hashes of a store's root around the upgrade block's commit, of 32 bytes or empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootChange {
    /// Before the block; empty for a store that is new.
    pub before: Vec<u8>,
    /// After its commit.
    pub after: Vec<u8>,
}

/// What an upgrade did, for [`Core::set_receipt`](crate::Core::set_receipt).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    /// The plan's name.
    pub plan: String,
    /// Of the upgrade block.
    pub height: i64,
    /// Of the handler's file.
    pub handler_sha256: Vec<u8>,
    /// Version of the handler interface.
    pub abi: u32,
    /// By which gas was counted.
    pub gas_schedule: String,
    /// That the run used.
    pub gas: u64,
    /// The stores that the handler may write, ascending by name.
    pub stores: Vec<StoreReceipt>,
    /// Names of the handler's checks, all of which held.
    pub checks: Vec<String>,
}

/// What an upgrade did to one store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreReceipt {
    /// Of the store.
    pub name: String,
    /// Puts.
    pub written: u64,
    /// Deletes.
    pub deleted: u64,
    /// Keys and values of both.
    pub bytes: u64,
    /// Empty for a store that is new, or of a chain without roots.
    pub root_before: Vec<u8>,
    /// Empty for a chain without roots.
    pub root_after: Vec<u8>,
    /// Digest of the handler's own final writes ([`StoreReport::sha256`](crate::StoreReport::sha256)), whatever else the block wrote;
    /// empty in receipts of older programs.
    pub writes_sha256: Vec<u8>,
}

impl Run {
    /// The record of this run. `roots` by store: a chain that has none gives an empty map.
    #[must_use]
    pub fn receipt(&self, roots: &BTreeMap<String, RootChange>) -> Receipt {
        let store = |store: &super::StoreReport| {
            let RootChange { before, after } = roots.get(&store.name).cloned().unwrap_or_default();
            StoreReceipt {
                name: store.name.clone(),
                written: store.written,
                deleted: store.deleted,
                bytes: store.bytes,
                root_before: before,
                root_after: after,
                writes_sha256: store.sha256.to_vec(),
            }
        };
        Receipt {
            plan: self.plan.clone(),
            height: self.height,
            handler_sha256: self.sha256.to_vec(),
            abi: self.abi,
            gas_schedule: GAS_SCHEDULE.to_owned(),
            gas: self.report.gas,
            stores: self.report.stores.iter().map(store).collect(),
            checks: self.report.checks.iter().map(|check| check.name.clone()).collect(),
        }
    }
}
