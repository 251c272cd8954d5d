//! What a host offers (docs/abi.md): module `chain`. What is not used is not imported.

#[cfg(target_arch = "wasm32")]
#[link(wasm_import_module = "chain")]
extern "C" {
    pub fn store_get(store: u32, key: *const u8, key_len: u32, out: *mut u8, cap: u32) -> i32;
    pub fn store_set(
        store: u32,
        key: *const u8,
        key_len: u32,
        value: *const u8,
        value_len: u32,
    ) -> i32;
    pub fn store_write(ops: *const u8, len: u32) -> i32;
    pub fn store_scan(
        store: u32,
        start: *const u8,
        start_len: u32,
        end: *const u8,
        end_len: u32,
        out: *mut u8,
        cap: u32,
    ) -> i32;
    pub fn log(level: u32, text: *const u8, len: u32);
    pub fn progress(done: i64, total: i64);
    pub fn fail(code: i32, text: *const u8, len: u32);
}

/// Elsewhere there is no host: tests of the declaration alone run there.
#[cfg(not(target_arch = "wasm32"))]
mod absent {
    const WHY: &str = "a handler runs on wasm32 alone";

    pub unsafe fn store_get(_: u32, _: *const u8, _: u32, _: *mut u8, _: u32) -> i32 {
        panic!("{WHY}")
    }
    pub unsafe fn store_set(_: u32, _: *const u8, _: u32, _: *const u8, _: u32) -> i32 {
        panic!("{WHY}")
    }
    pub unsafe fn store_write(_: *const u8, _: u32) -> i32 {
        panic!("{WHY}")
    }
    pub unsafe fn store_scan(
        _: u32,
        _: *const u8,
        _: u32,
        _: *const u8,
        _: u32,
        _: *mut u8,
        _: u32,
    ) -> i32 {
        panic!("{WHY}")
    }
    pub unsafe fn log(_: u32, _: *const u8, _: u32) {
        panic!("{WHY}")
    }
    pub unsafe fn progress(_: i64, _: i64) {
        panic!("{WHY}")
    }
    pub unsafe fn fail(_: i32, text: *const u8, len: u32) {
        let bytes = unsafe { core::slice::from_raw_parts(text, len as usize) };
        panic!("{}", core::str::from_utf8(bytes).unwrap_or(WHY))
    }
}

#[cfg(not(target_arch = "wasm32"))]
pub use absent::*;
