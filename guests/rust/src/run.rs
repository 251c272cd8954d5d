//! What the host calls (docs/abi.md), with what `handler!` declared.

use crate::buffers::{given, out, OUT_BYTES};
use crate::context::{context, keep};
use crate::declaration::{Invariant, Scanned, Step};
use crate::output;
use crate::report::{fail, CHECKS_TOO_LONG};
use crate::wire::{varint_bytes, word};

const FLAG_LAST: u32 = 1;

/// `handler_run`: the steps that are due, in order. The version map is what the manifest declares.
pub fn run(in_len: u32, steps: &[Step]) -> i32 {
    #[cfg(all(target_arch = "wasm32", feature = "std"))]
    crate::panic::install();
    keep(given(in_len));
    for (index, step) in steps.iter().enumerate() {
        if version_before(&steps[..index], step.module) == step.from {
            if let Some(run) = step.run {
                run();
            }
        }
    }
    output::flush();
    0
}

/// Where the steps before brought a module: each that is due goes on from the one before it.
fn version_before(steps: &[Step], module: &str) -> u64 {
    let mut version = context().version(module);
    for step in steps {
        if step.module == module && step.from == version {
            version = step.to;
        }
    }
    version
}

/// `handler_batch`: each pair, and the end of the scan.
pub fn batch(scans: &[Scanned], scan: u32, in_len: u32, flags: u32) -> i32 {
    let work = &scans[scan as usize];
    let pairs = given(in_len);
    let mut at = 0;
    while at < pairs.len() {
        let key = at + 8;
        let value = key + word(pairs, at) as usize;
        let next = value + word(pairs, at + 4) as usize;
        (work.on_pair)(&pairs[key..value], &pairs[value..next]);
        at = next;
    }
    if flags & FLAG_LAST != 0 {
        if let Some(on_end) = work.on_end {
            on_end();
        }
    }
    output::result(in_len)
}

/// `handler_check`: CheckResults { repeated CheckResult { string name = 1; bool ok = 2; string message = 3 } = 1 }
pub fn check(invariants: &[Invariant]) -> i32 {
    let mut results = Results { length: 0 };
    for invariant in invariants {
        // Before anything of its result is in the buffer, which reads flush their writes from.
        let holds = (invariant.holds)();
        let message = if holds { "" } else { invariant.message };
        results.add(invariant.name, holds, message);
    }
    results.length as i32
}

struct Results {
    length: usize,
}

impl Results {
    fn add(&mut self, name: &str, holds: bool, message: &str) {
        let size = text_bytes(name) + if holds { 2 } else { 0 } + text_bytes(message);
        self.tag(1, size);
        self.text(1, name);
        if holds {
            self.raw(&[0x10, 1]);
        }
        self.text(3, message);
    }

    fn text(&mut self, field: u8, text: &str) {
        if !text.is_empty() {
            self.tag(field, text.len());
            self.raw(text.as_bytes());
        }
    }

    fn tag(&mut self, field: u8, length: usize) {
        self.raw(&[field << 3 | 2]);
        let mut rest = length;
        while rest >= 0x80 {
            self.raw(&[rest as u8 | 0x80]);
            rest >>= 7;
        }
        self.raw(&[rest as u8]);
    }

    fn raw(&mut self, bytes: &[u8]) {
        if bytes.len() > OUT_BYTES - self.length {
            fail(
                CHECKS_TOO_LONG,
                "the results of the invariants have at most 262,144 bytes together",
            );
        }
        unsafe {
            core::ptr::copy_nonoverlapping(bytes.as_ptr(), out().add(self.length), bytes.len())
        };
        self.length += bytes.len();
    }
}

/// Of a field with a text; an empty one is left out.
const fn text_bytes(text: &str) -> usize {
    if text.is_empty() {
        0
    } else {
        1 + varint_bytes(text.len()) + text.len()
    }
}
