//! What a handler says: it can end the run, and it can report how far it is. Only `fail` has an effect on the result.

use crate::imports;

pub(crate) const NO_ROOM: i32 = -10;
pub(crate) const BAD_KEY: i32 = -5;
pub(crate) const BAD_VALUE: i32 = -6;
pub(crate) const CHECKS_TOO_LONG: i32 = -7;
pub(crate) const MALFORMED: i32 = -4;
pub(crate) const NO_MEMORY: i32 = -11;
#[cfg(all(target_arch = "wasm32", any(feature = "panic-handler", feature = "std")))]
pub(crate) const PANICKED: i32 = -12;

/// Of a line in the node's log.
#[derive(Clone, Copy)]
pub enum Level {
    /// For those who look closely.
    Debug,
    /// What everybody may read.
    Info,
    /// Something to look at.
    Warn,
    /// Something is wrong.
    Error,
}

/// Ends the run: nothing that the handler wrote stays. The code is the author's, above 0; this crate fails with codes
/// below. A message is cut at 1,024 bytes.
pub fn fail(code: i32, message: &str) -> ! {
    unsafe { imports::fail(code, message.as_ptr(), message.len() as u32) };
    #[cfg(target_arch = "wasm32")]
    core::arch::wasm32::unreachable();
    #[cfg(not(target_arch = "wasm32"))]
    unreachable!();
}

/// A line for the node's log.
pub fn log(level: Level, message: &str) {
    unsafe { imports::log(level as u32, message.as_ptr(), message.len() as u32) }
}

/// How far long work is, in units of your choice.
pub fn progress(done: i64, total: i64) {
    unsafe { imports::progress(done, total) }
}
