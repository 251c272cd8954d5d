use core::cell::UnsafeCell;

/// A value that outlives one call: counts over a scan, sums that an invariant compares. Handlers have one thread.
pub struct Global<T> {
    value: UnsafeCell<T>,
}

// Wasm handlers have no threads: what imports a shared memory is refused by every node.
#[cfg(target_arch = "wasm32")]
unsafe impl<T> Sync for Global<T> {}

// Tests of a handler's functions on another machine may have threads: there it is only for what is safe anyway.
#[cfg(not(target_arch = "wasm32"))]
unsafe impl<T: Copy + Sync> Sync for Global<T> {}

impl<T: Copy> Global<T> {
    /// Holds this value first.
    pub const fn new(value: T) -> Self {
        Global {
            value: UnsafeCell::new(value),
        }
    }

    /// What it holds.
    pub fn get(&self) -> T {
        unsafe { *self.value.get() }
    }

    /// Holds another value from now on.
    pub fn set(&self, value: T) {
        unsafe { *self.value.get() = value }
    }
}
