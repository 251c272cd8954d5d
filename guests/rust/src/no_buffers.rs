//! On another machine than wasm32 there is no host: functions of a handler that reach a store are not for tests there.

use crate::report::{fail, NO_MEMORY};

/// As on wasm32.
pub const OUT_BYTES: usize = 262_144;
const WHY: &str = "a handler reaches its stores on wasm32 alone";

/// As on wasm32.
pub fn input(_: u32) -> *mut u8 {
    fail(NO_MEMORY, WHY)
}

/// As on wasm32.
pub fn output(_: u32) -> *mut u8 {
    fail(NO_MEMORY, WHY)
}

pub fn given(_: u32) -> &'static [u8] {
    fail(NO_MEMORY, WHY)
}

pub fn out() -> *mut u8 {
    fail(NO_MEMORY, WHY)
}

pub fn kept(_: usize) -> *mut u8 {
    fail(NO_MEMORY, WHY)
}
