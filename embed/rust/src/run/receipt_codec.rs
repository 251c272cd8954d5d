//! Receipts in protobuf, by check.wasm. It takes and returns the flat receipt of docs/abi.md: all fields at fixed places,
//! little-endian.

use super::receipt::{Receipt, StoreReceipt};
use crate::checker::{decode_receipt, encode_receipt};
use crate::code::Code;
use crate::error::{Error, Result};

impl Receipt {
    /// Its protobuf bytes.
    ///
    /// # Errors
    /// `UPG_INVALID_ARGUMENT` for a hash or root that has neither 0 nor 32 bytes; `UPG_HANDLER_ENGINE` when this machine could not
    /// encode it.
    pub fn encode(&self) -> Result<Vec<u8>> {
        let what =
            "a receipt cannot be encoded: its hashes and roots must have 32 bytes or none, and all of it at most 1 MiB";
        encode_receipt(&flat(self))?.ok_or_else(|| Error::new(Code::InvalidArgument, what))
    }

    /// What [`Receipt::encode`] returned.
    ///
    /// # Errors
    /// `UPG_STORE_CORRUPT` for anything else, unknown fields too; `UPG_HANDLER_ENGINE` when this machine could not decode it.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let flat = decode_receipt(bytes)?;
        let flat = flat.ok_or_else(|| Error::new(Code::StoreCorrupt, "the bytes are not a receipt"))?;
        of_flat(&flat).ok_or_else(|| Error::bug("check.wasm decoded a receipt to what is not a flat receipt"))
    }
}

fn flat(receipt: &Receipt) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend(receipt.height.to_le_bytes());
    out.extend(receipt.gas.to_le_bytes());
    out.extend(receipt.abi.to_le_bytes());
    for length in [receipt.stores.len(), receipt.checks.len()] {
        put_length(&mut out, length);
    }
    for text in [receipt.plan.as_bytes(), &receipt.handler_sha256, receipt.gas_schedule.as_bytes()] {
        put(&mut out, text);
    }
    for store in &receipt.stores {
        for count in [store.written, store.deleted, store.bytes] {
            out.extend(count.to_le_bytes());
        }
        for text in [store.name.as_bytes(), &store.root_before, &store.root_after, &store.writes_sha256] {
            put(&mut out, text);
        }
    }
    for check in &receipt.checks {
        put(&mut out, check.as_bytes());
    }
    out
}

/// A longer one is refused: all of it has at most 1 MiB.
fn put_length(out: &mut Vec<u8>, length: usize) {
    out.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
}

fn put(out: &mut Vec<u8>, text: &[u8]) {
    put_length(out, text.len());
    out.extend(text);
}

/// `None` for what is not a flat receipt.
fn of_flat(bytes: &[u8]) -> Option<Receipt> {
    let mut rest = Rest(bytes);
    let (height, gas, abi) = (rest.u64()?.cast_signed(), rest.u64()?, rest.u32()?);
    let (stores, checks) = (rest.u32()?, rest.u32()?);
    let (plan, handler_sha256, gas_schedule) = (rest.text()?, rest.bytes()?.to_vec(), rest.text()?);
    let stores = (0..stores).map(|_| rest.store()).collect::<Option<_>>()?;
    let checks = (0..checks).map(|_| rest.text()).collect::<Option<_>>()?;
    let receipt = Receipt { plan, height, handler_sha256, abi, gas_schedule, gas, stores, checks };
    rest.0.is_empty().then_some(receipt)
}

/// The bytes that the decoder has not read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.u32()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    fn store(&mut self) -> Option<StoreReceipt> {
        let (written, deleted, bytes, name) = (self.u64()?, self.u64()?, self.u64()?, self.text()?);
        let (root_before, root_after, writes_sha256) = (self.bytes()?, self.bytes()?, self.bytes()?);
        let [root_before, root_after, writes_sha256] = [root_before, root_after, writes_sha256].map(<[u8]>::to_vec);
        Some(StoreReceipt { name, written, deleted, bytes, root_before, root_after, writes_sha256 })
    }
}
