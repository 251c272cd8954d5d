use crate::imports;
use crate::output;
use crate::report::{fail, NO_ROOM};
use crate::scan::Scan;

/// A store of the declaration. What it is not given (another store, other prefixes, a write to a store for reading) does not
/// exist for a handler: the host ends a run that tries.
#[derive(Clone, Copy)]
pub struct Store(u32);

impl Store {
    #[doc(hidden)]
    pub const fn declared(handle: u32) -> Store {
        Store(handle)
    }

    /// Its place in the manifest.
    pub const fn handle(self) -> u32 {
        self.0
    }

    /// Writes a pair.
    pub fn set(self, key: &[u8], value: &[u8]) {
        output::put(self.0, key, value);
    }

    /// Deletes a pair.
    pub fn delete(self, key: &[u8]) {
        output::remove(self.0, key);
    }

    /// The value of a key, at the front of `room`; `None` when there is none. Ends the run (code -10) when it is longer than that.
    pub fn get(self, key: &[u8], room: &mut [u8]) -> Option<usize> {
        output::flush();
        let length = unsafe {
            imports::store_get(
                self.0,
                key.as_ptr(),
                key.len() as u32,
                room.as_mut_ptr(),
                room.len() as u32,
            )
        };
        if length < 0 {
            return None;
        }
        if length as usize > room.len() {
            fail(
                NO_ROOM,
                "a value is longer than the room that get() was given for it",
            );
        }
        Some(length as usize)
    }

    /// Is there a value?
    pub fn has(self, key: &[u8]) -> bool {
        output::flush();
        unsafe {
            imports::store_get(
                self.0,
                key.as_ptr(),
                key.len() as u32,
                core::ptr::null_mut(),
                0,
            ) >= 0
        }
    }

    /// Is there a pair whose key begins with `prefix`?
    pub fn any(self, prefix: &[u8]) -> bool {
        Scan::over(self.0, prefix, &mut [0; 256]).is_any()
    }

    /// Walks the pairs whose keys begin with `prefix`, ascending. `room` holds what is read at once: some kilobytes, and
    /// more than the longest pair and its key together. A scan sees the handler's own writes of before it began.
    pub fn scan<'a>(self, prefix: &[u8], room: &'a mut [u8]) -> Scan<'a> {
        Scan::over(self.0, prefix, room)
    }
}
