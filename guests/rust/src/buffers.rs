//! The two buffers that the host reads and writes: `handler_in` and `handler_out` of the interface. A handler has one thread,
//! and the host calls one export at a time, so nobody else has a buffer meanwhile.

use core::cell::UnsafeCell;

/// The host asks for this much once, beforehand.
const IN_BYTES: usize = 65_536;
/// See [`IN_BYTES`].
pub const OUT_BYTES: usize = 262_144;

const KEPT_BYTES: usize = 4_096;

struct Buffer<const N: usize>(UnsafeCell<[u8; N]>);

// Wasm handlers have no threads: what imports a shared memory is refused by every node.
unsafe impl<const N: usize> Sync for Buffer<N> {}

impl<const N: usize> Buffer<N> {
    const fn new() -> Self {
        Buffer(UnsafeCell::new([0; N]))
    }

    const fn start(&self) -> *mut u8 {
        self.0.get().cast()
    }
}

struct Input(UnsafeCell<(*mut u8, usize)>);

unsafe impl Sync for Input {}

static FIRST: Buffer<IN_BYTES> = Buffer::new();
static KEPT: Buffer<KEPT_BYTES> = Buffer::new();
static OUT: Buffer<OUT_BYTES> = Buffer::new();
static INPUT: Input = Input(UnsafeCell::new((FIRST.start(), IN_BYTES)));

/// Where an input of so many bytes goes; one that is larger than ever before gets pages of its own.
pub fn input(cap: u32) -> *mut u8 {
    let place = unsafe { &mut *INPUT.0.get() };
    if cap as usize > place.1 {
        *place = (pages(cap as usize), cap as usize);
    }
    place.0
}

/// Where results are; null when the host asks for more than there is.
pub fn output(cap: u32) -> *mut u8 {
    if cap as usize > OUT_BYTES {
        core::ptr::null_mut()
    } else {
        OUT.start()
    }
}

/// The input that the host has written.
pub fn given(len: u32) -> &'static [u8] {
    let place = unsafe { *INPUT.0.get() };
    unsafe { core::slice::from_raw_parts(place.0, len as usize) }
}

pub fn out() -> *mut u8 {
    OUT.start()
}

/// Memory for the context: it is short, but for the versions of many modules or a long plan.
pub fn kept(bytes: usize) -> *mut u8 {
    if bytes <= KEPT_BYTES {
        KEPT.start()
    } else {
        pages(bytes)
    }
}

/// New memory, which stays.
pub fn pages(bytes: usize) -> *mut u8 {
    let before = core::arch::wasm32::memory_grow(0, bytes.div_ceil(65_536));
    if before == usize::MAX {
        crate::report::fail(
            crate::report::NO_MEMORY,
            "no memory for a pair, or for the plan and its versions",
        );
    }
    (before * 65_536) as *mut u8
}
