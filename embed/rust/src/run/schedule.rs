//! The part of gas schedule `gas-2` that the host takes itself (docs/gas.md, "What the host does"); the rest is in the metered code.

/// Each byte of the file, before anything runs.
pub(super) const FILE_BYTE: u64 = 1_000;
/// Each call that the host makes.
pub(super) const HOST_CALL: u64 = 2_000;
pub(super) const STORE_GET: u64 = 200_000;
pub(super) const STORE_SCAN: u64 = 200_000;
/// Each pair that `store_scan` gives, and each of a manifest's scan.
pub(super) const SCAN_PAIR: u64 = 2_000;
/// Each key that `store_scan` goes by since the handler deleted it.
pub(super) const SCAN_PASSED: u64 = 1_000;
pub(super) const SCAN_PASSED_BYTE: u64 = 8;
pub(super) const PUT: u64 = 12_000;
pub(super) const DELETE: u64 = 12_000;
/// The first writes of a run cost this more.
pub(super) const WRITE_ALONE: u64 = 70_000;
pub(super) const WRITES_ALONE: u64 = 10_000;
pub(super) const STORE_WRITE: u64 = 600;
pub(super) const LOG: u64 = 4_000;
pub(super) const LOG_BYTE: u64 = 100;
pub(super) const PROGRESS: u64 = 300;
/// Each byte that crosses, either way.
pub(super) const BYTE: u64 = 1;
const LONG_BYTE: u64 = 12;
const LONG_BYTES: u64 = 1_024;

/// Abstract bytes of stack that calls may use together; the metered code counts them.
pub(super) const STACK_BUDGET: u32 = 262_144;

/// What the length of a key, or of a value that is written, costs besides its bytes.
pub(super) fn long_price(bytes: usize) -> u64 {
    (bytes as u64).saturating_sub(LONG_BYTES) * LONG_BYTE
}

/// What a pair costs that the host reads from a store for a guest, its bytes left out.
pub(super) fn pair_price(pairs: usize) -> u64 {
    pairs as u64 * SCAN_PAIR
}
