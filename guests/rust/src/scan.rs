//! A walk over pairs in the order of their keys, in chunks of what the caller has room for.

use crate::imports;
use crate::output;
use crate::report::{fail, NO_ROOM};
use crate::wire::word;

const PREFIX_BYTES_MAX: usize = 256;

/// Pairs of a store, ascending. Made by [`crate::Store::scan`].
pub struct Scan<'a> {
    store: u32,
    room: &'a mut [u8],
    end: [u8; PREFIX_BYTES_MAX],
    end_length: usize,
    /// The key to go on from is at the front of `room`; pairs are after it.
    start: usize,
    at: usize,
    stop: usize,
    /// The last key that was given, in `room`.
    last: (usize, usize),
    is_done: bool,
}

impl<'a> Scan<'a> {
    pub(crate) fn over(store: u32, prefix: &[u8], room: &'a mut [u8]) -> Scan<'a> {
        if prefix.len() > PREFIX_BYTES_MAX || prefix.len() > room.len() {
            fail(
                NO_ROOM,
                "a scan's prefix has at most 256 bytes, and fits into its room",
            );
        }
        room[..prefix.len()].copy_from_slice(prefix);
        let mut end = [0; PREFIX_BYTES_MAX];
        end[..prefix.len()].copy_from_slice(prefix);
        // The first key after the prefix: its last byte that can be counted up, without what follows.
        let mut end_length = prefix.len();
        while end_length > 0 && end[end_length - 1] == 0xff {
            end_length -= 1;
        }
        if end_length > 0 {
            end[end_length - 1] += 1;
        }
        Scan {
            store,
            room,
            end,
            end_length,
            start: prefix.len(),
            at: 0,
            stop: 0,
            last: (0, 0),
            is_done: false,
        }
    }

    /// Is there a pair, however long?
    pub(crate) fn is_any(&mut self) -> bool {
        output::flush();
        let (room, end) = (self.room.as_mut_ptr(), self.end.as_ptr());
        unsafe {
            imports::store_scan(
                self.store,
                room,
                self.start as u32,
                end,
                self.end_length as u32,
                room,
                0,
            ) > 0
        }
    }

    /// The next pair, key and value; `None` after the last one.
    pub fn next_pair(&mut self) -> Option<(&[u8], &[u8])> {
        if self.at >= self.stop && !self.fill() {
            return None;
        }
        let key = self.at + 8;
        let value = key + word(self.room, self.at) as usize;
        let next = value + word(self.room, self.at + 4) as usize;
        self.last = (key, value);
        self.at = next;
        Some((&self.room[key..value], &self.room[value..next]))
    }

    fn fill(&mut self) -> bool {
        if self.is_done {
            return false;
        }
        output::flush();
        if self.stop != 0 {
            self.go_on();
        }
        let chunk = self.room.len() - self.start;
        let length = unsafe {
            let room = self.room.as_mut_ptr();
            let end = self.end.as_ptr();
            imports::store_scan(
                self.store,
                room,
                self.start as u32,
                end,
                self.end_length as u32,
                room.add(self.start),
                chunk as u32,
            )
        } as usize;
        if length > chunk {
            fail(
                NO_ROOM,
                "a pair is longer than the room that scan() was given",
            );
        }
        self.is_done = length == 0;
        self.at = self.start;
        self.stop = self.start + length;
        length > 0
    }

    /// Right after the last key: the first key that is longer.
    fn go_on(&mut self) {
        let (from, to) = self.last;
        self.room.copy_within(from..to, 0);
        self.start = to - from + 1;
        if self.start > self.room.len() {
            fail(
                NO_ROOM,
                "a pair is longer than the room that scan() was given",
            );
        }
        self.room[self.start - 1] = 0;
    }
}
