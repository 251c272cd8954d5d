//! What a handler knows of the block and the chain. There is no other clock and no other input.

use crate::buffers;
use crate::global::Global;
use crate::wire::{Field, Fields};

/// The block that applies the upgrade, and the chain.
#[derive(Clone, Copy)]
pub struct Context {
    message: &'static [u8],
}

static CONTEXT: Global<Context> = Global::new(Context { message: &[] });

/// Known while a step, a scan or an invariant runs.
pub fn context() -> Context {
    CONTEXT.get()
}

/// Keeps the message that the host gives `handler_run`: a copy, since batches use the same buffer.
pub(crate) fn keep(message: &[u8]) {
    let copy = buffers::kept(message.len());
    let message = unsafe {
        core::ptr::copy_nonoverlapping(message.as_ptr(), copy, message.len());
        core::slice::from_raw_parts(copy, message.len())
    };
    CONTEXT.set(Context { message });
}

impl Context {
    /// The chain's id.
    pub fn chain_id(self) -> &'static [u8] {
        bytes_of(self.message, 1)
    }

    /// Height of the block that applies the upgrade.
    pub fn height(self) -> i64 {
        number_of(self.message, 2) as i64
    }

    /// Time of that block: seconds since 1970.
    pub fn seconds(self) -> i64 {
        number_of(bytes_of(self.message, 3), 1) as i64
    }

    /// And nanoseconds.
    pub fn nanos(self) -> i32 {
        number_of(bytes_of(self.message, 3), 2) as i32
    }

    /// The plan's name.
    pub fn plan(self) -> &'static [u8] {
        bytes_of(bytes_of(self.message, 4), 1)
    }

    /// The plan's info.
    pub fn info(self) -> &'static [u8] {
        bytes_of(bytes_of(self.message, 4), 4)
    }

    /// The stored version of a module; 0 when it has none.
    pub fn version(self, module: &str) -> u64 {
        let is_named = |entry: &Field| bytes_of(entry.bytes, 1) == module.as_bytes();
        let entry = Fields(bytes_of(self.message, 5)).find(is_named);
        entry.map_or(0, |entry| number_of(entry.bytes, 2))
    }
}

fn bytes_of(message: &[u8], number: u32) -> &[u8] {
    Fields(message)
        .find(|field| field.number == number)
        .map_or(&[], |field| field.bytes)
}

fn number_of(message: &[u8], number: u32) -> u64 {
    Fields(message)
        .find(|field| field.number == number)
        .map_or(0, |field| field.value)
}
