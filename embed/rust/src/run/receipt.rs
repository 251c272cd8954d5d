//! The record of an upgrade by a Wasm handler: protobuf `chain.upgrade.v1.Receipt`, what every node computes alike.

use super::Run;
use super::schedule::GAS_SCHEDULE;
use crate::code::Code;
use crate::error::{Error, Result};
use crate::wire::{Field, Reader, Writer};
use std::collections::BTreeMap;

const SHA256_BYTES: usize = 32;

/// Hashes of a store's root around the upgrade block's commit.
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

impl Receipt {
    /// Its protobuf bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default()
            .bytes(1, self.plan.as_bytes())
            .int(2, self.height)
            .bytes(3, &self.handler_sha256)
            .uint(4, self.abi.into())
            .bytes(5, self.gas_schedule.as_bytes())
            .uint(6, self.gas);
        for store in &self.stores {
            out = out.message(7, &store.encode());
        }
        for check in &self.checks {
            out = out.message(8, check.as_bytes());
        }
        out.finish()
    }

    /// What [`Receipt::encode`] wrote; fields that this version does not know are left out.
    ///
    /// # Errors
    /// `UPG_STORE_CORRUPT`
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut receipt = Receipt::default();
        each_field(bytes, |field| {
            match field.number {
                1 => receipt.plan = text(&field)?,
                2 => receipt.height = field.value.cast_signed(),
                3 => receipt.handler_sha256 = field.bytes.to_vec(),
                4 => receipt.abi = u32::try_from(field.value).map_err(|_| corrupt("abi"))?,
                5 => receipt.gas_schedule = text(&field)?,
                6 => receipt.gas = field.value,
                7 => receipt.stores.push(StoreReceipt::decode(field.bytes)?),
                8 => receipt.checks.push(text(&field)?),
                _ => {}
            }
            Ok(())
        })?;
        Ok(receipt)
    }
}

impl StoreReceipt {
    fn encode(&self) -> Vec<u8> {
        Writer::default()
            .bytes(1, self.name.as_bytes())
            .uint(2, self.written)
            .uint(3, self.deleted)
            .uint(4, self.bytes)
            .bytes(5, &self.root_before)
            .bytes(6, &self.root_after)
            .bytes(7, &self.writes_sha256)
            .finish()
    }

    fn decode(bytes: &[u8]) -> Result<Self> {
        let mut store = StoreReceipt::default();
        each_field(bytes, |field| {
            match field.number {
                1 => store.name = text(&field)?,
                2 => store.written = field.value,
                3 => store.deleted = field.value,
                4 => store.bytes = field.value,
                5 => store.root_before = field.bytes.to_vec(),
                6 => store.root_after = field.bytes.to_vec(),
                7 if !matches!(field.bytes.len(), 0 | SHA256_BYTES) => {
                    return Err(corrupt("a digest of another length"));
                }
                7 => store.writes_sha256 = field.bytes.to_vec(),
                _ => {}
            }
            Ok(())
        })?;
        Ok(store)
    }
}

fn each_field<'a>(bytes: &'a [u8], mut take: impl FnMut(Field<'a>) -> Result<()>) -> Result<()> {
    let mut reader = Reader::new(bytes);
    while let Some(field) = reader.next().map_err(|what| corrupt(&what))? {
        take(field)?;
    }
    Ok(())
}

fn text(field: &Field<'_>) -> Result<String> {
    String::from_utf8(field.bytes.to_vec()).map_err(|_| corrupt("a text is not UTF-8"))
}

fn corrupt(what: &str) -> Error {
    Error::new(Code::StoreCorrupt, format!("a receipt cannot be decoded: {what}"))
}
