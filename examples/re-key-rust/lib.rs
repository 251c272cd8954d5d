//! re-key, the same migration as its AssemblyScript twin beside it, in freestanding Rust: no allocator, no standard
//! library, the interface of docs/abi.md by hand.
//!
//!     rustc --target wasm32-unknown-unknown --crate-type cdylib --edition 2021 \
//!         -C opt-level=3 -C panic=abort -C strip=symbols -C lto=fat -o re-key-rust.wasm lib.rs
//!
//!   names  01 | owner           → name      is gone
//!   names  02 | length | owner  → name      is new
#![no_std]

use core::slice;

/// The manifest is a custom section of the module.
const MANIFEST: &[u8] = br#"{
  "abi": 1,
  "name": "re-key",
  "gasLimit": "50000000000",
  "stores": [{ "name": "names", "access": "rw", "prefixes": ["01", "02"] }],
  "versions": { "names": { "from": [1], "to": 2 } },
  "scans": [{ "store": "names", "prefix": "01" }]
}"#;
#[used]
#[link_section = "chain-upgrade.manifest"]
static MANIFEST_SECTION: [u8; MANIFEST.len()] = {
    let mut bytes = [0; MANIFEST.len()];
    let mut i = 0;
    while i < bytes.len() {
        bytes[i] = MANIFEST[i];
        i += 1;
    }
    bytes
};

#[link(wasm_import_module = "chain")]
extern "C" {
    fn store_scan(
        store: u32,
        start: *const u8,
        start_len: u32,
        end: *const u8,
        end_len: u32,
        out: *mut u8,
        cap: u32,
    ) -> i32;
    fn store_set(store: u32, key: *const u8, key_len: u32, value: *const u8, value_len: u32) -> i32;
    fn store_delete(store: u32, key: *const u8, key_len: u32) -> i32;
    fn fail(code: i32, message: *const u8, len: u32);
}

const NAMES: u32 = 0;
const OP_DELETE: u32 = 1 << 30;
const OWNER_BYTES_MAX: usize = 255;
/// A frame at its largest: header, key and value.
const IN_BYTES: usize = 8 + 65_535 + 1_048_576;
const OUT_BYTES: usize = 262_144;
const COUNT_BYTES: usize = 4;

static mut INPUT: [u8; IN_BYTES] = [0; IN_BYTES];
static mut OUTPUT: [u8; OUT_BYTES] = [0; OUT_BYTES];

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}

fn end_with(code: i32, message: &str) -> ! {
    unsafe { fail(code, message.as_ptr(), message.len() as u32) };
    core::arch::wasm32::unreachable()
}

#[no_mangle]
pub extern "C" fn handler_abi_1() {}

#[no_mangle]
pub extern "C" fn handler_in(cap: u32) -> *mut u8 {
    if cap as usize > IN_BYTES {
        return core::ptr::null_mut();
    }
    core::ptr::addr_of_mut!(INPUT).cast()
}

#[no_mangle]
pub extern "C" fn handler_out(cap: u32) -> *mut u8 {
    if cap as usize > OUT_BYTES {
        return core::ptr::null_mut();
    }
    core::ptr::addr_of_mut!(OUTPUT).cast()
}

/// Everything happens in the scan; the version map is what the manifest declares.
#[no_mangle]
pub extern "C" fn handler_run(_in_len: u32) -> i32 {
    0
}

/// The answer in the making: framed writes behind a count.
struct Output<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl Output<'_> {
    fn has_room(&self, bytes: usize) -> bool {
        self.at + bytes <= self.bytes.len()
    }

    fn put(&mut self, part: &[u8]) {
        self.bytes[self.at..self.at + part.len()].copy_from_slice(part);
        self.at += part.len();
    }

    fn word(&mut self, word: u32) {
        self.put(&word.to_le_bytes());
    }
}

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize
}

#[no_mangle]
pub extern "C" fn handler_batch(_scan: u32, in_len: u32, _flags: u32) -> i32 {
    // The host calls one export at a time, so nobody else has these buffers.
    let input = unsafe { slice::from_raw_parts(core::ptr::addr_of!(INPUT).cast::<u8>(), in_len as usize) };
    let bytes = unsafe { slice::from_raw_parts_mut(core::ptr::addr_of_mut!(OUTPUT).cast::<u8>(), OUT_BYTES) };
    let mut out = Output { bytes, at: COUNT_BYTES };
    let mut at = 0;
    while at < input.len() {
        let (key_len, value_len) = (word(input, at), word(input, at + 4));
        let key = &input[at + 8..at + 8 + key_len];
        let value = &input[at + 8 + key_len..at + 8 + key_len + value_len];
        if !move_name(key, value, &mut out) {
            break;
        }
        at += 8 + key_len + value_len;
    }
    out.bytes[..COUNT_BYTES].copy_from_slice(&(at as u32).to_le_bytes());
    out.at as i32
}

/// False when the output is full: the pair comes again in the next batch.
fn move_name(old: &[u8], name: &[u8], out: &mut Output) -> bool {
    let owner = &old[1..];
    if owner.is_empty() || owner.len() > OWNER_BYTES_MAX {
        end_with(1, "an owner has 1 to 255 bytes");
    }
    let key_len = 2 + owner.len();
    let needed = 4 + old.len() + 8 + key_len + name.len();
    if !out.has_room(needed) {
        if out.at > COUNT_BYTES {
            return false;
        }
        move_alone(old, owner, name);
        return true;
    }
    out.word(OP_DELETE | NAMES << 24 | old.len() as u32);
    out.put(old);
    out.word(NAMES << 24 | key_len as u32);
    out.word(name.len() as u32);
    out.put(&[0x02, owner.len() as u8]);
    out.put(owner);
    out.put(name);
    true
}

/// A value that no batch has room for.
fn move_alone(old: &[u8], owner: &[u8], name: &[u8]) {
    let mut key = [0u8; 2 + OWNER_BYTES_MAX];
    key[0] = 0x02;
    key[1] = owner.len() as u8;
    key[2..2 + owner.len()].copy_from_slice(owner);
    unsafe {
        store_delete(NAMES, old.as_ptr(), old.len() as u32);
        store_set(NAMES, key.as_ptr(), 2 + owner.len() as u32, name.as_ptr(), name.len() as u32);
    }
}

/// CheckResults: one result `old-keys`, and whether it holds.
#[no_mangle]
pub extern "C" fn handler_check(_in_len: u32) -> i32 {
    let none_left = unsafe { store_scan(NAMES, [0x01].as_ptr(), 1, [0x02].as_ptr(), 1, core::ptr::null_mut(), 0) } == 0;
    let bytes = unsafe { slice::from_raw_parts_mut(core::ptr::addr_of_mut!(OUTPUT).cast::<u8>(), OUT_BYTES) };
    let mut out = Output { bytes, at: 0 };
    let name = b"old-keys";
    out.put(&[0x0a, 2 + name.len() as u8 + if none_left { 2 } else { 0 }, 0x0a, name.len() as u8]);
    out.put(name);
    if none_left {
        out.put(&[0x10, 0x01]);
    }
    out.at as i32
}
