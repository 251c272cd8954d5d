//! Receipts in protobuf (docs/abi.md, "Messages").

use chain_upgrade::{Receipt, StoreReceipt};

const VARINT: u64 = 0;
const BYTES: u64 = 2;

pub fn encode_receipt(receipt: &Receipt) -> Vec<u8> {
    let mut out = Vec::new();
    put_bytes(&mut out, 1, receipt.plan.as_bytes());
    put_number(&mut out, 2, receipt.height.cast_unsigned());
    put_bytes(&mut out, 3, &receipt.handler_sha256);
    put_number(&mut out, 4, receipt.abi.into());
    put_bytes(&mut out, 5, receipt.gas_schedule.as_bytes());
    put_number(&mut out, 6, receipt.gas);
    for store in &receipt.stores {
        put_item(&mut out, 7, &encode_store(store));
    }
    for check in &receipt.checks {
        put_item(&mut out, 8, check.as_bytes());
    }
    out
}

fn encode_store(store: &StoreReceipt) -> Vec<u8> {
    let mut out = Vec::new();
    put_bytes(&mut out, 1, store.name.as_bytes());
    put_number(&mut out, 2, store.written);
    put_number(&mut out, 3, store.deleted);
    put_number(&mut out, 4, store.bytes);
    put_bytes(&mut out, 5, &store.root_before);
    put_bytes(&mut out, 6, &store.root_after);
    put_bytes(&mut out, 7, &store.writes_sha256);
    out
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A number that is 0 is left out, and bytes that are none.
fn put_number(out: &mut Vec<u8>, field: u64, value: u64) {
    if value != 0 {
        put_varint(out, field << 3 | VARINT);
        put_varint(out, value);
    }
}

fn put_bytes(out: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    if !bytes.is_empty() {
        put_item(out, field, bytes);
    }
}

fn put_item(out: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    put_varint(out, field << 3 | BYTES);
    put_varint(out, bytes.len() as u64);
    out.extend(bytes);
}

/// `None` for what is not a receipt.
pub fn decode_receipt(bytes: &[u8]) -> Option<Receipt> {
    let mut receipt = Receipt::default();
    each_field(bytes, &[7, 8], |field, value, bytes| {
        match field {
            1 => receipt.plan = text(bytes?)?,
            2 => receipt.height = value?.cast_signed(),
            3 => receipt.handler_sha256 = hash(bytes?)?,
            4 => receipt.abi = u32::try_from(value?).ok()?,
            5 => receipt.gas_schedule = text(bytes?)?,
            6 => receipt.gas = value?,
            7 => receipt.stores.push(decode_store(bytes?)?),
            8 => receipt.checks.push(text(bytes?)?),
            _ => return None,
        }
        Some(())
    })?;
    Some(receipt)
}

fn decode_store(bytes: &[u8]) -> Option<StoreReceipt> {
    let mut store = StoreReceipt::default();
    each_field(bytes, &[], |field, value, bytes| {
        match field {
            1 => store.name = text(bytes?)?,
            2 => store.written = value?,
            3 => store.deleted = value?,
            4 => store.bytes = value?,
            5 => store.root_before = hash(bytes?)?,
            6 => store.root_after = hash(bytes?)?,
            7 => store.writes_sha256 = hash(bytes?)?,
            _ => return None,
        }
        Some(())
    })?;
    Some(store)
}

fn text(bytes: &[u8]) -> Option<String> {
    String::from_utf8(bytes.to_vec()).ok()
}

fn hash(bytes: &[u8]) -> Option<Vec<u8>> {
    matches!(bytes.len(), 0 | 32).then(|| bytes.to_vec())
}

/// Gives `take` the number of each field, with its value or its bytes. Fields that are not `repeated` occur once.
fn each_field<'a>(
    mut rest: &'a [u8],
    repeated: &[u64],
    mut take: impl FnMut(u64, Option<u64>, Option<&'a [u8]>) -> Option<()>,
) -> Option<()> {
    let mut seen = Vec::new();
    while !rest.is_empty() {
        let tag = varint(&mut rest)?;
        let (field, kind) = (tag >> 3, tag & 7);
        if seen.contains(&field) && !repeated.contains(&field) {
            return None;
        }
        seen.push(field);
        match kind {
            VARINT => take(field, Some(varint(&mut rest)?), None)?,
            BYTES => {
                let length = usize::try_from(varint(&mut rest)?).ok()?;
                let (bytes, after) = rest.split_at_checked(length)?;
                rest = after;
                take(field, None, Some(bytes))?;
            }
            _ => return None,
        }
    }
    Some(())
}

/// At most ten bytes and 64 bits.
fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        if shift == 63 && *byte > 1 {
            return None;
        }
        value |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Some(value);
        }
    }
    None
}
