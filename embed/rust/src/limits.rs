//! Every bound in one place. They are the same in every host; each is a part of docs/abi.md or docs/gas.md.

pub(crate) const KEY_BYTES_MAX: usize = 65_535;
pub(crate) const VALUE_BYTES_MAX: usize = 1_048_576;
/// A frame's header is two u32: key length (and operation), value length.
pub(crate) const FRAME_HEADER_BYTES: usize = 8;

pub(crate) const MODULE_NAME_BYTES_MAX: usize = 140;
pub(crate) const VERSION_MAP_MODULES_MAX: usize = 1_024;
/// The room that core.wasm promises for inputs beyond its scratch area.
pub(crate) const RECEIPT_BYTES_MAX: usize = 524_288;

pub(crate) const HANDLER_BYTES_MAX: usize = 1_048_576;
pub(crate) const GAS_LIMIT_MAX: u64 = 1_000_000_000_000;
pub(crate) const BATCH_BYTES: usize = 65_536;
pub(crate) const BATCH_OUT_BYTES: usize = 262_144;
pub(crate) const LOG_BYTES_MAX: usize = 4_096;
/// Of one run; later ones are left out of the log, and paid for.
pub(crate) const LOG_LINES_MAX: u32 = 10_000;
pub(crate) const FAIL_MESSAGE_BYTES_MAX: usize = 1_024;
pub(crate) const PAGE_BYTES: usize = 65_536;

/// Results of `handler_check`.
pub(crate) const CHECKS_MAX: usize = 256;
pub(crate) const CHECK_NAME_BYTES_MAX: usize = 140;
pub(crate) const CHECK_MESSAGE_BYTES_MAX: usize = 1_024;
