use core::cell::UnsafeCell;
#[cfg(not(target_arch = "wasm32"))]
use core::sync::atomic::{AtomicBool, Ordering};

/// A value that outlives one call: counts over a scan, sums that an invariant compares. Handlers have one thread.
pub struct Global<T> {
    value: UnsafeCell<T>,
    /// Tests of a handler's functions on another machine may have threads.
    #[cfg(not(target_arch = "wasm32"))]
    is_held: AtomicBool,
}

// Wasm handlers have no threads: what imports a shared memory is refused by every node. Elsewhere one thread at a time has it.
unsafe impl<T: Copy + Send> Sync for Global<T> {}

impl<T: Copy> Global<T> {
    /// Holds this value first.
    pub const fn new(value: T) -> Self {
        Global {
            value: UnsafeCell::new(value),
            #[cfg(not(target_arch = "wasm32"))]
            is_held: AtomicBool::new(false),
        }
    }

    /// What it holds.
    pub fn get(&self) -> T {
        self.with(|value| *value)
    }

    /// Holds another value from now on.
    pub fn set(&self, value: T) {
        self.with(|held| *held = value);
    }

    #[cfg(target_arch = "wasm32")]
    fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        work(unsafe { &mut *self.value.get() })
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        while self.is_held.swap(true, Ordering::Acquire) {
            core::hint::spin_loop();
        }
        let result = work(unsafe { &mut *self.value.get() });
        self.is_held.store(false, Ordering::Release);
        result
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::Global;

    #[test]
    fn set_by_many_threads_holds_a_value_of_one_of_them() {
        static PAIR: Global<(u64, u64)> = Global::new((0, 0));
        let threads: std::vec::Vec<_> = (0..4)
            .map(|n| std::thread::spawn(move || (0..1_000).for_each(|_| PAIR.set((n, n)))))
            .collect();
        for _ in 0..1_000 {
            let (a, b) = PAIR.get();
            assert_eq!(a, b);
        }
        threads
            .into_iter()
            .for_each(|thread| thread.join().expect("a thread ends"));
    }
}
