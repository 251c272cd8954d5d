//! What a handler writes, framed, until the host takes it: as the result of `handler_batch`, or by `store_write` when the
//! buffer is full, before anything is read, and at the end of `handler_run`. So a reader sees every write before it.

use crate::buffers::{out, OUT_BYTES};
use crate::global::Global;
use crate::imports;
use crate::report::{fail, BAD_KEY, BAD_VALUE};

const OP_DELETE: u32 = 1 << 30;
const KEY_BYTES_MAX: usize = 65_535;
const VALUE_BYTES_MAX: usize = 1_048_576;
/// The output of `handler_batch` begins with a count; frames are after it always.
const HEAD: usize = 4;

static WRITTEN: Global<usize> = Global::new(HEAD);

pub fn flush() {
    let written = WRITTEN.get();
    if written == HEAD {
        return;
    }
    unsafe { imports::store_write(out().add(HEAD), (written - HEAD) as u32) };
    WRITTEN.set(HEAD);
}

/// What is left over as the result of `handler_batch`, which consumed so many bytes.
pub fn result(consumed: u32) -> i32 {
    let written = WRITTEN.get();
    WRITTEN.set(0);
    append(&consumed.to_le_bytes());
    WRITTEN.set(HEAD);
    written as i32
}

pub fn put(store: u32, key: &[u8], value: &[u8]) {
    check_key(key);
    if value.len() > VALUE_BYTES_MAX {
        fail(BAD_VALUE, "a value has at most 1 MiB");
    }
    let size = 8 + key.len() + value.len();
    if WRITTEN.get() + size > OUT_BYTES {
        flush();
        if HEAD + size > OUT_BYTES {
            unsafe {
                imports::store_set(
                    store,
                    key.as_ptr(),
                    key.len() as u32,
                    value.as_ptr(),
                    value.len() as u32,
                )
            };
            return;
        }
    }
    append(&(store << 24 | key.len() as u32).to_le_bytes());
    append(&(value.len() as u32).to_le_bytes());
    append(key);
    append(value);
}

pub fn remove(store: u32, key: &[u8]) {
    check_key(key);
    if WRITTEN.get() + 4 + key.len() > OUT_BYTES {
        flush();
    }
    append(&(OP_DELETE | store << 24 | key.len() as u32).to_le_bytes());
    append(key);
}

fn check_key(key: &[u8]) {
    if key.is_empty() || key.len() > KEY_BYTES_MAX {
        fail(BAD_KEY, "a key has 1 to 65,535 bytes");
    }
}

/// The caller has seen that there is room.
fn append(bytes: &[u8]) {
    let at = WRITTEN.get();
    unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), out().add(at), bytes.len()) };
    WRITTEN.set(at + bytes.len());
}
